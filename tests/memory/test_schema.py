"""What the migrations make is what is declared, and every connection keeps to it."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.exc import IntegrityError

import alembic
from memory.sql.engine import writing_engine
from memory.sql.opening import migrate
from memory.sql.schema import APPEND_ONLY, EXTRAS, metadata
from tests.doubles.hand import rows

ROOT = Path(__file__).parents[2]

WITHOUT_OWNER = {
    "identity",  # the database's own
    "owners",  # the owner's own row
    "signal_payloads",  # its head has the owner
    "import_files",  # its import has the owner
    "import_faults",  # the same
    "verdict_reasons",  # its verdict has the owner
}


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    path = tmp_path / "migrated.db"
    engine = writing_engine(path)
    with engine.connect() as connection:
        migrate(connection)
    engine.dispose()
    return path


@pytest.fixture
def declared(tmp_path: Path) -> Path:
    path = tmp_path / "declared.db"
    engine = writing_engine(path)
    with engine.connect() as connection:
        metadata.create_all(connection)
        for statement in EXTRAS:
            connection.exec_driver_sql(statement)
    engine.dispose()
    return path


def made(path: Path) -> dict[tuple[str, str, str], str]:
    """Everything in the file by type, name and table, in its own words but for white space."""
    found = rows(path, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return {
        (kind, name, table): re.sub(r"\s+", "", sql) for kind, name, table, sql in found if table != "alembic_version"
    }


def test_the_migrations_make_exactly_the_declared_schema(migrated: Path, declared: Path) -> None:
    assert made(migrated) == made(declared)
    assert len(made(declared)) > 60


def test_full_text_is_set_as_declared(migrated: Path, declared: Path) -> None:
    settings = "SELECT k, v FROM passages_fts_config ORDER BY k"
    assert rows(migrated, settings) == rows(declared, settings)
    assert ("automerge", 8) in rows(declared, settings)


def test_alembic_finds_nothing_left_to_migrate(migrated: Path) -> None:
    def of_a_declared_kind(name: str | None, kind: str, parents: Any) -> bool:
        return kind != "table" or not str(name).startswith("passages_")

    options = {"include_name": of_a_declared_kind, "compare_type": True, "compare_server_default": True}
    with writing_engine(migrated).connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
        connection.engine.dispose()
    assert differences == []


def test_the_library_is_never_shadowed_by_the_folder_of_migrations() -> None:
    assert not (ROOT / "alembic" / "__init__.py").exists()
    assert alembic.__version__
    asked = [sys.executable, "-c", "import alembic; print(alembic.__version__)"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert answer.stdout.strip() == alembic.__version__


def test_the_writing_connection_is_durable_at_every_commit_and_keeps_foreign_keys(database: Path) -> None:
    engine = writing_engine(database)
    with engine.connect() as connection:
        told = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()
            for name in ("journal_mode", "synchronous", "foreign_keys", "recursive_triggers", "mmap_size")
        }
        full = 2
        assert told == {
            "journal_mode": "wal",
            "synchronous": full,
            "foreign_keys": 1,
            "recursive_triggers": 1,
            "mmap_size": 0,
        }
        with pytest.raises(IntegrityError, match="FOREIGN KEY"):
            connection.exec_driver_sql("INSERT INTO signal_payloads (signal_id, payload) VALUES (999, '{}')")
    engine.dispose()


def test_every_row_of_a_persons_data_names_its_owner() -> None:
    without = {name for name, table in metadata.tables.items() if "owner_id" not in table.columns}
    assert without == WITHOUT_OWNER
    for table in metadata.tables.values():
        if "owner_id" in table.columns:
            (key,) = table.columns["owner_id"].foreign_keys
            assert key.target_fullname == "owners.id", table.name
            assert not table.columns["owner_id"].nullable, table.name


def test_append_only_tables_hold_no_content() -> None:
    content = {"text", "payload", "title", "summary", "value"}
    for name in APPEND_ONLY:
        assert not content & set(metadata.tables[name].columns.keys()), name


def test_states_outside_their_list_are_refused(database: Path) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        rows(database, "INSERT INTO jobs (kind, lane, thread, state) VALUES ('a', 'inline', 't', 'lost')")
