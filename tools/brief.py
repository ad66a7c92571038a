"""Composing a brief within a transaction: read the rows, write the pieces, mark what they tell."""

from datetime import datetime, timedelta

from memory.brief import Brief, Sources, compose
from memory.ledger import Tables
from memory.owner import Owner
from memory.piece import NewPiece, Piece

LOOKS_BACK_FOR = timedelta(hours=24)
LAST_BRIEF = "brief told"
"""The cursor that holds when the last brief was told."""


def gather(t: Tables, owner: Owner, now: datetime, planned_at: datetime | None) -> Sources:
    """What a brief is made from. On request (`planned_at` None) what is held is told, too: the owner asks for it."""
    due, held = t.notices.due(owner.id, now), t.notices.held(owner.id, now)
    told = t.cursors.get(LAST_BRIEF, owner_id=owner.id)
    since = datetime.fromisoformat(told) if told else now - LOOKS_BACK_FOR
    return Sources(
        owner=owner,
        now=now,
        landed=due if planned_at else sorted([*due, *held], key=lambda notice: notice.id),
        held=len(held) if planned_at else 0,
        loops=t.loops.list_open(owner.id, with_snoozed=True),
        reminders=t.reminders.active(owner.id),
        signals=t.signals.counts_since(owner.id, max(since, now - LOOKS_BACK_FOR)),
        planned_at=planned_at,
    )


def _told(t: Tables, brief: Brief, owner: Owner, *, key: str, now: datetime) -> None:
    t.notices.told(brief.told, key=key, now=now)
    t.cursors.set(LAST_BRIEF, now.isoformat(), owner_id=owner.id, now=now)


def compose_now(t: Tables, owner: Owner, now: datetime, *, key: str) -> str:
    """A brief on request, as one text that goes out as the piece `key`."""
    brief = compose(gather(t, owner, now, None))
    _told(t, brief, owner, key=key, now=now)
    return "\n\n".join(brief.pieces)


def write_brief(t: Tables, owner: Owner, now: datetime, *, planned_at: datetime, key: str, channel: str) -> list[Piece]:
    """The scheduled brief: silent pieces, already on their way. Nothing when this one was written before."""
    if t.pieces.has(f"{key}:1"):
        return []
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
