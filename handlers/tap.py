"""A tap: a button was pressed. What it does is decided by the card in the ledger, never by what the button claims."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from handlers import (
    company_tap,
    correspond,
    day_tap,
    envelope_tap,
    errand_tap,
    fact,
    found_tap,
    introduce,
    mail_tap,
    meeting,
    one_person,
    plain,
    promise_tap,
    recollect,
    undo,
    who,
)
from handlers.errand_tap import Errands
from handlers.scene import Reply, Scene
from memory import envelope_card
from memory.card import Card, Stale, StoredCard, read_callback, weigh
from memory.clock import Clock
from memory.command.intent import Close, Snooze, Target
from memory.command.target import TakeBack
from memory.exclusion import UnreadableExclusions
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.owner import Language, Owner
from memory.piece import NewPiece, Piece
from memory.wording import say
from tools import (
    company_card,
    contact_notes,
    fact_notes,
    found_card,
    mail_card,
    person_notes,
    portrait_card,
    promise_card,
    recollection_card,
)
from tools.chat import Post
from tools.exit import lapsing, telling


@dataclass(frozen=True, slots=True)
class Felt:
    """What came of a tap: a word for the thumb, and the pieces that follow."""

    word: str
    pieces: tuple[Piece | None, ...] = ()


class Taps:
    """Handles the kind *tap*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock, *, errands: Errands) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._errands = errands

    async def __call__(self, job: Job) -> None:
        """Do what the tap asks for, once, and redraw the card."""
        signal = job.asked_by()
        said = signal.payload
        try:
            felt = await self._ledger.write(lambda t: self._feel(t, job, self._clock.now()))
        except UnreadableExclusions as error:
            # Nothing was done, and the card is open still: it may be tapped again when the list is mended.
            why = str(error)
            felt = await self._ledger.write(lambda t: self._unread(t, job, why, self._clock.now()))
        self._post.post(*felt.pieces)
        if said.get("callback_id"):
            await self._post.answer_tap(str(said.get("channel", "telegram")), str(said["callback_id"]), felt.word)

    def _unread(self, t: Tables, job: Job, why: str, now: datetime) -> Felt:
        """Said as a message as well: the word on the thumb is cut short, and shown in Telegram alone."""
        signal = job.asked_by()
        new = NewPiece(
            key=f"tap:{signal.id}:unread",
            owner_id=job.owner_id,
            channel=str(signal.payload.get("channel", "telegram")),
            text=escaped(why),
        )
        return Felt(why, (t.pieces.say(new, now=now, handing=True),))

    def _feel(self, t: Tables, job: Job, now: datetime) -> Felt:
        signal = job.asked_by()
        owner = t.owners.get(job.owner_id)
        tap = read_callback(str(signal.payload.get("data", "")))
        stored = t.cards.get(tap.card_id) if tap else None
        if stored is not None and stored.owner_id != owner.id:
            stored = None
        if tap is not None and stored is not None and stored.card.kind == envelope_card.KIND:
            outcome = envelope_tap.feel(t, tap, stored, owner, signal=signal, now=now)
            return Felt(outcome.word, outcome.pieces)
        verdict = weigh(tap, stored) if tap else Stale("gone")
        if isinstance(verdict, Stale):
            return self._stale(t, verdict, stored, owner.language, now)
        card = verdict.stored
        if card.card.kind in _OF_THE_EXIT:
            outcome = _OF_THE_EXIT[card.card.kind](t, card, verdict.choice, owner, now)
            return Felt(outcome.word, outcome.pieces)
        scene = Scene(
            owner=owner,
            now=now,
            signal_id=signal.id,
            turn_id=0,
            because=f"the owner tapped {verdict.choice} on card {card.id}",
            about=lambda: _loop_of(card.card),
        )
        beside = self._beside(t, card, verdict.choice, scene)
        if beside is not None:
            return Felt(beside.word, beside.pieces)
        if not t.cards.decide(card.id, verdict.choice, now=now):
            return self._stale(t, Stale("decided"), card, owner.language, now)
        if card.card.kind == correspond.OFFER:
            reply = correspond.pick(t, card, verdict.choice, scene)
        else:
            reply = act(t, card.card, verdict.choice, scene)
        return Felt(say(owner.language, "tap_ok"), (self._redraw(t, card, reply, now),))

    def _beside(self, t: Tables, card: StoredCard, choice: str, scene: Scene) -> envelope_tap.Outcome | None:
        """What a tap does that redraws more than its own card, or nothing of it; None for every other tap."""
        if card.card.kind in day_tap.FELT:
            return day_tap.feel(t, card, choice, scene)
        if card.card.kind == company_card.KIND:
            return company_tap.feel(t, card, choice, scene)
        return errand_tap.feel(t, card, choice, scene, self._errands)

    def _stale(self, t: Tables, verdict: Stale, stored: StoredCard | None, language: Language, now: datetime) -> Felt:
        """Say why it counts for nothing, on the thumb and, since that is gone in a second, under the card."""
        key = {"gone": "stale_gone", "decided": "stale_decided"}.get(verdict.because, "stale_changed")
        word = say(language, key)
        if stored is None or verdict.because == "decided":
            return Felt(word)
        return Felt(word, (self._redraw(t, stored, f"{stored.card.text}\n\n_{word}_", now),))

    def _redraw(self, t: Tables, stored: StoredCard, reply: Reply, now: datetime) -> Piece | None:
        """The card's place in the chat now shows what came of it."""
        shown = t.pieces.of_card(stored.id)
        if shown is None:
            return None
        follow_up = t.cards.put(reply, owner_id=stored.owner_id, now=now) if isinstance(reply, Card) else None
        new = NewPiece(
            key=f"card:{stored.id}:after",
            owner_id=stored.owner_id,
            channel=shown.channel,
            text=reply.text if isinstance(reply, Card) else reply,
            card_id=follow_up.id if follow_up else None,
            amends_key=shown.key,
        )
        return t.pieces.say(new, now=now, handing=True)


