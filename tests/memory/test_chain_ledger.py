"""The chain over what was called and what left: whoever changes a row behind its back is found out."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from memory.audit_chain import Broken
from memory.sql import chain
from memory.sql.chain import verified
from memory.sql.engine import writing_engine
from memory.sql.ledger import SqlLedger
from memory.sql.schema import APPEND_ONLY
from tests.doubles.clock import NOW
from tests.doubles.hand import hand


def called(t: Any, tool: str) -> int:
    row: int = t.audit.record(
        owner_id=1,
        agent="thinker",
        tool=tool,
        permission="ALLOW",
        outcome="done",
        because="asked",
        arguments_digest="0" * 64,
        now=NOW,
    )
    return row


@pytest.fixture
async def rows_of_audit(ledger: SqlLedger) -> list[int]:
    return [await ledger.write(lambda t, tool=tool: called(t, tool)) for tool in ("one", "two", "three", "four")]  # type: ignore[misc]


def looked_at(database: Path) -> tuple[Broken | None, int, str]:
    engine = writing_engine(database)
    with engine.connect() as connection:
        found = verified(connection)
    engine.dispose()
    return found


def behind_its_back(database: Path, statement: str) -> None:
    """A hand that takes the guards down first."""
    with hand(database) as connection:
        for table in APPEND_ONLY:
            for what in ("update", "delete", "replace"):
                connection.execute(f"DROP TRIGGER IF EXISTS {table}_no_{what}")
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)


async def test_looking_through_the_chain_takes_a_query_for_a_page_and_not_for_a_row(
    database: Path, ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ledger.write(lambda t: [called(t, f"tool {number}") for number in range(40)])
    monkeypatch.setattr(chain, "PAGE", 7)
    asked: list[str] = []
    engine = writing_engine(database)
    event.listen(engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
    with engine.connect() as connection:
        assert verified(connection)[:2] == (None, 40)
    engine.dispose()
    assert len(asked) < 30


async def test_what_nobody_touched_is_whole(ledger: SqlLedger, database: Path, rows_of_audit: list[int]) -> None:
    broken, count, head = looked_at(database)
    assert (broken, count) == (None, len(rows_of_audit))
    await ledger.write(lambda t: called(t, "five"))
    again = looked_at(database)
    assert (again[0], again[1], again[2] != head) == (None, 5, True)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE audit SET outcome = 'refused' WHERE tool = 'two'", 1),
        ("UPDATE audit SET at = '2020-01-01T00:00:00.000Z' WHERE tool = 'one'", 0),
        ("UPDATE audit SET at = 'some day' WHERE tool = 'one'", 0),
        ("UPDATE audit SET subject = 'loop:7' WHERE tool = 'four'", 3),
        ("UPDATE audit SET because = x'00ff' WHERE tool = 'four'", 3),
        ("DELETE FROM audit WHERE tool = 'three'", 2),
        ("DELETE FROM chain WHERE id = 2", 1),
        ("UPDATE chain SET hash = (SELECT hash FROM chain WHERE id = 1) WHERE id = 2", 1),
        ("UPDATE chain SET row_id = 99 WHERE id = 2", 1),
        ("UPDATE chain SET kind = 'nonsense' WHERE id = 2", 1),
    ],
)
@pytest.mark.usefixtures("rows_of_audit")
async def test_a_row_that_was_changed_or_removed_shows(database: Path, statement: str, place: int) -> None:
    behind_its_back(database, statement)
    broken, *_ = looked_at(database)
    assert broken is not None
    assert broken.place == place


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO audit (owner_id, agent, tool, permission, outcome, because, arguments_digest, at) "
        "SELECT owner_id, agent, 'forged', permission, outcome, because, arguments_digest, at FROM audit LIMIT 1",
        "DELETE FROM chain WHERE id = 4",
    ],
    ids=["put in", "its link removed"],
)
@pytest.mark.usefixtures("rows_of_audit")
async def test_a_row_without_a_link_shows(database: Path, statement: str) -> None:
    behind_its_back(database, statement)
    broken, *_ = looked_at(database)
    assert broken is not None
    assert "was not written by Stillbell" in broken.because


@pytest.mark.parametrize("table", ["audit", "chain"])
@pytest.mark.usefixtures("rows_of_audit")
async def test_the_guards_stand_in_the_way_of_a_hand(database: Path, table: str) -> None:
    attempts: list[Callable[[sqlite3.Connection], Any]] = [
        lambda connection: connection.execute(f"DELETE FROM {table}"),
        lambda connection: connection.execute(f"UPDATE {table} SET owner_id = 1"),
    ]
    for attempt in attempts:
        with hand(database) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
            attempt(connection)
