"""Joining: several identities, one person; by evidence with a score, never by a bare name.

    the owner's own record names both                            4
    a number or handle stands below the mails of one alone       4   and a chat goes under it, by a name that fits
    the same full name (two words or more)                       2
    names used for one another, or turned round                  1   Bill and William Smith
    the same first name                                          1   Emily Foster, then Emily Harding
    one asked for answers to the other (Reply-To)                2
    the one answered in a thread of the other's, they never      2   the answer came from the other address
      stood in one mail together, and the owner wrote to both
    the same number below the mails of both, and of nobody else  2   a mobile's, with another last name: 3
    the same odd name before the @, on different domains         2   jd77@work.example, jd77@home.example
    the owner writes to somebody in a chat by a name that        2   the owner's own naming, on their phone
      only one of the owner's records bears
    one of the two is a free mailbox                             1   the private address beside the one at work

From 4 on they are one person; without a name in common only a record, a number or a handle says anything. An address that
is made of a name says no more than the name: john.smith@ is found at every firm. Whatever is in a header or a signature can be
written by anybody: between somebody whom the owner wrote to, or has on record, and somebody whom not, neither a number, nor
an odd address, nor a Reply-To says anything, unless the owner answered in the stranger's thread to the address they know. So
a join says "likely", and only one whose addresses the owner has all written to is *sure*. What makes a mail
trusted must look at the address itself, or at a sure join.

Two addresses on one domain are two people unless a thread, a Reply-To, a record or a mobile's number says otherwise:
john.smith and john.smith2 are colleagues, father and son have one firm. A name with more than IDENTITIES_MAX identities
says nothing. Role mailboxes, identities that several names use, lists and robots are no person. What the owner has ruled
goes before all of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.people.known import NOTHING_RULED, Key, Known, Rulings
from memory.people.mailbox import mailbox_of
from memory.people.weighing import RULED, Weighing


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An address as it stood in a header of one mail.

    reply_to: where this author asked answers to go, "" for nowhere else. thread: which thread it stood in.
    wrote: it was the author, not a recipient. by_owner: the owner wrote the mail, and so wrote to this address.
    is_automated: a list or a robot sent the mail; its author is then no person. mail: its number, 0 for none known.
    times: so often it was seen just so.
    """

    address: str
    name: str = ""
    thread: str = ""
    reply_to: str = ""
    wrote: bool = True
    by_owner: bool = False
    is_automated: bool = False
    mail: int = 0
    times: int = 1


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
            _add(boxes.setdefault(mailbox, Known(key=("address", mailbox))), one)
    ruled = {key for pair in rulings.together for key in pair}
    nobody = {box.value: why for box in boxes.values() if box.key not in ruled and (why := box.nobody)}
    found = [_joined(each) for each in clusters((box for box in boxes.values() if box.value not in nobody), rulings)]
    return People(persons={mailbox: each for each in found for mailbox in each.mailboxes}, nobody=nobody)


def clusters(known: Iterable[Known], rulings: Rulings = NOTHING_RULED) -> list[Cluster]:
    """The people among identities of which each is one person's. Their order does not matter."""
    boxes = {one.key: one for one in sorted(known, key=lambda one: one.key)}
    weighing = Weighing(boxes, rulings)
    groups: dict[Key, list[Known]] = {key: [box] for key, box in boxes.items()}
    told: dict[int, tuple[float, tuple[str, ...]]] = {}
    for score, why, one, other in weighing.pairs():
        left, right = groups[one], groups[other]
        if left is right or any(weighing.are_apart(a, b, score) for a in left for b in right):
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


def _add(box: Known, seen: Seen) -> None:
    """Take one more sighting in a header into account."""
    box.names[" ".join(seen.name.split())] += seen.times
    box.stood |= {seen.mail} - {0}
    if seen.by_owner and not seen.wrote:
        box.written_to = True
        box.asked |= {seen.thread} - {""}
    if seen.wrote:
        box.mails += seen.times
        box.robot_mails += seen.times if seen.is_automated else 0
        box.threads |= {seen.thread} - {""}
        box.replies |= {mailbox_of(seen.reply_to)} - {box.value} if seen.reply_to else set()
