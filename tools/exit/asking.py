"""Asking: a question put to the owner, whether this very envelope may leave. Whatever may not is refused, with a row.

Recipients are traced, never inferred; what was discarded stays so; cards are few. Nothing leaves from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from memory import envelope_card, provenance
from memory.approval import CARDS_PER_HOUR, EXPIRES_FOR, WAITING, Approval, NewApproval, afresh, shown, weigh_proposal
from memory.card import Card, StoredCard
from memory.contact import of_address
from memory.draft import Draft
from memory.envelope import CALENDAR, Envelope, new_message_id, threaded
from memory.envelope_card import Answered, Grounds
from memory.errors import NotFound
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.provenance import Chosen, Sources, Typed
from memory.recipient import Recipient, among
from memory.refusal import Refusal
from memory.sensitive import concern
from memory.wording import say, when
from tools.exit import playbook
from tools.oneself import own_addresses
from tools.vouching import standing_of

AGENT = "exit"
"""Under which name its rows stand in the audit."""

BY_OWNER = frozenset({"you asked for it", "you changed it", "you chose its Reply-To"})
"""Why a card is asked that the owner's own words or taps called for."""

EVENTS_AROUND_FOR = timedelta(days=60)
"""Attendees of the owner's own events of this time may be written to."""

FITS_MAX = 2_000
"""Characters of a card that fit into one message of any chat, however they are drawn. A message that stands there can't be
made two, so a longer card is never put in the place of another: it would be cut, with its buttons beneath."""

_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants to leave. See memory.draft.Draft for the rest."""

    envelope: Envelope
    because: str
    answers_id: int | None = None
    event_id: int | None = None
    chosen: tuple[tuple[str, int], ...] = ()
    doubts: Mapping[str, str] = field(default_factory=dict)
    playbook: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The question is put: its card is on its way."""

    approval: Approval
    card: StoredCard
    piece: Piece | None


@dataclass(frozen=True, slots=True)
class Refused:
    """It may not even be asked. `refused`: by address why, "" for what concerns the whole."""

    refused: Mapping[str, Refusal]


@dataclass(frozen=True, slots=True)
class Wait:
    """Too many cards in an hour: not before this moment."""

    until: datetime


def ask(
    t: Tables, owner_id: int, wish: Wish, *, channel: str, now: datetime, turn_id: int | None = None, amends: str = ""
) -> Asked | Refused | Wait:
    """Put the question, within the caller's transaction. `amends`: the key of the piece in whose place the card goes."""
    owner, envelope = t.owners.get(owner_id), wish.envelope
    against = _unfit(t, owner_id, wish) or playbook.weigh(t, owner_id, wish.playbook, envelope, now)
    if against is not None:
        return _refused(t, owner_id, envelope, {"": against}, now)
    found = sources(t, owner, wish, now)
    traced, refused = provenance.trace_all(envelope.recipients, found)
    if refused:
        return _refused(t, owner_id, envelope, refused, now)
    digest, matter = envelope.digest, envelope.matter
    earlier = t.approvals.akin(owner_id, digest=digest, matter=matter, since=now - _HOUR)
    # The cap guards the owner from others' cards, not from their own wishes.
    most = len(earlier) + 1 if wish.because in BY_OWNER else CARDS_PER_HOUR
    weighed = weigh_proposal(digest=digest, matter=matter, earlier=earlier, now=now, cap_per_hour=most)
    if isinstance(weighed, Refusal):
        return _refused(t, owner_id, envelope, {"": weighed}, now)
    if weighed is not None:
        _audit(t, owner_id, envelope, outcome="refused", because="too many cards in an hour", now=now)
        return Wait(weighed)
    draft = t.drafts.keep(
        owner_id,
        envelope,
        because=wish.because,
        now=now,
        answers_id=wish.answers_id,
        event_id=wish.event_id,
        chosen=wish.chosen,
        doubts=wish.doubts,
        playbook=wish.playbook,
    )
    grounds = _grounds(t, owner, draft, found, traced, now=now)
    new = NewApproval(
        owner_id=owner_id,
        draft_id=draft.id,
        digest=digest,
        matter=matter,
        because=wish.because,
        needs_two=grounds.needs_two,
    )
    return _put(t, new, draft, grounds, channel=channel, now=now, turn_id=turn_id, amends=amends)


