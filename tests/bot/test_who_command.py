"""`stillbell who`: the card of a person on the command line; of namesakes it asks, of nobody it says so."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from bot.opening import opened, prepare_home
from bot.settings import load
from memory.ledger import Tables
from memory.sql import opening
from tests.bot import command_room
from tests.bot.command_room import Run
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.familiar import ANNA, acquainted, know, know_namesake, wrote
from tests.doubles.judged import an_account

home, run = command_room.home, command_room.run


def given(*works: Callable[[Tables], None]) -> None:
    """The database of this data folder, with all of that in it."""

    async def write() -> None:
        settings = load()
        prepare_home(settings)
        async with opened(settings, FakeClock()) as ledger:
            for work in works:
                await ledger.write(work)

    asyncio.run(write())


def test_it_prints_a_line_each_and_with_sources_what_it_rests_on(run: Run, home: Path) -> None:
    given(know)
    code, out, _ = run("who", "Anna", "Winter")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "Anna Winter (anna@acme.example)"
    assert any(line.startswith("Open: reply to Anna Winter: Figures") for line in lines)
    assert not any(line.startswith("    ") for line in lines)
    _, out, _ = run("who", "Anna", "Winter", "--sources")
    assert "“Intro: Anna: This is Anna.”" in out
    assert sum(line.startswith("    ") for line in out.splitlines()) >= len(lines)


def test_a_database_of_an_earlier_version_is_brought_to_this_one_first(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_so_far(engine: Engine) -> None:
        with engine.connect() as connection:
            opening.migrate(connection, "0005")

    of = load()
    prepare_home(of)
    with monkeypatch.context() as before:
        before.setattr(opening, "_migrate", only_so_far)
        opening.open_database(of.database, host="here", zone="Europe/Berlin", language="en", now=NOW)
    assert "I know nobody called Anna" in run("who", "Anna")[2]
    assert run("memory")[0] == 0


def test_while_who_is_who_is_still_read_nobody_is_unknown_for_good(run: Run, home: Path) -> None:
    def write(t: Tables) -> None:
        an_account(t)
        wrote(t, ANNA, "Hello", NOW)

    given(write)
    code, _, err = run("who", "Anna", "Winter")
    assert code == 1
    assert err.startswith("I know nobody called Anna Winter so far")
    given(acquainted)
    assert run("who", "Anna", "Winter")[0] == 0


def test_of_namesakes_it_says_who_there_is_and_a_place_tells_them_apart(run: Run, home: Path) -> None:
    given(know, know_namesake)
    code, out, _ = run("who", "Anna", "Winter")
    assert code == 1
    assert "  Anna Winter, anna@acme.example\n  Anna Winter, winter@bank.example\n" in out
    assert run("who", "Anna", "at", "bank")[1].startswith("Anna Winter (winter@bank.example)")
    assert run("who", "winter@bank.example")[1].startswith("Anna Winter (winter@bank.example)")


@pytest.mark.parametrize("rule", ["", "person Anna Winter\n", "domain acme.example\n"])
def test_of_nobody_and_of_whom_is_excluded_it_says_the_same(run: Run, home: Path, rule: str) -> None:
    given(know)
    (home / "exclusions.txt").write_text(rule)
    name = "Anna Winter" if rule else "Ada Sommer"
    code, out, err = run("who", *name.split())
    assert (code, out) == (1, "")
    assert err.replace(name, "NAME").startswith("I know nobody called NAME: nobody of that name stands in mail")
