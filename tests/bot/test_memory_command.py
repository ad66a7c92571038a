"""`stillbell memory`: what is remembered is listed with its words, found, and erased, beside the daemon and without it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.__main__ import app
from memory.errors import NotFound
from memory.sql.ledger import SqlLedger
from tests.doubles.hand import rows
from tests.doubles.remembered import remember


@pytest.fixture
async def home(database: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STILLBELL_HOME", str(database.parent))
    monkeypatch.setenv("STILLBELL_HOST", "here")
    async with SqlLedger(database) as ledger:
        await ledger.write(remember)
        await ledger.write(lambda t: remember(t, "Ida lives in Porto", kind="fact"))
    return database


def told(*words: str) -> str:
    result = CliRunner().invoke(app, ["memory", *words])
    if result.exception is not None:
        raise result.exception
    return result.output


def test_what_is_remembered_is_listed_with_its_words(home: Path) -> None:
    said = told()
    assert "    1  preference  " in said
    assert "you: “Jonas prefers calls”" in said


def test_words_find_it(home: Path) -> None:
    said = told("where", "does", "ida", "live")
    assert "Ida lives in Porto" in said
    assert "Jonas" not in said
    assert "about that" in told("weather")


def test_one_is_erased_by_its_number_and_only_once(home: Path) -> None:
    assert "number 1" in told("--forget", "1")
    assert rows(home, "SELECT text FROM recollections ORDER BY id") == [("",), ("Ida lives in Porto",)]
    with pytest.raises(NotFound):
        told("--forget", "1")
