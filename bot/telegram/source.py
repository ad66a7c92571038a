"""A model's Markdown, made safe to draw: what CommonMark or the drawing library would swallow is escaped or spelled out.

Escaping keeps HTML, money and products of numbers as they were written. Spelling out puts a link's target into the text
where no link can be drawn. What a reader must then be able to see is told beside it, so that the drawing can be checked.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memory.markdown import Mark, definitions, marks, same_label

# Read from left to right, outside code; the first alternative that fits wins.
_TOKEN = re.compile(
    r"""
      (?P<kept> \\[!-/:-@\[-`{-~]                               # escaped already
              | <[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>         # <https://…>
              | <[\w.!\#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9.-]+>      # <name@host>
              | \]\([ ]?<[^<>\n]*> )                            # [label](<target>
    | (?P<tag> <(?=[A-Za-z/!?]))                                # HTML would vanish
    | (?P<address> https?://[^\s<>()\[\]*`\\]+ )                # _ in an address is no emphasis
    | (?P<pipes> \|\|+ )                                        # "or" far more often than a spoiler
    | (?P<product> (?<![\w*])[0-9A-Za-z_À-ɏ]++(?:\*[0-9A-Za-z_À-ɏ]++)++(?![\w*]) )
    | (?P<dollar> \$ )                                          # money, not a formula
    """,
    re.VERBOSE,
)
_ACTIVE_IN_ADDRESS = re.compile(r"[$|]|[_~](?=\w)")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_ITEM_NUMBER = re.compile(rb"\s*\d{1,9}[.)]")
_LEAVES = frozenset({"Text", "Code", "Html", "InlineHtml"})

# A longer target, such as an embedded picture, is nothing to read.
_TARGET_LETTERS = 200


@dataclass(frozen=True, slots=True)
class Source:
    """Markdown that is safe to draw, and the letters and digits a reader must be able to see of it, in order.

    Not among the letters are targets and titles of links, the words after an opening code fence (unless the block holds
    nothing else), the numbers of a list and the check marks of a task list. Letters which the parser leaves out of every
    mark, such as table cells beyond the header, are among them: drawing would lose them.
    """

    text: str
    letters: str


def safe(markdown: str) -> Source:
    """Return `markdown` so that drawing it loses as little as can be of what a reader should see.

    Outside code `<` before a letter, `/`, `!` or `?` stands for itself, as do `$`, `||` and a `*` inside a
    word; targets of links in tables and of links without a label are written out, and definitions nobody refers to are
    shown as text.
    """
    text = _escaped(markdown)
    read = list(marks(text))
    additions = sorted([*_targets(read), *_unused_definitions(text, read)])
    if additions:
        text = _inserted(text.encode(), additions)
        read = list(marks(text))
    return Source(text, _letters(text, read))


def target_text(target: str) -> str:
    """Return a link's target as it is shown in text: long ones end in an ellipsis."""
    return target if len(target) <= _TARGET_LETTERS else target[:_TARGET_LETTERS] + "…"


# Escaping


def _escaped(markdown: str) -> str:
    if all(token["kept"] for token in _TOKEN.finditer(markdown)):
        return markdown
    return "".join(text if kind == "code" else _escaped_part(text, kind) for kind, text in _parts(markdown))


def _parts(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the source in order as pieces of "prose", "table" and "code".

    The parser says what is code. It is shown the text with a letter for each `<` that will be escaped: the same length,
    and no HTML that could hide a code span or make one.
    """
    source = markdown.encode()
    cursor, kind = 0, "prose"
    for mark in marks(_TOKEN.sub(lambda token: "x" if token["tag"] else token[0], markdown)):
        if mark.kind == "Code" or (mark.kind, mark.name) == ("Start", "CodeBlock"):
            yield kind, source[cursor : mark.start].decode()
            yield "code", source[mark.start : mark.end].decode()
            cursor = mark.end
        elif mark.name == "Table":
            place, after = (mark.start, "table") if mark.kind == "Start" else (mark.end, "prose")
            yield kind, source[cursor:place].decode()
            cursor, kind = place, after
    yield kind, source[cursor:].decode()


def _escaped_part(text: str, kind: str) -> str:
    def escaped(token: re.Match[str]) -> str:
        if token["kept"]:
            return token[0]
        if token["address"]:
            return _ACTIVE_IN_ADDRESS.sub(r"\\\g<0>", token[0])
        if token["product"]:
            return token[0].replace("*", r"\*")
        if token["pipes"]:
            # In a table they mark an empty cell.
            return " ".join(token[0]) if kind == "table" else r"\|" * len(token[0])
        return "\\" + token[0]

    return _TOKEN.sub(escaped, text)


# Spelling out


@dataclass(slots=True)
class _Link:
    """A link being read: its target and the label seen so far."""

    target: str
    label: list[str] = field(default_factory=list)


def _targets(read: Sequence[Mark]) -> Iterator[tuple[int, str]]:
    """Yield where a link's target has to be written out: in a table, and where there is no label to carry it."""
    links: list[_Link] = []
    in_table = False
    for mark in read:
        if mark.name == "Table":
            in_table = mark.kind == "Start"
        elif mark.kind in _LEAVES:
            for link in links:
                link.label.append(mark.data)
        elif mark.name in {"Link", "Image"} and mark.kind == "Start":
            # A link may hold pictures, and pictures pictures, but two deep is all that is ever read.
            links = [*links[-1:], _Link(mark.data["dest_url"])]
        elif mark.name in {"Link", "Image"} and links:
            link = links.pop()
            label = "".join(link.label)
            if not label.strip():
                yield mark.end, _literal(target_text(link.target))
            elif in_table and label != link.target:
                yield mark.end, f" ({_literal(target_text(link.target))})"


def _literal(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\g<0>", text)


def _unused_definitions(markdown: str, read: Sequence[Mark]) -> Iterator[tuple[int, str]]:
    source = markdown.encode()
    used = _labels(read)
    for definition in definitions(markdown):
        if same_label(definition.label) not in used:
            yield source.index(b"[", definition.start), "\\"


def _labels(read: Sequence[Mark]) -> set[str]:
    links = (mark.data for mark in read if mark.kind == "Start" and mark.name in {"Link", "Image"})
    return {same_label(link["id"]) for link in links if link["id"]}


def _inserted(source: bytes, additions: Sequence[tuple[int, str]]) -> str:
    parts, cursor = [], 0
    for place, addition in additions:
        parts += [source[cursor:place], addition.encode()]
        cursor = place
    return b"".join([*parts, source[cursor:]]).decode()


# What must be seen


def _letters(markdown: str, read: Iterable[Mark]) -> str:
    source = bytearray(markdown.encode())
    for definition in definitions(markdown):
        source[definition.start : definition.end] = b" " * (definition.end - definition.start)
    reader = _Reader(bytes(source))
    for mark in read:
        reader.read(mark)
    return reader.letters()


class _Reader:
    """Walks the marks and keeps account of every byte of the source."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._seen: list[str] = []
        self._reached = 0
        self._fence: str | None = None

    def read(self, mark: Mark) -> None:
        """Account for the source up to this mark, and for the mark."""
        if mark.kind == "End" and mark.name in {"Link", "Image"}:
            self._skip_to(mark.end)
        self._see_to(mark.end if mark.kind == "End" else mark.start)
        if mark.kind in _LEAVES:
            self._seen.append(mark.data)
            self._skip_to(mark.end)
            self._fence = None
        elif mark.kind == "TaskListMarker":
            self._skip_to(mark.end)
        elif mark.name == "CodeBlock":
            self._read_fence(mark)
        elif (mark.kind, mark.name) == ("Start", "Item") and (number := _ITEM_NUMBER.match(self._source, mark.start)):
            self._skip_to(number.end())

    def letters(self) -> str:
        """Return what was seen, with what is left of the source."""
        self._see_to(len(self._source))
        return "".join(filter(str.isalnum, "".join(self._seen)))

    def _read_fence(self, mark: Mark) -> None:
        if mark.kind == "End":
            # Nothing but the fence's own words: then they are what was said.
            self._seen.append(self._fence or "")
            self._fence = None
        elif isinstance(mark.data, dict):
            self._fence = mark.data["Fenced"]
            line_end = self._source.find(b"\n", mark.start, mark.end)
            self._skip_to(mark.end if line_end < 0 else line_end)

    def _see_to(self, place: int) -> None:
        if place > self._reached:
            self._seen.append(self._source[self._reached : place].decode())
            self._reached = place

    def _skip_to(self, place: int) -> None:
        self._reached = max(self._reached, place)
