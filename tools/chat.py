"""The chat port: a way to reach the owner, one implementation a channel.

A channel draws and shows; it decides nothing. What is shown, in which order and how often is the courier's to say, and
each part that was shown is a committed row before the next one goes.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Protocol

from memory.errors import OutOfReach
from memory.piece import Piece


class NotShown(OutOfReach):
    """The channel certainly did not show the part. Worth another try after `retry_for`, unless `for_good`."""

    def __init__(self, message: str, *, retry_for: timedelta = timedelta(seconds=1), for_good: bool = False) -> None:
        super().__init__(message)
        self.retry_for = retry_for
        self.for_good = for_good


class MaybeShown(OutOfReach):
    """The answer was lost: the part may have been shown or not."""


class Channel(Protocol):
    """One way to reach the owner. The contract suite (tests/contracts) holds every implementation to this text."""

    @property
    def name(self) -> str:
        """The word by which rows name this channel: "telegram", "terminal"."""
        ...

    @property
    def reaches_owner(self) -> bool:
        """Whether what is shown now comes before the owner, or will by itself: nobody has to mend or do anything first."""
        ...

    def show(self, piece: Piece) -> AsyncIterator[str]:
        """Show `piece`, yielding the channel's id of each part when that part is shown.

        Starts after the parts in `piece.parts`; when `piece.in_doubt`, the first part shown now bears the mark that it
        may be a repeat. Buttons stand on the last part. Text is markdown as the model and the templates write it.
        Raises NotShown or MaybeShown; nothing after a raise is shown.
        """
        ...

    async def amend(self, piece: Piece) -> None:
        """Replace text and buttons of the earlier piece whose parts are `piece.amends`; no change there is no error."""
        ...

    async def typing(self) -> None:
        """Hint that something is being worked on. Best effort: never raises."""
        ...

    async def answer_tap(self, tap_id: str, text: str) -> None:
        """Tell the owner's thumb that the tap was felt. Best effort: never raises."""
        ...


class Post(Protocol):
    """What carries pieces to their channels, each channel in order (bot/courier)."""

    def home(self) -> str:
        """The channel for what nobody asked for."""
        ...

    def post(self, *pieces: Piece | None) -> None:
        """Queue pieces that are committed as *ready* or *handing*; None stands for "said before"."""
        ...

    async def typing(self, channel: str) -> None:
        """Hint in this channel that something is being worked on."""
        ...

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None:
        """Tell the owner's thumb that the tap was felt."""
        ...
