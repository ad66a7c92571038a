import re
import time

import pytest
import telegram
from aiogram import Bot
from aiogram.methods import SendMessage
from aiogram.types import MessageEntity as OtherEntity
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from teremok.validation import validate_method

from bot.telegram.drawing import draw, plain, to_telegram
from bot.telegram.splitting import Chunk, Entity
from memory.defang import defang
from tests.bot.telegram_rules import broken_rules, covered, holds, letters


def shown(markdown: str) -> str:
    return "\n".join(chunk.text for chunk in draw(markdown))


def marked(markdown: str, type_: str) -> list[str]:
    return [text for chunk in draw(markdown) for text in covered(chunk, type_)]


# Markup


@pytest.mark.parametrize(
    ("markdown", "type_", "text"),
    [
        ("a **bold** word", "bold", "bold"),
        ("an *italic* word", "italic", "italic"),
        ("~~gone~~", "strikethrough", "gone"),
        ("`code`", "code", "code"),
        ("# Head", "bold", "Head"),
        ("> said\n> so", "blockquote", "said\nso"),
        ("[label](https://a.example/x)", "text_link", "label"),
        ("[open](tg://resolve?domain=someone)", "text_link", "open"),
    ],
    ids=["bold", "italic", "strike", "code", "heading", "quote", "web link", "app link"],
)
def test_markup_becomes_an_entity(markdown: str, type_: str, text: str) -> None:
    assert marked(markdown, type_) == [text]


def test_a_heading_gets_no_sign_of_its_own() -> None:
    assert [shown(f"{'#' * level} Head") for level in range(1, 7)] == ["Head"] * 6


def test_a_code_block_keeps_its_language_alone() -> None:
    assert draw("```python title=x.py\na = 1\n```")[0].entities == (Entity("pre", 0, 5, language="python"),)


def test_a_code_block_in_a_list_has_lines_of_its_own() -> None:
    assert shown("- item\n  ```\n  code\n  ```\n  after") == "• item\ncode\nafter"


def test_code_keeps_its_tabs_as_four_columns() -> None:
    assert shown("```\nif x:\n\ta\n\t\tb\n```") == "if x:\n    a\n        b"


def test_tasks_show_whether_they_are_done() -> None:
    assert shown("- [x] one\n- [ ] two") == "☑ one\n☐ two"


def test_a_long_quotation_is_not_folded_away() -> None:
    assert marked("> " + "word " * 200, "blockquote") == [" ".join(["word"] * 200)]


def test_offsets_count_utf_16_units() -> None:
    assert draw("😀 **😀**")[0].entities == (Entity("bold", 3, 2),)


# 1: HTML and other marks stand for themselves


@pytest.mark.parametrize(
    "markdown",
    [
        "run <name>",
        "<script>\nalert(1)\n</script>",
        "<details>\n<summary>more</summary>\n</details>",
        "<b>",
        "a <!-- note --> b",
        "<?php echo 1 ?>",
        "x](<b>)",
        "a </p> b",
    ],
    ids=["placeholder", "script", "details", "tag alone", "comment", "instruction", "no pointed target", "end tag"],
)
def test_html_is_shown_as_it_was_written(markdown: str) -> None:
    assert shown(markdown) == markdown


def test_markup_between_html_lines_is_still_drawn() -> None:
    assert marked("<details>\n<summary>**more**</summary>\n\n`code`\n</details>", "bold") == ["more"]


@pytest.mark.parametrize(
    "code", ["`a <b> $x$ ||y|| 2*3*4 \\$`", "```\na <b> $x$ ||y|| 2*3*4 \\$\n```"], ids=["span", "block"]
)
def test_nothing_is_escaped_in_code(code: str) -> None:
    assert shown(code) == "a <b> $x$ ||y|| 2*3*4 \\$"


def test_an_address_in_angle_brackets_stays_a_link() -> None:
    assert marked("<https://a.example/x>", "text_link") == ["https://a.example/x"]


