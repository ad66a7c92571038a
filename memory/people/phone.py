"""A phone number in one spelling, so that the same number written in three ways is one.

    +49 170 1234567    0049 170 1234567    +49 (0)170 1234567    and, at home in Germany, 0170 1234567    → +491701234567

What can't be told beyond doubt is no number: a wrong country would make two people one.
"""

import re
from collections.abc import Mapping

DIGITS_MIN, DIGITS_MAX = 8, 15
"""Of E.164 with its country; what is shorter is an extension, a short code or a year."""

_WRITTEN = re.compile(
    r"^\s*(?:tel(?:\.|:|efon)?|mobil(?:e)?|phone|handy)?[:\s]*(\+?[\d\s()./\u00a0\u2011\u2013-]+)$", re.I
)
_TRUNK = re.compile(r"\(\s*0\s*\)")

_OF_ZONE: Mapping[str, tuple[str, str]] = {
    # The zone's beginning or whole: its country's code, and what stands before a number dialled at home.
    "Europe/Berlin": ("49", "0"),
    "Europe/Busingen": ("49", "0"),
    "Europe/Vienna": ("43", "0"),
    "Europe/Zurich": ("41", "0"),
    "Europe/London": ("44", "0"),
    "Europe/Dublin": ("353", "0"),
    "Europe/Paris": ("33", "0"),
    "Europe/Brussels": ("32", "0"),
    "Europe/Amsterdam": ("31", "0"),
    "Europe/Stockholm": ("46", "0"),
    "Europe/Rome": ("39", ""),
    "Europe/Madrid": ("34", ""),
    "Europe/Lisbon": ("351", ""),
    "Europe/Copenhagen": ("45", ""),
    "Europe/Oslo": ("47", ""),
    "Europe/Warsaw": ("48", ""),
    "Europe/Prague": ("420", ""),
    "America/New_York": ("1", "1"),
    "America/Chicago": ("1", "1"),
    "America/Denver": ("1", "1"),
    "America/Los_Angeles": ("1", "1"),
    "America/Toronto": ("1", "1"),
    "America/Vancouver": ("1", "1"),
    "Australia/Sydney": ("61", "0"),
    "Australia/Melbourne": ("61", "0"),
    "Asia/Kolkata": ("91", "0"),
}


def number_of(written: str, *, zone: str = "") -> str:
    """The number in E.164, "" for what is none or can't be told. zone: where the owner is at home, for "0170 …"."""
    found = _WRITTEN.match(written)
    if found is None:
        return ""
    plain = _TRUNK.sub("", found[1]) if found[1].lstrip().startswith(("+", "00")) else found[1]
    digits = "".join(sign for sign in plain if sign.isdigit() and sign.isascii())
    if plain.lstrip().startswith("+"):
        return _checked(digits)
    if digits.startswith("00"):
        return _checked(digits[2:])
    return _at_home(digits, zone)


def _at_home(digits: str, zone: str) -> str:
    country, trunk = _OF_ZONE.get(zone, ("", ""))
    if not country:
        return ""
    if country == "1":
        bare = digits.removeprefix("1") if len(digits) == 11 else digits
        return f"+1{bare}" if len(bare) == 10 and bare[0] not in "01" else ""
    if trunk:
        return _checked(country + digits.removeprefix(trunk)) if digits.startswith(trunk) else ""
    return _checked(country + digits) if len(digits) >= DIGITS_MIN else ""


def _checked(digits: str) -> str:
    return f"+{digits}" if DIGITS_MIN <= len(digits) <= DIGITS_MAX and not digits.startswith("0") else ""
