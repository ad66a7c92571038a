"""Introducing: whom an introduction brings together, and each of its messages as an envelope without or with its words.

Everybody's address comes from the owner's own records, or was typed; the words of the first two messages are made without
the other one's name being at hand.
"""

from dataclasses import replace
from datetime import datetime

from memory import introduction as introductions
from memory.command.correspondence import Correspondence
from memory.contact import of_address
from memory.drafted import plain
from memory.envelope import Envelope
from memory.envelope_words import REASONS
from memory.exitwords import ENDS
from memory.introduction import Introduction, Party, Step
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Language, Owner
from memory.people.mailbox import folded_name
from memory.recipient import Recipient, among, readable, same_address
from memory.refusal import Refusal
from memory.wording import say
from tools.drafter import DraftWish
from tools.exit.asking import Wish
from tools.exit.playbook import advance, of_step
from tools.letters import Letters, NoLetter, address_of

MESSAGES_MAX = 50
"""So many of the newest mails with somebody are known as the thread with them."""

_KEYS: dict[Step, str] = {"ask the target": "ask", "answer the asker": "answer", "introduce": "both"}

INSTRUCTIONS: dict[Step, str] = {
    "ask the target": "Ask whether I may introduce them by mail to somebody I know who would like to get in touch. Do not "
    "say who that is. Say that a short yes or no is enough and that a no is fine. Three sentences at most.",
    "answer the asker": "They asked me for an introduction. Say that I have asked, and that I will write again as soon as "
    "I hear back. Do not say whom I asked. Two sentences at most.",
    "introduce": "Introduce the two to each other in one mail to both. Say that both said they would like to talk, and "
    "leave the rest to them. Four sentences at most.",
}


def begin(t: Tables, owner: Owner, asker: str, target: str, *, because: str, now: datetime) -> Introduction:
    """A new introduction. Raises NoLetter when one of the two has no address that may be written to."""
    parties = party(t, owner, asker), party(t, owner, target)
    if among(parties[0].addresses[0], parties[1].addresses):
        raise NoLetter(say(owner.language, "introduction_same"))
    for one in t.introductions.open(owner.id):
        if all(_is(mine, theirs) for mine, theirs in zip(parties, (one.asker, one.target), strict=True)):
            raise NoLetter(say(owner.language, "introduction_running", because=ended(owner.language, one.because)))
    return t.introductions.begin(owner.id, parties[0], parties[1], because=because, now=now)


def party(t: Tables, owner: Owner, who: str) -> Party:
    """Somebody by name or address, with everything that could give them away. Raises NoLetter."""
    address = readable(who) or _address_of(t, owner, who)
    contact = of_address(address, t.contacts.all(owner.id))
    wanted = set(folded_name(contact.contact.name)) if contact else set()
    same = [one.contact for one in t.contacts.all(owner.id) if wanted and set(folded_name(one.contact.name)) == wanted]
    addresses = tuple(dict.fromkeys((address, *(each for one in same for each in one.addresses))))
    received = t.mails.latest_from(owner.id, addresses, limit=MESSAGES_MAX)
    sent = t.mails.sent_to(owner.id, addresses, limit=MESSAGES_MAX)
    ids = frozenset(kept.mail.message_id for kept in (*received, *sent) if kept.mail.message_id)
    return Party(name=contact.contact.name if contact else _named(who), addresses=addresses, message_ids=ids)


LISTENS = frozenset({"to answer", "waiting", "to introduce"})
"""The stages in which an answer of the target's counts."""


def heard_from(t: Tables, kept: KeptMail, now: datetime) -> None:
    """A mail has come: every introduction whose target wrote it is looked at."""
    address = kept.mail.sender.address if kept.mail.sender else None
    if kept.by_owner or address is None:
        return
    for one in t.introductions.open(kept.owner_id):
        if one.stage in LISTENS and among(address, one.target.addresses):
            advance(t, kept.owner_id, one.id, "heard", now)


def look_at_all(t: Tables, owner_id: int, now: datetime) -> None:
    """Every introduction that waits for an answer is looked at, so that silence ends it in time."""
    for one in t.introductions.open(owner_id):
        if one.stage in LISTENS:
            advance(t, owner_id, one.id, "looked", now)


def _address_of(t: Tables, owner: Owner, who: str) -> str:
    """Of one person's several addresses the first of their record; of several persons none is taken. Raises NoLetter."""
    wanted = set(folded_name(who))
    named = [one for one in t.contacts.all(owner.id) if wanted and wanted <= set(folded_name(one.contact.name))]
    persons = {frozenset(folded_name(one.contact.name)) for one in named}
    addresses = [address for one in named for address in one.contact.addresses]
    return addresses[0] if len(persons) == 1 and addresses else address_of(t, owner, who)


