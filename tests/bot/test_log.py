"""The log: facts with their data beside them, and never a secret, wherever it stands."""

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from bot.log import QUIET, redaction, start
from bot.secrets import HIDDEN, Secrets, redact
from tools.vault import Vault

SECRET = "700100:AAH-not-a-real-token"
OTHER = "sk-ant-not-a-real-key"
BLOT = redact("x", ("x",))


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in QUIET}
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
            stream = getattr(handler, "stream", None)
            if isinstance(stream, io.TextIOWrapper) and Path(str(stream.name)).suffix == ".log":
                stream.close()
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, before in levels.items():
        logging.getLogger(name).setLevel(before)
    structlog.reset_defaults()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "stillbell.log"
    start(level="info", secrets=(SECRET, OTHER), file=path)
    return path


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


class Odd:
    """A thing whose words hold a secret."""

    def __repr__(self) -> str:
        return f"<Odd {SECRET}>"


PLACES: dict[str, Any] = {
    "text": f"https://api.telegram.org/bot{SECRET}/getMe",
    "list": ["a", [SECRET]],
    "tuple": ("a", SECRET),
    "set": {SECRET},
    "mapping": {"a": {"b": SECRET}},
    "key": {SECRET: 1},
    "bytes": SECRET.encode(),
    "object": Odd(),
    "error": ValueError(SECRET),
    "path": Path("/bot") / SECRET,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_blotted_out_wherever_it_stands(file: Path, place: str) -> None:
    structlog.get_logger().info("asked", where=PLACES[place], both=f"{SECRET} and {OTHER}")
    (line,) = lines(file)
    assert SECRET not in file.read_text()
    assert OTHER not in file.read_text()
    assert line["both"] == f"{BLOT} and {BLOT}"
    assert BLOT in json.dumps(line["where"], ensure_ascii=False)


def test_a_secret_in_the_event_and_in_what_was_bound_is_blotted_out(file: Path) -> None:
    with structlog.contextvars.bound_contextvars(job=SECRET):
        structlog.get_logger().warning(f"about {SECRET}")
    (line,) = lines(file)
    assert (line["event"], line["job"], line["level"]) == (f"about {BLOT}", BLOT, "warning")


def _fail() -> None:
    raise RuntimeError(f"because of {OTHER}") from ValueError(f"no such bot: {SECRET}")


def test_a_secret_in_an_exception_and_its_cause_is_blotted_out(file: Path) -> None:
    try:
        _fail()
    except RuntimeError:
        structlog.get_logger().exception("failed")
    (line,) = lines(file)
    assert f"RuntimeError: because of {BLOT}" in line["exception"]
    assert f"ValueError: no such bot: {BLOT}" in line["exception"]
    assert SECRET not in file.read_text()


def test_other_libraries_are_blotted_too(file: Path) -> None:
    other = logging.getLogger("some.library")
    other.warning("GET %s", SECRET)
    try:
        _fail()
    except RuntimeError:
        other.exception("trouble with %s", OTHER)
    assert [line["event"] for line in lines(file)] == [f"GET {BLOT}", f"trouble with {BLOT}"]
    assert SECRET not in file.read_text()
    assert OTHER not in file.read_text()


@pytest.mark.parametrize("name", ["httpx", "httpcore", "telegram", "anthropic"])
def test_libraries_that_tell_addresses_with_tokens_are_quiet(file: Path, name: str) -> None:
    logging.getLogger(f"{name}.inner").info("HTTP Request: POST https://example.org/bot1:x/sendMessage")
    logging.getLogger(f"{name}.inner").warning("something is wrong")
    assert [line["event"] for line in lines(file)] == ["something is wrong"]


def test_a_line_is_one_fact_with_its_data(file: Path) -> None:
    structlog.get_logger().info("job done", action="job.done", job=7, took_s=0.5, none=None, yes=True)
    (line,) = lines(file)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "job done",
        "level": "info",
        "action": "job.done",
        "job": 7,
        "took_s": 0.5,
        "none": None,
        "yes": True,
    }


def test_what_is_below_the_level_is_not_logged(file: Path) -> None:
    structlog.get_logger().debug("detail")
    assert lines(file) == []


def test_letters_stand_as_themselves(file: Path) -> None:
    structlog.get_logger().info("Grüße")
    assert "Grüße" in file.read_text()


def test_without_secrets_everything_stands_as_it_was() -> None:
    event = {"event": "a", "n": 1, "l": [1, "b"], "m": {"k": None}}
    assert redaction(())(None, "info", dict(event)) == event


def test_what_is_put_into_the_vault_later_is_blotted_out_from_then_on(tmp_path: Path) -> None:
    path, vault = tmp_path / "stillbell.log", Vault(tmp_path / "secrets")
    start(level="info", secrets=Secrets((SECRET,), vault), file=path)
    vault.put("work", "a-password-of-later")
    vault.put("home.json", json.dumps({"refresh_token": "a-token-of-later", "token_uri": "https://example.org"}))
    structlog.get_logger().info("signed in", said=f"{SECRET} a-password-of-later a-token-of-later https://example.org")
    vault.drop("work")
    structlog.get_logger().info("gone", said="a-password-of-later")
    text = path.read_text()
    assert text.count(HIDDEN) == 4
    assert "of-later" not in text
    assert "https://example.org" in text
