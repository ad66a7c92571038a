"""What is watched: folders and files of the owner's that are followed as they change."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from memory.errors import BadInput, NotFound

PREFERENCE = "watched"
"""The name under which the list is kept."""

WATCHED_MAX = 50


@dataclass(frozen=True, slots=True, order=True)
class Watched:
    """One place: what it holds, and its whole path."""

    kind: str
    path: str


def read_watched(value: str | None) -> tuple[Watched, ...]:
    """The list as it was kept; nothing for none."""
    return tuple(Watched(str(one["kind"]), str(one["path"])) for one in json.loads(value or "[]"))


def as_kept(watched: Sequence[Watched]) -> str:
    """The list as it is kept."""
    return json.dumps([asdict(one) for one in watched], ensure_ascii=False)


def with_one(watched: Sequence[Watched], one: Watched) -> tuple[Watched, ...]:
    """One more. Raises BadInput when it is watched already, or there are too many."""
    if one in watched:
        raise BadInput(f"{one.path} is watched already. What is watched: stillbell watch")
    if len(watched) >= WATCHED_MAX:
        raise BadInput(f"{WATCHED_MAX} places are watched, and that is the most: stillbell unwatch PATH")
    return (*watched, one)


def without(watched: Sequence[Watched], path: str) -> tuple[tuple[Watched, ...], tuple[Watched, ...]]:
    """(those that stay, those at `path`). Raises NotFound when there is none at it."""
    taken = tuple(one for one in watched if one.path == path)
    if not taken:
        raise NotFound(f"{path} is not watched. What is: stillbell watch")
    return tuple(one for one in watched if one.path != path), taken
