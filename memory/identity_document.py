"""Identity documents: a passport or an identity card never leaves as an attachment, by whatever path it comes.

    where it really lies, and its name ─┐
    its text: a machine-readable zone, numbers of documents, the words on them ─┼─► Never │ AskTwice │ None
    no text to be read (an image, a scan, an archive) ─┘

Judged is what it is, not what somebody says it is: the folder is the resolved one, and look-alike letters are undone.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle

from memory.confusable import folded

READABLE_LETTERS = 20
"""A document with fewer letters than this in its text layer counts as one that can't be read."""

LABELS_ON_A_DOCUMENT = 3
"""So many of the labels printed on documents, with a title among the words, make one."""


@dataclass(frozen=True, slots=True)
class Never:
    """It is not attached, by nobody and never."""

    because: str


@dataclass(frozen=True, slots=True)
class AskTwice:
    """It may be one: its card says so and needs a second tap."""

    because: str


# Names, after folding: umlauts are bare vowels, ß is ss, everything but letters and digits is a space.
_NAMED = re.compile(
    r"""\b(?:
        \w*passports? | (?:personal|dienst|studenten|schuler|presse|behinderten|versicherungs|kinder|fluchtlings)?ausweis(?:e|kopien?|scans?|nummer|dokumente?)? | \w*reisepass(?:e|kopie|scan)? | (?:kinder|eu[ ])pass(?:kopie)?
      | passkopie | pass(?:scan|copy|photo|foto|bild)s? | fuhrerschein\w* | fuehrerschein\w* | fahrerlaubnis\w*
      | driv(?:er|ers|ing|er[ ]s)[ ]?licen[cs]es? | identity[ ]?(?:cards?|documents?|papers?) | identification(?:[ ](?:cards?|documents?))?
      | id[ ]?(?:cards?|documents?|scans?|copy|copies|papers?|front|back|proof) | (?:national|government|photo)[ ]?id | identitats(?:karte|nachweis|dokument)\w*
      | ssn | social[ ]?security\w* | sozialversicherungs(?:ausweis|nummer) | visas? | visum | visa?antrag | aufenthalts(?:titel|erlaubnis|karte)
      | residence[ ]?permits? | green[ ]?cards? | birth[ ]?certificates? | geburtsurkunden? | carte[ ]?d[ ]?identite | pasaporte | passaporto
      | niederlassungserlaubnis | perso | ids
    )\b""",
    re.VERBOSE,
)
_PASS_ALONE = re.compile(r"(?<!boarding )(?<!ski )(?<!day )(?<!season )(?<!bus )(?<!rail )\bpass\b")

_TITLES = re.compile(
    r"\b(?:passport|passeport|reisepass|personalausweis|identity card|carte d ?identite|identification card|fuhrerschein"
    r"|driving licen[cs]e|driver s licen[cs]e|aufenthaltstitel|residence permit|visa|visum|social security (?:card|number)|geburtsurkunde)\b"
)
_LABELS = re.compile(
    r"\b(?:surname|given names?|nationality|date of birth|place of birth|date of (?:issue|expiry)|authority|passport no|document no"
    r"|card no|holder s signature|staatsangehorigkeit|geburtsdatum|geburtstag|geburtsort|geburtsname|gultig bis|ausstellende behorde|behorde"
    r"|vornamen?|ausstellungsdatum|ausweisnummer|korpergrosse|augenfarbe|unterschrift der inhaberin|type typ|code of issuing state)\b"
)
_SSN = re.compile(
    r"(?:\bssn\b|social[ -]security)[^\n]{0,40}?\b(?!000|666|9\d\d)\d{3}[- ](?!00)\d{2}[- ](?!0000)\d{4}\b",
    re.IGNORECASE,
)
# Serial numbers of German documents: letters without vowels and look-alikes, a check digit, in newer ones a D behind it.
_GERMAN_SERIAL = re.compile(r"(?<![A-Z0-9])([CFGHJKLMNPRTVWXYZ][CFGHJKLMNPRTVWXYZ0-9]{8})(\d)D?(?![A-Z0-9])")

_TD3 = re.compile(
    r"(?=([A-Z0-9<]{9})([0-9])[A-Z<]{3}([0-9]{6})([0-9])[MFX<]([0-9]{6})([0-9])([A-Z0-9<]{14})([0-9<])([0-9]))"
)
_TD2 = re.compile(r"(?=([A-Z0-9<]{9})([0-9])[A-Z<]{3}([0-9]{6})([0-9])[MFX<]([0-9]{6})([0-9])([A-Z0-9<]{7})([0-9]))")
_TD1 = re.compile(
    r"(?=[ACI][A-Z0-9<][A-Z<]{3}([A-Z0-9<]{9})([0-9])([A-Z0-9<]{15})([0-9]{6})([0-9])[MFX<]([0-9]{6})([0-9])[A-Z<]{3}([A-Z0-9<]{11})([0-9]))"
)
_NAME_LINE = re.compile(
    r"^(?=.{30}$|.{36}$|.{44}$)(?:[PVIAC][A-Z<][A-Z<]{3})?[A-Z]+(?:<[A-Z]+)*<<[A-Z<]*<<<$", re.MULTILINE
)


