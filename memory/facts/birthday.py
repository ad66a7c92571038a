"""Birthdays: in calendars ("Anna's birthday"), in wishes on the day itself, and in somebody's own words ("my birthday is May 3").

A wish counts only when it is nothing but a wish, to the one it is said to, on the day: no "belated", nobody else's.
"""

import re
from collections.abc import Collection
from datetime import date

from memory.facts.day import read_day
from memory.facts.value import day_of, of_day

WISH_MAX = 160

_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,4}?)"
_MARKS = r"[\W_]*"
_TITLES = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        rf"{_MARKS}{_NAME}['’]s?\s+(?:\d{{1,3}}(?:st|nd|rd|th)\s+)?(?:birthday|bday|b-day){_MARKS}",
        rf"{_MARKS}(?:birthday|bday|b-day)(?:\s+of\s|\s*[:–-]|\s)\s*{_NAME}{_MARKS}",
        rf"{_MARKS}(?:\d{{1,3}}\.\s+)?geburtstag(?:\s+von\s|\s*[:–-]|\s)\s*{_NAME}{_MARKS}",
        rf"{_MARKS}{_NAME}\s+(?:hat\s+)?(?:\d{{1,3}}\.\s+)?geburtstag{_MARKS}",
    )
)
_NOBODY = re.compile(
    r"(?:my|your|his|her|their|our|the|a|an|mein|meine|dein|sein|ihr|unser|der|die|das|ein|happy|kid|kids|party|planning"
    r"|gift|present|office|team|company|geschenk|feier|kinder|firmen)\b",
    re.IGNORECASE,
)
_BORN = re.compile(r"(?:\b(?:born|geboren|geb\.)\s*(?:in|:)?\s*|\*\s*|\()(19\d\d|20\d\d)\)?", re.IGNORECASE)

_WISH = re.compile(
    r"(?:happy\s+(?:\d{1,3}(?:st|nd|rd|th)\s+)?birthday|happy\s+b-?day"
    r"|(?:alles\s+(?:gute|liebe)(?:\s+und\s+(?:gute|liebe))?|(?:herzlichen?\s+)?gl[uü]ckw[uü]nsche?"
    r"|herzlichen\s+glückwunsch|viel\s+glück)\s+zum\s+(?:\d{1,3}\.\s+)?geburtstag)",
    re.IGNORECASE,
)
_NOT_TODAY = re.compile(
    r"\b(?:belated|late|later|early|advance|ahead|yesterday|tomorrow|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|last|next|was|will|soon|nachträglich\w*|verspätet\w*|vorab|gestern|morgen|vorgestern|letzte\w*|nächste\w*"
    r"|war|vergessen|forgot|missed|verpasst)\b",
    re.IGNORECASE,
)
_SOMEBODY_ELSE = re.compile(
    r"\b(?:(?:to|for|from)\s+(?!you\b|us\b|me\b|all\b|both\b)\w+|an\s+(?!dich\b|sie\b)\w+|für\s+(?!dich\b|sie\b|das\b|dein\w*\s+neue)\w+"
    r"|you(?:r)?\s+(?:wife|husband|partner|son|daughter|mother|mom|mum|father|dad|brother|sister|boss|company|team)"
    r"|dein\w*\s+(?:frau|mann|sohn|tochter|mutter|vater|bruder|schwester|chef|firma)"
    r"|song|party|card|cake|gift|present|lied|karte|kuchen|geschenk|feier)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\s*,?\s*(?:my |mein\w* )?(?:dear(?:est)? |lieb\w* )?(?P<name>[^\W\d_a-zäöüß][^\W\d_]+)", re.UNICODE
)
"""A name that follows the wish at once."""


