"""Sentences: a mail's visible text cut where somebody reading it would take a breath."""

import re
from collections.abc import Iterator

from memory.detectors.finding import TEXT_MAX
from memory.mail import KeptMail

SENTENCES_MAX = 400
"""So many sentences of a mail are looked at."""

# Every mark is taken with all that follow it, so that a row of ten thousand dots is looked at once.
_END = re.compile(r"(?<![.!?])[.!?]++[\"')\]]{0,3}(?=\s|$)|\n[ \t]{0,40}(?=\n|[-*•>]|\d{1,2}[.)])")
_SHORT = re.compile(
    r"(?:^|[\s(])(?:\w|\d{1,2}|dr|mr|mrs|ms|st|nr|no|bzw|ca|usw|etc|inkl|ggf|evtl|vgl|tel|prof|approx|z\.\s?b|d\.\s?h|e\.g|i\.e|u\.a)\.$",
    re.IGNORECASE,
)


def own_words(kept: KeptMail) -> str:
    """What this mail itself says, as far as it is known, and no more of it than the detectors look at."""
    text = kept.mail.text if kept.said is None else kept.said
    return text[:TEXT_MAX]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Where each sentence begins in `text`, and the sentence, without the blanks around it."""
    start, given = 0, 0
    for end in _END.finditer(text):
        if end[0].startswith(".") and _SHORT.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        for found in _trimmed(text, start, end.end()):
            yield found
            given += 1
        start = end.end()
        if given >= SENTENCES_MAX:
            return
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    part = text[start:end]
    bare = part.strip()
    if bare:
        yield start + part.index(bare[0]), bare
