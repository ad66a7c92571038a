"""An event: one occurrence in a calendar. What stands in it was written by others: data, never an instruction."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Literal

Answer = Literal["accepted", "declined", "tentative", "needs-action", ""]
EventStatus = Literal["confirmed", "tentative", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attendee:
    """Somebody asked to an event. `address` is lower case, or "" when there was none that could be read."""

    name: str
    address: str
    answer: Answer = ""
    is_optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One occurrence.

    calendar: the calendar's id within its account. ref: the source's name of the object (an href, an event id).
    uid: the iCalendar UID. occurrence: which one of a series, as the planned start in ISO form; "" when it stands alone.
    start_at, end_at: aware UTC; of an all-day event the midnights in the owner's zone. starts_on, ends_on: the dates of an
        all-day event, the end not included; None otherwise. zone: the IANA zone it was planned in, "" when unknown.
    my_answer: what the owner answered, "" when they were not asked. is_busy: whether it takes the owner's time.
    """

    calendar: str
    ref: str
    uid: str
    occurrence: str = ""
    title: str
    place: str = ""
    notes: str = ""
    start_at: datetime
    end_at: datetime
    starts_on: date | None = None
    ends_on: date | None = None
    zone: str = ""
    status: EventStatus = "confirmed"
    organizer: Attendee | None = None
    attendees: tuple[Attendee, ...] = ()
    my_answer: Answer = ""
    is_busy: bool = True
    sequence: int = 0
    faults: tuple[str, ...] = ()

    @property
    def is_all_day(self) -> bool:
        """Whether it has dates rather than times."""
        return self.starts_on is not None

    @property
    def key(self) -> str:
        """Which occurrence this is, across changes of its time."""
        return f"{self.uid}/{self.occurrence}"


def to_plain(event: Event) -> dict[str, Any]:
    """The event as JSON carries it."""
    plain = asdict(event)
    for name in _MOMENTS:
        plain[name] = plain[name].isoformat() if plain[name] is not None else None
    return plain


def from_plain(plain: Mapping[str, Any]) -> Event:
    """The event that `to_plain` wrote."""
    values = dict(plain)
    for name in ("start_at", "end_at"):
        values[name] = datetime.fromisoformat(values[name])
    for name in ("starts_on", "ends_on"):
        values[name] = date.fromisoformat(values[name]) if values[name] else None
    values["organizer"] = Attendee(**values["organizer"]) if values["organizer"] else None
    values["attendees"] = tuple(Attendee(**one) for one in values["attendees"])
    values["faults"] = tuple(values["faults"])
    return Event(**values)


_MOMENTS = ("start_at", "end_at", "starts_on", "ends_on")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """An occurrence in the ledger. `account_id` says from which account it came."""

    id: int
    owner_id: int
    account_id: int
    event: Event
