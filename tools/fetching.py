"""Fetching: the port through which the bytes of a sent file come from the channel it was sent in."""

from collections.abc import AsyncIterator
from typing import Protocol

from memory.errors import OutOfReach


class NotFetched(OutOfReach):
    """The file was not had. Worth another try, unless `for_good`. The message may be shown: it holds no address."""

    def __init__(self, message: str, *, for_good: bool = False) -> None:
        super().__init__(message)
        self.for_good = for_good


class Fetches(Protocol):
    """One channel's way to its files."""

    def fetch(self, channel_file_id: str) -> AsyncIterator[bytes]:
        """The bytes, in chunks as they come; the end of the iteration is the end of the whole file.

        Raises NotFetched for everything that is the channel's doing, a file cut short among it.
        """
        ...
