import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.sql.ledger import SqlLedger
from tests.bot.terminal_room import fresh_database
from tools.files import importing
from tools.files.importing import BATCH_BYTES, BATCH_MAILS, Imported, ImportProgress, import_mail, read_batches
from tools.files.mailbox import MailFilesError, survey
from tools.oneself import claim, tell

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)


class StoppedClock:
    def now(self) -> datetime:
        return NOW


def mail(number: int, text: str = "Please bring the blue folder.") -> bytes:
    return (
        f"From: Anna Example <anna@example.org>\nTo: owner@example.org\nSubject: Note {number}\n"
        f"Date: Mon, 2 Mar 2026 08:00:{number % 60:02} +0100\nMessage-ID: <note-{number}@example.org>\n\n{text}\n"
    ).encode()


def mbox(path: Path, *mails: bytes) -> Path:
    path.write_bytes(b"".join(b"From anna@example.org Mon Mar  2 08:00:00 2026\n" + one + b"\n" for one in mails))
    return path


def nothing(progress: ImportProgress) -> None:
    pass


def _make(path: Path) -> None:
    if not path.exists():
        path.write_bytes(fresh_database())


@asynccontextmanager
async def ledger_at(path: Path) -> AsyncIterator[SqlLedger]:
    _make(path)
    async with SqlLedger(path) as ledger:
        yield ledger


async def importing_into(
    ledger: SqlLedger, path: Path, on_progress: Callable[[ImportProgress], None] = nothing
) -> Imported:
    return await import_mail(path, ledger=ledger, owner_id=1, clock=StoppedClock(), on_progress=on_progress)


def counts(imported: Imported) -> tuple[int, int, int]:
    return imported.progress.new, imported.progress.repeated, imported.progress.bad


async def test_what_is_imported_is_found_with_who_when_and_the_line(tmp_path: Path) -> None:
    async with ledger_at(tmp_path / "s.db") as ledger:
        imported = await importing_into(ledger, mbox(tmp_path / "m", mail(1), mail(2, "The heron landed at noon.")))
        (hit,) = await ledger.read(lambda t: t.search.find(1, "heron", corpora=("mail",)))
    assert (counts(imported), imported.kept) == ((2, 0, 0), 2)
    assert (hit.who, hit.title, hit.line) == ("Anna Example <anna@example.org>", "Note 2", "The heron landed at noon.")
    assert hit.at == datetime(2026, 3, 2, 7, 0, 2, tzinfo=UTC)


async def test_a_folder_of_mboxes_and_single_mails_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "mail" / "deep").mkdir(parents=True)
    mbox(tmp_path / "mail" / "a.mbox", mail(1), mail(2))
    (tmp_path / "mail" / "deep" / "b.eml").write_bytes(mail(3))
    (tmp_path / "mail" / "notes.txt").write_text("not a mail")
    async with ledger_at(tmp_path / "s.db") as ledger:
        imported = await importing_into(ledger, tmp_path / "mail")
    assert counts(imported) == (3, 0, 0)
    assert [file.path.name for file in imported.skipped] == ["notes.txt"]


async def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    one = mbox(tmp_path / "one", mail(1), mail(2))
    another = mbox(tmp_path / "another", mail(2), mail(3))
    async with ledger_at(tmp_path / "s.db") as ledger:
        await importing_into(ledger, one)
        again = await importing_into(ledger, one)
        assert (counts(again), again.kept) == ((0, 0, 0), 2)
        overlapping = await importing_into(ledger, another)
        assert (counts(overlapping), overlapping.kept) == ((1, 1, 0), 3)


async def test_an_account_that_is_added_later_makes_mail_from_files_the_owners(tmp_path: Path) -> None:
    async with ledger_at(tmp_path / "s.db") as ledger:
        await importing_into(ledger, mbox(tmp_path / "m", mail(1, "The heron landed.")))
        await ledger.write(
            lambda t: t.accounts.add(
                owner_id=1,
                name="work",
                kind="imap",
                identity="anna@example.org",
                aliases=[],
                settings={},
                now=StoppedClock().now(),
            )
        )
        assert await claim(ledger, 1) == 1
        assert await claim(ledger, 1) == 0
        (hit,) = await ledger.read(lambda t: t.search.find(1, "from:me heron", corpora=("mail",)))
        assert hit.line == "The heron landed."


