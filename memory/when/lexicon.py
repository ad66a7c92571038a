"""What single words and fixed phrases mean, by language: the seeds from which the grammar grows."""

from functools import cache

from memory.when.grain import GRAINS, Grain
from memory.when.holidays import NAMED
from memory.when.node import Edge, Every, Node, Number, Ordinal, Pointer, Time, Unit, Zone
from memory.when.series import DatesOfYear, OfWeek, Series
from memory.when.times import MIDNIGHT, clock, month, part_of_day, weekday
from memory.when.tokens import tokens_of
from memory.when.words import (
    DOUBTFUL,
    HABITS,
    MONTHS,
    NUMBERS,
    ORDINALS,
    PARTS_OF_DAY,
    POINTERS,
    SEASONS,
    SHORT_UNITS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
    WEEKLY,
    ZONES,
)

PHRASE_AT_MOST = 6
"""Tokens in the longest fixed phrase."""

Lexicon = dict[tuple[str, ...], tuple[Node, ...]]

_SEASON_DATES = (((3, 20), (6, 21)), ((6, 21), (9, 23)), ((9, 23), (12, 21)), ((12, 21), (3, 20)))
_WEEKEND = {
    "en": "weekend,week-end,wkend,weekends,week end",
    "de": "wochenende,wochenendes,wochenenden,wochenends",
}
_WORKWEEK = {"en": "workweek,work week,working week,business week", "de": "arbeitswoche,werkwoche"}
_NOON = {
    "en": "noon,midday,mid day,noontime,12 noon,noonday,high noon",
    "de": "zwölf uhr mittags,12 uhr mittags,12 mittags",
}
_MIDNIGHT = {"en": "midnight,12 midnight,mid night", "de": "mitternacht,mitternachts,12 uhr nachts"}
_EDGES = {
    "en": {
        "beginning": "beginning of,start of,early,the beginning of,the start of,early in",
        "middle": "middle of,mid,the middle of,mid-",
        "end": "end of,late,the end of,late in,the tail end of",
    },
    "de": {"beginning": "anfang,beginn,der anfang,anfangs", "middle": "mitte", "end": "ende,das ende"},
}


@cache
def lexicon(language: str) -> Lexicon:
    """Everything known by itself, keyed by tokens in plain spelling."""
    entries: dict[tuple[str, ...], list[Node]] = {}

    def add(phrase: str, node: Node) -> None:
        key = tuple(token.word for token in tokens_of(phrase))
        if isinstance(node, Time) and len(key) == 1 and key[0] in DOUBTFUL[language]:
            node = node.but(doubtful=True)
        entries.setdefault(key, []).append(node)

    for nodes in (_numbers(language), _calendar(language), _hours(language), _borrowed(language)):
        for phrase, node in nodes:
            add(phrase, node)
    return {key: tuple(nodes) for key, nodes in entries.items()}


def _numbers(language: str) -> list[tuple[str, Node]]:
    found: list[tuple[str, Node]] = [(word, Number(value)) for word, value in NUMBERS[language].items()]
    found += [(word, Ordinal(value)) for word, value in ORDINALS[language].items()]
    for grain, group in UNITS[language].items():
        found += [(word, Unit(_grain(grain), plural=number > 0)) for number, word in enumerate(group.split())]
    found += [(word, Unit(_grain(grain), short=True)) for word, grain in SHORT_UNITS.items()]
    if language == "en":
        return [
            *found,
            ("fortnight", Unit("week", 2)),
            ("fortnights", Unit("week", 2)),
            ("decade", Unit("year", 10)),
            ("decades", Unit("year", 10)),
        ]
    return [*found, ("jahrzehnt", Unit("year", 10)), ("jahrzehnte", Unit("year", 10)), ("halbjahr", Unit("quarter", 2))]


def _grain(name: str) -> Grain:
    return next(grain for grain in GRAINS if grain == name)


def _calendar(language: str) -> list[tuple[str, Node]]:
    found: list[tuple[str, Node]] = []
    found += [(word, weekday(n)) for n, group in enumerate(WEEKDAYS[language]) for word in group.split()]
    found += [
        (word, weekday(n).but(latent=True))
        for n, group in enumerate(WEEKDAY_PLURALS[language])
        for word in group.split()
    ]
    found += [
        (word, Every(frequency="WEEKLY", days=((0, n),)))
        for n, group in enumerate(WEEKLY[language])
        for word in group.split()
    ]
    found += [(word, month(n)) for n, group in enumerate(MONTHS[language], 1) for word in group.split()]
    found += [(phrase, Pointer(*key)) for key, phrases in POINTERS[language].items() for phrase in phrases]
    found += [(name, node) for name, node in NAMED[language].items()]
    found += [(word, _season(n)) for n, group in enumerate(SEASONS[language]) for word in group.split()]
    found += [(word, _in_week(114, 168, "weekend")) for word in _WEEKEND[language].split(",")]
    found += [(word, _in_week(0, 120, "week")) for word in _WORKWEEK[language].split(",")]
    found += [(word, Edge(which)) for which, group in _EDGES[language].items() for word in group.split(",")]
    return found


def _borrowed(language: str) -> list[tuple[str, Node]]:
    """The other language's full names of weekdays and months, for those who mix: "Meeting am Friday um 10"."""
    other = "de" if language == "en" else "en"
    own = {word for group in (*WEEKDAYS[language], *MONTHS[language]) for word in group.split()}
    found: list[tuple[str, Node]] = [(group.split()[0], weekday(n)) for n, group in enumerate(WEEKDAYS[other])]
    found += [
        (group.split()[0], month(n))
        for n, group in enumerate(MONTHS[other], 1)
        if group.split()[0] not in ("may", "march")
    ]
    return [(word, node) for word, node in found if word not in own]


def _season(number: int) -> Time:
    return Time(
        choices=(DatesOfYear(*_SEASON_DATES[number]),), grain="day", facets=frozenset({"season"}), interval=True
    )


def _in_week(first: int, past: int, facet: str) -> Time:
    series: Series = OfWeek(first, past)
    return Time(choices=(series,), grain="day", facets=frozenset({facet}), interval=True)


def _habit(name: str) -> Every:
    """Mornings: every one of them, once something says which days."""
    return Every(frequency="DAILY", clock=part_of_day(name), latent=True)


def _hours(language: str) -> list[tuple[str, Node]]:
    found: list[tuple[str, Node]] = []
    found += [(word, part_of_day(name)) for name, group in PARTS_OF_DAY[language].items() for word in group.split(",")]
    found += [(word, _habit(name)) for name, group in HABITS[language].items() for word in group.split(",")]
    found += [(word, clock(12, half=False)) for word in _NOON[language].split(",")]
    found += [(word, clock(0, half=False).but(value=MIDNIGHT)) for word in _MIDNIGHT[language].split(",")]
    found += [(word, Zone(round(hours * 3600))) for word, hours in ZONES.items()]
    return found
