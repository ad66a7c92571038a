"""Provenance: where a recipient's address comes from. It is looked up, never inferred, and stands on the card.

    contact record ─┐
    From, To, Cc of the thread that is answered ─┤
    organizer, attendees of the owner's own event ─┼─► Provenance(rule, source, row) ─► card
    typed by the owner in this chat ─┤
    chosen by the owner on a card (a Reply-To, or whom they have written to before) ─┤
    the List-Unsubscribe header of the list that is left ─┤
    the owner's own address ─┘
    anything else: a body, a signature, an attachment, a name in a file ─► Refusal

The words of mails, files and events are not even an argument here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.contact import StoredContact, of_address
from memory.event import StoredEvent
from memory.mail import KeptMail, Mail
from memory.recipient import Recipient, among, is_automated, readable, same_address
from memory.refusal import Refusal

Rule = Literal["contact", "thread", "organizer", "attendee", "typed", "chosen", "own", "list"]
Place = Literal["from", "to", "cc", ""]


@dataclass(frozen=True, slots=True)
class Typed:
    """An address that the owner typed, and the message in which they did. Forwards and quotations are not typing."""

    address: str
    message_id: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """An address that a card showed to the owner, who then tapped for it."""

    address: str
    card_id: int


@dataclass(frozen=True, slots=True)
class Offer:
    """Where a mail's List-Unsubscribe header leads: an address, or one of the web's; and who wrote that mail."""

    address: str
    mail_id: int
    said_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Everything that an address may come from, gathered by code.

    thread: the mails of the thread that is answered, the answered one last; empty for something new.
    events: events out of the owner's own calendars. invited_to: the event whose invitation is answered, if any.
    own: every address of the owner's. offers: what the list offers that is to be left; empty for everything else.
    """

    own: frozenset[str]
    thread: tuple[KeptMail, ...] = ()
    contacts: tuple[StoredContact, ...] = ()
    events: tuple[StoredEvent, ...] = ()
    invited_to: StoredEvent | None = None
    typed: tuple[Typed, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where an address comes from.

    row: the row that says so ("mail:12"). place, said_by: for a thread, in which header, and who wrote that mail.
    contact: the record that holds the address too, or alone; its name is what a card shows.
    """

    address: str
    rule: Rule
    row: str
    place: Place = ""
    said_by: str = ""
    contact: StoredContact | None = None

    @property
    def name(self) -> str:
        """The name from the owner's own records, empty when they have none."""
        return self.contact.contact.name if self.contact else ""


def trace(address: str, sources: Sources) -> Provenance | Refusal:
    """Where one address comes from, or why it can't be written to."""
    offer = next((one for one in sources.offers if one.address == address), None)
    if offer is not None:
        return Provenance(address=address, rule="list", row=f"mail:{offer.mail_id}", said_by=offer.said_by)
    plain = readable(address)
    if plain is None:
        return Refusal("no plain address")
    if is_automated(plain):
        return Refusal("nobody reads that address")
    if _is_a_list(plain, sources.thread):
        return Refusal("the address of a list")
    found = next((one for rule in _RULES if (one := rule(plain, sources))), None)
    return found or Refusal("in no record, no header of the thread, and not typed by the owner")


def trace_all(
    recipients: Iterable[Recipient], sources: Sources
) -> tuple[Mapping[str, Provenance], Mapping[str, Refusal]]:
    """The same for everybody whom an envelope reaches: what was found by address, and what was refused by address."""
    found: dict[str, Provenance] = {}
    refused: dict[str, Refusal] = {}
    for recipient in recipients:
        traced = trace(recipient.address, sources)
        if isinstance(traced, Refusal):
            refused[recipient.address] = traced
        else:
            found[recipient.address] = traced
    return found, refused


# Answering


@dataclass(frozen=True, slots=True)
class Answerable:
    """A mail can be answered at this address. `asks_for`: where its Reply-To would have the answer instead.

    The answer goes to the sender; those other addresses are shown, and become recipients only if the owner chooses one.
    """

    address: str
    asks_for: tuple[str, ...] = ()


def answerable(mail: Mail, own: Collection[str]) -> Answerable | Refusal:
    """To whom an answer to a mail goes: its sender, when there is exactly one, a person, and not the owner's own address."""
    address = readable(mail.sender.address) if mail.sender else None
    if address is None or mail.senders_disagree:
        return Refusal("the headers disagree about who sent it")
    if among(address, own):
        return Refusal("it claims to come from the owner's own address")
    if mail.is_bounce or mail.is_automated or is_automated(address):
        return Refusal("a list or a robot sent it")
    others = (readable(other.address) or other.address or other.name for other in mail.reply_to)
    asks_for = tuple(dict.fromkeys(one for one in others if not same_address(one, address)))
    return Answerable(address, asks_for)


def may_choose(address: str, mail: Mail) -> bool:
    """Whether the owner's tap can make this a recipient: it stands in the Reply-To of the mail that is answered."""
    return not is_automated(address) and among(address, (other.address for other in mail.reply_to))


def answerable_event(event: StoredEvent, invitation: Mail | None, own: Collection[str]) -> Answerable | Refusal:
    """To whom an answer to an invitation goes: its organizer.

    `invitation`: the mail that brought it, None when the owner's calendar server took it in. A mail must come from the
    organizer and from nobody else; SENT-BY and forwarded invitations are for the owner to deal with.
    """
    organizer = readable(event.event.organizer.address) if event.event.organizer else None
    if organizer is None:
        return Refusal("the event names no organizer")
    if among(organizer, own):
        return Refusal("it is the owner's own event")
    if is_automated(organizer):
        return Refusal("nobody reads that address")
    if invitation is None:
        return Answerable(organizer)
    sender = answerable(invitation, own)
    if isinstance(sender, Refusal):
        return sender
    return sender if same_address(sender.address, organizer) else Refusal("the organizer did not send the invitation")


# The rules, in the order in which they are tried


def _own(address: str, sources: Sources) -> Provenance | None:
    return Provenance(address=address, rule="own", row="") if among(address, sources.own) else None


def _thread(address: str, sources: Sources) -> Provenance | None:
    for kept in reversed(sources.thread):
        place = _place(address, kept)
        if place:
            said_by = (kept.mail.sender.address or "") if kept.mail.sender else ""
            contact = of_address(address, sources.contacts)
            row = f"mail:{kept.id}"
            return Provenance(address=address, rule="thread", row=row, place=place, said_by=said_by, contact=contact)
    return None


def _place(address: str, kept: KeptMail) -> Place:
    """In which header of a mail it stands. One that can be read in two ways, or that went to many, says nothing."""
    mail = kept.mail
    if mail.senders_disagree or mail.is_bounce or mail.is_automated:
        return ""
    if mail.sender and same_address(address, mail.sender.address):
        return "from"
    if among(address, (one.address for one in mail.to)):
        return "to"
    return "cc" if among(address, (one.address for one in mail.cc)) else ""


def _contact(address: str, sources: Sources) -> Provenance | None:
    stored = of_address(address, sources.contacts)
    return Provenance(address=address, rule="contact", row=f"contact:{stored.id}", contact=stored) if stored else None


def _organizer(address: str, sources: Sources) -> Provenance | None:
    """Only for the answer to that very invitation: anybody can put themselves into a calendar by inviting its owner."""
    stored = sources.invited_to
    if stored is None or stored.event.organizer is None or not same_address(address, stored.event.organizer.address):
        return None
    contact = of_address(address, sources.contacts)
    return Provenance(address=address, rule="organizer", row=f"event:{stored.id}", contact=contact)


def _attendee(address: str, sources: Sources) -> Provenance | None:
    """Only of an event that the owner made: anybody can invite the owner together with whomever they like."""
    for stored in sources.events:
        organizer = stored.event.organizer
        is_owners = organizer is not None and among(organizer.address, sources.own)
        if is_owners and among(address, (one.address for one in stored.event.attendees)):
            return Provenance(address=address, rule="attendee", row=f"event:{stored.id}")
    return None


def _typed(address: str, sources: Sources) -> Provenance | None:
    typed = next((one for one in sources.typed if same_address(address, one.address)), None)
    return Provenance(address=address, rule="typed", row=f"message:{typed.message_id}") if typed else None


def _chosen(address: str, sources: Sources) -> Provenance | None:
    chosen = next((one for one in sources.chosen if same_address(address, one.address)), None)
    return Provenance(address=address, rule="chosen", row=f"card:{chosen.card_id}") if chosen else None


_RULES = (_own, _thread, _contact, _typed, _chosen, _organizer, _attendee)


def _is_a_list(address: str, thread: Sequence[KeptMail]) -> bool:
    """Whether a mail of the thread names it as the address of its list (List-Post and its like, RFC 2369)."""
    wanted = f"mailto:{address.lower()}"
    values = (value.lower() for kept in thread for _, value in kept.mail.list_headers)
    return any(_names(value, wanted) for value in values)


def _names(value: str, wanted: str) -> bool:
    return any(part.split("?")[0].strip() == wanted for part in value.replace(">", "<").split("<"))
