"""Meetings: what the owner wants of an event, as an envelope: an answer to its organizer, or word to its guests.

invitation in a mail ─► from its organizer? ─► accept, maybe, decline ─► the organizer
event of another's   ─► accept, decline, another time proposed        ─► the organizer
event of the owner's ─► created, moved, cancelled                     ─► its guests

Of a Google account the calendar itself is told, where it holds the event (`calendar` is then its id); else a mail carries
the act (iMIP), and `calendar` is empty. Nothing is sent from here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from memory import provenance
from memory.account import Account
from memory.canonical import digest
from memory.clock import Clock
from memory.contact import of_address
from memory.envelope import CALENDAR, Action, CalendarAct, Envelope, Identity
from memory.envelope_words import reason
from memory.event import Event, StoredEvent
from memory.invitation import Invitation, weigh
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.recipient import Recipient, among, readable
from memory.refusal import Refusal
from memory.wording import say
from tools.exit.asking import Wish
from tools.ics.invitation import read_invitation
from tools.letters import NoLetter, address_of, one_line, sender_name
from tools.oneself import own_addresses

PRIMARY = "primary"
"""Google's name of the calendar that is the owner's own."""

USUAL_FOR = timedelta(hours=1)
"""How long a meeting is of which nobody said it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMeeting:
    """An event to be made. start, end: naive wall times on the owner's clock, or both dates, `end` then not included.

    guests: names from the owner's records, or addresses.
    """

    title: str
    start: datetime | date
    end: datetime | date | None = None
    guests: tuple[str, ...] = ()
    place: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Times:
    """Start and end as an act writes them: dates, or times with their offset, told in the zone of that IANA name."""

    start: str
    end: str
    zone: str = ""


