"""Exclusions: what of the owner's world is never read: people, addresses, domains, folders.

The list is a text, one rule a line, `#` for remarks:

    address therapist@example.org
    domain  clinic.example
    person  Anna Example
    folder  Private/Diary

Whoever is excluded by name is often seen by an address alone. What address bears a name is told by the owner's address
book, which is taken at its word, and by mails, which anybody can write: so an address counts as theirs when the name
stood beside it and nobody else's did. It does not when it is one of the owner's own (a stranger's mail would hide all the
rest), when it names an office or a robot, or when a list passed the mail on: what others write by it would be lost, and
where they write themselves their name is seen. An address shared by two people is told by the names alone. That may cover
more than was meant, which is the safe side. What was learned so is kept as hashes beside the name's (memory/sql/bearing),
so that it holds after the mails that told it are erased, and ends with the rule.

A list that can't be understood stops every read: a boundary that is half known is none. What it says of whom is told
nobody: an error names the line, and not what stands in it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import idna

from memory.canonical import digest
from memory.errors import BadInput, Refused
from memory.people.mailbox import folded_name, is_robot, is_role, mailbox_of


class UnreadableExclusions(Refused):
    """The list can't be read or understood, so nothing that it may cover is read. Names the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """The rules, each in the one spelling that `read_exclusions` gives it."""

    people: frozenset[str] = field(default_factory=frozenset)
    addresses: frozenset[str] = field(default_factory=frozenset)
    domains: frozenset[str] = field(default_factory=frozenset)
    folders: frozenset[str] = field(default_factory=frozenset)
    marks: frozenset[str] = field(default_factory=frozenset)
    """Of the addresses that are known to bear a name on the list (see `mark_of`)."""

    @property
    def rules_digest(self) -> str:
        """By which it is seen whether the list is as it was."""
        return digest([sorted(rules) for rules in (self.people, self.addresses, self.domains, self.folders)])

    def covers_address(self, address: str) -> bool:
        """Whether the address, or its domain or one above it, is on the list: in any spelling that reaches the mailbox."""
        written = _address(address)
        if not written:
            return False
        if written in self.addresses or mailbox_of(written) in self.addresses:
            return True
        if self.marks and mark_of(written) in self.marks:
            return True
        labels = written.rpartition("@")[2].split(".")
        return any(".".join(labels[start:]) in self.domains for start in range(len(labels)))

    def covers_name(self, name: str) -> bool:
        """Whether a person of this name is on the list, also as "Last, First", with a title, or in another case."""
        # A list that passes a mail on writes "Anna Example via Neighbours".
        return bool(self.people) and not self.people.isdisjoint((_person(name), _person(_VIA.split(name)[0])))

    def rule_of(self, name: str) -> str | None:
        """The mark of the rule that names just this person; None for anybody else, and for what a list passed on."""
        person = _person(name)
        return mark_of(person) if person in self.people else None

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

    def covers_text(self, *texts: str) -> bool:
        """Whether somebody on the list is named in one of the texts, or one of its addresses is there."""
        longest = max((len(name.split()) for name in self.people), default=0)
        firsts = {name.partition(" ")[0] for name in self.people}
        for text in texts if not self.is_empty else ():
            if any(self.covers_address(found.rstrip(".!?")) for found in _WRITTEN.findall(text)):
                return True
            words = _WORD.findall(text) if firsts else []
            begins = [at for at, word in enumerate(words) if _person(word) in firsts]
            runs = (words[at : at + size] for at in begins for size in range(1, longest + 1))
            if any(self.covers_name(" ".join(run)) for run in runs):
                return True
        return False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is excluded."""
        return not (self.people or self.addresses or self.domains or self.folders)


NOTHING = Exclusions()

_WRITTEN = re.compile(r"[^\s<>()\[\],;:\"']+@[^\s<>()\[\],;:\"']+\.[^\s<>()\[\],;:\"']+")
_WORD = re.compile(r"\w+")


def mark_of(value: str) -> str:
    """What stands for a mailbox, or for the name in a rule, where neither may be read."""
    return digest(mailbox_of(value) if "@" in value else value)


def bears(exclusions: Exclusions, name: str, address: str, others: Iterable[str]) -> str | None:
    """The mark of the rule on the person whose address this is, as a mail tells it; None when it tells nothing.

    others: every name that ever stood beside it. Whether it is the owner's own is asked before.
    """
    rule = exclusions.rule_of(name)
    if rule is None or not address or is_role(address) or is_robot(address):
        return None
    theirs = set(folded_name(name))
    is_shared = any(words and not (set(words) <= theirs or theirs <= set(words)) for words in map(folded_name, others))
    return None if is_shared else rule


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
    value = _READERS[kind](rest[0])
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


@lru_cache(maxsize=20_000)
def _person(name: str) -> str:
    """The words of a name as they are compared. One with a number in it is compared as it is written."""
    folded = _folded(name.strip("\"'"))
    return folded if any(sign.isdigit() for sign in folded) else " ".join(folded_name(folded)) or folded


def _folder(name: str) -> str:
    return _folded(name).replace(".", "/").replace("\\", "/").strip("/")


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


_READERS: Mapping[str, Callable[[str], str]] = {
    "people": _person,
    "addresses": _ruled_address,
    "domains": _ruled_domain,
    "folders": _folder,
}
