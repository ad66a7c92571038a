"""HTML of a mail made into the text that a reader of it would have seen. Nothing is fetched, nothing is run."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inscriptis import get_text  # type: ignore[import-untyped]  # the package ships no types
from inscriptis.css_profiles import CSS_PROFILES  # type: ignore[import-untyped]
from inscriptis.model.config import ParserConfig  # type: ignore[import-untyped]
from lxml.etree import LxmlError  # type: ignore[import-untyped]
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tools.files.css import Look, Style, declarations
from tools.files.sheet import Sheet, overlay

HTML_LIMIT_CHARS = 4_000_000
DEPTH_LIMIT = 200
"""Elements within elements; deeper ones are set beside each other, since libxml2 gives up at 256."""

NESTING_LIMIT = 3000
FORMATS_LIMIT = 200
ATTRIBUTES_LIMIT = 1000

_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(?P<raw>script|style|textarea|title|xmp)\b.*?(?:</(?P=raw)|\Z)"
    r"|<(?P<close>/?)(?P<name>[a-z][^\s/>]*)(?P<inside>(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^>\"']++)*+)",
    re.IGNORECASE | re.DOTALL,
)
_FORMATS = frozenset(["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"])
# Without content, or closed by their own next of kin.
_NEVER_DEEP = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "td",
        "th",
        "tr",
        "dt",
        "dd",
        "option",
        "tbody",
    ]
)
# What never shows text, or is not text of the mail; dropping it is no sign of anything.
_SILENT = (
    "script, style, head, title, template, iframe, object, embed, svg, math, canvas, audio, video, select, datalist, "
    "textarea, noframes, noembed, img, meta, link"
)
_WORD = re.compile(r"\w")
_LINES = re.compile(r"\n(?:[ \t\xa0]*\n){2,}")
_TRAILING = re.compile(r"[ \t\xa0]+$", re.MULTILINE)
_CONFIG = ParserConfig(css=CSS_PROFILES["strict"], display_images=False, display_links=False)


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says. `html_hidden`: words on it could not be seen and were left out. `was_cut`: it was too long."""

    text: str
    html_hidden: bool
    was_cut: bool


def read_html(source: str) -> PageText:
    """The visible text of `source`, laid out in lines and columns. Never raises.

    Left out as hidden: `hidden`, display none, visibility hidden, opacity near 0, letters of 2 px or less, text moved
    off the page or clipped to nothing, text in the colour of its ground, whether said inline, by an attribute or by a
    rule of the page's own style sheet. Comments, scripts, styles and pictures are left out without a word.
    """
    bounded = source[: _bearable_chars(source)].replace("\x00", "")
    was_cut = len(bounded) < len(source) - source.count("\x00")
    try:
        tree = LexborHTMLParser(bounded)
    except (SelectolaxError, ValueError):
        return PageText("", html_hidden=False, was_cut=was_cut)
    sheet = Sheet(tree)
    for node in tree.css(_SILENT):
        node.decompose()
    html_hidden = _drop_hidden(tree, sheet) or not sheet.is_whole
    return PageText(_laid_out(tree), html_hidden, was_cut)


def _bearable_chars(source: str) -> int:
    """How much of a page can be parsed in reasonable time and memory.

    Every parser of HTML takes time that grows with the square of how deep elements are nested, how many attributes one
    has, and how many letters' formats are left open; pages that exceed a reader's own measure by far end there.
    """
    depth = 0
    opened: Counter[str] = Counter()
    for tag in _TAG.finditer(source, 0, HTML_LIMIT_CHARS):
        name, inside = (tag["name"] or "").lower(), tag["inside"] or ""
        if len(inside) > 5000 and len(inside.split()) > ATTRIBUTES_LIMIT:
            return tag.start()
        if not name or name in _NEVER_DEEP:
            continue
        if tag["close"] and opened[name]:
            opened[name] -= 1
            depth -= 1
        elif not tag["close"]:
            opened[name] += 1
            depth += 1
        if depth > NESTING_LIMIT or (name in _FORMATS and opened[name] > FORMATS_LIMIT):
            return tag.start()
    return HTML_LIMIT_CHARS


def _drop_hidden(tree: LexborHTMLParser, sheet: Sheet) -> bool:
    """Take hidden elements and texts out of the tree; returns whether any words went with them."""
    hidden: list[LexborNode] = []
    too_deep: list[LexborNode] = []
    waiting = [(tree.root, Look(), 1)] if tree.root is not None else []
    while waiting:
        node, around, depth = waiting.pop()
        look = around.inside(_style(node, sheet))
        if look.is_gone:
            hidden.append(node)
            continue
        if "display" in (node.attributes.get("style") or "").lower():
            del node.attrs["style"]  # inscriptis reads it more simply than we do, and would drop what is shown
        if depth > DEPTH_LIMIT:
            too_deep.append(node)
        for child in _children(node):
            if child.is_element_node:
                waiting.append((child, look, depth + 1))
            elif look.hides and child.is_text_node:
                hidden.append(child)
    has_words = any(_WORD.search(node.text_content or node.text()) for node in hidden)
    for node in hidden:
        # The root itself can't be taken out; what it holds can.
        for doomed in _children(node) if node.tag == "html" else [node]:
            doomed.decompose()
    for node in too_deep:
        node.unwrap()
    return has_words


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _style(node: LexborNode, sheet: Sheet) -> Style:
    """All that is said of how `node` looks: old attributes, then the page's rules, then its own style attribute."""
    attributes = node.attributes
    style: dict[str, tuple[str, bool]] = {}
    if "hidden" in attributes:
        style["display"] = ("none", False)
    if colour := attributes.get("color") or attributes.get("text"):
        style["color"] = (colour.strip().lower(), False)
    if ground := attributes.get("bgcolor"):
        style["background-color"] = (ground.strip().lower(), False)
    if attributes.get("background"):
        style["background-image"] = ("url(", False)
    overlay(style, sheet.style(node))
    overlay(style, declarations(attributes.get("style") or ""))
    return style


def _laid_out(tree: LexborHTMLParser) -> str:
    html = tree.html or ""
    try:
        text = get_text(html, _CONFIG) if _WORD.search(html) else ""
    except (LxmlError, ValueError, RecursionError, AssertionError, IndexError):
        # inscriptis is known to fail on odd tables and very deep pages; the words still matter
        text = tree.text(separator="\n")
    return _LINES.sub("\n\n", _TRAILING.sub("", text.replace("\r", ""))).strip("\n")
