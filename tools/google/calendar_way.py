"""The way out by Google Calendar: an act on an event, which the calendar itself makes and tells to those concerned.

prepare: which event is it? ─► its id is committed ─► hand over: insert, patch, delete ─┬─ answer ─► Handed
                                                                                       └─ lost ─► MaybeHanded
witness: the event stands as the act would have it ─┬─ yes ─► sent
                                                    └─ no ─► not sent
"""

from datetime import UTC, date, datetime
from hashlib import sha256

from memory.dispatch import Transport as Way
from memory.dispatch import Witness
from memory.envelope import CalendarAct, from_json
from memory.errors import BadInput, StillbellError
from tools.google.answers import Event, Moment
from tools.google.calendar_acts import CalendarActs, NewEvent, Reply, Span
from tools.transport import Handed, NotHanded, Outgoing

REPLIES: dict[str, Reply] = {"accept": "accepted", "decline": "declined", "tentative": "tentative"}

REF_LENGTH = 40
"""Google takes 5 to 1024 of 0-9 and a-v for the id of an event; a digest in hex is that."""


class GoogleCalendarWay:
    """Acts on the calendars of one account with the grant for sending. What leaves is the envelope's own spelling."""

    name: Way = "calendar"

    def __init__(self, acts: CalendarActs) -> None:
        self._acts = acts

    async def prepare(self, outgoing: Outgoing) -> str:
        """Google's id of the event; of one that is to be made, the id that it will have. Raises NotHanded, BadInput."""
        act = _act(outgoing)
        if act.action == "create":
            return ref_of(act.uid)
        found = await self._acts.find(act.calendar, act.uid)
        ref = _occurrence_of(found, act.occurrence)
        if not ref:
            raise NotHanded("the event is not in this calendar", trouble="refused", for_good=True)
        return ref

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """Act, once. Raises NotHanded or MaybeHanded."""
        act = _act(outgoing)
        match act.action:
            case "create":
                await self._acts.insert(act.calendar, handle, _new(act))
            case "move":
                await self._acts.move(act.calendar, handle, _span(act))
            case "cancel":
                await self._acts.cancel(act.calendar, handle)
            case _:
                await self._acts.answer(act.calendar, handle, _reply(act), act.comment)
        return Handed(receipt=handle)

    async def look(self, outgoing: Outgoing, handle: str) -> Witness:
        """Whether the event stands as the act would have it."""
        try:
            act = _act(outgoing)
            event = await self._acts.get(act.calendar, handle)
            stands = _stands(act, event)
        except StillbellError:
            return Witness()
        return Witness(sent="yes" if stands else "no", witness=handle if stands else "")

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._acts.close()


def ref_of(uid: str) -> str:
    """The id under which an event of ours is made: the same for the same event, so that it is never made twice."""
    return sha256(uid.encode()).hexdigest()[:REF_LENGTH]


def _act(outgoing: Outgoing) -> CalendarAct:
    """The act, read from the very bytes that were approved. Raises BadInput for other ones."""
    envelope = from_json(outgoing.content)
    if envelope.digest != outgoing.digest or envelope.act is None or not envelope.act.calendar:
        raise BadInput("what would leave is no act on this calendar")
    return envelope.act


def _occurrence_of(found: tuple[Event, ...], occurrence: str) -> str:
    """The id of the event or series, or of the one occurrence that is meant; "" when it is not there."""
    whole = next((event for event in found if not event.recurring_event_id), None)
    if not occurrence:
        return whole.id if whole else ""
    differing = (event for event in found if event.recurring_event_id and _is_at(event.original_start_time, occurrence))
    known = next((event.id for event in differing), "")
    # An occurrence like all others bears the id of its series and the time that it was planned for.
    return known or (f"{whole.id}_{_planned(occurrence)}" if whole and whole.recurrence else whole.id if whole else "")


def _planned(occurrence: str) -> str:
    if len(occurrence) == len("2026-03-02"):
        return f"{date.fromisoformat(occurrence):%Y%m%d}"
    at = datetime.fromisoformat(occurrence)
    return f"{(at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _is_at(moment: Moment | None, occurrence: str) -> bool:
    if moment is None:
        return False
    told = f"{moment.day:%Y%m%d}" if moment.day else moment.date_time.isoformat() if moment.date_time else ""
    return bool(told) and (
        told == _planned(occurrence) or (moment.day is None and _planned(told) == _planned(occurrence))
    )


def _reply(act: CalendarAct) -> Reply:
    if act.action not in REPLIES:
        raise NotHanded("a calendar carries no proposals: that goes by mail", trouble="refused", for_good=True)
    return REPLIES[act.action]


def _new(act: CalendarAct) -> NewEvent:
    return NewEvent(
        summary=act.title,
        span=_span(act),
        guests=tuple(guest.address for guest in act.guests),
        location=act.place,
        description=act.comment,
    )


def _span(act: CalendarAct) -> Span:
    return Span(starts=_moment(act.start), ends=_moment(act.end), zone=act.zone)


def _moment(text: str) -> datetime | date:
    try:
        return date.fromisoformat(text) if len(text) == len("2026-03-02") else datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput("the act has a time that is none: draft it anew") from error


def _stands(act: CalendarAct, event: Event | None) -> bool:
    if act.action == "cancel":
        return event is None
    if event is None:
        return False
    if act.action == "create":
        return True
    if act.action == "move":
        return _is(event.start, _moment(act.start)) and _is(event.end, _moment(act.end))
    wanted = REPLIES.get(act.action, "")
    return any(guest.own and guest.response_status == wanted for guest in event.attendees)


def _is(moment: Moment | None, wanted: datetime | date) -> bool:
    if moment is None:
        return False
    return moment.date_time == wanted if isinstance(wanted, datetime) else moment.day == wanted
