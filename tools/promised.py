"""Promises in the ledger: asked about on a card, open as a loop once the owner says so, done when the thing was sent.

    a sent mail, a message ─► promises ─► one silent card ─┬─ kept ─► a loop of kind promise, a reminder when it says by when
                                 │                         ├─ dropped, or two weeks old ─► nothing
                                 │                         └─ a later utterance keeps it ─► nothing is asked any more
                                 └─► does it keep an earlier one? (tools/promise_seen) ─► that loop is done, or asked about once

Everything here is within the caller's transaction. Rows of history hold refs and hashes, never words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.foreign import foreign, inert
from memory.ledger import Tables
from memory.loop import Loop, title_of
from memory.loop import subject as loop_subject
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.promise import Promise, is_same
from memory.promised import ASKED, LAPSES_AFTER_FOR, SUBJECT_MAX, Promised, from_text, ref_of, subject_of
from memory.promisewords import say
from memory.utterance import Utterance
from tools import promise_card, uttered

RULES = "promises 2"
"""Which rules read it; it stands in the row."""

STANDING_MAX = 100
"""So many of the last that were asked about are looked at."""


def was_read(t: Tables, said: Utterance) -> bool:
    """Whether it was read for promises before. A message may have been edited since: then it is read again."""
    decisions = t.decisions.about(said.owner_id, subject_of(said.ref))
    return any(not said.is_message or said.evidence in one.because for one in decisions)


def propose(t: Tables, said: Utterance, found: Sequence[Promise], *, channel: str | None, now: datetime) -> list[Piece]:
    """Ask about what was found in something that was not read before, unless it is old or was asked about already.

    On a silent card; without `channel` only in the day.
    """
    owner, about = t.owners.get(said.owner_id), subject_of(said.ref)
    if len(about) > SUBJECT_MAX:
        return []
    edited = t.cards.open_about(owner.id, about)
    asked = _of(said, found)
    pieces, left = _sift(t, said, asked, owner, now=now)
    asks = bool(left.items) and not left.has_lapsed(now)
    decided = "asked" if asks else "nothing to ask"
    record(t, owner.id, about, decided, f"{RULES}: {len(found)} in {said.evidence}", now=now)
    if edited is not None:
        line = "" if left.items else say(owner.language, "edited")
        redrawn = replaced(t, from_text(edited.card.state_of_subject), left, line, owner, now=now)
        return [*pieces, *([redrawn] if redrawn else [])]
    if not asks:
        return pieces
    t.links.tie(owner.id, ASKED, about)
    t.cards.put(promise_card.card(left, owner, now), owner_id=owner.id, now=now)
    shown = show(t, owner.id, about, channel=channel, now=now) if channel else None
    return [*pieces, *([shown] if shown else [])]


def show(t: Tables, owner_id: int, about: str, *, channel: str, now: datetime) -> Piece | None:
    """The open card about this in the chat, silently; None when there is none or it was shown."""
    stored = t.cards.open_about(owner_id, about)
    if stored is None or t.pieces.of_card(stored.id) is not None:
        return None
    new = NewPiece(key=about, owner_id=owner_id, channel=channel, text=stored.card.text, silent=True, card_id=stored.id)
    return t.pieces.say(new, now=now, handing=True)


def _of(said: Utterance, found: Sequence[Promise]) -> Promised:
    return Promised(
        ref=said.ref,
        corpus=said.corpus,
        who=said.to[0] if said.to else "",
        about=said.about,
        written_at=said.at,
        items=tuple(enumerate(found[: promise_card.ASKED_MAX])),
        before=said.before[0] if any(one.asked for one in found) else "",
    )


def _sift(t: Tables, said: Utterance, asked: Promised, owner: Owner, *, now: datetime) -> tuple[list[Piece], Promised]:
    """What is still to be asked about: what was promised to the same people before is not asked twice.

    Said again in the same thread or chat, it is the later words that count; elsewhere the earlier ones stand.
    """
    pieces: list[Piece] = []
    for earlier in standing(t, owner.id, now) if asked.items else ():
        source = uttered.utterance(t, owner.id, earlier.ref) if earlier.ref != asked.ref else None
        if source is None or not _to_the_same(source, said):
            continue
        twice = [(old, new) for old, one in earlier.items for new, other in asked.items if is_same(one, other)]
        if twice and source.place == said.place:
            left = earlier.without(*(old for old, _ in twice))
            record(t, owner.id, earlier.subject, "said again", f"in {said.ref}", now=now)
            redrawn = replaced(t, earlier, left, say(owner.language, "again"), owner, now=now)
            pieces += [redrawn] if redrawn else []
        elif twice:
            asked = asked.without(*(new for _, new in twice))
    return pieces, _without_open(t, asked, said, owner)


def _without_open(t: Tables, asked: Promised, said: Utterance, owner: Owner) -> Promised:
    """Without what is open already, by the same time."""
    if not asked.items:
        return asked
    for _, source, promise in open_promises(t, owner):
        known = [
            place
            for place, one in asked.items
            if source.ref != said.ref
            and _to_the_same(source, said)
            and is_same(one, promise)
            and one.due_at in (None, promise.due_at)
        ]
        asked = asked.without(*known)
    return asked


def _to_the_same(one: Utterance, other: Utterance) -> bool:
    """Whether both reach the same people, or somebody of the very same name: asked once rather than twice."""
    by_name = bool(one.to and other.to) and one.to[0].casefold() == other.to[0].casefold()
    return by_name or not one.readers.isdisjoint(other.readers)


def standing(t: Tables, owner_id: int, now: datetime) -> list[Promised]:
    """What is asked about, has not lapsed and may still be read, the newest first."""
    found = []
    for subject in reversed(t.links.rows(owner_id, ASKED)[-STANDING_MAX:]):
        stored = t.cards.open_about(owner_id, subject)
        if stored is not None and not (promised := from_text(stored.card.state_of_subject)).has_lapsed(now):
            found.append(promised)
    if t.exclusions.is_empty:
        return found
    # A rule that was written by hand holds at once; what it covers is erased a little later.
    return [one for one in found if uttered.utterance(t, owner_id, one.ref) is not None]


def lapse(t: Tables, owner_id: int, now: datetime) -> int:
    """End what has been asked about for two weeks; how many that were."""
    lapsed = 0
    for subject in t.links.rows(owner_id, ASKED)[-STANDING_MAX:]:
        stored = t.cards.open_about(owner_id, subject)
        if stored is not None and from_text(stored.card.state_of_subject).has_lapsed(now):
            t.cards.outdate(subject, owner_id=owner_id, now=now)
            record(t, owner_id, subject, "lapsed", f"nobody said so in {LAPSES_AFTER_FOR.days} days", now=now)
            lapsed += 1
    return lapsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """The owner's word: who, when, by which signal and why."""

    owner: Owner
    now: datetime
    signal_id: int
    because: str


