import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.terminal.wire import Button, Said
from bot.web.drawing import draw, plain
from bot.web.pages import message
from tests.bot.terminal_room import NOW

ALLOWED = {
    "a", "article", "blockquote", "br", "button", "code", "div", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p",
    "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "time", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "aria-label", "class", "data-day", "data-id", "data-tap", "datetime", "href", "id", "rel", "role", "start",
    "tabindex", "target", "title", "type",
}  # fmt: skip


class Reader(HTMLParser):
    """What a browser makes of it: elements with their attributes, and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def harmful(html: str) -> list[object]:
    """Elements, attributes and targets that nothing we draw may have."""
    found: list[object] = []
    for tag, attrs in Reader(html).elements:
        found += [tag] if tag not in ALLOWED else []
        found += [(tag, name) for name in attrs if name not in ATTRIBUTES]
        if tag == "a":
            href = attrs.get("href") or ""
            found += [href] if not re.match(r"(https?://|mailto:)", href) or re.search(r"[\s\"'<>]", href) else []
            found += [attrs] if "noopener" not in (attrs.get("rel") or "") else []
    return found


ATTACKS = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src='data:text/html,<script>alert(1)</script>'></iframe>",
    "<a href='javascript:alert(1)'>x</a>",
    "<div onclick=alert(1) style='position:fixed;inset:0'>x</div>",
    "<style>*{display:none}</style>",
    "<form action=https://evil.example><button>Done</button></form>",
    "<!-- --><b>x</b>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "</div></article><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;&#x61;vascript&colon;alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](%6Aavascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x]( javascript:alert(1) )",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](data:image/svg+xml,<svg onload=alert(1)>)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://evil.example/1)",
    "[x](//evil.example)",
    "[x](/tap)",
    "[x](?token=1)",
    "[x](http:evil.example)",
    '[x](https://a.example/"onmouseover="alert(1))',
    "[x](https://a.example 'title\" onmouseover=alert(1)')",
    "[x][r]\n\n[r]: javascript:alert(1)",
    "[x][r]\n\n[r]: https://a.example '\"><script>alert(1)</script>'",
    "<javascript:alert(1)>",
    "<https://a.example/\"onclick=alert(1)>",
    "![x](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    "[![x](https://evil.example/pixel.png)](javascript:alert(1))",
    "https://a.example/\"onmouseover=alert(1)",
    "https://a.example/<script>alert(1)</script>",
    "https://a.example/'onclick='alert(1)",
    "javascript:alert(1)",
    "http://[::1",
    "```\"><script>alert(1)</script>\nx\n```",
    "```js\" onclick=\"alert(1)\nx\n```",
    "`<script>alert(1)</script>`",
    "    <script>alert(1)</script>",
    "|<img src=x onerror=alert(1)>|\n|:-:|\n|[x](javascript:alert(1))|",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "# <img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% include '/etc/passwd' %}",
    "\u202e<script>\u2066alert(1)",
    "\ud83d<script>alert(1)</script>",
]  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: repr(text)[:50])
@pytest.mark.parametrize("role", ["owner", "stillbell"])
def test_nothing_that_is_said_does_anything_in_a_browser(attack: str, role: str) -> None:
    said = Said(
        id=1,
        role=role,  # type: ignore[arg-type]
        channel=attack,
        text=attack,
        at=NOW,
        buttons=(Button(label=attack, data=attack),),
    )
    html = message(said, "en")
    assert harmful(html) == []
    assert [tag for tag, _ in Reader(html).elements].count("button") == 1
    decided = Said(id=1, role="stillbell", channel="web", text="x", at=NOW, decided=attack)
    assert harmful(message(decided, "de")) == []


@given(st.text(alphabet=st.sampled_from("ab<>\"'&;:#/\\()[]!`*_~|-=\n\t x1jh.@?"), max_size=80))
def test_no_mixture_of_signs_draws_anything_harmful(text: str) -> None:
    for html in (draw(text), plain(text), draw(f"[{text}]({text})"), draw(f"[a](javascript:{text})")):
        assert harmful(html) == []


@given(st.text(max_size=200))
def test_what_was_typed_is_read_as_it_was_typed(text: str) -> None:
    from bot.terminal.drawing import harmless  # noqa: PLC0415

    text = text.encode("utf-8", "replace").decode()
    assert Reader(plain(text)).text == harmless(text)


def test_the_harm_detector_finds_harm() -> None:
    for html in (
        "<script>1</script>",
        '<p onclick="x">',
        '<a rel="noopener" href="javascript:x">',
        '<a href="https://a.example">',
        '<p style="x">',
        '<img src="x">',
    ):
        assert harmful(html)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** _b_ ~~c~~ `d`", "<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>\n"),
        ("a\nb", "<p>a<br />\nb</p>\n"),
        ("# a", "<h3>a</h3>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3. a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
        ("```py\n<b>\n```", '<pre><code class="language-py">&lt;b&gt;\n</code></pre>\n'),
        ("a@b.example <c@d.example>", "<p>a@b.example &lt;c@d.example&gt;</p>\n"),
    ],
)
def test_markdown_is_drawn(markdown: str, html: str) -> None:
    assert draw(markdown) == html


def test_columns_are_aligned_by_class_since_styles_are_forbidden() -> None:
    html = draw("|a|b|\n|:-:|-:|\n|1|2|")
    assert '<th class="center">a</th>' in html
    assert '<td class="right">2</td>' in html


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("[the bank](https://evil.example/x)", "the bank (evil.example)"),
        ("[https://bank.example](https://evil.example/bank.example)", "https://bank.example (evil.example)"),
        ("[evil.example.bank.example](https://evil.example)", "evil.example.bank.example (evil.example)"),
        ("[notevil.example](https://evil.example)", "notevil.example (evil.example)"),
        ("[https://bank.example@x](https://bank.example@evil.example)", "https://bank.example@x (evil.example)"),
        ("[see evil.example.](https://evil.example)", "see evil.example."),
        ("https://evil.example/x", "https://evil.example/x"),
        ("[write](mailto:a@b.example)", "write (a@b.example)"),
    ],
)
def test_a_link_shows_whose_it_is(markdown: str, text: str) -> None:
    assert Reader(draw(markdown)).text.strip() == text


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("see https://a.example/b.", "https://a.example/b"),
        ("(https://a.example/b)", "https://a.example/b"),
        ("https://a.example/b_(c)", "https://a.example/b_(c)"),
        ("https://a.example/?q=1&r=2, and", "https://a.example/?q=1&r=2"),
        ("„https://a.example“", "https://a.example"),
    ],
)
@pytest.mark.parametrize("drawing", [draw, plain], ids=["stillbell", "owner"])
def test_a_bare_address_is_a_link_without_the_signs_of_its_sentence(drawing, text: str, target: str) -> None:  # type: ignore[no-untyped-def]
    [attrs] = [attrs for tag, attrs in Reader(drawing(text)).elements if tag == "a"]
    assert attrs["href"] == target


def test_an_address_in_code_or_in_a_link_is_left_alone() -> None:
    assert "<a" not in draw("`https://a.example`")
    assert draw("[x https://a.example y](https://a.example)").count("<a") == 1


def test_hidden_and_direction_changing_characters_are_shown_as_what_they_are() -> None:
    assert "‹U+202E›" in draw("invoice\u202efdp.exe")
    assert "‹U+202E›" in plain("invoice\u202efdp.exe")
