"""A contact: somebody of the owner's own records. Never made from received mail: whoever writes once is no contact."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from memory.errors import BadInput
from memory.recipient import NAME_MAX, among, readable
from memory.visible import hides_something, is_one_line

Source = Literal["vcard", "carddav", "google", "owner"]
"""Where the record stands: a vCard file, a CardDAV or Google address book, or the owner confirmed it here."""


PHONE_MAX, PHONES_MAX = 40, 20


@dataclass(frozen=True, slots=True)
class Contact:
    """One record. `addresses` are in the form of memory/recipient; `make` brings them there. `phones`: as written."""

    name: str
    addresses: tuple[str, ...]
    source: Source
    phones: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.source not in get_args(Source):
            raise BadInput("a contact comes from a vCard, CardDAV, Google or the owner: never from mail")
        if any(readable(address) != address for address in self.addresses):
            raise BadInput(f"an address of the contact {self.name!r} is not in its plain form")


@dataclass(frozen=True, slots=True)
class StoredContact:
    """A contact in the ledger."""

    id: int
    owner_id: int
    contact: Contact


def make(name: str, addresses: Iterable[str], source: Source, phones: Iterable[str] = ()) -> Contact:
    """A contact from a record as it stands: addresses that can't be read are left out, the name is made plain."""
    found = (readable(address.strip().removeprefix("mailto:")) for address in addresses)
    numbers = sorted({plain_name(phone)[:PHONE_MAX] for phone in phones} - {""})[:PHONES_MAX]
    return Contact(
        plain_name(name), tuple(dict.fromkeys(address for address in found if address)), source, tuple(numbers)
    )


def plain_name(name: str) -> str:
    """A name without anything that hides or breaks a line, of at most 200 characters."""
    kept = (
        " " if not is_one_line(letter) else letter for letter in name if letter.isspace() or not hides_something(letter)
    )
    return " ".join("".join(kept).split())[:NAME_MAX].rstrip()


def of_address(address: str, contacts: Sequence[StoredContact]) -> StoredContact | None:
    """The record that holds this very address; of several the one that the owner confirmed, else the oldest."""
    holding = [stored for stored in contacts if among(address, stored.contact.addresses)]
    return min(holding, key=lambda stored: (stored.contact.source != "owner", stored.id), default=None)


def known_addresses(contacts: Iterable[StoredContact]) -> tuple[str, ...]:
    """Every address of every record."""
    return tuple(address for stored in contacts for address in stored.contact.addresses)
