"""The line of a passage that answers, and where it stands."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from memory.search.chunking import Span
from memory.search.stems import folded

LENGTH = 300
"""A line is shown whole up to so many characters."""

SENTENCE_WORDS = 6
"""A line of so many words says something."""

WORD_MAX = 25
"""A longer word is cut like anything else."""

WRAPPED_FROM = 55
"""A line of so many characters may have been broken by a mail program, which breaks at 65 to 80: it goes on in the next."""

_LINE = re.compile(r"[^\r\n]+")

_OF_ITS_OWN = re.compile(r"\s*(?:[>|•*·–—-]|\(?\w{1,2}[.)]\s|[\w-]{2,20}:(?:\s|$))")
"""How a line begins that goes on from no other: quoted, in a list, a field."""

_HEAD = re.compile(
    r"\W{0,3}(?:from|to|cc|sent|date|subject|attachments?|von|an|gesendet|datum|betreff|anlagen?|anhänge)\W{0,2}:\s",
    re.IGNORECASE,
)

Finder = Callable[[str], list[Span]]
"""Where what is asked for stands in a folded text."""


def best_line(text: str, find: Finder) -> tuple[str, Span]:
    """The line that holds most of what is asked for, cut to where most of it stands if it is long; and its span in `text`."""
    lines = [(start, line) for start, line in _as_written(text) if line.strip()]
    if not lines:
        return "", (0, 0)
    start, line = max(lines, key=lambda each: _score(each[1], find))
    start, line = start + len(line) - len(line.lstrip()), line.strip()
    if len(line) <= LENGTH:
        return line, (start, start + len(line))
    first = _densest(folded(line), find)
    cut, end = whole_words(line, max(0, min(first - LENGTH // 3, len(line) - LENGTH)), LENGTH)
    shown = line[cut:end]
    begins = cut + len(shown) - len(shown.lstrip())
    shown = shown.strip()
    dots = ("…" if cut else "", "…" if end < len(line) else "")
    return f"{dots[0]}{shown}{dots[1]}", (start + begins, start + begins + len(shown))


def whole_words(line: str, start: int, most: int) -> tuple[int, int]:
    """Where to cut a line so that `most` characters from `start` on are shown, and no word by half unless it is a long one."""
    end = min(start + most, len(line))
    if start and (space := line.find(" ", start - 1, start + WORD_MAX)) >= 0:
        start = space + 1
    if end < len(line) and (space := line.rfind(" ", end - WORD_MAX, end + 1)) >= 0:
        end = space
    return start, end


def _as_written(text: str) -> Iterator[tuple[int, str]]:
    """The lines as somebody wrote them, each with its start: what a mail program broke is whole, a space for each break."""
    start, end, goes_on = 0, 0, False
    for found in _LINE.finditer(text):
        is_next = text[end : found.start()] in ("\n", "\r\n")
        if not (goes_on and is_next) or _OF_ITS_OWN.match(found[0]):
            if end:
                yield start, _unbroken(text[start:end])
            start = found.start()
        end, goes_on = found.end(), len(found[0].rstrip()) >= WRAPPED_FROM
    if end:
        yield start, _unbroken(text[start:end])


def _unbroken(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


def _densest(low: str, find: Finder) -> int:
    """From where on most of what is asked for stands within two thirds of what is shown; of equals the first."""
    spans, left, best, first = sorted(find(low)), 0, 0, 0
    within: Counter[str] = Counter()
    for begins, ends in spans:
        within[low[begins:ends]] += 1
        while ends - spans[left][0] > LENGTH * 2 // 3 and spans[left][0] < begins:
            gone = low[slice(*spans[left])]
            within[gone] -= 1
            left += 1
        if (most := sum(count > 0 for count in within.values())) > best:
            best, first = most, spans[left][0]
    return first


def _score(line: str, find: Finder) -> tuple[int, int]:
    low = folded(line)
    held = len({low[start:end] for start, end in find(low)})
    # A quoted line, and the head of a quoted mail, repeat what stands elsewhere: they answer only when nothing else does.
    repeats = line.startswith(">") or _HEAD.match(line) is not None
    # Of lines that hold as much, "Dear Anna" tells less than a sentence.
    return 2 * held - repeats, min(len(line.split()), SENTENCE_WORDS)