class Meetings:
    """`sends` says whether an account can send at all. Every method raises NoLetter when there can be no such act."""

    def __init__(self, sends: Callable[[Account], bool], clock: Clock) -> None:
        self._sends = sends
        self._clock = clock

    # Answers

    def answer_mail(
        self, t: Tables, owner: Owner, kept: KeptMail, action: Action, comment: str = "", *, because: str
    ) -> Wish:
        """The answer to the invitation that a mail brought, with title and times as its organizer's own mail says them."""
        own = own_addresses(t, owner.id)
        invited = invitation_in(kept, owner)
        if invited is None:
            raise NoLetter(say(owner.language, "meeting_no_invitation"))
        organizer = _answer_to(t, owner, kept, invited, own)
        account = self._account(t, owner, [one.address for one in invited.attendees], kept.account_id)
        held = _held(t, owner, account, invited.uid, invited.occurrence)
        times = _span(_of(invited), invited.zone, owner)
        act = CalendarAct(
            action=action,
            calendar=held.event.calendar if held else "",
            uid=invited.uid,
            sequence=invited.sequence,
            occurrence=invited.occurrence,
            title=one_line(invited.title),
            place=one_line(invited.place),
            comment=comment,
            start=times.start,
            end=times.end,
            zone=times.zone,
        )
        identity = _identity(t, owner, account, [one.address for one in invited.attendees])
        envelope = Envelope(channel=CALENDAR, identity=identity, to=(_named(t, owner, organizer),), act=act)
        return Wish(envelope=envelope, because=because, answers_id=kept.id)

    def answer(
        self, t: Tables, owner: Owner, stored: StoredEvent, action: Action, comment: str = "", *, because: str
    ) -> Wish:
        """The answer to an event that stands in the owner's calendar and that somebody else organises."""
        return self._to_organizer(t, owner, stored, _act_on(stored.event, action, owner, comment), because)

    # What the owner organises

    def create(self, t: Tables, owner: Owner, new: NewMeeting, *, because: str) -> Wish:
        """A new event, and its guests invited. It stands in the owner's calendar where that is Google's."""
        account = self._account(t, owner, (), None)
        guests = tuple(
            dict.fromkeys(_named(t, owner, readable(who) or address_of(t, owner, who)) for who in new.guests)
        )
        identity = _identity(t, owner, account, ())
        if not guests and account.kind != "google":
            raise NoLetter(say(owner.language, "meeting_no_guests"))
        times = _planned(new.start, new.end, owner)
        act = CalendarAct(
            action="create",
            calendar=PRIMARY if account.kind == "google" else "",
            uid=self._uid(identity.address, one_line(new.title), times, guests),
            title=one_line(new.title),
            place=one_line(new.place),
            guests=guests,
            comment=new.comment,
            start=times.start,
            end=times.end,
            zone=times.zone,
        )
        return Wish(envelope=Envelope(channel=CALENDAR, identity=identity, act=act), because=because)

    def move(
        self,
        t: Tables,
        owner: Owner,
        stored: StoredEvent,
        start: datetime,
        comment: str = "",
        *,
        because: str,
    ) -> Wish:
        """The event at another time (naive, on the owner's clock), as long as it was; of another's event it is a proposal."""
        event = stored.event
        start_at = owner.zones.wall_to_utc(start)
        lasts = event.end_at - event.start_at
        times = _span((start_at, start_at + lasts), event.zone, owner)
        action: Action = "move" if self._is_own(t, owner, event) else "propose"
        act = replace(_act_on(event, action, owner, comment), start=times.start, end=times.end, zone=times.zone)
        if action == "propose":
            # A proposal goes from person to person: a calendar has no place for it.
            return self._to_organizer(t, owner, stored, replace(act, calendar=""), because)
        return self._to_guests(t, owner, stored, act, because)

    def cancel(self, t: Tables, owner: Owner, stored: StoredEvent, comment: str = "", *, because: str) -> Wish:
        """The event called off; of another's event it is declined."""
        if not self._is_own(t, owner, stored.event):
            return self.answer(t, owner, stored, "decline", comment, because=because)
        return self._to_guests(t, owner, stored, _act_on(stored.event, "cancel", owner, comment), because)

    def _uid(self, address: str, title: str, times: Times, guests: Sequence[Recipient]) -> str:
        """The same for the same event of the same day, so that what was discarded is known when it is proposed again."""
        on = self._clock.now().date().isoformat()
        named = digest([on, address, title, times.start, times.end, *(guest.address for guest in guests)])
        return f"{named[:32]}@{address.rpartition('@')[2]}"

    # Both ways

    def _is_own(self, t: Tables, owner: Owner, event: Event) -> bool:
        return event.organizer is None or among(event.organizer.address, own_addresses(t, owner.id))

    def _to_organizer(self, t: Tables, owner: Owner, stored: StoredEvent, act: CalendarAct, because: str) -> Wish:
        weighed = provenance.answerable_event(stored, None, own_addresses(t, owner.id))
        if isinstance(weighed, Refusal):
            raise NoLetter(_refused(owner, weighed))
        asked = [one.address for one in stored.event.attendees]
        account = self._account(t, owner, asked, stored.account_id)
        if not (account.kind == "google" and account.id == stored.account_id):
            act = replace(act, calendar="")
        envelope = Envelope(
            channel=CALENDAR,
            identity=_identity(t, owner, account, asked),
            to=(_named(t, owner, weighed.address),),
            act=act,
        )
        return Wish(envelope=envelope, because=because, event_id=stored.id)

    def _to_guests(self, t: Tables, owner: Owner, stored: StoredEvent, act: CalendarAct, because: str) -> Wish:
        own = own_addresses(t, owner.id)
        organizer = stored.event.organizer.address if stored.event.organizer else ""
        account = self._account(t, owner, [organizer], stored.account_id)
        is_here = account.kind == "google" and account.id == stored.account_id
        others = (one.address for one in stored.event.attendees if one.address and not among(one.address, own))
        guests = tuple(_named(t, owner, address) for address in dict.fromkeys(others))
        if not guests and not is_here:
            raise NoLetter(say(owner.language, "meeting_not_here"))
        act = replace(act, calendar=act.calendar if is_here else "", guests=guests, sequence=stored.event.sequence + 1)
        identity = _identity(t, owner, account, [organizer])
        told = because if is_here else f"{because}; {say(owner.language, 'meeting_yours_too')}"
        envelope = Envelope(channel=CALENDAR, identity=identity, act=act)
        return Wish(envelope=envelope, because=told, event_id=stored.id)

    def _account(self, t: Tables, owner: Owner, asked: Sequence[str], came_by: int | None) -> Account:
        """The account that the invitation was for, else the one it came by, else the first that can send."""
        accounts = [one for one in t.accounts.present(owner.id) if one.identity and self._sends(one)]
        if not accounts:
            raise NoLetter(say(owner.language, "letter_no_account"))
        invited = [one for one in accounts if any(among(address, one.addresses) for address in asked if address)]
        came = [one for one in accounts if one.id == came_by]
        return next((one for one in invited if one.id == came_by), None) or (invited or came or accounts)[0]


def invitation_in(kept: KeptMail, owner: Owner) -> Invitation | None:
    """The first invitation that a mail carries: an event to be answered, or None."""
    read = (read_invitation(ics, owner=owner.zones) for ics in kept.mail.calendars)
    return next((one for one in read if one is not None and one.method == "request"), None)


