"""Telling of events, within the transaction that records it: the heads-up, its correction, and a conflict, each once."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from memory.conflict import Conflict
from memory.day import clash_subject
from memory.day_words import clash_words, safe
from memory.event import Event
from memory.event_words import event_line, event_time, event_title
from memory.heads_up import Correction, corrections, due, key_of
from memory.ledger import Tables
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.quiet import is_quiet, next_at
from memory.wording import say
from tools.day import standing_clashes

SOURCE = "calendar"
"""The source that notices about events name."""

AT_ONCE_FOR = timedelta(hours=24)
"""A conflict that begins within this is told at once; any other waits for the brief."""

RAISED_MAX = 10
"""So many conflicts are raised at a time, the next ones first; the others when it is looked again."""

SERIES_MAX = 1_000
NEAR_FOR = timedelta(days=2)

SAID = "said otherwise"
"""How a heads-up stands on record that a correction has said already."""


def heads_up(
    t: Tables, owner: Owner, *, uid: str, occurrence: str, start_at: datetime, channel: str, now: datetime
) -> Piece | None:
    """Say the line before an event; None when it has begun, moved, was called off or declined, or was told already."""
    stored = t.calendars.between(owner.id, start_at, start_at + timedelta(seconds=1))
    there = [one.event for one in stored if one.event.start_at == start_at]
    meant = {key_of(event) for event in there if (event.uid, event.occurrence) == (uid, occurrence)}
    found = next((one for one in due(there, (), now) if meant & set(one.keys)), None)
    if found is None or any(_is_told(t, owner, key) for key in found.keys):
        return None
    line = event_line(found.event, owner.zones, now, owner.language, safe)
    text = say(owner.language, "heads_up", event=line)
    new = NewPiece(key=key_of(found.event), owner_id=owner.id, channel=channel, text=text)
    return t.pieces.say(new, now=now, handing=True)


def _is_told(t: Tables, owner: Owner, key: str) -> bool:
    return t.pieces.has(key) or any(one.decided == SAID for one in t.decisions.about(owner.id, key))


def correct(t: Tables, owner: Owner, uid: str, before: Sequence[Event], *, channel: str, now: datetime) -> list[Piece]:
    """Say what is true no longer of what was told."""
    told = {key_of(event) for event in before if t.pieces.has(key_of(event))}
    if not told:
        return []
    after = _known(t, owner, uid, now)
    return [
        piece
        for found in corrections(before, after, told, now)
        if (piece := _say_correction(t, owner, found, channel=channel, now=now)) is not None
    ]


def _known(t: Tables, owner: Owner, uid: str, now: datetime) -> list[Event]:
    """The series itself, and whatever else is near, as a copy of it may be."""
    stored = [
        *t.calendars.of_uid(owner.id, uid, limit=SERIES_MAX),
        *t.calendars.between(owner.id, now - NEAR_FOR, now + NEAR_FOR),
    ]
    return [one.event for one in {one.id: one for one in stored}.values()]


def _say_correction(t: Tables, owner: Owner, found: Correction, *, channel: str, now: datetime) -> Piece | None:
    for key in found.keys:
        t.decisions.record(owner_id=owner.id, subject=key, decided=SAID, because=found.because, now=now)
    title = event_title(found.before, owner.language, safe)
    if found.kind == "moved" and found.after is not None:
        text = say(owner.language, "event_moved", title=title, when=_when(found.after, owner, now))
    else:
        text = say(owner.language, "event_cancelled", title=title, when=_when(found.before, owner, now))
    new = NewPiece(key=found.key, owner_id=owner.id, channel=channel, text=text)
    return t.pieces.say(new, now=now, handing=True)


def _when(event: Event, owner: Owner, now: datetime) -> str:
    return event_time(event, owner.zones, now, owner.language)


def raise_conflicts(t: Tables, owner: Owner, *, channel: str, now: datetime) -> list[Piece]:
    """Every conflict of the coming days that was not raised yet: at once if it is near, else for the brief."""
    fresh = [
        clash for clash in standing_clashes(t, owner, now) if not t.decisions.about(owner.id, clash_subject(clash))
    ]
    return list(_raised(t, owner, fresh[:RAISED_MAX], channel=channel, now=now))


def _raised(t: Tables, owner: Owner, fresh: Iterable[Conflict], *, channel: str, now: datetime) -> Iterable[Piece]:
    for clash in fresh:
        at_once = clash.from_at - now <= AT_ONCE_FOR and not is_quiet(owner, now)
        subject, text = clash_subject(clash), clash_words(clash, owner, now)
        way = "ping" if at_once else "hold"
        t.decisions.record(owner_id=owner.id, subject=subject, decided=way, because=clash.because, now=now)
        if not at_once:
            _hold(t, owner, clash, subject, now)
            continue
        new = NewPiece(key=subject, owner_id=owner.id, channel=channel, text=text)
        if (piece := t.pieces.say(new, now=now, handing=True)) is not None:
            yield piece


def _hold(t: Tables, owner: Owner, clash: Conflict, subject: str, now: datetime) -> None:
    at = next_at(owner, owner.brief_at, now)
    notice = t.notices.hold(
        owner_id=owner.id,
        source=SOURCE,
        # As it is said on the morning it is told.
        summary=clash_words(clash, owner, at),
        urgency="hold",
        because=clash.because,
        deliver_after_at=at,
        now=now,
    )
    if notice is not None:
        t.links.tie(owner.id, subject, f"notice:{notice.id}")
