"""Messages' chat.db: read beside the program that writes it, with words from either column, and nothing that raises."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.chats.chat import Chat
from tools.chats.chat_db import NoChatDb, opened
from tools.chats.documents import documents_of
from tools.chats.imessage import EPOCH, moment, plain_handle, read_imessage
from tools.chats.typedstream import HEADER, words_in

AT = datetime(2026, 3, 2, 8, 14, tzinfo=UTC)
TABLES = """
CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT UNIQUE, text TEXT, attributedBody BLOB, handle_id INTEGER,
  date INTEGER, is_from_me INTEGER, associated_message_type INTEGER, item_type INTEGER, date_edited INTEGER,
  date_retracted INTEGER);
CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT, service TEXT);
CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT, chat_identifier TEXT, display_name TEXT, style INTEGER);
CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);
CREATE TABLE chat_handle_join (chat_id INTEGER, handle_id INTEGER);
CREATE TABLE attachment (ROWID INTEGER PRIMARY KEY, transfer_name TEXT, mime_type TEXT);
CREATE TABLE message_attachment_join (message_id INTEGER, attachment_id INTEGER);
INSERT INTO handle VALUES (1, '+491701234567', 'iMessage'), (2, 'bob@frost.example', 'iMessage');
INSERT INTO chat VALUES (1, 'iMessage;-;+491701234567', '+491701234567', '', 45),
  (2, 'iMessage;+;chat42', 'chat42', 'Plans', 43);
INSERT INTO chat_handle_join VALUES (1, 1), (2, 1), (2, 2);
"""


def apple(at: datetime, *, in_seconds: bool = False) -> int:
    seconds = int((at - EPOCH).total_seconds())
    return seconds if in_seconds else seconds * 10**9


def archived(text: str, *, kind: bytes = b"NSString") -> bytes:
    """An attributed string as Apple's archiver writes one."""
    raw = text.encode()
    length = bytes([len(raw)]) if len(raw) < 0x80 else b"\x81" + len(raw).to_bytes(2, "little")

    def named(name: bytes, version: int = 0) -> bytes:
        return b"\x84\x84" + bytes([len(name)]) + name + bytes([version])

    return b"".join(
        (
            HEADER,
            b"\x81\xe8\x03\x84\x01@\x84",
            named(b"NSAttributedString"),
            named(b"NSObject") + b"\x85\x92\x84",
            named(kind, 1),
            b"\x94\x84\x01+",
            length,
            raw,
            b"\x86\x84\x02iI\x01\x0a\x86",
        )
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "chat.db")) as connection:
        connection.executescript(TABLES)
        connection.commit()
        yield connection


def say(connection: sqlite3.Connection, number: int, text: str | None, *, chat: int = 1, **more: Any) -> None:
    values = {
        "ROWID": number,
        "guid": f"GUID-{number}",
        "text": text,
        "handle_id": 1,
        "date": apple(AT) + number * 10**9,
        "is_from_me": 0,
        **more,
    }
    names = ", ".join(values)
    connection.execute(f"INSERT INTO message ({names}) VALUES ({', '.join('?' * len(values))})", tuple(values.values()))
    connection.execute("INSERT INTO chat_message_join VALUES (?, ?)", (chat, number))
    connection.commit()


def read(connection: sqlite3.Connection, names: dict[str, str] | None = None) -> list[Chat]:
    path = Path(connection.execute("PRAGMA database_list").fetchone()[2])
    with opened(path) as found:
        return [chat for _, chat in read_imessage(found, names=names or {}, known={})]


def test_a_chat_tells_who_when_and_what(database: sqlite3.Connection) -> None:
    say(database, 1, "Bring the key")
    say(database, 2, "I will", is_from_me=1, handle_id=0)
    chat, _ = read(database, {plain_handle("+49 170 1234567"): "Anna Winter"})
    assert (chat.name, chat.others) == ("Anna Winter", (("Anna Winter", "+491701234567"),))
    one, two = documents_of(chat)
    assert (one.who, one.text, one.at) == ("Anna Winter <+491701234567>", "Bring the key", AT.replace(second=1))
    assert (two.who, two.by_owner, two.people) == ("you", True, (("Anna Winter", "+491701234567"),))
    assert one.ref < two.ref
    assert "170" not in one.ref