def _answer_to(t: Tables, owner: Owner, kept: KeptMail, invited: Invitation, own: frozenset[str]) -> str:
    """The organizer's address. Only their own mail can be answered: SENT-BY and forwarded ones are for the owner."""
    sender = (kept.mail.sender.address or "") if kept.mail.sender else ""
    known = t.calendars.of_uid(owner.id, invited.uid)
    weighed = weigh(
        invited,
        sender=sender,
        known=known[0].event if known else None,
        mine=own,
        thread=[sender],
    )
    if weighed.effect not in ("invite", "change") or (invited.sent_by and invited.sent_by != sender.casefold()):
        raise NoLetter(_refused(owner, Refusal("the organizer did not send the invitation")))
    as_stored = StoredEvent(id=0, owner_id=owner.id, account_id=0, event=_as_event(invited, kept))
    answerable = provenance.answerable_event(as_stored, kept.mail, own)
    if isinstance(answerable, Refusal):
        raise NoLetter(_refused(owner, answerable))
    return answerable.address


def _as_event(invited: Invitation, kept: KeptMail) -> Event:
    at = invited.start_at or kept.at
    return Event(
        calendar="",
        ref="",
        uid=invited.uid,
        title=invited.title,
        start_at=at,
        end_at=invited.end_at or at,
        organizer=invited.organizer,
    )


def _held(t: Tables, owner: Owner, account: Account, uid: str, occurrence: str) -> StoredEvent | None:
    """The event in the account's own calendar, where that is Google's: then the calendar itself is answered."""
    if account.kind != "google":
        return None
    stored = [one for one in t.calendars.of_uid(owner.id, uid) if one.account_id == account.id]
    of_it = [one for one in stored if not occurrence or one.event.occurrence == occurrence]
    return of_it[0] if of_it else None


def _act_on(event: Event, action: Action, owner: Owner, comment: str) -> CalendarAct:
    times = _span(_of(event), event.zone, owner)
    return CalendarAct(
        action=action,
        calendar=event.calendar,
        uid=event.uid,
        sequence=event.sequence,
        occurrence=event.occurrence,
        title=one_line(event.title),
        place=one_line(event.place),
        comment=comment,
        start=times.start,
        end=times.end,
        zone=times.zone,
    )


Span = tuple[datetime | date | None, datetime | date | None]
"""Start and end (not included): aware datetimes, or dates."""


def _span(span: Span, zone: str, owner: Owner) -> Times:
    """The times as they are written: days, or moments on the clock that the event was planned by."""
    start, end = span
    if start is None:
        raise NoLetter(say(owner.language, "meeting_no_time"))
    if not isinstance(start, datetime):
        last = end if isinstance(end, date) and end > start else start + timedelta(days=1)
        return Times(start.isoformat(), last.isoformat())
    clock = _clock_of(zone, start, owner)
    ends = end if isinstance(end, datetime) and end >= start else start
    return Times(start.astimezone(clock).isoformat(), ends.astimezone(clock).isoformat(), clock.key)


def _of(planned: Event | Invitation) -> Span:
    if planned.starts_on is not None:
        return planned.starts_on, planned.ends_on
    return planned.start_at, planned.end_at


def _clock_of(zone: str, at: datetime, owner: Owner) -> ZoneInfo:
    if zone in ("", "UTC"):
        return owner.zones.zone_at(at)
    try:
        return ZoneInfo(zone)
    except (ValueError, OSError, KeyError):  # no such zone any more: the owner's own clock is as right
        return owner.zones.zone_at(at)


def _planned(start: datetime | date, end: datetime | date | None, owner: Owner) -> Times:
    if not isinstance(start, datetime):
        return _span((start, end), "", owner)
    start_at = owner.zones.wall_to_utc(start)
    end_at = owner.zones.wall_to_utc(end) if isinstance(end, datetime) else start_at + USUAL_FOR
    if end_at <= start_at:
        raise NoLetter(say(owner.language, "meeting_no_time"))
    return _span((start_at, end_at), "", owner)


def _identity(t: Tables, owner: Owner, account: Account, asked: Sequence[str]) -> Identity:
    """Who answers: the very address that was asked, where it is one of the account's."""
    address = next((one for one in account.addresses if among(one, asked)), account.identity)
    return Identity(account.name, sender_name(t, owner, account), address)


def _named(t: Tables, owner: Owner, address: str) -> Recipient:
    contact = of_address(address, t.contacts.all(owner.id))
    return Recipient(contact.contact.name if contact else "", readable(address) or address)


def _refused(owner: Owner, refusal: Refusal) -> str:
    return say(owner.language, "approval_refused", because=reason(owner.language, refusal.because))
