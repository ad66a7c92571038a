"""Plain words as Markdown: shown as they are, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.loop import TITLE_MAX, title_of
from memory.markdown import escaped, marks

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60)
SIGNS = st.text("-=+*_`~#>|&[](){}<>!.:;1 a\\\n", min_size=1, max_size=20)


def seen(markdown: str) -> str:
    """What a reader sees of it; fails when anything but text stands in it."""
    found = [mark for mark in marks(markdown) if mark.kind not in {"Start", "End"} or mark.name != "Paragraph"]
    assert {mark.kind for mark in found} <= {"Text"}
    return "".join(str(mark.data) for mark in found)


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] x",
        "1. x",
        "2) x",
        "# x",
        "===",
        "---",
        "&lt;b&gt;",
        "a_b_c",
        "**x**",
        "[a](b)",
        "~~x~~",
        "| a |",
        "<b>x</b>",
    ],
)
def test_signs_are_shown_as_they_are(text: str) -> None:
    assert seen(escaped(text)) == text


@given(WORDS | SIGNS)
def test_no_words_can_format(text: str) -> None:
    flat = " ".join(text.split())
    assert seen(escaped(text)) == flat


@given(WORDS | SIGNS)
def test_in_an_item_of_a_list_no_words_begin_another_block(text: str) -> None:
    names = [mark.name for mark in marks(f"- {escaped(text)}\n- b") if mark.kind == "Start"]
    assert [name for name in names if name not in {"Paragraph"}] == ["List", "Item", "Item"]


@given(st.text(max_size=400))
def test_a_title_is_one_line_and_bounded(text: str) -> None:
    title = title_of(text)
    assert len(title) <= TITLE_MAX
    assert title.splitlines() in ([], [title])