def test_a_group_is_called_as_it_is_and_its_people_by_what_is_known_of_them(database: sqlite3.Connection) -> None:
    say(database, 1, "hello", chat=2, handle_id=2)
    _, chat = read(database)
    assert chat.name == "Plans"
    assert chat.others == (("+491701234567", ""), ("bob@frost.example", ""))
    assert documents_of(chat)[0].who == "bob@frost.example"


def test_words_stand_in_either_column(database: sqlite3.Connection) -> None:
    say(database, 1, None, attributedBody=archived("Grüße aus Köln"))
    say(database, 2, "", attributedBody=archived("long " * 100))
    say(database, 3, "plain", attributedBody=archived("not this"))
    say(database, 4, None, attributedBody=b"bplist00 nonsense")
    say(database, 5, None)
    assert [one.text for one in read(database)[0].said] == ["Grüße aus Köln", ("long " * 100).strip(), "plain"]


def test_taps_and_what_happens_to_a_group_and_what_was_taken_back_are_left_out(database: sqlite3.Connection) -> None:
    say(database, 1, "Bring the key")
    say(database, 2, "Loved “Bring the key”", associated_message_type=2000)
    say(database, 3, "Removed a heart", associated_message_type=3000)
    say(database, 4, "Anna named the group", item_type=2)
    say(database, 5, "gone", date_retracted=apple(AT))
    assert [one.text for one in read(database)[0].said] == ["Bring the key"]


def test_what_was_attached_is_found_by_its_name(database: sqlite3.Connection) -> None:
    database.execute("INSERT INTO attachment VALUES (7, 'lease.pdf', 'application/pdf')")
    database.execute("INSERT INTO message_attachment_join VALUES (1, 7)")
    say(database, 1, "\ufffc Here it is")
    [one] = read(database)[0].said
    assert (one.text, "pdf" in one.tags) == ("lease.pdf\nHere it is", True)


def test_moments_are_counted_in_seconds_or_in_nanoseconds() -> None:
    assert moment(apple(AT)) == moment(apple(AT, in_seconds=True)) == AT
    for odd in (None, "soon", 2**62 * 10**6):
        with pytest.raises((TypeError, OverflowError)):
            moment(odd)


def test_a_message_without_a_date_is_named_and_the_rest_is_read(database: sqlite3.Connection) -> None:
    say(database, 1, "a", date=None)
    say(database, 2, "b")
    [chat, _] = read(database)
    assert ([one.text for one in chat.said], [one.line for one in chat.faults]) == (["b"], [1])


def test_text_that_is_no_utf8_is_read(database: sqlite3.Connection) -> None:
    say(database, 1, "x")
    database.execute("UPDATE message SET text = CAST(x'686572ff6f6e' AS TEXT)")
    database.commit()
    assert read(database)[0].said[0].text == "her\ufffdon"


def test_only_chats_with_something_new_are_read_again(database: sqlite3.Connection, tmp_path: Path) -> None:
    say(database, 1, "a")
    say(database, 2, "b", chat=2)
    with opened(tmp_path / "chat.db") as found:
        known = {chat.key: mark for mark, chat in read_imessage(found, names={}, known={})}
        assert list(read_imessage(found, names={}, known=known)) == []
    database.execute("UPDATE message SET date_edited = 5 WHERE ROWID = 2")
    database.commit()
    with opened(tmp_path / "chat.db") as found:
        assert [chat.name for _, chat in read_imessage(found, names={}, known=known)] == ["Plans"]


# Beside the program that writes it


