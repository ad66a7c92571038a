"""Joining: several addresses, one person; by evidence with a score, never by a bare name.

    same full name (two words or more)                           2, and without it nothing is joined
    the same name before the @, on different domains             2   jane.doe@work.example, jane.doe@home.example
    both addresses are made of that name                         1   jane.doe@…, jdoe@…
    one of the two is a free mailbox                             1   the private address beside the one at work
    both wrote in one thread                                     2   the answer came from the other address
    one asked for answers to the other (Reply-To)                2

From 4 on they are one person. Whatever is in a header can be written by anybody, so a join says "likely", and only one
whose addresses the owner has all written to is *sure*. What makes a mail trusted must look at the address itself, or at
a sure join.

Two addresses on one domain of an organisation are two people unless a thread or a Reply-To says otherwise: john.smith
and john.smith2 are colleagues. A name with more than ADDRESSES_MAX addresses says nothing. Role mailboxes, addresses
that several names use, and robots are no person.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from memory.people.identity import FREEMAIL, domain_of, folded_name, is_robot, is_role, mailbox_of

JOINED_FROM = 4
ADDRESSES_MAX = 12
"""Nobody has more addresses than this; a name that does is a common one, or bait."""
NAMES_SHARED = 3
"""An address under so many different full names is shared by several people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """An address as it stood in a header of one mail.

    reply_to: where this author asked answers to go, "" for nowhere else. thread: which thread it stood in.
    wrote: it was the author, not a recipient. by_owner: the owner wrote the mail, and so wrote to this address.
    is_automated: a list or a robot sent the mail; its author is then no person. times: so often it was seen just so.
    """

    address: str
    name: str = ""
    thread: str = ""
    reply_to: str = ""
    wrote: bool = True
    by_owner: bool = False
    is_automated: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody. `key` is the smallest of the mailboxes, and the same whatever order the sightings came in.

    name: the one seen most often, as written. because: what joined the mailboxes, "" for a single one.
    is_sure: a single mailbox, or the owner has written to each of them.
    """

    key: str
    name: str
    mailboxes: tuple[str, ...]
    because: str
    is_sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Everybody that the sightings show. `nobody` says why a mailbox is no person: role, shared or automated."""

    persons: Mapping[str, Person] = field(default_factory=dict)
    nobody: Mapping[str, str] = field(default_factory=dict)

    def of(self, address: str) -> Person | None:
        """The person behind an address; None for a role, a robot, a shared mailbox, or one never seen."""
        return self.persons.get(mailbox_of(address))


@dataclass(slots=True)
class _Box:
    """What is known of one mailbox."""

    mailbox: str
    names: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    threads: set[str] = field(default_factory=set)
    replies: set[str] = field(default_factory=set)
    written_to: bool = False
    robot_mails: int = 0
    mails: int = 0

    def add(self, seen: Sighting) -> None:
        """Take one more sighting into account."""
        self.names[" ".join(seen.name.split())] += seen.times
        self.written_to = self.written_to or (seen.by_owner and not seen.wrote)
        if seen.wrote:
            self.mails += seen.times
            self.robot_mails += seen.times if seen.is_automated else 0
            self.threads |= {seen.thread} - {""}
            self.replies |= {mailbox_of(seen.reply_to)} - {self.mailbox} if seen.reply_to else set()

    @property
    def full_names(self) -> dict[tuple[str, ...], int]:
        """First and last of the names of two words or more, folded, by how often they were seen."""
        found: dict[tuple[str, ...], int] = defaultdict(int)
        for name, count in self.names.items():
            if len(folded := folded_name(name)) > 1:
                found[folded[0], folded[-1]] += count
        return found

    @property
    def full_name(self) -> tuple[str, ...]:
        """The full name seen most often; () when there is none."""
        return min(self.full_names.items(), key=lambda each: (-each[1], each[0]), default=((), 0))[0]

    @property
    def is_nobody(self) -> str:
        """Why it is no person, "" when it is one."""
        if is_robot(self.mailbox) or (self.mails and self.robot_mails * 2 > self.mails):
            return "automated"
        if is_role(self.mailbox):
            return "role"
        return "shared" if len(self.full_names) >= NAMES_SHARED else ""


