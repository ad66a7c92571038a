"""The transcript: what stands on the screen, so that a change shows as a change and nothing is said twice."""

from collections.abc import Callable
from datetime import datetime

from bot.terminal.drawing import Page, is_later_day
from bot.terminal.line import AtHand
from bot.terminal.wire import Said

REMEMBERED_MAX = 200
"""How many messages are remembered as they were drawn."""

LEFT_OUT = "More was said before this than is shown here; stillbell chat --history 1000 shows it."


class Transcript:
    """Takes messages as they come and says what to draw of each. `page` gives the page of the moment's width."""

    def __init__(self, page: Callable[[], Page]) -> None:
        self._page = page
        self._drawn: dict[int, Said] = {}
        self._typed: list[str] = []
        self._at: datetime | None = None
        self.at_hand = AtHand()
        self.last_id: int | None = None

    def expect(self, typed: str) -> None:
        """The owner typed this here: it stands on the screen already."""
        self._typed.append(typed)

    def add(self, said: Said) -> str:
        """What to draw of a message that came, or that now reads otherwise; "" when there is nothing to draw."""
        before = self._drawn.get(said.id)
        self._remember(said)
        if said.is_ == "amended":
            return self._change(before, said)
        if said.role == "owner" and said.channel == "terminal" and said.text in self._typed:
            self._typed.remove(said.text)
            return ""
        gap = self._page().aside(LEFT_OUT) if said.cut else ""
        day = self._page().day(said.at.date()) if is_later_day(said.at, self._at) else ""
        self._at = said.at
        return gap + day + self._page().message(said)

    def _change(self, before: Said | None, said: Said) -> str:
        if said.edited if before is None else before.text != said.text:
            return self._page().message(said)
        if before is not None and said.decided is not None and said.decided != before.decided:
            return self._page().decided(said)
        return ""

    def _remember(self, said: Said) -> None:
        self._drawn[said.id] = said
        if len(self._drawn) > REMEMBERED_MAX:
            del self._drawn[next(iter(self._drawn))]
        self.last_id = max(self.last_id or 0, said.id)
        self.at_hand.see(said)
