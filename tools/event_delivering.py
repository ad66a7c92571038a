"""Telling of events, within the transaction that records it: the heads-up, its correction, and a conflict, each once.

Ten minutes before a meeting with somebody from outside their card comes (tools/company_card). Where the heads-up was not
said by then, the card says it, so that there is one message and not two.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from memory.conflict import Conflict
from memory.day import clash_subject
from memory.day_words import clash_words, safe
from memory.event import Event
from memory.event_words import event_line, event_time, event_title
from memory.heads_up import LEAD_FOR, Correction, corrections, is_told_of, key_of, meetings
from memory.ledger import Tables
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.quiet import is_quiet, next_at
from memory.wording import say
from tools import company_card
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

ON_CARD = "said on the card"
"""How a heads-up stands on record that the card of its company has said."""


def heads_up(
    t: Tables, owner: Owner, *, uid: str, occurrence: str, start_at: datetime, channel: str, now: datetime
) -> Piece | None:
    """Say the line before an event; None when it has begun, moved, was called off or declined, or was told already."""
    copies = _copies(t, owner, (uid, occurrence), start_at, now)
    if not copies or _is_any_told(t, owner, copies):
        return None
    if company_card.is_due(copies, now) and (piece := _with_company(t, owner, copies, channel=channel, now=now)):
        return piece
    line = event_line(copies[0], owner.zones, now, owner.language, safe)
    text = say(owner.language, "heads_up", event=line)
    new = NewPiece(key=key_of(copies[0]), owner_id=owner.id, channel=channel, text=text)
    return t.pieces.say(new, now=now, handing=True)


def company(
    t: Tables, owner: Owner, *, uid: str, occurrence: str, start_at: datetime, channel: str, now: datetime
) -> Piece | None:
    """Show who one is about to meet, with the heads-up if that was not said; None when there is nothing to say."""
    copies = _copies(t, owner, (uid, occurrence), start_at, now)
    if not company_card.is_due(copies, now):
        return None
    if not _is_any_told(t, owner, copies):
        return _with_company(t, owner, copies, channel=channel, now=now)
    return company_card.tell(t, owner, copies, channel=channel, now=now, with_heads_up=False)


def _with_company(t: Tables, owner: Owner, copies: Sequence[Event], *, channel: str, now: datetime) -> Piece | None:
    """The card with the heads-up in it, and on record that it was said."""
    piece = company_card.tell(t, owner, copies, channel=channel, now=now, with_heads_up=True)
    if piece is not None:
        for event in copies:
            because = "the card of its company says it"
            t.decisions.record(owner_id=owner.id, subject=key_of(event), decided=ON_CARD, because=because, now=now)
    return piece


def _copies(t: Tables, owner: Owner, which: tuple[str, str], start_at: datetime, now: datetime) -> Sequence[Event]:
    """The occurrence as it stands, with its copies in other calendars; () when it is not about to begin then."""
    if not start_at - LEAD_FOR <= now < start_at:
        return ()
    stored = t.calendars.between(owner.id, start_at, start_at + timedelta(seconds=1), kept_up=True)
    there = (one.event for one in stored if one.event.start_at == start_at and is_told_of(one.event))
    same = (copies for copies in meetings(there) if any((one.uid, one.occurrence) == which for one in copies))
    return next(same, ())


def _is_any_told(t: Tables, owner: Owner, copies: Sequence[Event]) -> bool:
    return any(_is_told(t, owner, key_of(event), (SAID, ON_CARD)) for event in copies)


def _is_told(t: Tables, owner: Owner, key: str, how: Collection[str]) -> bool:
    return t.pieces.has(key) or any(one.decided in how for one in t.decisions.about(owner.id, key))


def correct(t: Tables, owner: Owner, uid: str, before: Sequence[Event], *, channel: str, now: datetime) -> list[Piece]:
    """Say what is true no longer of what was told."""
    told = {key_of(event) for event in before if _is_told(t, owner, key_of(event), (ON_CARD,))}
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
        *t.calendars.between(owner.id, now - NEAR_FOR, now + NEAR_FOR, kept_up=True),
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
