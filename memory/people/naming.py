"""Naming: whom a name in a note means: one of those who were there, else one the owner speaks with; else nobody.

    "Jo", and one Jo at the table            that one
    "Jo", and two whom it may mean           nobody: not even a guess
    "Anna", and no Anna at the table         the one Anna the owner exchanges something with, if there is but one
    "Anna Winter", in full                   the same, among those of this name

A wrong name in a card is worse than a missing one: of several it is nobody, however unlike their chances.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.people.calling import Name, are_used_alike, full_name_of, qualifier_of, sound_of, words_of

LATELY_FOR = timedelta(days=180)
"""With whom the owner exchanged something since then may be meant by a first name alone."""

Reason = Literal[
    "the only one there whom it fits",
    "the only one of that name you exchange something with",
    "several whom it fits",
    "nobody whom it fits",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Somebody whom a name may mean.

    id: of the person. names: all they are called by, also as they sign ("Jo Pohl", "Karl Brandner sen."). last_at: when the
    owner exchanged something with them last, aware UTC; None for never.
    """

    id: int
    names: tuple[str, ...]
    last_at: datetime | None = None


class Circle:
    """Those the owner exchanges something with, by their names: made once for many notes, so that none is read by everybody."""

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self.names: dict[int, tuple[str, ...]] = {}
        self.first_names: set[str] = set()
        self.full_names: set[Name] = set()
        self._by_word: dict[str, dict[int, Candidate]] = {}
        self._by_ends: dict[Name, dict[int, Candidate]] = {}
        for one in candidates:
            self.names[one.id] = one.names
            for called in one.names:
                self._add(one, called)

    def _add(self, one: Candidate, called: str) -> None:
        if not (words := words_of(called)):
            return
        self.first_names.add(words[0])
        if (full := full_name_of(called)) is not None:
            self.full_names.add(in_order(full))
        self._by_ends.setdefault(in_order(words), {})[one.id] = one
        for word in (words[0], words[-1]):
            self._by_word.setdefault(word, {})[one.id] = one

    def called(self, words: Sequence[str]) -> list[Candidate]:
        """Whom these words of a name fit: one alone as a first or a last name, several by the first and the last of them."""
        if len(words) < 2:
            return [one for word in words for one in self._by_word.get(word, {}).values()]
        return list(self._by_ends.get(in_order(words), {}).values())


NOBODY = Circle()


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Whom it means: one, several whom it may mean, or nobody; and why."""

    persons: tuple[int, ...]
    because: Reason

    @property
    def person(self) -> int | None:
        """The one, if it is one."""
        return self.persons[0] if len(self.persons) == 1 else None


def named(name: str, *, there: Sequence[Candidate], known: Circle = NOBODY, now: datetime | None = None) -> Named:
    """Whom a name means. there: who attended. now: aware UTC."""
    words = words_of(name)
    at_table = [one for one in there if any(_fits_loosely(words, words_of(called)) for called in one.names)]
    if found := _of_that_age(name, at_table):
        return _told(found, "the only one there whom it fits")
    found = _of_that_age(name, known.called(words))
    if full_name_of(name) is None and now is not None:
        # A first name alone: somebody of long ago is not meant, yet one of lately must be the only one.
        lately = [one for one in found if one.last_at is not None and now - one.last_at <= LATELY_FOR]
        found = found if len(found) > 1 else lately
    return _told(found, "the only one of that name you exchange something with")


def _told(found: Sequence[Candidate], because: Reason) -> Named:
    persons = tuple(dict.fromkeys(one.id for one in found))
    if len(persons) == 1:
        return Named(persons=persons, because=because)
    return Named(persons=persons, because="several whom it fits" if persons else "nobody whom it fits")


def _of_that_age(name: str, found: Sequence[Candidate]) -> Sequence[Candidate]:
    """Of a father and a son of one name the one whom "sen." or "jun." means, where the name says so."""
    which = qualifier_of(name)
    if not which:
        return found
    of_that = [one for one in found if which in {qualifier_of(called) for called in one.names}]
    other = [one for one in found if {qualifier_of(called) for called in one.names} - {"", which}]
    return of_that or [one for one in found if one not in other]


def in_order(words: Sequence[str]) -> Name:
    """The first and the last word of a name, whichever way round it is written."""
    one, other = sorted((words[0], words[-1]))
    return one, other


def _fits_loosely(words: Sequence[str], called: Sequence[str]) -> bool:
    """Also by how it sounds, by an initial, by a last name: those at one table are few."""
    if not words or not called:
        return False
    left = list(called)
    for word in words:
        meant = next((one for one in left if _is(word, one)), None)
        if meant is None:
            return False
        left.remove(meant)
    return True


def _is(word: str, called: str) -> bool:
    if len(word) == 1 or len(called) == 1:
        return word[0] == called[0]
    return word == called or are_used_alike(word, called) or (len(word) > 3 and sound_of(word) == sound_of(called))