def _unfit(t: Tables, owner_id: int, wish: Wish) -> Refusal | None:
    """What an envelope may not even ask for: to come from somebody else, or to stand in another thread than it answers."""
    envelope, sender = wish.envelope, wish.envelope.identity
    account = t.accounts.named(owner_id, sender.account)
    if account is None or sender.address not in account.addresses:
        return Refusal("that is no identity of the owner's")
    answered = _answered(t, wish.answers_id)
    thread = (envelope.in_reply_to, envelope.references)
    if any(thread) and (answered is None or thread != threaded(answered.mail)):
        return Refusal("it stands in another thread than the mail that it answers")
    return None


def redirect(t: Tables, before: Approval, *, channel: str, card_id: int, now: datetime) -> Asked | Refused | Wait:
    """The same words as a new question, to where the answered mail's Reply-To would have them: the owner tapped for it."""
    draft = t.drafts.get(before.draft_id)
    answered, address = _answered(t, draft.answers_id), grounds_of(t, draft, now).redirects_to
    if answered is None or address is None or not provenance.may_choose(address, answered.mail):
        return Refused({"": Refusal("no such choice")})
    contact = of_address(address, t.contacts.all(before.owner_id))
    to = Recipient(contact.contact.name if contact else "", address)
    envelope = replace(draft.envelope, to=(to,), message_id=new_message_id(draft.envelope.identity.address))
    chosen = (*draft.chosen, (address, card_id))
    wish = replace(_wish_of(draft), envelope=envelope, because="you chose its Reply-To", chosen=tuple(chosen))
    return ask(t, before.owner_id, wish, channel=channel, now=now)


def ask_again(t: Tables, before: Approval, *, channel: str, now: datetime) -> Asked | Refusal:
    """The same draft as a new question, once the old one has expired, or what it let out certainly did not leave."""
    draft = t.drafts.get(before.draft_id)
    dispatch = t.dispatches.of_approval(before.id)
    has_failed = before.state == "spent" and dispatch is not None and dispatch.state == "failed"
    new = before if has_failed else afresh(before, digest=draft.envelope.digest, matter=draft.envelope.matter)
    against = new if isinstance(new, Refusal) else _against(t, before, draft, has_failed=has_failed, now=now)
    if against is not None:
        _audit(t, before.owner_id, draft.envelope, outcome="refused", because=against.because, now=now)
        return against
    if not isinstance(new, NewApproval):
        return _put_anew(t, before, draft, channel=channel, now=now)
    return _put(t, new, draft, grounds_of(t, draft, now), channel=channel, now=now)


def _against(t: Tables, before: Approval, draft: Draft, *, has_failed: bool, now: datetime) -> Refusal | None:
    """What speaks against asking once more: much may have happened since the question before."""
    akin = t.approvals.akin(before.owner_id, digest=before.digest, matter=before.matter, since=now)
    # A draft that failed before bears an approval of the same matter each time.
    since = [one for one in akin if one.id != before.id and not (has_failed and one.state == "spent")]
    weighed = weigh_proposal(
        digest=before.digest, matter=before.matter, earlier=since, now=now, cap_per_hour=len(since) + 1
    )
    if isinstance(weighed, Refusal):
        return weighed
    wish = _wish_of(draft)
    unfit = _unfit(t, before.owner_id, wish) or playbook.weigh(t, before.owner_id, wish.playbook, wish.envelope, now)
    if unfit is not None:
        return unfit
    found = sources(t, t.owners.get(before.owner_id), wish, now)
    _, refused = provenance.trace_all(draft.envelope.recipients, found)
    return next(iter(refused.values()), None)


def _put_anew(t: Tables, before: Approval, draft: Draft, *, channel: str, now: datetime) -> Asked:
    """A mail that failed is another mail: it has a Message-ID of its own, so a digest and a yes of its own."""
    old = draft.envelope
    envelope = replace(old, message_id=new_message_id(old.identity.address)) if old.message_id else old
    again = t.drafts.keep(
        draft.owner_id,
        envelope,
        because="it did not leave",
        now=now,
        answers_id=draft.answers_id,
        event_id=draft.event_id,
        chosen=tuple(draft.chosen),
        doubts=draft.doubts,
        playbook=draft.playbook,
    )
    new = NewApproval(
        owner_id=before.owner_id,
        draft_id=again.id,
        digest=envelope.digest,
        matter=envelope.matter,
        because="it did not leave",
        needs_two=before.needs_two,
    )
    return _put(t, new, again, grounds_of(t, again, now), channel=channel, now=now)


