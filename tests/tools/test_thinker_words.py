"""How a thought becomes few messages, what instinct's answer is read as, and how foreign text is quoted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.instinct import read
from memory.defang import links_in
from memory.markdown import escaped
from memory.verdict import HELD_WHEN_UNREAD, by_rule
from memory.verdict import read as read_verdict
from tools.thinker import PIECES_MAX, in_pieces

LONG = "a sentence that goes on for a while, " * 8


def test_long_paragraphs_become_messages_of_their_own() -> None:
    assert in_pieces(f"{LONG}\n\n{LONG}\n\n{LONG}") == [LONG, LONG, LONG]


def test_short_paragraphs_stay_together() -> None:
    assert in_pieces("Yes.\n\nOn Monday.") == ["Yes.\n\nOn Monday."]


def test_code_is_never_torn() -> None:
    code = f"```\n{LONG}\n\n{LONG}\n```"
    assert in_pieces(f"{LONG}\n\n{code}") == [LONG, code]


@given(st.lists(st.text(alphabet="ab`\n ", max_size=400), max_size=12))
def test_pieces_are_few_and_lose_no_letter(paragraphs: list[str]) -> None:
    text = "\n\n".join(paragraphs)
    pieces = in_pieces(text)
    assert len(pieces) <= PIECES_MAX
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_link_that_the_owner_brought_is_known_as_theirs() -> None:
    assert links_in("see https://a.example/x, and (http://b.example).") == {"https://a.example/x", "http://b.example"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure!",
        "{}",
        '{"reply": 1, "needs_thought": true}',
        '{"reply": "x"}',
        "[1]",
        '{"reply": "x", "needs',
        "null",
    ],
)
def test_what_is_no_answer_of_instinct_is_shown_to_nobody(text: str) -> None:
    felt = read(text)
    assert (felt.reply, felt.needs_thought) == ("", True)


def test_an_answer_of_instinct_is_read_also_inside_a_fence() -> None:
    felt = read('```json\n{"reply": " On it. ", "needs_thought": true}\n```')
    assert (felt.reply, felt.needs_thought) == ("On it.", True)


def test_a_refusal_is_no_reply() -> None:
    assert read(json.dumps({"reply": "x", "needs_thought": False}), stop="refused").reply == ""


@pytest.mark.parametrize(
    "text", ["", "urgent!", '{"verdict": "scream", "consequence": 1, "reason": "x"}', '{"verdict": "notify"}']
)
def test_a_judgement_that_can_not_be_read_holds(text: str) -> None:
    assert read_verdict(text) == HELD_WHEN_UNREAD


def test_a_consequence_stays_within_its_bounds() -> None:
    assert read_verdict('{"verdict": "notify", "consequence": 7, "reason": "x"}').consequence == 1.0


@pytest.mark.parametrize(
    ("mail", "what"),
    [
        ({"from": "Shop <news@shop.example>", "subject": "Sale", "snippet": "unsubscribe here"}, "log"),
        ({"from": "no-reply@pay.example", "subject": "Receipt", "snippet": ""}, "log"),
        ({"from": "Jonas <jonas@partner.example>", "subject": "the server is on fire", "snippet": "now"}, "hold"),
    ],
    ids=["newsletter", "robot", "a person"],
)
def test_a_rule_alone_never_interrupts(mail: dict[str, str], what: str) -> None:
    assert by_rule(mail).what == what


@given(st.text(max_size=200))
def test_quoted_text_can_neither_format_nor_start_a_line(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert shown.replace("\\", "") == " ".join(text.split()).replace("\\", "")
