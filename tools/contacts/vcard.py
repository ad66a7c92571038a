"""A vCard file as contacts: version 2.1, 3.0 or 4.0, one card or thousands. No bytes make it raise.

bytes ─► text ─► cards, each cut down to who and where ─► vobject ─► contacts, and what could not be used
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import vobject

from memory.canonical import digest
from memory.contact import Contact, Source, make
from memory.facts.value import fault_in, of_day, plain
from tools.filetext import decoded

FILE_MAX_BYTES = 64 << 20
CARDS_MAX = 50_000
_LINE_MAX, _LINES_MAX, _UID_MAX = 10_000, 500, 500
"""What is longer or more than this, within what is kept of one card, belongs to no person."""

_KEPT = frozenset(
    {"VERSION", "FN", "N", "ORG", "EMAIL", "UID", "KIND", "X-ADDRESSBOOKSERVER-KIND", "TITLE", "BDAY", "REV", "TEL"}
)
_FOLD = re.compile(r"\r?\n[ \t]")
_SOFT_BREAK = re.compile(r"=\r?\n")
_NAME = re.compile(r"(?:[\w-]+\.)?([\w-]+)[;:]")
_BORN = re.compile(r"(?:(?P<year>\d{4})-?|--)(?P<month>\d{2})-?(?P<day>\d{2})(?:[T ].*)?")
_YEAR_MIN = 1880
_TEL = re.compile(r"^\s*tel:", re.IGNORECASE)
_MAILTO = re.compile(r"^\s*mailto:", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Card:
    """A contact, and the `key` by which its source knows it again: its UID, else what stands in it.

    details: what else it says, by kind of fact. written_at: when the card says that it was changed last, aware UTC.
    """

    key: str
    contact: Contact
    details: tuple[tuple[str, str], ...] = ()
    written_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CardFault:
    """What could not be used. `number` counts the cards of the file from one, 0 stands for the file itself."""

    number: int
    because: str


@dataclass(frozen=True, slots=True)
class AddressBook:
    """What a file held. `without_address` counts cards that are in order and hold nothing to write to."""

    cards: tuple[Card, ...]
    faults: tuple[CardFault, ...] = ()
    without_address: int = 0


class _UnusableError(Exception):
    """A card can't be used; the message says why, without its words."""


def read_vcards(content: bytes, *, source: Source = "vcard") -> AddressBook:
    """Every card in the file that names somebody to write to. Never raises for what the file holds."""
    if len(content) > FILE_MAX_BYTES:
        return AddressBook((), (CardFault(0, f"the file is larger than {FILE_MAX_BYTES >> 20} MB"),))
    cards: list[Card] = []
    faults: list[CardFault] = []
    without_address = number = 0
    for number, lines in enumerate(_cards(decoded(content)), 1):
        if number > CARDS_MAX:
            faults.append(CardFault(number, f"only the first {CARDS_MAX} cards are read"))
            break
        try:
            card = _card(lines, source)
        except _UnusableError as error:
            faults.append(CardFault(number, str(error)))
            continue
        if card is None:
            without_address += 1
        else:
            cards.append(card)
    if not number:
        faults.append(CardFault(0, "there is no card in the file"))
    return AddressBook(tuple(cards), tuple(faults), without_address)


def _cards(text: str) -> Iterator[Sequence[str]]:
    """The lines of each card, unfolded; a card that never ends comes as far as it goes, with its end missing."""
    card: list[str] | None = None
    for line in _SOFT_BREAK.sub("", _FOLD.sub("", text)).splitlines():
        mark = line.strip().upper()
        if mark == "BEGIN:VCARD":
            if card is not None:
                yield card
            card = []
        elif mark == "END:VCARD" and card is not None:
            yield [*card, "END:VCARD"]
            card = None
        elif card is not None and len(card) < _LINES_MAX and _is_kept(line):
            card.append(line)
    if card is not None:
        yield card


def _is_kept(line: str) -> bool:
    """Whether the line says who or where: pictures, sounds and the rest are not even looked at."""
    found = _NAME.match(line)
    return found is not None and found[1].upper() in _KEPT and len(line) <= _LINE_MAX


def _card(lines: Sequence[str], source: Source) -> Card | None:
    if not lines or lines[-1] != "END:VCARD":
        raise _UnusableError("the card has no end")
    try:
        card = vobject.readOne("\r\n".join(["BEGIN:VCARD", *lines, ""]))
        contents = dict(card.contents)
        is_group = _is_group(contents)
        name, uid = _name(contents), str(_first(contents, "uid") or "").strip()
        details, written_at = _details(contents), _moment(str(_first(contents, "rev") or ""))
        phones = [_TEL.sub("", str(line.value)).strip() for line in contents.get("tel", ())]
        written = [_MAILTO.sub("", str(line.value)).strip() for line in contents.get("email", ())]
    # The library raises whatever a broken card leads it into (AttributeError, IndexError, its own): all mean the same.
    except Exception as error:
        raise _UnusableError(f"the card can't be read ({type(error).__name__})") from error
    if is_group:
        raise _UnusableError("it is a group, not a person")
    if not any(written):
        return None
    contact = make(name, written, source, phones)
    if not contact.addresses:
        raise _UnusableError("none of its addresses can be read beyond doubt")
    key = uid[:_UID_MAX] or digest([contact.name, *contact.addresses])
    return Card(key, contact, details, written_at)


def _details(contents: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """Role, employer and birthday, as far as they are plain."""
    company = _first(contents, "org")
    born = _BORN.fullmatch(str(_first(contents, "bday") or "").strip())
    day = of_day(int(born["month"]), int(born["day"]), _year(born["year"])) if born else None
    told = (
        ("role", plain(str(_first(contents, "title") or ""))),
        ("employer", plain(str(company[0])) if isinstance(company, list) and company else ""),
        ("birthday", day or ""),
    )
    return tuple((kind, value) for kind, value in told if value and fault_in(kind, value) is None)


def _year(digits: str | None) -> int | None:
    """None for 1604, which some programs write where nobody knows the year."""
    return int(digits) if digits and int(digits) >= _YEAR_MIN else None


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _is_group(contents: dict[str, Any]) -> bool:
    kinds = (line.value for key in ("kind", "x-addressbookserver-kind") for line in contents.get(key, ()))
    return any(str(kind).strip().lower() in {"group", "list"} for kind in kinds)


def _name(contents: dict[str, Any]) -> str:
    """The name as the owner would say it; else its parts, else the company."""
    if shown := _first(contents, "fn"):
        return str(shown)
    if parts := _first(contents, "n"):
        return " ".join(str(parts.given).split() + str(parts.family).split())
    company = _first(contents, "org")
    return " ".join(map(str, company)) if isinstance(company, list) else ""


def _first(contents: dict[str, Any], key: str) -> Any:
    return next((line.value for line in contents.get(key, ()) if str(line.value).strip()), None)
