"""Remembering, correcting and forgetting in the ledger: what handlers, jobs and commands share."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.command.remember import kind_of
from memory.ledger import Tables
from memory.owner import Owner
from memory.recall import NOTHING, Recalled, found, recall
from memory.recollection import (
    EXTRACT,
    OBSERVATION,
    TEXT_MAX,
    NewRecollection,
    Recollection,
    Source,
    by_sense,
    sense,
    sentence_of,
)
from memory.remembering import Again, Kept, Outcome, Refused
from memory.spending import Label
from memory.testimony import Testimony, find, is_worth_a_look
from memory.thread import Turn
from tools.meant import may_be_names
from tools.testifying import apart_by_zones, of_turn

RELATED_MAX = 12
"""So many related ones the model that looks for more is shown."""

EXTRACTED = "extracted"
"""Decided of a turn that was looked at: it is not looked at again."""

ASKED_WITHIN = 3
"""What is recalled has to do with one of the owner's last so many messages."""


@dataclass(frozen=True, slots=True)
class NotKept:
    """Why the owner's sentence is not remembered; `known` is the one that says so already."""

    why: Literal["known", "not_own", "too_long", "excluded"]
    known: Recollection | None = None


def recalled(t: Tables, owner: Owner, turn: Turn, label: Label, *, now: datetime, limit: int) -> Recalled:
    """What stands in a prompt of this turn, put on record: a thought whose memory is forgotten must be found and stopped."""
    known = t.recollections.live(owner.id)
    if not known:
        return NOTHING
    recent = t.thread.history(owner.id, limit=2 * ASKED_WITHIN)
    asked = "\n".join(message.text for message in recent if message.role == "owner")
    chosen = recall(asked, known, now=now, limit=limit)
    t.recollections.note_recalled(owner.id, turn.id, label, chosen.ids, now=now)
    return chosen


def remember(
    t: Tables, words: str, *, owner_id: int, message_id: int, signal_id: int, because: str, now: datetime
) -> Recollection | NotKept:
    """What the owner asks to have remembered, word for word; what is known already is returned as it is."""
    text = _own_sentence(words)
    if isinstance(text, NotKept):
        return text
    source = Source(f"message:{message_id}", text, now)
    known = by_sense(t.recollections.live(owner_id), by_owner=True).get(sense(text))
    if known is not None:
        t.recollections.again(known.id, source, because=because, now=now)
        return NotKept("known", known)
    return _kept(t, text, source, owner_id=owner_id, signal_id=signal_id, because=because, now=now)


def correct(
    t: Tables,
    old: Recollection,
    words: str,
    *,
    message_id: int,
    signal_id: int,
    because: str,
    now: datetime,
) -> Recollection | NotKept:
    """The owner's words in the place of what was remembered."""
    text = _own_sentence(words)
    if isinstance(text, NotKept):
        return text
    source = Source(f"message:{message_id}", text, now)
    given = {"owner_id": old.owner_id, "signal_id": signal_id, "because": because, "now": now}
    return _kept(t, text, source, instead_of=old, **given)  # type: ignore[arg-type]


def _kept(
    t: Tables,
    text: str,
    source: Source,
    *,
    owner_id: int,
    signal_id: int,
    because: str,
    now: datetime,
    instead_of: Recollection | None = None,
) -> Recollection | NotKept:
    old = instead_of
    about = old.about if old is not None and old.about and find(old.about, text) else named_in(t, owner_id, text)
    kind = old.kind if old is not None and old.kind != OBSERVATION else kind_of(text)
    new = NewRecollection(
        owner_id=owner_id,
        key=f"signal:{signal_id}",
        kind=kind,
        text=text,
        about=about,
        identity_id=identity_of(t, owner_id, about),
        sources=(source,),
    )
    kept = t.recollections.keep(
        new, because=because, now=now, signal_id=signal_id, instead_of=old.id if old is not None else None
    )
    return kept or NotKept("excluded")


NAMES_LOOKED_AT = 6
"""So many capitalised words of a sentence are looked up as names."""


