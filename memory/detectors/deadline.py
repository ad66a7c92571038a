"""A deadline: a time by which something is due, as it was meant on the day the mail was written.

Either a word says so by itself (deadline, due, expires, Frist, spätestens, fällig), or a time leans on "by", "until",
"before", "bis" and something is to be done ("please send it by Friday"). "I'm away until Monday" is no deadline.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from memory.detectors.finding import Finding, quoted
from memory.detectors.sentence import own_words
from memory.mail import KeptMail
from memory.when.reader import read
from memory.when.reading import Mention, Reading
from memory.zones import to_utc

DAY_ENDS_AT = time(18)
"""When a day is over that something is due on: later nobody is there to take it."""
READ_MAX = 8
"""So many places of a mail are read for a time."""
BEFORE, AFTER = 140, 90
"""So many characters before and after the word are looked at."""

_SAYS_SO = re.compile(
    r"(?<!\w)(?:deadline|due (?:on|by|date|in|at|today|tomorrow|this|next|mon|tue|wed|thu|fri|sat|sun)|due(?= \d)|is due|are due|no later than|at the latest|"
    r"expir(?:es?|ing|ation date)|valid (?:until|through)|last day (?:to|for)|closing date|closes (?:on|at)|cut-?off|rsvp by|"
    r"(?:must|has to|have to|needs? to|should) be (?:\w+ )?(?:received|submitted|returned|paid|completed|done|signed|filed|ready) (?:by|before)|"
    r"\w{0,20}frist|stichtag|spätestens|fällig(?:keit)?|abgabe(?:termin|schluss)|einsendeschluss|anmeldeschluss|zahlbar (?:bis|innerhalb)|"
    r"gültig bis|läuft[^.!?\n]{0,30}\bab|letzter tag|endet (?:am|um|heute|morgen))(?!\w)",
    re.IGNORECASE,
)
_LEANS = re.compile(r"(?<!\w)(?:by|until|till|before|within|bis|binnen|innerhalb|vor)(?= )", re.IGNORECASE)
_TO_DO = re.compile(
    r"(?<!\w)(?:please|pls|need(?:s|ed)?|must|have to|has to|submit\w{0,4}|send|return\w{0,2}|pay|paid|reply|respond|answer|confirm\w{0,3}|"
    r"rsvp|register|sign(?:ed)?|complete\w{0,1}|file|deliver\w{0,2}|finish\w{0,2}|let (?:me|us) know|get back|can you|could you|would you|will you|"
    r"want(?:ed)?|expect|required?|decide|decision|review|feedback|approve|approval|provide|forward|book|apply|hand in|ready|done|back to (?:me|us)|"
    r"bitte|brauch\w{1,3}|benötig\w{1,3}|muss|müssen|soll(?:te|ten|en)?|schick\w{0,3}|send\w{0,3}|zahl\w{0,3}|überweis\w{1,3}|antwort\w{0,3}|"
    r"bestätig\w{1,3}|anmeld\w{1,3}|meld\w{1,3}|unterschr\w{1,10}|abgeb\w{1,3}|abgegeben|einreich\w{1,3}|eingereicht|fertig|erledig\w{1,3}|rückmeldung|"
    r"bescheid|kannst|könn\w{1,4}|zurück\w{0,12}|entscheid\w{1,4}|prüf\w{1,3}|freigabe|liefer\w{1,3})(?!\w)",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"(?<!\w)(?:away|out of (?:the )?office|on (?:leave|vacation|holiday)|ooo|traveling|travelling|not available|unavailable|open|back|was|were|worked|"
    r"waited|stayed|since|from \d|im urlaub|abwesend|verreist|unterwegs|geöffnet|nicht (?:da|erreichbar)|hatte|war|waren|von \d)(?!\w)[^.!?]{0,60}$",
    re.IGNORECASE,
)

_PROMISED = re.compile(
    r"(?<!\w)(?:(?:I|we)(?:(?:'ll| will)(?! (?:\w{1,12} )?(?:need|require|expect))| won't| wont| can| should be able| am going| are going| (?:hope|plan|expect) to)|I'm (?:going|hoping)|give (?:me|us)|"
    r"(?:ich|wir) (?:werde|werden|schicke|schicken|sende|melde|kann|können|mache|machen)|(?:werde|werden) (?:ich|wir))(?!\w)[^.!?]{0,100}$",
    re.IGNORECASE,
)
"""What the writer will do by then is no deadline of the owner's."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """What is read, when it was written, and in whose zone."""

    text: str
    written_at: datetime
    zone: ZoneInfo

    def times(self, start: int, end: int) -> list[tuple[int, Mention]]:
        """The points in time said between two places, each with where it stands."""
        mentions = read(self.text[start:end], now=self.written_at, zone=self.zone)
        points = (each for each in mentions if each.readings[0].kind != "duration" and not each.readings[0].recurrence)
        return [(start + each.span[0], each) for each in points]


