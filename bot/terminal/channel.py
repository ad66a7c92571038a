"""The thread as a channel: showing a piece is having it in the thread, which terminals and web pages follow live."""

from collections.abc import AsyncIterator

from bot.terminal.live import Live
from bot.terminal.wire import Typing
from memory.piece import Piece


class ThreadChannel:
    """See tools.chat.Channel. `name` is the word of the rows: "terminal", "web".

    A piece's message is committed with the piece, and whoever attaches reads the thread from the ledger: so recording is
    showing, such a channel can't be out of reach, and nothing is ever shown twice or in doubt.
    """

    def __init__(self, name: str, live: Live) -> None:
        self.name = name
        self._live = live

    @property
    def reaches_owner(self) -> bool:
        """Always: it is read whenever the owner looks."""
        return True

    async def show(self, piece: Piece) -> AsyncIterator[str]:
        """One part, known by its message's id."""
        if not piece.parts:
            self._live.wake()
            yield str(piece.message_id)

    async def amend(self, piece: Piece) -> None:
        """Have the thread looked at again."""
        self._live.wake()

    async def answer_tap(self, tap_id: str, text: str) -> None:
        """Nothing: whoever pressed a button sees the card change."""

    async def typing(self) -> None:
        """Tell whoever is attached."""
        self._live.tell(Typing())
