"""Weighing: how much says that two identities are one person's, and what. The points stand in memory/people/joining."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

from memory.people.calling import Name, are_alike, are_used_alike, fits, keys_of, words_of
from memory.people.known import Key, Known, Rulings, pair_of
from memory.people.mailbox import FREEMAIL, domain_of
from memory.people.signed import are_one_number, end_of

JOINED_FROM = 4.0
IDENTITIES_MAX = 12
"""Nobody has more addresses and handles than this; a name that does is a common one, or bait."""
RULED = 100.0
"""The score of what the owner said."""

_Points = list[tuple[float, str]]

_SAME_NAME, _ALIKE, _SAME_FIRST = "the same full name", "names used for one another", "the same first name"
_RECORD = "a record of yours names both"
_OWN_NUMBER, _OWN_HANDLE = "the number stands in their signature", "the handle stands in their signature"
_SAME_NUMBER, _ASKED_FOR = "the same number in both signatures", "one asks for answers to the other"
_BESIDE_A_FIRST_NAME = frozenset({_RECORD, _OWN_NUMBER, _OWN_HANDLE, _SAME_NUMBER, _ASKED_FOR})
_ENOUGH_TO_ASK = frozenset({_SAME_NAME, _ALIKE, _SAME_FIRST, _RECORD, _OWN_NUMBER, _OWN_HANDLE})


class Weighing:
    """Weighs the pairs among identities."""

    def __init__(self, boxes: Mapping[Key, Known], rulings: Rulings) -> None:
        self._boxes = boxes
        self._rulings = rulings
        self._by_name = _by_name(boxes)
        self._by_number = _by_number(boxes)
        self._by_handle = _by_handle(boxes)

    def pairs(self) -> list[tuple[float, tuple[str, ...], Key, Key]]:
        """Those that are one person's if nothing speaks against it, with score and reasons; surest first."""
        scored = ((*self._score(self._boxes[one], self._boxes[other]), one, other) for one, other in self._asked())
        found = [each for each in scored if each[0] >= JOINED_FROM]
        return sorted(found, key=lambda each: (-each[0], each[2], each[3]))

    def are_apart(self, one: Known, other: Known, score: float) -> bool:
        """Whether the owner said so, or two mailboxes of one domain have nothing but a name in common."""
        if self._rulings.is_apart(one.key, other.key):
            return True
        if score >= RULED or not (one.is_address and other.is_address):
            return False
        if domain_of(one.value) != domain_of(other.value):
            return False
        points = [*self._recorded(one, other), *_asked_for(one, other), *_in_thread(one, other)]
        return not points and not any(score > 1 for score, _ in self._numbers_of_both(one, other))

    def _asked(self) -> set[tuple[Key, Key]]:
        """Of whom it is asked at all."""
        found = {pair for pair in self._rulings.together if pair[0] in self._boxes and pair[1] in self._boxes}
        for group in self._by_name.values():
            if len(group) <= IDENTITIES_MAX:
                found |= {pair_of(one.key, other.key) for one, other in combinations(group, 2)}
        by_record: dict[int, list[Key]] = defaultdict(list)
        for key, box in self._boxes.items():
            near: list[Key] = [("address", reply) for reply in box.replies]
            found |= {pair_of(key, other) for other in near if other in self._boxes and other != key}
            for record in box.records:
                by_record[record].append(key)
        for keys in (*by_record.values(), *self._by_number.values(), *self._by_handle.values()):
            if len(keys) <= IDENTITIES_MAX:
                found |= {pair_of(one, other) for one, other in combinations(sorted(set(keys)), 2)}
        return found

    def _score(self, one: Known, other: Known) -> tuple[float, tuple[str, ...]]:
        if pair_of(one.key, other.key) in self._rulings.together:
            return RULED, ("you said so",)
        points = [*_named(one, other), *self._recorded(one, other)]
        if one.is_address and other.is_address:
            points += [*self._numbers_of_both(one, other), *_asked_for(one, other), *_in_thread(one, other)]
            points += _addressed(one, other)
        else:
            points += self._own(one, other)
        reasons = {why for _, why in points}
        if not reasons & _ENOUGH_TO_ASK or (_SAME_FIRST in reasons and not reasons & _BESIDE_A_FIRST_NAME):
            return 0.0, ()
        return sum(score for score, _ in points), tuple(why for _, why in points)

    def _recorded(self, one: Known, other: Known) -> _Points:
        shared = [one.records[number] for number in one.records.keys() & other.records.keys()]
        if any(not self._is_stale(one, name) and not self._is_stale(other, name) for name in shared):
            return [(4, _RECORD)]
        return self._recorded_by_name(one, other) or self._recorded_by_name(other, one)

    def _is_stale(self, number: Known, name: str) -> bool:
        """Whether a record gives somebody a number under which another speaks by now, and signs with it."""
        if number.key[0] != "phone":
            return False
        spoken = [called for called in number.names if called and called not in number.records.values()]
        if not spoken or any(fits(called, name) for called in spoken):
            return False
        return any(self._boxes[key].is_address for key in self._bearers(number.value))

    def _recorded_by_name(self, chat: Known, kept: Known) -> _Points:
        """A chat's name for whom the owner writes to there is the owner's own."""
        if not (chat.key[0] == "handle" and chat.value.startswith("whatsapp:") and chat.written_to and kept.records):
            return []
        for name in chat.full_names:
            bearing = {
                number
                for box in self._boxes.values()
                for number, called in box.records.items()
                if set(name) <= set(words_of(called))
            }
            if len(bearing) == 1 and bearing & kept.records.keys():
                return [(2, "the only one of this name in your records")]
        return []

    def _own(self, one: Known, other: Known) -> _Points:
        """A number or handle below the mails of one alone, with a name that fits."""
        address, reached = (one, other) if one.is_address else (other, one)
        if not address.is_address or reached.is_address or (reached.is_familiar and not address.is_familiar):
            return []
        if not all(fits(name, called) for name in reached.names for called in address.names if name and called):
            return []
        if reached.key[0] == "phone":
            bearers = [self._boxes[key] for key in self._bearers(reached.value)]
            if address in bearers and all(each is address or _are_namesakes(each, address) for each in bearers):
                return [(4, _OWN_NUMBER)]
        within = reached.value.partition(":")[2].casefold().removeprefix("@")
        if reached.key[0] == "handle" and self._by_handle.get(within, []) == sorted((address.key, reached.key)):
            return [(4, _OWN_HANDLE)]
        return []

    def _numbers_of_both(self, one: Known, other: Known) -> _Points:
        """A number below the mails of both, and of nobody who is called otherwise."""
        best = 0.0
        if _is_claimed(one, other):
            return []
        for tail, is_mobile in one.signed.numbers:
            if not any(are_one_number(tail, each) for each, _ in other.signed.numbers):
                continue
            bearers = [self._boxes[key] for key in self._bearers(tail)]
            if not all(
                each in (one, other) or (_are_namesakes(each, one) and _are_namesakes(each, other)) for each in bearers
            ):
                continue
            is_at_one_firm = domain_of(one.value) == domain_of(other.value)
            if _are_namesakes(one, other):
                best = max(best, 2.0 if is_mobile or not is_at_one_firm else 0.0)
            else:
                best = max(best, 3.0 if is_mobile else 1.0)
        return [(best, _SAME_NUMBER)] if best else []

    def _bearers(self, number: str) -> list[Key]:
        """Who signs with a number."""
        near = (self._boxes[key] for key in self._by_number.get(end_of(number), ()))
        return [
            box.key
            for box in near
            if box.is_address and any(are_one_number(tail, number) for tail, _ in box.signed.numbers)
        ]


