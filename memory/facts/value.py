"""A fact's value: what may be one, how two are found to be the same, and how a date is written."""

import re
from datetime import date
from unicodedata import normalize

from memory.canonical import digest
from memory.fact_kinds import KINDS
from memory.owner import Language
from memory.visible import hides_something
from memory.wording import month as month_name

VALUE_MAX = 120

_LINK = re.compile(r"https?:|www\.|\w@\w|\bt\.me/|://", re.IGNORECASE)
_COMPANIES = frozenset({"employer", "board_seat", "investment"})
_FORM = re.compile(
    r"(?:,?\s+(?:&\s*co\.?\s*(?:kgaa|kg|ohg)|gmbh|mbh|ag|se|ug|kg|kgaa|ohg|gbr|e\.\s?v\.|e\.\s?k\.|ltd|limited|inc"
    r"|incorporated|llc|llp|plc|corp|corporation|co|company|b\.?v\.?|n\.?v\.?|s\.?a\.?(?:r\.?l\.?)?|ab|oy|a/s)\.?)+$",
    re.IGNORECASE,
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_DATE = re.compile(r"(?:(\d{4})|-)-(\d{2})-(\d{2})")
_LEAP_YEAR = 2000
_DIETS = ("vegetari", "vegan", "pescetari", "pescatari", "flexitari")
"""Vegetarian, Vegetarierin, vegetarisch: one and the same."""
_HOW_MANY = re.compile(
    r"(?:\d+|no|one|two|three|four|five|six|seven|eight|nine|ten|keine?|eine?n?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)"
    r" (?:children|kids|child|kid|kinder|kind)\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"(?:no|keine?) ", re.IGNORECASE)
_PHONE_TAIL = 9
"""So many last digits tell a number, with its country or without."""


def plain(value: str) -> str:
    """The value on one line, without what an eye would not see."""
    return " ".join("".join(sign for sign in value if sign.isspace() or not hides_something(sign)).split())


def fault_in(kind: str, value: str) -> str | None:
    """Why it can't be the value of a fact of this kind; None when it can."""
    if kind not in KINDS:
        return "no such kind"
    if not any(sign.isalnum() for sign in value):
        return "an empty value"
    if len(value) > VALUE_MAX or value != plain(value):
        return "a value of more than a line"
    if _LINK.search(value):
        return "a value with an address or a link"
    if KINDS[kind].is_dated and day_of(value) is None:
        return "a value that is no date"
    return None


def key_of(kind: str, value: str) -> str:
    """By what two values of a kind are known to be the same: a hash, in which nobody can read them."""
    return digest([kind, _same(kind, value)])[:40]


def only_one_holds(kind: str, value: str, known: str) -> bool:
    """Whether two values of a kind that may hold together can't: two numbers of all children, or none and any; while "a son"
    leaves room for a daughter.
    """
    numbers = [found[0] for one in (value, known) if kind == "children" and (found := _HOW_MANY.match(one))]
    return len(numbers) == 2 or any(_NONE.match(number) for number in numbers)


def has_another_year(kind: str, value: str, known: str) -> bool:
    """Whether a date that falls on the day of a known one names a year, and that one none or another."""
    said, before = (day_of(one) if KINDS[kind].is_dated else None for one in (value, known))
    return said is not None and before is not None and said[0] not in (None, before[0])


def adds_a_year(kind: str, value: str, known: str) -> bool:
    """Whether a date that falls on the day of a known one names the year that this one lacks."""
    before = day_of(known)
    return has_another_year(kind, value, known) and before is not None and before[0] is None


def is_meant(said: str, known: str) -> bool:
    """Whether somebody who says the one may mean the other: "Acme" and "Acme Capital GmbH"."""
    words = set(folded(_FORM.sub("", said)).split())
    return bool(words) and (
        words <= set(folded(known).split()) or any(stem in folded(said) and stem in folded(known) for stem in _DIETS)
    )


def _same(kind: str, value: str) -> str:
    if kind == "phone":
        return "".join(sign for sign in value if sign.isdigit())[-_PHONE_TAIL:]
    if kind == "birthday":
        return value[-5:]
    if kind == "diet":
        return next((stem for stem in _DIETS if stem in folded(value)), folded(value))
    return folded(_FORM.sub("", value.strip()) if kind in _COMPANIES else value)


def folded(text: str) -> str:
    """Words to compare: lower case, no accents, no punctuation."""
    bare = normalize("NFKD", text.casefold().translate(_UMLAUTS))
    letters = (sign if sign.isalnum() else " " for sign in bare if not "\u0300" <= sign <= "\u036f")
    return " ".join("".join(letters).split())


def of_day(month: int, day: int, year: int | None = None) -> str | None:
    """A date as a value; None when there is no such day."""
    try:
        date(year or _LEAP_YEAR, month, day)
    except ValueError:
        return None
    return f"{year:04}-{month:02}-{day:02}" if year else f"--{month:02}-{day:02}"


def day_of(value: str) -> tuple[int | None, int, int] | None:
    """(year, month, day) of such a value; None for any other."""
    found = _DATE.fullmatch(value)
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    return (year, month or 0, day or 0) if of_day(month or 0, day or 0, year) else None


def in_words(kind: str, value: str, language: Language) -> str:
    """The value as one says it: "9 July", "9. Juli 1980"; any other as it is."""
    found = day_of(value) if kind in KINDS and KINDS[kind].is_dated else None
    if found is None:
        return value
    year, month, day = found
    named = month_name(month, language)
    said = f"{day}. {named}" if language == "de" else f"{day} {named}"
    return f"{said} {year}" if year else said
