"""/forget, from end to end: what repeats the message goes, what stands stays, and the answer says which."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from handlers.command import Commands
from handlers.forgotten import UNHELD, BytesForgotten
from handlers.scene import Scene
from memory.file import FORGOTTEN, Fetched, NewFile
from memory.job import Job
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from memory.thread import Forgotten
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.familiar import know
from tests.doubles.spoken import hear
from tests.product_room import Product, open_product
from tools.filing import Filing

SECRET = "xylophone"


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as product:
        yield product


def kept(stillbell: Product) -> list[str]:
    """Every row that still holds the word."""
    return [line for line in stillbell.everything_kept().splitlines() if SECRET in line.lower()]


def tables(stillbell: Product) -> set[str]:
    """The tables in which it stands."""
    return {line.split('"')[1] for line in kept(stillbell)}


async def test_a_question_and_its_answer_are_gone(stillbell: Product) -> None:
    await stillbell.says(f"where is the {SECRET}?")
    await stillbell.says(f"/find {SECRET}")
    assert kept(stillbell)
    for _ in range(2):
        [said] = await stillbell.says("/forget")
        assert said.startswith("Forgotten")
        assert "stays open" not in said
    assert kept(stillbell) == []


async def test_words_behind_it_name_something_else_and_erase_nothing(stillbell: Product) -> None:
    await stillbell.says(f"where is the {SECRET}?")
    before = kept(stillbell)
    [said] = await stillbell.says("/forget Anna")
    assert said.startswith("Nothing is forgotten")
    assert kept(stillbell) == before


async def test_the_loop_it_opened_stays_open_and_is_named_by_its_number(stillbell: Product) -> None:
    await stillbell.says(f"todo: buy a {SECRET}")
    [said] = await stillbell.says("/forget")
    assert "What it opened stays open, under its name: #1. Drop it with: drop #1" in said
    assert stillbell.loops == {f"buy a {SECRET}": "open"}
    assert tables(stillbell) == {"loops"}


async def test_of_a_loop_that_is_closed_not_even_the_title_stays(stillbell: Product) -> None:
    await stillbell.says(f"remind me tomorrow at 9:00 to buy a {SECRET}")
    asked = stillbell.server.messages()[0]["message_id"]
    await stillbell.says("drop #1")
    await stillbell.says("/forget")
    await stillbell.says("/forget", reply_to=asked)
    assert kept(stillbell) == []
    assert stillbell.loops == {"…": "dropped"}


async def test_a_choice_that_was_offered_is_gone_and_its_buttons_do_nothing(stillbell: Product) -> None:
    await stillbell.says(f"remind me at 8 to buy a {SECRET}")
    where = stillbell.newest
    await stillbell.says("/forget")
    assert kept(stillbell) == []
    await stillbell.after(lambda: stillbell.server.taps(where, label="tomorrow at 08:00"))
    assert stillbell.rows("SELECT * FROM reminders") == []


async def test_a_reminder_that_came_round_is_gone_with_its_message(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says(f"every day at 12:00 tune the {SECRET}")
    asked = stillbell.server.messages()[0]["message_id"]
    clock.advance(timedelta(hours=5))
    await stillbell.after_a_look()
    [said] = await stillbell.says("/forget", reply_to=asked)
    assert "A reminder that it set still comes" in said
    assert tables(stillbell) == {"loops", "reminders"}


async def test_an_edited_message_is_forgotten_as_it_was_and_as_it_is(stillbell: Product) -> None:
    await stillbell.says(f"where is the {SECRET} of Anna?")
    asked = stillbell.server.messages()[0]["message_id"]
    await stillbell.after(lambda: stillbell.server.owner_edits(asked, f"where is the {SECRET} of Bob?"))
    await stillbell.says("/forget", reply_to=asked)
    assert kept(stillbell) == []


async def test_an_answer_is_forgotten_without_its_question(stillbell: Product) -> None:
    await stillbell.says(f"todo: buy a {SECRET}")
    await stillbell.says("/forget", reply_to=stillbell.newest)
    texts = stillbell.rows("SELECT text FROM messages WHERE text LIKE ?", f"%{SECRET}%")
    assert texts == [(f"todo: buy a {SECRET}",)]


async def test_other_words_stay(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    await stillbell.says(f"where is the {SECRET}?")
    await stillbell.says("/forget")
    assert await stillbell.says("/loops") == ["Open\n1. call Anna"]
    assert stillbell.value("SELECT count(*) FROM passages WHERE text LIKE '%call Anna%'") == 1


# --- files ---

HASH = "ab" * 32
FETCHED = Fetched(sha256=HASH, size_bytes=4, media_type="application/pdf", text_state="read", text=SECRET)


def file_of(t: Tables, number: int) -> int:
    """A message with a file, whose bytes lie under HASH."""
    message, _, _ = hear(t, f"message {number}", said_as=f"{number}")
    new = NewFile(
        owner_id=1,
        message_id=message.id,
        signal_id=None,
        channel="telegram",
        channel_file_id=f"f{number}",
        kind="document",
        name=f"{SECRET}.pdf",
        media_type="application/pdf",
        size_bytes=4,
        is_forwarded=False,
        who="you",
    )
    file = t.files.want(new, refused_because=None, now=NOW)
    t.files.keep(file.id, FETCHED, now=NOW)
    return message.id


async def test_a_file_goes_by_name_and_words_and_its_bytes_when_no_other_message_has_them(ledger: SqlLedger) -> None:
    first, second = await ledger.write(lambda t: (file_of(t, 1), file_of(t, 2)))
    assert await ledger.write(lambda t: t.thread.forget(first, now=NOW)) == Forgotten()
    assert await ledger.read(lambda t: t.files.holds(HASH))
    assert await ledger.write(lambda t: t.thread.forget(second, now=NOW)) == Forgotten(unheld=(HASH,))
    assert not await ledger.read(lambda t: t.files.holds(HASH))
    files = await ledger.read(lambda t: t.files.of_messages([first, second]))
    assert {(file.name, file.state, file.because, file.sha256) for file in files} == {
        ("document", "failed", FORGOTTEN, None)
    }
    assert await ledger.read(lambda t: t.search.find(1, SECRET)) == []


async def test_forgetting_asks_for_the_bytes_to_be_removed(ledger: SqlLedger) -> None:
    def forget(t: Tables) -> None:
        file_of(t, 1)
        _, turn, _ = hear(t, "/forget", said_as="2")
        owner, signal_id = t.owners.get(), turn.signal_id
        scene = Scene(owner=owner, now=NOW, signal_id=signal_id, turn_id=turn.id, because="the owner said so")
        Commands(FakeClock()).run(t, "/forget", scene)

    await ledger.write(forget)
    jobs = await ledger.write(lambda t: t.jobs.round((), take={"background": 9, "inline": 9}, now=NOW))
    assert [job.payload for job in jobs if job.kind == UNHELD] == [{"sha256": HASH}]


@pytest.mark.parametrize("is_held", [True, False], ids=["sent again", "held by none"])
async def test_bytes_are_removed_unless_they_were_sent_again(ledger: SqlLedger, tmp_path: Path, is_held: bool) -> None:
    filing = Filing(tmp_path / "files")
    path = filing.path(HASH)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"data")
    if is_held:
        await ledger.write(lambda t: file_of(t, 1))
    job = Job(
        id=1,
        owner_id=1,
        kind=UNHELD,
        lane="background",
        thread="owner:1",
        attempt=1,
        created_at=NOW,
        payload={"sha256": HASH},
    )
    for _ in range(2):
        await BytesForgotten(ledger, filing)(job)
    assert path.exists() == is_held


@pytest.mark.parametrize("said", [f"Anna works at {SECRET.title()}", f"remember that I play the {SECRET}"])
async def test_cards_that_told_what_was_known_from_it_go_with_it(stillbell: Product, said: str) -> None:
    await stillbell.house.ledger.write(know)
    await stillbell.says(said)
    message = stillbell.value("SELECT m.channel_message_id FROM message_ids AS m JOIN messages AS said "
                              "ON said.id = m.message_id WHERE said.text = ?", said)  # fmt: skip
    await stillbell.says("/who Anna Winter")
    await stillbell.says("/memory")
    assert len(kept(stillbell)) > 2
    await stillbell.says("/forget", reply_to=int(message))
    assert kept(stillbell) == []
