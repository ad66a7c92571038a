"""Backups: whole or not there at all, made beside a busy writer, kept by a rule, and put back with what was in doubt."""

import asyncio
import os
import sqlite3
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.backup import BackupDuty
from memory.backup import DAYS_KEPT, WEEKS_KEPT, made_at, name_at, newest_first, superseded
from memory.errors import NotFound, OutOfReach, StrangeDatabase
from memory.job import Job
from memory.sql import backup as making
from memory.sql.backup import back_up, check, newest_sound
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from memory.sql.restoring import restore
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import a_piece, hear, publish

BY_HAND = """INSERT INTO signals (source, kind, payload) VALUES ('hand', 'message', '{"text": "hello"}')"""
LATER = NOW + timedelta(days=1)


def night(number: int) -> datetime:
    """The night with this number after NOW, at half past two UTC."""
    return datetime(2026, 3, 3, 2, 30, tzinfo=UTC) + timedelta(days=number)


def spoil(path: Path, at: float = 0.5) -> None:
    """Overwrite a page in the middle."""
    data = bytearray(path.read_bytes())
    page = int(len(data) * at) // 4096 * 4096
    data[page : page + 4096] = os.urandom(4096)
    path.write_bytes(data)


async def busy(ledger: SqlLedger, enough: asyncio.Event) -> int:
    """Write until told; how often."""
    written = 0
    while not enough.is_set():
        await ledger.write(lambda t, number=written: publish(t, f"busy {number}"))
        written += 1
    return written


# --- which are kept ---


def test_a_name_tells_when_it_was_made() -> None:
    assert name_at(NOW) == "stillbell-20260302T090000Z.db"
    assert made_at(name_at(NOW)) == NOW
    for other in ("stillbell.db", "stillbell-20260302.db", "stillbell-20261302T090000Z.db", "x" + name_at(NOW)):
        assert made_at(other) is None


def test_seven_days_and_four_weeks_are_kept() -> None:
    names = {name_at(night(number)): number for number in range(100)}
    kept = sorted(names[name] for name in set(names) - set(superseded(names)))
    assert kept[-DAYS_KEPT:] == list(range(93, 100))
    # The night with the number 0 was a Tuesday, so a week's last night has a number of 5, 12, 19 …
    assert kept[:-DAYS_KEPT] == [82, 89]
    assert [night(number).isoweekday() for number in (82, 89, 96)] == [7, 7, 7]


def test_of_several_in_a_day_the_newest_is_kept() -> None:
    day = [name_at(NOW + timedelta(hours=hour)) for hour in range(5)]
    assert superseded(day) == day[3::-1]


def test_what_is_no_backup_is_never_taken_away() -> None:
    others = ["stillbell.db", "notes.txt", ".stillbell-x.part", *(f"stillbell-{n}.db" for n in range(99))]
    assert superseded(others) == []


@given(st.lists(st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), max_size=60))
def test_the_newest_is_always_kept_and_never_more_than_the_rule_says(moments: list[datetime]) -> None:
    names = {name_at(at) for at in moments}
    kept = names - set(superseded(names))
    assert newest_first(kept)[:1] == newest_first(names)[:1]
    assert len(kept) <= DAYS_KEPT + WEEKS_KEPT
    assert superseded(kept) == []


# --- making one ---


async def test_a_backup_made_beside_a_busy_writer_is_whole_and_of_one_moment(ledger: SqlLedger, tmp_path: Path) -> None:
    await ledger.write(lambda t: hear(t, "hello"))
    enough = asyncio.Event()
    writing = asyncio.create_task(busy(ledger, enough))
    made = await ledger.back_up(tmp_path / "b" / "copy.db")
    enough.set()
    assert await writing > 0
    assert (made.host, made.counts["messages"]) == ("here", 1)
    assert check(made.path) == made
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["copy.db"]
    assert rows(made.path, "SELECT count(*) FROM signal_heads") == [(made.counts["signals"],)]


def test_a_backup_is_one_file_that_can_be_read_where_nothing_can_be_written(database: Path, tmp_path: Path) -> None:
    made = back_up(database, tmp_path / "copy.db").path
    # Of a file in WAL mode these two bytes are 2, and no reader can do without a log beside it.
    assert made.read_bytes()[18:20] == b"\x01\x01"


