"""Recollections in the ledger: kept once, never written over, and gone everywhere when they are forgotten."""

from collections.abc import Callable
from pathlib import Path
from sqlite3 import IntegrityError

import pytest

from memory.errors import NotFound
from memory.ledger import Tables
from memory.recollection import EXTRACT, RECALL_FORGOTTEN
from memory.sql.export import export_rows
from memory.sql.ledger import SqlLedger
from memory.sql.purge import purge
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.remembered import a_new, a_source, remember
from tests.doubles.spoken import a_piece, hear
from tools.exclusions import ExclusionFile
from tools.incoming import erase_covered

BECAUSE = "made for a test"


def everything(database: Path) -> str:
    """The whole database as text, but for the inside of the index of words, which is looked at through search."""
    with hand(database) as connection:
        return "\n".join(line for line in connection.iterdump() if "sqlite_sequence" not in line)


async def run(ledger: SqlLedger, work: Callable[[Tables], None]) -> None:
    await ledger.write(work)


async def test_the_same_key_again_changes_nothing(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        first = remember(t, key="turn:1:1")
        again = t.recollections.keep(a_new("Something else", key="turn:1:1"), because=BECAUSE, now=NOW)
        assert again == first
        assert len(t.recollections.live(1)) == 1

    await run(ledger, work)


async def test_the_table_itself_refuses_anothers_words_as_a_rule(database: Path, ledger: SqlLedger) -> None:
    await ledger.write(lambda t: remember(t, "seen", kind="observation", sources=(a_source("seen", who="Mallory"),)))
    with hand(database) as connection, pytest.raises(IntegrityError, match="others_only_observe"):
        connection.execute("UPDATE recollections SET kind = 'instruction'")


async def test_a_correction_is_a_new_row_and_the_old_one_stays_marked(database: Path, ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        old = remember(t, "Jonas prefers mail")
        new = remember(t, "Jonas prefers calls", instead_of=old.id)
        assert [one.id for one in t.recollections.live(1)] == [new.id]
        assert t.recollections.get(1, old.id).superseded_by == new.id
        assert [one.text for one in t.recollections.versions(1, new.id)] == ["Jonas prefers mail"]

    await run(ledger, work)
    assert rows(database, "SELECT text FROM recollections ORDER BY id") == [
        ("Jonas prefers mail",),
        ("Jonas prefers calls",),
    ]


async def test_a_correction_that_is_taken_back_brings_the_old_one_back(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        old = remember(t, "Jonas prefers mail")
        new = remember(t, "Jonas prefers calls", instead_of=old.id)
        assert t.recollections.withdraw(new.id, because=BECAUSE, now=NOW)
        assert [one.text for one in t.recollections.live(1)] == ["Jonas prefers mail"]
        assert not t.recollections.withdraw(new.id, because=BECAUSE, now=NOW)

    await run(ledger, work)


async def test_what_is_forgotten_is_gone_from_rows_thread_cards_search_and_export(
    database: Path, ledger: SqlLedger
) -> None:
    def work(t: Tables) -> None:
        message, turn, _ = hear(t, "By the way, Jonas loves kingfishers a lot. Also call Anna.")
        said = a_piece("answer", text="I'll remember: **Jonas loves kingfishers**", turn_id=turn.id, findable=True)
        t.pieces.say(said, now=NOW)
        source = a_source("Jonas loves kingfishers a lot", ref=f"message:{message.id}")
        old = remember(t, "Jonas loves kingfishers", sources=(source,))
        new = remember(t, "Jonas loves kingfishers and herons", sources=(source,), instead_of=old.id)
        gone = t.recollections.forget(new.id, because=BECAUSE, now=NOW)
        assert gone is not None
        assert gone.ids == (new.id, old.id)
        assert t.recollections.live(1) == []
        assert t.search.find(1, "kingfishers") == []
        assert t.thread.get(message.id).text == "By the way, …. Also call Anna."
        assert t.recollections.unwanted(1, [f"message:{message.id}"]) == {f"message:{message.id}"}

    await run(ledger, work)
    assert "kingfisher" not in everything(database)
    assert "kingfisher" not in str(list(export_rows(database, 1)))
    assert rows(database, "SELECT count(*) FROM recollections") == [(2,)]


async def test_forgetting_ends_the_turn_that_had_it_in_its_prompt_and_what_is_still_to_be_looked_for(
    ledger: SqlLedger,
) -> None:
    def work(t: Tables) -> None:
        message, turn, _ = hear(t, "Jonas prefers calls")
        one = remember(t, sources=(a_source(ref=f"message:{message.id}"),))
        t.recollections.note_recalled(1, turn.id, "thinker", [one.id], now=NOW)
        t.recollections.note_recalled(1, turn.id, "thinker", [one.id], now=NOW)
        assert t.recollections.recalled_in(1, turn.id) == [one.id]
        for kind in ("thinker", EXTRACT):
            t.jobs.add(owner_id=1, kind=kind, lane="background", thread="owner:1", payload={"turn": turn.id}, now=NOW)
        gone = t.recollections.forget(one.id, because=BECAUSE, now=NOW)
        assert gone is not None
        assert gone.has_stopped
        assert t.thread.stopped(turn.id) == RECALL_FORGOTTEN
        assert t.jobs.counts().get("cancelled") == 1

    await run(ledger, work)


async def test_a_forgotten_message_takes_along_what_rests_on_it_alone(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        first, _, _ = hear(t, "Jonas prefers calls", said_as="1")
        second, _, _ = hear(t, "I said Jonas prefers calls", said_as="2")
        alone = remember(t, "Ida lives in Porto", sources=(a_source("Ida", f"message:{first.id}"),))
        twice = remember(t, sources=(a_source(ref=f"message:{first.id}"),))
        t.recollections.again(twice.id, a_source(ref=f"message:{second.id}"), because=BECAUSE, now=NOW)
        t.thread.forget(first.id, now=NOW)
        assert [one.id for one in t.recollections.live(1)] == [twice.id]
        assert t.recollections.get(1, alone.id).text == ""
        t.thread.forget(second.id, now=NOW)
        assert t.recollections.live(1) == []

    await run(ledger, work)


async def test_words_that_are_edited_away_bear_nothing_out(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        message, _, _ = hear(t, "Jonas prefers calls. Ida lives in Porto.", said_as="7")
        ref = f"message:{message.id}"
        remember(t, sources=(a_source("Jonas prefers calls", ref),))
        stays = remember(t, "Ida lives in Porto", sources=(a_source("Ida lives in Porto", ref),))
        t.thread.edit(
            owner_id=1,
            channel="telegram",
            channel_message_id="7",
            text="Jonas hates calls. Ida lives in Porto.",
            now=NOW,
        )
        assert [one.id for one in t.recollections.live(1)] == [stays.id]

    await run(ledger, work)


def exclude(file: Path, *rules: str) -> None:
    file.write_text("\n".join(rules))


@pytest.fixture
def listed(database: Path) -> Path:
    return database.parent / "exclusions.txt"


@pytest.mark.parametrize(
    "text", ["Anna Example prefers tea", "my neighbour anna  example is kind", "write to anna@clinic.example first"]
)
async def test_who_is_excluded_is_neither_remembered_nor_shown(database: Path, listed: Path, text: str) -> None:
    async with SqlLedger(database, ExclusionFile(listed)) as ledger:
        one = await ledger.write(lambda t: remember(t, text))
        exclude(listed, "person Anna Example", "domain clinic.example")
        assert await ledger.read(lambda t: t.recollections.live(1)) == []
        with pytest.raises(NotFound):
            await ledger.read(lambda t: t.recollections.get(1, one.id))
        again = a_new(f"{text} too", key="k2")
        assert await ledger.write(lambda t: t.recollections.keep(again, because=BECAUSE, now=NOW)) is None
        assert await ledger.write(lambda t: erase_covered(t, 1, NOW)) == 1
    assert rows(database, "SELECT text, forgotten_at IS NOT NULL FROM recollections") == [("", 1)]


@pytest.mark.parametrize("rule", ["person Dora Kestrel", "address dora@falcons.example"])
async def test_whoever_is_excluded_is_so_by_their_first_name_too(database: Path, listed: Path, rule: str) -> None:
    def work(t: Tables) -> None:
        dora = t.people.note(1, "address", "dora@falcons.example", name="Dora Kestrel", at=NOW, now=NOW)
        remember(t, "Dora loves trains", about="Dora", identity_id=dora.id if dora else None)
        remember(t, "Jonas loves trains", key="k2")

    async with SqlLedger(database, ExclusionFile(listed)) as ledger:
        await ledger.write(work)
        exclude(listed, rule)
        assert [one.text for one in await ledger.read(lambda t: t.recollections.live(1))] == ["Jonas loves trains"]
        assert await ledger.write(lambda t: erase_covered(t, 1, NOW)) == 1
    assert rows(database, "SELECT text FROM recollections ORDER BY id") == [("",), ("Jonas loves trains",)]


async def test_a_purge_leaves_nothing_of_it(database: Path, ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        _, turn, _ = hear(t, "hello")
        old = remember(t, "Jonas loves kingfishers")
        new = remember(t, "Jonas loves herons", instead_of=old.id)
        t.recollections.note_recalled(1, turn.id, "thinker", [new.id], now=NOW)

    await run(ledger, work)
    purge(database)
    assert rows(database, "SELECT count(*) FROM recollections") == [(0,)]
    assert "kingfishers" not in everything(database)
