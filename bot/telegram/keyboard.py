"""The keyboard: a card's choices as buttons under a message."""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from memory.card import Choice, StoredCard, Style, callback

ROW_BUTTONS_MAX = 3
ROW_LETTERS_MAX = 30
"""So much fits a narrow phone without being cut."""

_STYLES: dict[Style, str | None] = {"plain": None, "good": "success", "danger": "danger"}


def keyboard(card: StoredCard | None, *, styled: bool = True) -> InlineKeyboardMarkup | None:
    """The buttons of an open card; None where there is nothing to press any more."""
    if card is None or card.state != "open" or not card.card.choices:
        return None
    return InlineKeyboardMarkup([[_button(card, choice, styled) for choice in row] for row in rows(card.card.choices)])


def rows(choices: tuple[Choice, ...]) -> list[list[Choice]]:
    """The choices in rows, in order, as many in a row as fit."""
    packed: list[list[Choice]] = []
    for choice in choices:
        row = packed[-1] if packed else []
        letters = sum(len(other.label) for other in row) + len(choice.label)
        if row and len(row) < ROW_BUTTONS_MAX and letters <= ROW_LETTERS_MAX:
            row.append(choice)
        else:
            packed.append([choice])
    return packed


def _button(card: StoredCard, choice: Choice, styled: bool) -> InlineKeyboardButton:
    style = _STYLES[choice.style] if styled else None
    return InlineKeyboardButton(choice.label, callback_data=callback(card, choice), style=style)
