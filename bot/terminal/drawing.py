"""Drawing: how a message looks in a terminal.

What is drawn was written by others, in the end: a control character or a hidden one is shown as what it is, and never
reaches the terminal as an order.
"""

import io
import re
from datetime import date, datetime
from typing import Any

from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from bot.terminal.wire import Button, Said

_ORDERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DIRECTIONS = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")

# No HTML and no pictures: what looks like a tag in a mail is text, and stays readable.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable(["autolink", "image"])


def harmless(text: str) -> str:
    """`text` with line ends and tabs as they are and every other control or direction-changing character spelled out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _ORDERS.sub("\N{REPLACEMENT CHARACTER}", text)
    return _DIRECTIONS.sub(lambda found: f"‹U+{ord(found[0]):04X}›", text)


class Page:
    """Draws for a terminal of `width` columns; with `colours` off, as plain text."""

    def __init__(self, *, width: int, colours: bool) -> None:
        self._width = max(20, width)
        self._colours = colours

    def message(self, said: Said) -> str:
        """Time, who, where, the text, and its buttons by number."""
        return self._draw(self._head(said), self._body(said), *self._below(said))

    def decided(self, said: Said) -> str:
        """What became of a card that was shown before."""
        return self._draw(Text(f"{said.at:%H:%M} → {harmless(said.decided or '')}", style="dim"))

    def day(self, on: date) -> str:
        """A line between two days."""
        return self._draw(Rule(f"{on:%A} {on.day} {on:%B %Y}", style="dim"))

    def aside(self, text: str) -> str:
        """A word of the chat itself."""
        return self._draw(Text(harmless(text), style="dim italic"))

    def _head(self, said: Said) -> Text:
        who = Text("you", style="bold green") if said.role == "owner" else Text("Stillbell", style="bold cyan")
        marks = [] if said.channel == "terminal" else [said.channel]
        marks += ["edited"] if said.edited else []
        return Text.assemble((f"{said.at:%H:%M} ", "dim"), who, (f" ({', '.join(marks)})" if marks else "", "dim"))

    def _body(self, said: Said) -> RenderableType:
        text = harmless(said.text)
        body = Text(text) if said.role == "owner" else _Marked(_with_line_ends(text))
        return Padding(body, (0, 0, 0, 2 if self._width >= 40 else 0))

    def _below(self, said: Said) -> list[RenderableType]:
        if said.decided is not None:
            return [Text(f"  → {harmless(said.decided)}", style="dim")]
        return [Padding(self._buttons(said), (0, 0, 0, 2))] if said.buttons else []

    def _buttons(self, said: Said) -> Text:
        lines: list[str] = []
        for button in numbered(said.buttons):
            if lines and cell_len(lines[-1]) + cell_len(button) + 5 <= self._width:
                lines[-1] += f"   {button}"
            else:
                lines.append(button)
        return Text("\n".join(lines), style="bold yellow")

    def _draw(self, *parts: RenderableType) -> str:
        drawn = io.StringIO()
        console = Console(
            file=drawn,
            width=self._width,
            force_terminal=self._colours,
            color_system="auto" if self._colours else None,
            highlight=False,
            emoji=False,
            markup=False,
        )
        for part in parts:
            console.print(part)
        lines = drawn.getvalue().splitlines()
        return "\n".join(line.rstrip() for line in lines) + "\n"


def numbered(buttons: tuple[Button, ...]) -> list[str]:
    """The buttons as they are called: "[1] Done"."""
    return [f"[{number}] {harmless(button.label)}" for number, button in enumerate(buttons, start=1)]


def plainly(said: Said) -> str:
    """A message for a file or a pipe: its text as it is, and its buttons by number."""
    text = harmless(said.text) + "\n"
    return text + ("  ".join(numbered(said.buttons)) + "\n" if said.buttons else "")


def is_later_day(at: datetime, before: datetime | None) -> bool:
    """Whether a line between two days belongs before `at`."""
    return before is None or at.date() != before.date()


class _Marked(Markdown):
    """Markdown read by our parser; links show where they lead."""

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__("", hyperlinks=False, code_theme="ansi_dark", **options)
        self.markup = text
        self.parsed = _PARSER.parse(text)


def _with_line_ends(text: str) -> str:
    """Markdown in which each line end stays one, as in a chat, outside of code."""
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        lines.append(line if fenced or not line.strip() else line + "  ")
    return "\n".join(lines)
