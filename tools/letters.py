"""Letters: whom a wished letter goes to, from which identity, in which thread; by headers and records, never by words.

"Anna" ─► contacts, then those whom the owner wrote to, then those who wrote ─► one person, or a question
reply ─► the newest mail of theirs that can be answered ─► its sender, its thread, the account that it came by
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory import provenance
from memory.account import Account
from memory.command.correspondence import Correspondence, several
from memory.contact import of_address
from memory.envelope import MAIL, Envelope, Identity, new_message_id, threaded
from memory.envelope_words import reason
from memory.errors import BadInput
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.mail_thread import is_reply
from memory.owner import Owner
from memory.people.mailbox import folded_name
from memory.recipient import Recipient, readable
from memory.refusal import Refusal
from memory.wording import say
from tools.oneself import own_addresses

SIGHTINGS_MAX = 20_000
RECENT_MAX = 20
CANDIDATES_TOLD = 5
SUBJECT_MAX = 300


class NoLetter(BadInput):
    """There can be no such letter, and the message says why in the owner's language."""


@dataclass(frozen=True, slots=True)
class Started:
    """An envelope that lacks its words yet; `answers` is the mail that it replies to."""

    envelope: Envelope
    answers: KeptMail | None


class Letters:
    """`sends` says whether an account can send at all."""

    def __init__(self, sends: Callable[[Account], bool]) -> None:
        self._sends = sends

    def start(self, t: Tables, owner: Owner, wish: Correspondence, thread_id: int | None, now: datetime) -> Started:
        """The envelope of a wish, without its words. Raises NoLetter."""
        if wish.how == "new":
            return self._new(t, owner, wish)
        kept = _in_thread(t, thread_id) if thread_id is not None else _newest_of(t, owner, wish.who)
        started = self.reply_to(t, owner, kept)
        cc = _copies(t, owner, wish, started.envelope.to)
        return replace(started, envelope=replace(started.envelope, cc=cc))

    def reply_to(self, t: Tables, owner: Owner, kept: KeptMail) -> Started:
        """The answer to a mail. Raises NoLetter when there can be none."""
        weighed = provenance.answerable(kept.mail, own_addresses(t, owner.id))
        if isinstance(weighed, Refusal):
            raise NoLetter(say(owner.language, "approval_refused", because=reason(owner.language, weighed.because)))
        contact = of_address(weighed.address, t.contacts.all(owner.id))
        account = self._account(t, owner, kept.account_id)
        in_reply_to, references = threaded(kept.mail)
        subject = kept.mail.subject if is_reply(kept.mail.subject) else f"Re: {kept.mail.subject}".rstrip()
        envelope = Envelope(
            channel=MAIL,
            identity=self._identity(t, owner, account),
            to=(Recipient(contact.contact.name if contact else "", weighed.address),),
            subject=one_line(subject),
            body="…",
            message_id=new_message_id(account.identity),
            in_reply_to=in_reply_to,
            references=references,
        )
        return Started(envelope, kept)

    def sender(self, t: Tables, owner: Owner, came_by: int | None) -> Identity:
        """Who sends what answers a mail of that account, else what is new. Raises NoLetter when no account can send."""
        return self._identity(t, owner, self._account(t, owner, came_by))

    def _new(self, t: Tables, owner: Owner, wish: Correspondence) -> Started:
        to = _going(t, owner, wish)
        account = self._account(t, owner, None)
        envelope = Envelope(
            channel=MAIL,
            identity=self._identity(t, owner, account),
            to=to,
            cc=_copies(t, owner, wish, to),
            subject=one_line(wish.subject),
            body="…",
            message_id=new_message_id(account.identity),
        )
        return Started(envelope, None)

    def _account(self, t: Tables, owner: Owner, came_by: int | None) -> Account:
        """The account that the mail came by, else the first that can send. Never chosen by anybody's words."""
        accounts = [one for one in t.accounts.present(owner.id) if one.identity and self._sends(one)]
        if not accounts:
            raise NoLetter(say(owner.language, "letter_no_account"))
        return next((one for one in accounts if one.id == came_by), accounts[0])

    def _identity(self, t: Tables, owner: Owner, account: Account) -> Identity:
        return Identity(account.name, sender_name(t, owner, account), account.identity)


def sender_name(t: Tables, owner: Owner, account: Account) -> str:
    """The name that the recipients see: the account's own, else what the owner usually calls themselves."""
    names = t.mails.own_names(owner.id)
    return account.settings.get("sender_name") or (names[0] if names else "")


def _in_thread(t: Tables, thread_id: int) -> KeptMail:
    received = [kept for kept in t.mails.thread(thread_id) if not kept.by_owner]
    if not received:
        raise NoLetter("there is no mail to answer in this thread")
    return received[-1]


