"""Days that have a name instead of a date: fixed ones, those that hang on Easter, and n-th weekdays of a month."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.when.grain import Length, midnight
from memory.when.node import Time
from memory.when.series import Both, DayOfMonth, Moved, Nth, NthFrom, PartOfYear, Series, Stretch, Weekday


@dataclass(frozen=True, slots=True)
class Easter:
    """Days counted from Easter Sunday, by the Gregorian or (eastern) the Julian reckoning."""

    days: int
    eastern: bool = False

    def spans(self, lo: datetime, hi: datetime) -> Iterator[Stretch]:
        for year in range(max(2, lo.year - 1), min(hi.year + 1, 8999) + 1):
            start = (julian_easter(year) if self.eastern else gregorian_easter(year)) + timedelta(days=self.days)
            end = start + timedelta(days=1)
            if end > lo and start < hi:
                yield Stretch(start, end)


def gregorian_easter(year: int) -> datetime:
    """Easter Sunday, by the anonymous Gregorian computus."""
    golden, century, of_century = year % 19, year // 100, year % 100
    moon_shift = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - moon_shift + 15) % 30
    week = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    late = (golden + 11 * epact + 22 * week) // 451
    month, day = divmod(epact + week - 7 * late + 114, 31)
    return midnight(year, month, day + 1)


def julian_easter(year: int) -> datetime:
    """Orthodox Easter Sunday as a Gregorian date, by Meeus' Julian computus."""
    moon = (19 * (year % 19) + 15) % 30
    month, day = divmod(moon + (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7 + 114, 31)
    behind = year // 100 - year // 400 - 2
    return midnight(year, month, day + 1) + timedelta(days=behind)


def _on(month: int, day: int) -> Series:
    return Both(PartOfYear(month), DayOfMonth(day))


def _nth(number: int, weekday: int, month: int) -> Series:
    return Nth(number, Weekday(weekday), PartOfYear(month))


def _advent(before: int) -> Series:
    return NthFrom(-before, Weekday(6), _on(12, 25))


_THANKSGIVING = _nth(4, 3, 11)

_BOTH: dict[str, Series] = {
    "halloween": _on(10, 31),
    "corpus christi": Easter(60),
    "mardi gras": Easter(-47),
    "black friday": Moved(_THANKSGIVING, Length(days=1), "day"),
    "cyber monday": Moved(_THANKSGIVING, Length(days=4), "day"),
}
_ENGLISH: dict[str, Series] = _BOTH | {
    "christmas eve,xmas eve": _on(12, 24),
    "christmas,xmas,christmas day,xmas day": _on(12, 25),
    "boxing day": _on(12, 26),
    "new year's eve,new years eve,new year eve": _on(12, 31),
    "new year's day,new years day,new year,new year's,new years": _on(1, 1),
    "valentine's day,valentines day,valentine's,valentine day,valentines": _on(2, 14),
    "st patrick's day,st patricks day,saint patrick's day,st. patrick's day,st paddy's day": _on(3, 17),
    "april fools,april fool's day,april fools day,april fools'": _on(4, 1),
    "may day": _on(5, 1),
    "earth day": _on(4, 22),
    "cinco de mayo": _on(5, 5),
    "juneteenth": _on(6, 19),
    "independence day,fourth of july,4th of july": _on(7, 4),
    "all saints day,all saints' day": _on(11, 1),
    "all souls day,all souls' day": _on(11, 2),
    "guy fawkes night,guy fawkes day,bonfire night": _on(11, 5),
    "veterans day,veteran's day,veterans' day,remembrance day,armistice day": _on(11, 11),
    "women's day,international women's day": _on(3, 8),
    "workers' day,international workers' day,labour day": _on(5, 1),
    "epiphany": _on(1, 6),
    "groundhog day": _on(2, 2),
    "pi day": _on(3, 14),
    "bastille day": _on(7, 14),
    "australia day": _on(1, 26),
    "anzac day": _on(4, 25),
    "canada day": _on(7, 1),
    "koningsdag,king's day": _on(4, 27),
    "easter,easter sunday": Easter(0),
    "easter monday": Easter(1),
    "good friday": Easter(-2),
    "maundy thursday,covenant thursday,covenant thu": Easter(-3),
    "holy saturday,black saturday": Easter(-1),
    "palm sunday": Easter(-7),
    "ash wednesday": Easter(-46),
    "shrove tuesday,pancake day,pancake tuesday": Easter(-47),
    "ascension day,ascension": Easter(39),
    "pentecost,whit sunday,whitsunday": Easter(49),
    "whit monday,pentecost monday": Easter(50),
    "trinity sunday": Easter(56),
    "orthodox easter,orthodox easter sunday": Easter(0, eastern=True),
    "orthodox good friday,orthodox great friday": Easter(-2, eastern=True),
    "orthodox easter monday": Easter(1, eastern=True),
    "orthodox shrove monday,clean monday": Easter(-48, eastern=True),
    "thanksgiving,thanksgiving day": _THANKSGIVING,
    "labor day": _nth(1, 0, 9),
    "memorial day": _nth(-1, 0, 5),
    "martin luther king day,martin luther king jr day,martin luther kings day,mlk day,martin luther king's day": _nth(
        3, 0, 1
    ),
    "presidents day,president's day,presidents' day,washington's birthday": _nth(3, 0, 2),
    "columbus day,indigenous peoples day,indigenous peoples' day": _nth(2, 0, 10),
    "mother's day,mothers day,mothers' day": _nth(2, 6, 5),
    "father's day,fathers day,fathers' day": _nth(3, 6, 6),
    "super bowl sunday": _nth(2, 6, 2),
}
_GERMAN: dict[str, Series] = _BOTH | {
    "heiligabend,heiliger abend,heilig abend": _on(12, 24),
    "weihnachten,erster weihnachtstag,erster weihnachtsfeiertag,ersten weihnachtsfeiertag,ersten weihnachtstag,"
    "1. weihnachtstag,1. weihnachtsfeiertag,weihnachtstag,weihnachtsfeiertag": _on(12, 25),
    "zweiter weihnachtstag,zweiter weihnachtsfeiertag,zweiten weihnachtsfeiertag,zweiten weihnachtstag,"
    "2. weihnachtstag,2. weihnachtsfeiertag,stephanstag,stefanitag": _on(12, 26),
    "silvester,sylvester,silvesterabend": _on(12, 31),
    "neujahr,neujahrstag": _on(1, 1),
    "heilige drei könige,dreikönigstag,dreikönig,heilige drei koenige": _on(1, 6),
    "valentinstag": _on(2, 14),
    "weltfrauentag,frauentag,internationaler frauentag": _on(3, 8),
    "tag der arbeit,maifeiertag": _on(5, 1),
    "mariä himmelfahrt": _on(8, 15),
    "peter und paul": _on(6, 29),
    "augsburger friedensfest": _on(8, 8),
    "tag der deutschen einheit,deutscher nationalfeiertag": _on(10, 3),
    "österreichischer nationalfeiertag": _on(10, 26),
    "schweizer bundesfeiertag,bundesfeiertag": _on(8, 1),
    "reformationstag": _on(10, 31),
    "allerheiligen": _on(11, 1),
    "allerseelen": _on(11, 2),
    "martinstag,sankt martin": _on(11, 11),
    "nikolaus,nikolaustag,sankt nikolaus": _on(12, 6),
    "barbaratag": _on(12, 4),
    "königstag": _on(4, 27),
    "ostern,ostersonntag": Easter(0),
    "ostermontag": Easter(1),
    "karfreitag": Easter(-2),
    "gründonnerstag": Easter(-3),
    "karsamstag,ostersamstag": Easter(-1),
    "palmsonntag": Easter(-7),
    "aschermittwoch": Easter(-46),
    "weiberfastnacht,altweiber": Easter(-52),
    "fastnachtssonntag,faschingssonntag": Easter(-49),
    "rosenmontag": Easter(-48),
    "fastnacht,faschingsdienstag,fasching,fastnachtsdienstag,veilchendienstag": Easter(-47),
    "himmelfahrt,christi himmelfahrt,vatertag": Easter(39),
    "pfingsten,pfingstsonntag": Easter(49),
    "pfingstmontag": Easter(50),
    "trinitatis,dreifaltigkeitssonntag": Easter(56),
    "fronleichnam": Easter(60),
    "orthodoxes osterfest,orthodoxer ostersonntag,orthodoxe ostern": Easter(0, eastern=True),
    "orthodoxer karfreitag": Easter(-2, eastern=True),
    "muttertag": _nth(2, 6, 5),
    "erntedankfest,erntedank": _nth(1, 6, 10),
    "buß- und bettag,buss- und bettag": NthFrom(-1, Weekday(2), _on(11, 23)),
    "volkstrauertag": _advent(6),
    "totensonntag,ewigkeitssonntag": _advent(5),
    "erster advent,1. advent": _advent(4),
    "zweiter advent,2. advent": _advent(3),
    "dritter advent,3. advent": _advent(2),
    "vierter advent,4. advent": _advent(1),
}

NAMED: dict[str, dict[str, Time]] = {
    language: {
        name: Time(choices=(series,), grain="day", facets=frozenset({"holiday"}))
        for names, series in table.items()
        for name in names.split(",")
    }
    for language, table in (("en", _ENGLISH), ("de", _GERMAN))
}
"""Names of days by language, in ordinary spelling."""
