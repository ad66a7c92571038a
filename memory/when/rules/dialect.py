"""The two grammars that the rules are declared in, and the predicates they share."""

from memory.when.chart import Grammar
from memory.when.node import Number, Ordinal, Time, Unit

ENGLISH = Grammar()
GERMAN = Grammar()


def is_hour(number: Number) -> bool:
    """0 to 24 in words or at most two figures."""
    return 0 <= number.value <= 24 and number.digits <= 2


def is_minute(number: Number) -> bool:
    """00 to 59 in two figures."""
    return number.digits == 2 and number.value < 60


def is_day(number: Number) -> bool:
    """A day of the month."""
    return 1 <= number.value <= 31 and number.digits <= 2


def is_month(number: Number) -> bool:
    """A month in figures."""
    return 1 <= number.value <= 12 and 1 <= number.digits <= 2


def is_year(number: Number) -> bool:
    """A year in four figures."""
    return number.digits == 4 and 1900 <= number.value <= 2199


def is_ordinal_day(ordinal: Ordinal) -> bool:
    """A day of the month."""
    return 1 <= ordinal.value <= 31


def is_clock(time: Time) -> bool:
    """A time on the clock and nothing else, that may stand by itself."""
    return time.facets == {"clock"} and not time.interval


def is_hourly(time: Time) -> bool:
    """A full hour on the clock, latent or not."""
    return is_clock(time) and time.grain == "hour"


def is_month_name(time: Time) -> bool:
    """A month, with or without its year."""
    return "month" in time.facets and "day" not in time.facets and time.facets <= {"month", "year"}


def is_weekday(time: Time) -> bool:
    """A bare weekday."""
    return time.facets == {"weekday"}


def is_part(time: Time) -> bool:
    """A bare part of the day."""
    return time.facets == {"part"}


def is_dated(time: Time) -> bool:
    """Something that names a day and no hour."""
    return (
        bool(time.facets & {"date", "holiday", "day", "weekday"})
        and not time.facets & {"clock", "part"}
        and not time.latent
    )


def is_long(unit: Unit) -> bool:
    """A unit that is a word of its own."""
    return not unit.short


def is_calendar_unit(unit: Unit) -> bool:
    """A day or longer, as a word."""
    return not unit.short and unit.grain in ("day", "week", "month", "quarter", "year")
