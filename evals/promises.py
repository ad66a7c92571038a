"""Promises: how well the rules find what the owner promised, on sentences that were labelled by hand.

    STILLBELL_DATA=../shared/data python -m evals promises

The rules see each sentence in its paragraph, as they do in a mail. A labelled sentence counts as found when the action of
a promise begins in it. *open* was looked at while the rules grew; *kept* was not, so its rows are the ones to believe.
Beside the rules stands the bare search for "I will" and "I'll" ("ich werde", "ich … gleich" in German) in the same
sentences. Intervals are Wilson's, 95 %. Half of the sentences were drawn for looking like promises, so that precision here
is that among hard cases.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import Literal
from zoneinfo import ZoneInfo

from evals.labels.find import DataMissingError, Part, Record, chats, english, german, piece, squeeze
from evals.report import Report
from memory.owner import Owner
from memory.promise import Promise
from memory.promises.extract import promises
from memory.utterance import Utterance
from memory.zones import Stay, Timeline
from tools import uttered

Language = Literal["en", "de"]

PRECISION, RECALL = 0.9, 0.6
"""The goals on the kept part."""

WRITTEN_AT = datetime(2026, 3, 4, 10, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")
Z95 = 1.96

OWNER = Owner(
    id=1,
    created_at=WRITTEN_AT,
    language="en",
    zones=Timeline((Stay(datetime(2000, 1, 1, tzinfo=UTC), "Europe/Berlin"),)),
    quiet_from=time(22),
    quiet_to=time(7),
    brief_at=time(7),
    cap_usd=0.0,
)

_BARE = {
    "en": re.compile(r"\b(?:I|we)(?: will|['’]ll|\s+shall)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:ich|wir) werden?\b|\bwerden? (?:ich|wir)\b", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled sentence, and the promises that were found in it."""

    sentence: str
    record: Record
    found: tuple[Promise, ...]

    @property
    def is_promise(self) -> bool:
        """What the label says."""
        return bool(self.record["label"] == "promise")


@dataclass(frozen=True, slots=True)
class Score:
    """Sentences rightly found, wrongly found, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0

    @property
    def recall(self) -> float:
        """The share of what there is that was found."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        return 2 * self.right / (2 * self.right + self.wrong + self.missed) if self.right else 0.0

    def __str__(self) -> str:
        low, high = wilson(self.right, self.right + self.wrong)
        least, most = wilson(self.right, self.right + self.missed)
        return (
            f"precision {self.precision:.3f} [{low:.3f}, {high:.3f}], recall {self.recall:.3f} [{least:.3f}, {most:.3f}], "
            f"F1 {self.f1:.3f} ({self.right} right, {self.wrong} wrong, {self.missed} missed)"
        )


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, Z95 * Z95 / of
    middle = (share + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * (share * (1 - share) / of + spread / (4 * of)) ** 0.5
    return middle - half, middle + half


def cases(language: Language, part: Part) -> Iterator[Case]:
    """Every labelled sentence of a language and part, read as it is in a mail."""
    for sentence, paragraph, record in english(part) if language == "en" else german(part):
        start, end = _within(record) if language == "en" else (0, len(sentence))
        found = promises(paragraph, now=WRITTEN_AT, zone=ZONE, language_hint=language)
        yield Case(sentence, record, tuple(one for one in found if start <= one.start < end))


def messages(language: Language, part: Part) -> Iterator[Case]:
    """Every labelled message of a chat, read with what was said before it, as it is when a chat is brought in."""
    for said, before, record in chats(language, part):
        text = record.get("text", said)
        start = text.index(said)
        found = uttered.read(_said(text, before), OWNER)
        yield Case(said, record, tuple(one for one in found if start <= one.start < start + len(said)))


def _said(text: str, before: str) -> Utterance:
    return Utterance(
        owner_id=1,
        ref="whatsapp:chat/1",
        corpus="whatsapp",
        text=text,
        at=WRITTEN_AT,
        to=("Anna Winter",),
        about="",
        place="whatsapp:chat",
        readers=frozenset({"whatsapp:chat"}),
        before=("Anna Winter", before),
    )


def _within(record: Record) -> tuple[int, int]:
    """Where the sentence stands in its paragraph."""
    source = record["source"]
    return source["span"][0] - source["paragraph"][0], source["span"][1] - source["paragraph"][0]


def score(some: Iterable[Case], says: Callable[[Case], bool]) -> Score:
    """How well `says` tells the sentences that are promises."""
    told = [(says(case), case.is_promise) for case in some]
    return Score(told.count((True, True)), told.count((True, False)), told.count((False, True)))


def by_rules(case: Case) -> bool:
    """What the rules say."""
    return bool(case.found)


def by_search(language: Language) -> Callable[[Case], bool]:
    """What the bare search says."""
    return lambda case: _BARE[language].search(case.sentence) is not None


def spans(some: Iterable[Case], field: Literal["action", "due"]) -> tuple[int, int, int]:
    """Of the promises that were found: how many pieces are exactly those of the label, overlap with them, and all.

    Of due phrases those count that the label or the rules name.
    """
    exact = partial = of = 0
    for case in some:
        wanted = piece(case.sentence, case.record[f"{field}_span"]) or ""
        got = squeeze(getattr(case.found[0], field)) if case.found else ""
        if not case.is_promise or not case.found or not (wanted or got):
            continue
        of += 1
        exact += wanted == got
        partial += bool(wanted and got) and not {*wanted.lower().split()}.isdisjoint(got.lower().split())
    return exact, partial, of


def misses(some: Iterable[Case]) -> str:
    """Of what was wrongly found, how often under which label."""
    labels = [case.record["label"] for case in some if case.found and not case.is_promise]
    return ", ".join(f"{labels.count(label)} {label}" for label in sorted(set(labels))) or "none"


async def run() -> Report:
    """Measure both languages, and hold the kept parts to the goals."""
    report = Report("promises", "none")
    try:
        for language in ("en", "de"):
            _measure(report, language, "chats", messages)
        for language in ("en", "de"):
            _measure(report, language, "mail", cases)
    except DataMissingError as missing:
        report.figures.append(str(missing))
    return report


def _measure(report: Report, language: Language, what: str, read: Callable[[Language, Part], Iterator[Case]]) -> None:
    parts: tuple[Part, ...] = ("open", "kept")
    for part in parts:
        some = list(read(language, part))
        scored = score(some, by_rules)
        name = f"{what}, {language} {part}"
        report.figures.append(f"{name}: {len(some)} sentences, {sum(case.is_promise for case in some)} promises")
        report.figures.append(f"  rules: {scored}; wrongly: {misses(some)}")
        report.figures.append(f"  search for the bare words: {score(some, by_search(language))}")
        fields: tuple[Literal["action", "due"], ...] = ("action", "due") if what == "mail" else ("due",)
        for field in fields:
            exact, partial, of = spans(some, field)
            report.figures.append(f"  {field}: {exact} of {of} exact, {partial} overlap")
        if part == "kept":
            report.check(
                f"{name}: precision at least {PRECISION}", scored.precision >= PRECISION, f"{scored.precision:.3f}"
            )
            report.check(f"{name}: recall at least {RECALL}", scored.recall >= RECALL, f"{scored.recall:.3f}")
