"""An introduction: two people are brought together by three messages, each approved for itself, most of it refusals.

    to ask ─ 1 to the target ─► to answer ─ 2 to the asker ─► waiting ─ the target agrees ─► to introduce ─ 3 to both ─► done
       └──────────────┴───────────────────────┴── a no, silence, a discarded card, the owner ──► ended, with the reason

The first two may neither name nor carry the other's recipient. The third leaves only on the target's own agreement, which
is read from their mail, and read again at each stage: when it is drafted, when it is shown, when it is sent.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from memory import consent
from memory.confusable import folded, skeleton
from memory.envelope import Envelope
from memory.mail import KeptMail
from memory.recipient import among, same_address
from memory.refusal import Refusal

Stage = Literal["to ask", "to answer", "waiting", "to introduce", "done", "ended"]
Step = Literal["ask the target", "answer the asker", "introduce"]

TELLING_LETTERS = 3
"""Letters that a word of a name needs to tell who is meant."""

SILENCE_FOR = timedelta(days=14)
"""So long the target may take; then it ends, and the owner is told."""

_STEP_OF: dict[Stage, Step] = {"to ask": "ask the target", "to answer": "answer the asker", "to introduce": "introduce"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """One of the two. addresses: all that are known of them. message_ids: of the thread with them, without brackets."""

    name: str
    addresses: tuple[str, ...]
    message_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The target's yes: the mail that says it and the words, or the owner's word on a mail that was unclear."""

    mail_id: int
    quote: str
    by_owner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduction:
    """One introduction on its way. asked_id: our Message-ID of the first message; question: its text."""

    id: int
    owner_id: int
    asker: Party
    target: Party
    stage: Stage
    because: str
    asked_at: datetime | None = None
    asked_id: str = ""
    question: str = ""
    agreement: Agreement | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """The target said no, in this mail."""

    mail_id: int
    quote: str


@dataclass(frozen=True, slots=True)
class AskOwner:
    """There is an answer, and code can't read it beyond doubt."""

    mail_id: int
    because: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Silence:
    """There is no answer yet. `over`: it has been long enough to give up."""

    over: bool


Reading = Agreement | Declined | AskOwner | Silence


# What may be drafted, shown and sent


def next_message(introduction: Introduction) -> Step | None:
    """The message that is to be drafted now; None while there is nothing to write."""
    return _STEP_OF.get(introduction.stage)


def weigh(introduction: Introduction, step: Step, envelope: Envelope, reading: Reading | None = None) -> Refusal | None:
    """Whether this envelope may leave as this step; None when nothing speaks against it.

    To be asked when it is drafted, when its card is made and when it is sent, each time with the answer read anew.
    """
    if next_message(introduction) != step:
        return Refusal("that step is not due")
    if step == "ask the target":
        return _for_one(envelope, introduction.target, introduction.asker)
    if step == "answer the asker":
        return _for_one(envelope, introduction.asker, introduction.target)
    return _for_both(envelope, introduction, reading)


def _for_one(envelope: Envelope, reader: Party, other: Party) -> Refusal | None:
    addresses = [one.address for one in envelope.recipients]
    if len(addresses) != 1 or not among(addresses[0], reader.addresses):
        return Refusal("it has to go to one of the two alone")
    if envelope.attachments:
        return Refusal("nothing is attached before both are introduced")
    if {envelope.in_reply_to, *envelope.references} & other.message_ids:
        return Refusal("it carries the thread with the other one")
    return Refusal("it names the other one") if names(envelope, other, reader) else None


def _for_both(envelope: Envelope, introduction: Introduction, reading: Reading | None) -> Refusal | None:
    if not isinstance(reading, Agreement) or introduction.agreement is None:
        return Refusal("the target has not agreed")
    if reading.mail_id != introduction.agreement.mail_id:
        return Refusal("the target has written again since")
    addresses = [one.address for one in envelope.recipients]
    parties = (introduction.asker, introduction.target)
    if len(addresses) != 2 or not all(any(among(one, party.addresses) for one in addresses) for party in parties):
        return Refusal("it has to go to both and nobody else")
    return Refusal("the two have to see each other") if envelope.bcc else None


def names(envelope: Envelope, party: Party, reader: Party) -> bool:
    """Whether anything of the envelope names this party or carries an address of theirs, however it is dressed up.

    A name is the whole one in either order, or one word of it written as a name is, with a capital; words that the reader
    or the sender bears as well don't count.
    """
    shared = {*_words(reader.name), *_words(envelope.identity.name)}
    telling = {word for word in _words(party.name) if len(word) >= TELLING_LETTERS} - shared
    return any(
        _holds_name(text, party.name) or _holds_part(text, telling) or _holds_address(text, party.addresses)
        for text in _texts(envelope)
    )


# What the target answered


def read_answer(
    introduction: Introduction, mails: Sequence[KeptMail], now: datetime, *, distrusted: Collection[int] = ()
) -> Reading:
    """What the target's latest mail in answer to our question says. mails: what came from anybody since.

    Only a mail counts whose sender is beyond doubt and the target, and which answers our very message. distrusted: the ids
    of mails that failed their check (memory/authenticity). The latest answer counts: who has agreed may still say no.
    """
    answers = sorted((kept for kept in mails if _answers(kept, introduction)), key=lambda kept: (kept.at, kept.id))
    if not answers:
        asked_at = introduction.asked_at or now
        return Silence(over=now - asked_at >= SILENCE_FOR)
    return _read(answers[-1], introduction, distrusted)


