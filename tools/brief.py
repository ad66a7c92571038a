"""Composing a brief within a transaction: read the rows, write the pieces, mark what they tell."""

from datetime import datetime, timedelta

from memory.brief import Brief, Sources, compose
from memory.day import HELD_FOR, clash_subject
from memory.ledger import Tables
from memory.notice import Notice
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from tools import day
from tools.delivering import WITHDRAWN

LOOKS_BACK_FOR = timedelta(hours=24)


def gather(t: Tables, owner: Owner, now: datetime, planned_at: datetime | None) -> Sources:
    """What a brief is made from. On request (`planned_at` None) what is held is told, too: the owner asks for it."""
    due, held = t.notices.due(owner.id, now), t.notices.held(owner.id, now)
    since = day.last_brief(t, owner) or now - LOOKS_BACK_FOR
    landed = due if planned_at else sorted([*due, *held], key=lambda notice: notice.id)
    about = {notice.id: key for notice in landed if (key := _about(t, owner, notice))}
    return Sources(
        owner=owner,
        now=now,
        landed=landed,
        held=len(held) if planned_at else 0,
        day=day.of_brief(t, owner, now),
        signals=t.signals.counts_since(owner.id, max(since, now - LOOKS_BACK_FOR)),
        about=about,
        planned_at=planned_at,
    )


def _about(t: Tables, owner: Owner, notice: Notice) -> str:
    """The key of what a notice speaks of, "" when it speaks for itself."""
    return next(iter(t.links.subjects(owner.id, f"notice:{notice.id}")), "")


def _tidy(t: Tables, owner: Owner, now: datetime) -> None:
    """Not told any more: conflicts that are none, and mail that found no room for so long that it is stale."""
    standing = {clash_subject(clash) for clash in day.standing_clashes(t, owner, now)}
    waiting: list[Notice] = [*t.notices.due(owner.id, now), *t.notices.held(owner.id, now)]
    spoken_of = {notice.id: _about(t, owner, notice) for notice in waiting if notice.source == "calendar"}
    gone = [number for number, key in spoken_of.items() if key.startswith("conflict:") and key not in standing]
    gone += [one.id for one in waiting if one.source == "mail" and now - one.noticed_at > HELD_FOR]
    t.notices.told(gone, key=WITHDRAWN, now=now)


def _told(t: Tables, brief: Brief, owner: Owner, *, key: str, now: datetime) -> None:
    t.notices.told(brief.told, key=key, now=now)
    day.remember(t, owner, now)


def compose_now(t: Tables, owner: Owner, now: datetime, *, key: str) -> str:
    """A brief on request, as one text that goes out as the piece `key`."""
    _tidy(t, owner, now)
    brief = compose(gather(t, owner, now, None))
    _told(t, brief, owner, key=key, now=now)
    return "\n\n".join(brief.pieces)


def write_brief(t: Tables, owner: Owner, now: datetime, *, planned_at: datetime, key: str, channel: str) -> list[Piece]:
    """The scheduled brief: silent pieces, already on their way. Nothing when this one was written before."""
    if t.pieces.has(f"{key}:1"):
        return []
    _tidy(t, owner, now)
    brief = compose(gather(t, owner, now, planned_at))
    _told(t, brief, owner, key=key, now=now)
    written = [
        t.pieces.say(
            NewPiece(key=f"{key}:{number}", owner_id=owner.id, channel=channel, text=text, silent=True),
            now=now,
            handing=True,
        )
        for number, text in enumerate(brief.pieces, 1)
    ]
    return [piece for piece in written if piece is not None]
