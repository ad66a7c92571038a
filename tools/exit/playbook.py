"""Playbooks: drafts that belong to something longer, whose rules are asked anew whenever one is drafted, shown or sent.

introduction:ID:STEP   one of the three messages of an introduction (memory/introduction)
unsubscribe:MAIL       the one message by which a list is left (memory/unsubscribe)
"""

from collections.abc import Collection
from datetime import datetime

from memory import introduction as introductions
from memory.authenticity import standing
from memory.contact import of_address
from memory.draft import Draft
from memory.envelope import MAIL, UNSUBSCRIBE, Envelope
from memory.errors import NotFound
from memory.introduction import Introduction, Reading, Step
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.provenance import Offer
from memory.recipient import among
from memory.refusal import Refusal
from memory.unsubscribe import ONE_CLICK, WORD, ByMail, ByPost, offered
from tools.oneself import own_addresses

INTRODUCTION, LEAVE = "introduction", "unsubscribe"

ADVANCE = "introduction"
"""The kind of job that takes an introduction further."""

ANSWERS_MAX = 50


def of_step(introduction_id: int, step: Step) -> str:
    """How a draft names the introduction and the step of it that it is."""
    return f"{INTRODUCTION}:{introduction_id}:{step}"


def of_list(mail_id: int) -> str:
    """How a draft names the mail whose list it leaves."""
    return f"{LEAVE}:{mail_id}"


def read(playbook: str) -> tuple[str, int, str]:
    """(name, number, step) of what a draft says it belongs to; ("", 0, "") for nothing."""
    name, _, rest = playbook.partition(":")
    number, _, step = rest.partition(":")
    return (name, int(number), step) if number.isdigit() else ("", 0, "")


def weigh(t: Tables, owner_id: int, playbook: str, envelope: Envelope, now: datetime) -> Refusal | None:
    """What the playbook of a draft has against it now; None when nothing."""
    if not playbook:
        return None
    name, number, step = read(playbook)
    if name == INTRODUCTION:
        return _weigh_step(t, owner_id, number, step, envelope, now=now)
    if name == LEAVE:
        return _weigh_leaving(t, owner_id, number, envelope)
    return Refusal("there is no such playbook")


def offers(t: Tables, owner_id: int, playbook: str) -> tuple[Offer, ...]:
    """Where the list may be left that a draft is to leave; nothing for every other draft."""
    name, number, _ = read(playbook)
    kept = _mail(t, owner_id, number) if name == LEAVE else None
    found = offered(kept.mail) if kept else None
    if kept is None or found is None or isinstance(found, Refusal):
        return ()
    said_by = (kept.mail.sender.address or "") if kept.mail.sender else ""
    return (Offer(found.address if isinstance(found, ByMail) else found.url, kept.id, said_by),)


def reading_of(t: Tables, introduction: Introduction, now: datetime) -> Reading:
    """What the target has answered, read anew from their mail itself."""
    mails = t.mails.latest_from(introduction.owner_id, introduction.target.addresses, limit=ANSWERS_MAX)
    return introductions.read_answer(introduction, mails, now, distrusted=_distrusted(t, introduction.owner_id, mails))


def tell(t: Tables, draft: Draft, event: str, now: datetime) -> None:
    """A draft of a playbook has come to its end (*sent*, *failed*, *discarded*): what follows is a job of its own."""
    name, number, _ = read(draft.playbook)
    if name == INTRODUCTION:
        advance(t, draft.owner_id, number, event, now, draft_id=draft.id)


def tell_of(t: Tables, draft_id: int, event: str, now: datetime) -> None:
    """The same of a draft that may have been erased."""
    try:
        tell(t, t.drafts.get(draft_id), event, now)
    except NotFound:
        return


def advance(
    t: Tables, owner_id: int, introduction_id: int, event: str, now: datetime, *, draft_id: int | None = None
) -> None:
    """The job that takes an introduction further."""
    t.jobs.add(
        owner_id=owner_id,
        kind=ADVANCE,
        lane="background",
        thread=f"{ADVANCE}:{introduction_id}",
        payload={"introduction": introduction_id, "event": event, "draft": draft_id},
        now=now,
    )


def _weigh_step(
    t: Tables, owner_id: int, number: int, step: str, envelope: Envelope, *, now: datetime
) -> Refusal | None:
    introduction = t.introductions.get(number)
    if introduction is None or introduction.owner_id != owner_id:
        return Refusal("it is over")
    due = introductions.next_message(introduction)
    if due is None or due != step:
        return Refusal("that step is not due")
    return introductions.weigh(introduction, due, envelope, reading_of(t, introduction, now))


def _distrusted(t: Tables, owner_id: int, mails: Collection[KeptMail]) -> set[int]:
    contacts, own = t.contacts.all(owner_id), own_addresses(t, owner_id)
    return {kept.id for kept in mails if standing(kept.mail, contacts=contacts, own=own).proof == "failed"}


def _weigh_leaving(t: Tables, owner_id: int, mail_id: int, envelope: Envelope) -> Refusal | None:
    """It says what the header offers and not a word more, to the address that stands there and to nobody else."""
    kept = _mail(t, owner_id, mail_id)
    found = offered(kept.mail) if kept else Refusal("this mail offers no way to unsubscribe")
    if kept is None or isinstance(found, Refusal):
        return found if isinstance(found, Refusal) else Refusal("this mail offers no way to unsubscribe")
    contacts, own = t.contacts.all(owner_id), own_addresses(t, owner_id)
    if standing(kept.mail, contacts=contacts, own=own).proof == "failed":
        return Refusal("the check says that the mail is not from there")
    if isinstance(found, ByMail) and (among(found.address, own) or of_address(found.address, contacts)):
        return Refusal("it would write to somebody you know")
    return None if _says(envelope) == _asked(found) else Refusal("it says more than to leave the list")


def _says(envelope: Envelope) -> tuple[object, ...]:
    beside = (*envelope.cc, *envelope.bcc, *envelope.attachments, *envelope.references)
    return envelope.channel, tuple(one.address for one in envelope.to), envelope.subject, envelope.body, beside


def _asked(found: ByMail | ByPost) -> tuple[object, ...]:
    if isinstance(found, ByPost):
        return UNSUBSCRIBE, (found.url,), "", ONE_CLICK, ()
    return MAIL, (found.address,), found.subject, WORD, ()


def _mail(t: Tables, owner_id: int, mail_id: int) -> KeptMail | None:
    try:
        kept = t.mails.get(mail_id)
    except NotFound:
        return None
    return kept if kept.owner_id == owner_id else None