def envelope_of(
    t: Tables, owner: Owner, introduction: Introduction, step: Step, letters: Letters, *, now: datetime
) -> Envelope:
    """The message of a step without its words. Raises NoLetter when no account can send."""
    parties = {
        "ask the target": (introduction.target,),
        "answer the asker": (introduction.asker,),
        "introduce": (introduction.asker, introduction.target),
    }[step]
    wish = Correspondence(how="new", who=parties[0].addresses[0], subject=_subject(introduction, step, owner.language))
    started = letters.start(t, owner, wish, None, now).envelope
    return replace(started, to=tuple(_recipient(t, owner, one) for one in parties))


def template(introduction: Introduction, step: Step, sender: str, language: Language) -> str:
    """Words to begin with, which the owner can edit."""
    asker, target = introduction.asker.name, introduction.target.name
    first = {"ask the target": target, "answer the asker": asker, "introduce": asker}[step]
    named: dict[str, str] = {"first": _first(first), "owner": sender}
    if step == "introduce":
        # Only the third names both; the other two are not even handed the other name.
        named |= {"second": _first(target), "asker": asker or _first(asker), "target": target or _first(target)}
    return say(language, f"introduction_{_KEYS[step]}_text", **named).strip()


def draft_wish(introduction: Introduction, step: Step, envelope: Envelope, owner: Owner, today: str) -> DraftWish:
    """What the drafter is asked for. Of the first two messages it hears one name alone."""
    to = {
        "ask the target": introduction.target.name,
        "answer the asker": introduction.asker.name,
        "introduce": f"{introduction.asker.name} and {introduction.target.name}",
    }[step]
    return DraftWish(
        owner=envelope.identity.name or envelope.identity.address,
        to=to or envelope.to[0].address,
        today=today,
        subject=envelope.subject,
        instruction=INSTRUCTIONS[step],
        language=owner.language,
    )


def wish_of(introduction: Introduction, step: Step, envelope: Envelope, body: str) -> Wish:
    """The message as it is asked about."""
    written = replace(envelope, body=plain(body))
    return Wish(envelope=written, because=_because(step), playbook=of_step(introduction.id, step))


def may_be(introduction: Introduction, step: Step, envelope: Envelope, body: str) -> bool:
    """Whether a draft keeps to what its step may say; of the third the agreement is looked at where it is asked."""
    if step == "introduce":
        return bool(body)
    weighed = introductions.weigh(introduction, step, replace(envelope, body=plain(body)))
    return bool(body) and not isinstance(weighed, Refusal)


def ended(language: Language, because: str) -> str:
    """Why an introduction stands where it stands, in words."""
    words = ENDS.get(because) or REASONS.get(because)
    return words[language == "de"] if words else because


def _subject(introduction: Introduction, step: Step, language: Language) -> str:
    named = {"asker": introduction.asker.name, "target": introduction.target.name} if step == "introduce" else {}
    return say(language, f"introduction_{_KEYS[step]}_subject", **named)


def _because(step: Step) -> str:
    return {
        "ask the target": "an introduction: the one who is asked for is asked first",
        "answer the asker": "an introduction: the one who asked for it hears that it is under way",
        "introduce": "an introduction: both have agreed",
    }[step]


def _recipient(t: Tables, owner: Owner, one: Party) -> Recipient:
    contact = of_address(one.addresses[0], t.contacts.all(owner.id))
    return Recipient(contact.contact.name if contact else "", one.addresses[0])


def _first(name: str) -> str:
    return name.split(maxsplit=1)[0] if name.split() else ""


def _named(who: str) -> str:
    """What somebody is called who is only known by an address: the part before the @, as a name."""
    return who.partition("@")[0].replace(".", " ").replace("_", " ").title()


def _is(one: Party, other: Party) -> bool:
    return any(same_address(mine, theirs) for mine in one.addresses for theirs in other.addresses)


def store(t: Tables, before: Introduction, after: Introduction, *, now: datetime, signal_id: int | None = None) -> bool:
    """A change of stage, with its row."""
    if not t.introductions.store(after, before=before):
        return False
    record(t, after, now=now, signal_id=signal_id)
    return True


def record(t: Tables, introduction: Introduction, *, now: datetime, signal_id: int | None = None) -> None:
    """The row that says where an introduction stands, and why."""
    t.decisions.record(
        owner_id=introduction.owner_id,
        subject=f"introduction:{introduction.id}",
        decided=introduction.stage,
        because=introduction.because,
        now=now,
        signal_id=signal_id,
    )