def keep(t: Tables, promised: Promised, place: int, says: Says) -> Loop:
    """The owner confirms one: it is open, with a reminder when it says by when and that is still to come."""
    promise = dict(promised.items)[place]
    loop = t.loops.open(
        owner_id=says.owner.id,
        kind="promise",
        title=title(promise, promised.who, says.owner),
        because=f"promised in {promised.ref}: {says.because}",
        now=says.now,
        signal_id=says.signal_id,
    )
    t.links.tie(says.owner.id, promised.subject, loop_subject(loop.id))
    if promise.due_at is not None and promise.due_at > says.now:
        t.reminders.set(
            owner_id=says.owner.id,
            text=loop.title,
            wall=says.owner.zones.wall_at(promise.due_at),
            rule=None,
            loop_id=loop.id,
            because="the promise says by when",
            now=says.now,
            signal_id=says.signal_id,
        )
    return t.loops.get(loop.id) or loop


def drop(t: Tables, promised: Promised, says: Says) -> None:
    """The owner says that what is left of it is no promise, or wants to hear no more of it."""
    record(t, says.owner.id, promised.subject, "dropped", says.because, now=says.now, signal_id=says.signal_id)


def title(promise: Promise, who: str, owner: Owner) -> str:
    """Plain words: what, and to whom."""
    whom, matter = inert(who), inert(promise.matter)
    return title_of(say(owner.language, "title", what=matter, who=whom) if whom else matter)


def open_promises(t: Tables, owner: Owner) -> list[tuple[Loop, Utterance, Promise]]:
    """The promises that are open, each with where it was made, as far as that is still there and may be read."""
    found = []
    for loop in t.loops.list_open(owner.id, with_snoozed=True):
        source = _source(t, loop) if loop.kind == "promise" else None
        promise = _of_loop(loop, source, owner) if source else None
        if source is not None and promise is not None:
            found.append((loop, source, promise))
    return found


def _source(t: Tables, loop: Loop) -> Utterance | None:
    """Where it was promised, None when that is gone or excluded."""
    refs = (ref_of(subject) for subject in t.links.subjects(loop.owner_id, loop_subject(loop.id)))
    ref = next((one for one in refs if one is not None), None)
    return uttered.utterance(t, loop.owner_id, ref) if ref is not None else None


def _of_loop(loop: Loop, source: Utterance, owner: Owner) -> Promise | None:
    """The promise that became the loop: read again, and known by its title."""
    whom = source.to[0] if source.to else ""
    return next((one for one in uttered.read(source, owner) if title(one, whom, owner) == loop.title), None)


def inert_title(loop: Loop) -> str:
    """The title as Markdown."""
    return foreign(loop.title, promise_card.QUOTE_MAX)


def replaced(t: Tables, before: Promised, left: Promised, line: str, owner: Owner, *, now: datetime) -> Piece | None:
    """The card asks about what is left, or about nothing; in its place in the chat, if it has one, that is shown."""
    stored = t.cards.open_about(owner.id, before.subject)
    shown = t.pieces.of_card(stored.id) if stored else None
    t.cards.outdate(before.subject, owner_id=owner.id, now=now)
    after = promise_card.card(left, owner, now) if left.items else None
    kept = t.cards.put(after, owner_id=owner.id, now=now) if after else None
    if shown is None or stored is None:
        return None
    new = NewPiece(
        key=f"card:{stored.id}:after",
        owner_id=owner.id,
        channel=shown.channel,
        text="\n\n".join(part for part in (line, kept.card.text if kept else "") if part),
        silent=True,
        card_id=kept.id if kept else None,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def record(
    t: Tables, owner_id: int, subject: str, decided: str, because: str, *, now: datetime, signal_id: int | None = None
) -> None:
    """A row of history."""
    t.decisions.record(
        owner_id=owner_id, subject=subject, decided=decided, because=because, now=now, signal_id=signal_id
    )
