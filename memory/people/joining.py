"""Joining: several identities, one person; by evidence with a score, never by a bare name.

    the owner's own record names both                            4
    the same full name (two words or more)                       2
    names used for one another (Bill and William Smith)          1   and without a name or a record nothing is joined
    the same name before the @, on different domains             2   jane.doe@work.example, jane.doe@home.example
    both addresses are made of that name                         1   jane.doe@…, jdoe@…
    one of the two is a free mailbox                             1   the private address beside the one at work
    both wrote in one thread                                     2   the answer came from the other address
    one asked for answers to the other (Reply-To)                2
    the number stands in the signatures of the address           2   4 when the number has no name and is in no other's
    the one told the other of itself in its own words            2
    both were at one meeting                                     2   a name in its notes, an address in the calendar
    a chat's name for whom the owner writes to there, and        2   the owner's own naming, on their phone
      only one record of the owner's bears that name

From 4 on they are one person. Whatever is in a header can be written by anybody, so a join says "likely", and only one
whose addresses the owner has all written to is *sure*. What makes a mail trusted must look at the address itself, or at
a sure join.

Two addresses on one domain of an organisation are two people unless a thread, a Reply-To or a record says otherwise:
john.smith and john.smith2 are colleagues. A name with more than ADDRESSES_MAX identities says nothing. Role mailboxes,
identities that several names use, and robots are no person. What the owner has ruled goes before all of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from memory.people.calling import Name, are_alike, full_name_of, keys_of
from memory.people.identity import FREEMAIL, domain_of, is_robot, is_role, mailbox_of
from memory.people.person import IdentityKind, PersonKind

JOINED_FROM = 4.0
ADDRESSES_MAX = 12
"""Nobody has more addresses than this; a name that does is a common one, or bait."""
NAMES_SHARED = 3
"""An identity under so many different full names is shared by several people."""
RULED = 100.0
"""The score of what the owner said."""

Key = tuple[IdentityKind, str]
"""What an identity is: its kind and value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
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


@dataclass(slots=True, kw_only=True)
class Known:
    """What is known of one identity.

    names: as written, with how often. threads: in which it wrote. replies: mailboxes to which it asked for answers.
    written_to: the owner wrote to it. records: the owner's records that hold it, with their names. evidence: what else
    speaks for another identity being the same person's: "signature", "told", "meeting".
    """

    key: Key
    names: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    threads: set[str] = field(default_factory=set)
    replies: set[str] = field(default_factory=set)
    written_to: bool = False
    robot_mails: int = 0
    mails: int = 0
    is_owner: bool = False
    records: dict[int, str] = field(default_factory=dict)
    evidence: dict[Key, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, seen: Seen) -> None:
        """Take one more sighting in a header into account."""
        self.names[" ".join(seen.name.split())] += seen.times
        self.written_to = self.written_to or (seen.by_owner and not seen.wrote)
        if seen.wrote:
            self.mails += seen.times
            self.robot_mails += seen.times if seen.is_automated else 0
            self.threads |= {seen.thread} - {""}
            self.replies |= {mailbox_of(seen.reply_to)} - {self.value} if seen.reply_to else set()

    @property
    def value(self) -> str:
        """The mailbox, the number, the handle."""
        return self.key[1]

    @property
    def is_address(self) -> bool:
        """Whether it is a mailbox."""
        return self.key[0] == "address"

    @property
    def full_names(self) -> dict[Name, int]:
        """First and last of the names of two words or more, folded, by how often they were seen."""
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
        recorded = {full for name in self.records.values() if (full := full_name_of(name))}
        return "shared" if len(self.full_names) >= NAMES_SHARED or len(recorded) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulings:
    """What the owner said of pairs of identities, each pair in order."""

    together: frozenset[tuple[Key, Key]] = frozenset()
    apart: frozenset[tuple[Key, Key]] = frozenset()

    def is_apart(self, one: Key, other: Key) -> bool:
        """Whether the owner said that these are two."""
        return _pair(one, other) in self.apart