_LEAD = (
    r"(?:^|(?<=[.!;–—])\s|(?<=[^:]\n))[ \t]*(?:(?:btw|by the way|fyi|yes|oh|and|well|übrigens|ja|ach|und|also|denn|because"
    r"|(?:hi|hey|hallo|hello|dear|liebe[rs]?)(?: [^\W\d_]+)?)[,:]?\s+){0,2}"
)
"""Nothing that may make it another's stands before it: "Tom wrote: my birthday …", "she thinks, my birthday …"."""
_OWN = tuple(
    re.compile(f"{_LEAD}(?P<said>{text})", re.IGNORECASE)
    for text in (
        r"(?:my|mein) (?:birthday|b-?day|geburtstag)(?:['’]s| is| ist| falls| fällt)(?: (?:on|am|auf|always|immer)){0,2}(?: the| den| der)? (?P<day>[^\n]{2,40})",
        r"i(?:['’]ve got| have)? my birthday (?:is )?on (?:the )?(?P<day>[^\n]{2,40})",
        r"i was born (?:on )?(?:the )?(?P<day>[^\n]{2,40})",
        r"ich (?:hab|habe) (?:auch |übrigens |immer )?am (?P<day>[^\n]{2,24}?) (?:auch )?geburtstag\b",
        r"ich (?:bin|wurde) am (?P<day>[^\n]{2,24}?) (?:[^\W\d_]+ ){0,2}geboren\b",
        r"am (?P<day>[^\n]{2,24}?) (?:hab|habe) ich (?:auch |übrigens )?geburtstag\b",
        r"am (?P<day>[^\n]{2,24}?) ist mein geburtstag\b",
    )
)
_ASKED = re.compile(r"[^.!?\n]*\?")
_DAY_WORDS = 4
_YOUNGEST_YEARS = 10
_GOES_ON = re.compile(r"(?:and|so|but|und|also|aber|btw|übrigens|[–—(-])(?:\W|$)", re.IGNORECASE)


def named_in(title: str) -> str | None:
    """Whose birthday an event's title says it is; None when it says nothing of the kind, or of nobody by name."""
    for pattern in _TITLES:
        found = pattern.fullmatch(title.strip())
        if found and not _NOBODY.match(found["name"]):
            return " ".join(found["name"].split())
    return None


def of_event(on: date, notes: str) -> str | None:
    """The value of a birthday that recurs on a day. The year is taken from the notes alone: a series may begin in any."""
    born = _BORN.search(notes)
    year = int(born[1]) if born and int(born[1]) <= on.year else None
    return of_day(on.month, on.day, year)


def wish_in(text: str, names: Collection[str]) -> str | None:
    """The words of a birthday wish, when the message is one and holds nothing that could make it another's, or another day's.

    names: what the one it is said to goes by, as folded words; a name behind the wish has to be one of them.
    """
    said = text.strip()
    if len(said) > WISH_MAX or "?" in said or said.startswith(">"):
        return None
    found = _WISH.search(said)
    if found is None or len(said[: found.start()].split()) > 4:
        return None
    if _NOT_TODAY.search(said) or _SOMEBODY_ELSE.search(said):
        return None
    called = _CALLED.match(said, found.end())
    return found.group() if called is None or called["name"].casefold() in names else None


def own_in(text: str, on: date) -> tuple[str, str] | None:
    """The birthday that somebody tells of themselves: its value and the words that tell it. None for what is asked, quoted, or
    goes on in a way that may make it another day's: "my birthday is on May 3 this year's summit day".

    on: when it was said; a year close to that is the year of the party, not of the birth.
    """
    for pattern in _OWN:
        for found in pattern.finditer(text):
            read = _leading_day(found["day"])
            if read is None:
                continue
            value, length = read
            is_last = found.end("day") == found.end("said")
            end = found.start("day") + length if is_last else found.end("said")
            words = text[found.start("said") : end].rstrip(" ,;:!")
            if words.endswith(".") or not _ASKED.match(text, end):
                return _without_late_year(value, on), words
    return None


def _without_late_year(value: str, on: date) -> str:
    year, month, day = day_of(value) or (None, 0, 0)
    return of_day(month, day) or value if year and year > on.year - _YOUNGEST_YEARS else value


def _leading_day(words: str) -> tuple[str, int] | None:
    """The day with which these words begin, and how long it is; the longest that reads as one and ends there."""
    ends = [found.end() for found in re.finditer(r"\S+", words)][:_DAY_WORDS]
    for end in reversed(ends):
        named = words[:end].rstrip(",;:!)")
        value, rest = read_day(named), words[end:].lstrip()
        if value is not None and (not rest or len(named) < end or named.endswith(".") or _GOES_ON.match(rest)):
            return value, len(named)
    return None
