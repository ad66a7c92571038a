"""Google lists the occurrences of a series that differ beside it; here they are one object again. Judges, calls nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pydantic import ValidationError

from tools.google.answers import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A single event, or a series with what differs from it.

    ref: the id of the event or of the series. master: None where only single occurrences of somebody's series are known.
    """

    ref: str
    master: Event | None
    exceptions: tuple[Event, ...] = ()

    @property
    def uid(self) -> str:
        """The name that it has in every calendar; a cancelled occurrence is told without it."""
        parts = [each for each in (self.master, *self.exceptions) if each is not None]
        return next((each.ical_uid for each in parts if each.ical_uid), self.ref)

    @property
    def is_gone(self) -> bool:
        """Whether nothing of it is left."""
        if self.master is not None:
            return self.master.is_cancelled
        return all(each.is_cancelled for each in self.exceptions)

    @property
    def etag(self) -> str:
        """Changes whenever any part of it does."""
        tags = [each.etag for each in (self.master, *self.exceptions) if each is not None]
        return tags[0] if len(tags) == 1 else sha256("\n".join(tags).encode()).hexdigest()[:32]


def events_of(items: Iterable[object]) -> Iterator[Event]:
    """Those of `items` that can be understood; one that can't spoils no other."""
    for item in items:
        try:
            yield Event.model_validate(item)
        except ValidationError:
            continue


def grouped(events: Iterable[Event]) -> list[Item]:
    """`events`, all there are of each series, as objects, in the order in which they first appear."""
    masters: dict[str, Event] = {}
    exceptions: dict[str, list[Event]] = {}
    order: dict[str, None] = {}
    for event in events:
        ref = event.recurring_event_id or event.id
        order[ref] = None
        if event.recurring_event_id:
            exceptions.setdefault(ref, []).append(event)
        else:
            masters[ref] = event
    return [Item(ref=ref, master=masters.get(ref), exceptions=tuple(exceptions.get(ref, ()))) for ref in order]


def touched_series(events: Sequence[Event]) -> dict[str, Event | None]:
    """The series of which something is in `events`, a part of what there is; by id, with the master where it is among them."""
    series: dict[str, Event | None] = {event.recurring_event_id: None for event in events if event.recurring_event_id}
    for event in events:
        if event.recurrence or (event.id in series and not event.recurring_event_id):
            series[event.id] = event
    return series
