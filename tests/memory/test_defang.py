import html
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory.defang import defang

GOOD = "https://good.example/a?b=c"
ALLOWED = frozenset({GOOD, "https://good.example/a_(b)", "t.me/good", "tg://resolve?domain=good", "/rooms/7"})


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://evil.example/x.html now", "see hxxps://evil[.]example/x[.]html now"),
        ("see HTTP://EVIL.EXAMPLE", "see hxxP://EVIL[.]EXAMPLE"),
        ("see https://evil.example/x.", "see hxxps://evil[.]example/x."),
        ("(https://evil.example/x)", "(hxxps://evil[.]example/x)"),
        ("https://evil.example/?u=http://b.example", "hxxps://evil[.]example/?u=hxxp://b[.]example"),
        ("tg://resolve?domain=evil", "tg[:]//resolve?domain=evil"),
        ("t.me/evil", "t[.]me/evil"),
        ("www.evil.example", "www[.]evil[.]example"),
        ("evil.example/secret", "evil[.]example/secret"),
        ("evil.example?q=secret", "evil[.]example?q=secret"),
        ("192.0.2.7/secret", "192[.]0[.]2[.]7/secret"),
        ("ftp://evil.example/x", "ftp[:]//evil[.]example/x"),
        ("`curl https://evil.example`", "`curl hxxps://evil[.]example`"),
        (f"{GOOD}&more=x", "hxxps://good[.]example/a?b=c&more=x"),
        ("https://good.example", "hxxps://good[.]example"),
    ],
    ids=[
        "web",
        "capitals",
        "full stop",
        "brackets",
        "address in an address",
        "app",
        "t.me",
        "www",
        "path",
        "query",
        "number",
        "other scheme",
        "code",
        "longer than allowed",
        "shorter than allowed",
    ],
)
def test_an_address_in_text_is_shown_and_dead(text: str, shown: str) -> None:
    assert defang(text, ALLOWED) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[label](https://evil.example/x)", "label (hxxps://evil[.]example/x)"),
        ("![chart](https://evil.example/x.png)", "chart (hxxps://evil[.]example/x[.]png)"),
        ("![](https://evil.example/x.png)", "hxxps://evil[.]example/x[.]png"),
        ("[label](evil.example)", "label (evil[.]example)"),
        ("[label](/rooms/8)", "label (/rooms/8)"),
        ("[label](mailto:a@evil.example?body=x)", "label (mailto:a@evil[.]example?body=x)"),
        ("[label](javascript:alert)", "label (javascript:alert)"),
        ("<https://evil.example/x>", "hxxps://evil[.]example/x"),
        ("[**bold** label](<https://evil.example/x y>)", "**bold** label (hxxps://evil[.]example/x y)"),
        ("[a][r]\n\n[r]: https://evil.example/x", "a (hxxps://evil[.]example/x)\n\n\\[r]: hxxps://evil[.]example/x"),
        ("![a][r]\n\n[r]: evil.example 'T'", 'a (evil[.]example)\n\n\\[r]: evil[.]example "T"'),
        ("[r]\n\n[R]: evil.example", "r (evil[.]example)\n\n\\[R]: evil[.]example"),
        (f"[![a](https://evil.example/p)]({GOOD})", f"[a (hxxps://evil[.]example/p)]({GOOD})"),
        (f"[https://evil.example]({GOOD})", f"[hxxps://evil[.]example]({GOOD})"),
        ("| a |\n|---|\n| [b](https://evil.example/c) |", "| a |\n|---|\n| b (hxxps://evil[.]example/c) |"),
    ],
    ids=[
        "link",
        "picture",
        "picture without a label",
        "bare host",
        "relative",
        "mail",
        "script",
        "angle brackets",
        "marked label",
        "reference",
        "picture by reference",
        "shortcut",
        "picture in a link",
        "label that is an address",
        "table",
    ],
)
def test_a_link_or_picture_becomes_its_label_and_a_dead_target(text: str, shown: str) -> None:
    assert defang(text, ALLOWED) == shown


@pytest.mark.parametrize(
    "text",
    [
        f"see {GOOD}, and ({GOOD}). **{GOOD}**",
        f"[label]({GOOD})-and more",
        "[label](https://good.example/a_(b)), [room](/rooms/7)",
        f"![chart]({GOOD}) <{GOOD}>",
        f'[a][r] [titled]({GOOD} "Title")\n\n[r]: {GOOD}',
        "t.me/good and tg://resolve?domain=good",
    ],
    ids=["text", "link", "brackets and relative", "picture", "reference and title", "telegram"],
)
def test_what_is_allowed_word_for_word_is_not_touched(text: str) -> None:
    assert defang(text, ALLOWED) == text


@pytest.mark.parametrize(
    "text",
    [
        "Did you mean good.example? Or file.py, e.g. and/or 1.5/2, Inc./Ltd.",
        "Write to <ada@good.example> or bob@good.example.",
        "a: b // c, 10:30, [x] done, [1] note, `a[0].b`",
        "**bold** _it_ ~~old~~ `code`\n\n- one\n- two\n\n| a | b |\n|---|---|\n| c | d |",
        "",
    ],
    ids=["hosts alone", "mail addresses", "marks", "markup", "empty"],
)
def test_what_is_no_address_is_not_touched(text: str) -> None:
    assert defang(text, frozenset()) == text