def test_what_stands_only_in_the_journal_is_read_and_no_lock_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "live" / "chat.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as writing:
        writing.execute("PRAGMA journal_mode = WAL")
        writing.executescript(TABLES)
        say(writing, 1, "in the journal")
        before = sorted(one.name for one in path.parent.iterdir())
        writing.execute("BEGIN EXCLUSIVE")
        chat, _ = read(writing)
        writing.execute("ROLLBACK")
        assert [one.text for one in chat.said] == ["in the journal"]
        assert sorted(one.name for one in path.parent.iterdir()) == before


def test_a_database_at_rest_is_read_where_it_is_and_not_touched(database: sqlite3.Connection, tmp_path: Path) -> None:
    say(database, 1, "a")
    path = tmp_path / "chat.db"
    path.chmod(0o400)
    before = path.stat().st_mtime_ns
    assert read(database)[0].said
    assert (path.stat().st_mtime_ns, sorted(one.name for one in tmp_path.iterdir())) == (before, ["chat.db"])


# What is no such database


def test_what_is_no_messages_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database at all, but long enough to look at " * 100)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.executescript("CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT)")
    with closing(sqlite3.connect(tmp_path / "view.db")) as other:
        other.executescript(TABLES.replace("CREATE TABLE message (", "CREATE TABLE m (").split("INSERT")[0])
        other.executescript("CREATE VIEW message AS SELECT 1 AS ROWID, 'g' AS guid, 0 AS date, 0 AS is_from_me")
    for name in ("text.db", "other.db", "view.db", "nowhere.db"):
        with pytest.raises(NoChatDb), opened(tmp_path / name):
            pass


def test_an_old_database_with_fewer_columns_is_read(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "chat.db")) as old:
        old.executescript(
            "CREATE TABLE message (ROWID INTEGER PRIMARY KEY, guid TEXT, text TEXT, handle_id INTEGER, date INTEGER,"
            " is_from_me INTEGER); CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT);"
            "CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, guid TEXT); CREATE TABLE chat_message_join (chat_id, message_id);"
            "INSERT INTO handle VALUES (1, '+491701234567'); INSERT INTO chat VALUES (1, 'x');"
        )
        say(old, 1, "a", date=apple(AT, in_seconds=True))
        chat = read(old)[0]
    assert [(one.text, one.at) for one in chat.said] == [("a", AT)]


def test_a_broken_database_is_told_in_a_line(database: sqlite3.Connection, tmp_path: Path) -> None:
    for number in range(200):
        say(database, number + 1, "text " * 50)
    raw = bytearray((tmp_path / "chat.db").read_bytes())
    raw[8192:] = b"\xa5" * (len(raw) - 8192)
    (tmp_path / "broken.db").write_bytes(raw)
    with pytest.raises(NoChatDb, match="can't be read"), opened(tmp_path / "broken.db") as found:
        list(read_imessage(found, names={}, known={}))


# The archive


def test_the_words_of_an_archive_are_found_and_an_empty_one_is_empty() -> None:
    assert words_in(archived("héllo")) == "héllo"
    assert words_in(archived("x" * 5000)) == "x" * 5000
    assert words_in(archived("", kind=b"NSMutableString")) == ""


def test_a_length_that_lies_takes_no_more_than_there_is() -> None:
    raw = archived("heron")
    lying = raw.replace(b"+\x05heron", b"+\x81\xff\x7fheron")
    assert words_in(lying) == "heron"
    assert words_in(raw.replace(b"+\x05heron\x86\x84", b"+\x82\xff\xff\xff\x7fheron")) is None


@pytest.mark.parametrize(
    "raw", [b"", HEADER, HEADER + b"\x84" * 5000, HEADER + b"\x81\xe8\x03" + b"\x86" * 10_000, b"bplist00"]
)
def test_what_is_no_archive_has_no_words(raw: bytes) -> None:
    assert words_in(raw) is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 200))
def test_no_bytes_raise_in_an_archive(raw: bytes, at: int) -> None:
    whole = archived("a heron at noon")
    words_in(whole[:at] + raw + whole[at:])
    words_in(HEADER + raw)
