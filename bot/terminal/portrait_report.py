"""What `stillbell who` prints: a label and a line each, and below it, when asked for, the rows that it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from bot.terminal.drawing import harmless


def print_portrait(to: Console, found: Mapping[str, Any], *, sources: bool) -> None:
    """The lines of one person."""
    for line in found["lines"]:
        label = f"{harmless(line['label'])}: " if line["label"] else ""
        to.print(Text.assemble((label, "cyan"), (harmless(line["told"]), "" if label else "bold")))
        for source in line["sources"] if sources else ():
            to.print(Text(f"    {harmless(source)}", style="dim"))
    if found["more"]:
        to.print(Text(harmless(found["more"]), style="dim"))


def print_several(to: Console, labels: Sequence[str], name: str) -> None:
    """Who may be meant, and how to say which."""
    to.print(f"Several go by {harmless(name)}:")
    for label in labels:
        to.print(Text(f"  {harmless(label)}"))
    to.print(Text("Say which: stillbell who Anna at Acme, or by the address", style="dim"))
