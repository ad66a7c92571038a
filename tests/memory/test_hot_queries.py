"""What runs with every message and every second looks rows up; it never reads a growing table from end to end."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from memory.card import Card, Choice
from memory.job import Finished
from memory.ledger import Tables
from memory.sql.engine import writing_engine
from memory.sql.tables import SqlTables
from tests.doubles.clock import NOW
from tests.doubles.spoken import a_piece, hear, publish

SMALL = ("ix_jobs_unfinished", "ix_jobs_parked", "ix_turns_live", "ix_pieces_on_their_way", "ix_pieces_unsettled",
         "ix_notices_untold", "ix_files_wanted")  # fmt: skip
"""Partial indexes over the few rows that are not settled: to read one from end to end is to read little."""

GROWING = frozenset({
    "signal_heads", "signal_payloads", "jobs", "turns", "messages", "message_ids", "pieces", "cards", "loops", "reminders",
    "notices", "decisions", "audit", "usage", "files", "mails",
})  # fmt: skip


def a_life(t: Tables) -> None:
    """Enough that every query has something to find."""
    _, turn, _ = hear(t, "one", said_as="1")
    card = Card(kind="k", subject="loop:1", text="Pay?", choices=(Choice("done", "Done"),), because="it is due")
    card_id = t.cards.put(card, owner_id=1, now=NOW).id
    t.pieces.say(a_piece("p", turn_id=turn.id, card_id=card_id), now=NOW)
    t.loops.open(owner_id=1, kind="task", title="rent", because="b", now=NOW)


HOT: dict[str, Callable[[Tables], Any]] = {
    "publish": lambda t: publish(t, "new"),
    "take": lambda t: t.jobs.round((Finished(1),), take={"inline": 8, "background": 8}, now=NOW),
    "next time": lambda t: t.jobs.next_run_at(now=NOW),
    "busy": lambda t: t.jobs.busy("owner:1", ("message",)),
    "clamp": lambda t: t.jobs.clamp(now=NOW),
    "hear": lambda t: hear(t, "two", said_as="2"),
    "join": lambda t: t.thread.join(turn_id=1, text="x", signal_id=1, channel_message_id="7", reply_to="1", now=NOW),
    "parts": lambda t: t.thread.parts(1),
    "newest turn": lambda t: t.thread.newest_turn(1),
    "stop": lambda t: t.thread.stop(1, because="b", now=NOW),
    "history": lambda t: t.thread.history(1, limit=12),
    "after": lambda t: t.thread.after(1, 1, limit=500),
    "say": lambda t: t.pieces.say(a_piece("later", card_id=1), now=NOW),
    "amend": lambda t: t.pieces.say(a_piece("amendment", amends_key="p"), now=NOW),
    "hand": lambda t: t.pieces.hand(1, now=NOW),
    "part shown": lambda t: t.pieces.part_shown(1, "71"),
    "end": lambda t: t.pieces.end(1, "shown", because="b", now=NOW),
    "of card": lambda t: t.pieces.of_card(1),
    "undelivered": lambda t: t.pieces.undelivered(),
    "unsettled": lambda t: t.pieces.unsettled(1),
    "revive": lambda t: t.pieces.revive(1, "telegram", since=NOW),
    "outdate": lambda t: t.cards.outdate("loop:1", "loops", owner_id=1, now=NOW),
    "cards": lambda t: t.cards.of((1, 2)),
    "notices": lambda t: (t.notices.due(1, NOW), t.notices.held(1, NOW)),
    "reminders": lambda t: t.reminders.active(1),
    "open loops": lambda t: t.loops.list_open(1),
    "close a loop": lambda t: t.loops.close(1, state="done", because="b", now=NOW),
    "decisions": lambda t: (t.decisions.latest(1, 20), t.decisions.about(1, "loop:1")),
    "deeds": lambda t: t.audit.deeds(1),
    "spent": lambda t: t.spendings.spent_usd(1, NOW - timedelta(days=1)),
    "what came": lambda t: t.signals.counts_since(1, NOW - timedelta(days=1)),
}


@contextmanager
def asked(database: Path, work: Callable[[Tables], Any]) -> Iterator[list[tuple[str, Any]]]:
    """The statements of `work`, with their parameters."""
    statements: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, ___: Any, many: bool) -> None:
        statements.append((statement, parameters[0] if many else parameters))

    engine = writing_engine(database)
    with engine.connect() as connection:
        tables: Any = SqlTables(connection)
        a_life(tables)
        event.listen(engine, "before_cursor_execute", note)
        work(tables)
        event.remove(engine, "before_cursor_execute", note)
    engine.dispose()
    yield statements


@pytest.mark.parametrize("name", HOT)
def test_no_hot_query_reads_a_growing_table_from_end_to_end(database: Path, name: str) -> None:
    with asked(database, HOT[name]) as statements, closing(sqlite3.connect(database)) as looking:
        assert statements
        for statement, parameters in statements:
            for *_, step in looking.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall():
                words = step.split()
                reads_all = words[0] == "SCAN" and words[1] in GROWING and not any(small in step for small in SMALL)
                assert not reads_all, f"{step}\n{statement}"


@pytest.mark.parametrize(
    ("name", "index"),
    [("hear", "ix_turns_live"), ("of card", "ix_pieces_of_card"), ("decisions", "ix_decisions_owner_id_id")],
)
def test_a_query_that_an_index_was_made_for_uses_it(database: Path, name: str, index: str) -> None:
    with asked(database, HOT[name]) as statements, closing(sqlite3.connect(database)) as looking:
        plans = [
            looking.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall() for statement, given in statements
        ]
    assert any(index in step for plan in plans for *_, step in plan)
