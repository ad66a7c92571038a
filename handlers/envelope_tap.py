"""Taps on the card of an envelope: send, edit, not now, discard. The only place where a yes is taken; it sends nothing.

A tap counts from the owner, in the owner's chat, on the card that asks, while it asks (memory/approval). What an approval
sets off is a job of its own.
"""

from dataclasses import dataclass
from datetime import datetime

from memory.approval import DISCARD, EDIT, LATER, REDIRECT, Approval, Felt, Lapsed, Press, Seat, weigh_tap
from memory.card import StoredCard, Tap
from memory.dispatch import settle_by_owner
from memory.envelope_words import reason as refusal
from memory.errors import StillbellError
from memory.ledger import Tables
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.refusal import Refusal
from memory.signal import Signal
from memory.wording import say, when
from tools.exit import asking, leaving, playbook, telling
from tools.exit.asking import Refused, Wait
from tools.exit.lapsing import lapse, supersede

EDITING = "editing"
"""The preference that holds the approval whose new text is the owner's next message."""

LOCAL = "local"
"""The user and the chat of a channel that only somebody on this machine, under the owner's account, can reach."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A word for the thumb, and the pieces that follow."""

    word: str
    pieces: tuple[Piece | None, ...] = ()


def seats(owner: Owner) -> frozenset[Seat]:
    """Where the owner sits."""
    local = {Seat(channel, LOCAL, LOCAL) for channel in ("terminal", "web")}
    if owner.telegram_id is None:
        return frozenset(local)
    return frozenset({*local, Seat("telegram", str(owner.telegram_id), str(owner.telegram_id))})


def seat_of(signal: Signal) -> Seat | None:
    """From where a tap came; None for one that no channel of ours brought."""
    channel = str(signal.payload.get("channel", ""))
    if signal.source != channel:
        return None
    if channel in ("terminal", "web"):
        return Seat(channel, LOCAL, LOCAL)
    user, chat = signal.payload.get("user"), signal.payload.get("chat")
    return Seat(channel, str(user), str(chat)) if user and chat else None


def feel(t: Tables, tap: Tap, stored: StoredCard, owner: Owner, *, signal: Signal, now: datetime) -> Outcome:
    """What a tap on an envelope's card does, within the caller's transaction."""
    approval = t.approvals.get(int(stored.card.subject.removeprefix("approval:")))
    felt = weigh_tap(Press(tap, seat_of(signal), signal.id), approval, now, seats(owner))
    if isinstance(felt, Refusal) or approval is None:
        return _counts_not(t, stored, owner, felt, approval=approval, now=now)
    if isinstance(felt, Lapsed):
        return Outcome(refusal(owner.language, "expired"), (lapse(t, approval, felt.approval, now),))
    return _act(t, felt, approval, stored, owner=owner, now=now)


def _act(t: Tables, felt: Felt, before: Approval, stored: StoredCard, *, owner: Owner, now: datetime) -> Outcome:
    if felt.choice == LATER:
        return Outcome(say(owner.language, "approval_later"))
    if felt.choice == EDIT:
        return _edit(t, before, stored, owner, now)
    if felt.choice == REDIRECT:
        return _redirect(t, before, stored, owner, now)
    return _decide(t, felt, before, stored, owner=owner, now=now)


def _decide(t: Tables, felt: Felt, before: Approval, stored: StoredCard, *, owner: Owner, now: datetime) -> Outcome:
    if not t.approvals.store(felt.approval, before=before):
        return Outcome(refusal(owner.language, "already decided"))
    t.cards.decide(stored.id, felt.choice, now=now)
    _record(t, felt.approval, now)
    word = say(owner.language, "tap_ok")
    if felt.choice == DISCARD:
        playbook.tell_of(t, felt.approval.draft_id, "discarded", now)
        return Outcome(word, (_redraw(t, stored, say(owner.language, "approval_discarded"), now),))
    if felt.approval.state == "confirming":
        confirming, second = asking.confirming(t, felt.approval, now)
        return Outcome(word, _replace(t, stored, second, confirming, now, owner=owner))
    leaving.begin(t, felt.approval, now)
    return Outcome(word, (_redraw(t, stored, say(owner.language, "dispatch_sending"), now),))


def _edit(t: Tables, before: Approval, stored: StoredCard, owner: Owner, now: datetime) -> Outcome:
    """The owner's next message will be the new text; until then the card stands as it is."""
    t.preferences.set(owner.id, EDITING, str(before.id))
    key = f"approval:{before.id}:edit:{stored.id}:{now.isoformat()}"
    channel = _channel(t, stored)
    new = NewPiece(key=key, owner_id=owner.id, channel=channel, text=say(owner.language, "approval_edit"))
    return Outcome(say(owner.language, "tap_ok"), (t.pieces.say(new, now=now, handing=True),))


