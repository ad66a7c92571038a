"""The dates of a WhatsApp export: which of three numbers is the day is told by the file as a whole, not by a line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

Order = Literal["dmy", "mdy", "ymd", "ydm"]
Numbers = tuple[str, str, str]
"""Three numbers as they are written."""

_PLACES: dict[Order, tuple[int, int, int]] = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2), "ydm": (0, 2, 1)}
"""Where year, month and day stand."""


@dataclass(frozen=True, slots=True)
class Told:
    """The order, and whether another would do as well."""

    order: Order
    is_sure: bool


def order_of(written: Sequence[Numbers], *, separator: str, half_days: bool, today: date) -> Told:
    """The order in which the dates of a file are written.

    What makes a date of every line and never runs into the future or backward wins: an export is in the order of time.
    Where that leaves a choice, the separator and the clock tell the country; the year comes last unless it can't.
    """
    several = list(dict.fromkeys(written))
    liked = _liked(separator, half_days=half_days)
    odd = {order: _odd(order, several, today) for order in liked}
    chosen = min(liked, key=lambda order: (odd[order], liked.index(order)))
    rival: Order = "mdy" if chosen == "dmy" else "dmy"
    is_sure = chosen in ("ymd", "ydm") or odd[chosen] < odd[rival] or _agree(chosen, rival, several)
    return Told(chosen, is_sure)


def read_date(numbers: Numbers, order: Order) -> date | None:
    """The date, or None when there is no such day. Two digits of a year are of this century."""
    year, month, day = (numbers[place] for place in _PLACES[order])
    if len(year) not in (2, 4) or max(len(month), len(day)) > 2:
        return None
    try:
        return date(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day))
    except ValueError:
        return None


def _odd(order: Order, written: Iterable[Numbers], today: date) -> int:
    """How odd the dates would be: those that are none or lie in the future count double, those that go back once."""
    read = [read_date(numbers, order) for numbers in written]
    days = [day for day in read if day is not None]
    future = sum(day > today + timedelta(days=1) for day in days)
    return 2 * (len(read) - len(days)) + 2 * future + sum(after < before for before, after in pairwise(days))


def _liked(separator: str, *, half_days: bool) -> tuple[Order, ...]:
    if separator == "/" and half_days:
        return "mdy", "dmy", "ymd", "ydm"
    return "dmy", "mdy", "ymd", "ydm"


def _agree(one: Order, other: Order, written: Iterable[Numbers]) -> bool:
    return all(read_date(numbers, one) == read_date(numbers, other) for numbers in written)