@pytest.mark.parametrize(
    "text",
    [
        "https&#58;//evil.example/x",
        "https\\://evil.example/x",
        "https:\\/\\/evil.example/x",
        "ht<!-- -->tps://evil.example/x",
        "htt*ps://evil*.example/x",
        "https:/**/evil.example/x**",
        "e**vil**.example/x",
        "https:\x00//evil.example/x",
        "https:/\u202e/evil.example/x",
        "https:\u030a//evil.example/x",
        "https://evil.(https://evil.example/x)",
        "[.]: https://evil.example/x\n\nhttps://a.b",
        "[a][r]\n\n[r]: <https://evil.example/x>\n[R]: https://evil.example/y",
        "[a\\](b)](https://evil.example/x)",
        "[a](https&colon;//evil.example/x)",
        "hxxps://a/https://evil.example/x",
        "[x [y](https://evil.example/x) z](https://evil.example/y)",
        "aaaaaaaaaaaaaaaaaaaahttps://evil.example/x",
    ],
    ids=[
        "entity",
        "backslash",
        "backslashes",
        "comment",
        "emphasis",
        "split slashes",
        "split host",
        "nul",
        "override",
        "ring",
        "brackets after the dot",
        "the dot as a reference",
        "second definition",
        "escaped bracket",
        "entity in a target",
        "dead scheme before",
        "nested",
        "long scheme",
    ],
)
def test_an_address_put_together_by_markup_is_dead_too(text: str) -> None:
    assert alive(defang(text, frozenset())) == []


def test_words_around_an_address_stay() -> None:
    assert defang("Pay **now** at [the bank](https://evil.example/) or **lose** it.", frozenset()) == (
        "Pay **now** at the bank (hxxps://evil[.]example/) or **lose** it."
    )


def test_when_markup_goes_the_words_stay() -> None:
    text = "# Head\n\nPay **now** at e**vil**.example/x or [lose](https://b.example/) `it`."
    assert MarkdownIt().render(defang(text, frozenset())).split() == [
        "<p>Head", "Pay", "now", "at", "evil[.]example/x", "or", "lose", "(hxxps://b[.]example/)", "it.</p>"
    ]  # fmt: skip


def test_defanging_twice_changes_nothing() -> None:
    once = defang("[a](https://evil.example/x) www.evil.example tg://evil ![b](c.d)", frozenset())
    assert defang(once, frozenset()) == once


@pytest.mark.parametrize(
    "text",
    ["https://a" + ")" * 100_000, "a.b." * 25_000, "[a](b) " * 14_000, "://" * 33_000, "a.bc/" + "/" * 100_000],
    ids=["closers", "labels", "links", "slashes", "path"],
)
def test_time_grows_with_the_text_and_no_faster(text: str) -> None:
    # Quadratic work on this would take minutes; the bound leaves room for a busy machine.
    began = time.process_time()
    defang(text, ALLOWED)
    assert time.process_time() - began < 3


# A second opinion, from another parser.

LIVE = re.compile(r"(?i)https?://|tg://|\bwww\.|(?<![\w@-])evil\.example/\w|(?<![\w@-])t\.me/\w")


def alive(markdown: str) -> list[str]:
    """Return what a client could make a link of, once the Markdown is drawn: targets, and addresses in the text."""
    found = [
        target for token in tokens(markdown) if (target := str(token.attrGet("href") or token.attrGet("src") or ""))
    ]
    rendered = html.unescape(re.sub(r"<[^>]*>", "", MarkdownIt().enable("table").render(markdown)))
    found = [target for target in found if not target.startswith("mailto:")]
    return found + LIVE.findall(rendered)


def tokens(markdown: str) -> list[Token]:
    blocks = MarkdownIt().enable("table").parse(markdown)
    inline = [child for block in blocks for child in block.children or []]
    return inline + [child for token in inline for child in token.children or []]


PARTS = [
    "https://evil.example/x", "[l](https://evil.example/z)", "![p](evil.example)", "[r]: https://evil.example\n", "[r]", "evil.example/y",
    "www.evil.example", "t.me/evil", "tg://evil", "<https://evil.example>", "&#58;", "&colon;", "://", "https", "http:", "//", "/", ":", ".", "evil", "example",
    " ", "\n", "\n\n", "*", "**", "_", "`", "```\n", "[", "]", "(", ")", "](", "![", "<b>", "<!--", "-->", "\\", "> ", "- ", "# ", "    ", "|", "\n|-|\n",
    "\x00", "\ud800", "\u202e", "\u030a", "word", "\t", '"', "'",
]  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_no_soup_of_markdown_has_a_live_address_left(soup: str) -> None:
    assert alive(defang(soup, frozenset())) == []


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    defang(text, ALLOWED)
