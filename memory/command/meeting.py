"""Words about meetings: "accept the invitation from Anna", "move standup to 15:00", "invite anna@example.org to lunch …".

They make a card and nothing else. What names an event is looked up by whoever acts on them; where the time is missing or
can be read in two ways, that is said, and the owner is asked.
"""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.when.grain import rank
from memory.when.reader import read
from memory.when.reading import Mention, Reading

What = Literal["accept", "decline", "tentative", "move", "cancel", "create"]

LENGTH_MAX, NAME_MAX = 1_000, 120

MORNING = 8
"""An hour below this, said without am or pm, may be one of the afternoon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingWish:
    """What is wished of a meeting.

    words: what names the event, or the title of a new one. who: the organizer, or the guests. by_mail: "the invitation",
    so a mail that brought one. on: the day that narrows down which. start: naive wall time of a new or moved one; at: only
    the clock, the day stays; day: only the day, the clock stays. None of the three: it was not said, or not clearly.
    """

    what: What
    words: str = ""
    who: tuple[str, ...] = ()
    by_mail: bool = False
    on: date | None = None
    start: datetime | None = None
    at: time | None = None
    day: date | None = None
    lasts_for: timedelta | None = None
    comment: str = ""


_POLITE = re.compile(r"^(?:(?:please|bitte|ok|okay|hey)[,!. ]+)+|[ ,]*(?:please|bitte)?[.! ]*$", re.IGNORECASE)
_COMMENT = re.compile(r":\s+(?P<comment>\S.*)$", re.DOTALL)
_ARTICLE = r"(?:(?:the|my|this|that|our|den|das|die|dem|der|mein(?:e[nrm]?)?|unser(?:e[nrm]?)?)\s+)?"
_WORDS = rf"(?P<words>.{{1,{NAME_MAX}}}?)"
_FROM = rf"(?:\s+(?:from|of|by|von)\s+(?P<who>.{{1,{NAME_MAX}}}?))?"
_ABOUT = rf"(?:\s+(?:to|for|zu|zum|zur|für)\s+{_ARTICLE}{_WORDS})?"
_INVITATION = rf"(?:invitation|invite|einladung){_FROM}{_ABOUT}"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_ANSWERS: tuple[tuple[What, tuple[re.Pattern[str], ...]], ...] = (
    (
        "tentative",
        (
            _pattern(rf"(?:tentatively accept|(?:say|answer) maybe to)\s+{_ARTICLE}{_INVITATION}"),
            _pattern(rf"(?:sag|sage|antworte)\s+vielleicht\s+(?:zu|auf)\s+{_ARTICLE}{_INVITATION}"),
        ),
    ),
    (
        "accept",
        (
            _pattern(rf"(?:accept|(?:say|answer) yes to)\s+{_ARTICLE}{_INVITATION}"),
            _pattern(rf"nimm\s+{_ARTICLE}{_INVITATION}\s+an"),
            _pattern(rf"(?:sag|sage)\s+(?:zu\s+)?{_ARTICLE}{_INVITATION}\s+zu"),
        ),
    ),
    (
        "decline",
        (
            _pattern(rf"(?:decline|turn down|(?:say|answer) no to)\s+{_ARTICLE}{_INVITATION}"),
            _pattern(rf"(?:sag|sage|lehn|lehne)\s+{_ARTICLE}{_INVITATION}\s+ab"),
        ),
    ),
)
_BY_NAME: tuple[tuple[What, tuple[re.Pattern[str], ...]], ...] = (
    ("accept", (_pattern(rf"accept\s+{_ARTICLE}{_WORDS}"), _pattern(rf"nimm\s+{_ARTICLE}{_WORDS}\s+an"))),
    (
        "decline",
        (_pattern(rf"(?:decline|turn down)\s+{_ARTICLE}{_WORDS}"), _pattern(rf"lehne?\s+{_ARTICLE}{_WORDS}\s+ab")),
    ),
    ("tentative", (_pattern(rf"tentatively accept\s+{_ARTICLE}{_WORDS}"),)),
    (
        "cancel",
        (
            _pattern(rf"(?:cancel|call off)\s+{_ARTICLE}{_WORDS}"),
            _pattern(rf"sage?\s+{_ARTICLE}{_WORDS}\s+ab"),
            _pattern(rf"storniere?\s+{_ARTICLE}{_WORDS}"),
        ),
    ),
)
_MOVE = (
    _pattern(rf"(?:move|reschedule|shift)\s+{_ARTICLE}{_WORDS}\s+to\s+(?P<when>.{{1,80}})"),
    _pattern(rf"(?:verschiebe?|verlege?)\s+{_ARTICLE}{_WORDS}\s+(?:auf|nach)\s+(?P<when>.{{1,80}})"),
)
_CREATE = (
    _pattern(r"invite\s+(?P<who>.{1,300}?)\s+to\s+(?:an?\s+|the\s+)?(?P<rest>.{1,300})"),
    _pattern(r"lade?\s+(?P<who>.{1,300}?)\s+(?:zum|zur|zu)\s+(?:ein(?:e[mrn]?)?\s+)?(?P<rest>.{1,300}?)\s+ein"),
)
_MEAL = re.compile(
    r"\b(?:breakfast|brunch|lunch|dinner|supper|tea|frühstück|mittagessen|abendessen|kaffee)\b", re.IGNORECASE
)
"""What a meeting is called, and also a time of day to whoever reads times."""
_LASTS = re.compile(
    r"\s*\b(?:for|für)\s+(?P<n>\d{1,3}|an?|eine?)\s*(?P<unit>minutes?|mins?|minuten?|hours?|h|stunden?)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:at\s+|um\s+)?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s*(?P<mark>uhr|h|o['’]clock)?\s*(?P<half>am|pm)?",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"(?:^|\s)+(?:on|at|in|for|am|um|im|in|den|dem|the|from|ab)\s*$|[\s,;:\-–]+$", re.IGNORECASE)


def read_meeting(text: str, *, now: datetime, zone: ZoneInfo) -> MeetingWish | None:
    """What the words wish of a meeting; None when they are about something else. `now` is aware UTC."""
    said = _POLITE.sub("", text.strip()).strip()
    if not said or len(said) > LENGTH_MAX or said.endswith("?"):
        return None
    found = _COMMENT.search(said)
    comment, said = (found["comment"].strip(), said[: found.start()].strip()) if found else ("", said)
    scene = _Scene(now, zone)
    return (
        _answer(said, comment)
        or _create(said, comment, scene)
        or _move(said, comment, scene)
        or _by_name(said, comment, scene)
    )


@dataclass(frozen=True, slots=True)
class _Scene:
    now: datetime
    zone: ZoneInfo

    def mention(self, text: str) -> Mention | None:
        """The time in a text; the name of a meal is none here."""
        plain = _MEAL.sub(lambda found: "x" * len(found[0]), text)
        mentions = read(plain, now=self.now, zone=self.zone)
        # What comes back ("daily", "weekly") is what a meeting is called.
        found = [one for one in mentions if one.readings and one.readings[0].recurrence is None]
        return found[-1] if found else None


def _answer(said: str, comment: str) -> MeetingWish | None:
    for what, patterns in _ANSWERS:
        for pattern in patterns:
            if found := pattern.fullmatch(said):
                who = (_flat(found["who"]),) if found["who"] else ()
                return MeetingWish(what=what, words=_flat(found["words"] or ""), who=who, by_mail=True, comment=comment)
    return None


def _by_name(said: str, comment: str, scene: _Scene) -> MeetingWish | None:
    for what, patterns in _BY_NAME:
        for pattern in patterns:
            if found := pattern.fullmatch(said):
                words, on = _named(found["words"], scene)
                return MeetingWish(what=what, words=words, on=on, comment=comment) if words else None
    return None


def _move(said: str, comment: str, scene: _Scene) -> MeetingWish | None:
    found = next((one for pattern in _MOVE if (one := pattern.fullmatch(said))), None)
    if found is None:
        return None
    words, on = _named(found["words"], scene)
    wish = MeetingWish(what="move", words=words, on=on, comment=comment)
    clock = _CLOCK.fullmatch(found["when"].strip())
    if clock:
        return MeetingWish(what="move", words=words, on=on, at=_time(clock), comment=comment)
    reading = _only(scene.mention(found["when"]))
    if reading is None:
        return wish
    if _has_clock(reading):
        return MeetingWish(what="move", words=words, on=on, start=reading.wall, comment=comment)
    day = reading.wall.date() if reading.grain == "day" else None
    return MeetingWish(what="move", words=words, on=on, day=day, comment=comment)


def _create(said: str, comment: str, scene: _Scene) -> MeetingWish | None:
    found = next((one for pattern in _CREATE if (one := pattern.fullmatch(said))), None)
    if found is None:
        return None
    rest = found["rest"]
    lasts = _LASTS.search(rest)
    rest = rest[: lasts.start()] + rest[lasts.end() :] if lasts else rest
    mention = scene.mention(rest)
    reading = _only(mention)
    title = rest[: mention.span[0]] + " " + rest[mention.span[1] :] if mention else rest
    return MeetingWish(
        what="create",
        words=_bare(title),
        who=tuple(_flat(one) for one in re.split(r"\s*,\s*|\s+(?:and|und)\s+", found["who"]) if one.strip()),
        start=reading.wall if reading is not None and _has_clock(reading) else None,
        lasts_for=_length(lasts) if lasts else None,
        comment=comment,
    )


def _named(words: str, scene: _Scene) -> tuple[str, date | None]:
    """What names an event, without the day that narrows it down."""
    mention = scene.mention(words)
    if mention is None:
        return _bare(words), None
    start, end = mention.span
    on = mention.readings[0].wall.date() if rank(mention.readings[0].grain) <= rank("day") else None
    return _bare(f"{words[:start]} {words[end:]}"), on


def _only(mention: Mention | None) -> Reading | None:
    """The one way to read it; None when there is none, or more than one."""
    return mention.readings[0] if mention is not None and len(mention.readings) == 1 else None


def _has_clock(reading: Reading) -> bool:
    return reading.kind == "instant" and rank(reading.grain) < rank("day")


def _time(clock: re.Match[str]) -> time | None:
    hour, half = int(clock["hour"]), (clock["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    is_plain = clock["minute"] is None and not clock["mark"] and not half
    if is_plain and hour < MORNING:
        return None
    hour = hour % 12 + (12 if half == "pm" else 0) if half else hour
    minute = int(clock["minute"] or 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _length(found: re.Match[str]) -> timedelta:
    count = int(found["n"]) if found["n"].isdigit() else 1
    return timedelta(minutes=count) if found["unit"].lower().startswith("m") else timedelta(hours=count)


def _bare(words: str) -> str:
    text = _flat(words)
    while (shorter := _TRAIL.sub("", text).strip()) != text:
        text = shorter
    return text


def _flat(words: str) -> str:
    return " ".join(words.split())
