"""What `stillbell audit` prints: a line for each entry, or an object for each; and whether the chain is whole."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from rich.console import Console
from rich.text import Text

from bot.terminal.drawing import harmless
from memory.audit_chain import Verified
from memory.zones import Timeline
from tools.audit import Entry

_GOOD = frozenset({"done", "repeated", "sent", "settled", "handed", "taken"})


def as_json(entry: Entry) -> str:
    """One line of JSON, moments in UTC."""
    written: dict[str, Any] = {}
    for name in Entry.__dataclass_fields__:
        value = getattr(entry, name)
        if value is not None and value != "":
            written[name] = value.isoformat() if isinstance(value, datetime) else value
    return json.dumps(written, ensure_ascii=False)


def print_entries(to: Console, entries: Iterable[Entry], zones: Timeline) -> None:
    """One line each, newest first, times on the owner's clock."""
    for entry in entries:
        line = Text.assemble(
            (f"{zones.wall_at(entry.at):%Y-%m-%d %H:%M:%S}", "cyan"),
            f"  {entry.agent:<9} {harmless(entry.tool):<18} ",
            (f"{entry.outcome:<9}", "green" if entry.outcome in _GOOD else "dim" if not entry.is_refused else "yellow"),
            " ".join(_more(entry, zones)),
        )
        to.print(line)


def _more(entry: Entry, zones: Timeline) -> Iterable[str]:
    if entry.to is not None:
        yield f"to {', '.join(map(harmless, entry.to))}"
    elif entry.kind == "leaving":
        yield "to somebody whose draft was erased"
    yield f"({harmless(entry.because)})" if entry.kind != "model" else f"{entry.because}, {entry.cost_usd or 0:.4f} USD"
    if entry.approval is not None:
        yield f"approval {entry.approval}{': ' + entry.became if entry.became else ''}"
    if entry.tapped_at is not None:
        yield f"tapped {zones.wall_at(entry.tapped_at):%Y-%m-%d %H:%M:%S}"
    if entry.digest and entry.kind == "leaving":
        yield f"digest {entry.digest[:12]}"


def print_verified(to: Console, verified: Verified, took: timedelta) -> None:
    """How many rows are chained, the hash at the end, and where it breaks."""
    if verified.broken is not None:
        to.print(Text(f"The chain is broken at place {verified.broken.place}: {verified.broken.because}.", "bold red"))
        to.print("Somebody changed the database beside Stillbell. A backup from before shows what stood there.")
    else:
        to.print(f"The chain is whole: {verified.count:,} rows, looked through in {took.total_seconds():.1f} s.")
    to.print(f"head {verified.head}")


def headline(shown: Sequence[Entry], limit: int | None) -> str:
    """What is said where there is more, or nothing."""
    if not shown:
        return "Nothing of that kind is on record."
    return f"The newest {limit}; --limit shows more, --json all." if len(shown) == limit else ""
