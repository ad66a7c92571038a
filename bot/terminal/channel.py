"""The terminal as a channel: showing a piece there is having it in the thread, which every attached terminal follows."""

from collections.abc import AsyncIterator, Callable

from bot.terminal.wire import Answer, Typing
from memory.piece import Piece


class TerminalChannel:
    """See tools.chat.Channel.

    A piece's message is committed with the piece, and whoever attaches reads the thread from the ledger: so recording is
    showing, a terminal can't be out of reach, and nothing is ever shown twice or in doubt.
    """

    name = "terminal"

    def __init__(self, broadcast: Callable[[Answer], None], wake: Callable[[], None]) -> None:
        self._broadcast = broadcast
        self._wake = wake

    async def show(self, piece: Piece) -> AsyncIterator[str]:
        """One part, known by its message's id."""
        if not piece.parts:
            self._wake()
            yield str(piece.message_id)

    async def amend(self, piece: Piece) -> None:
        """Have the terminals look at the thread again."""
        self._wake()

    async def answer_tap(self, tap_id: str, text: str) -> None:
        """Nothing: whoever pressed a number sees the card change."""

    async def typing(self) -> None:
        """Tell whoever is attached."""
        self._broadcast(Typing())