_OF_THE_EXIT: Mapping[str, Callable[[Tables, StoredCard, str, Owner, datetime], envelope_tap.Outcome]] = {
    lapsing.AFRESH: envelope_tap.afresh,
    telling.UNKNOWN: envelope_tap.settled,
}
"""Cards beside those of an envelope that concern what leaves: they redraw more than themselves."""


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:  # noqa: PLR0911, PLR0912  one line for each kind
    """What a button of each kind of card does."""
    match card.kind:
        case "undo":
            return _undo(t, card, scene)
        case "loop":
            return _loop(t, choice, scene)
        case "loops":
            target = Target("loop_id", int(choice.removeprefix("done.")))
            plain.carry_out(t, Close(target), scene)
            return plain.list_loops(t, scene)
        case "choose":
            return card.text if choice == "none" else plain.pick(t, card, choice, scene)
        case "setup":
            return _setup(t, card, choice, scene)
        case mail_card.KIND:
            return mail_tap.act(t, card, choice, scene)
        case mail_tap.LESS:
            return mail_tap.take_back(t, card, scene)
        case found_card.KIND:
            return found_tap.act(t, card, choice, scene)
        case portrait_card.KIND:
            return who.act(t, card, choice, scene)
        case portrait_card.WHICH:
            return who.pick(t, card, choice, scene)
        case promise_card.KIND:
            return promise_tap.act(t, card, choice, scene)
        case meeting.WHICH:
            return meeting.pick(t, card, choice, scene)
        case introduce.WHICH:
            return introduce.pick(t, card, choice, scene)
        case introduce.UNCLEAR:
            return introduce.decided(t, card, choice, scene)
        case recollection_card.LIST_KIND | recollection_card.ONE_KIND:
            return recollect.act(t, card, choice, scene)
        case one_person.WHICH:
            return one_person.pick(t, card, choice, scene)
        case person_notes.KIND:
            return person_notes.take_back(t, card.subject, scene.owner, now=scene.now, signal_id=scene.signal_id)
        case fact.WHICH:
            return fact.pick(t, card, choice, scene)
        case fact_notes.KIND:
            return fact_notes.take_back(t, card, scene.owner, now=scene.now, signal_id=scene.signal_id)
        case contact_notes.KIND:
            return contact_notes.take_back(t, card, scene.owner, now=scene.now, signal_id=scene.signal_id)
        case _:
            raise AssertionError(f"a card of the unknown kind {card.kind}")


def _undo(t: Tables, card: Card, scene: Scene) -> Reply:
    """Take back the latest change of this very subject, whatever else happened since."""
    history = t.decisions.about(scene.owner.id, card.subject)
    latest = next((d for d in reversed(history) if d.decided not in {"reopened", "undone"}), None)
    if latest is None:
        return scene.say("nothing_to_undo")
    return undo.take_back(t, TakeBack(latest, at_once=True), scene)


def _loop(t: Tables, choice: str, scene: Scene) -> Reply:
    target = Target("loop_id", scene.about() or 0)
    if choice == "done":
        return plain.carry_out(t, Close(target), scene)
    if choice == "hour":
        later = scene.now + timedelta(hours=1)
        return plain.carry_out(t, Snooze(target, scene.owner.zones.wall_at(later), later), scene)
    tomorrow = datetime.combine(scene.wall.date() + timedelta(days=1), time(9))
    return plain.carry_out(t, Snooze(target, tomorrow), scene)


def _setup(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """One of the three questions after pairing."""
    if card.subject == "setup:zone":
        return scene.say("setup_zone_ask") if choice == "other" else f"{card.text} ✓"
    if card.subject == "setup:language":
        language: Language = "de" if choice == "de" else "en"
        undo.note_setting(t, "language", scene)
        t.owners.set(scene.owner.id, language=language)
        return say(language, "speak")
    first, last = (0, 0) if choice == "off" else (int(hour) for hour in choice.split("-"))
    undo.note_setting(t, "quiet", scene)
    t.owners.set(scene.owner.id, quiet_from=time(first), quiet_to=time(last))
    return f"{plain.quiet_said(time(first), time(last), scene)} {scene.say('setup_done')}"


def _loop_of(card: Card) -> int | None:
    name, _, number = card.subject.partition(":")
    return int(number) if name == "loop" else None
