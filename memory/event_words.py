"""An event in a line: "10:00–10:30 Standup (Room 4; declined)", on the owner's clock and in their language."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta

from memory.event import Event
from memory.markdown import escaped
from memory.owner import Language
from memory.wording import day
from memory.zones import Timeline

PLACE_MOST = 60

_WORDS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "all_day": ("all day", "ganztägig"),
    "until": ("until {day}", "bis {day}"),
    "untitled": ("(no title)", "(ohne Titel)"),
    "cancelled": ("cancelled", "abgesagt"),
    "unsure": ("not certain yet", "noch nicht sicher"),
    "declined": ("declined", "abgelehnt"),
    "tentative": ("tentative", "mit Vorbehalt"),
    "needs-action": ("not answered", "nicht beantwortet"),
}
_SAID_ANSWERS = frozenset({"declined", "tentative", "needs-action"})
"""An event that the owner goes to needs no remark."""


def event_line(
    event: Event, zones: Timeline, now: datetime, language: Language, shown: Callable[[str], str] = escaped
) -> str:
    """When, what and where, with the day where it is not today's, and what the owner answered where that is no yes.

    now: aware; says which day is today. shown: what is done with the words that others wrote (title, place); as they come,
    they are made plain Markdown.
    """
    remarks = [shown(_short(event.place))] if event.place.strip() else []
    remarks += [_say(language, word) for word in _remarks(event)]
    suffix = f" ({'; '.join(remarks)})" if remarks else ""
    return f"{event_time(event, zones, now, language)} {event_title(event, language, shown)}{suffix}"


def event_title(event: Event, language: Language, shown: Callable[[str], str] = escaped) -> str:
    """What it is called, or that it has no name."""
    return shown(event.title) if event.title.strip() else _say(language, "untitled")


def event_time(event: Event, zones: Timeline, now: datetime, language: Language) -> str:
    """When it is: "10:00–10:30", "tomorrow, all day", "22:00 – tomorrow, 02:00"."""
    today = zones.wall_at(now).date()
    if event.starts_on is not None and event.ends_on is not None:
        return _days(event.starts_on, event.ends_on - timedelta(days=1), today, language)
    start, end = zones.wall_at(event.start_at), zones.wall_at(event.end_at)
    begins = f"{_before(start.date(), today, language)}{_clock(event.start_at, zones)}"
    if event.end_at <= event.start_at:
        return begins
    if start.date() == end.date():
        return f"{begins}–{_clock(event.end_at, zones)}"
    if end == datetime.combine(start.date() + timedelta(days=1), time()):
        return f"{begins}–24:00"
    ends_on = day(end.date(), today, language)
    return f"{begins} – {ends_on}, {_clock(event.end_at, zones)}"


def _days(first: date, last: date, today: date, language: Language) -> str:
    start = "" if first <= today <= last else f"{day(first, today, language)}, "
    if last <= first or last == today:
        return f"{start}{_say(language, 'all_day')}"
    end = day(last, today, language).removeprefix("on ").removeprefix("am ")
    return f"{start}{_say(language, 'all_day')} {_say(language, 'until').format(day=end)}"


def _before(on: date, today: date, language: Language) -> str:
    return "" if on == today else f"{day(on, today, language)}, "


def _clock(at: datetime, zones: Timeline) -> str:
    """The time on the wall; an hour that autumn shows twice says which of the two it is."""
    local = at.astimezone(zones.zone_at(at))
    comes_twice = local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()
    return f"{local:%H:%M} {local.tzname()}" if comes_twice else f"{local:%H:%M}"


def _remarks(event: Event) -> list[str]:
    if event.status == "cancelled":
        return ["cancelled"]
    remarks = ["unsure"] if event.status == "tentative" else []
    return remarks + ([event.my_answer] if event.my_answer in _SAID_ANSWERS else [])


def _short(place: str) -> str:
    flat = " ".join(place.split())
    return flat if len(flat) <= PLACE_MOST else f"{flat[: PLACE_MOST - 1].rstrip()}…"


def _say(language: Language, key: str) -> str:
    return _WORDS[key][language == "de"]
