"""What the fuzzer found once: odd numbers, deep nesting and half characters are answered, never raised."""

from pathlib import Path

import pytest

from bot.settings import load
from bot.telegram.reading import Heard, admit
from handlers.instinct import read as read_instinct
from memory.errors import BadInput
from memory.readable import in_words
from memory.verdict import HELD_WHEN_UNREAD
from memory.verdict import read as read_verdict
from tools.files.html import read_html
from tools.files.mail import read_mail
from tools.provider import custom

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "page",
    [
        "<html style='display:none'><body>words</body></html>",
        f"<p style='color:rgb(1{'0' * 400},0,0)'>words</p>",
        f"<p style='color:hsl(1{'0' * 400},50%,50%)'>words</p>",
    ],
    ids=["a hidden root", "an endless red", "an endless hue"],
)
def test_a_page_is_read_whatever_its_style_says(page: str) -> None:
    mail = read_mail(f"From: a@b.example\nContent-Type: text/html\n\n{page}".encode())
    assert mail.text == read_html(page).text
    assert ("words" in mail.text) is ("display:none" not in page)


def test_deep_nesting_is_no_answer_of_a_model() -> None:
    assert read_instinct(f'{{"reply": {DEEP}}}').reply == ""
    assert read_verdict(f'{{"verdict": {DEEP}}}') == HELD_WHEN_UNREAD
    assert read_verdict('{"verdict": "hold", "consequence": 1e999, "reason": "x"}').consequence == 1.0


def test_a_half_character_in_an_answer_can_be_kept() -> None:
    read_instinct('{"reply": "a\\ud83d", "needs_thought": false}').reply.encode()
    read_verdict('{"verdict": "hold", "consequence": 1, "reason": "a\\ud83d"}').reason.encode()


def test_a_place_beyond_the_earth_is_left_out() -> None:
    place = {"media": {"kind": "location", "details": {"latitude": 10**400, "longitude": 13.4}}}
    assert "13.4" in in_words(place, "en")


def test_an_update_with_half_a_number_can_be_kept() -> None:
    found = admit({"update_id": "\ud83d", "message": {"from": {"id": 1}}}, owner_telegram_id=1, bot_id=7)
    if isinstance(found, Heard):
        found.signal.source_id.encode()


def test_settings_that_are_not_utf_8_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.env").write_bytes("STILLBELL_MODEL=für\n".encode("latin-1"))
    monkeypatch.setenv("STILLBELL_HOME", str(tmp_path))
    with pytest.raises(BadInput, match="UTF-8"):
        load()


def test_an_address_with_an_open_bracket_is_refused_in_words() -> None:
    with pytest.raises(BadInput):
        custom("//[")
