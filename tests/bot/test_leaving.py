"""Export takes everything along; purge leaves no byte of what was said."""

import json
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import leaving
from bot.lock import WriterLock
from bot.settings import Settings
from memory.errors import AnotherWriter, BadInput, NotFound
from memory.ledger import Tables
from memory.piece import NewPiece
from memory.signal import NewSignal
from memory.sql.backup import back_up
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from memory.sql.restoring import restore

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SECRET = "the zeppelin lands at dawn"


def live(t: Tables) -> None:
    signal = t.signals.publish(
        NewSignal(source="terminal", kind="message", source_id="1", payload={"text": SECRET}), now=NOW
    )
    assert signal is not None
    t.thread.hear(
        owner_id=1,
        channel="terminal",
        text=SECRET,
        signal_id=signal,
        channel_message_id="7",
        reply_to=None,
        now=NOW,
    )
    loop = t.loops.open(owner_id=1, kind="task", title=SECRET, because="the owner said so", now=NOW)
    t.reminders.set(
        owner_id=1,
        text=SECRET,
        wall=datetime(2027, 1, 1, 9),
        rule=None,
        loop_id=loop.id,
        because="the owner said so",
        now=NOW,
    )
    t.pieces.say(NewPiece(key="p", owner_id=1, channel="terminal", text=SECRET, findable=True), now=NOW)


@pytest.fixture
async def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path)
    open_database(settings.database, host="here", zone="UTC", language="en", now=NOW)
    async with SqlLedger(settings.database) as ledger:
        await ledger.write(live)
    settings.files.mkdir()
    (settings.files / "note.txt").write_text(SECRET)
    return settings


async def test_an_export_holds_every_row_and_every_file_of_the_owner(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    written = leaving.export(settings, folder)
    rows = {
        table: [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()] for table in written
    }
    assert {"owners", "messages", "loops", "reminders", "pieces", "signal_heads", "signal_payloads"} <= set(rows)
    assert {row["text"] for row in rows["messages"]} == {SECRET}
    assert all(len(rows[table]) == count for table, count in written.items())
    assert (folder / "files" / "note.txt").read_text() == SECRET


async def test_an_export_works_beside_a_running_writer_and_never_into_a_full_folder(
    settings: Settings, tmp_path: Path
) -> None:
    with WriterLock(settings.lock):
        assert leaving.export(settings, tmp_path / "out")
    with pytest.raises(BadInput, match="not empty"):
        leaving.export(settings, tmp_path / "out")


async def test_an_export_into_a_folder_that_was_open_to_all_is_the_owners_alone(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    folder.chmod(0o755)
    (settings.files / "note.txt").chmod(0o644)
    before = os.umask(0o022)
    try:
        leaving.export(settings, folder)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}
    folders = {stat.S_IMODE(path.stat().st_mode) for path in (folder, folder / "files")}
    assert (modes, folders) == ({0o600}, {0o700})


@pytest.mark.parametrize("with_backups", [False, True])
async def test_a_purge_takes_what_a_restore_put_aside_and_backups_only_if_told(
    settings: Settings, with_backups: bool
) -> None:
    made = back_up(settings.database, settings.backups / "stillbell-20261130T023000Z.db").path
    restore(made, settings.database, now=NOW)
    assert list(settings.home.glob("*.before-restore-*"))
    leaving.purge(settings, with_backups=with_backups)
    assert list(settings.home.glob("*.before-restore-*")) == []
    assert leaving.backups(settings) == ([] if with_backups else [made])
    left = b"".join(path.read_bytes() for path in settings.home.rglob("*") if path.is_file())
    assert (SECRET.encode() in left) is not with_backups


async def test_a_purge_leaves_no_byte_of_what_was_said_and_keeps_what_happened(settings: Settings) -> None:
    for folder in (settings.outgoing, settings.decision):
        folder.mkdir()
        (folder / "copy").write_text(SECRET)
    gone = leaving.purge(settings)
    assert gone["messages"] == 2
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in settings.home.glob("stillbell.db*"))
    assert not any(folder.exists() for folder in (settings.files, settings.outgoing, settings.decision))
    async with SqlLedger(settings.database) as ledger:
        heads = await ledger.read(lambda t: t.signals.counts_since(1, NOW))
        decided = await ledger.read(lambda t: [d.decided for d in t.decisions.latest(1, 10)])
        found = await ledger.read(lambda t: t.search.find(1, "zeppelin"))
    assert (dict(heads), sorted(decided), found) == ({("terminal", "message"): 1}, ["opened", "set"], [])


async def test_a_purge_waits_for_the_end_of_stillbell(settings: Settings) -> None:
    with WriterLock(settings.lock), pytest.raises(AnotherWriter):
        leaving.purge(settings)


def test_there_is_nothing_to_take_from_an_empty_folder(tmp_path: Path) -> None:
    empty = Settings(home=tmp_path)
    with pytest.raises(NotFound):
        leaving.export(empty, tmp_path / "out")
    with pytest.raises(NotFound):
        leaving.purge(empty)
