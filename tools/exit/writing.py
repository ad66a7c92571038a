"""Writing: an envelope made into the exact bytes that leave, its attachments opened and fingerprinted once more.

A mail is written as a mail; an act on a calendar as a mail that carries the invitation, the answer or the cancellation
(iMIP, RFC 6047), whose words are made from the act by code alone. An act that names a calendar is for that calendar
itself, and leaves in the envelope's own spelling. What leaves a list by a POST is its body alone.
"""

from datetime import date, datetime

from memory.envelope import CALENDAR, UNSUBSCRIBE, CalendarAct, Envelope
from memory.errors import BadInput
from memory.ledger import Ledger
from tools.attaching import Attaching
from tools.ics.writing import Meeting, Person, cancel, counter, reply, request
from tools.smtp.message import Invitation, Method, compose
from tools.transport import Outgoing

_SUBJECTS = {
    "accept": "Accepted: {title}",
    "decline": "Declined: {title}",
    "tentative": "Tentatively accepted: {title}",
    "propose": "Proposed new time: {title}",
    "create": "Invitation: {title}",
    "move": "Updated invitation: {title}",
    "cancel": "Cancelled: {title}",
}


class Writing:
    """See tools.exit.leaving.Writes. `language` of the subjects is English, as calendar programs write them."""

    def __init__(self, ledger: Ledger, attaching: Attaching) -> None:
        self._ledger = ledger
        self._attaching = attaching

    async def __call__(self, envelope: Envelope, *, at: datetime) -> Outgoing:
        """The bytes. Raises StillbellError when an attachment's copy is not what was approved, or it can't be written."""
        if envelope.act is not None and envelope.act.calendar:
            return as_it_stands(envelope)
        if envelope.channel == UNSUBSCRIBE:
            return posted(envelope)
        attached = {one.sha256: await self._attaching.open_kept(one) for one in envelope.attachments}
        invitation = invitation_of(envelope, at) if envelope.channel == CALENDAR else None
        return compose(envelope, at=at, attached=attached, invitation=invitation)


def as_it_stands(envelope: Envelope) -> Outgoing:
    """The envelope in its canonical spelling, for a calendar that is told of an act by itself."""
    act = envelope.act
    return Outgoing(
        digest=envelope.digest,
        key=act.uid if act else "",
        content=envelope.to_bytes(),
        sender=envelope.identity.address,
        recipients=tuple(dict.fromkeys(each.address for each in envelope.recipients)),
    )


def posted(envelope: Envelope) -> Outgoing:
    """What is posted to leave a list: the body to the letter, to the one address that `to` names."""
    (to,) = envelope.to
    return Outgoing(
        digest=envelope.digest,
        key=to.address,
        content=envelope.body.encode(),
        sender=envelope.identity.address,
        recipients=(to.address,),
    )


def invitation_of(envelope: Envelope, at: datetime) -> Invitation:
    """What an act on a calendar says to people. The same act at the same moment says the same, byte for byte."""
    act = envelope.act
    if act is None:
        raise BadInput("this envelope holds no act on a calendar")
    method, ics = _calendar_text(envelope, act, at)
    subject = _SUBJECTS[act.action].format(title=act.title or act.uid)
    lines = [subject, *(line for line in (_when(act), act.place, act.comment) if line)]
    return Invitation(method=method, ics=ics.decode(), subject=subject, text="\n".join(lines))


def _calendar_text(envelope: Envelope, act: CalendarAct, at: datetime) -> tuple[Method, bytes]:
    me = Person(envelope.identity.address, envelope.identity.name)
    others = envelope.to[0] if envelope.to else None
    organizer = Person(others.address, others.name) if others and act.action in _ANSWERS else me
    meeting = _meeting(act, organizer)
    match act.action:
        case "accept":
            return "REPLY", reply(meeting, me=me, answer="accepted", comment=act.comment, at=at)
        case "decline":
            return "REPLY", reply(meeting, me=me, answer="declined", comment=act.comment, at=at)
        case "tentative":
            return "REPLY", reply(meeting, me=me, answer="tentative", comment=act.comment, at=at)
        case "propose":
            return "COUNTER", counter(meeting, me=me, comment=act.comment, at=at)
        case "cancel":
            return "CANCEL", cancel(meeting, comment=act.comment, at=at)
        case _:
            return "REQUEST", request(meeting, comment=act.comment, at=at)


_ANSWERS = frozenset({"accept", "decline", "tentative", "propose"})


def _meeting(act: CalendarAct, organizer: Person) -> Meeting:
    is_day = len(act.start) == 10
    return Meeting(
        uid=act.uid,
        organizer=organizer,
        guests=tuple(Person(guest.address, guest.name) for guest in act.guests),
        title=act.title,
        place=act.place,
        start_at=None if is_day else datetime.fromisoformat(act.start),
        end_at=None if is_day or not act.end else datetime.fromisoformat(act.end),
        starts_on=date.fromisoformat(act.start) if is_day else None,
        ends_on=date.fromisoformat(act.end) if is_day and act.end else None,
        zone=act.zone,
        occurrence=act.occurrence,
        sequence=act.sequence,
    )


def _when(act: CalendarAct) -> str:
    return f"{act.start} – {act.end} {act.zone}".strip(" –") if act.start else ""