RECEIVED = b"Return-Path: <%s>\nReceived: from there by mx.example.org; Mon, 2 Mar 2026 08:00:03 +0100\n"


@pytest.mark.parametrize(
    ("above", "is_own"),
    [
        pytest.param(b"", True, id="nobody looked: it was sent"),
        pytest.param(RECEIVED % b"anna@example.org", True, id="a copy to oneself"),
        pytest.param(RECEIVED % b"mallory@evil.example", False, id="delivered from elsewhere"),
        pytest.param(RECEIVED % b"", False, id="delivered from nobody"),
        pytest.param(b"Authentication-Results: mx.example.org; dmarc=pass\n", True, id="proven"),
        pytest.param(b"Authentication-Results: mx.example.org; dmarc=fail\n", False, id="failed"),
        pytest.param(b"Authentication-Results: mx.example.org; spf=pass; dkim=none\n", False, id="unproven"),
        pytest.param(b"From: Mallory <mallory@evil.example>\n", False, id="two authors"),
    ],
)
async def test_a_mail_that_only_claims_to_be_the_owners_is_not(tmp_path: Path, above: bytes, is_own: bool) -> None:
    path = mbox(tmp_path / "m", above + mail(1, "The heron landed."))
    for is_told_first in (True, False):
        async with ledger_at(tmp_path / f"{is_told_first}.db") as ledger:
            if is_told_first:
                await ledger.write(lambda t: tell(t, 1, ["anna@example.org"]))
            await importing_into(ledger, path)
            await ledger.write(lambda t: tell(t, 1, ["anna@example.org"]))
            assert await claim(ledger, 1) == (is_own and not is_told_first)
            hits = await ledger.read(lambda t: t.search.find(1, "from:me heron", corpora=("mail",)))
            assert bool(hits) == is_own


async def test_a_copy_to_oneself_that_nothing_proves_is_the_owners_once_the_sent_one_is_met(tmp_path: Path) -> None:
    received = b"Authentication-Results: mx.example.org; spf=none\n" + mail(1, "The heron landed.")
    async with ledger_at(tmp_path / "s.db") as ledger:
        await ledger.write(lambda t: tell(t, 1, ["anna@example.org"]))
        await importing_into(ledger, mbox(tmp_path / "m", received, mail(1, "The heron landed.")))
        assert await ledger.read(lambda t: t.search.find(1, "from:me heron", corpora=("mail",)))


