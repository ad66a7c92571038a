"""Quotation: words of others set into Markdown of ours, whole and exact, so that they can't pass for ours.

A field of one line stands in a code span; a longer text in a fence, with a bar before each row. Code holds no bold, no
link and no other markup, neither span nor fence can be closed from within, and even where all markup is lost the bar is
there. What an eye would miss is spelled out (memory/visible), so different words never look the same.
"""

import re
from collections.abc import Iterator

from memory.visible import revealed, revealed_body

BAR, BAR_ON = "│ ", "┆ "
"""Before each line of foreign text, and before what goes on of a line that is long."""

ROW_MAX = 400
"""Characters of a line before it goes on in the next row: a message then always ends between two rows."""


def without_bars(typed: str) -> str:
    """Text that was copied from a card, as it was: bars taken off, long lines joined. Other text is left as it is."""
    lines = typed.split("\n")
    if not all(line == BAR.rstrip() or line.startswith((BAR, BAR_ON)) for line in lines):
        return typed
    whole = "\n".join(BAR if line == BAR.rstrip() else line for line in lines)
    return whole.replace(f"\n{BAR_ON}", "").replace(f"\n{BAR}", "\n").removeprefix(BAR)


def coded(foreign: str) -> str:
    """One line of foreign text in a code span that it can't close; "" gives nothing."""
    seen = revealed(foreign)
    fence = "`" * (_longest_run(seen) + 1)
    gap = " " if seen.startswith("`") or seen.endswith("`") else ""
    return f"{fence}{gap}{seen}{gap}{fence}" if seen else ""


def barred(foreign: str) -> Iterator[str]:
    """Foreign text of many lines, fenced, with a bar before each row."""
    rows = [row for line in foreign.split("\n") for row in _rows(revealed_body(line))]
    fence = "`" * max(3, _longest_run("\n".join(rows)) + 1)
    yield fence
    yield from rows
    yield fence


def _rows(line: str) -> Iterator[str]:
    bar = BAR
    while len(line) > ROW_MAX:
        at = line.rfind(" ", ROW_MAX // 2, ROW_MAX)
        cut = at if at > 0 else ROW_MAX
        yield bar + line[:cut]
        line, bar = line[cut:], BAR_ON
    yield (bar + line).rstrip(" ") if not line else bar + line


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
