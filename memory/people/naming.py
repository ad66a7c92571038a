"""Naming: whom a name in a note means: one of those who were there, else one the owner speaks with; else nobody.

    "Jo", and one Jo at the table            that one
    "Jo", and two whom it may mean           nobody: not even a guess
    "Anna", and no Anna at the table         the one Anna the owner exchanges something with, if there is but one
    "Anna Winter", in full                   the same, among those of this name

A wrong name in a card is worse than a missing one: of several it is nobody, however unlike their chances.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.people.calling import are_used_alike, full_name_of, qualifier_of, sound_of, words_of

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Whom it means: one, several whom it may mean, or nobody; and why."""

    persons: tuple[int, ...]
    because: Reason

    @property
    def person(self) -> int | None:
        """The one, if it is one."""
        return self.persons[0] if len(self.persons) == 1 else None


def named(
    name: str, *, there: Sequence[Candidate], known: Sequence[Candidate] = (), now: datetime | None = None
) -> Named:
    """Whom a name means. there: who attended. known: those the owner exchanges something with. now: aware UTC."""
    if found := _whom_it_fits(name, there, loosely=True):
        return _told(found, "the only one there whom it fits")
    found = _whom_it_fits(name, known, loosely=False)
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


def _whom_it_fits(name: str, among: Sequence[Candidate], *, loosely: bool) -> list[Candidate]:
    """loosely: also by how it sounds, by an initial, by a last name: those at one table are few."""
    words, which = words_of(name), qualifier_of(name)
    found = [one for one in among if any(_fits(words, words_of(called), loosely) for called in one.names)]
    if not which:
        return found
    of_that = [one for one in found if which in {qualifier_of(called) for called in one.names}]
    other = [one for one in found if {qualifier_of(called) for called in one.names} - {"", which}]
    return of_that or [one for one in found if one not in other]


def _fits(words: Sequence[str], called: Sequence[str], loosely: bool) -> bool:
    if not words or not called:
        return False
    if not loosely:
        if len(words) == 1:
            return words[0] in (called[0], called[-1])
        return sorted((words[0], words[-1])) == sorted((called[0], called[-1]))
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