def show_again(
    t: Tables, approval: Approval, *, channel: str, key: str, turn_id: int | None, now: datetime
) -> tuple[Piece | None, ...]:
    """The open question once more, below, as a card of its own; the one above says so and has no buttons any more."""
    draft, owner = t.drafts.get(approval.draft_id), t.owners.get(approval.owner_id)
    before = t.cards.get(approval.card_id) if approval.card_id else None
    shown_as = t.pieces.of_card(before.id) if before else None
    card = envelope_card.card(
        draft.envelope,
        grounds_of(t, draft, now),
        owner.language,
        approval_id=approval.id,
        confirming=approval.state == "confirming",
    )
    t.cards.outdate(card.subject, owner_id=owner.id, now=now)
    _, stored = _bind(t, approval, card, now)
    again = NewPiece(key=key, owner_id=owner.id, channel=channel, text=card.text, turn_id=turn_id, card_id=stored.id)
    pieces = [t.pieces.say(again, now=now, handing=True)]
    if before is not None and shown_as is not None:
        above = NewPiece(
            key=f"card:{before.id}:moved",
            owner_id=owner.id,
            channel=shown_as.channel,
            text=f"{say(owner.language, 'approval_moved')}\n\n{before.card.text}",
            silent=True,
            amends_key=shown_as.key,
        )
        pieces.append(t.pieces.say(above, now=now, handing=True))
    return tuple(pieces)


def show_after_absence(t: Tables, owner_id: int, *, channel: str, now: datetime) -> list[Piece | None]:
    """Every question that is still open, once more: what was tapped while nobody was there to feel it is not known."""
    waiting = [one for one in t.approvals.waiting(owner_id) if one.state in WAITING and now < one.expires_at]
    shown_again: list[Piece | None] = []
    for approval in waiting:
        key = f"approval:{approval.id}:again:{now.isoformat()}"
        shown_again += show_again(t, approval, channel=channel, key=key, turn_id=None, now=now)
    return shown_again


def confirming(t: Tables, approval: Approval, now: datetime) -> tuple[Approval, StoredCard]:
    """The second card of two, after the first tap. Raises NotFound when the draft was erased."""
    draft = t.drafts.get(approval.draft_id)
    owner = t.owners.get(approval.owner_id)
    card = envelope_card.card(
        draft.envelope, grounds_of(t, draft, now), owner.language, approval_id=approval.id, confirming=True
    )
    return _bind(t, approval, card, now)


def grounds_of(t: Tables, draft: Draft, now: datetime) -> Grounds:
    """What the card of a draft rests on, gathered anew."""
    owner = t.owners.get(draft.owner_id)
    found = sources(t, owner, _wish_of(draft), now)
    traced, _ = provenance.trace_all(draft.envelope.recipients, found)
    return _grounds(t, owner, draft, found, traced, now=now)


def _wish_of(draft: Draft) -> Wish:
    return Wish(
        envelope=draft.envelope,
        because=draft.because,
        answers_id=draft.answers_id,
        event_id=draft.event_id,
        chosen=tuple(draft.chosen),
        doubts=draft.doubts,
        playbook=draft.playbook,
    )


def sources(t: Tables, owner: Owner, wish: Wish, now: datetime) -> Sources:
    """Everything that a recipient may come from. Words of mails, files and events are not in it."""
    envelope, own = wish.envelope, own_addresses(t, owner.id)
    answered = _answered(t, wish.answers_id)
    thread = t.mails.thread(answered.thread_id) if answered else []
    rest = [kept for kept in thread if answered is None or kept.id != answered.id]
    around = t.calendars.between(owner.id, now - EVENTS_AROUND_FOR, now + EVENTS_AROUND_FOR, kept_up=True)
    invited = t.calendars.of_uid(owner.id, envelope.act.uid) if envelope.act else []
    typed = [
        Typed(one.address, message_id)
        for one in envelope.recipients
        if (message_id := t.thread.typed(owner.id, one.address)) is not None
    ]
    return Sources(
        own=own,
        thread=(*rest, *([answered] if answered else [])),
        contacts=tuple(t.contacts.all(owner.id)),
        events=tuple(around),
        invited_to=invited[0] if invited else None,
        typed=tuple(typed),
        chosen=tuple(Chosen(address, card_id) for address, card_id in wish.chosen),
        offers=playbook.offers(t, owner.id, wish.playbook),
    )


