"""`stillbell who`: the card of a person on the command line; of namesakes it asks, of nobody it says so."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bot import wiring
from bot.settings import load
from memory.ledger import Tables
from tests.bot import command_room
from tests.bot.command_room import Run
from tests.doubles.clock import FakeClock
from tests.doubles.familiar import know, know_namesake

home, run = command_room.home, command_room.run


def given(*works: Callable[[Tables], None]) -> None:
    """The database of this data folder, with all of that in it."""

    async def write() -> None:
        settings = load()
        wiring.prepare_home(settings)
        async with wiring.opened(settings, FakeClock()) as ledger:
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
