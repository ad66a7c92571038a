"""What people mean when they leave something out: parts of the day, hours without morning or afternoon, days without an hour."""

from dataclasses import dataclass
from datetime import time


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """The hours a word covers, and the one at which to remind when no other is said. past may lie beyond 24."""

    first: float
    past: float
    anchor: time
    reason: str


PARTS: dict[str, PartOfDay] = {
    "morning": PartOfDay(0, 12, time(8), "it covers 'three in the morning' too; people are up and reachable by eight"),
    "morgen": PartOfDay(3, 12, time(8), "German nights end about three; otherwise as morning"),
    "early": PartOfDay(3, 9, time(7), "early says before the usual eight"),
    "forenoon": PartOfDay(8, 12, time(10), "vormittags is working time, not getting up"),
    "lunch": PartOfDay(12, 14, time(12), "the noon hour and the one after; twelve is what 'mittags' says"),
    "afternoon": PartOfDay(12, 19, time(15), "its middle in a working day"),
    "late afternoon": PartOfDay(15, 19, time(17), "its later half"),
    "evening": PartOfDay(18, 24, time(19), "after work, before the evening is spent"),
    "tonight": PartOfDay(18, 24, time(20), "a little later than evening: supper is over"),
    "late evening": PartOfDay(21, 24, time(21), "its later half"),
    "night": PartOfDay(18, 24, time(20), "English night begins with the evening"),
    "nacht": PartOfDay(21, 29, time(22), "German Nacht begins at bedtime and runs past midnight"),
    "after lunch": PartOfDay(13, 17, time(13, 30), "the meal itself takes until one or two"),
    "after work": PartOfDay(17, 21, time(18), "offices empty about five"),
    "end of day": PartOfDay(17, 24, time(17), "the end of the working day: later nobody acts on it"),
}

DAY_ANCHOR = time(9)
"""When only a day is said: after most people's way to work, early enough to act."""
WEEKEND_ANCHOR = time(10)
"""Saturday at ten: nobody wants to be woken."""

SURE_AFTERNOON = range(1, 6)
"""One to five without morning or afternoon is the afternoon: the other is asleep. In German speech too, but not in writing."""
SURE_MORNING = range(8, 12)
"""Eight to eleven, when a day is named: the morning comes first and is when people plan things."""
AWAKE = (7, 23)
"""Hours from the first up to the last at which somebody would be reminded of their own will."""

US_DATES = ("America/", "US/", "Pacific/Honolulu")
"""Zones in whose English 3/4 is the fourth of March."""
DAY_FIRST_IN_AMERICA = (
    "America/Argentina/",
    "America/Sao_Paulo",
    "America/Mexico_City",
    "America/Bogota",
    "America/Lima",
    "America/Santiago",
)
"""Exceptions to the line above."""
