"""A database of before there was one search: what could be found can be found, long texts in passages, mails with people."""

import shutil
from pathlib import Path

import pytest

from memory.search.chunking import spans
from memory.sql.engine import writing_engine
from memory.sql.ledger import SqlLedger
from memory.sql.opening import migrate, open_database
from memory.sql.owners import create_first_owner
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows

BEFORE = "0004"
LONG = "\n\n".join(f"Paragraph {n} tells of heron{n} and " + "more " * 80 for n in range(30)) + "\nü end"

MAIL = """INSERT INTO mails (id, account_id, uid, thread_id, fingerprint, sender_name, sender_address, recipients, reply_to,
subject, date_at, arrived_at, reference_ids, attachments, calendars, is_automated, headers, marks, folder, labels, by_owner,
is_read) VALUES (7, 1, 'u', 1, 'f', 'Anna', 'anna@mill.example', '[]', '[]', 'Plans', '2025-11-05T10:00:00.000Z',
'2025-11-05T10:00:00.000Z', '[]', '[{"name": "a.pdf", "media_type": "application/pdf", "size_bytes": 1, "sha256": "x"}]', '[]',
0, '{}', '{"senders_disagree": false, "was_cut": false, "html_hidden": false, "parts_disagree": false, "faults": []}',
'Archive', '[]', 0, 1)"""


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("before") / "stillbell.db"
    engine = writing_engine(path)
    with engine.connect() as connection:
        migrate(connection, BEFORE)
        create_first_owner(connection, zone="Europe/Berlin", language="en", now=NOW)
    engine.dispose()
    with hand(path) as connection:
        connection.execute("INSERT INTO accounts (id, name, kind, identity, aliases, settings, state, failures, added_at) VALUES "
                           "(1, 'work', 'imap', 'me@x.example', '[]', '{}', 'on', 0, '2025-01-01T00:00:00.000Z')")  # fmt: skip
        connection.execute(
            "INSERT INTO mail_threads (id, root, subject_key, last_at) VALUES (1, 'r', '', '2025-01-01T00:00:00.000Z')"
        )
        connection.execute(MAIL)
        connection.execute(
            "INSERT INTO mail_people (owner_id, address, mail_id, role, name) VALUES (1, 'bob@x.example', 7, 'to', 'Bob Stone')"
        )
        put = "INSERT INTO passages (corpus, ref, who, title, text, at) VALUES (?, ?, ?, ?, ?, '2025-11-05T10:00:00.000Z')"
        connection.execute(put, ("mail", "mail:7", "Anna <anna@mill.example>", "Plans", LONG))
        connection.execute(put, ("chat", "message:1", "you", "", "the zeppelin"))
        connection.execute(put, ("chat", "message:2", "Stillbell", "", "which one?"))
    engine = writing_engine(path)
    with engine.connect() as connection:
        migrate(connection)
    engine.dispose()
    return path


@pytest.fixture
def database(upgraded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(upgraded, tmp_path / "stillbell.db"))


async def test_everything_can_be_found_as_before(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        for query, ref in (
            ("heron27", "mail:7"),
            ("zeppelin", "message:1"),
            ("Anna plans", "mail:7"),
            ("end", "mail:7"),
        ):
            hits = await ledger.read(lambda t, query=query: t.search.find(1, query))  # type: ignore[misc]
            assert hits[0].ref == ref, query


async def test_a_long_text_stands_in_passages_and_is_read_whole(database: Path) -> None:
    parts = rows(database, "SELECT part, start, text FROM passages WHERE ref = 'mail:7' ORDER BY part")
    assert len(parts) == len(spans(LONG)) > 3
    assert [LONG[start : start + len(text)] for _, start, text in parts] == [text for _, _, text in parts]
    async with SqlLedger(database) as ledger:
        assert (await ledger.read(lambda t: t.mails.get(7))).mail.text == LONG


async def test_mails_have_their_people_place_and_tags_and_the_owner_their_words(database: Path) -> None:
    assert rows(database, "SELECT DISTINCT people, place, tags, by_owner FROM passages WHERE ref = 'mail:7'") == [
        ("Bob Stone <bob@x.example>", "work/Archive", "attachment pdf", 0)
    ]
    assert rows(database, "SELECT ref, by_owner FROM passages WHERE corpus = 'chat'") == [
        ("message:1", 1),
        ("message:2", 0),
    ]
    async with SqlLedger(database) as ledger:
        for query in ("heron3 to:bob", "heron3 has:pdf", "heron3 in:work", "heron3 after:2025-11-01 before:2025-12-01"):
            hits = await ledger.read(lambda t, query=query: t.search.find(1, query, now=NOW))  # type: ignore[misc]
            assert [hit.ref for hit in hits] == ["mail:7"], query


def test_it_is_a_sound_index(database: Path) -> None:
    with hand(database) as connection:
        connection.execute("INSERT INTO passages_fts (passages_fts) VALUES ('integrity-check')")
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_new_database_is_made_the_same_way(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    open_database(path, host="here", zone="UTC", language="en", now=NOW)
    assert rows(path, "SELECT count(*) FROM passages") == [(0,)]
