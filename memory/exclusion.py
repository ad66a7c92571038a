"""Exclusions: what of the owner's world is never read: people, addresses, domains, folders.

The list is a text, one rule a line, `#` for remarks:

    address therapist@example.org
    domain  clinic.example
    person  Anna Example
    folder  Private/Diary

A list that can't be understood stops every read: a boundary that is half known is none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from memory.errors import BadInput, Refused


class UnreadableExclusions(Refused):
    """The list can't be read or understood, so nothing that it may cover is read. Names the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """The rules, each folded to lower case with its spaces made one."""

    people: frozenset[str] = field(default_factory=frozenset)
    addresses: frozenset[str] = field(default_factory=frozenset)
    domains: frozenset[str] = field(default_factory=frozenset)
    folders: frozenset[str] = field(default_factory=frozenset)

    def covers_address(self, address: str) -> bool:
        """Whether the address, or its domain or one above it, is on the list. A "+tag" is part of no name."""
        local, _, domain = address.strip().casefold().rpartition("@")
        if not domain:
            return False
        plain = f"{local.partition('+')[0]}@{domain}"
        if plain in self.addresses or f"{local}@{domain}" in self.addresses:
            return True
        labels = domain.rstrip(".").split(".")
        return any(".".join(labels[start:]) in self.domains for start in range(len(labels)))

    def covers_name(self, name: str) -> bool:
        """Whether a person of this name is on the list, also as "Last, First"."""
        folded = _folded(name.strip("\"'"))
        last, comma, first = folded.partition(", ")
        return folded in self.people or (bool(comma) and f"{first} {last}" in self.people)

    def covers_folder(self, folder: str) -> bool:
        """Whether the folder or calendar, or one that it lies in, is on the list."""
        folded = _folded(folder).replace(".", "/")
        parts = folded.split("/")
        return any("/".join(parts[:end]) in self.folders for end in range(1, len(parts) + 1))

    def covers(self, people: Iterable[tuple[str, str]], folder: str = "") -> bool:
        """Whether anybody of `people` (name, address), or the folder, is on the list."""
        return (bool(folder) and self.covers_folder(folder)) or any(
            (bool(address) and self.covers_address(address)) or (bool(name) and self.covers_name(name))
            for name, address in people
        )

    @property
    def is_empty(self) -> bool:
        """Whether nothing is excluded."""
        return not (self.people or self.addresses or self.domains or self.folders)


NOTHING = Exclusions()

_KINDS = {"person": "people", "address": "addresses", "domain": "domains", "folder": "folders"}


def read_exclusions(text: str) -> Exclusions:
    """The list that `text` is. Raises UnreadableExclusions for any line that is no rule."""
    found: dict[str, set[str]] = {kind: set() for kind in _KINDS.values()}
    for number, line in enumerate(text.splitlines(), 1):
        rule = line.partition("#")[0].strip().lstrip("\ufeff")
        if rule:
            kind, value = _rule(rule, number)
            found[kind].add(value)
    return Exclusions(**{kind: frozenset(values) for kind, values in found.items()})


def _rule(rule: str, number: int) -> tuple[str, str]:
    word, _, value = rule.partition(" ")
    kind, value = _KINDS.get(word.rstrip(":").casefold()), _folded(value)
    if kind is None or not value:
        raise UnreadableExclusions(
            f"line {number} of the exclusions is no rule: {rule!r}. "
            "A rule is one of: person NAME, address NAME@DOMAIN, domain DOMAIN, folder NAME"
        )
    if kind == "addresses" and (value.count("@") != 1 or value.startswith("@") or value.endswith("@")):
        raise UnreadableExclusions(f"line {number} of the exclusions names no address: {rule!r}")
    if kind == "domains":
        value = value.removeprefix("@").removeprefix("*.").rstrip(".")
        if "@" in value or "." not in value:
            raise UnreadableExclusions(f"line {number} of the exclusions names no domain: {rule!r}")
    if kind == "folders":
        value = value.replace(".", "/").strip("/")
    return kind, value


def rule_line(kind: str, value: str) -> str:
    """The line that adds a rule. Raises BadInput when it would not be one."""
    line = f"{kind} {' '.join(value.split())}"
    try:
        read_exclusions(line)
    except UnreadableExclusions as error:
        raise BadInput(str(error)) from error
    return line


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
