"""Where imported mail is kept, and how far each import came.

Every datetime is aware UTC unless it is called `wall`. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory.mail import Mail


class Imports(Protocol):
    """Imported mail, and how far each import came."""

    def begin(self, *, owner_id: int, path: str, files: Sequence[tuple[str, int]], now: datetime) -> int:
        """The id of the import of `path`: a new one, or the earlier one to go on with."""
        ...

    def position(self, import_id: int, file: str) -> int:
        """The byte at which to go on in `file`."""
        ...

    def add(
        self,
        *,
        owner_id: int,
        import_id: int,
        file: str,
        mails: Sequence[Mail],
        mine: Collection[str],
        faults: Sequence[tuple[int, str]],
        end_byte: int,
        now: datetime,
        attached: Mapping[str, Mapping[int, str]] | None = None,
    ) -> int:
        """Keep a batch, its faults as (byte, reason) and the new position in one transaction; how many were new.

        `attached`: see Mails.keep, by the mails' fingerprints. `mine`: the owner's own addresses, lower case. What the exclusions cover is counted and not kept.
        """
        ...

    def finish(self, import_id: int, *, now: datetime) -> Mapping[str, int]:
        """Done: counts of read, new, repeated and bad mails."""
        ...

    def faults(self, import_id: int, limit: int = 50) -> list[tuple[str, int, str]]:
        """(file, byte, reason) of what could not be read."""
        ...

    def all(self, *, owner_id: int) -> list[tuple[str, bool, int]]:
        """(path, whether it came to its end, mails that could not be read) of every import, the oldest first."""
        ...