def test_a_target_in_angle_brackets_stays_a_target() -> None:
    assert marked("[a](<https://a.example/x>)", "text_link") == ["a"]
    assert shown("[a](<b c>)") == "a (b c)"


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24",
        "width*height*depth",
        "$5 and $6, or $a$",
        "~5 to ~6 kg",
        "a || b || c",
        "snake_case_name",
        "https://a.example/_x_/y",
    ],
    ids=["product", "words", "money", "about", "or", "snake", "address"],
)
def test_marks_that_mean_no_markup_are_left_alone(text: str) -> None:
    assert draw(text) == (Chunk(text),)


def test_what_is_escaped_already_is_not_escaped_twice() -> None:
    assert shown(r"\<b> \$5 \~ 2\*3\*4") == "<b> $5 ~ 2*3*4"


# 2: no letters are lost


@pytest.mark.parametrize(
    "markdown",
    ["| a |\n|---|\n| b | lost |", "```", "``` hello", "**a**\n\n``` hello", "[a]: x\n[A]: lost\n\n[a]"],
    ids=["cell beyond the header", "fence", "fence with words", "fence at the end", "definition given twice"],
)
def test_a_text_that_would_lose_something_is_sent_as_it_is(markdown: str) -> None:
    assert draw(markdown) == (Chunk(markdown),)


def test_a_definition_nobody_refers_to_is_shown() -> None:
    assert shown("[TODO]: call\n\nand **go**") == "[TODO]: call\n\nand go"


def test_a_failing_converter_costs_the_markup_and_not_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise IndexError

    monkeypatch.setattr("bot.telegram.drawing.convert", fail)
    assert draw("a **b**") == (Chunk("a **b**"),)


def test_a_definition_that_is_referred_to_is_a_link_and_no_text() -> None:
    (chunk,) = draw("see [Plan A]\n\n[plan  a]: https://a.example/x")
    assert chunk == Chunk("see Plan A", (Entity("text_link", 4, 6, url="https://a.example/x"),))


def test_an_empty_cell_stays_a_cell() -> None:
    assert marked("| a | b | c |\n|---|---|---|\n| d || e |", "pre") == ["a | b | c\n--+---+--\nd |   | e"]


def test_entity_references_are_no_lost_letters() -> None:
    assert marked("a &amp; **b** &copy;", "bold") == ["b"]


# 3: links


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("[a](javascript:x)", "a (javascript:x)"),
        ("[a](http://localhost:3000/x)", "a (http://localhost:3000/x)"),
        ("[a](/x)", "a (/x)"),
        ("[a](mailto:b@c.example)", "a (b@c.example)"),
        ("[a](https://bank.example@evil.example/)", "a (https://bank.example@evil.example/)"),
        ("[a](https://a.example:99999/)", "a (https://a.example:99999/)"),
        ("[a](ftp://a.example)", "a (ftp://a.example)"),
        ("[a](data:image/png;base64," + "A" * 900 + ")", "a (data:image/png;base64," + "A" * 178 + "…)"),
        ("<ftp://a.example>", "ftp://a.example"),
        ("<b@c.example>", "b@c.example"),
        ("**[a](/x)** then *b*", "a (/x) then b"),
        ("![](https://a.example/p.png) [](/x)", "https://a.example/p.png /x"),
    ],
    ids=[
        "script",
        "host without a dot",
        "relative",
        "mail",
        "name before the host",
        "port",
        "other scheme",
        "long",
        "same label",
        "mail address",
        "inside bold",
        "no label",
    ],
)  # fmt: skip
def test_what_cannot_be_a_link_is_written_out(markdown: str, text: str) -> None:
    assert shown(markdown) == text
    assert marked(markdown, "text_link") == []


def test_a_link_in_a_table_is_written_out() -> None:
    assert "b (https://c.example/d_e)" in shown("| a |\n|---|\n| [b](https://c.example/d_e) |")


def test_entities_after_a_target_that_is_written_out_stay_in_place() -> None:
    assert marked("[a](/x) then *b* and [c](/y) **d**", "italic") == ["b"]
    assert marked("[a](/x) then *b* and [c](/y) **d**", "bold") == ["d"]
    assert marked("[a](/x)*b*", "italic") == ["b"]


