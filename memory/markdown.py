"""Markdown, read as a stream of marks with their places in the source.

Models write Markdown, and two of our questions need a real parser: what of it will be seen, and where its links lead.
The dialect is CommonMark with tables, strikethrough and task lists; no formulas, since a `$` in our letters is money.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import pyromark

_DIALECT = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS

_BEGINS_A_BLOCK = re.compile(r"^(?:-(?=[\s-]|$)|=|\d{1,9}(?=\.(?:\s|$)))")
_SIGNS = frozenset("\\`*_{}[]<>()#+!|~&")


def escaped(text: str) -> str:
    """Plain words as Markdown that shows them as they are, on one line: they can neither format nor link.

    The rule for all of them: what stands in a row as plain words (the title of a loop, the text of a reminder, the name
    of a file, a field of a mail) is escaped where it is put into Markdown, once, and stored as it is. What is stored as
    Markdown (a message, a card's text, a notice's summary) was escaped when it was made, and is drawn as it is.
    """
    flat = " ".join(text.split())
    shown = "".join(f"\\{sign}" if sign in _SIGNS else sign for sign in flat)
    begins = _BEGINS_A_BLOCK.match(shown)
    if begins is None:
        return shown
    return f"{begins[0]}\\{shown[begins.end() :]}" if begins[0].isdigit() else f"\\{shown}"


class Mark(NamedTuple):
    """One mark: where something starts or ends, or a leaf such as a piece of text.

    `kind` is "Start", "End", or the leaf's own: "Text", "Code", "Html", "InlineHtml", "TaskListMarker", "SoftBreak",
    "HardBreak", "Rule". `name` says what starts or ends ("Link", "CodeBlock", …) and is empty for a leaf. `data` is what
    the parser tells about it: a link's `dest_url`, `title`, `id` and `link_type`, a leaf's text. `start` and `end` are
    UTF-8 byte offsets into the source.
    """

    kind: str
    name: str
    data: Any
    start: int
    end: int


class Definition(NamedTuple):
    """A link reference definition, `[label]: target "title"`; `start` and `end` in UTF-8 bytes."""

    label: str
    target: str
    title: str
    start: int
    end: int


def marks(markdown: str) -> Iterator[Mark]:
    """Yield the marks of `markdown` in order of the document. The text must hold no lone surrogates."""
    for event, place in pyromark.events_with_range(markdown, options=_DIALECT):
        kind, payload = _named(event)
        name, data = _named(payload) if kind in {"Start", "End"} else ("", payload)
        yield Mark(kind, name, data, place["start"], place["end"])


def _named(value: object) -> tuple[str, Any]:
    """Split the parser's `{"Name": data}` or bare "Name"."""
    if isinstance(value, dict):
        return cast("tuple[str, Any]", next(iter(value.items())))
    return str(value), None


def definitions(markdown: str) -> list[Definition]:
    """Return the link reference definitions; of several with the same label only the first counts, and is returned."""
    found = pyromark.reference_definitions(markdown, options=_DIALECT)
    return [
        Definition(label, entry["dest"], entry["title"] or "", entry["span"]["start"], entry["span"]["end"])
        for label, entry in found.items()
    ]


def same_label(label: str) -> str:
    """Fold a reference label the way labels are compared: case and runs of white space do not count."""
    return " ".join(label.split()).casefold()
