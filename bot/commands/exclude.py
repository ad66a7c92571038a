"""`stillbell exclude`: what is never read: people, addresses, domains, folders. A rule also erases what it covers."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.asking import answered, settings
from memory.errors import BadInput
from memory.exclusion import rule_line

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.terminal.wire import AskHandler

KINDS = ("person", "address", "domain", "folder")


def exclude(
    kind: Annotated[str, typer.Argument(help="person, address, domain or folder.", show_default=False)] = "",
    value: Annotated[list[str] | None, typer.Argument(help="Who or what.", show_default=False)] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show the rules, and how much was passed over.")] = False,
) -> None:
    """Name what is never read. What was read of it before is erased."""
    of = settings()
    if listed or not kind:
        asyncio.run(_list(of))
        return
    if kind not in KINDS or not value:
        raise BadInput(
            f"say what it is, then who: stillbell exclude {KINDS[1]} somebody@example.org ({', '.join(KINDS)})"
        )
    rule_line(kind, " ".join(value))
    done = answered(of, "exclude", {"kind": kind, "value": " ".join(value)}, alone=lambda: _alone(of))
    typer.echo(f"{done['rule']}: {'is never read from now on' if done['is_new'] else 'stood there already'}.")
    if done["erased"]:
        typer.echo(
            f"{done['erased']:,} that had been read before are erased, with the cards, lines and loops that came of them "
            "and the answers of mine that quoted them. What Telegram shows is deleted there."
        )
    typer.echo(f"To take a rule back, delete its line in {of.exclusions}; what was erased stays so.")


async def _list(of: "Settings") -> None:
    from memory.sql.ledger import SqlReader  # noqa: PLC0415
    from memory.tables.counters import PASSED_OVER  # noqa: PLC0415
    from tools.exclusions import ExclusionFile  # noqa: PLC0415

    file = ExclusionFile(of.exclusions)
    file()
    rules = file.lines()
    for rule in rules:
        typer.echo(rule)
    if not rules:
        typer.echo("Nothing is excluded. One rule more: stillbell exclude person NAME  (or address, domain, folder)")
    if of.database.exists():
        async with SqlReader(of.database, file) as ledger:
            passed = await ledger.read(lambda t: t.counts.total(PASSED_OVER, owner_id=1))
        typer.echo(f"Passed over so far: {passed:,} (counted, never named).")


def _alone(of: "Settings") -> "AbstractAsyncContextManager[Mapping[str, AskHandler]]":
    from bot import alone  # noqa: PLC0415

    return alone.writing(of)
