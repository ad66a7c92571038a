"""Defanging: an address that a model made up is shown, and cannot be tapped.

A model that has read hostile mail may be talked into writing a link that carries what it knows to a stranger. So text
that a model composed is shown with live links only to addresses that stood in front of it, word for word; every other is
written `hxxps://evil[.]example/…`, where the owner sees it and a thumb does nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memory.legible import legible
from memory.markdown import Mark, definitions, marks

# What a chat client would make a link of: a scheme with two slashes (a backslash between them is gone once drawn), a
# host that begins with www., and a host with something after it. No brackets, so that what is defanged stays as it is.
_ADDRESS = re.compile(
    r"""
      (?:[a-z][a-z0-9+.-]{0,10})? :\\?/\\?/ [^\s<>"`|\[\]]*
    | (?<![\w@]) www \\?\. [^\s<>"`|\[\]]+
    | (?<![\w@])(?<!\w[-.]) (?:[\w-]++\\?\.)+ [^\W\d_]{2,24} (?: :\d+)? \\?[/?\#] (?=[^\s<>"`|\[\]]*\w) [^\s<>"`|\[\]]*
    | (?<![\w@])(?<!\w[-.]) \d{1,3} (?:\.\d{1,3}){3} (?: :\d+)? \\?[/?\#] (?=[^\s<>"`|\[\]]*\w) [^\s<>"`|\[\]]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WEB_LINK = re.compile(r"https?://[^\s<>\"']{1,2000}")
_WEB_SCHEME = re.compile(r"htt(?=ps?:)", re.IGNORECASE)
_OTHER_SCHEME = re.compile(r"(?<!hxxp)(?<!hxxps):(?=\\?/\\?/)", re.IGNORECASE)
_DOT = re.compile(r"\\?[.\u3002\uff0e\uff61]")
# Marks that may follow an address without being part of it; more than a few of them belong to no sentence.
_CLOSERS = frozenset(".,;:!?'*_~)}\\")
_MOST_CLOSERS = 20
_TARGET_LETTERS = 200
_ACTIVE_IN_TARGET = re.compile(r"[\\`*<>|~]|(?<!\w)_|_(?!\w)")
_ACTIVE = re.compile(r"[\\`*_{}\[\]<>|~$&!]|^[ ]{0,3}[#+=-]|^[ ]{4,}", re.MULTILINE)
_LEAVES = frozenset({"Text", "Code", "Html", "InlineHtml"})
_LINKS = frozenset({"Link", "Image"})
_BLOCKS = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Item", "TableHead", "TableRow", "TableCell"})


def defang(text: str, allowed: frozenset[str]) -> str:
    """Return Markdown `text` in which only addresses that stand in `allowed`, character for character, are live.

    Meant are addresses with a scheme (`https://`, `tg://`, …), with `www.`, or with a path (`t.me/…`), anywhere in the
    text, code included, and whatever a Markdown link, picture, reference or `<…>` leads to. Links and pictures to other
    addresses become their label with the defanged target in brackets. A mail address or a host alone, in running text,
    stays: it can carry nothing away.

    The result is read once more as a client would see it. Should an address show only then, put together from entities,
    escapes or emphasis, the text loses its markup instead. Never raises; time is linear in the text's length.
    """
    source = legible(text)
    defanged = _edited(source, allowed)
    if _is_live(defanged, allowed):
        return _ACTIVE.sub(_escape, _without_addresses(_rendered(source, allowed), allowed))
    return defanged


def deadened(text: str) -> str:
    """Plain text in which no address is live; it is read as it stands, whatever Markdown would make of it."""
    return _without_addresses(legible(text), frozenset())


def links_in(text: str) -> frozenset[str]:
    """The web addresses that stand in a text, as `defang` wants them: those may stay alive."""
    return frozenset(link.rstrip(".,;:!?)]}>\"'") for link in _WEB_LINK.findall(text))


# Addresses in text


def _without_addresses(text: str, allowed: frozenset[str]) -> str:
    return _ADDRESS.sub(lambda found: _judged(found[0], allowed), text)


def _judged(address: str, allowed: frozenset[str]) -> str:
    """Return an address found in text, defanged unless it is allowed; what closes a sentence after it is not part of it."""
    core = address
    for _ in range(_MOST_CLOSERS):
        if core in allowed:
            return address
        if not core or core[-1] not in _CLOSERS:
            break
        core = core[:-1]
    return _fangless(core) + address[len(core) :]


def _fangless(address: str) -> str:
    """Return the address so that no client makes a link of it or of a part of it; doing it twice changes nothing."""
    dead = _OTHER_SCHEME.sub("[:]", _WEB_SCHEME.sub("hxx", address))
    return _DOT.sub("[.]", dead)


def _is_live(markdown: str, allowed: frozenset[str]) -> bool:
    """Would a client that draws this Markdown, with or without its HTML, offer an address that is not allowed?"""
    read = list(marks(markdown))
    if any(_leads_astray(mark, allowed) for mark in read):
        return True
    seen = _text(read), _text(mark for mark in read if mark.kind not in {"Html", "InlineHtml"})
    return any(_without_addresses(text, allowed) != text for text in seen)


def _leads_astray(mark: Mark, allowed: frozenset[str]) -> bool:
    """Does a link or picture begin here whose target is not allowed? Mail addresses in `<…>` are no links of ours."""
    if mark.kind != "Start" or mark.name not in _LINKS or mark.data["link_type"] == "Email":
        return False
    return bool(mark.data["dest_url"]) and mark.data["dest_url"] not in allowed


def _text(read: Iterable[Mark]) -> str:
    return "".join(_shown(mark) for mark in read)


def _shown(mark: Mark) -> str:
    if mark.kind in _LEAVES:
        return str(mark.data)
    if mark.kind in {"SoftBreak", "HardBreak", "Rule"} or (mark.kind == "End" and mark.name in _BLOCKS):
        return "\n"
    return ""


# Links in Markdown


@dataclass(frozen=True, slots=True)
class _Edit:
    """What stands in place of a piece of the source, given in UTF-8 bytes."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class _Link:
    """A link or picture being read, and from where to where its label reaches."""

    mark: Mark
    label_start: int = -1
    label_end: int = -1

    def take(self, mark: Mark) -> None:
        """Let the label reach over what the mark covers."""
        self.label_start = mark.start if self.label_start < 0 else min(self.label_start, mark.start)
        self.label_end = max(self.label_end, mark.end)


def _edited(text: str, allowed: frozenset[str]) -> str:
    """Return the text with its links judged, and the rest of it searched for addresses."""
    source = text.encode()
    edits = [*_link_edits(text, source, allowed), *_definition_edits(text, source, allowed)]
    parts, cursor = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start >= cursor:
            parts += [_without_addresses(source[cursor : edit.start].decode(), allowed), edit.text]
            cursor = edit.end
    return "".join([*parts, _without_addresses(source[cursor:].decode(), allowed)])


def _link_edits(text: str, source: bytes, allowed: frozenset[str]) -> Iterator[_Edit]:
    open_links: list[_Link] = []
    for mark in marks(text):
        if open_links and mark.name not in _LINKS:
            open_links[-1].take(mark)
        if mark.name in _LINKS and mark.kind == "Start":
            open_links.append(_Link(mark))
        elif mark.name in _LINKS:
            link = open_links.pop()
            yield from _edits(link, source, allowed)
            if open_links:
                open_links[-1].take(link.mark)


def _edits(link: _Link, source: bytes, allowed: frozenset[str]) -> Sequence[_Edit]:
    """Keep the syntax of a link that is allowed; strip that of another, and put the target behind the label."""
    start, end, told = link.mark.start, link.mark.end, link.mark.data
    target = _target(told["dest_url"])
    if not _leads_astray(link.mark, allowed):
        tail = start if told["link_type"] == "Autolink" else max(start, link.label_end)
        return () if told["title"] else [_Edit(tail, end, source[tail:end].decode())]
    if link.label_start < 0 or told["link_type"] == "Autolink":
        return [_Edit(start, end, target)]
    is_escaped = source[link.label_start - 1 : link.label_start] == b"\\"
    return [_Edit(start, link.label_start - is_escaped, ""), _Edit(link.label_end, end, f" ({target})")]


def _definition_edits(text: str, source: bytes, allowed: frozenset[str]) -> Iterator[_Edit]:
    for found in definitions(text):
        if found.target not in allowed:
            title = f' "{found.title}"' if found.title else ""
            shown = _without_addresses(f"\\[{found.label}]: ", allowed) + _target(found.target)
            yield _Edit(found.start, found.end, shown + _without_addresses(title, allowed))
        elif not found.title:
            yield _Edit(found.start, found.end, source[found.start : found.end].decode())


def _target(target: str) -> str:
    """Return a link's target defanged, shortened, and without what Markdown would read in it."""
    shown = target if len(target) <= _TARGET_LETTERS else target[:_TARGET_LETTERS] + "…"
    return _ACTIVE_IN_TARGET.sub(r"\\\g<0>", _fangless(shown))


# Without markup


def _rendered(markdown: str, allowed: frozenset[str]) -> str:
    """Return what a reader would see, and behind each label its target if that is not allowed."""
    parts = []
    open_links: list[Mark] = []
    for mark in marks(markdown):
        parts.append(_shown(mark))
        if mark.name in _LINKS and mark.kind == "Start":
            open_links.append(mark)
        elif mark.name in _LINKS and _leads_astray(link := open_links.pop(), allowed):
            parts.append(f" ({_fangless(link.data['dest_url'])})")
    return "".join(parts)


def _escape(found: re.Match[str]) -> str:
    """Put a backslash before a mark that means something in Markdown, and drop indentation, which means code."""
    mark = found[0].lstrip(" ")
    return f"\\{mark}" if mark else ""