def test_a_picture_in_a_link_leads_where_the_link_does() -> None:
    assert [entity.url for entity in draw("[![a](https://i.example/p)](https://l.example/)")[0].entities] == [
        "https://l.example/"
    ]


# 4 and 5: chunks, and every input


def test_a_code_block_longer_than_a_message_goes_on_in_the_next_with_its_language() -> None:
    chunks = draw("```python\n" + "line = 1\n" * 1000 + "```")
    assert [entity.language for chunk in chunks for entity in chunk.entities] == ["python"] * 3


def test_a_hundred_and_one_bold_words_make_two_messages() -> None:
    assert [len(chunk.entities) for chunk in draw("**a** " * 101)] == [100, 1]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x00b", "ab"),
        ("a\x1b[1mb", "a[1mb"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a \ud800 b", "a \ufffd b"),
        ("\ud83d\ude00", "😀"),
        ("a\u202eb", "ab"),
        ("a\u030a", "å"),
        ("a\u2028b", "a\nb"),
        ("a\u0333b", "ab"),
    ],
    ids=["nul", "escape", "line ends", "lone surrogate", "pair", "override", "ring", "line separator", "line below"],
)
def test_characters_that_no_message_can_hold_are_dropped_or_replaced(text: str, seen: str) -> None:
    assert [chunk.text for chunk in draw(text)] == [seen]
    assert [chunk.text for chunk in plain(text)] == [seen]


@pytest.mark.parametrize("text", ["", " \n", "\x00", "\u200b"], ids=["empty", "blank", "nul", "zwsp"])
def test_nothing_to_see_gives_no_chunk(text: str) -> None:
    assert draw(text) == plain(text) == ()


def test_plain_text_has_no_markup_at_all() -> None:
    assert plain("**a** `b` [c](https://d.example)") == (Chunk("**a** `b` [c](https://d.example)"),)


def test_telegram_gets_text_and_its_own_entities() -> None:
    text, entities = to_telegram(Chunk("ab", (Entity("pre", 0, 1, language="py"), Entity("text_link", 1, 1, url="u"))))
    assert text == "ab"
    assert [entity.to_dict() for entity in entities] == [
        {"type": "pre", "offset": 0, "length": 1, "language": "py"},
        {"type": "text_link", "offset": 1, "length": 1, "url": "u"},
    ]
    assert all(isinstance(entity, telegram.MessageEntity) for entity in entities)


@pytest.mark.parametrize(
    "text",
    ["Some *words* and `code` for [you](https://a.example/).\n" * 4000, "word " * 40000, "*" * 200000, "<a" * 100000],
    ids=["markup", "words", "stars", "tags"],
)
def test_time_grows_with_the_text_and_no_faster(text: str) -> None:
    # Quadratic work on this would take minutes; the bound leaves room for a busy machine.
    began = time.process_time()
    draw(text)
    assert time.process_time() - began < 3


# Soup

TOKENS = [
    "word", "Zahl7", " ", "  ", "\n", "\n\n", "\t", "*", "**", "***", "_", "__", "~", "~~", "`", "``", "```", "```py\n", "\n```\n",
    "[", "]", "(", ")", "](", "[a](", "[x]: ", "![", "<", ">", "<b>", "</b>", "<!--", "<https://a.example/>", "https://b.example/_c_",
    "> ", "- ", "1. ", "- [ ] ", "# ", "|", "||", "\n|---|---|\n", "| a | b |\n", "\\", "$", "&amp;", "&#0;", "---\n", "\u200b", "\x00", "\ud800",
    "😀", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "[l](https://c.example/)", "[m](/n)", "[](o)", "    ", "\r\n", "\u202e",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(TOKENS), max_size=60).map("".join)
