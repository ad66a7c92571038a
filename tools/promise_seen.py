"""Seen to: what a later utterance of the owner's does to promises that are open or asked about.

What shows is done silently, with its reason; where only the owner knows, they are asked once; what they took back is not
asked about any more. Everything is within the caller's transaction.
"""

from collections.abc import Mapping
from datetime import datetime

from memory.ledger import Tables
from memory.loop import Loop
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.promise_kept import NOTHING, Kept, told_apart, weigh
from memory.promised import Promised
from memory.promisewords import say
from memory.utterance import Utterance
from tools import cards, promise_card, promised, uttered


def notice(t: Tables, said: Utterance, *, channel: str, now: datetime, only_named: bool = False) -> list[Piece]:
    """Something of the owner's was read: promises that it keeps are done; where it only may keep one, the owner is asked.

    only_named: only what says by name that it does.
    """
    owner = t.owners.get(said.owner_id)
    zone = owner.zones.zone_at(said.at)
    opened = promised.open_promises(t, owner)
    asked = [one for one in promised.standing(t, owner.id, now) if one.written_at <= said.at]
    seen: dict[tuple[str, int], Kept] = {
        ("", loop.id): weigh(promise, source, said, zone=zone) for loop, source, promise in opened
    }
    for one in asked:
        source = uttered.utterance(t, owner.id, one.ref)
        if source is not None:
            seen |= {(one.ref, place): weigh(promise, source, said, zone=zone) for place, promise in one.items}
    told = {key: one for key, one in told_apart(seen).items() if one.is_named or not only_named}
    found = [_look(t, loop, told.get(("", loop.id), NOTHING), owner, channel=channel, now=now) for loop, _, _ in opened]
    found += [_see_to(t, one, told, said, owner, now=now) for one in asked]
    return [piece for piece in found if piece is not None]


def notice_since(t: Tables, said: Utterance, *, channel: str, now: datetime) -> list[Piece]:
    """What was read only now may have been kept since, by what was read before and may have kept something else."""
    since = uttered.later(t, said)
    return [piece for one in since for piece in notice(t, one, channel=channel, now=now, only_named=True)]


def _look(t: Tables, loop: Loop, seen: Kept, owner: Owner, *, channel: str, now: datetime) -> Piece | None:
    """Whether a loop is done by this."""
    if seen.sign == "kept":
        t.loops.close(loop.id, state="done", because=seen.because, now=now)
        return None
    return _ask(t, loop, seen, owner, channel=channel, now=now) if seen.sign in ("ask", "withdrawn") else None


def _ask(t: Tables, loop: Loop, seen: Kept, owner: Owner, *, channel: str, now: datetime) -> Piece | None:
    """Ask whether it is done, or off, once a loop."""
    key = f"promise-{'kept' if seen.sign == 'ask' else 'off'}:{loop.id}"
    if t.pieces.has(key):
        return None
    question = "is_it_done" if seen.sign == "ask" else "is_it_off"
    text = say(owner.language, question, title=promised.inert_title(loop))
    stored = t.cards.put(cards.loop_due(loop, text, owner.language, because=seen.because), owner_id=owner.id, now=now)
    new = NewPiece(key=key, owner_id=owner.id, channel=channel, text=text, silent=True, card_id=stored.id)
    return t.pieces.say(new, now=now, handing=True)


def _see_to(
    t: Tables, asked: Promised, told: Mapping[tuple[str, int], Kept], said: Utterance, owner: Owner, *, now: datetime
) -> Piece | None:
    """What nobody has confirmed yet and this keeps, or takes back, is not asked about any more."""
    signs = {place: told.get((asked.ref, place), NOTHING).sign for place, _ in asked.items}
    done = [place for place, sign in signs.items() if sign == "kept"]
    back = [place for place, sign in signs.items() if sign == "withdrawn"]
    if not done and not back:
        return None
    word, over = ("kept", done) if done else ("taken back", back)
    promised.record(t, owner.id, asked.subject, word, f"{len(over)} by {said.ref}", now=now)
    whats = ", ".join(promise_card.what(one) for place, one in asked.items if place in over)
    line = say(owner.language, "seen_to" if done else "taken_back", what=whats)
    return promised.replaced(t, asked, asked.without(*over), line, owner, now=now)