def join(sightings: Iterable[Sighting]) -> People:
    """Everybody in the sightings. Their order does not matter; time grows with their number and no faster."""
    boxes: dict[str, _Box] = {}
    for seen in sightings:
        if "@" in seen.address:
            mailbox = mailbox_of(seen.address)
            boxes.setdefault(mailbox, _Box(mailbox)).add(seen)
    nobody = {mailbox: why for mailbox, box in boxes.items() if (why := box.is_nobody)}
    by_name: dict[tuple[str, ...], list[_Box]] = defaultdict(list)
    alone: list[list[_Box]] = []
    for mailbox in sorted(boxes.keys() - nobody.keys()):
        box = boxes[mailbox]
        if box.full_name:
            by_name[box.full_name].append(box)
        else:
            alone.append([box])
    found = [person for group in by_name.values() for person in _persons(group)]
    found += [_person(one, ()) for one in alone]
    return People(
        persons={mailbox: person for person in found for mailbox in person.mailboxes},
        nobody=nobody,
    )


def _persons(group: Sequence[_Box]) -> list[Person]:
    """The people among mailboxes of one full name."""
    clusters: list[list[_Box]] = [[box] for box in group]
    told: dict[str, tuple[str, ...]] = {}
    if len(group) <= ADDRESSES_MAX:
        scored = [(*_score(one, other), one, other) for one, other in combinations(group, 2)]
        for score, why, one, other in sorted(scored, key=lambda each: (-each[0], each[2].mailbox, each[3].mailbox)):
            left, right = (next(each for each in clusters if box in each) for box in (one, other))
            if score < JOINED_FROM or left is right or any(_are_apart(a, b) for a in left for b in right):
                continue
            clusters.remove(right)
            left += right
            whole = min(box.mailbox for box in left)
            told[whole] = tuple(dict.fromkeys((*_told(told, left), *why)))
    return [_person(cluster, _told(told, cluster)) for cluster in clusters]


def _told(told: Mapping[str, tuple[str, ...]], cluster: Sequence[_Box]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(why for box in cluster for why in told.get(box.mailbox, ())))


def _person(cluster: Sequence[_Box], why: Sequence[str]) -> Person:
    mailboxes = tuple(sorted(box.mailbox for box in cluster))
    names: dict[str, int] = defaultdict(int)
    for box in cluster:
        for name, count in box.names.items():
            names[name] += count
    named = min((each for each in names.items() if each[0]), key=lambda each: (-each[1], each[0]), default=("", 0))
    return Person(
        key=mailboxes[0],
        name=named[0],
        mailboxes=mailboxes,
        because=", ".join(why),
        is_sure=len(cluster) == 1 or all(box.written_to for box in cluster),
    )


def _score(one: _Box, other: _Box) -> tuple[int, tuple[str, ...]]:
    """How much says that two mailboxes of one name are one person, and what."""
    name = one.full_name
    points = [(2, "the same full name")]
    if _pattern(one) == _pattern(other) and domain_of(one.mailbox) != domain_of(other.mailbox):
        points.append((2, "the same name before the @"))
    if _is_made_of(one, name) and _is_made_of(other, name):
        points.append((1, "both addresses are made of the name"))
    if (domain_of(one.mailbox) in FREEMAIL) != (domain_of(other.mailbox) in FREEMAIL):
        points.append((1, "one is a free mailbox"))
    if one.threads & other.threads:
        points.append((2, "both wrote in one thread"))
    if _replies(one, other):
        points.append((2, "one asks for answers to the other"))
    return sum(score for score, _ in points), tuple(why for _, why in points)


def _are_apart(one: _Box, other: _Box) -> bool:
    """Whether two mailboxes of one domain have nothing but a name in common."""
    same = domain_of(one.mailbox) == domain_of(other.mailbox)
    return same and not one.threads & other.threads and not _replies(one, other)


def _replies(one: _Box, other: _Box) -> bool:
    return other.mailbox in one.replies or one.mailbox in other.replies


def _local(box: _Box) -> str:
    return box.mailbox.rpartition("@")[0]


def _pattern(box: _Box) -> str:
    """The part before the @ without its punctuation."""
    return "".join(char for char in _local(box) if char.isalnum())


def _is_made_of(box: _Box, name: tuple[str, ...]) -> bool:
    """Whether the part before the @ is first and last name, or an initial and the other: janedoe, jdoe, doej."""
    first, last = name[0], name[-1]
    letters = "".join(char for char in _local(box) if char.isalpha())
    made = (first + last, last + first, first[0] + last, last + first[0], first + last[0], first, last)
    return letters in made