def judge(*, path: str, name: str, media_type: str, text: str | None) -> Never | AskTwice | None:
    """What to do with a file that somebody wants to attach; None when nothing speaks against it.

    path: where it really lies, with every link followed. name: what it would be called. text: its text layer, None when it
    has none or it could not be read.
    """
    if _named_like_one(path) or _named_like_one(name):
        return Never("its folder or its name says that it is an identity document")
    if text is not None and (because := _reads_like_one(text)):
        return Never(because)
    if media_type.startswith(("image/", "video/")) or text is None or _letters(text) < _letters_needed(media_type):
        return AskTwice("it can't be read, so it may show an identity document")
    plain = _words(text)
    if _TITLES.search(plain):
        return AskTwice("it speaks of an identity document")
    if any(_PASS_ALONE.search(_words(part)) for part in (path, name)):
        return AskTwice("its folder or its name speaks of a pass")
    return None


def has_machine_readable_zone(text: str) -> bool:
    """Whether a zone of a passport, a card or a visa (ICAO 9303: TD1, TD2, TD3) stands in it, its check digits right."""
    zone = re.sub(r"\s+", "", text.replace("«", "<<").upper())
    return any(all(_checks(pairs) for pairs in [found]) for found in _zones(zone))


def _named_like_one(text: str) -> bool:
    return _NAMED.search(_words(text)) is not None or _NAMED.search(_words(_camel_apart(text))) is not None


def _reads_like_one(text: str) -> str | None:
    if has_machine_readable_zone(text):
        return "a machine-readable zone stands in it, as on passports"
    if _NAME_LINE.search(re.sub(r"[ \t\r]", "", text.replace("«", "<<").upper())):
        return "a line of a machine-readable zone stands in it, as on passports"
    plain = _words(text)
    if _TITLES.search(plain) and len(set(_LABELS.findall(plain))) >= LABELS_ON_A_DOCUMENT:
        return "the words of an identity document stand in it"
    if _SSN.search(text):
        return "a social security number stands in it"
    if _TITLES.search(plain) and any(_check_digit(serial) == digit for serial, digit in _GERMAN_SERIAL.findall(text)):
        return "the number of a German identity document stands in it"
    return None


def _letters_needed(media_type: str) -> int:
    """Plain text holds nothing but its text, however short it is."""
    return 1 if media_type.partition(";")[0].strip().lower() == "text/plain" else READABLE_LETTERS


def _letters(text: str) -> int:
    return sum(letter.isalnum() for letter in text)


def _words(text: str) -> str:
    """Look-alikes undone, lower case, and everything that is no letter or digit a single space."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", folded(text)).split())


def _camel_apart(text: str) -> str:
    return re.sub(
        r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", unicodedata.normalize("NFC", text)
    )


# Check digits

_VALUES = {sign: value for value, sign in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")} | {"<": 0}

Pairs = tuple[tuple[str, str], ...]
"""Fields with the check digits that stand behind them."""


def _check_digit(field: str) -> str:
    """ICAO 9303 part 3, 4.9: weights 7, 3, 1 over and over, remainder by 10."""
    return str(sum(_VALUES[sign] * weight for sign, weight in zip(field, cycle((7, 3, 1)), strict=False)) % 10)


def _checks(pairs: Pairs) -> bool:
    return all(_check_digit(field) == digit for field, digit in pairs)


def _zones(zone: str) -> Iterator[Pairs]:
    for pattern, pairs in _KINDS:
        yield from (pairs(found) for found in pattern.findall(zone))


def _td3(found: tuple[str, ...]) -> Pairs:
    number, n, born, b, until, u, personal, p, all_of = found
    # The digit of an empty personal number may be a filler; the one over all takes it as it stands.
    own = ((personal, p),) if p != "<" else ()
    whole = f"{number}{n}{born}{b}{until}{u}{personal}{p}"
    return ((number, n), (born, b), (until, u), *own, (whole, all_of))


def _td2(found: tuple[str, ...]) -> Pairs:
    number, n, born, b, until, u, optional, all_of = found
    return ((number, n), (born, b), (until, u), (f"{number}{n}{born}{b}{until}{u}{optional}", all_of))


def _td1(found: tuple[str, ...]) -> Pairs:
    number, n, first, born, b, until, u, second, all_of = found
    whole = f"{number}{n}{first}{born}{b}{until}{u}{second}"
    return ((number, n), (born, b), (until, u), (whole, all_of))


_KINDS: Iterable[tuple[re.Pattern[str], Callable[[tuple[str, ...]], Pairs]]] = (
    (_TD3, _td3),
    (_TD2, _td2),
    (_TD1, _td1),
)
