"""The parts of a mail made into what it says and what came with it."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message

from memory.mail import Attachment
from tools.files.charset import clean, read_text
from tools.files.header import Report, decode_words
from tools.files.html import PageText, read_html
from tools.files.part import charset_of, children, content_of, field_of, raw_name

DEPTH_LIMIT = 50
PARTS_LIMIT = 1000
TEXT_LIMIT_CHARS = 1_000_000
"""Visible text that is kept of one mail; the longest real ones (logs pasted whole) stay well below."""
NAME_LIMIT_CHARS = 120
CALENDARS_LIMIT = 5
CALENDAR_LIMIT_BYTES = 200 * 1024
REPORTS_LIMIT = 5

_CALENDAR_KINDS = ("text/calendar", "text/x-vcalendar", "application/ics", "application/x-ics")

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# What a plain text version holds and its HTML does not show: targets of links, names of pictures.
_ASIDES = re.compile(r"<?\b(?:https?://|mailto:|www\.)[^\s<>]*>?|\[(?:image|cid|data):[^\]]{0,300}\]", re.IGNORECASE)
_SHOWN_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LONG_NUMBER = re.compile(r"\d[\d.,/-]{2,}\d")


@dataclass(frozen=True, slots=True)
class Body:
    """What the parts of a mail come to.

    digest: sha-256 in hex over all content, blind to line ends and spacing. calendars: the text of invitations, each
    once. reports: the parts in which a server tells what became of a mail (message/delivery-status).
    """

    text: str
    was_cut: bool
    html_hidden: bool
    parts_disagree: bool
    attachments: tuple[Attachment, ...]
    digest: str
    calendars: tuple[str, ...] = ()
    reports: tuple[Message, ...] = ()


@dataclass(slots=True)
class _Found:
    """What is gathered while the parts are walked; pieces of text in their order, as plain text, HTML or both."""

    texts: list[tuple[str | None, str | None]] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)


def read_body(message: Message, report: Report) -> Body:
    """Read all parts of `message`.

    Text counts when it is meant to be seen at once: neither an attachment nor named as a file. Attached mails are
    attachments: what they say was not said by this sender. Of parts that are alternatives the plain text is taken; when
    the HTML says something else, the HTML, since that is what a mail program shows.
    """
    reader = _Reader(report)
    found = _Found()
    reader.take(message, found, 1)
    visible = [_visible(plain, html, report) for plain, html in found.texts]
    text = "\n\n".join(piece.text.strip("\n") for piece in visible if piece.text.strip())
    return Body(
        text=text[:TEXT_LIMIT_CHARS],
        was_cut=reader.was_cut or len(text) > TEXT_LIMIT_CHARS or any(piece.was_cut for piece in visible),
        html_hidden=any(piece.html_hidden for piece in visible),
        parts_disagree=any(piece.parts_disagree for piece in visible),
        attachments=tuple(found.attachments),
        digest=reader.digest.hexdigest(),
        calendars=tuple(reader.calendars),
        reports=tuple(reader.reports[:REPORTS_LIMIT]),
    )


class _Reader:
    """Walks the parts of one mail and counts them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._parts = 0
        self.was_cut = False
        self.digest = hashlib.sha256()
        self.calendars: dict[str, None] = {}
        self.reports: list[Message] = []

    def take(self, part: Message, found: _Found, depth: int) -> None:
        self._parts += 1
        if depth > DEPTH_LIMIT or self._parts > PARTS_LIMIT:
            self._report("more parts than are read" if self._parts > PARTS_LIMIT else "parts nested too deeply")
            self.was_cut = True
            return
        for defect in part.defects:
            self._report(_named(defect))
        kind = part.get_content_type()
        if _is_calendar(part, kind):
            self._take_calendar(part)
        elif kind == "message/delivery-status":
            self.reports.append(part)
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            self._take_many(part, kind, found, depth)
        elif _is_inline_text(part, kind, depth):
            self._take_text(part, kind, found)
        else:
            found.attachments.append(self._attachment(part, kind))

    def _take_many(self, part: Message, kind: str, found: _Found, depth: int) -> None:
        inner = _Found()
        for number, child in enumerate(children(part)):
            # what stands beside the first part of these is there for it: pictures, a signature
            into = _Found() if number and kind in ("multipart/related", "multipart/signed") else inner
            self.take(child, into, depth + 1)
            if into is not inner:
                inner.attachments += into.attachments
        if kind == "multipart/alternative" and len(inner.texts) > 1:
            inner.texts = [(_joined(plain for plain, _ in inner.texts), _joined(html for _, html in inner.texts))]
        found.texts += inner.texts
        found.attachments += inner.attachments

    def _take_text(self, part: Message, kind: str, found: _Found) -> None:
        data = b"".join(content_of(part, self._part_report()))
        self.digest.update(b" ".join(data.split()) + b"\x00")
        if len(data) > 4 * TEXT_LIMIT_CHARS:
            data = data[: 4 * TEXT_LIMIT_CHARS]
            self.was_cut = True
        text, fault = read_text(data, charset_of(part))
        if fault:
            self._part_report()(fault)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        found.texts.append((None, text) if kind == "text/html" else (text, None))

    def _take_calendar(self, part: Message) -> None:
        data = b"".join(content_of(part, lambda _: None))  # its faults are told of once, as those of an attachment
        if len(data) > CALENDAR_LIMIT_BYTES or len(self.calendars) >= CALENDARS_LIMIT:
            self._part_report()("a calendar too large, or one too many, left out")
            return
        text = clean(read_text(data, charset_of(part))[0].replace("\r\n", "\n").replace("\r", "\n"))
        self.calendars.setdefault(text)

    def _attachment(self, part: Message, kind: str) -> Attachment:
        content = hashlib.sha256()
        size_bytes = 0
        for chunk in content_of(part, self._part_report()):
            content.update(chunk)
            size_bytes += len(chunk)
        self.digest.update(content.digest())
        return Attachment(safe_name(raw_name(part), kind, self._report), kind, size_bytes, content.hexdigest())

    def _part_report(self) -> Report:
        number = self._parts
        return lambda fault: self._report(f"{fault} in part {number}")


