"""A backup: a checked copy of the whole database, known by the moment it was made; and which backups are kept."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "backups"
"""Where backups lie, beside the database."""

HIDDEN = ".stillbell-"
"""How the name of a copy begins that is not whole yet."""

DAYS_KEPT = 7
WEEKS_KEPT = 4

_NAME = re.compile(r"stillbell-(\d{8}T\d{6})Z\.db")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A copy that passed its check. `instance` and `host` are its identity; `counts` are rows by what they are."""

    path: Path
    size_bytes: int
    instance: str
    host: str
    counts: Mapping[str, int] = field(default_factory=dict)


def name_at(now: datetime) -> str:
    """The file name of a backup made at `now` (aware)."""
    return f"stillbell-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.db"


def made_at(name: str) -> datetime | None:
    """When the backup of this name was made; None for a name that is no backup's."""
    found = _NAME.fullmatch(name)
    try:
        return datetime.strptime(found[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None


def newest_first(names: Iterable[str]) -> list[str]:
    """The names that are a backup's, newest first."""
    return sorted((name for name in names if made_at(name) is not None), reverse=True)


def superseded(names: Iterable[str]) -> list[str]:
    """The backups that need not be kept, newest first.

    Kept is the newest of each of the last seven days that have one, and of each of the last four weeks that have one
    (days of UTC, weeks from Monday). The days are those of the backups, not of the present: a clock that is wrong takes
    nothing away. A name that is no backup's is never among them.
    """
    backups = {name: at for name in newest_first(names) if (at := made_at(name)) is not None}
    kept = _newest_of_each(backups, lambda at: at.date(), DAYS_KEPT)
    kept |= _newest_of_each(backups, lambda at: at.isocalendar()[:2], WEEKS_KEPT)
    return [name for name in backups if name not in kept]


def _newest_of_each(backups: Mapping[str, datetime], period: Callable[[datetime], object], most: int) -> set[str]:
    """The newest of each period, of the last `most` periods; `backups` come newest first."""
    newest: dict[object, str] = {}
    for name, at in backups.items():
        newest.setdefault(period(at), name)
    return set(list(newest.values())[:most])
