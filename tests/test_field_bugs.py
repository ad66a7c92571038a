"""The bugs of others: every one that the decision lists has its test, or its reason, and none is left out."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "decisions" / "0021-bugs-of-others.md"
NUMBERS = [*(f"T{number}" for number in range(1, 39)), *(f"P{number}" for number in range(1, 16))]

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text().splitlines()
    if re.match(r"\| [TP]\d+ \|", line)
]


@cache
def stands_in(file: str) -> frozenset[str]:
    """The tests that stand in a file: functions that pytest collects by their names."""
    tree = ast.parse((ROOT / file).read_text())
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in functions if node.name.startswith("test_"))


def test_no_number_is_missing_and_none_comes_twice() -> None:
    assert [row[0] for row in ROWS] == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_what_keeps_it_out_is_a_test_that_exists(row: list[str]) -> None:
    _, reported, what, kept_out = row
    assert re.match(r"[\w.-]+/[\w.-]+(#\d+|, by default)$", reported)
    assert what
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", kept_out)
    assert named, "a test, also beside a reason: reasons go stale unseen"
    assert [f"{file}::{name}" for file, name in named if name not in stands_in(file)] == []
