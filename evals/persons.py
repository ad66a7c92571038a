"""Persons: how well evidence joins identities, on two labelled sets of a hundred, with traps.

    python -m evals persons

*open* was looked at while the rules grew; *kept* was not, so its rows are the ones to believe. Both are invented, and were
labelled by somebody who did not see the rules (evals/labels/persons-README.md). A pair that is joined and should not be is
wrong, also where nobody could have told from what is there. A pair that nobody could have told is no miss. Beside the
rules stands the bare join of everybody of one name.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

from evals.report import Report
from memory.people.calling import full_name_of
from memory.people.joining import clusters
from memory.people.known import Key, Known
from memory.people.mailbox import mailbox_of
from memory.people.naming import Candidate, Circle, named
from memory.people.phone import number_of
from memory.people.signed import now_signed, signed

LABELS = Path(__file__).parent / "labels"
ZONE = "Europe/Berlin"

PRECISION = 0.98
"""The goal on either set: a wrong join is far worse than a missed one."""

Pair = frozenset[str]
Row = dict[str, Any]


@dataclass(slots=True)
class Labelled:
    """A labelled set."""

    owner: Row
    identities: dict[str, Row]
    sightings: list[Row]
    contacts: list[Row]
    traps: list[Row]

    @property
    def undecidable(self) -> set[Pair]:
        """Pairs of which nobody could tell."""
        return {frozenset(trap["identities"]) for trap in self.traps if trap["same_person"] is None}

    def is_one(self, pair: Iterable[str]) -> bool:
        """What the labels say."""
        one, other = (self.identities[each]["truth"] for each in pair)
        return bool(one == other and one not in ("nobody", "unresolved"))


@dataclass(slots=True)
class Score:
    """Pairs rightly joined, wrongly joined, missed."""

    right: set[Pair] = field(default_factory=set)
    wrong: set[Pair] = field(default_factory=set)
    missed: set[Pair] = field(default_factory=set)

    @property
    def precision(self) -> float:
        """The share of the joins that are right."""
        joined = len(self.right) + len(self.wrong)
        return len(self.right) / joined if joined else 1.0

    @property
    def recall(self) -> float:
        """The share of what can be joined that is."""
        return len(self.right) / max(1, len(self.right) + len(self.missed))

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.3f}, recall {self.recall:.3f} "
            f"({len(self.right)} right, {len(self.wrong)} wrong, {len(self.missed)} missed)"
        )


def read(name: str) -> Labelled:
    """A set from its file."""
    told = json.loads((LABELS / name).read_text())
    return Labelled(
        owner=told["owner"],
        identities={one["id"]: one for one in told["identities"]},
        sightings=told["sightings"],
        contacts=told["contacts"],
        traps=told["traps"],
    )


def score(labelled: Labelled, joined: set[Pair]) -> Score:
    """How well these joins agree with the labels."""
    found = Score()
    for pair in (frozenset(each) for each in combinations(labelled.identities, 2)):
        if pair in joined:
            (found.right if labelled.is_one(pair) else found.wrong).add(pair)
        elif labelled.is_one(pair) and pair not in labelled.undecidable:
            found.missed.add(pair)
    return found


def by_name(labelled: Labelled) -> set[Pair]:
    """Everybody of one name, and nothing else."""
    of_name: dict[object, set[str]] = defaultdict(set)
    for one in labelled.sightings:
        if full := full_name_of(one["name"]):
            of_name[full].add(one["identity"])
    return {frozenset(pair) for group in of_name.values() for pair in combinations(group, 2)}


def by_rules(labelled: Labelled) -> set[Pair]:
    """What the rules join; names in notes are those whom they mean."""
    keys = {number: _key(one) for number, one in labelled.identities.items()}
    known = _known(labelled, keys)
    people = [one for one in known.values() if one.nobody is None]
    group_of = {box.key: number for number, group in enumerate(clusters(people)) for box in group.members}
    whose = {number: group_of[key] for number, key in keys.items() if key in group_of}
    whose |= _meant(labelled, whose, known, keys)
    return {frozenset(pair) for pair in combinations(whose, 2) if whose[pair[0]] == whose[pair[1]]}


def _key(one: Row) -> Key | None:
    kind, value = one["kind"], one["value"]
    if kind == "name":
        return None
    if kind == "handle":
        return ("handle", f"telegram:{value}")
    return ("address", mailbox_of(value)) if kind == "address" else ("phone", number_of(value, zone=ZONE) or value)


def _known(labelled: Labelled, keys: Mapping[str, Key | None]) -> dict[Key, Known]:
    found: dict[Key, Known] = {}
    signatures: dict[Key, list[str]] = defaultdict(list)
    records = {f"contact:{n}": one["name"] for n, one in enumerate(labelled.contacts, 1)}
    for one in labelled.sightings:
        key = keys[one["identity"]]
        if key is None:
            continue
        box = found.setdefault(key, Known(key=key))
        if one["corpus"] == "contact":
            box.records[int(one["ref"].rpartition(":")[2])] = records.get(one["ref"], one["name"])
            box.names[one["name"]] = max(box.names[one["name"]], 1)
            continue
        box.names[one["name"]] += 1
        box.written_to = box.written_to or (one["by_owner"] and one["role"] == "received")
        if one["corpus"] == "mail":
            box.stood.add(int(one["ref"].rpartition(":")[2]))
        if one["corpus"] == "mail" and one["by_owner"]:
            box.asked.add(one["thread"])
        if one["corpus"] == "mail" and one["role"] == "wrote":
            box.mails += 1
            box.robot_mails += one["is_automated"]
            box.threads.add(one["thread"])
            if one["reply_to"]:
                box.replies |= {mailbox_of(one["reply_to"])} - {box.value}
            signatures[key].append(one["signature"])
    for key, texts in signatures.items():
        found[key].signed = now_signed([signed(text, name=_called(found[key])) for text in texts])
    return found


def _called(box: Known) -> str:
    return max(box.names, key=lambda name: box.names[name], default="")


def _meant(
    labelled: Labelled, whose: Mapping[str, int], known: Mapping[Key, Known], keys: Mapping[str, Key | None]
) -> dict[str, int]:
    """Whom the names in documents mean, as the group they belong to."""
    attended: dict[str, set[str]] = defaultdict(set)
    by_ref: dict[str, set[str]] = defaultdict(set)
    last_at: dict[int, datetime] = {}
    for one in labelled.sightings:
        number = one["identity"]
        if labelled.identities[number]["kind"] == "name":
            by_ref[one["ref"]].add(number)
        elif one["role"] == "attended":
            attended[one["ref"]].add(number)
        if number in whose and one["corpus"] != "contact":
            last_at[whose[number]] = datetime.fromisoformat(one["date"]).replace(tzinfo=UTC)
    names: dict[int, set[str]] = defaultdict(set)
    for number, group in whose.items():
        key = keys[number]
        box = known[key] if key else None
        names[group] |= {*box.names, *box.signed.names} if box else set()
    called = {number: labelled.identities[number]["value"] for several in by_ref.values() for number in several}
    everybody = Circle(
        Candidate(id=group, names=tuple(sorted(names[group])), last_at=at) for group, at in last_at.items()
    )
    found: dict[str, int] = {}
    fresh = max(whose.values(), default=0)
    # Full names first: what is short may be one of them.
    for ref, number in sorted(
        ((ref, n) for ref, several in by_ref.items() for n in several), key=lambda each: (-len(called[each[1]]), each)
    ):
        at = next(
            datetime.fromisoformat(one["date"]).replace(tzinfo=UTC) for one in labelled.sightings if one["ref"] == ref
        )
        there = [
            Candidate(id=g, names=tuple(sorted(names[g]))) for g in {whose[n] for n in attended[ref] if n in whose}
        ]
        there += [Candidate(id=found[n], names=(called[n],)) for n in by_ref[ref] if n in found and n != number]
        person = named(called[number], there=there, known=everybody, now=at).person
        if person is None and full_name_of(called[number]) and number not in found:
            fresh += 1
            person = fresh
        if person is not None:
            found.setdefault(number, person)
    return found


async def run() -> Report:
    """Measure both sets, and hold them to the goal."""
    report = Report("persons", "none")
    for name, file in (("open", "persons.json"), ("kept", "persons-kept.json")):
        _measure(report, name, read(file))
    return report


def _measure(report: Report, name: str, labelled: Labelled) -> None:
    rules = score(labelled, by_rules(labelled))
    report.figures.append(f"{name}: {len(labelled.identities)} identities")
    report.figures.append(f"  rules: {rules}")
    report.figures.append(f"  one name, one person: {score(labelled, by_name(labelled))}")
    report.figures += [f"  {line}" for line in _by_trap(labelled, by_rules)]
    report.check(f"{name}: precision at least {PRECISION}", rules.precision >= PRECISION, f"{rules.precision:.3f}")


def _by_trap(labelled: Labelled, joins: Callable[[Labelled], set[Pair]]) -> list[str]:
    joined = joins(labelled)
    told: dict[str, list[str]] = defaultdict(list)
    for trap in labelled.traps:
        pair = frozenset(trap["identities"])
        is_joined, is_one = pair in joined, labelled.is_one(pair)
        told[trap["trap"]].append(
            "right"
            if is_joined == is_one
            else "wrong"
            if is_joined
            else "open"
            if trap["same_person"] is None
            else "missed"
        )
    return [
        f"{trap}: "
        + ", ".join(f"{words.count(word)} {word}" for word in ("right", "wrong", "missed", "open") if word in words)
        for trap, words in sorted(told.items())
    ]
