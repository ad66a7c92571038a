"""A line typed into the chat, and what it means."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.terminal.wire import Button, Said

LEAVING = frozenset({"/quit", "/exit", "/q"})


@dataclass(frozen=True, slots=True)
class Speak:
    """It is said to Stillbell."""

    text: str


@dataclass(frozen=True, slots=True)
class Press:
    """It presses a button."""

    button: Button


@dataclass(frozen=True, slots=True)
class Leave:
    """It closes the chat."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """It means nothing."""


def read(line: str, buttons: Sequence[Button]) -> Speak | Press | Leave | Nothing:
    """What `line` means while `buttons` are the ones that can be pressed, counted from 1.

    A number that no button has is said, like everything else: it may answer a question.
    """
    text = line.strip()
    if not text:
        return Nothing()
    if text in LEAVING:
        return Leave()
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 2 else 0
    return Press(buttons[number - 1]) if 1 <= number <= len(buttons) else Speak(text)


class AtHand:
    """The buttons that a number presses: those of the newest message that ever had some, while it has them."""

    def __init__(self) -> None:
        self._card: Said | None = None

    @property
    def buttons(self) -> tuple[Button, ...]:
        """None once that message's card is decided or stale: an older card never takes its place."""
        return self._card.buttons if self._card else ()

    def see(self, said: Said) -> None:
        """A message came, or reads otherwise."""
        newest = self._card.id if self._card else 0
        if said.id == newest or (said.buttons and said.id > newest):
            self._card = said
