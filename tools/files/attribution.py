"""What introduces another's words in a mail: "On Monday Anna wrote:", "Von: … Gesendet: …", "-----Original Message-----".

English and German, and in any language what names a moment and an address and ends in a colon.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

LINE_LIMIT_CHARS = 400
"""A longer line introduces nothing; this also bounds what a pattern can be made to do."""

WRAP_LIMIT_LINES = 4
HEADER_LIMIT_LINES = 24

_MONTHS = r"jan|feb|m[aä]r|mrz|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_DATE = re.compile(
    r"\b(?:[0-3]?\d[./-][0-3]?\d[./-](?:19|20)?\d\d|(?:19|20)\d\d[./-][01]?\d[./-][0-3]?\d)\b"
    rf"|\b(?:{_MONTHS})[a-z]*\.?,? \d{{1,4}}\b|\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:{_MONTHS})"
    r"|\b\d{1,2}\.? [^\W\d_]{3,12}\.? (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_HOUR = re.compile(r"\b(?:[01]?\d|2[0-3])[:.h][0-5]\d\b")
_ADDRESS = re.compile(r"[\w.+-]@\w|[<(][\w.+-]+ (?:at|<at>) [\w.-]+[>)]|\[(?:mailto|SMTP):", re.IGNORECASE)
_OPENER = re.compile(
    r"(?:on|am|at|in|[-–— ]{0,6}on|quoting|zitat von|citando|le|el|il|em|op|den|dne|w dniu|dnia)\b[ :,]", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:wrote|writes|schrieb(?:en)?|schreibt|geschrieben)\b|^(?:quoting|zitat von) |\bsaid(?: the following)?(?: on |[ :]*$)",
    re.IGNORECASE,
)
_LAST = (":", "：", "e", "s", "b")
_ENDS = re.compile(r"(?:[:：]|\bwrote|\bwrites|\bschrieb)$", re.IGNORECASE)
# Google Mail of old: a date, a name and an address, nothing more.
_DATED_NAME = re.compile(r"\d{4}[/-]\d{1,2}[/-]\d{1,2} [^<>]{1,80}<[^<>\s]{3,80}>:?")

_RULER = re.compile(r"[-_=*]{4,}(?: ?[^\W\d_][^-_=*:]{0,50}[-_=*]{4,})?")
_ORIGINAL = re.compile(
    r"[-_=*–— ]{0,40}(?:original message|original appointment|original-nachricht|originalnachricht"
    r"|urspr.{1,2}ngliche(?:r termin| nachricht| mail| e-mail)|message d.origine|original e-?mail|reply message)[-_=*–— :]{0,40}",
    re.IGNORECASE,
)
_FORWARDED = re.compile(
    r"[-_=*–— ]{2,40}(?:forwarded (?:message|mail)|weitergeleitete (?:nachricht|e-?mail)|forward)\b[^:]{0,80}"
    r"|(?:begin forwarded message|anfang der weitergeleiteten (?:nachricht|e-?mail)|weitergeleitete nachricht|forwarded message):?"
    r"|[-_=*–— ]{3,40}(?:forwarded|weitergeleitet) (?:by|von) .{1,200}",
    re.IGNORECASE,
)
_ORNAMENT = re.compile(r"[-_=*–—]{2}")

_FIELD = re.compile(r"[*_]{0,2}([^\W\d_][\w-]{0,12}(?: \w{1,8})?) ?:[*_]{0,2} ?")
# The names that mail programs give the fields, in the languages of Europe: the sender's alone make no header.
_NAMES = {
    "from": "from von de da van fra från od",
    "date": "sent date gesendet datum envoyé enviado inviato verzonden dato sendt skickat data fecha wysłano",
    "to": "to an à a para aan til till do",
    "subject": "subject betreff objet sujet asunto assunto oggetto onderwerp emne ämne temat",
    "more": "cc kopie bcc reply-to importance priority wichtigkeit priorität organization when where attachments anlagen",
}
_FIELDS = {word: name for name, words in _NAMES.items() for word in words.split()} | {
    "sent on": "date",
    "sent at": "date",
    "sent by": "more",
    "gesendet am": "date",
    "enviado el": "date",
    "antwort an": "more",
    "copie à": "more",
}

Kind = Literal["attribution", "header", "forward"]
Field = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Introduction:
    """What introduces another's words, up to and with line `last`.

    kind: a sentence with a name, the fields of a header, or the mark of a forwarded mail. is_sure: what follows is
    another's even where nothing marks its lines.
    """

    last: int
    kind: Kind
    is_sure: bool


class Page:
    """The lines of a text, tidied, and what introduces another's words among them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = [_tidied(line) for line in lines]
        self._fields = [_field(line) for line in self.lines]
        self._ends = [line[-1:] in _LAST and _ENDS.search(line) is not None for line in self.lines]

    def introduction(self, at: int) -> Introduction | None:
        """What begins at line `at`, or None. Looks at a bounded number of lines."""
        line = self.lines[at]
        if not line:
            return None
        return (
            self._forward_words(at)
            or self._separator(at)
            or self._header(at)
            or self._dated_header(at)
            or self._attribution(at)
        )

    def ends_introduction(self, at: int) -> bool:
        """Whether line `at` by itself looks like the end of one."""
        line = self.lines[at]
        if self._fields[at] is not None:
            return True
        return self._ends[at] and any(each.search(line) for each in (_VERB, _ADDRESS, _HOUR))

    def _separator(self, at: int) -> Introduction | None:
        """A line of dashes above a header, or one with the words for it."""
        line = self.lines[at]
        if _ORIGINAL.fullmatch(line) and _ORNAMENT.search(line):
            return Introduction(max(self._header_end(at + 1)[0], at), "header", is_sure=True)
        if line[0] in "-_=*" and _RULER.fullmatch(line):
            below = self._next(at + 1, 2)
            return self._header(below) or self._dated_header(below)
        return None

    def _forward_words(self, at: int) -> Introduction | None:
        line = self.lines[at]
        if not _FORWARDED.fullmatch(line):
            return None
        wraps = range(at, min(at + 3, len(self.lines)))
        last = next((here for here in wraps if self.lines[here].endswith("--")), at)
        end, fields = self._header_end(last + 1)
        is_plain = not _ORNAMENT.search(line) and not line.endswith(":")
        return None if is_plain and len(fields) < 2 else Introduction(max(end, last), "forward", is_sure=True)

    def _header(self, at: int) -> Introduction | None:
        """The fields of a header written out: a sender, and an hour or an address; a memo has neither."""
        if at >= len(self.lines) or self._fields[at] is None:
            return None
        last, fields = self._header_end(at)
        sender, date = fields.get("from"), fields.get("date", "")
        if sender is None:
            return None
        has_hour, has_address = bool(_HOUR.search(date)), bool(_ADDRESS.search(sender))
        if has_hour or (has_address and ("subject" in fields or _DATE.search(date))):
            return Introduction(last, "header", is_sure=True)
        return None

    def _dated_header(self, at: int) -> Introduction | None:
        """A moment, a name on its line or above it, and below them to whom and about what, as Lotus Notes writes it."""
        after = next((here for here in range(at + 1, min(at + 7, len(self.lines))) if self._fields[here]), None)
        if after is None or sum(1 for line in self.lines[at + 1 : after] if line) > 2:
            return None
        begins = at == 0 or not self.lines[at - 1]
        if not self._is_dated(at) and not (begins and len(self.lines[at]) <= 60 and self._is_dated(at + 1)):
            return None
        last, fields = self._header_end(after)
        return Introduction(last, "header", is_sure=True) if "to" in fields and "subject" in fields else None

    def _is_dated(self, at: int) -> bool:
        line = self.lines[at]
        return len(line) <= 120 and _HOUR.search(line) is not None and _DATE.search(line) is not None

    def _header_end(self, at: int) -> tuple[int, dict[str, str]]:
        """The last line of the fields that begin at `at`, and what they say; `at - 1` and nothing when none do."""
        fields: dict[str, str] = {}
        last, wrapped = at - 1, 0
        for here in range(at, min(at + HEADER_LIMIT_LINES, len(self.lines))):
            if field := self._fields[here]:
                name, value = field
                if name in fields and name != "more":
                    break
                fields[name], last, wrapped = value, here, 0
            elif not self.lines[here]:
                # One or two empty lines may stand before the first field and between two of them.
                if self._field_at(self._next(here, 2)) is None:
                    break
            else:
                wrapped += 1
                if not fields or wrapped > 3 or not self._goes_on(here):
                    break
        return last, fields

    def _goes_on(self, at: int) -> bool:
        """Whether another field follows soon, so that the line at `at` belongs to the field before it."""
        for here in range(at + 1, min(at + 4, len(self.lines))):
            if self._fields[here] or not self.lines[here]:
                return self._fields[here] is not None
        return False

    def _field_at(self, at: int) -> Field | None:
        return self._fields[at] if at < len(self._fields) else None

    def _next(self, at: int, blanks: int) -> int:
        """The first line from `at` on that is not empty, after at most so many empty ones; else the end."""
        return next(
            (here for here in range(at, min(at + blanks + 1, len(self.lines))) if self.lines[here]), len(self.lines)
        )

    def _attribution(self, at: int) -> Introduction | None:
        """A sentence that ends in "wrote:", over up to four lines."""
        end = min(at + WRAP_LIMIT_LINES, len(self.lines))
        last = next((here for here in range(at, end) if self._ends[here] or _DATED_NAME.match(self.lines[here])), None)
        if last is None:
            return None
        lines = self.lines[at : last + 1]
        whole = " ".join(lines)
        if not all(lines) or any(line[0] == ">" and line != ">:" for line in lines) or len(whole) > LINE_LIMIT_CHARS:
            return None
        if any(_OPENER.match(line) and _DATE.search(line) for line in lines[1:]):
            return None  # it begins further down
        begins = at == 0 or not self.lines[at - 1]
        return _weighed(whole, last, begins=begins, wraps=last > at)


