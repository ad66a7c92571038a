"""Telegram's three ways of writing formatted text, read as strictly as the official server reads them.

Each parser takes the raw text and returns the text as it is shown and its entities, with offsets in UTF-16 code units;
positions in error texts are byte offsets of the raw UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Entity = dict[str, Any]
Parsed = tuple[str, list[Entity]]


class FormatError(Exception):
    """The text cannot be parsed; the message is what follows "can't parse entities: "."""


def utf16_length(text: str) -> int:
    """How many UTF-16 code units the text takes."""
    return len(text.encode("utf-16-le")) // 2


@dataclass(slots=True)
class _Open:
    """A tag or mark that was opened and not yet closed."""

    name: str
    raw_at: int
    offset: int
    shown_at: int
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Shown:
    """What has been read so far: the text as it is shown, in pieces, and its length in UTF-16."""

    pieces: list[str] = field(default_factory=list)
    length: int = 0
    entities: list[Entity] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.length += utf16_length(text)

    def open(self, name: str, raw_at: int, attributes: dict[str, str] | None = None) -> None:
        self.opened.append(_Open(name, raw_at, self.length, len(self.pieces), attributes or {}))

    def close(self, kind: str | None, **more: Any) -> None:
        opened = self.opened.pop()
        if kind and self.length > opened.offset:
            length = self.length - opened.offset
            self.entities.append({"type": kind, "offset": opened.offset, "length": length, **more})

    def since(self, opened: _Open) -> str:
        return "".join(self.pieces[opened.shown_at :])

    def done(self) -> Parsed:
        entities = sorted(self.entities, key=lambda entity: (entity["offset"], -entity["length"]))
        return "".join(self.pieces), entities


def _link(url: str) -> tuple[str, dict[str, Any]]:
    """A link to a user is a mention of that user."""
    if user := re.fullmatch(r"tg://user\?id=(\d+)", url):
        return "text_mention", {"user": {"id": int(user[1]), "is_bot": False, "first_name": "User"}}
    return "text_link", {"url": url}


# --- HTML -----------------------------------------------------------------------------------------------------------

_HTML_KINDS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "span": "spoiler",
    "tg-spoiler": "spoiler",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
    "a": "text_link",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
}
_HTML_PIECE = re.compile(rb"[^<&]+|&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);?|&|</?[^\s>]*")
_HTML_ATTRIBUTE = re.compile(rb"\s+([^\s=>]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[\w.\-]+))?")
_HTML_END = re.compile(rb"\s*>")
_HTML_NAMED = {b"lt": "<", b"gt": ">", b"amp": "&", b"quot": '"'}


def parse_html(raw: str) -> Parsed:
    """HTML style: a handful of tags, strictly nested, four named character references."""
    data, shown, at = raw.encode(), _Shown(), 0
    while at < len(data):
        piece = _HTML_PIECE.match(data, at)
        assert piece is not None
        token = piece[0]
        if token.startswith(b"</"):
            at = _html_end_tag(data, piece, shown)
        elif token.startswith(b"<"):
            at = _html_start_tag(data, piece, shown)
        else:
            shown.add(_html_text(token))
            at = piece.end()
    if shown.opened:
        raise FormatError(f'Can\'t find end tag corresponding to start tag "{shown.opened[-1].name}"')
    return shown.done()


def _html_text(token: bytes) -> str:
    if not token.startswith(b"&") or len(token) == 1:
        return token.decode()
    name = token[1:].rstrip(b";")
    if not name.startswith(b"#"):
        return _HTML_NAMED[name]
    code = int(name[2:], 16) if name[1:2] == b"x" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else token.decode()


def _html_start_tag(data: bytes, piece: re.Match[bytes], shown: _Shown) -> int:
    begin, at, name = piece.start(), piece.end(), piece[0][1:].decode().lower()
    if at == len(data):
        raise FormatError(f"Unclosed start tag at byte offset {begin}")
    if name not in _HTML_KINDS:
        raise FormatError(f'Unsupported start tag "{name}" at byte offset {begin}')
    attributes = {}
    while found := _HTML_ATTRIBUTE.match(data, at):
        value = (found[2] or b"").strip(b"\"'").decode()
        attributes[found[1].decode().lower()] = value.replace("&quot;", '"').replace("&amp;", "&")
        at = found.end()
    end = _HTML_END.match(data, at)
    if end is None:
        raise FormatError(f"Unclosed start tag at byte offset {begin}")
    if name == "span" and attributes.get("class") != "tg-spoiler":
        raise FormatError(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
    shown.open(name, begin, attributes)
    return end.end()


def _html_end_tag(data: bytes, piece: re.Match[bytes], shown: _Shown) -> int:
    begin, name = piece.start(), piece[0][2:].decode().lower()
    if not shown.opened:
        raise FormatError(f"Unexpected end tag at byte offset {begin}")
    end = _HTML_END.match(data, piece.end())
    if end is None:
        raise FormatError(f"Unclosed end tag at byte offset {begin}")
    opened = shown.opened[-1]
    if name and name != opened.name:
        where = f"Unmatched end tag at byte offset {begin}"
        raise FormatError(f'{where}, expected "</{opened.name}>", found "</{name}>"')
    kind, more = _html_entity(opened, shown)
    shown.close(kind, **more)
    return end.end()


def _html_entity(opened: _Open, shown: _Shown) -> tuple[str | None, dict[str, Any]]:
    kind, attributes = _HTML_KINDS[opened.name], opened.attributes
    language = attributes.get("class", "").removeprefix("language-")
    if opened.name == "a":
        return _link(attributes.get("href") or shown.since(opened))
    if opened.name == "tg-emoji":
        return kind, {"custom_emoji_id": _emoji_id(attributes.get("emoji-id", ""))}
    if opened.name == "tg-time":
        return kind, {"unix_time": int(attributes.get("unix", 0)), "date_time_format": attributes.get("format", "")}
    if opened.name == "blockquote" and "expandable" in attributes:
        return "expandable_blockquote", {}
    if opened.name == "code" and language and shown.opened[-2:-1] and shown.opened[-2].name == "pre":
        shown.opened[-2].attributes["class"] = f"language-{language}"
        return None, {}
    return kind, {"language": language} if opened.name == "pre" and language else {}


def _emoji_id(text: str) -> str:
    if not text.isdecimal() or not 0 < int(text) < 2**63:
        raise FormatError("Invalid custom emoji identifier specified")
    return text


# --- MarkdownV2 -----------------------------------------------------------------------------------------------------

# What opens, what it is called in error texts, and the kind of entity it makes; longer marks first.
_V2_MARKS = (
    (b"```", "Pre", "pre"),
    (b"__", "Underline", "underline"),
    (b"||", "Spoiler", "spoiler"),
    (b"![", "CustomEmoji", "custom_emoji"),
    (b"*", "Bold", "bold"),
    (b"_", "Italic", "italic"),
    (b"~", "Strikethrough", "strikethrough"),
    (b"`", "Code", "code"),
    (b"[", "TextUrl", "text_link"),
)
_V2_ENDS = {name: mark for mark, name, _ in _V2_MARKS} | {"PreCode": b"```", "CustomEmoji": b"]", "TextUrl": b"]"}
_V2_KINDS = {name: kind for _, name, kind in _V2_MARKS} | {"PreCode": "pre", "BlockQuote": "blockquote"}
_V2_RESERVED = b"_*[]()~`>#+-=|{}.!\n"
_V2_PLAIN = re.compile(rb"[^\\_*\[\]()~`>#+\-=|{}.!\n]+")
_V2_LANGUAGE = re.compile(rb"([^\s`]+)(?=\s)")
_V2_NEWLINE = re.compile(rb"\r\n|\n\r|\n|\r")
_V2_URL = re.compile(rb"\(((?:\\[\x01-\x7e]|[^)\\]|\\)*)\)")


@dataclass(slots=True)
class _MarkdownV2:
    """One pass over the bytes; every reserved character must open, close or be escaped."""

    data: bytes
    at: int = 0
    shown: _Shown = field(default_factory=_Shown)
    quoting: bool = False

    def read(self) -> Parsed:
        while self.at < len(self.data):
            self._step()
        if self.quoting and self.shown.opened[-1].name == "BlockQuote":
            self.shown.close("blockquote")
        if self.shown.opened:
            self._unfinished()
        return self.shown.done()

    def _step(self) -> None:
        inside = self.shown.opened[-1].name if self.shown.opened else ""
        if self._escaped():
            return
        if inside in ("Code", "Pre", "PreCode") and self.data[self.at : self.at + 1] != b"`":
            self._plain(rb"[^`\\]+|\\")
        elif plain := _V2_PLAIN.match(self.data, self.at):
            self._take(plain[0])
        elif self.data[self.at : self.at + 1] == b"\\":
            self._take(b"\\")
        elif self._ends(inside):
            self._close(inside)
        else:
            self._open()

    def _escaped(self) -> bool:
        following = self.data[self.at + 1 : self.at + 2]
        if self.data[self.at : self.at + 1] != b"\\" or not following or not 0 < following[0] <= 126:
            return False
        self.shown.add(following.decode())
        self.at += 2
        return True

    def _plain(self, pattern: bytes) -> None:
        found = re.compile(pattern).match(self.data, self.at)
        assert found is not None
        self._take(found[0])

    def _take(self, piece: bytes) -> None:
        self.shown.add(piece.decode())
        self.at += len(piece)

    def _ends(self, inside: str) -> bool:
        rest = self.data[self.at : self.at + 3]
        if self.quoting and rest.startswith(b"\n") and rest[1:2] != b">":
            return True
        if not inside or inside == "BlockQuote":
            return False
        if inside == "Italic" and rest.startswith(b"__"):
            return False
        return rest.startswith(_V2_ENDS[inside])

    def _close(self, inside: str) -> None:
        if self.data[self.at : self.at + 1] == b"\n":
            if inside != "BlockQuote":
                self._unfinished()
            self._take(b"\n")
            self.quoting = False
            return self.shown.close("blockquote")
        self.at += len(_V2_ENDS[inside])
        if inside == "TextUrl":
            kind, more = _link(self._url("a URL") or self.shown.since(self.shown.opened[-1]))
            return self.shown.close(kind, **more)
        if inside == "CustomEmoji":
            return self._close_emoji()
        return self.shown.close(_V2_KINDS[inside], **self.shown.opened[-1].attributes)

    def _close_emoji(self) -> None:
        url = self._url("a custom emoji URL")
        if url is None:
            raise FormatError("Custom emoji entity must contain a tg://emoji URL")
        if not url.startswith("tg://emoji?id="):
            raise FormatError("Custom emoji URL must have scheme tg")
        self.shown.close("custom_emoji", custom_emoji_id=_emoji_id(url.removeprefix("tg://emoji?id=")))

    def _url(self, what: str) -> str | None:
        if self.data[self.at : self.at + 1] != b"(":
            return None
        found = _V2_URL.match(self.data, self.at)
        if found is None:
            raise FormatError(f"Can't find end of {what} at byte offset {self.at + 1}")
        self.at = found.end()
        return re.sub(rb"\\([\x01-\x7e])", rb"\1", found[1]).decode()

    def _open(self) -> None:
        begin = self.at
        if self.data.startswith(b"\n", begin):
            return self._line_break()
        if begin == 0 and self.data.startswith(b">"):
            return self._quote(begin)
        for mark, name, _ in _V2_MARKS:
            if self.data.startswith(mark, begin):
                self.at += len(mark)
                return self._open_pre(begin) if name == "Pre" else self.shown.open(name, begin)
        char = self.data[begin : begin + 1].decode()
        raise FormatError(f"Character '{char}' is reserved and must be escaped with the preceding '\\'")

    def _line_break(self) -> None:
        self._take(b"\n")
        if self.data.startswith(b">", self.at):
            if self.quoting:
                self.at += 1
            else:
                self._quote(self.at)

    def _quote(self, begin: int) -> None:
        self.at += 1
        self.quoting = True
        self.shown.open("BlockQuote", begin)

    def _open_pre(self, begin: int) -> None:
        language = _V2_LANGUAGE.match(self.data, self.at)
        if language:
            self.at = language.end()
        if newline := _V2_NEWLINE.match(self.data, self.at):
            self.at = newline.end()
        name = "PreCode" if language else "Pre"
        self.shown.open(name, begin, {"language": language[1].decode()} if language else None)

    def _unfinished(self) -> None:
        opened = self.shown.opened[-1]
        raise FormatError(f"Can't find end of {opened.name} entity at byte offset {opened.raw_at}")


def parse_markdown_v2(raw: str) -> Parsed:
    """MarkdownV2: nested marks, and every other reserved character escaped."""
    return _MarkdownV2(raw.encode()).read()


# --- Markdown, the old one ------------------------------------------------------------------------------------------

_V1_PIECE = re.compile(rb"\\[_*`\[]|[^\\_*`\[]+|\\|```|[_*`\[]")
_V1_ENDS = {b"_": b"_", b"*": b"*", b"`": b"`", b"```": b"```", b"[": b"]"}
_V1_KINDS = {b"_": "italic", b"*": "bold", b"`": "code", b"```": "pre"}


def parse_markdown(raw: str) -> Parsed:
    """The old Markdown: four marks, never nested."""
    data, shown, at = raw.encode(), _Shown(), 0
    while at < len(data):
        piece = _V1_PIECE.match(data, at)
        assert piece is not None
        end = _V1_ENDS.get(piece[0])
        if end is None:
            shown.add(piece[0][1:].decode() if len(piece[0]) == 2 and piece[0][:1] == b"\\" else piece[0].decode())
            at = piece.end()
        else:
            at = _v1_entity(data, piece, end, shown)
    return shown.done()


def _v1_entity(data: bytes, piece: re.Match[bytes], end: bytes, shown: _Shown) -> int:
    stop = data.find(end, piece.end())
    if stop < 0:
        raise FormatError(f"Can't find end of the entity starting at byte offset {piece.start()}")
    shown.open(piece[0].decode(), piece.start())
    shown.add(data[piece.end() : stop].decode())
    at = stop + len(end)
    if piece[0] != b"[":
        shown.close(_V1_KINDS[piece[0]])
        return at
    url = _V2_URL.match(data, at)
    kind, more = _link(url[1].decode() if url else data[piece.end() : stop].decode())
    shown.close(kind, **more)
    return url.end() if url else at


PARSERS: dict[str, Callable[[str], Parsed]] = {
    "html": parse_html,
    "markdown": parse_markdown,
    "markdownv2": parse_markdown_v2,
}
