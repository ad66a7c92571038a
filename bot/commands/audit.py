"""`stillbell audit`: what left and under which tap, what was refused and why, what models were called for; and whether any of
it was tampered with."""

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from bot.commands.asking import settings
from memory.errors import BadInput, NotFound

if TYPE_CHECKING:
    from bot.settings import Settings
    from memory.audit_chain import Verified
    from memory.ledger import Tables
    from memory.owner import Owner
    from tools.audit import Entry, Wanted

T = TypeVar("T")

OWNER = 1

LINES = 50
"""So many are shown unless another number is given."""


def audit(
    *,
    agent: Annotated[str, typer.Option("--agent", help="Of this agent: exit, thinker, instinct …")] = "",
    tool: Annotated[str, typer.Option("--tool", help="Of this tool: send, find, gmail …")] = "",
    person: Annotated[
        str, typer.Option("--person", metavar="ADDRESS", help="What went to this address, or was to.")
    ] = "",
    day: Annotated[str, typer.Option("--day", help="Of this day: today, yesterday, or 2026-03-02.")] = "",
    refused: Annotated[bool, typer.Option("--refused", help="Only what was refused, failed or is unknown.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", help="How many at most (50; of JSON all).", min=1)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, one for each entry.")] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Look whether the record is whole; exits with 1 if not.")
    ] = False,
) -> None:
    """What left and when you tapped it, what was refused and why, which models were called. Works at any time."""
    of = settings()
    if verify:
        _verify(of)
        return
    owner = asyncio.run(_owner(of))
    wanted = _wanted(owner, agent=agent, tool=tool, person=person, day=day, refused=refused)
    most = limit if limit is not None or as_json else LINES
    _print(asyncio.run(_entries(of, wanted, most, newest_alone=not as_json)), owner, most, in_json=as_json)


def _print(found: "list[Entry]", owner: "Owner", limit: int | None, *, in_json: bool) -> None:
    from bot.terminal import audit_report  # noqa: PLC0415
    from bot.terminal.report import console  # noqa: PLC0415

    if in_json:
        for entry in found:
            typer.echo(audit_report.as_json(entry))
        return
    audit_report.print_entries(console(), found, owner.zones)
    if said := audit_report.headline(found, limit):
        typer.echo(said, err=True)


def _verify(of: "Settings") -> None:
    from bot.terminal.audit_report import print_verified  # noqa: PLC0415
    from bot.terminal.report import console  # noqa: PLC0415

    began = time.monotonic()
    verified = asyncio.run(_verified(of))
    print_verified(console(), verified, timedelta(seconds=time.monotonic() - began))
    if verified.broken is not None:
        raise typer.Exit(1)


def _wanted(owner: "Owner", *, agent: str, tool: str, person: str, day: str, refused: bool) -> "Wanted":
    from memory.clock import SystemClock  # noqa: PLC0415
    from memory.recipient import parsed  # noqa: PLC0415
    from tools.audit import Wanted, day_named, of_day  # noqa: PLC0415

    since, until = None, None
    if day:
        named = day_named(day, owner.zones.wall_at(SystemClock().now()).date())
        if named is None:
            raise BadInput(f"{day!r} is no day: today, yesterday, or one such as 2026-03-02")
        since, until = of_day(owner, named)
    return Wanted(
        agent=agent or None,
        tool=tool or None,
        person=parsed(person) if person else None,
        since=since,
        until=until,
        refused=refused,
    )


async def _owner(of: "Settings") -> "Owner":
    return await _read(of, lambda t: t.owners.get(OWNER))


async def _entries(of: "Settings", wanted: "Wanted", limit: int | None, *, newest_alone: bool) -> "list[Entry]":
    from tools.audit import entries, newest_steps  # noqa: PLC0415

    def work(t: "Tables") -> "list[Entry]":
        found = entries(t, OWNER, wanted)
        return list(islice(newest_steps(found) if newest_alone else found, limit))

    return await _read(of, work)


async def _verified(of: "Settings") -> "Verified":
    return await _read(of, lambda t: t.audit.verified())


async def _read(of: "Settings", work: Callable[["Tables"], T]) -> T:
    from memory.sql.ledger import SqlReader  # noqa: PLC0415
    from tools.exclusions import ExclusionFile  # noqa: PLC0415

    if not of.database.exists():
        raise NotFound(f"nothing is kept in {of.home} yet")
    async with SqlReader(of.database, ExclusionFile(of.exclusions)) as ledger:
        return await ledger.read(work)
