"""Opening: only a database that is ours, whole, of this host and of this version; any other is left as it was."""

import hashlib
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from memory.errors import StrangeDatabase
from memory.sql import opening
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from memory.sql.schema import APPLICATION_ID
from tests.doubles.clock import NOW
from tests.doubles.counted import counted
from tests.doubles.hand import hand, rows

LATER_MIGRATION = """
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade() -> None:
    op.get_bind().exec_driver_sql("CREATE TABLE later (id INTEGER)")
"""

SCRIPTS = Config()
SCRIPTS.set_main_option("script_location", str(opening.MIGRATIONS))
HEAD = ScriptDirectory.from_config(SCRIPTS).get_current_head()


def opened(path: Path, *, host: str = "here", adopt: bool = False) -> opening.Opened:
    return open_database(path, host=host, zone="Europe/Berlin", language="de", now=NOW, adopt=adopt)


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def beside(path: Path) -> list[str]:
    return sorted(other.name for other in path.parent.iterdir())


# --- a new one ---


def test_a_new_database_is_its_owners_alone_and_knows_itself(tmp_path: Path) -> None:
    path = tmp_path / "stillbell.db"
    first = opened(path)
    assert (first.is_new, first.host) == (True, "here")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert beside(path) == ["stillbell.db"]
    again = opened(path)
    assert (again.is_new, again.instance) == (False, first.instance)
    assert rows(path, "PRAGMA application_id") == [(APPLICATION_ID,)]


def test_two_new_databases_are_two_instances(tmp_path: Path) -> None:
    assert opened(tmp_path / "a.db").instance != opened(tmp_path / "b.db").instance


async def test_a_new_database_has_its_first_owner(tmp_path: Path) -> None:
    opened(tmp_path / "stillbell.db")
    async with SqlLedger(tmp_path / "stillbell.db") as ledger:
        owner = await ledger.read(lambda t: t.owners.get())
    assert (owner.id, owner.language, owner.telegram_id, owner.created_at) == (1, "de", None, NOW)
    assert owner.zones.zone_at(NOW).key == "Europe/Berlin"


def test_a_mode_that_is_too_open_is_closed(database: Path) -> None:
    database.chmod(0o644)
    opened(database)
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


@pytest.mark.parametrize("failing", ["create_first_owner", "migrate"])
def test_a_half_made_new_database_is_taken_away_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(opening, failing, fail)
        with pytest.raises(ZeroDivisionError):
            opened(tmp_path / "stillbell.db")
    assert list(tmp_path.iterdir()) == []
    assert opened(tmp_path / "stillbell.db").is_new


@pytest.mark.parametrize("name", ["with space", "größe", "100%25", "what?", "a#b", "it's", "x&mode=rw"])
async def test_the_data_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    opened(folder / "stillbell.db")
    async with SqlLedger(folder / "stillbell.db") as ledger:
        await ledger.write(lambda t: t.counts.add("n", owner_id=1, now=NOW))
        assert await ledger.read(lambda t: counted(t, "n", NOW)) == 1
    assert beside(folder / "stillbell.db") == ["stillbell.db"]
    assert beside(folder) == [name]


# --- a strange one ---


def empty(path: Path) -> None:
    path.write_bytes(b"")


def no_database(path: Path) -> None:
    path.write_text("Dear diary, " * 500)


def shorter_than_a_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


def somebody_elses(path: Path) -> None:
    path.unlink()
    with hand(path) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
        connection.execute("INSERT INTO bookmarks VALUES ('https://example.org')")


def without_identity(path: Path) -> None:
    with hand(path) as connection:
        connection.execute("DELETE FROM identity")
    _settle(path)


def without_tables(path: Path) -> None:
    path.unlink()
    with hand(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE something (id)")


def of_a_newer_version(path: Path) -> None:
    with hand(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '7777'")
    _settle(path)


def damaged_within(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:8000] = b"\xff" * 7900
    path.write_bytes(data)


def _settle(path: Path) -> None:
    """Everything from the write-ahead log into the file itself."""
    with hand(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize(
    ("spoil", "next_step"),
    [
        (empty, "restore the newest backup"),
        (no_database, "restore the newest backup"),
        (shorter_than_a_header, "move it away"),
        (somebody_elses, "STILLBELL_HOME"),
        (without_identity, "restore the newest backup"),
        (without_tables, "restore the newest backup"),
        (of_a_newer_version, "update this one"),
        (damaged_within, "restore the newest backup"),
    ],
)
def test_a_strange_file_is_refused_with_a_next_step_and_left_as_it_was(
    database: Path, spoil: object, next_step: str
) -> None:
    spoil(database)  # type: ignore[operator]
    before = fingerprint(database)
    with pytest.raises(StrangeDatabase, match=next_step):
        opened(database)
    assert fingerprint(database) == before
    assert beside(database) == ["stillbell.db"]


def test_another_hosts_database_is_refused_until_it_is_adopted(database: Path) -> None:
    before = fingerprint(database)
    with pytest.raises(StrangeDatabase, match=r"belongs to the host here, and this is there.*--adopt"):
        opened(database, host="there")
    assert fingerprint(database) == before
    adopted = opened(database, host="there", adopt=True)
    assert adopted.host == "there"
    assert opened(database, host="there").instance == adopted.instance
    with pytest.raises(StrangeDatabase):
        opened(database)


@pytest.fixture
def later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Stillbell with one migration more."""
    folder = tmp_path / "migrations"
    shutil.copytree(opening.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_later.py").write_text(LATER_MIGRATION.format(head=HEAD))
    monkeypatch.setattr(opening, "MIGRATIONS", folder)


@pytest.mark.usefixtures("later_version")
def test_an_older_database_is_brought_to_this_version(database: Path) -> None:
    opened(database)
    assert rows(database, "SELECT version_num FROM alembic_version") == [("9999",)]
    assert rows(database, "SELECT count(*) FROM later") == [(0,)]


@pytest.mark.usefixtures("later_version")
def test_a_database_that_is_refused_is_not_migrated_first(database: Path) -> None:
    before = fingerprint(database)
    with pytest.raises(StrangeDatabase):
        opened(database, host="there")
    assert fingerprint(database) == before


def test_a_migration_that_fails_leaves_the_version_before(
    database: Path, later_version: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = opening.MIGRATIONS / "versions" / "9999_later.py"
    script.write_text(script.read_text() + "    op.get_bind().exec_driver_sql('SELECT missing()')\n")
    with pytest.raises(Exception, match="missing"):
        opened(database)
    assert rows(database, "SELECT version_num FROM alembic_version") == [(HEAD,)]
    with pytest.raises(sqlite3.OperationalError, match="later"):
        rows(database, "SELECT * FROM later")
