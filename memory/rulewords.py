"""A recurrence in words, to say back what was understood."""

from collections.abc import Sequence

from memory.owner import Language
from memory.when.recurrence import WORKDAYS, Recurrence
from memory.wording import weekday

_UNITS = {
    "MINUTELY": (("minute", "minutes"), ("Minute", "Minuten")),
    "HOURLY": (("hour", "hours"), ("Stunde", "Stunden")),
    "DAILY": (("day", "days"), ("Tag", "Tage")),
    "WEEKLY": (("week", "weeks"), ("Woche", "Wochen")),
    "MONTHLY": (("month", "months"), ("Monat", "Monate")),
    "YEARLY": (("year", "years"), ("Jahr", "Jahre")),
}
_EVERY = {"Minute": "jede", "Stunde": "jede", "Tag": "jeden", "Woche": "jede", "Monat": "jeden", "Jahr": "jedes"}
_NTH = {
    1: ("first", "ersten"),
    2: ("second", "zweiten"),
    3: ("third", "dritten"),
    4: ("fourth", "vierten"),
    5: ("fifth", "fünften"),
    -1: ("last", "letzten"),
}


def in_words(rule: Recurrence, language: Language) -> str:
    """ "every weekday at 08:00", "jeden Montag um 09:00"."""
    german = language == "de"
    at = f" {'um' if german else 'at'} {rule.at:%H:%M}" if rule.at else ""
    return _which(rule, language) + at


def _which(rule: Recurrence, language: Language) -> str:
    german = language == "de"
    (one, many) = _UNITS[rule.frequency][german]
    if rule.days == WORKDAYS and rule.interval == 1 and not rule.position:
        return "jeden Werktag" if german else "every weekday"
    every = (
        f"{'alle' if german else 'every'} {rule.interval} {many}" if rule.interval > 1 else _every(one, german=german)
    )
    if rule.frequency == "WEEKLY" and rule.days:
        names = _joined([weekday(day, language) for _, day in rule.days], german=german)
        if rule.interval == 1:
            return f"jeden {names}" if german else f"every {names}"
        return f"{every} {'am' if german else 'on'} {names}"
    if rule.days and rule.frequency == "MONTHLY":
        names = _joined(
            [f"{_nth(n or rule.position, german=german)} {weekday(day, language)}" for n, day in rule.days],
            german=german,
        )
        return f"{every} {'am' if german else 'on the'} {names}"
    if rule.month_days:
        days = _joined([_month_day(day, german=german) for day in rule.month_days], german=german)
        return f"{every} {'am' if german else 'on the'} {days}"
    return every


def _every(one: str, *, german: bool) -> str:
    return f"{_EVERY[one]} {one}" if german else f"every {one}"


def _nth(number: int, *, german: bool) -> str:
    return _NTH.get(number, (f"{number}th", f"{number}."))[german]


def _month_day(number: int, *, german: bool) -> str:
    if number < 0:
        return "letzten Tag" if german else "last day"
    if german:
        return f"{number}."
    suffix = "th" if 11 <= number <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _joined(words: Sequence[str], *, german: bool) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {'und' if german else 'and'} {words[-1]}"