def _are_namesakes(one: Known, other: Known) -> bool:
    left, right = one.full_names, other.full_names
    return bool(left.keys() & right.keys()) or any(are_alike(a, b) for a in left for b in right)


def _named(one: Known, other: Known) -> _Points:
    left, right = one.full_names, other.full_names
    if left.keys() & right.keys():
        return [(2, _SAME_NAME)]
    if any(are_alike(a, b) for a in left for b in right):
        return [(1, _ALIKE)]
    return [(1, _SAME_FIRST)] if any(are_used_alike(a[0], b[0]) for a in left for b in right) else []


def _asked_for(one: Known, other: Known) -> _Points:
    """Anybody may ask for answers to anybody: it is the answer that tells, where the owner knows but one of the two."""
    is_asked = other.value in one.replies or one.value in other.replies
    is_believed = not _is_claimed(one, other) or bool(one.threads & other.asked or other.threads & one.asked)
    return [(2, _ASKED_FOR)] if is_asked and is_believed else []


def _is_claimed(one: Known, other: Known) -> bool:
    """Whether a stranger may be making themselves somebody whom the owner knows: names, numbers and headers are copied."""
    return one.is_familiar != other.is_familiar


def _in_thread(one: Known, other: Known) -> _Points:
    """A stranger who writes into a thread says nothing, nor do two who are written to side by side."""
    theirs = one.threads & (other.threads | other.asked) | other.threads & one.asked
    is_one = bool(theirs) and one.written_to and other.written_to and not one.stood & other.stood
    return [(2, "one answered in a thread of the other's, and you wrote to both")] if is_one else []


def _addressed(one: Known, other: Known) -> _Points:
    points: _Points = []
    is_elsewhere = domain_of(one.value) != domain_of(other.value)
    is_odd = _pattern(one) == _pattern(other) and not (_is_made(one) or _is_made(other))
    if is_elsewhere and is_odd and not _is_claimed(one, other):
        points.append((2, "the same odd name before the @"))
    is_private = (domain_of(one.value) in FREEMAIL) != (domain_of(other.value) in FREEMAIL)
    if is_private and one.full_names.keys() & other.full_names.keys():
        points.append((1, "one is a free mailbox"))
    return points


def _pattern(box: Known) -> str:
    """The part before the @ without its punctuation."""
    return "".join(char for char in box.value.rpartition("@")[0] if char.isalnum())


def _is_made(box: Known) -> bool:
    """Whether the part before the @ is made of the name, as anybody's of that name would be, or too short to be odd."""
    letters = "".join(char for char in _pattern(box) if char.isalpha())
    words = {word for name in box.full_names for word in name}
    return len(_pattern(box)) < 4 or any(word in letters or letters in word for word in words if len(word) > 2)


def _by_name(boxes: Mapping[Key, Known]) -> dict[Name, list[Known]]:
    found: dict[Name, list[Known]] = defaultdict(list)
    for box in boxes.values():
        for name in {key for full in box.full_names for key in keys_of(full)}:
            found[name].append(box)
    return found


def _by_number(boxes: Mapping[Key, Known]) -> dict[str, list[Key]]:
    found: dict[str, list[Key]] = defaultdict(list)
    for key, box in boxes.items():
        ends = {end_of(box.value)} if key[0] == "phone" else {end_of(tail) for tail, _ in box.signed.numbers}
        for end in ends:
            found[end].append(key)
    return found


def _by_handle(boxes: Mapping[Key, Known]) -> dict[str, list[Key]]:
    found: dict[str, list[Key]] = defaultdict(list)
    for key, box in boxes.items():
        own = (
            {box.value.partition(":")[2].casefold().removeprefix("@")}
            if key[0] == "handle"
            else set(box.signed.handles)
        )
        for handle in own:
            found[handle].append(key)
    return {handle: sorted(keys) for handle, keys in found.items()}
