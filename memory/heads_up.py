"""A heads-up: the plain line shortly before an event, and the one that corrects it when the event moves or falls away."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.canonical import digest
from memory.event import Event

LEAD_FOR = timedelta(minutes=15)
"""So long before its start an event is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsUp:
    """An event to be told now. `keys`: to be recorded as told, its own first, then those of its copies."""

    event: Event
    keys: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What was told is true no longer. `after` is the event as it stands now, None when it is not there any more.

    key: of this correction, so that it is said once. keys: heads-ups that need not be said any more, as this says the
    same.
    """

    kind: Literal["moved", "cancelled", "gone"]
    before: Event
    after: Event | None
    key: str
    keys: tuple[str, ...] = ()
    because: str


def key_of(event: Event) -> str:
    """The name of a heads-up: which occurrence, at which start."""
    return f"heads_up:{digest(event.key)[:32]}:{event.start_at.isoformat()}"


def is_told_of(event: Event) -> bool:
    """Whether its beginning is of interest: it has a time, and was neither cancelled nor declined."""
    return not event.is_all_day and event.status != "cancelled" and event.my_answer != "declined"


def due(
    events: Iterable[Event], told: Collection[str], now: datetime, lead: timedelta = LEAD_FOR
) -> tuple[HeadsUp, ...]:
    """The events that begin within `lead` and were not told, by start. What has begun is told no more.

    told: keys of heads-ups that were said. The same meeting in two calendars is told once.
    """
    coming = [event for event in events if is_told_of(event) and event.start_at - lead <= now < event.start_at]
    found = []
    for copies in meetings(coming):
        keys = tuple(key_of(event) for event in copies)
        if not any(key in told for key in keys):
            minutes = (copies[0].start_at - now) / timedelta(minutes=1)
            found.append(HeadsUp(event=copies[0], keys=keys, because=f"it begins in {minutes:.0f} minutes"))
    return tuple(found)


def corrections(
    before: Iterable[Event],
    after: Sequence[Event],
    told: Collection[str],
    now: datetime,
    lead: timedelta = LEAD_FOR,
) -> tuple[Correction, ...]:
    """What has to be said because an event that was told has changed.

    before: events as they were, those that were told among them. after: every event of the same calendars that is known
    now, whatever its time; one that is missing there counts as gone. told: keys of what was said, corrections among them.
    Of an event that is over by its own old times nothing more is said, nor of one that the owner declined.
    """
    earlier = list(before)
    found = []
    for meeting in meetings(event for event in earlier if event.end_at > now):
        known = [event for event in meeting if key_of(event) in told]
        if known and not any(_still_stands(event, after) for event in known):
            correction = _correction(known[0], _what_became_of(known[0], earlier, after), now, lead)
            if correction and correction.key not in told:
                found.append(correction)
    return tuple(found)


def _still_stands(event: Event, after: Iterable[Event]) -> bool:
    """Whether it, or a copy of it, is there at the time that was told."""
    return any(is_told_of(other) and _is_same_meeting(event, other) for other in after)


def _what_became_of(event: Event, before: Iterable[Event], after: Iterable[Event]) -> Event | None:
    """The same occurrence; else a new one of the series less than a day away, as when the whole series was moved."""
    stands = next((other for other in after if other.key == event.key), None)
    if stands is not None:
        return stands
    known = {other.key for other in before}
    new = [other for other in after if other.uid == event.uid and other.key not in known and is_told_of(other)]
    near = [other for other in new if abs(other.start_at - event.start_at) < timedelta(days=1)]
    return min(near, key=lambda other: abs(other.start_at - event.start_at), default=None)


def _correction(before: Event, after: Event | None, now: datetime, lead: timedelta) -> Correction | None:
    if after is not None and (after.my_answer == "declined" or after.is_all_day):
        return None
    moved_to = after.start_at.isoformat() if after else ""
    kind: Literal["moved", "cancelled", "gone"] = (
        "gone" if after is None else "cancelled" if after.status == "cancelled" else "moved"
    )
    is_near = after is not None and kind == "moved" and after.start_at - lead <= now
    return Correction(
        kind=kind,
        before=before,
        after=after,
        key=f"correction:{digest([before.key, before.start_at.isoformat(), kind, moved_to])[:32]}",
        keys=(key_of(after),) if after is not None and is_near else (),
        because={
            "moved": "it was told at another time",
            "cancelled": "it was told, and has been cancelled",
            "gone": "it was told, and is in the calendar no more",
        }[kind],
    )


def meetings(events: Iterable[Event]) -> list[list[Event]]:
    """The events by start, copies of one meeting together."""
    found: list[list[Event]] = []
    for event in sorted(events, key=lambda event: (event.start_at, event.key)):
        same = next((meeting for meeting in found if _is_same_meeting(meeting[0], event)), None)
        if same is None:
            found.append([event])
        else:
            same.append(event)
    return found


def _is_same_meeting(one: Event, other: Event) -> bool:
    if one.start_at != other.start_at:
        return False
    titles = {" ".join(event.title.split()).casefold() for event in (one, other)}
    return one.uid == other.uid or (len(titles) == 1 and "" not in titles and one.end_at == other.end_at)