def _answered(t: Tables, mail_id: int | None) -> KeptMail | None:
    if mail_id is None:
        return None
    try:
        return t.mails.get(mail_id)
    except NotFound:
        return None


def _grounds(
    t: Tables,
    owner: Owner,
    draft: Draft,
    found: Sources,
    traced: Mapping[str, provenance.Provenance],
    *,
    now: datetime,
) -> Grounds:
    answered = _answered(t, draft.answers_id)
    words = (answered.mail.subject, answered.mail.text) if answered else ()
    weighed = provenance.answerable(answered.mail, found.own) if answered else None
    return Grounds(
        because=draft.because,
        sources=traced,
        answered=_shown(answered, owner, now) if answered else None,
        standing=standing_of(t, answered) if answered else None,
        asks_for=_elsewhere(weighed, draft.envelope) if weighed else (),
        sensitive=concern(draft.envelope, words),
        file_doubts=draft.doubts,
    )


def _elsewhere(weighed: provenance.Answerable | Refusal, envelope: Envelope) -> tuple[str, ...]:
    """Where the answered mail's Reply-To would have the answer, and where it does not go."""
    asked = weighed.asks_for if isinstance(weighed, provenance.Answerable) else ()
    return tuple(address for address in asked if not among(address, (one.address for one in envelope.recipients)))


def _shown(kept: KeptMail, owner: Owner, now: datetime) -> Answered:
    sender = kept.mail.sender
    return Answered(
        name=sender.name if sender else "",
        address=(sender.address or "") if sender else "",
        when=when(owner.zones.wall_at(kept.at), owner.zones.wall_at(now).date(), owner.language),
    )


def _put(
    t: Tables,
    new: NewApproval,
    draft: Draft,
    grounds: Grounds,
    *,
    channel: str,
    now: datetime,
    turn_id: int | None = None,
    amends: str = "",
) -> Asked:
    owner = t.owners.get(new.owner_id)
    approval = t.approvals.ask(new, now=now, expires_for=EXPIRES_FOR)
    card = envelope_card.card(draft.envelope, grounds, owner.language, approval_id=approval.id)
    asking, stored = _bind(t, approval, card, now)
    piece = t.pieces.say(
        NewPiece(
            key=f"approval:{approval.id}:{stored.id}",
            owner_id=owner.id,
            channel=channel,
            text=card.text,
            turn_id=turn_id,
            card_id=stored.id,
            amends_key=amends if amends and len(card.text) <= FITS_MAX else None,
        ),
        now=now,
        handing=True,
    )
    _audit(t, owner.id, draft.envelope, outcome="asked", because=draft.because, now=now, approval_id=approval.id)
    return Asked(asking, stored, piece)


def _bind(t: Tables, approval: Approval, card: Card, now: datetime) -> tuple[Approval, StoredCard]:
    """The card that asks from now on; an earlier one counts no more."""
    stored = t.cards.put(card, owner_id=approval.owner_id, now=now)
    asking = shown(approval, card_id=stored.id, card_digest=stored.digest)
    if isinstance(asking, Refusal) or not t.approvals.store(asking, before=approval):
        raise AssertionError("an approval was decided while its card was made")  # one writer, one transaction
    return asking, stored


def _refused(t: Tables, owner_id: int, envelope: Envelope, refused: Mapping[str, Refusal], now: datetime) -> Refused:
    because = "; ".join(dict.fromkeys(one.because for one in refused.values()))
    _audit(t, owner_id, envelope, outcome="refused", because=because, now=now)
    return Refused(refused)


def _audit(
    t: Tables,
    owner_id: int,
    envelope: Envelope,
    *,
    outcome: str,
    because: str,
    now: datetime,
    approval_id: int | None = None,
) -> None:
    act = f".{envelope.act.action}" if envelope.channel == CALENDAR and envelope.act else ""
    t.audit.record(
        owner_id=owner_id,
        agent=AGENT,
        tool=f"send.{envelope.channel}{act}",
        permission="ASK",
        outcome=outcome,  # type: ignore[arg-type]  # one of the two above
        because=because,
        arguments_digest=envelope.digest,
        now=now,
        subject=f"approval:{approval_id}" if approval_id is not None else None,
    )
