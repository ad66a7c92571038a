"""Acts on a calendar that others see: to invite, to answer, to move, to cancel. Each is made once, and can be looked at after."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from pydantic import BaseModel

from tools.google.answers import Event, EventPage, Nothing
from tools.google.failures import Declined, NotThere
from tools.google.handing import handing
from tools.google.series import events_of
from tools.google.session import Session
from tools.transport import NotHanded

Reply = Literal["accepted", "declined", "tentative"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From when till when: aware datetimes, told in the zone of that IANA name, or days, of which `ends` is the first free."""

    starts: datetime | date
    ends: datetime | date
    zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event to be made. guests: bare addresses; all of them are told."""

    summary: str
    span: Span
    guests: tuple[str, ...] = ()
    location: str = ""
    description: str = ""


class _Seen(BaseModel):
    """An event as it was seen just before it is changed, with its guests exactly as Google tells them."""

    id: str
    etag: str
    attendees: list[dict[str, Any]] = []


class CalendarActs:
    """Acts with the grant for sending. Each may raise NotHanded, or MaybeHanded when the answer got lost; then look: `get`.

    `calendar` is the id of one ("primary" for the owner's own), `ref` that of an event. Nothing is ever tried twice.
    """

    def __init__(self, session: Session) -> None:
        if session.kind != "send":
            raise ValueError("calendars are changed with the grant for sending")
        self._session = session

    async def get(self, calendar: str, ref: str) -> Event | None:
        """The event as it is now; None when there is none, or it was cancelled."""
        with handing(is_safe=True):
            try:
                event = await self._event(calendar, ref)
            except NotThere:
                return None
        return None if event.is_cancelled else event

    async def find(self, calendar: str, uid: str) -> tuple[Event, ...]:
        """What the calendar holds under this iCalendar UID: the event or series, and occurrences that differ."""
        with handing(is_safe=True):
            page = await self._session.calendar(
                lambda google: google.events().list(calendarId=calendar, iCalUID=uid, singleEvents=False), EventPage
            )
        return tuple(event for event in events_of(page.items) if not event.is_cancelled)

    async def insert(self, calendar: str, ref: str, event: NewEvent) -> Event:
        """Make the event and invite its guests. `ref` is ours: 5 to 1024 of 0-9 and a-v, such as a digest in hex.

        With a `ref` that is there already nothing is made, and what is there is returned.
        """
        body = _body(event) | {"id": ref}
        with handing():
            try:
                return await self._session.calendar(
                    lambda google: google.events().insert(calendarId=calendar, body=body, sendUpdates="all"), Event
                )
            except Declined as error:
                if error.status != 409:
                    raise
        present = await self.get(calendar, ref)
        if present is None:
            raise NotHanded("there was such an event, and it was cancelled", trouble="refused", for_good=True)
        return present

    async def answer(self, calendar: str, ref: str, reply: Reply, comment: str = "") -> Event:
        """Answer an invitation in the owner's name."""
        seen = await self._seen(calendar, ref)
        if not any(guest.get("self") for guest in seen.attendees):
            raise NotHanded("the owner is not invited to this event", trouble="refused", for_good=True)
        # Google replaces the whole list, so it is sent back as it came, but for the owner's own line.
        said = {"responseStatus": reply} | ({"comment": comment} if comment else {})
        guests = [guest | said if guest.get("self") else guest for guest in seen.attendees]
        return await self._patch(calendar, seen, {"attendees": guests})

    async def move(self, calendar: str, ref: str, span: Span) -> Event:
        """Move it; its guests are told."""
        return await self._patch(calendar, await self._seen(calendar, ref), _times(span))

    async def cancel(self, calendar: str, ref: str) -> None:
        """Cancel it; its guests are told. One that is gone already is no trouble."""
        with handing():
            try:
                await self._session.calendar(
                    lambda google: google.events().delete(calendarId=calendar, eventId=ref, sendUpdates="all"), Nothing
                )
            except NotThere:
                return

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._session.close()

    async def _event(self, calendar: str, ref: str) -> Event:
        return await self._session.calendar(lambda google: google.events().get(calendarId=calendar, eventId=ref), Event)

    async def _seen(self, calendar: str, ref: str) -> _Seen:
        with handing(is_safe=True):
            return await self._session.calendar(
                lambda google: google.events().get(calendarId=calendar, eventId=ref), _Seen
            )

    async def _patch(self, calendar: str, seen: _Seen, body: Mapping[str, Any]) -> Event:
        """Change it as it was just seen: if it was changed meanwhile, nothing is done (412)."""

        def request(google: Any) -> Any:
            made = google.events().patch(calendarId=calendar, eventId=seen.id, body=body, sendUpdates="all")
            made.headers["If-Match"] = seen.etag
            return made

        with handing():
            return await self._session.calendar(request, Event)


def _body(event: NewEvent) -> dict[str, Any]:
    told = {"summary": event.summary, "location": event.location, "description": event.description}
    guests: Sequence[dict[str, str]] = [{"email": guest} for guest in event.guests]
    times = {
        name: {key: value for key, value in moment.items() if value} for name, moment in _times(event.span).items()
    }
    return {name: words for name, words in told.items() if words} | {"attendees": guests} | times


def _times(span: Span) -> dict[str, Any]:
    return {"start": _moment(span.starts, span.zone), "end": _moment(span.ends, span.zone)}


def _moment(at: datetime | date, zone: str) -> dict[str, Any]:
    # What is null is taken away: a day may become a time, and the other way round.
    if isinstance(at, datetime):
        return {"dateTime": at.isoformat(), "timeZone": zone, "date": None}
    return {"date": at.isoformat(), "dateTime": None, "timeZone": None}
