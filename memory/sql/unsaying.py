"""Unsaying: what was said here in the words of a source is emptied when that source is excluded.

    source ─► quotes ─► messages, their pieces, cards and passages
                  └───► turns ─► all that was answered in them, and the names of what a model opened there

A brief loses only the lines that echo it: it tells of many. A question about what may leave is void with its card.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, select, update

from memory.echo import Said, Source
from memory.loop import subject as loop_subject
from memory.reminder import subject as reminder_subject
from memory.sql.exit_schema import approvals, dispatches, drafts
from memory.sql.forgetting import GONE, empty_loops, empty_messages, empty_reminders
from memory.sql.quote_schema import quotes
from memory.sql.quotes import sources_of
from memory.sql.recollection_erasing import let_go
from memory.sql.schema import cards, decisions, loops, messages, pieces, reminders, turns
from memory.sql.thread import make_findable

BECAUSE = "what it is about is excluded"

_BRIEF = "brief:%"
_BATCH = 200
_UNDER_WAY = dispatches.c.state.in_(("taken", "handed", "unknown"))


def unsay(connection: Connection, owner_id: int, refs: Collection[str], *, now: datetime) -> None:
    """Empty what quotes these sources. To be called while they are still there: a brief's lines are told by their words."""
    ordered = sorted(refs)
    for start in range(0, len(ordered), _BATCH):
        _unsay_some(connection, owner_id, ordered[start : start + _BATCH], now)


def _unsay_some(connection: Connection, owner_id: int, refs: Sequence[str], now: datetime) -> None:
    tied = (quotes.c.owner_id == owner_id) & quotes.c.ref.in_(refs)
    rows = list(connection.execute(select(quotes.c.row).distinct().where(tied)).scalars())
    if not rows:
        return
    sources = [source for _, source in sources_of(connection, owner_id, refs)]
    turn_ids = _numbers(rows, "turn:")
    of_turns = select(messages.c.id).where(messages.c.turn_id.in_(turn_ids), messages.c.role == "stillbell")
    message_ids = {*_numbers(rows, "message:"), *connection.execute(of_turns).scalars()}
    briefs = set(
        connection.execute(
            select(pieces.c.message_id).where(pieces.c.message_id.in_(message_ids), pieces.c.key.like(_BRIEF))
        ).scalars()
    )
    _unsay_lines(connection, owner_id, briefs, sources)
    whole = sorted(message_ids - briefs)
    _void(connection, _questions(connection, whole), now)
    empty_messages(connection, owner_id, whole, now)
    let_go(connection, owner_id, [f"message:{number}" for number in whole], because=BECAUSE, now=now)
    _stop(connection, turn_ids, now)
    _unname(connection, owner_id, turn_ids, sources, now)
    connection.execute(delete(quotes).where(tied))


def _numbers(rows: Collection[str], prefix: str) -> list[int]:
    return [int(row.removeprefix(prefix)) for row in rows if row.startswith(prefix)]


def _unsay_lines(
    connection: Connection, owner_id: int, message_ids: Collection[int], sources: Collection[Source]
) -> None:
    for row in connection.execute(select(messages).where(messages.c.id.in_(message_ids))).all():
        lines = [(line, Said(line)) for line in row.text.split("\n")]
        kept = "\n".join(GONE if any(said.echoes(one) for one in sources) else line for line, said in lines)
        if kept != row.text:
            connection.execute(update(messages).where(messages.c.id == row.id).values(text=kept))
            make_findable(connection, row.id, owner_id=owner_id, role=row.role, text=kept, at=row.at)


def _questions(connection: Connection, message_ids: Collection[int]) -> list[int]:
    """The approvals that the cards of these messages ask for."""
    shown = select(pieces.c.card_id).where(pieces.c.message_id.in_(message_ids), pieces.c.card_id.is_not(None))
    found = select(cards.c.subject).where(cards.c.id.in_(shown), cards.c.subject.like("approval:%"))
    return _numbers(list(connection.execute(found).scalars()), "approval:")


def _void(connection: Connection, approval_ids: Collection[int], now: datetime) -> None:
    """What still waits for a yes won't leave, and its words go. What has left is the owner's own letter by now."""
    waiting = approvals.c.id.in_(approval_ids) & approvals.c.state.in_(("asked", "confirming", "approved"))
    found = connection.execute(select(approvals.c.draft_id).where(waiting)).scalars()
    void_drafts(connection, drafts.c.id.in_([one for one in found if one is not None]), now)


def void_drafts(connection: Connection, which: ColumnElement[bool], now: datetime) -> list[int]:
    """Erase these drafts, unless one is on its way; the questions about them, which are void."""
    on_its_way = (
        select(approvals.c.draft_id).join(dispatches, dispatches.c.approval_id == approvals.c.id).where(_UNDER_WAY)
    )
    numbers = list(connection.execute(select(drafts.c.id).where(which, drafts.c.id.not_in(on_its_way))).scalars())
    asked = approvals.c.draft_id.in_(numbers)
    connection.execute(
        update(approvals)
        .where(asked, approvals.c.state.in_(("asked", "confirming", "approved")))
        .values(state="void", because=BECAUSE, changed_at=now)
    )
    connection.execute(delete(drafts).where(drafts.c.id.in_(numbers)))
    return list(connection.execute(select(approvals.c.id).where(asked)).scalars())


def _stop(connection: Connection, turn_ids: Collection[int], now: datetime) -> None:
    """A thought that is under way with these words before it says no more."""
    live = turns.c.id.in_(turn_ids) & turns.c.stopped_at.is_(None)
    connection.execute(update(turns).where(live).values(stopped_at=now, stopped_because=BECAUSE))


def _unname(
    connection: Connection, owner_id: int, turn_ids: Collection[int], sources: Collection[Source], now: datetime
) -> None:
    """Loops and reminders that a model opened in these turns, where their names echo a source."""
    of_turns = select(turns.c.signal_id).where(turns.c.id.in_(turn_ids))
    opened = connection.execute(
        select(decisions.c.subject).where(
            decisions.c.owner_id == owner_id,
            decisions.c.signal_id.in_(of_turns),
            decisions.c.decided.in_(("opened", "set")),
            decisions.c.because.in_([f"thinker in turn {number}" for number in turn_ids]),
        )
    ).scalars()
    subjects = list(opened)
    loop_ids = _numbers(subjects, loop_subject(0)[:-1])
    named = connection.execute(select(loops.c.id, loops.c.title).where(loops.c.id.in_(loop_ids))).all()
    empty_loops(connection, [row.id for row in named if _echoes(row.title, sources)], because=BECAUSE, now=now)
    set_ids = _numbers(subjects, reminder_subject(0)[:-1])
    said = connection.execute(select(reminders.c.id, reminders.c.text).where(reminders.c.id.in_(set_ids))).all()
    empty_reminders(connection, [row.id for row in said if _echoes(row.text, sources)], because=BECAUSE, now=now)


def _echoes(text: str, sources: Collection[Source]) -> bool:
    said = Said(text)
    return any(said.echoes(one) for one in sources)
