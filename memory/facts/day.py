"""A day of the year in words: "9 July", "July 9th, 1980", "9. Juli", "09.07.1980", "1980-07-09"."""

import re

from memory.facts.value import of_day

_NAMES = [
    "jan(?:uary|uar)?|jänner",
    "feb(?:ruary|ruar)?",
    "mar(?:ch)?|märz|mär",
    "apr(?:il)?",
    "may|mai",
    "june?|juni",
    "july?|juli",
    "aug(?:ust)?",
    "sept?(?:ember)?",
    "o[ck]t(?:ober)?",
    "nov(?:ember)?",
    "de[cz](?:ember)?",
]
_MONTH = "|".join(f"(?P<m{number}>{name})" for number, name in enumerate(_NAMES, 1))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_YEAR = r"(?:[,.]?\s*(?P<year>(?:19|20)\d\d))?"
_SPELLED = (
    re.compile(rf"{_DAY}\s*(?:of\s+)?(?:{_MONTH})\b\.?{_YEAR}", re.IGNORECASE),
    re.compile(rf"(?:{_MONTH})\b\.?\s*(?:the\s+)?{_DAY}\b{_YEAR}", re.IGNORECASE),
)
_FIGURES = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>(?:19|20)\d\d))?")
_ISO = re.compile(r"(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)")
_SLASHES = re.compile(r"(?P<first>\d{1,2})/(?P<second>\d{1,2})(?:/(?P<year>(?:19|20)\d\d))?")


def read_day(text: str) -> str | None:
    """The day that the whole text names, as a fact's value; None for anything else, and for 3/4, which may be either."""
    named = _named(text)
    return of_day(*named) if named else None


def is_no_day(text: str) -> bool:
    """Whether the whole text names a day that no calendar has: 31 February."""
    named = _named(text)
    return named is not None and of_day(*named) is None


def _named(text: str) -> tuple[int, int, int | None] | None:
    """(month, day, year), whether or not there is such a day."""
    said = text.strip(" .!")
    for pattern in (_ISO, _FIGURES):
        # A day in figures needs its last dot.
        if found := pattern.fullmatch(said) or pattern.fullmatch(f"{said}."):
            return int(found["month"]), int(found["day"]), _year(found["year"])
    if found := _SLASHES.fullmatch(said):
        return _of_slashes(int(found["first"]), int(found["second"]), _year(found["year"]))
    for pattern in _SPELLED:
        if found := pattern.fullmatch(said):
            month = next(number for number in range(1, 13) if found[f"m{number}"])
            return month, int(found["day"]), _year(found["year"])
    return None


def _of_slashes(first: int, second: int, year: int | None) -> tuple[int, int, int | None] | None:
    if first > 12 >= second or first == second:
        return second, first, year
    return (first, second, year) if second > 12 >= first else None


def _year(text: str | None) -> int | None:
    return int(text) if text else None
