"""What the documents say and code can check: settings, commands, links, words, log words, contracts, tests that are named."""

import ast
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import typer

from bot.__main__ import app
from bot.settings import Settings
from handlers.command import Commands
from memory.command.parse import InThePast, Unsure, parse
from tests.doubles.clock import FakeClock

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "handlers", "jobs", "tools", "memory")
README = (ROOT / "README.md").read_text()
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "evals" / "README.md"], key=str)
NOT_OF_SETTINGS = {
    "STILLBELL_EVAL_CHUNKS",
    "STILLBELL_EVAL_PAIRS",
    "STILLBELL_EVAL_ROUNDS",
    "STILLBELL_EVAL_VECTORS",
    "STILLBELL_DATA",
    "STILLBELL_FUZZ_SECONDS",
    "STILLBELL_FUZZ_SEED",
}
"""Read by the evals alone."""


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def variable(name: str) -> str:
    """The environment variable of a setting."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"STILLBELL_{name.upper()}"


def commands() -> dict[str, list[str]]:
    """Every command of the command line with its long options, those of a group under both names ("accounts add")."""
    return dict(_commands(typer.main.get_command(app), ()))


def _commands(group: Any, names: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*names, name))
        else:
            options = [option for each in command.params for option in (*each.opts, *each.secondary_opts)]
            yield " ".join((*names, name)), [option for option in options if option[:2] == "--"]


def sources() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.read_text()


def log_words() -> set[str]:
    """The action words of the code; of one that is put together, the part before the first dot with it."""
    found: set[str] = set()
    for text in sources():
        found |= set(re.findall(r'action=f?"([a-z_]+\.[a-z_.]*)', text))
        found |= set(re.findall(r'\blog\.\w+\(\s*"([a-z]+[._][a-z._]+)"', text))
    return found


def section(text: str, title: str) -> str:
    """What stands under a heading of the second level."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def cells(table: str) -> Iterator[list[str]]:
    """The rows of a table below its head."""
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("|--"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def phrases() -> list[str]:
    """The sentences that the README says are understood, in both languages."""
    rows = list(cells(section(README, "What you can say")))[1:]
    return [phrase for row in rows for phrase in re.findall(r"`([^`]+)`", " ".join(row[:2]))]


def glossary() -> set[str]:
    text = (ROOT / "docs" / "glossary.md").read_text()
    return {word for words in re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE) for word in words.split(", ")}


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_stands_in_the_readme_with_its_variable(name: str) -> None:
    assert any(row[0] == f"`{variable(name)}`" for row in cells(section(README, "Settings"))), variable(name)


def test_every_variable_that_a_document_names_is_a_setting() -> None:
    known = {variable(name) for name in Settings.model_fields} | NOT_OF_SETTINGS
    for path in PAGES:
        told = set(re.findall(r"\b(?:STILLBELL_[A-Z_]+[A-Z]|[A-Z]+_API_KEY)\b", path.read_text()))
        assert told <= known, (named(path), told - known)


@pytest.mark.parametrize(("name", "options"), sorted(commands().items()))
def test_every_command_and_option_of_the_shell_stands_in_the_readme(name: str, options: list[str]) -> None:
    table = section(README, "Commands in the shell")
    assert f"`stillbell {name}" in table
    assert [option for option in options if option not in table] == []


def test_every_command_of_the_chat_stands_in_the_readme() -> None:
    table = section(README, "Commands in the chat").partition("\n\nIn the terminal")[0]
    known = set(Commands(FakeClock())._commands)
    assert set(re.findall(r"`/([a-z]+)", table)) == known


@pytest.mark.parametrize("phrase", phrases())
def test_what_the_readme_says_is_understood_is_understood(phrase: str) -> None:
    zone = ZoneInfo("Europe/Berlin")
    # A Monday morning, on the first: the third is still to come, and so is Friday.
    found = parse(phrase, now=datetime(2026, 6, 1, 7, 0, tzinfo=UTC), zone=zone, language="en")
    assert found is not None
    assert not isinstance(found, InThePast | Unsure)


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.+)$", found.read_text(), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}, target


def test_every_decision_stands_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text()
    pages = {path.name for path in folder.glob("*.md")} - {"README.md"}
    assert pages
    assert set(re.findall(r"\((\d{4}-[a-z0-9-]+\.md)\)", index)) == pages


def test_every_word_of_memory_stands_in_the_glossary() -> None:
    words = {path.stem for path in (ROOT / "memory").glob("*.py")} - {"__init__"}
    assert words - glossary() == set()


def test_every_file_that_the_glossary_names_is_there() -> None:
    for row in cells((ROOT / "docs" / "glossary.md").read_text()):
        for place in re.findall(r"`([a-z_]+/[a-z_/]*)`", row[-1]):
            assert (ROOT / f"{place.rstrip('/')}.py").exists() or (ROOT / place).is_dir(), place


def test_every_log_word_is_explained_and_none_is_made_up() -> None:
    told = {row[0].strip("`") for row in cells(section((ROOT / "docs/operating.md").read_text(), "Logs"))} - {"word"}
    spoken = log_words()
    whole, begun = {word for word in spoken if word[-1] != "."}, tuple(word for word in spoken if word[-1] == ".")
    assert whole - told == set()
    assert {word for word in told - whole if not word.startswith(begun)} == set()


def test_every_import_contract_stands_in_the_architecture() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    # A name may be broken over two lines.
    text = " ".join((ROOT / "docs" / "architecture.md").read_text().split())
    assert [contract["name"] for contract in contracts if f"*{contract['name']}*" not in text] == []


def test_every_test_that_a_document_names_is_there() -> None:
    for path in PAGES:
        for file, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?", path.read_text()):
            tree = ast.parse((ROOT / file).read_text())
            tests = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert not name or name in tests, f"{file}::{name}"


def test_every_target_of_make_stands_in_the_guide_for_contributors() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    assert [target for target in targets if target != "help" and f"`make {target}`" not in guide] == []


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
