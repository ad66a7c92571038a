"""Promises in the ledger: asked about on a card, open as a loop once the owner says so, done when the thing was sent.

    a sent mail ─► promises ─► one silent card ─┬─ kept ─► a loop of kind promise, a reminder when it says by when
                       │                        ├─ dropped, or two weeks old ─► nothing
                       │                        └─ a later mail keeps it ─► nothing is asked any more
                       └─► does it keep an earlier one? ─► that loop is done, or asked about once

Everything here is within the caller's transaction. Rows of history hold the mail's number and a hash, never its words.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.canonical import digest
from memory.detectors.sentence import own_words
from memory.errors import NotFound
from memory.foreign import foreign, inert
from memory.ledger import Tables
from memory.loop import Loop, title_of
from memory.loop import subject as loop_subject
from memory.mail import KeptMail
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.promise import Promise
from memory.promise_kept import Kept, weigh
from memory.promised import LAPSES_AFTER_FOR, Promised, from_text, mail_of, subject_of
from memory.promises.extract import promises
from memory.promisewords import say
from tools import cards, promise_card
from tools.incoming import own_addresses

RULES = "promises 1"
"""Which rules read the mail; it stands in the row."""

ASKED = "promises"
"""Under this subject every mail is tied that was ever asked about."""

STANDING_MAX = 100
"""So many of the last mails that were asked about are looked at."""


def read(kept: KeptMail, owner: Owner, mine: Collection[str]) -> tuple[Promise, ...]:
    """What the owner promises to others in a mail of theirs. mine: their own addresses, lower case."""
    mail = kept.mail
    others = [one for one in (*mail.to, *mail.cc, *mail.bcc) if (one.address or "").lower() not in mine]
    if not kept.by_owner or not others or mail.is_automated or mail.auto_submitted not in ("", "no"):
        return ()
    return promises(
        own_words(kept),
        now=kept.at,
        zone=owner.zones.zone_at(kept.at),
        language_hint=owner.language,
        recipients=[one.name or one.address or "" for one in others],
    )


def was_read(t: Tables, kept: KeptMail) -> bool:
    """Whether this mail was read for promises before."""
    return bool(t.decisions.about(kept.owner_id, subject_of(kept.id)))


def propose(t: Tables, kept: KeptMail, found: Sequence[Promise], *, channel: str | None, now: datetime) -> list[Piece]:
    """Ask about what was found in a mail that was not read before, unless it is old.

    On a silent card; without `channel` only in the day.
    """
    owner, about = t.owners.get(kept.owner_id), subject_of(kept.id)
    promised = Promised(
        mail_id=kept.id,
        who=found[0].to if found else "",
        about=kept.mail.subject,
        written_at=kept.at,
        items=tuple(enumerate(found[: promise_card.ASKED_MAX])),
    )
    asks = bool(found) and not promised.has_lapsed(now)
    decided = "asked" if asks else "nothing to ask"
    _record(t, owner.id, about, decided, f"{RULES}: {len(found)} in {_evidence(kept)}", now=now)
    if not asks:
        return []
    t.links.tie(owner.id, ASKED, about)
    stored = t.cards.put(promise_card.card(promised, owner, now), owner_id=owner.id, now=now)
    if channel is None:
        return []
    new = NewPiece(key=about, owner_id=owner.id, channel=channel, text=stored.card.text, silent=True, card_id=stored.id)
    piece = t.pieces.say(new, now=now, handing=True)
    return [piece] if piece else []


def _evidence(kept: KeptMail) -> str:
    return digest([kept.mail.fingerprint, own_words(kept)])[:12]


def standing(t: Tables, owner_id: int, now: datetime) -> list[Promised]:
    """What is asked about and has not lapsed, the newest first."""
    found = []
    for subject in reversed(t.links.rows(owner_id, ASKED)[-STANDING_MAX:]):
        stored = t.cards.open_about(owner_id, subject)
        if stored is not None and not (promised := from_text(stored.card.state_of_subject)).has_lapsed(now):
            found.append(promised)
    return found


def lapse(t: Tables, owner_id: int, now: datetime) -> int:
    """End what has been asked about for two weeks; how many mails that were."""
    lapsed = 0
    for subject in t.links.rows(owner_id, ASKED)[-STANDING_MAX:]:
        stored = t.cards.open_about(owner_id, subject)
        if stored is not None and from_text(stored.card.state_of_subject).has_lapsed(now):
            t.cards.outdate(subject, owner_id=owner_id, now=now)
            _record(t, owner_id, subject, "lapsed", f"nobody said so in {LAPSES_AFTER_FOR.days} days", now=now)
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
        title=title(promise, promised, says.owner),
        because=f"promised in mail {promised.mail_id}: {says.because}",
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
    _record(t, says.owner.id, promised.subject, "dropped", says.because, now=says.now, signal_id=says.signal_id)


def title(promise: Promise, promised: Promised, owner: Owner) -> str:
    """Plain words: what, and to whom."""
    who = inert(promised.who)
    action = inert(promise.action)
    return title_of(say(owner.language, "title", what=action, who=who) if who else action)


# Seen to


def notice_kept(t: Tables, kept: KeptMail, *, channel: str, now: datetime) -> list[Piece]:
    """A mail of the owner's: promises that it keeps are done, silently; where it only may, the owner is asked once."""
    if not kept.by_owner:
        return []
    owner = t.owners.get(kept.owner_id)
    asked = [_look(t, loop, kept, owner, channel=channel, now=now) for loop in _promised_loops(t, owner.id)]
    redrawn = [_see_to(t, promised, kept, owner, now=now) for promised in standing(t, owner.id, now)]
    return [piece for piece in (*asked, *redrawn) if piece is not None]