def _newest_of(t: Tables, owner: Owner, who: str) -> KeptMail:
    address = readable(who) if "@" in who else None
    addresses = [address] if address else addresses_named(t, owner, who)
    found = t.mails.latest_from(owner.id, addresses, limit=RECENT_MAX) if addresses else []
    if not found:
        raise NoLetter(say(owner.language, "letter_nobody", who=who))
    # What nobody can answer stands in nobody's way; if there is nothing else, the refusal of the newest says why.
    own = own_addresses(t, owner.id)
    found = [
        kept for kept in found if isinstance(provenance.answerable(kept.mail, own), provenance.Answerable)
    ] or found
    senders = {(kept.mail.sender.address or "").lower() for kept in found if kept.mail.sender}
    if len(senders) > 1:
        raise NoLetter(_which(owner, who, sorted(senders)))
    return found[0]


def _going(t: Tables, owner: Owner, wish: Correspondence) -> tuple[Recipient, ...]:
    """To whom something new goes. Raises NoLetter as soon as one of them is nobody, or more than one."""
    to = several(wish.who)
    if len(to) > 1 and not wish.copies and _is_one(t, owner, wish.who):
        to = (wish.who,)  # "Winter, Anna", or a couple that has one record
    return _each(t, owner, to)


def _copies(t: Tables, owner: Owner, wish: Correspondence, going: Sequence[Recipient]) -> tuple[Recipient, ...]:
    """Who gets a copy, but for those it goes to anyway. Raises as `_going` does."""
    taken = {one.address.lower() for one in going}
    return tuple(one for one in _each(t, owner, wish.copies) if one.address.lower() not in taken)


def _is_one(t: Tables, owner: Owner, who: str) -> bool:
    wanted = set(folded_name(who))
    return any(wanted <= set(folded_name(one.contact.name)) for one in t.contacts.all(owner.id))


def _each(t: Tables, owner: Owner, names: Sequence[str]) -> tuple[Recipient, ...]:
    known = t.contacts.all(owner.id)
    addresses = dict.fromkeys(readable(name) or address_of(t, owner, name) for name in names)
    holding = ((address, of_address(address, known)) for address in addresses)
    return tuple(Recipient(contact.contact.name if contact else "", address) for address, contact in holding)


def address_of(t: Tables, owner: Owner, who: str) -> str:
    """The address of a person in the owner's own records. Raises NoLetter for nobody, or more than one."""
    wanted = set(folded_name(who))
    stored = [one for one in t.contacts.all(owner.id) if wanted and wanted <= set(folded_name(one.contact.name))]
    addresses = sorted({address for one in stored for address in one.contact.addresses})
    if not addresses:
        raise NoLetter(_no_contact(owner, who, written_to(t, owner, who)))
    if len(addresses) > 1:
        raise NoLetter(_which(owner, who, addresses))
    return addresses[0]


def written_to(t: Tables, owner: Owner, who: str) -> list[str]:
    """The addresses of those of this name whom the owner has written to. A name that strangers write under is not enough."""
    people = t.people.named(owner.id, who)
    addresses = {one.value for person in people for one in person.identities if one.kind == "address"}
    return sorted(one for one in addresses if readable(one) and t.mails.relation(owner.id, [one]).is_known)


def offered(t: Tables, owner: Owner, who: str) -> str | None:
    """The one such address of one person who is in no record: the owner may choose it, nothing else can."""
    if len(several(who)) != 1 or "@" in who or _is_one(t, owner, who):
        return None
    known = written_to(t, owner, who)
    return known[0] if len(known) == 1 else None


def addresses_named(t: Tables, owner: Owner, who: str) -> list[str]:
    """Who wrote under this name; those whom the owner wrote to stand before strangers of the same name."""
    wanted = set(folded_name(who))
    if not wanted:
        return []
    seen = t.mails.sightings(owner.id, limit=SIGHTINGS_MAX)
    written_to = {one.address for one in seen if one.by_owner and not one.wrote}
    named = {one.address for one in seen if one.wrote and not one.by_owner and wanted <= set(folded_name(one.name))}
    return sorted(named & written_to) or sorted(named)


def _which(owner: Owner, who: str, addresses: Sequence[str]) -> str:
    shown = ", ".join(addresses[:CANDIDATES_TOLD])
    return say(owner.language, "letter_which", who=who, addresses=shown, first=addresses[0])


def _no_contact(owner: Owner, who: str, addresses: Sequence[str]) -> str:
    if not addresses:
        return say(owner.language, "letter_no_contact", who=who)
    shown = ", ".join(addresses[:CANDIDATES_TOLD])
    return say(owner.language, "letter_written_to", who=who, addresses=shown, first=addresses[0])


def one_line(text: str) -> str:
    """Words of others as a subject, a title or an id can hold them."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())[:SUBJECT_MAX].rstrip()