def deadline(kept: KeptMail, *, zone: ZoneInfo, now: datetime) -> Finding | None:
    """The next time by which something is due, else the last that has passed; detail is "stated" or "implied".

    zone: the owner's, when the mail was written. now: aware; only what `is_past` is said by.
    """
    if kept.by_owner:
        return None
    found = list(_found(_Letter(f"{kept.mail.subject[:300]}\n{own_words(kept)}", kept.at, zone), now))
    coming = [each for each in found if not each.is_past]
    if coming:
        return min(coming, key=_due)
    return max(found, key=_due, default=None)


def _due(found: Finding) -> datetime:
    assert found.due_at is not None  # noqa: S101  a deadline without a time is not found
    return found.due_at


def _found(letter: _Letter, now: datetime) -> Iterator[Finding]:
    for detail, start, end in _places(letter.text):
        found = _stated(letter, start, end) if detail == "stated" else _implied(letter, start, end)
        due_at = _due_at(found[1].readings[0], letter.zone) if found else None
        if found and due_at:
            quote = quoted(letter.text, min(start, found[0]), max(end, found[0] + len(found[1].text)))
            yield Finding(kind="deadline", detail=detail, quote=quote, due_at=due_at, is_past=due_at < now)


def _places(text: str) -> Iterator[tuple[str, int, int]]:
    """Where a time is worth reading, stated ones first, READ_MAX at most."""
    stated = [("stated", found.start(), found.end()) for found in islice(_SAYS_SO.finditer(text), READ_MAX)]
    yield from stated
    left = READ_MAX - len(stated)
    leaning = (found for found in _LEANS.finditer(text) if _is_to_be_done(text, found.start(), found.end()))
    yield from (("implied", found.start(), found.end()) for found in islice(leaning, left))


def _is_to_be_done(text: str, start: int, end: int) -> bool:
    """Whether the sentence around the word, or the one before it, wants something done."""
    paragraph = max(text.rfind("\n\n", 0, start), 0)
    before, after = text[max(paragraph, start - BEFORE) : start].replace("’", "'"), text[end : end + AFTER]
    if _AWAY.search(before) or _PROMISED.search(before):
        return False
    return _TO_DO.search(before) is not None or _TO_DO.search(after[: AFTER // 2]) is not None


def _stated(letter: _Letter, start: int, end: int) -> tuple[int, Mention] | None:
    """The first time behind the word or around it, else the last one before it: "on Friday at the latest"."""
    reach = _line_end(letter.text, end)
    # What lies within the word itself is no time: "last day" is not yesterday.
    for at, mention in (*letter.times(start, reach), *letter.times(end, reach)):
        if at + len(mention.text) > end and at <= end + AFTER // 2:
            return at, mention
    before = letter.times(max(letter.text.rfind("\n\n", 0, start) + 1, start - 60, 0), start)
    return before[-1] if before else None


def _implied(letter: _Letter, start: int, end: int) -> tuple[int, Mention] | None:
    """The time that the word belongs to. "By one" and "by 2030" are mostly something else."""
    for at, mention in letter.times(start, _line_end(letter.text, end)):
        if at > end + 1:
            return None
        if mention.readings[0].grain != "year" and mention.text.lower() != "by one":
            return at, mention
    return None


def _line_end(text: str, end: int) -> int:
    """AFTER characters on, but not beyond the paragraph."""
    paragraph = text.find("\n\n", end)
    return min(end + AFTER, paragraph if paragraph >= 0 else len(text))


def _due_at(reading: Reading, zone: ZoneInfo) -> datetime | None:
    """The instant at which it is late: the end of a working day, the beginning of a month, the very minute."""
    if reading.at is not None:
        return reading.at
    wall = reading.wall
    try:
        if reading.grain in ("day", "week") and reading.bound != "before":
            # "By the end of the week" is read as the Monday after, with the day before to be reminded on.
            day = min(wall, reading.anchor).date()
            wall = datetime.combine(day, DAY_ENDS_AT)
        elif reading.kind == "interval" and reading.end is not None:
            wall = max(wall, min(reading.anchor, reading.end - timedelta(minutes=1)))
        return to_utc(wall, zone)
    except (OverflowError, ValueError):
        return None