def _promised_loops(t: Tables, owner_id: int) -> Iterator[Loop]:
    return (loop for loop in t.loops.list_open(owner_id, with_snoozed=True) if loop.kind == "promise")


def _look(t: Tables, loop: Loop, kept: KeptMail, owner: Owner, *, channel: str, now: datetime) -> Piece | None:
    """Whether a loop is done by this mail."""
    source = _source(t, loop)
    promise = _of_loop(t, loop, source, owner) if source else None
    if source is None or promise is None:
        return None
    seen = weigh(promise, source, kept, zone=owner.zones.zone_at(kept.at))
    if seen.sign == "kept":
        t.loops.close(loop.id, state="done", because=seen.because, now=now)
    return _ask(t, loop, seen, owner, channel=channel, now=now) if seen.sign == "ask" else None


def _source(t: Tables, loop: Loop) -> KeptMail | None:
    """The mail in which it was promised, None when that is gone or excluded."""
    numbers = (mail_of(subject) for subject in t.links.subjects(loop.owner_id, loop_subject(loop.id)))
    mail_id = next((number for number in numbers if number is not None), None)
    try:
        return t.mails.get(mail_id) if mail_id is not None else None
    except NotFound:
        return None


def _of_loop(t: Tables, loop: Loop, source: KeptMail, owner: Owner) -> Promise | None:
    """The promise that became the loop: read again, and known by its title."""
    found = read(source, owner, own_addresses(t, owner.id))
    promised = Promised(mail_id=source.id, who=found[0].to if found else "", about="", written_at=source.at, items=())
    return next((promise for promise in found if title(promise, promised, owner) == loop.title), None)


def _ask(t: Tables, loop: Loop, seen: Kept, owner: Owner, *, channel: str, now: datetime) -> Piece | None:
    """Ask whether it is done, once a loop."""
    key = f"promise-kept:{loop.id}"
    if t.pieces.has(key):
        return None
    text = say(owner.language, "is_it_done", title=inert_title(loop))
    stored = t.cards.put(cards.loop_due(loop, text, owner.language, because=seen.because), owner_id=owner.id, now=now)
    new = NewPiece(key=key, owner_id=owner.id, channel=channel, text=text, silent=True, card_id=stored.id)
    return t.pieces.say(new, now=now, handing=True)


def inert_title(loop: Loop) -> str:
    """The title as Markdown."""
    return foreign(loop.title, promise_card.QUOTE_MAX)


def _see_to(t: Tables, promised: Promised, kept: KeptMail, owner: Owner, *, now: datetime) -> Piece | None:
    """What nobody has confirmed yet and this mail keeps is not asked about any more."""
    try:
        source = t.mails.get(promised.mail_id)
    except NotFound:
        return None
    zone = owner.zones.zone_at(kept.at)
    done = [place for place, one in promised.items if weigh(one, source, kept, zone=zone).sign == "kept"]
    if not done:
        return None
    _record(t, owner.id, promised.subject, "kept", f"{len(done)} by mail {kept.id}", now=now)
    left = promised.without(*done)
    whats = ", ".join(promise_card.what(one) for place, one in promised.items if place in done)
    return replaced(t, promised, left, say(owner.language, "seen_to", what=whats), owner, now=now)


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
        text=line if kept is None else f"{line}\n\n{kept.card.text}",
        silent=True,
        card_id=kept.id if kept else None,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def _record(
    t: Tables, owner_id: int, subject: str, decided: str, because: str, *, now: datetime, signal_id: int | None = None
) -> None:
    t.decisions.record(
        owner_id=owner_id, subject=subject, decided=decided, because=because, now=now, signal_id=signal_id
    )