async def test_the_loop_turns_while_a_backup_is_made(
    ledger: SqlLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, copying, real = threading.Event(), asyncio.Event(), making.copy
    loop = asyncio.get_running_loop()

    def slow(database: Path, to: Path) -> dict[str, int]:
        loop.call_soon_threadsafe(copying.set)
        assert goes_on.wait(10)
        return real(database, to)

    monkeypatch.setattr(making, "copy", slow)
    backing_up = asyncio.create_task(ledger.back_up(tmp_path / "copy.db"))
    await copying.wait()
    await ledger.write(lambda t: publish(t, "meanwhile"))
    goes_on.set()
    assert (await backing_up).counts["signals"] == 1


def test_what_only_stands_in_the_log_of_a_crashed_writer_is_in_the_backup(database: Path, tmp_path: Path) -> None:
    crashed = tmp_path / "crashed" / "stillbell.db"
    crashed.parent.mkdir()
    with hand(database) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute(BY_HAND)
        connection.commit()
        for ending in ("", "-wal"):
            Path(f"{crashed}{ending}").write_bytes(Path(f"{database}{ending}").read_bytes())
    assert back_up(crashed, tmp_path / "copy.db").counts["signals"] == 1


@pytest.mark.parametrize("failing", ["copy", "check", "flush"])
def test_a_backup_that_fails_leaves_nothing_and_the_one_before_untouched(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    to = tmp_path / "b" / "copy.db"
    back_up(database, to)
    before = to.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with hand(database) as connection:
        connection.execute(BY_HAND)
    monkeypatch.setattr(making, failing, fail)
    with pytest.raises(OutOfReach, match="No space left"):
        back_up(database, to)
    assert to.read_bytes() == before
    assert list(to.parent.iterdir()) == [to]


def test_a_damaged_database_makes_no_backup(database: Path, tmp_path: Path) -> None:
    spoil(database)
    with pytest.raises(StrangeDatabase):
        back_up(database, tmp_path / "b" / "copy.db")
    assert list((tmp_path / "b").iterdir()) == []


def test_the_newest_that_is_whole_is_found(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    assert newest_sound(folder) is None
    for number in range(4):
        back_up(database, folder / name_at(night(number)))
    spoil(folder / name_at(night(3)))
    (folder / name_at(night(2))).write_bytes(b"")
    (folder / name_at(night(9))).mkdir()
    found = newest_sound(folder)
    assert found is not None
    assert found.path.name == name_at(night(1))


# --- every night ---


@pytest.fixture
def job() -> Job:
    return Job(id=1, owner_id=1, kind="backup", lane="background", thread="background", attempt=1, created_at=NOW)


async def test_every_night_one_is_made_and_the_superseded_go(ledger: SqlLedger, tmp_path: Path, job: Job) -> None:
    clock, folder = FakeClock(night(0)), tmp_path / "backups"
    duty = BackupDuty(ledger, clock, folder)
    for _ in range(12):
        await duty(job)
        clock.advance(timedelta(days=1))
    names = sorted(path.name for path in folder.iterdir())
    assert names[-DAYS_KEPT:] == [name_at(night(number)) for number in range(5, 12)]
    assert len(names) == DAYS_KEPT


async def test_what_a_crash_cut_off_is_cleared_and_what_is_being_made_is_not(
    ledger: SqlLedger, tmp_path: Path, job: Job
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    old, new = folder / ".stillbell-old.part", folder / ".stillbell-new.part"
    for path, at in ((old, NOW - timedelta(days=2)), (new, NOW - timedelta(hours=1))):
        path.write_bytes(b"half")
        os.utime(path, (at.timestamp(), at.timestamp()))
    await BackupDuty(ledger, FakeClock(), folder)(job)
    assert sorted(path.name for path in folder.iterdir()) == [new.name, name_at(NOW)]


async def test_a_backup_that_fails_takes_none_away(
    ledger: SqlLedger, tmp_path: Path, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, folder = FakeClock(night(0)), tmp_path / "backups"
    for number in range(20):
        back_up(tmp_path / "stillbell.db", folder / name_at(night(number)))

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(making, "copy", fail)
    with pytest.raises(OutOfReach, match="the disk is full"):
        await BackupDuty(ledger, clock, folder)(job)
    assert len(list(folder.iterdir())) == 20


# --- putting one back ---


@pytest.fixture
def kept(database: Path, tmp_path: Path) -> Path:
    """A backup, made while pieces were on their way; the database has changed since."""

    async def speak() -> None:
        async with SqlLedger(database) as ledger:
            for key, handing in (("ready", False), ("handed", True), ("shown", True)):
                said = await ledger.write(lambda t, k=key, h=handing: t.pieces.say(a_piece(k), now=NOW, handing=h))
                assert said is not None
            await ledger.write(lambda t: t.pieces.end(said.id, "shown", because="b", now=NOW))
            _, turn, _ = await ledger.write(lambda t: hear(t, "hello"))
            await ledger.write(lambda t: t.pieces.say(a_piece("overtaken", turn_id=turn.id), now=NOW))
            await ledger.write(lambda t: hear(t, "no, wait", said_as="11"))

    asyncio.run(speak())
    made = back_up(database, tmp_path / "backups" / name_at(NOW))
    with hand(database) as connection:
        connection.execute(BY_HAND)
    return made.path


def test_a_restored_database_is_the_backups_and_the_old_one_is_kept(kept: Path, database: Path) -> None:
    backup, aside = restore(kept, database, now=LATER)
    assert (backup.path, backup.host) == (kept, "here")
    later = "SELECT count(*) FROM signal_heads WHERE source = 'hand'"
    assert rows(database, later) == [(0,)]
    assert aside == database.with_name("stillbell.db.before-restore-20260303T090000Z")
    assert rows(aside, later) == [(1,)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (database, aside)} == {0o600}
    assert not open_database(database, host="here", zone="UTC", language="en", now=LATER).is_new
    assert rows(database, "SELECT decided, because FROM decisions WHERE subject = 'database'") == [
        ("restored", f"restored from {kept.name}")
    ]
    assert sorted(path.name for path in database.parent.glob(".*")) == []


async def test_after_a_restore_what_was_on_its_way_is_in_doubt(kept: Path, database: Path) -> None:
    await asyncio.to_thread(restore, kept, database, now=LATER)
    async with SqlLedger(database) as ledger:
        left = await ledger.read(lambda t: t.pieces.undelivered())
    assert [(piece.key, piece.state, piece.in_doubt) for piece in left] == [
        ("ready", "handing", True),
        ("handed", "handing", True),
        # A piece that will be dropped is in no doubt.
        ("overtaken", "ready", False),
    ]


def test_another_hosts_backup_is_refused_at_the_start_until_it_is_adopted(kept: Path, database: Path) -> None:
    restore(kept, database, now=LATER)
    with pytest.raises(StrangeDatabase, match="--adopt"):
        open_database(database, host="there", zone="UTC", language="en", now=LATER)
    assert open_database(database, host="there", zone="UTC", language="en", now=LATER, adopt=True).host == "there"


def test_a_restore_over_a_damaged_database_keeps_it_with_its_log(kept: Path, database: Path) -> None:
    database.write_bytes(b"rubbish")
    Path(f"{database}-wal").write_bytes(b"more of it")
    _, aside = restore(kept, database, now=LATER)
    assert aside is not None
    assert aside.read_bytes() == b"rubbish"
    assert Path(f"{aside}-wal").read_bytes() == b"more of it"
    assert check(database).counts["messages"] == 6


def test_a_restore_where_nothing_was_keeps_nothing_aside(kept: Path, tmp_path: Path) -> None:
    database = tmp_path / "new" / "stillbell.db"
    database.parent.mkdir()
    assert restore(kept, database, now=LATER)[1] is None
    assert [path.name for path in database.parent.iterdir()] == ["stillbell.db"]


def of_a_newer_version(path: Path) -> None:
    with hand(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '7777'")


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8192])


@pytest.mark.parametrize("how", [spoil, cut_off, of_a_newer_version, Path.unlink])
def test_a_backup_that_is_not_whole_changes_nothing(kept: Path, database: Path, how: object) -> None:
    before = database.read_bytes()
    how(kept)  # type: ignore[operator]
    with pytest.raises((StrangeDatabase, NotFound)):
        restore(kept, database, now=LATER)
    assert database.read_bytes() == before
    assert sorted(path.name for path in database.parent.iterdir()) == ["backups", "stillbell.db"]


def test_a_crash_in_the_middle_of_a_restore_leaves_a_whole_database(
    kept: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", crash)
    with pytest.raises(KeyboardInterrupt):
        restore(kept, database, now=LATER)
    assert check(database).counts["signals"] == 3