NOTHING_RULED = Rulings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Identities that are one person. score: of the weakest join in it, 0 for a single identity."""

    members: tuple[Known, ...]
    score: float = 0.0
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Somebody, by their mailboxes. `key` is the smallest of them, and the same whatever order they were seen in.

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
    """Everybody that headers show. `nobody` says why a mailbox is no person: role, shared or automated."""

    persons: Mapping[str, Joined] = field(default_factory=dict)
    nobody: Mapping[str, str] = field(default_factory=dict)

    def of(self, address: str) -> Joined | None:
        """The person behind an address; None for a role, a robot, a shared mailbox, or one never seen."""
        return self.persons.get(mailbox_of(address))


def join(seen: Iterable[Seen], rulings: Rulings = NOTHING_RULED) -> People:
    """Everybody in headers. Their order does not matter; time grows with their number and no faster."""
    boxes: dict[str, Known] = {}
    for one in seen:
        if "@" in one.address:
            mailbox = mailbox_of(one.address)
            boxes.setdefault(mailbox, Known(key=("address", mailbox))).add(one)
    ruled = {key for pair in rulings.together for key in pair}
    nobody = {box.value: why for box in boxes.values() if box.key not in ruled and (why := box.nobody)}
    found = [_joined(each) for each in clusters((box for box in boxes.values() if box.value not in nobody), rulings)]
    return People(persons={mailbox: each for each in found for mailbox in each.mailboxes}, nobody=nobody)


def clusters(known: Iterable[Known], rulings: Rulings = NOTHING_RULED) -> list[Cluster]:
    """The people among identities of which each is one person's. Their order does not matter."""
    boxes = {one.key: one for one in sorted(known, key=lambda one: one.key)}
    by_name = _by_name(boxes.values())
    pairs = _pairs(boxes, by_name, rulings)
    scored = [(*_score(boxes[one], boxes[other], rulings, by_name), one, other) for one, other in pairs]
    groups: dict[Key, list[Known]] = {key: [box] for key, box in boxes.items()}
    told: dict[int, tuple[float, tuple[str, ...]]] = {}
    for score, why, one, other in sorted(scored, key=lambda each: (-each[0], each[2], each[3])):
        left, right = groups[one], groups[other]
        if score < JOINED_FROM or left is right or any(_are_apart(a, b, rulings, score) for a in left for b in right):
            continue
        before = [told.pop(id(side), (RULED, ())) for side in (left, right)]
        for box in right:
            groups[box.key] = left
        left += right
        told[id(left)] = (
            min(score, before[0][0], before[1][0]),
            tuple(dict.fromkeys((*before[0][1], *before[1][1], *why))),
        )
    once = {id(group): group for group in groups.values()}
    return [
        Cluster(members=tuple(sorted(group, key=lambda box: box.key)), score=score, because=why)
        for number, group in once.items()
        for score, why in [told.get(number, (0.0, ()))]
    ]


def name_of(members: Sequence[Known]) -> str:
    """What somebody is called most often, as written."""
    names: dict[str, int] = defaultdict(int)
    for box in members:
        for name, count in box.names.items():
            names[name] += count
    return min((each for each in names.items() if each[0]), key=lambda each: (-each[1], each[0]), default=("", 0))[0]


def _joined(cluster: Cluster) -> Joined:
    mailboxes = tuple(box.value for box in cluster.members)
    return Joined(
        key=mailboxes[0],
        name=name_of(cluster.members),
        mailboxes=mailboxes,
        because=", ".join(cluster.because),
        is_sure=len(mailboxes) == 1 or all(box.written_to for box in cluster.members),
    )


def _by_name(boxes: Iterable[Known]) -> dict[Name, list[Known]]:
    found: dict[Name, list[Known]] = defaultdict(list)
    for box in boxes:
        for name in {key for full in box.full_names for key in keys_of(full)}:
            found[name].append(box)
    return found


def _pairs(
    boxes: Mapping[Key, Known], by_name: Mapping[Name, Sequence[Known]], rulings: Rulings
) -> set[tuple[Key, Key]]:
    """Those of whom it is asked at all whether they are one."""
    found = {pair for pair in rulings.together if pair[0] in boxes and pair[1] in boxes}
    for group in by_name.values():
        if len(group) <= ADDRESSES_MAX:
            found |= {_pair(one.key, other.key) for one, other in combinations(group, 2)}
    by_record: dict[int, list[Key]] = defaultdict(list)
    for key, box in boxes.items():
        found |= {_pair(key, other) for other in box.evidence if other in boxes and other != key}
        for record in box.records:
            by_record[record].append(key)
    for keys in by_record.values():
        found |= {_pair(one, other) for one, other in combinations(keys, 2)}
    return found