async def test_what_was_added_to_a_file_since_is_read_the_next_time(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", mail(1))
    async with ledger_at(tmp_path / "s.db") as ledger:
        await importing_into(ledger, path)
        mbox(path, mail(1), mail(2))
        assert counts(await importing_into(ledger, path)) == (1, 0, 0)


async def test_a_single_mail_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "m.eml"
    async with ledger_at(tmp_path / "s.db") as ledger:
        path.write_bytes(mail(1))
        await importing_into(ledger, path)
        path.write_bytes(mail(2, "Another and longer text than before, by far."))
        assert counts(await importing_into(ledger, path)) == (1, 0, 0)


async def test_a_bad_mail_is_counted_and_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", mail(1), b"\nno header at all\n", mail(3))
    async with ledger_at(tmp_path / "s.db") as ledger:
        imported = await importing_into(ledger, path)
    assert counts(imported) == (2, 0, 1)
    ((file, byte, reason),) = imported.faults
    assert (file, byte) == (str(path), path.read_bytes().index(b"From ", 1 + path.read_bytes().index(b"folder")))
    assert "no mail" in reason


async def test_a_file_that_goes_away_is_a_fault_and_is_tried_again_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mail").mkdir()
    first, second = (mbox(tmp_path / "mail" / name, mail(number)) for name, number in (("a", 1), ("b", 2)))

    def surveyed_then_gone(path: Path) -> object:
        found = survey(path)
        first.rename(tmp_path / "elsewhere")
        return found

    async with ledger_at(tmp_path / "s.db") as ledger:
        with monkeypatch.context() as patched:
            patched.setattr(importing, "survey", surveyed_then_gone)
            imported = await importing_into(ledger, tmp_path / "mail")
        assert counts(imported) == (1, 0, 1)
        assert "can't be read" in imported.faults[0][2]
        (tmp_path / "elsewhere").rename(first)
        assert counts(await importing_into(ledger, tmp_path / "mail")) == (1, 0, 0)
    assert second.exists()


async def test_nothing_to_import_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with ledger_at(tmp_path / "s.db") as ledger:
        for path in (tmp_path / "empty", tmp_path / "nowhere"):
            with pytest.raises(MailFilesError):
                await importing_into(ledger, path)


async def test_progress_only_grows_and_ends_at_the_whole(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", *(mail(number) for number in range(3 * BATCH_MAILS)))
    told: list[ImportProgress] = []
    async with ledger_at(tmp_path / "s.db") as ledger:
        await importing_into(ledger, path, told.append)
    assert [one.new for one in told] == [0, BATCH_MAILS, 2 * BATCH_MAILS, 3 * BATCH_MAILS]
    assert [one.done_bytes for one in told] == sorted({one.done_bytes for one in told})
    assert told[-1].done_bytes == told[-1].total_bytes == path.stat().st_size


async def test_a_cancelled_import_goes_on_where_it_was(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", *(mail(number) for number in range(3 * BATCH_MAILS)))
    async with ledger_at(tmp_path / "s.db") as ledger:
        reached = asyncio.Event()

        def stop_after_one(progress: ImportProgress) -> None:
            if progress.new:
                reached.set()
                running.cancel()

        running = asyncio.create_task(importing_into(ledger, path, stop_after_one))
        await reached.wait()
        with pytest.raises(asyncio.CancelledError):
            await running
        kept = await ledger.read(lambda t: t.mails.count(1))
        assert BATCH_MAILS <= kept < 3 * BATCH_MAILS
        rest = await importing_into(ledger, path)
    assert (counts(rest), rest.kept) == ((3 * BATCH_MAILS - kept, 0, 0), 3 * BATCH_MAILS)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from memory.sql.ledger import SqlLedger
from tests.tools.test_importing import importing_into

def kill_at_the_second(progress):
    if progress.new > int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with SqlLedger(Path(sys.argv[1])) as ledger:
        await importing_into(ledger, Path(sys.argv[2]), kill_at_the_second)

asyncio.run(main())
"""


async def test_a_killed_import_neither_loses_nor_doubles_a_mail(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", *(mail(number) for number in range(4 * BATCH_MAILS)))
    database = tmp_path / "s.db"
    async with ledger_at(database):
        pass
    words = (sys.executable, "-c", KILLED, database, path, str(BATCH_MAILS))
    killed = await asyncio.create_subprocess_exec(*words, cwd=ROOT, env={**os.environ, "PYTHONPATH": "."})
    assert await killed.wait() == -signal.SIGKILL
    async with ledger_at(database) as ledger:
        assert await ledger.read(lambda t: t.mails.count(1)) == 2 * BATCH_MAILS
        rest = await importing_into(ledger, path)
    assert (counts(rest), rest.kept) == ((2 * BATCH_MAILS, 0, 0), 4 * BATCH_MAILS)


def test_a_batch_is_bounded_in_mails_and_in_bytes(tmp_path: Path) -> None:
    (tmp_path / "mail").mkdir()
    mbox(tmp_path / "mail" / "many", *(mail(number) for number in range(2 * BATCH_MAILS + 1)))
    mbox(tmp_path / "mail" / "large", *(mail(number, "x " * (BATCH_BYTES // 8)) for number in range(9)))
    for number in range(BATCH_MAILS + 1):
        (tmp_path / "mail" / f"{number}.eml").write_bytes(mail(number))
    files = survey(tmp_path / "mail").files
    batches = list(read_batches([(file, 0) for file in files], now=NOW))
    assert sum(len(part.mails) for batch in batches for part in batch) == 3 * BATCH_MAILS + 2 + 9
    for batch in batches:
        assert sum(len(part.mails) for part in batch) <= 2 * BATCH_MAILS
        assert sum(part.end_byte - part.start_byte for part in batch) < 2 * BATCH_BYTES


async def test_reading_happens_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()
    read = importing.read_mail

    def noting(raw: bytes, *, now: datetime) -> object:
        threads.add(threading.get_ident())
        return read(raw, now=now)

    monkeypatch.setattr(importing, "read_mail", noting)
    async with ledger_at(tmp_path / "s.db") as ledger:
        await importing_into(ledger, mbox(tmp_path / "m", mail(1)))
    assert threads
    assert threading.get_ident() not in threads