def _tidied(line: str) -> str:
    return " ".join(line.split()) if len(line) <= LINE_LIMIT_CHARS else ""


def _field(line: str) -> Field | None:
    match = _FIELD.match(line) if ":" in line[:24] else None
    name = _FIELDS.get(match[1].lower()) if match else None
    return (name, line[match.end() :]) if match and name else None


def _weighed(whole: str, last: int, *, begins: bool, wraps: bool) -> Introduction | None:
    """What a sentence that ends like an attribution is worth."""
    whole = whole.lstrip("-–—*_? ")
    if _DATED_NAME.fullmatch(whole):
        return Introduction(last, "attribution", is_sure=True)
    has_verb, opens, is_colon = bool(_VERB.search(whole)), bool(_OPENER.match(whole)), whole[-1:] in (":", "：")
    has_address, has_date, has_hour = (bool(each.search(whole)) for each in (_ADDRESS, _DATE, _HOUR))
    if has_verb and has_date and (opens or ((has_address or has_hour) and is_colon)):
        return Introduction(last, "attribution", is_sure=has_address or has_hour or len(whole.split()) <= 14)
    if has_address and "<" in whole and has_date and (has_hour or opens) and is_colon:
        return Introduction(last, "attribution", is_sure=True)
    if has_verb and is_colon and (not wraps or (begins and (has_address or has_date or opens))):
        return Introduction(last, "attribution", is_sure=False)
    return None
