"""The line of a passage that answers, and where it stands."""

import re
from collections.abc import Callable

from memory.search.chunking import Span
from memory.search.stems import folded

LENGTH = 300
"""A line is shown whole up to so many characters."""

_LINE = re.compile(r"[^\r\n]+")

Finder = Callable[[str], list[Span]]
"""Where what is asked for stands in a folded text."""


def best_line(text: str, find: Finder) -> tuple[str, Span]:
    """The line that holds most of what is asked for, cut around the first of it if it is long; and its span in `text`."""
    lines = [(found.start(), line) for found in _LINE.finditer(text) if (line := found[0]).strip()]
    if not lines:
        return "", (0, 0)
    start, line = max(lines, key=lambda each: _score(each[1], find))
    start, line = start + len(line) - len(line.lstrip()), line.strip()
    if len(line) <= LENGTH:
        return line, (start, start + len(line))
    first = min((begins for begins, _ in find(folded(line))), default=0)
    cut = max(0, min(first - LENGTH // 3, len(line) - LENGTH))
    end = min(cut + LENGTH, len(line))
    shown = line[cut:end]
    begins = cut + len(shown) - len(shown.lstrip())
    shown = shown.strip()
    dots = ("…" if cut else "", "…" if end < len(line) else "")
    return f"{dots[0]}{shown}{dots[1]}", (start + begins, start + begins + len(shown))


def _score(line: str, find: Finder) -> int:
    low = folded(line)
    held = len({low[start:end] for start, end in find(low)})
    # A quoted line repeats what somebody else said: it answers only when nothing else does.
    return 2 * held - line.startswith(">")
