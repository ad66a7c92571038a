"""The words of English and German for weekdays, months, units, numbers and the like, in plain spelling (ä is ae)."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


TELLING: dict[str, frozenset[str]] = {
    "en": word_set(
        "the is are me to i you my and of a for with remind please will it this that at on from be have next"
    ),
    "de": word_set(
        "der das ist sind mich ich du mein meine und von ein eine einer einem einen fuer mit erinnere erinner bitte wird es "
        "um im zu zum den dem des auf nicht bis jeden naechste naechsten kommenden"
    ),
}
"""Small words that only one of the two languages has."""
WEEKDAYS: dict[str, tuple[str, ...]] = {
    "en": (
        "monday mon",
        "tuesday tue tues",
        "wednesday wed weds wednsday",
        "thursday thu thur thurs",
        "friday fri",
        "saturday sat",
        "sunday sun",
    ),
    "de": (
        "montag mo",
        "dienstag di",
        "mittwoch mi",
        "donnerstag do",
        "freitag fr",
        "samstag sonnabend sa",
        "sonntag so",
    ),
}
WEEKDAY_PLURALS: dict[str, tuple[str, ...]] = {
    "en": ("mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"),
    "de": (
        "montage montagen",
        "dienstage dienstagen",
        "mittwoche mittwochen",
        "donnerstage donnerstagen",
        "freitage freitagen",
        "samstage samstagen sonnabende",
        "sonntage sonntagen",
    ),
}
WEEKLY: dict[str, tuple[str, ...]] = {
    "en": WEEKDAY_PLURALS["en"],
    "de": ("montags", "dienstags", "mittwochs", "donnerstags", "freitags", "samstags sonnabends", "sonntags"),
}
"""Words that say by themselves that it returns."""
MONTHS: dict[str, tuple[str, ...]] = {
    "en": (
        "january jan",
        "february feb febr",
        "march mar",
        "april apr",
        "may",
        "june jun",
        "july jul",
        "august aug",
        "september sep sept",
        "october oct",
        "november nov",
        "december dec",
    ),
    "de": (
        "januar jaenner jan januars",
        "februar feber feb februars",
        "maerz mrz maer",
        "april apr aprils",
        "mai",
        "juni jun juno",
        "juli jul julei",
        "august aug",
        "september sep sept septembers",
        "oktober okt oktobers",
        "november nov",
        "dezember dez dezembers",
    ),
}
DOUBTFUL: dict[str, frozenset[str]] = {
    "en": word_set(
        "may march mar mon sat sun wed jan second seconds fall spring fri summer autumn winter "
        "morning afternoon evening eve night lunch noonish"
    ),
    "de": word_set(
        "mo di mi do fr sa so mar maer nov jan sep dez okt apr aug jun jul nacht frueh abend vormittag nachmittag mittag "
        "mittagessen feierabend nikolaus fasching"
    ),
}
"""Words that are mostly something else when they stand alone in a sentence."""
UNITS: dict[str, dict[str, str]] = {
    "en": {
        "second": "second seconds sec secs",
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks wk wks",
        "month": "month months mo mos",
        "quarter": "quarter quarters qtr qtrs",
        "year": "year years yr yrs",
    },
    "de": {
        "second": "sekunde sekunden sek",
        "minute": "minute minuten min",
        "hour": "stunde stunden std stdn",
        "day": "tag tage tagen tages tg",
        "week": "woche wochen",
        "month": "monat monate monaten monats",
        "quarter": "quartal quartale quartalen quartals",
        "year": "jahr jahre jahren jahres",
    },
}
SHORT_UNITS = {"h": "hour", "m": "minute", "s": "second", "d": "day", "w": "week"}
"""Letters that stand for a unit when glued to a number."""

_ENGLISH_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_GERMAN_SMALL = "null eins zwei drei vier fuenf sechs sieben acht neun zehn elf zwoelf dreizehn vierzehn fuenfzehn sechzehn siebzehn achtzehn neunzehn"
_GERMAN_TENS = {
    20: "zwanzig",
    30: "dreissig",
    40: "vierzig",
    50: "fuenfzig",
    60: "sechzig",
    70: "siebzig",
    80: "achtzig",
    90: "neunzig",
}
_ENGLISH_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)


def _german_numbers() -> dict[str, int]:
    small = _GERMAN_SMALL.split()
    numbers = {"zwo": 2} | {word: value for value, word in enumerate(small)}
    for tens, word in _GERMAN_TENS.items():
        numbers[word] = tens
        numbers |= {f"{'ein' if unit == 1 else small[unit]}und{word}": tens + unit for unit in range(1, 10)}
    return numbers


def _german_ordinals() -> dict[str, int]:
    odd = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}
    stems = {
        value: odd.get(value, word + ("t" if value < 20 else "st"))
        for word, value in _german_numbers().items()
        if 0 < value < 32
    }
    return {stem + ending: value for value, stem in stems.items() for ending in ("e", "er", "en", "em", "es")}


NUMBERS: dict[str, dict[str, int]] = {
    "en": {word: value for value, word in enumerate(_ENGLISH_SMALL.split())}
    | {
        "twenty": 20,
        "thirty": 30,
        "forty": 40,
        "fourty": 40,
        "fifty": 50,
        "sixty": 60,
        "seventy": 70,
        "eighty": 80,
        "ninety": 90,
    },
    "de": _german_numbers(),
}
ORDINALS: dict[str, dict[str, int]] = {
    "en": {word: value for value, word in enumerate(_ENGLISH_ORDINALS.split(), 1)} | {"twentieth": 20, "thirtieth": 30},
    "de": _german_ordinals(),
}


def _inflected(stems: str) -> tuple[str, ...]:
    """German adjectives in every case."""
    return tuple(stem + ending for stem in stems.split() for ending in ("e", "en", "er", "es", "em"))


POINTERS: dict[str, dict[tuple[int, bool], tuple[str, ...]]] = {
    "en": {
        (0, False): ("this", "current", "the current", "this current"),
        (1, False): ("next", "the next", "following", "the following"),
        (1, True): ("coming", "this coming", "the coming", "upcoming", "the upcoming", "this next"),
        (-1, False): ("last", "past", "previous", "the last", "the past", "the previous", "this past"),
        (-2, False): ("the last but one",),
    },
    "de": {
        (0, False): (*_inflected("dies aktuell jetzig laufend"),),
        (1, False): _inflected("naechst folgend"),
        (1, True): _inflected("kommend"),
        (-1, False): _inflected("letzt vorig vergangen"),
        (2, True): _inflected("uebernaechst"),
        (-2, False): _inflected("vorletzt"),
    },
}
PARTS_OF_DAY: dict[str, dict[str, str]] = {
    "en": {
        "morning": "morning",
        "afternoon": "afternoon,arvo,afternoonish",
        "evening": "evening,eve",
        "night": "night,nighttime,night-time",
        "lunch": "lunch,lunchtime,lunch time,noonish",
        "after lunch": "after lunch",
        "after work": "after work",
        "early": "early morning,early in the morning",
        "late afternoon": "late afternoon,late in the afternoon",
        "late evening": "late evening,late in the evening,late night,late at night",
        "end of day": "end of day,end of the day,eod,cob,close of business,end of business",
    },
    "de": {
        "morgen": "morgens,früh,vormorgens,morgenstunden,frueh morgens",
        "early": "frühmorgens,früh morgens,frühen morgen",
        "forenoon": "vormittag,vormittags",
        "lunch": "mittag,mittags,mittagszeit,mittagessen,mittagspause",
        "afternoon": "nachmittag,nachmittags",
        "late afternoon": "spätnachmittag,spätnachmittags,späten nachmittag,später nachmittag",
        "evening": "abend,abends",
        "late evening": "spätabend,spätabends,späten abend,später abend",
        "nacht": "nacht,nachts",
        "after lunch": "nach dem mittagessen,nach der mittagspause,nach dem essen",
        "after work": "nach feierabend,nach der arbeit,feierabend",
        "end of day": "ende des tages,tagesende,dienstschluss,büroschluss,feierabends",
    },
}
HABITS: dict[str, dict[str, str]] = {
    "en": {
        "morning": "mornings",
        "afternoon": "afternoons",
        "evening": "evenings",
        "night": "nights",
        "lunch": "lunchtimes",
    },
    "de": {"morgen": "morgende", "evening": "abende", "nacht": "nächte"},
}
"""Plurals of parts of the day: "Friday mornings" is a habit, "two nights" a stay."""
SEASONS: dict[str, tuple[str, str, str, str]] = {
    "en": ("spring springtime", "summer summertime", "autumn fall", "winter wintertime"),
    "de": ("fruehling fruehjahr fruehlings", "sommer sommers", "herbst herbsts herbstes", "winter winters"),
}
ZONES: dict[str, float] = {
    "gmt": 0, "utc": 0, "bst": 1, "cet": 1, "mez": 1, "cest": 2, "mesz": 2, "eet": 2, "eest": 3, "msk": 3,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9,
}  # fmt: skip
"""Abbreviations of clocks with a fixed offset, in hours from UTC."""

COMPOUND_HEADS = (
    *tuple(word for group in WEEKDAYS["de"] for word in group.split() if word.endswith(("tag", "woch", "abend"))),
    "heute",
)
"""First halves of German compounds: Freitag|abend."""
COMPOUND_TAILS = frozenset(
    word.replace("ä", "ae").replace("ü", "ue").replace("ö", "oe")
    for group in PARTS_OF_DAY["de"].values()
    for word in group.split(",")
    if " " not in word
) | {"morgen"}
"""Second halves."""