def safe_name(raw: str, media_type: str, report: Report) -> str:
    """A bare file name made of what a sender wrote: no folders, no drive, no invisible or control characters."""
    name = decode_words(raw, report).replace("\\", "/").rpartition("/")[2]
    name = "".join(each for each in name if unicodedata.category(each) not in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"))
    name = re.sub(r'[:*?"<>|]', "_", name).strip(" .")
    if not name:
        return "mail.eml" if media_type.startswith("message/") else "unnamed"
    stem, dot, ending = name.rpartition(".")
    if len(name) > NAME_LIMIT_CHARS and dot and len(ending) < 20:
        return stem[: NAME_LIMIT_CHARS - len(ending) - 1] + dot + ending
    return name[:NAME_LIMIT_CHARS]


def say_different(plain: str, page: str) -> bool:
    """Whether the two versions of a mail differ in what matters.

    They do when an address or a number of four digits or more stands in one of them only, when words were exchanged
    for others, or when one holds a good deal that the other lacks. Links and names of pictures don't count. Only which
    words there are is compared, not their order.
    """
    plain, page = _ASIDES.sub(" ", plain), _ASIDES.sub(" ", page)
    theirs, ours = (_WORD.findall(text.casefold()) for text in (plain, page))
    if theirs == ours:
        return False
    if any(_marks(pattern, plain) != _marks(pattern, page) for pattern in (_SHOWN_ADDRESS, _LONG_NUMBER)):
        return True
    only_plain, only_page = set(theirs) - set(ours), set(ours) - set(theirs)
    limit = max(len(set(theirs) | set(ours)) // 5, 3)
    return bool(only_plain and only_page) or len(only_plain) + len(only_page) > limit


@dataclass(frozen=True, slots=True)
class _Visible:
    text: str
    was_cut: bool = False
    html_hidden: bool = False
    parts_disagree: bool = False


def _visible(plain: str | None, html: str | None, report: Report) -> _Visible:
    if html is None:
        return _Visible(plain or "")
    page: PageText = read_html(html)
    if page.was_cut:
        report("HTML too long or too deep, read in part")
    if plain is None or not _WORD.search(plain):
        return _Visible(page.text, page.was_cut, page.html_hidden)
    differ = say_different(plain, page.text)
    is_page_better = differ and _WORD.search(page.text) is not None
    return _Visible(page.text if is_page_better else plain, page.was_cut, page.html_hidden, differ)


def _marks(pattern: re.Pattern[str], text: str) -> set[str]:
    return {re.sub(r"[.,/-]", "", mark.lower()) for mark in pattern.findall(text)}


def _joined(texts: Iterator[str | None]) -> str | None:
    there = [text for text in texts if text is not None]
    return "\n".join(there) if there else None


def _is_calendar(part: Message, kind: str) -> bool:
    if part.is_multipart() or kind in ("text/plain", "text/html"):
        return False
    return kind in _CALENDAR_KINDS or (kind == "application/octet-stream" and raw_name(part).lower().endswith(".ics"))


def _is_inline_text(part: Message, kind: str, depth: int) -> bool:
    if part.is_multipart() or field_of(part, "content-disposition").lower().startswith("attachment"):
        return False
    if kind in ("text/plain", "text/html"):
        return not raw_name(part)
    # the whole mail is one odd text, or claims to have parts and has none
    return depth == 1 and kind.startswith(("text/", "multipart/"))


def _named(defect: Exception) -> str:
    """A defect of the email package in words: its class name spelled out."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(defect).__name__.removesuffix("Defect")).lower()
