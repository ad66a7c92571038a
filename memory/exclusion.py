"""Exclusions: what of the owner's world is never read: people, addresses, domains, folders.

The list is a text, one rule a line, `#` for remarks:

    address therapist@example.org
    domain  clinic.example
    person  Anna Example
    folder  Private/Diary

A list that can't be understood stops every read: a boundary that is half known is none. What it says of whom is told
nobody: an error names the line, and not what stands in it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import idna

from memory.errors import BadInput, Refused
from memory.people.identity import folded_name, mailbox_of


class UnreadableExclusions(Refused):
    """The list can't be read or understood, so nothing that it may cover is read. Names the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """The rules, each in the one spelling that `read_exclusions` gives it."""

    people: frozenset[str] = field(default_factory=frozenset)
    addresses: frozenset[str] = field(default_factory=frozenset)
    domains: frozenset[str] = field(default_factory=frozenset)
    folders: frozenset[str] = field(default_factory=frozenset)

    def covers_address(self, address: str) -> bool:
        """Whether the address, or its domain or one above it, is on the list: in any spelling that reaches the mailbox."""
        written = _address(address)
        if not written:
            return False
        if written in self.addresses or mailbox_of(written) in self.addresses:
            return True
        labels = written.rpartition("@")[2].split(".")
        return any(".".join(labels[start:]) in self.domains for start in range(len(labels)))

    def covers_name(self, name: str) -> bool:
        """Whether a person of this name is on the list, also as "Last, First", with a title, or in another case."""
        # A list that passes a mail on writes "Anna Example via Neighbours".
        return bool(self.people) and not self.people.isdisjoint((_person(name), _person(_VIA.split(name)[0])))

    def covers_folder(self, folder: str) -> bool:
        """Whether the folder, label or calendar, or one that it lies in, is on the list."""
        if not self.folders:
            return False
        whole = _folder(folder)
        # Servers that keep everything under INBOX show it so; their owners know it without.
        return any(
            "/".join(parts[:end]) in self.folders
            for parts in (whole.split("/"), whole.removeprefix("inbox/").split("/"))
            for end in range(1, len(parts) + 1)
        )

    def covers(self, people: Iterable[tuple[str, str]], *folders: str) -> bool:
        """Whether anybody of `people` (name, address), or one of the folders and labels, is on the list."""
        return any(self.covers_folder(folder) for folder in folders if folder) or any(
            (bool(address) and self.covers_address(address)) or (bool(name) and self.covers_name(name))
            for name, address in people
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is excluded."""
        return not (self.people or self.addresses or self.domains or self.folders)


NOTHING = Exclusions()

_KINDS = {"person": "people", "address": "addresses", "domain": "domains", "folder": "folders"}

_VIA = re.compile(r"\s+via\s+", re.IGNORECASE)

_REMARK = re.compile(r"(?:^|\s)#.*")
"""A remark begins a line or follows a space: a folder may be called C#."""

RULE = "a rule is one of: person NAME, address NAME@DOMAIN, domain DOMAIN, folder NAME"


def read_exclusions(text: str) -> Exclusions:
    """The list that `text` is. Raises UnreadableExclusions for any line that is no rule."""
    found: dict[str, set[str]] = {kind: set() for kind in _KINDS.values()}
    for number, line in enumerate(text.splitlines(), 1):
        rule = _REMARK.sub("", line.removeprefix("\ufeff")).strip()
        if rule:
            kind, value = _rule(rule, number)
            found[kind].add(value)
    return Exclusions(**{kind: frozenset(values) for kind, values in found.items()})


def _rule(rule: str, number: int) -> tuple[str, str]:
    word, *rest = rule.split(maxsplit=1)
    kind = _KINDS.get(word.rstrip(":").casefold())
    if kind is None or not rest:
        raise UnreadableExclusions(f"line {number} of the exclusions is no rule; {RULE}")
    value = {"people": _person, "addresses": _ruled_address, "domains": _ruled_domain, "folders": _folder}[kind](
        rest[0]
    )
    if not value:
        raise UnreadableExclusions(f"line {number} of the exclusions names no {word.rstrip(':').casefold()}; {RULE}")
    return kind, value


def rule_line(kind: str, value: str) -> str:
    """The line that adds a rule. Raises BadInput when it would not be one."""
    line = f"{kind} {' '.join(value.split())}"
    if kind not in _KINDS or _REMARK.search(line):
        raise BadInput(f"{RULE}; what follows a space and # is a remark")
    try:
        read_exclusions(line)
    except UnreadableExclusions as error:
        raise BadInput(f"that names no {kind}; {RULE}") from error
    return line


def _address(text: str) -> str:
    """The address in lower case with its domain in ASCII; "" for what is none."""
    local, _, domain = text.strip().strip("<>").casefold().rpartition("@")
    return f"{local}@{_domain(domain)}" if local and domain else ""


def _ruled_address(text: str) -> str:
    """The mailbox, whose every "+tag" is meant; with a tag that address alone."""
    written = _address(text)
    if written.count("@") != 1 or " " in written:
        return ""
    return written if "+" in written else mailbox_of(written)


def _ruled_domain(text: str) -> str:
    plain = _domain(text.strip().removeprefix("@").removeprefix("*."))
    return "" if "@" in plain or " " in plain or "." not in plain else plain


def _domain(text: str) -> str:
    """In lower case and ASCII, so that müller.example and xn--mller-kva.example are one."""
    plain = text.strip().casefold().strip(".")
    if plain.isascii():
        return plain
    try:
        return idna.encode(plain, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return plain


def _person(name: str) -> str:
    """The words of a name as they are compared. One with a number in it is compared as it is written."""
    folded = _folded(name.strip("\"'"))
    return folded if any(sign.isdigit() for sign in folded) else " ".join(folded_name(folded)) or folded


def _folder(name: str) -> str:
    return _folded(name).replace(".", "/").replace("\\", "/").strip("/")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
