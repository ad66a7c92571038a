"""The lock: one writer of a data folder, whom the second one can name."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.lock import WriterLock, holder, is_held
from memory.errors import AnotherWriter

ROOT = Path(__file__).parents[2]

HOLD = """
import sys
from pathlib import Path
from bot.lock import WriterLock
with WriterLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process_holding(path: Path) -> Iterator[subprocess.Popen[str]]:
    asked = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(asked, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_process_names_the_holder_and_ends_before_it_touches_anything(tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text("")
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "STILLBELL_HOME": str(tmp_path)}
    with another_process_holding(tmp_path / "stillbell.lock") as first:
        before = (tmp_path / "stillbell.lock").read_bytes()
        second = subprocess.run(
            [sys.executable, "-m", "bot", "run", "--no-chat"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert second.returncode == 1
        assert f"process {first.pid} on {os.uname().nodename}" in second.stderr
        assert "stillbell chat" in second.stderr
        assert "Traceback" not in second.stderr
        assert sorted(path.name for path in tmp_path.iterdir()) == ["settings.env", "stillbell.lock"]
        assert (tmp_path / "stillbell.lock").read_bytes() == before


def test_a_process_that_dies_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with another_process_holding(path) as process:
        with pytest.raises(AnotherWriter, match=f"process {process.pid}"), WriterLock(path):
            pass
        process.kill()
        process.wait(10)
        with WriterLock(path):
            assert f"process {os.getpid()} on" in holder(path)


def test_the_lock_is_let_go_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    for _ in range(3):
        with WriterLock(path):
            assert is_held(path)
        assert not is_held(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_lock_is_not_inherited_by_a_child_that_outlives_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with WriterLock(path):
        asked = [sys.executable, "-c", "print(flush=True); input()"]
        child = subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False)
        assert child.stdout is not None
        child.stdout.readline()
    try:
        assert not is_held(path)
    finally:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("text", ["", "{}", "nonsense", '{"pid": 1}', "[]"])
def test_a_lock_file_that_can_not_be_read_still_locks(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lock"
    path.write_text(text)
    assert holder(path) == "holder unknown"
    with WriterLock(path):
        assert is_held(path)


def test_a_longer_word_of_an_earlier_holder_leaves_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("x" * 500)
    with WriterLock(path):
        assert holder(path).startswith(f"process {os.getpid()} on")
