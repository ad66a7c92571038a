"""What a stranger wrote, in a line of ours: it is seen as it is, and does nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.foreign import foreign, inert
from memory.markdown import marks

PLAIN = (
    "Anna Winter",
    "Invoice 2026-17 is due",
    "Kostet 5 € – 20 % Rabatt!",
    "what's up?",
    "and/or",
    "3/4",
    "z.B. morgen",
    "Vertrag.pdf",
)


@pytest.mark.parametrize("words", PLAIN)
def test_plain_words_stay_as_they_are(words: str) -> None:
    assert inert(words) == words


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("see https://evil.example/x now", "see hxxps://evil[.]example/x now"),
        ("see www.evil.example", "see www[.]evil[.]example"),
        ("go to evil.com.", "go to evil[.]com."),
        ("go to sub.evil.co.uk today", "go to sub[.]evil[.]co[.]uk today"),
        ("setup.sh", "setup[.]sh"),
        ("t.me/evilbot", "t[.]me/evilbot"),
        ("write @evilbot", "write (at)evilbot"),
        ("(@evilbot)", "((at)evilbot)"),
        ("tap /forget", "tap / forget"),
        ("/stop@some_bot", "/ stop@some_bot"),
        ("tg://resolve?domain=evil", "tg[:]//resolve?domain=evil"),
    ],
)
def test_what_a_chat_would_make_tappable_is_dead(words: str, shown: str) -> None:
    assert inert(words) == shown


def test_a_mail_address_stays_whole() -> None:
    assert inert("Anna (anna@winter.example)") == "Anna (anna@winter.example)"


@pytest.mark.parametrize("sign", ["\u200b", "\u202e", "\u2066", "\U000e0041", "\u00ad", "\x07", "\u3164", "\u2800"])
def test_what_an_eye_would_miss_is_left_out(sign: str) -> None:
    assert inert(f"An{sign}na") == "Anna"


@pytest.mark.parametrize("words", ["a\nb", "a\r\n\r\nb", "a\u2028b", "a\x85b", "a\tb"])
def test_foreign_words_have_no_line_of_their_own(words: str) -> None:
    assert inert(words) == "a b"


MARKUP = [
    "**bold**", "_If it waits:_ nothing", "`code`", "[label](https://evil.example)", "![x](https://evil.example/x.png)",
    "<b>x</b>", "<https://evil.example>", "~~gone~~", "# Title", "- item", "1. item", "> quotation", "||spoiler||", "| a | b |",
    "&lt;b&gt;", "\\*x\\*", "```\ncode\n```", "[x]: https://evil.example", "---", "***",
]  # fmt: skip


@pytest.mark.parametrize("words", MARKUP)
def test_foreign_words_can_neither_format_nor_link(words: str) -> None:
    read = list(marks(foreign(words, 200)))
    assert {mark.name for mark in read if mark.kind == "Start"} <= {"Paragraph"}
    assert {mark.kind for mark in read} <= {"Start", "End", "Text"}
    assert "".join(str(mark.data) for mark in read if mark.kind == "Text") == inert(words)


@given(st.text(max_size=80))
def test_no_text_at_all_can_format_or_break_out_of_its_line(words: str) -> None:
    shown = foreign(words, 60)
    assert "\n" not in shown
    assert {mark.kind for mark in marks(shown)} <= {"Start", "End", "Text"}
    assert {mark.name for mark in marks(shown) if mark.kind == "Start"} <= {"Paragraph"}


def test_long_words_are_cut_with_a_sign_that_they_are() -> None:
    assert foreign("x" * 50, 10) == "x" * 9 + "…"
    assert foreign("short", 10) == "short"
