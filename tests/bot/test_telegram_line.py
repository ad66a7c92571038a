"""The line: what an answer, or its absence, says about the request; and a token that is never spelled out."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import quote

import httpx
import pytest
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, TelegramError

from bot.log import quiet
from bot.secrets import HIDDEN, redact
from bot.telegram.faults import AnswerLost, NotSent, NotTelegram, ServerFault, SlowDown, shown_or_not
from bot.telegram.line import Pool, cut, refuse
from bot.telegram.token import bot_id
from tests.bot.telegram_room import BOT_ID, TOKEN
from tools.chat import MaybeShown, NotShown

HTML = b"<html><body>502 Bad Gateway</body></html>"


def refusal(code: int, description: str = "x", **parameters: object) -> bytes:
    return json.dumps({"ok": False, "error_code": code, "description": description, "parameters": parameters}).encode()


@pytest.mark.parametrize(
    ("code", "payload", "kind"),
    [
        (502, HTML, NotTelegram),
        (502, refusal(502, "Bad Gateway"), NotTelegram),
        (503, refusal(503, "Service Unavailable"), NotTelegram),
        (504, b"", NotTelegram),
        (403, HTML, NotTelegram),
        (302, b"", NotTelegram),
        (400, b"[1]", NotTelegram),
        (500, refusal(500, "Internal Server Error"), ServerFault),
        (500, refusal(500, "Internal Server Error: restart"), NotTelegram),
        (500, refusal(500, "Request aborted"), NotTelegram),
        (429, refusal(429, retry_after=7), SlowDown),
        (429, refusal(429), SlowDown),
        (429, HTML, NotTelegram),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else str(value)[:60],
)
def test_an_answer_that_says_no_is_told_apart(code: int, payload: bytes, kind: type[TelegramError]) -> None:
    with pytest.raises(kind):
        refuse(code, payload)


@pytest.mark.parametrize(("code", "payload"), [(200, HTML), (400, refusal(400)), (403, refusal(403))])
def test_what_the_library_can_tell_apart_is_left_to_it(code: int, payload: bytes) -> None:
    refuse(code, payload)


@pytest.mark.parametrize(("asked", "kept"), [(7, 7), (0, 1), ("soon", 1), (None, 1)])
def test_the_wait_that_telegram_asks_for_is_read(asked: object, kept: int) -> None:
    with pytest.raises(SlowDown) as caught:
        refuse(429, refusal(429, retry_after=asked))
    assert caught.value.retry_for == timedelta(seconds=kept)


@pytest.mark.parametrize("payload", [b"", HTML, b"[]", b'{"ok":true}', b'{"ok":true,"result":', b"[" * 100_000])
def test_an_answer_that_is_none_of_telegrams_is_a_lost_one(payload: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(NotTelegram):
        Pool.parse_json_payload(payload)
    assert not caplog.records


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (httpx.ConnectError("refused"), NotSent),
        (httpx.ConnectTimeout("slow"), NotSent),
        (httpx.PoolTimeout("busy"), NotSent),
        (httpx.ReadTimeout("slow"), AnswerLost),
        (httpx.ReadError("reset"), AnswerLost),
        (httpx.WriteError("reset"), AnswerLost),
        (httpx.WriteTimeout("slow"), AnswerLost),
        (httpx.RemoteProtocolError("cut"), AnswerLost),
        (None, AnswerLost),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else type(value).__name__,
)
def test_only_what_never_left_counts_as_not_sent(cause: Exception | None, kind: type[TelegramError]) -> None:
    error = NetworkError("x")
    error.__cause__ = cause
    assert type(cut(error)) is kind


@pytest.mark.parametrize(
    ("error", "kind", "for_good"),
    [
        (NotSent("x"), NotShown, False),
        (ServerFault("x"), NotShown, False),
        (SlowDown(timedelta(seconds=3)), NotShown, False),
        (InvalidToken("x"), NotShown, False),
        (Forbidden("x"), NotShown, True),
        (BadRequest("x"), NotShown, True),
        (ChatMigrated(5), NotShown, True),
        (AnswerLost("x"), MaybeShown, None),
        (NotTelegram("x"), MaybeShown, None),
        (NetworkError("x"), MaybeShown, None),
        (TelegramError("x"), MaybeShown, None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_what_is_not_certain_is_in_doubt(error: TelegramError, kind: type[Exception], for_good: bool | None) -> None:
    found = shown_or_not(error)
    assert type(found) is kind
    assert getattr(found, "for_good", None) == for_good


# --- the token ---


def test_the_bots_id_stands_in_its_token() -> None:
    assert bot_id(TOKEN) == BOT_ID


@pytest.mark.parametrize(
    "text",
    [
        f"POST https://api.telegram.org/bot{TOKEN}/sendMessage",
        f"https://api.telegram.org/file/bot{TOKEN}/photos/a.jpg",
        f"url=https%3A%2F%2Fx%2Fbot{quote(TOKEN, safe='')}%2FgetMe",
        f"The token `{TOKEN}` was rejected by the server.",
        "987654321:AAF-someone-elses_token_0123456789abc",
        "987654321%3AAAF-someone-elses_token_0123456789abc",
    ],
)
def test_a_token_is_redacted_in_every_spelling(text: str) -> None:
    hidden = redact(text, [TOKEN])
    assert HIDDEN in hidden
    assert TOKEN.partition(":")[2] not in hidden
    assert "someone-elses" not in hidden


def test_other_secrets_are_redacted_and_other_words_are_not() -> None:
    assert redact("key=sk/live+1 and sk%2Flive%2B1", ["sk/live+1", ""]) == f"key={HIDDEN} and {HIDDEN}"
    plain = "at 12:30 in room 4711: see https://example.org/a:b"
    assert redact(plain, [TOKEN]) == plain


@pytest.fixture
def _levels() -> Iterator[None]:
    names = ("telegram", "httpx", "httpx2", "httpcore", "httpcore2")
    before = {name: logging.getLogger(name).level for name in names}
    yield
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.usefixtures("_levels")
def test_libraries_that_log_addresses_are_quiet() -> None:
    quiet()
    assert not logging.getLogger("httpx").isEnabledFor(logging.INFO)
    assert not logging.getLogger("httpcore.http11").isEnabledFor(logging.DEBUG)
