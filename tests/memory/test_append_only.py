"""History stays as it was written, whoever holds the connection."""

import sqlite3
from pathlib import Path

import pytest

from memory.sql.ledger import SqlLedger
from memory.sql.schema import APPEND_ONLY
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import publish

AT = "2026-03-02T09:00:00.000Z"
ROWS = {
    "signal_heads": {"source": "made", "kind": "note", "source_id": "1", "received_at": AT},
    "decisions": {"subject": "loop:1", "decided": "done", "because": "said so", "at": AT},
    "audit": {
        "agent": "thinker",
        "tool": "find",
        "permission": "ALLOW",
        "outcome": "done",
        "because": "it reads",
        "arguments_digest": "0" * 64,
        "at": AT,
    },
    "dispatch_steps": {
        "dispatch_id": 1,
        "approval_id": 1,
        "digest": "0" * 64,
        "transport": "smtp",
        "state": "taken",
        "because": "spent",
        "attempts": 0,
        "at": AT,
    },
    "person_changes": {
        "what": "joined",
        "identities": "[1]",
        "from_person": 1,
        "to_person": 2,
        "because": "said so",
        "decided_by": "owner",
        "at": AT,
    },
    "chain": {"kind": "audit", "row_id": 1, "hash": "0" * 64},
    "verdicts": {
        "mail_id": 1,
        "thread_id": 1,
        "evidence": "0" * 64,
        "judge": "1",
        "what": "hold",
        "consequence": 0.5,
        "stage": "rule",
        "code": "from_a_person",
        "at": AT,
    },
}


OF_ANOTHER: dict[str, dict[str, object]] = {
    "signal_heads": {"source_id": "2"},
    "verdicts": {"evidence": "1" * 64},
    "chain": {"row_id": 2},
}
"""What makes a second row another one, where a key of its own would say otherwise."""


def inserting(table: str, verb: str = "INSERT", **more: object) -> str:
    values = {**ROWS[table], **more}
    return f"{verb} INTO {table} ({', '.join(values)}) VALUES ({', '.join(repr(value) for value in values.values())})"


def attacks(table: str) -> dict[str, str]:
    by_id = {
        "update": f"UPDATE {table} SET owner_id = 2",
        "update or replace": f"UPDATE OR REPLACE {table} SET owner_id = 2 WHERE id = 1",
        "delete": f"DELETE FROM {table} WHERE id = 1",
        "insert or replace by id": inserting(table, "INSERT OR REPLACE", id=1, owner_id=2),
        "replace by id": inserting(table, "REPLACE", id=1, owner_id=2),
        "upsert by id": inserting(table, id=1) + " ON CONFLICT (id) DO UPDATE SET owner_id = 2",
    }
    if table == "chain":
        return by_id | {
            "insert or replace by key": inserting(table, "INSERT OR REPLACE", hash="1" * 64),
            "upsert by key": inserting(table) + " ON CONFLICT (kind, row_id) DO UPDATE SET hash = 'x'",
        }
    if table == "verdicts":
        return by_id | {
            "insert or replace by key": inserting(table, "INSERT OR REPLACE", what="notify"),
            "upsert by key": inserting(table)
            + " ON CONFLICT (owner_id, evidence, judge) DO UPDATE SET what = 'notify'",
        }
    if table != "signal_heads":
        return by_id
    return by_id | {
        "insert or replace by key": inserting(table, "INSERT OR REPLACE", owner_id=2),
        "upsert by key": inserting(table) + " ON CONFLICT (source, source_id) DO UPDATE SET owner_id = 2",
        "replace by id and key": inserting(table, "REPLACE", id=1, kind="other"),
    }


CASES = [
    pytest.param(table, statement, id=f"{table}: {name}")
    for table in APPEND_ONLY
    for name, statement in attacks(table).items()
]


@pytest.mark.parametrize("recursive_triggers", ["OFF", "ON"])
@pytest.mark.parametrize(("table", "statement"), CASES)
def test_a_row_of_history_is_never_written_over(
    database: Path, table: str, statement: str, recursive_triggers: str
) -> None:
    with hand(database) as connection:
        connection.execute(inserting(table))
    before = rows(database, f"SELECT * FROM {table}")
    with hand(database) as connection:
        connection.execute(f"PRAGMA recursive_triggers = {recursive_triggers}")
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
            connection.execute(statement)
    assert rows(database, f"SELECT * FROM {table}") == before
    assert len(before) == 1


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_history_grows(database: Path, table: str) -> None:
    with hand(database) as connection:
        connection.execute(inserting(table))
        connection.execute(inserting(table, **OF_ANOTHER.get(table, {})))
    assert [row[0] for row in rows(database, f"SELECT id FROM {table}")] == [1, 2]


async def test_content_can_be_erased_and_the_head_stays(ledger: SqlLedger, database: Path) -> None:
    signal_id = await ledger.write(lambda t: publish(t, payload={"text": "a secret"}))
    with hand(database) as connection:
        connection.execute("UPDATE signal_payloads SET payload = NULL WHERE signal_id = ?", (signal_id,))
    erased = await ledger.read(lambda t: t.signals.get(signal_id))
    assert (erased.source_id, dict(erased.payload)) == ("1", {})
    assert await ledger.read(lambda t: t.signals.exists("made", "1"))