def _score(
    one: Known, other: Known, rulings: Rulings, by_name: Mapping[Name, Sequence[Known]]
) -> tuple[float, tuple[str, ...]]:
    """How much says that two identities are one person's, and what."""
    if _pair(one.key, other.key) in rulings.together:
        return RULED, ("you said so",)
    points = [*_named(one, other), *_recorded(one, other, by_name), *_told(one, other)]
    if one.is_address and other.is_address:
        points += _written(one, other)
    if not any(why in _ENOUGH_TO_ASK for _, why in points):
        return 0.0, ()
    return sum(score for score, _ in points), tuple(why for _, why in points)


_SAME_NAME, _ALIKE = "the same full name", "names used for one another"
_RECORD = "a record of yours names both"
_OWN_NUMBER = "the number stands in their signature alone"
_ENOUGH_TO_ASK = frozenset({_SAME_NAME, _ALIKE, _RECORD, _OWN_NUMBER})

_Points = list[tuple[float, str]]


def _named(one: Known, other: Known) -> _Points:
    left, right = one.full_names, other.full_names
    if left.keys() & right.keys():
        return [(2, _SAME_NAME)]
    return [(1, _ALIKE)] if any(are_alike(a, b) for a in left for b in right) else []


def _recorded(one: Known, other: Known, by_name: Mapping[Name, Sequence[Known]]) -> _Points:
    if one.records.keys() & other.records.keys():
        return [(4, _RECORD)]
    for chat, kept in ((one, other), (other, one)):
        if not (chat.key[0] == "handle" and chat.value.startswith("whatsapp:") and chat.written_to and kept.records):
            continue
        for name in chat.full_names.keys() & {full_name_of(each) for each in kept.records.values()}:
            bearing = {n for box in by_name[name] for n, called in box.records.items() if full_name_of(called) == name}
            if len(bearing) == 1:
                return [(2, "the only one of this name in your records")]
    return []


def _told(one: Known, other: Known) -> _Points:
    what = one.evidence.get(other.key, set()) | other.evidence.get(one.key, set())
    points: _Points = []
    if "signature" in what:
        number = one if one.key[0] == "phone" else other
        is_alone = not number.full_names and sum("signature" in each for each in number.evidence.values()) == 1
        points.append((4, _OWN_NUMBER) if is_alone else (2, "the number stands in their signature"))
    if "told" in what:
        points.append((2, "one told the other in their own words"))
    if "meeting" in what:
        points.append((2, "both were at one meeting"))
    return points


def _written(one: Known, other: Known) -> _Points:
    """What two addresses and the mails from them say."""
    points: _Points = []
    names = [name for name in one.full_names if name in other.full_names]
    if _pattern(one) == _pattern(other) and domain_of(one.value) != domain_of(other.value):
        points.append((2, "the same name before the @"))
    if any(_is_made_of(one, name) and _is_made_of(other, name) for name in names):
        points.append((1, "both addresses are made of the name"))
    if (domain_of(one.value) in FREEMAIL) != (domain_of(other.value) in FREEMAIL):
        points.append((1, "one is a free mailbox"))
    if one.threads & other.threads:
        points.append((2, "both wrote in one thread"))
    if _replies(one, other):
        points.append((2, "one asks for answers to the other"))
    return points


def _are_apart(one: Known, other: Known, rulings: Rulings, score: float) -> bool:
    """Whether the owner said so, or two mailboxes of one domain have nothing but a name in common."""
    if rulings.is_apart(one.key, other.key):
        return True
    if score >= RULED or not (one.is_address and other.is_address) or one.records.keys() & other.records.keys():
        return False
    same = domain_of(one.value) == domain_of(other.value)
    return same and not one.threads & other.threads and not _replies(one, other)


def _replies(one: Known, other: Known) -> bool:
    return other.value in one.replies or one.value in other.replies


def _pair(one: Key, other: Key) -> tuple[Key, Key]:
    return (one, other) if one <= other else (other, one)


def _local(box: Known) -> str:
    return box.value.rpartition("@")[0]


def _pattern(box: Known) -> str:
    """The part before the @ without its punctuation."""
    return "".join(char for char in _local(box) if char.isalnum())


def _is_made_of(box: Known, name: Name) -> bool:
    """Whether the part before the @ is first and last name, or an initial and the other: janedoe, jdoe, doej."""
    first, last = name[0], name[-1]
    letters = "".join(char for char in _local(box) if char.isalpha())
    made = (first + last, last + first, first[0] + last, last + first[0], first + last[0], first, last)
    return letters in made
