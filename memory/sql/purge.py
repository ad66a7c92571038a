"""Erasing everything that was said, read and kept, so that its bytes are gone from the file.

What stays is what proves what happened without saying what was in it: heads of signals, decisions, the audit, usage,
counts, the owner's settings, and how far each source was read (so that nothing old is fetched again).
"""

from pathlib import Path

from sqlalchemy import Connection, Table, delete

from memory.sql.columns import metadata
from memory.sql.door import translated
from memory.sql.engine import writing_engine
from memory.sql.exit_schema import approvals, chain, dispatch_steps, dispatches
from memory.sql.mail_schema import accounts, verdicts
from memory.sql.people_schema import person_changes
from memory.sql.schema import (
    audit,
    counts,
    cursors,
    decisions,
    identity,
    owners,
    preferences,
    signal_heads,
    usage,
    zone_moves,
)

STAYS = (
    identity,
    owners,
    zone_moves,
    signal_heads,
    decisions,
    audit,
    usage,
    counts,
    cursors,
    verdicts,
    accounts,
    preferences,
    approvals,
    dispatches,
    dispatch_steps,
    chain,
    person_changes,
)


def purge(path: Path) -> dict[str, int]:
    """Erase it; how many rows of each table. The lock must be held and no ledger be open."""
    engine = writing_engine(path)
    try:
        with translated(), engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            gone = {table.name: _empty(connection, table) for table in _erased()}
            connection.exec_driver_sql("INSERT INTO passages_fts (passages_fts) VALUES ('rebuild')")
            connection.exec_driver_sql("COMMIT")
            # Deleted rows leave their bytes in free pages and in the log: both are written anew.
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        engine.dispose()
    return {name: count for name, count in gone.items() if count}


def _erased() -> list[Table]:
    """Children before parents, so that no foreign key is ever left hanging."""
    return [table for table in reversed(metadata.sorted_tables) if table not in STAYS]


def _empty(connection: Connection, table: Table) -> int:
    return connection.execute(delete(table)).rowcount
