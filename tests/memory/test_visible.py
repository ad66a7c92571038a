"""Visible: nothing is left that an eye would miss, and nothing is lost."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.legible import legible
from memory.markdown import marks
from memory.quotation import BAR, BAR_ON, ROW_MAX, barred, coded, without_bars
from memory.visible import hides_something, is_one_line, revealed, revealed_body

ANY = st.text(st.characters(exclude_characters="\n"), max_size=20) | st.text(
    "` a\u200b\u202e⟨⟩U+20BE│┆*_~#\\<>[]&", max_size=20
)


def undone(text: str) -> str:
    return re.sub(r"⟨U\+([0-9A-F]{4,6})⟩", lambda found: chr(int(found[1], 16)), text)


@pytest.mark.parametrize("reveal", [revealed, revealed_body])
@given(text=ANY)
def test_attack_08_spelling_out_is_one_to_one(reveal: object, text: str) -> None:
    assert callable(reveal)
    seen = reveal(text)
    assert undone(seen) == text
    assert not hides_something(seen)
    assert is_one_line(seen)
    assert legible(seen) == seen
    assert not seen.endswith(" ")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("invoice\u202efdp.exe", "invoice⟨U+202E⟩fdp.exe"),
        ("a\u200bb", "a⟨U+200B⟩b"),
        ("a\U000e0041", "a⟨U+E0041⟩"),
        ("a\ufe0f", "a⟨U+FE0F⟩"),
        ("\u3164", "⟨U+3164⟩"),
        ("a\u2800b", "a⟨U+2800⟩b"),
        ("a\xa0b", "a⟨U+00A0⟩b"),
        ("a\tb", "a⟨U+0009⟩b"),
        ("⟨U+200B⟩", "⟨U+27E8⟩U+200B⟩"),
        ("a\u030a", "a⟨U+030A⟩"),
        ("\u0301a", "⟨U+0301⟩a"),
        ("a" + "\u0301" * 5, "a" + "\u0301" * 3 + "⟨U+0301⟩" * 2),
        ("naïve – Ärger, 日本語, 👍", "naïve – Ärger, 日本語, 👍"),
    ],
    ids=ascii,
)
def test_attack_08_what_hides_is_spelled_out(text: str, seen: str) -> None:
    assert revealed(text) == revealed_body(text) == seen


def test_in_a_field_no_gap_can_push_words_out_of_sight() -> None:
    assert revealed(" a  b ") == "⟨U+0020⟩a ⟨U+0020⟩b⟨U+0020⟩"
    assert revealed_body("  a  b ") == "  a  b⟨U+0020⟩"


@given(ANY)
def test_attack_07_a_field_stays_in_its_code_span(text: str) -> None:
    span = coded(text)
    found = [mark for mark in marks(f"**To:** {span} · x") if mark.kind not in {"Start", "End"}]
    if text:
        assert [mark.kind for mark in found] == ["Text", "Text", "Code", "Text"]
        assert found[2].data == revealed(text)
    else:
        assert span == ""


TEXTS = st.lists(ANY | st.text("ab ", min_size=350, max_size=900), max_size=4).map("\n".join)


@given(TEXTS)
@example("```\n**To:** `x`")
def test_attack_07_a_text_stays_in_its_fence_and_every_row_bears_a_bar(text: str) -> None:
    fence, *rows, end = barred(text)
    assert fence == end
    assert set(fence) == {"`"}
    for row in rows:
        assert row.startswith((BAR, BAR_ON)) or row == BAR.rstrip()
        assert len(row) <= ROW_MAX + len(BAR)
        assert fence not in row
    kinds = [
        mark.name for mark in marks("\n".join(["**Text**", fence, *rows, end, "**Why:** x"])) if mark.kind == "Start"
    ]
    assert kinds == ["Paragraph", "Strong", "CodeBlock", "Paragraph", "Strong"]


@given(TEXTS)
def test_what_is_copied_from_a_card_comes_back_as_it_was(text: str) -> None:
    _, *rows, _ = barred(text)
    assert undone(without_bars("\n".join(rows))) == text


def test_other_text_is_not_touched() -> None:
    assert without_bars("Dear Anna,\n│ x") == "Dear Anna,\n│ x"
    assert without_bars("│x") == "│x"
