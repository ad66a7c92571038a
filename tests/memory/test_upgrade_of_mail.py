"""A database in which mail was imported before there were threads: every mail keeps its id and finds its thread."""

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from memory.errors import NotFound
from memory.exclusion import read_exclusions
from memory.ledger import Tables
from memory.mail import Address
from memory.sql.engine import writing_engine
from memory.sql.ledger import SqlLedger
from memory.sql.opening import migrate
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.letters import a_letter

BEFORE = "0002"


def a_row(number: int, **given: Any) -> dict[str, Any]:
    """A mail as it was kept then."""
    usual = {
        "id": number,
        "owner_id": 1,
        "import_id": 1,
        "fingerprint": f"{number:064x}",
        "message_id": f"{number}@old.example",
        "sender_name": "Anna Winter",
        "sender_address": "Anna@winter.example",
        "recipients": json.dumps([["to", "Jo Baker", "jo@baker.example"], ["cc", "Nobody", None]]),
        "subject": f"About {number}",
        "date_at": f"2025-03-0{number}T10:00:00.000Z",
        "in_reply_to": None,
        "reference_ids": "[]",
        "attachments": "[]",
        "list_id": None,
        "is_automated": 0,
        "marks": json.dumps(
            {
                "senders_disagree": False,
                "was_cut": False,
                "html_hidden": True,
                "parts_disagree": False,
                "faults": ["odd"],
            }
        ),
    }
    return usual | given


MAILS = (
    a_row(1),
    a_row(2, in_reply_to="1@old.example", reference_ids=json.dumps(["1@old.example"])),
    # Its first reference is a mail that nobody here has; the program of the next cut the references off.
    a_row(3, reference_ids=json.dumps(["lost@old.example", "also-lost@old.example"])),
    a_row(4, in_reply_to="3@old.example"),
    a_row(5, reference_ids=json.dumps(["also-lost@old.example"])),
    a_row(6, message_id=None, date_at=None, sender_name="Clinic", sender_address=""),
    a_row(7, message_id=None),
)


def insert(connection: Connection, table: str, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    connection.exec_driver_sql(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
    )


@pytest.fixture(scope="module")
def _upgraded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "stillbell.db"
    engine = writing_engine(path)
    with engine.connect() as connection:
        migrate(connection, BEFORE)
    with engine.connect() as connection:
        owner = {
            "id": 1, "language": "en", "quiet_from": "22:00", "quiet_to": "07:00", "brief_at": "07:30", "cap_usd": 5,
            "created_at": "2025-01-01T00:00:00.000Z",
        }  # fmt: skip
        insert(connection, "owners", owner)
        insert(
            connection,
            "zone_moves",
            {"owner_id": 1, "from_at": "2025-01-01T00:00:00.000Z", "zone": "Europe/Berlin", "because": "set up"},
        )
        done = {"id": 1, "owner_id": 1, "path": "old.mbox", "state": "done", "started_at": "2025-04-01T00:00:00.000Z",
                "new": 7, "repeated": 0, "bad": 0}  # fmt: skip
        insert(connection, "imports", done)
        for row in MAILS:
            insert(connection, "mails", row)
            text = {"owner_id": 1, "corpus": "mail", "ref": f"mail:{row['id']}", "who": "Anna", "title": row["subject"],
                    "text": f"Words number{row['id']}", "at": row["date_at"]}  # fmt: skip
            insert(connection, "passages", text)
    with engine.connect() as connection:
        migrate(connection)
    engine.dispose()
    return path


@pytest.fixture
def upgraded(_upgraded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(_upgraded, tmp_path / "stillbell.db"))


@pytest.fixture
async def after(upgraded: Path) -> AsyncIterator[SqlLedger]:
    async with SqlLedger(upgraded) as opened:
        yield opened


def threads(t: Tables) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for number in range(1, 8):
        found.setdefault(t.mails.get(number).thread_id, []).append(number)
    return found


async def test_every_mail_has_a_thread_by_whatever_it_refers_to(after: SqlLedger) -> None:
    assert sorted((await after.read(threads)).values()) == [[1, 2], [3, 4, 5], [6], [7]]


async def test_a_mail_is_read_as_it_was(after: SqlLedger) -> None:
    kept = await after.read(lambda t: t.mails.get(2))
    assert kept.mail.sender == Address("Anna Winter", "Anna@winter.example")
    assert kept.mail.to == (Address("Jo Baker", "jo@baker.example"),)
    assert kept.mail.cc == (Address("Nobody", None),)
    assert (kept.mail.text, kept.mail.html_hidden, kept.mail.faults) == ("Words number2", True, ("odd",))
    assert (kept.by_owner, kept.is_read, kept.account_id, kept.said) == (False, True, None, None)


async def test_the_next_mail_of_an_old_thread_joins_it(after: SqlLedger) -> None:
    """Also where all that binds them is a mail that was never here."""
    before = await after.read(lambda t: {number: t.mails.get(number).thread_id for number in (1, 3)})
    for name, number in (("2@old.example", 1), ("lost@old.example", 3)):
        mail = a_letter("More", references=(name,), in_reply_to=name, fingerprint=f"{number + 100:064x}").mail
        kept = await after.write(lambda t, mail=mail: t.mails.get(int(t.mails.keep(1, mail, now=NOW))))
        assert kept.thread_id == before[number]


async def test_a_known_mail_is_known_again(after: SqlLedger) -> None:
    mail = a_letter("again", fingerprint=f"{3:064x}").mail
    assert await after.write(lambda t: t.mails.keep(1, mail, now=NOW)) == "known"


async def test_the_people_of_old_mail_are_known(after: SqlLedger) -> None:
    latest = await after.read(lambda t: t.mails.latest_from(1, ["anna@winter.example"], limit=10))
    assert [kept.id for kept in latest] == [7, 5, 4, 3, 2, 1]
    relation = await after.read(lambda t: t.mails.relation(1, ["anna@winter.example"]))
    assert (relation.received, relation.sent) == (6, 0)
    seen = await after.read(lambda t: t.mails.sightings(1, limit=100))
    assert {one.address for one in seen if one.wrote} == {"anna@winter.example"}


async def test_old_mail_is_found(after: SqlLedger) -> None:
    hits = await after.read(lambda t: t.search.find(1, "number6"))
    assert [hit.ref for hit in hits] == ["mail:6"]


async def test_the_exclusions_cover_old_mail_also_by_a_name_without_an_address(upgraded: Path) -> None:
    async with SqlLedger(upgraded, lambda: read_exclusions("person Clinic")) as opened:
        with pytest.raises(NotFound):
            await opened.read(lambda t: t.mails.get(6))
        assert await opened.read(lambda t: t.search.find(1, "number6")) == []
        assert await opened.write(lambda t: t.mails.erase_covered(1, now=NOW)) == 1
        assert await opened.read(lambda t: t.mails.count(1)) == 6


async def test_nothing_of_the_old_table_is_left(upgraded: Path) -> None:
    with hand(upgraded) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    names = {name for (name,) in rows(upgraded, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert not {name for name in names if name in ("mails_before", "mail_places")}
    [(last,)] = rows(upgraded, "SELECT last_at FROM mail_threads WHERE root = 'lost@old.example'")
    assert last == "2025-03-05T10:00:00.000Z"
