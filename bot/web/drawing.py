"""How text is drawn for a browser: Markdown becomes HTML in which nothing runs, loads or hides where it leads.

What is drawn was written by others, in the end. No HTML passes, no picture is loaded, links lead to the web or to a
mailbox and open apart, and a link whose words don't name its host has the host beside them.
"""

import re
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from bot.terminal.drawing import harmless

NESTING_MAX = 40
"""What is nested deeper is not drawn at all: twenty lists in one another, far beyond what anyone writes."""

_LINK = re.compile(r"(?:https?://|mailto:)[^\s]+", re.IGNORECASE)
_BARE = re.compile(r"https?://[^\s<>\"'`]{1,2000}", re.IGNORECASE)
_AFTER = ".,;:!?…“”‘’»›"
_ALIGNED = re.compile(r"text-align:(left|center|right)")


def plain(text: str) -> str:
    """Text as it was typed, with web addresses as links, as HTML."""
    parser = _parser()
    tokens = [Token("inline", "", 0, content="", children=list(_linked(parser, _text(harmless(text)))))]
    return str(parser.renderer.render(tokens, parser.options, {}))


@lru_cache(maxsize=512)
def draw(markdown: str) -> str:
    """Markdown as HTML."""
    return str(_parser().render(harmless(markdown)))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": NESTING_MAX}
    parser = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    parser.enable(["strikethrough", "table"]).disable(["autolink", "image"])
    parser.validateLink = _may_lead  # type: ignore[method-assign]
    parser.core.ruler.push("put_right", _put_right)
    return parser


def _may_lead(url: str) -> bool:
    return _LINK.fullmatch(url) is not None


class _Renderer(RendererHTML):
    """Links open apart, and take nothing along."""

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: MutableMapping[str, Any]) -> str:
        link = tokens[idx]
        link.attrSet("rel", "noopener noreferrer nofollow")
        link.attrSet("target", "_blank")
        return self.renderToken(tokens, idx, options, env)


def _put_right(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 2)}"  # the page's own headings stand above
        if aligned := _ALIGNED.search(str(token.attrs.pop("style", ""))):
            token.attrSet("class", aligned[1])  # a style attribute is an inline style
        if token.type == "inline" and token.children is not None:
            token.children = list(_with_hosts(_with_bare_links(state.md, token.children)))


def _with_bare_links(parser: MarkdownIt, tokens: Iterable[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.nesting if token.type in {"link_open", "link_close"} else 0
        if token.type == "text" and depth == 0:
            yield from _linked(parser, token)
        else:
            yield token


def _linked(parser: MarkdownIt, text: Token) -> Iterator[Token]:
    """The text with its web addresses as links."""
    at = 0
    for found in _BARE.finditer(text.content):
        url = _trimmed(found[0])
        target = parser.normalizeLink(url)
        if not parser.validateLink(target):
            continue
        yield _text(text.content[at : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": target})
        yield _text(url)
        yield Token("link_close", "a", -1)
        at = found.start() + len(url)
    yield _text(text.content[at:])


def _trimmed(url: str) -> str:
    """Without what belongs to the sentence: its last signs, and a bracket that was not opened within."""
    opened = {")": "(", "]": "["}
    while url[-1] in _AFTER or (url[-1] in opened and url.count(url[-1]) > url.count(opened[url[-1]])):
        url = url[:-1]
    return url


def _with_hosts(tokens: Iterable[Token]) -> Iterator[Token]:
    target, host, label = "", "", ""
    for token in tokens:
        if token.type == "link_open":
            target, label = str(token.attrGet("href") or ""), ""
            host = _host(target)
        if token.type in {"link_open", "link_close"} and not target:
            continue  # "[words]()" leads nowhere, which a browser takes for this page
        label += token.content
        yield token
        if token.type == "link_close" and host and not _names(label, host):
            yield _text(f" ({host})")


def _names(label: str, host: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(host)}(?![\w-]|\.\w)", label, re.IGNORECASE) is not None


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return parts.path.lower() if parts.scheme == "mailto" else (parts.hostname or "")
    except ValueError:
        return url.lower()


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
