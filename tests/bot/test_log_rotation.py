"""The log file: for its owner alone, and never larger than it may be."""

import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot import log


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    for handler in set(root.handlers) - set(before):
        handler.close()
    root.handlers[:] = before
    root.setLevel(level)
    structlog.reset_defaults()


def test_it_turns_over_at_its_size_and_keeps_two_predecessors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "FILE_BYTES", 2_000)
    file = tmp_path / "stillbell.log"
    log.start(level="info", secrets=(), file=file)
    for number in range(100):
        structlog.get_logger().info("something happened", action="thing.happened", number=number)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["stillbell.log", "stillbell.log.1", "stillbell.log.2"]
    assert all(path.stat().st_size <= 2_000 for path in tmp_path.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert '"number": 99' in file.read_text()


def test_it_is_5_mb_three_times() -> None:
    assert (log.FILE_BYTES, log.FILES) == (5_000_000, 3)
