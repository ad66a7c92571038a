"""Known: what is known of one identity, from everything it stands in; and what the owner said of pairs."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations

from memory.people.calling import Name, are_alike, are_used_alike, full_name_of, is_passed_on, is_several
from memory.people.mailbox import is_robot, is_role
from memory.people.person import IdentityKind, PersonKind
from memory.people.signed import Signed

NAMES_SHARED = 3
"""An identity under so many different full names is shared by several people."""

Key = tuple[IdentityKind, str]
"""What an identity is: its kind and value."""


@dataclass(slots=True, kw_only=True)
class Known:
    """What is known of one identity.

    names: as written, with how often. stood: the mails in which it stands, of late. threads: in which it wrote. asked: threads in
    which the owner wrote to it. replies: mailboxes to which it asked for answers.
    written_to: the owner wrote to it. records: the owner's records that hold it, with their names. signed: what stands
    below its mails now.
    """

    key: Key
    names: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    stood: set[int] = field(default_factory=set)
    threads: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    replies: set[str] = field(default_factory=set)
    written_to: bool = False
    robot_mails: int = 0
    mails: int = 0
    is_owner: bool = False
    records: dict[int, str] = field(default_factory=dict)
    signed: Signed = field(default_factory=Signed)

    @property
    def value(self) -> str:
        """The mailbox, the number, the handle."""
        return self.key[1]

    @property
    def is_address(self) -> bool:
        """Whether it is a mailbox."""
        return self.key[0] == "address"

    @property
    def is_familiar(self) -> bool:
        """Whether the owner wrote to it, or has it on record: nobody else can bring that about."""
        return self.written_to or bool(self.records)

    @property
    def full_names(self) -> dict[Name, int]:
        """First and last of the names of two words or more, folded, by how often they were seen.

        One that was seen once beside others is anybody's writing: it counts only where it is the only one, or the owner's.
        """
        found = self._every_full_name()
        most = max(found.values(), default=0)
        recorded = {full_name_of(name) for name in self.records.values()}
        return {name: count for name, count in found.items() if count > 1 or count == most or name in recorded}

    def _every_full_name(self) -> dict[Name, int]:
        found: dict[Name, int] = defaultdict(int)
        for name, count in self.names.items():
            if full := full_name_of(name):
                found[full] += count
        return found

    @property
    def nobody(self) -> PersonKind | None:
        """Why it is no person, None when it is one."""
        if self.is_owner:
            return "owner"
        if self.is_address:
            if is_robot(self.value) or (self.mails and self.robot_mails * 2 > self.mails):
                return "automated"
            if is_role(self.value):
                return "role"
        return "shared" if self._is_shared() else None

    def _is_shared(self) -> bool:
        every = self._every_full_name()
        recorded = {full for name in self.records.values() if (full := full_name_of(name))}
        if len(every) >= NAMES_SHARED or any(not are_alike(a, b) for a, b in combinations(sorted(recorded), 2)):
            return True
        if any(is_several(name) or is_passed_on(name) for name in self.names):
            return True
        # Two first names with one last name, each more than once: a couple. One first name with two: a wedding.
        often = [name for name, count in every.items() if count > 1]
        return any(
            one[1] == other[1] and not are_used_alike(one[0], other[0]) and one[0][0] != other[0][0]
            for one, other in combinations(sorted(often), 2)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulings:
    """What the owner said of pairs of identities, each pair in order."""

    together: frozenset[tuple[Key, Key]] = frozenset()
    apart: frozenset[tuple[Key, Key]] = frozenset()

    def is_apart(self, one: Key, other: Key) -> bool:
        """Whether the owner said that these are two."""
        return pair_of(one, other) in self.apart


NOTHING_RULED = Rulings()


def pair_of(one: Key, other: Key) -> tuple[Key, Key]:
    """The two in their order."""
    return (one, other) if one <= other else (other, one)