def _redirect(t: Tables, before: Approval, stored: StoredCard, owner: Owner, now: datetime) -> Outcome:
    """Another recipient makes another envelope: a new card, and the old one is void."""
    asked = asking.redirect(t, before, channel=_channel(t, stored), card_id=stored.id, now=now)
    if isinstance(asked, Wait):
        today = owner.zones.wall_at(now).date()
        until = when(owner.zones.wall_at(asked.until), today, owner.language)
        return Outcome(say(owner.language, "approval_wait", when=until))
    if isinstance(asked, Refused):
        return Outcome(refusal(owner.language, next(iter(asked.refused.values())).because))
    return Outcome(say(owner.language, "tap_ok"), (asked.piece, supersede(t, before, now)))


def afresh(t: Tables, stored: StoredCard, choice: str, owner: Owner, now: datetime) -> Outcome:
    """The expired draft is asked once more, with a card of its own."""
    expired = t.approvals.get(int(stored.card.subject.removeprefix("approval:")))
    if expired is None or not t.cards.decide(stored.id, choice, now=now):
        return Outcome(say(owner.language, "stale_decided"))
    asked = asking.ask_again(t, expired, channel=_channel(t, stored), now=now)
    if isinstance(asked, Refusal):
        return Outcome(refusal(owner.language, asked.because))
    return Outcome(say(owner.language, "tap_ok"), (asked.piece,))


def settled(t: Tables, stored: StoredCard, choice: str, owner: Owner, now: datetime) -> Outcome:
    """What the owner says became of something whose end nobody could see."""
    before = t.dispatches.get(int(stored.card.subject.removeprefix("dispatch:")))
    if before is None or not t.cards.decide(stored.id, choice, now=now):
        return Outcome(say(owner.language, "stale_decided"))
    after = settle_by_owner(before, arrived=choice == "arrived", now=now)
    if isinstance(after, Refusal) or not t.dispatches.store(after, before=before):
        return Outcome(say(owner.language, "stale_decided"))
    if (approval := t.approvals.get(after.approval_id)) is not None:
        playbook.tell_of(t, approval.draft_id, after.state, now)
    word = say(
        owner.language, f"dispatch_{after.state}", when=f"{owner.zones.wall_at(now):%H:%M}", because=after.because
    )
    return Outcome(
        say(owner.language, "tap_ok"), (telling.mark(t, after, now), _redraw(t, stored, word, now, alone=True))
    )


def _counts_not(
    t: Tables,
    stored: StoredCard,
    owner: Owner,
    felt: Refusal | Felt | Lapsed,
    *,
    approval: Approval | None,
    now: datetime,
) -> Outcome:
    because = felt.because if isinstance(felt, Refusal) else "no such question"
    t.audit.record(
        owner_id=owner.id,
        agent=asking.AGENT,
        tool="tap",
        permission="ASK",
        outcome="refused",
        because=because,
        arguments_digest=approval.digest if approval else stored.digest,
        now=now,
        subject=stored.card.subject,
    )
    return Outcome(refusal(owner.language, because))


def _redraw(t: Tables, stored: StoredCard, line: str, now: datetime, *, alone: bool = False) -> Piece | None:
    """The card's place with a line above it and no buttons."""
    shown = t.pieces.of_card(stored.id)
    if shown is None:
        return None
    new = NewPiece(
        key=f"card:{stored.id}:after",
        owner_id=stored.owner_id,
        channel=shown.channel,
        text=line if alone else f"{line}\n\n{stored.card.text}",
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def _replace(
    t: Tables, stored: StoredCard, second: StoredCard, approval: Approval, now: datetime, *, owner: Owner
) -> tuple[Piece | None, ...]:
    """The second card in the first one's place; a long one below, whole, while the first says so and has no buttons."""
    shown = t.pieces.of_card(stored.id)
    in_place = shown is not None and len(second.card.text) <= asking.FITS_MAX
    new = NewPiece(
        key=f"approval:{approval.id}:{second.id}",
        owner_id=stored.owner_id,
        channel=shown.channel if shown else _channel(t, stored),
        text=second.card.text,
        card_id=second.id,
        amends_key=shown.key if shown and in_place else None,
    )
    above = None if in_place else _redraw(t, stored, say(owner.language, "approval_moved"), now)
    return t.pieces.say(new, now=now, handing=True), above


def _channel(t: Tables, stored: StoredCard) -> str:
    shown = t.pieces.of_card(stored.id)
    if shown is None:
        raise StillbellError(f"card {stored.id} was never shown")
    return shown.channel


def _record(t: Tables, approval: Approval, now: datetime) -> None:
    t.decisions.record(
        owner_id=approval.owner_id,
        subject=f"approval:{approval.id}",
        decided=approval.state,
        because=approval.because,
        now=now,
        signal_id=approval.tapped_by,
    )