# Each carries its letters in sight, whatever stands around it.
SIGHTED = {
    "word1 ": "word1", "**bold2** ": "bold2", "*it3* ": "it3", "`code4` ": "code4", "~~old5~~ ": "old5", "[lab6](https://d.example/) ": "lab6",
    "[bad7](/t) ": "bad7", "![pic8](https://e.example/p.png) ": "pic8", "<tag9> ": "tag9", "</end10>\n": "end10", "\n<div11>\n": "div11",
    "\n\n```py\ncode12\n```\n\n": "code12", "\n\n> said13\n\n": "said13", "\n\n# head14\n\n": "head14", "\n- item15\n": "item15",
    "\n\n| a16 | b17 |\n|---|---|\n| c18 | d19 |\n\n": "a16b17c18d19", "$m20$ ": "m20", "||s21|| ": "s21", "ü22*ü23*ü24 ": "ü22ü23ü24",
    "&lt;x25> ": "x25", "**": "", "_": "", "\n": "", "\n\n    ind26\n\n": "ind26",
}  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(SOUP)
def test_any_soup_of_markdown_makes_messages_that_telegram_takes(soup: str) -> None:
    for chunk in (*draw(soup), *plain(soup), *draw(soup * 60)):
        assert broken_rules(chunk) == []


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(sorted(SIGHTED)), max_size=40))
def test_every_letter_in_sight_is_drawn(tokens: list[str]) -> None:
    drawn = "".join(chunk.text for chunk in draw("".join(tokens)))
    assert holds(drawn, "".join(SIGHTED[token] for token in tokens))


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text())
def test_plain_text_keeps_every_letter(text: str) -> None:
    chunks = plain(text)
    assert [rule for chunk in chunks for rule in broken_rules(chunk)] == []
    assert letters("".join(chunk.text for chunk in chunks)) == letters(text)


LETTER = """# Monday

Good morning. **Two things** need you, and _one_ can wait:

1. The contract with [Nord & Co](https://nord.example/c?id=7&x=_y_) (due *today*)
2. `invoice_0042.pdf`, about ~$1,200 || so

| who | what |
|-----|------|
| Ada 😀 | [reply](https://mail.example/1) |

> They wrote: <please> call
> back

```python
def total(a, b):
    return a * b  # <none>
```
- [x] filed
  - nested \U0001f468\u200d\U0001f469\u200d\U0001f467
"""


def test_every_beginning_of_a_streamed_letter_can_be_sent() -> None:
    for end in range(len(LETTER)):
        for chunk in draw(LETTER[:end]):
            assert broken_rules(chunk) == []


def test_the_whole_letter_is_drawn_with_its_markup() -> None:
    (chunk,) = draw(LETTER)
    assert {entity.type for entity in chunk.entities} == {
        "bold", "underline", "italic", "text_link", "code", "pre", "blockquote",
    }  # fmt: skip
    assert "They wrote: <please> call\nback" in chunk.text
    assert "reply (https://mail.example/1)" in chunk.text


async def test_another_judge_of_the_bot_api_takes_the_chunks_too() -> None:
    bot = Bot("42:TEST")
    for markdown in (LETTER, LETTER * 30, "😀" * 5000, "**a** " * 500, "```\n" + "x\n" * 5000 + "```"):
        for chunk in draw(markdown):
            entities = [OtherEntity.model_validate(entity.to_dict()) for entity in to_telegram(chunk)[1]]
            validate_method(bot, SendMessage(chat_id=1, text=chunk.text, entities=entities))


HOSTILE = [*TOKENS, "https://evil.example/x", "evil.example/y", "www.evil.example", "[l](https://evil.example/z)", "&#58;//", "https", ":", "//", ".", "/",
           "evil", "example", "![p](evil.example)", "[r]: https://evil.example\n", "[r]", "t.me/evil"]  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(HOSTILE), max_size=40).map("".join))
def test_a_defanged_text_is_drawn_without_a_live_link(soup: str) -> None:
    for chunk in draw(defang(soup, frozenset())):
        assert covered(chunk, "text_link") == []
        assert "http://" not in chunk.text
        assert "https://" not in chunk.text
        assert not re.search(r"(?<![\w@.-])evil\.example/\w", chunk.text)