def named_in(t: Tables, owner_id: int, text: str) -> str:
    """Whom a sentence of the owner's is about: the first name in it that one person of the directory bears, and no other."""
    parts = (part for name in may_be_names(text, NAMES_LOOKED_AT) for part in name)
    return next((part for part in parts if identity_of(t, owner_id, part) is not None), "")


def identity_of(t: Tables, owner_id: int, name: str) -> int | None:
    """By which the directory knows whom a name means; None when nobody is meant, or several may be."""
    people = t.people.named(owner_id, name) if name else ()
    return people[0].surest.id if len(people) == 1 else None


def _own_sentence(words: str) -> str | NotKept:
    own, others = apart_by_zones(words)
    if others or len(own) != 1:
        return NotKept("not_own")
    text = sentence_of(own[0])
    return text if text and len(text) <= TEXT_MAX else NotKept("too_long")


def extract_later(t: Tables, turn: Turn, now: datetime) -> None:
    """A job that looks for what this turn leaves to remember, if the owner said anything in it that may be worth it."""
    if _was_extracted(t, turn) or not is_worth_a_look(fresh_words(of_turn(t, turn))):
        return
    t.jobs.add(
        owner_id=turn.owner_id,
        kind=EXTRACT,
        lane="background",
        thread=f"owner:{turn.owner_id}",
        payload={"turn": turn.id},
        now=now,
    )


def fresh_words(testimony: Testimony) -> list[str]:
    """The owner's own words of the turn that is looked at."""
    return [stretch for saying in testimony.sayings if saying.is_fresh for stretch in saying.own]


def _was_extracted(t: Tables, turn: Turn) -> bool:
    return any(one.decided == EXTRACTED for one in t.decisions.about(turn.owner_id, f"turn:{turn.id}"))


def to_extract(t: Tables, turn: Turn, now: datetime) -> tuple[Testimony, list[Recollection]] | None:
    """What is looked at, and what is known of it; None when there is nothing to look at any more."""
    testimony = of_turn(t, turn)
    words = fresh_words(testimony)
    if _was_extracted(t, turn) or not is_worth_a_look(words):
        return None
    return testimony, found("\n".join(words), t.recollections.live(turn.owner_id), now=now)[:RELATED_MAX]


def apply(t: Tables, turn: Turn, outcomes: Sequence[Outcome], *, because: str, now: datetime) -> list[Recollection]:
    """Do what was decided of a turn, once, with a row that says what came of it; what is new."""
    new: list[Recollection] = []
    for number, outcome in enumerate(outcomes, 1):
        if isinstance(outcome, Kept):
            kept = t.recollections.keep(
                _new(t, turn, number, outcome), because=because, now=now, instead_of=outcome.instead_of
            )
            new += [kept] if kept is not None else []
        elif isinstance(outcome, Again):
            t.recollections.again(outcome.recollection_id, outcome.source, because=because, now=now)
            if outcome.instead_of is not None:
                t.recollections.replace(outcome.instead_of, outcome.recollection_id, because=because, now=now)
    decided(t, turn, told(outcomes, len(new)), now)
    return new


def decided(t: Tables, turn: Turn, because: str, now: datetime) -> None:
    """The row that says that this turn was looked at, and what came of it."""
    t.decisions.record(
        owner_id=turn.owner_id, subject=f"turn:{turn.id}", decided=EXTRACTED, because=because, now=now, signal_id=None
    )


def _new(t: Tables, turn: Turn, number: int, outcome: Kept) -> NewRecollection:
    return NewRecollection(
        owner_id=turn.owner_id,
        key=f"turn:{turn.id}:{number}",
        kind=outcome.kind,
        text=outcome.text,
        about=outcome.about,
        identity_id=identity_of(t, turn.owner_id, outcome.about) if outcome.kind != OBSERVATION else None,
        confidence=outcome.confidence,
        sources=(outcome.source,),
    )


def told(outcomes: Sequence[Outcome], new: int) -> str:
    """What came of it, in numbers and in reasons of ours."""
    reasons = Counter(one.because for one in outcomes if isinstance(one, Refused))
    refused = "".join(f"; refused {count}: {because}" for because, count in sorted(reasons.items()))
    again = sum(isinstance(one, Again) for one in outcomes)
    return f"{new} remembered, {again} known{refused}"
