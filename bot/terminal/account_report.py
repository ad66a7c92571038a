"""What the commands print of accounts: the list, what trying one found, and how far its first reading is."""

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bot.terminal.drawing import harmless

if TYPE_CHECKING:
    from bot.connecting import Tried
    from bot.lacking import Lack
    from memory.account import Account

FOLDERS_SHOWN = 12
"""So many folders are named; of the others only how many there are."""


def print_accounts(to: Console, rows: Sequence[Mapping[str, Any]], lacks: Mapping[str, "Lack"]) -> None:
    """One line each, and below it what is wrong and how to mend it. lacks: by name, what is wrong with a secret."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for row in rows:
        style = "yellow" if row["state"] != "on" or row["name"] in lacks else "dim" if row["trouble"] else "green"
        held = ", ".join(f"{row[what]:,} {what}" for what in ("mails", "events") if row[what])
        seen = f"seen {datetime.fromisoformat(row['seen']):%Y-%m-%d %H:%M}" if row["seen"] else "not read yet"
        table.add_row(
            Text(row["name"], "bold"), row["kind"], harmless(row["identity"]), Text(row["state"], style), seen, held
        )
    to.print(table)
    for row in rows:
        for line in _troubles(row, lacks.get(row["name"])):
            to.print(line)


def _troubles(row: Mapping[str, Any], lack: "Lack | None") -> Sequence[str]:
    if lack is not None:
        return f"{row['name']}: {harmless(lack.text)}", f"  Mend it with: {lack.mend}"
    if not row["trouble"]:
        return ()
    told = f"{row['name']}: {harmless(row['trouble'])}"
    return told, f"  {mend(row)}"


def mend(row: Mapping[str, Any]) -> str:
    """What to do about an account in trouble."""
    if row["state"] == "on":
        return f"It is tried again by itself ({row['failures']} times in a row so far)."
    if row["kind"] == "google":
        return f"Mend it with: stillbell auth google {row['name']}"
    return f"Mend it with: stillbell accounts renew {row['name']}"


def print_tried(to: Console, account: "Account", found: "Tried") -> None:
    """Who one is there, what can be read, whether anything can be sent, and what is worth knowing."""
    whose = (found.mail.identity if found.mail else "") or account.identity or account.settings.get("user", "")
    to.print(Text.assemble((account.name, "bold"), f": it works{', signed in as ' + harmless(whose) if whose else ''}"))
    if found.mail is not None:
        to.print(f"  mail       {_named(found.mail.folders)}")
    if found.calendar is not None:
        to.print(f"  calendars  {_named(found.calendar.folders)}")
    if found.sends:
        to.print(
            f"  sending    by {account.settings.get('smtp_host', '')} ({harmless(found.sends)}), never without your tap"
        )
    for note in found.notes:
        to.print(f"  note       {harmless(note)}")


def _named(folders: Sequence[str]) -> str:
    shown = ", ".join(harmless(folder) for folder in folders[:FOLDERS_SHOWN])
    return (
        f"{shown} and {len(folders) - FOLDERS_SHOWN} more" if len(folders) > FOLDERS_SHOWN else shown or "nothing yet"
    )


class BackfillBar:
    """How far the first reading of a mailbox is, on standard error; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False, markup=False, emoji=False),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task("looking …", total=None)

    def __enter__(self) -> "BackfillBar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, stage: Mapping[str, Any]) -> None:
        """So far it has come."""
        if stage["total"]:
            self._bar.update(self._task, description="reading mail", total=stage["total"], completed=stage["done"])
