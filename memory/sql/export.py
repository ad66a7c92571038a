"""Everything that is kept of an owner, row by row: theirs to take away."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select, Table, create_engine, select

from memory.sql.columns import metadata
from memory.sql.door import translated
from memory.sql.mail_schema import verdict_reasons, verdicts
from memory.sql.schema import (
    import_faults,
    import_files,
    imports,
    owners,
    signal_heads,
    signal_payloads,
)

_BY_WAY_OF = {
    # A table without an owner of its own: the table that has one, and how the two are joined.
    signal_payloads.name: (signal_heads, signal_payloads.c.signal_id == signal_heads.c.id),
    import_files.name: (imports, import_files.c.import_id == imports.c.id),
    verdict_reasons.name: (verdicts, verdict_reasons.c.verdict_id == verdicts.c.id),
    import_faults.name: (imports, import_faults.c.import_id == imports.c.id),
}


def export_rows(path: Path, owner_id: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(table, row) of everything that is the owner's, in one snapshot, on a connection that can't write."""
    engine = create_engine(f"sqlite+pysqlite:///file:{quote(str(path))}?mode=ro&uri=true", isolation_level="AUTOCOMMIT")
    try:
        with translated(), engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            for table in metadata.sorted_tables:
                query = _of_owner(table, owner_id)
                if query is not None:
                    for row in connection.execute(query).mappings():
                        yield table.name, dict(row)
            connection.exec_driver_sql("COMMIT")
    finally:
        engine.dispose()


def _of_owner(table: Table, owner_id: int) -> Select[Any] | None:
    if table is owners:
        return select(table).where(owners.c.id == owner_id)
    if "owner_id" in table.c:
        return select(table).where(table.c.owner_id == owner_id)
    if table.name in _BY_WAY_OF:
        owned, joined = _BY_WAY_OF[table.name]
        return select(table).join(owned, joined).where(owned.c.owner_id == owner_id)
    return None
