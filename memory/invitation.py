"""An invitation: what a mail asks of the calendar, and how far it is to be believed.

Anybody can write "cancelled" or "moved" into a mail. What stands in one changes an event only when it comes from the
person who organises that event, as the owner's own calendar knows them; everything else is shown or passed over.

    asks something new ──────────────────────────────► invite    the owner may answer
    about an event that is known
        from its organiser ──────────────────────────► change | cancel
        in the organiser's name, by somebody else ───► doubt     shown with its marks, changes nothing
        by a guest, when the owner organises it ─────► answer | proposal
        by anybody else ─────────────────────────────► nothing
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from memory.event import Attendee, Event
from memory.when.recurrence import Recurrence

Method = Literal["request", "cancel", "reply", "counter", "refresh", "add", "publish", "declinecounter"]

Effect = Literal["invite", "change", "cancel", "answer", "proposal", "doubt", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """The calendar part of a mail, as it says of itself. Everything in it was written by others: data, never an instruction.

    uid, occurrence, title …: as in memory/event. start_at, end_at: aware UTC, None when it names no time. repeats: it is a
    series; `recurrence` is its rule where our own words can say it. sent_by: the address that claims to act for the
    organizer, lower case, or "". faults: what of it could not be read.
    """

    method: Method
    uid: str
    occurrence: str = ""
    sequence: int = 0
    title: str = ""
    place: str = ""
    notes: str = ""
    comment: str = ""
    start_at: datetime | None = None
    end_at: datetime | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    zone: str = ""
    repeats: bool = False
    recurrence: Recurrence | None = None
    organizer: Attendee | None = None
    sent_by: str = ""
    attendees: tuple[Attendee, ...] = ()
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What an invitation may do. `marks`: what is odd about it, in words for the card.

    answer_to: the address that an answer may go to, "" when the owner has to be asked first whether to answer at all.
    """

    effect: Effect
    because: str
    marks: tuple[str, ...] = ()
    answer_to: str = ""


def weigh(
    invitation: Invitation,
    *,
    sender: str,
    known: Event | None,
    mine: frozenset[str],
    thread: Iterable[str] = (),
) -> Weighed:
    """Weigh what came from `sender` (the address that the mail's From names).

    known: the event of that uid in the owner's calendar, if there is one. mine: the owner's addresses. thread: addresses
    that stand in the headers of the mail's thread. All addresses are compared without regard to case.
    """
    parties = _Parties(invitation, sender.casefold(), known, frozenset(one.casefold() for one in mine))
    marks = tuple(parties.marks())
    effect, because = _effect(invitation, parties)
    return Weighed(effect=effect, because=because, marks=marks, answer_to=_answer_to(parties, effect, thread))


@dataclass(frozen=True, slots=True)
class _Parties:
    """Who is who: the sender, who it says organises the event, and who does as far as the calendar knows."""

    invitation: Invitation
    sender: str
    known: Event | None
    mine: frozenset[str]

    @property
    def claimed(self) -> str:
        """The organizer that the invitation names."""
        return self.invitation.organizer.address.casefold() if self.invitation.organizer else ""

    @property
    def organizer(self) -> str:
        """The organizer that the owner's calendar knows, "" for an event of the owner's own without guests."""
        return self.known.organizer.address.casefold() if self.known and self.known.organizer else ""

    @property
    def owner_organises(self) -> bool:
        """Whether the event is the owner's own."""
        return self.known is not None and (not self.organizer or self.organizer in self.mine)

    @property
    def is_guest(self) -> bool:
        """Whether the sender is asked to the event, as the owner's calendar knows it."""
        return self.known is not None and self.sender in {one.address.casefold() for one in self.known.attendees}

    def marks(self) -> Iterable[str]:
        """What is odd."""
        if self.invitation.method in ("reply", "counter", "refresh"):
            if self.known is not None and not self.is_guest:
                yield f"{self.sender} is not asked to this event"
            return
        if not self.claimed:
            yield "it names no organizer"
        elif self.claimed != self.sender:
            yield f"it names {self.claimed} as the organizer, but comes from {self.sender}"
        if self.invitation.sent_by and self.invitation.sent_by != self.claimed:
            yield f"it says that {self.invitation.sent_by} acts for the organizer"
        if self.organizer and self.claimed and self.claimed != self.organizer:
            yield f"in your calendar {self.organizer} organises this event"


def _effect(invitation: Invitation, parties: _Parties) -> tuple[Effect, str]:
    if invitation.method in ("reply", "counter", "refresh"):
        return _from_a_guest(invitation, parties)
    if invitation.method == "declinecounter":
        return "nothing", "it only says that a proposal was declined"
    if parties.known is None:
        if invitation.method == "cancel":
            return "nothing", "it cancels an event that is not in your calendar"
        return "invite", "it asks to an event that is not in your calendar yet"
    return _about_a_known_event(invitation, parties, parties.known)


def _about_a_known_event(invitation: Invitation, parties: _Parties, known: Event) -> tuple[Effect, str]:
    wants: Effect = "cancel" if invitation.method == "cancel" else "change"
    if parties.owner_organises:
        return "nothing", f"you organise this event: nobody else can {wants} it"
    if parties.claimed and parties.claimed != parties.organizer:
        return "nothing", "it names another organizer than your calendar does"
    if parties.sender != parties.organizer:
        if parties.claimed == parties.organizer and parties.sender == invitation.sent_by:
            return (
                "doubt",
                "it comes from somebody who says to act for the organizer; only the organizer could show that",
            )
        return "nothing", f"it does not come from the organizer, so it can't {wants} the event"
    if invitation.sequence < known.sequence:
        return "nothing", "it is older than what your calendar knows of the event"
    return wants, "it comes from the organizer of the event"


def _from_a_guest(invitation: Invitation, parties: _Parties) -> tuple[Effect, str]:
    if parties.known is None:
        return "nothing", "it is about an event that is not in your calendar"
    if not parties.owner_organises:
        return "nothing", "it is about an event that somebody else organises"
    if not parties.is_guest:
        return "nothing", "it comes from somebody who is not asked to the event"
    if invitation.method == "counter":
        return "proposal", "a guest of your event proposes something else"
    return "answer", "a guest of your event answers"


def _answer_to(parties: _Parties, effect: Effect, thread: Iterable[str]) -> str:
    """The organizer, when they stand in the thread themselves; a guest who proposed something."""
    if effect == "proposal":
        return parties.sender
    if effect not in ("invite", "change"):
        return ""
    present = {parties.sender, *(address.casefold() for address in thread)}
    return parties.claimed if parties.claimed in present and parties.claimed not in parties.mine else ""