def _answers(kept: KeptMail, introduction: Introduction) -> bool:
    sender = kept.mail.sender
    if kept.by_owner or sender is None or not introduction.asked_id:
        return False
    is_in_thread = introduction.asked_id in {kept.mail.in_reply_to, *kept.mail.references}
    return is_in_thread and any(same_address(sender.address, address) for address in introduction.target.addresses)


def _read(kept: KeptMail, introduction: Introduction, distrusted: Collection[int]) -> Reading:
    known = introduction.agreement
    if known is not None and known.by_owner and known.mail_id == kept.id:
        return known
    because = _doubt(kept, distrusted)
    if because:
        return AskOwner(kept.id, because)
    answer = consent.read(kept.said or "", introduction.question)
    if answer.word == "yes":
        return Agreement(mail_id=kept.id, quote=answer.quote)
    if answer.word == "no":
        return Declined(kept.id, answer.quote)
    return AskOwner(kept.id, "the answer can be read in more than one way", answer.quote)


def _doubt(kept: KeptMail, distrusted: Collection[int]) -> str | None:
    mail = kept.mail
    if mail.senders_disagree or kept.id in distrusted:
        return "it is not certain who wrote the answer"
    if mail.is_automated or mail.is_bounce:
        return "a robot answered"
    if kept.said is None or mail.was_cut or mail.parts_disagree:
        return "what the answer itself says could not be told from what it quotes"
    return None


# Moving on


def moved_on(
    introduction: Introduction, step: Step, now: datetime, *, message_id: str, text: str
) -> Introduction | Refusal:
    """After the message of this step was sent."""
    if next_message(introduction) != step:
        return Refusal("that step is not due")
    if step == "ask the target":
        asked = replace(introduction, asked_at=now, asked_id=message_id, question=text)
        return replace(asked, stage="to answer", because="the target was asked")
    if step == "answer the asker":
        return replace(introduction, stage="waiting", because="the asker was answered")
    return replace(introduction, stage="done", because="both were introduced")


def heard(introduction: Introduction, reading: Reading) -> Introduction | Refusal | None:
    """What an answer changes; None for nothing. It is taken note of while waiting, and again before the third message."""
    if introduction.stage not in {"to answer", "waiting", "to introduce"}:
        return Refusal("nothing is waited for")
    if isinstance(reading, Declined):
        return end(introduction, because="the target declined")
    if isinstance(reading, Silence):
        return end(introduction, because="the target did not answer") if reading.over else None
    if isinstance(reading, Agreement) and introduction.stage != "to answer":
        return replace(introduction, stage="to introduce", agreement=reading, because="the target agreed")
    if isinstance(reading, AskOwner) and introduction.stage == "to introduce":
        return replace(introduction, stage="waiting", agreement=None, because="the target has written again")
    return None


def confirmed(introduction: Introduction, asked: AskOwner, *, agreed: bool) -> Introduction | Refusal:
    """The owner has read the unclear answer, and says what it means."""
    if introduction.stage not in {"waiting", "to answer"}:
        return Refusal("nothing is waited for")
    if not agreed:
        return end(introduction, because="the target declined, says the owner")
    if introduction.stage == "to answer":
        return Refusal("the asker has not been answered yet")
    agreement = Agreement(mail_id=asked.mail_id, quote=asked.quote, by_owner=True)
    return replace(introduction, stage="to introduce", agreement=agreement, because="the target agreed, says the owner")


def end(introduction: Introduction, *, because: str) -> Introduction | Refusal:
    """It goes no further: a no, silence, a discarded card, the owner's word."""
    if introduction.stage in {"done", "ended"}:
        return Refusal("it is over")
    return replace(introduction, stage="ended", because=because)


# Naming


def _texts(envelope: Envelope) -> Iterable[str]:
    yield from (envelope.subject, envelope.body, envelope.identity.name, envelope.message_id)
    yield from (envelope.in_reply_to, *envelope.references)
    yield from (f"{one.name} {one.address}" for one in envelope.recipients)
    yield from (attachment.name for attachment in envelope.attachments)
    act = envelope.act
    if act is not None:
        yield from (act.title, act.place, act.comment, act.uid)


def _holds_name(text: str, name: str) -> bool:
    """Whether the whole name stands in the text, in either order, with whatever stands between its words but words."""
    words = _words(name)
    if not words or len("".join(words)) < 2:
        return False
    held = f" {' '.join(_words(text))} "
    orders = (words, words[-1:] + words[:-1], words[1:] + words[:1], [words[0], words[-1]], [words[-1], words[0]])
    return any(f" {' '.join(order)} " in held for order in orders)


def _holds_part(text: str, telling: Collection[str]) -> bool:
    return any(word[0].isupper() and skeleton(word) in telling for word in re.findall(r"[^\W_]+", text))


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", skeleton(text))


def _holds_address(text: str, addresses: Iterable[str]) -> bool:
    """Whether an address stands in the text, written out or as "anna at example dot org"."""
    plain = re.sub(r"[\s()\[\]{}<>]+", " ", folded(text))
    plain = re.sub(r" ?\bat\b ?", "@", re.sub(r" ?\b(?:dot|punkt)\b ?", ".", plain))
    dense = re.sub(r"\s*([@.])\s*", r"\1", plain)
    return any(folded(address) in dense for address in addresses)
