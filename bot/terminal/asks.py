"""The asks: what a command may ask of a running daemon, and of the database itself when none runs.

Each is an async generator function over its arguments; what it yields is plain JSON, as the wire carries it.
"""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.doctor import Live, Meant, Parts, live_as_json
from bot.terminal.import_asks import imported
from bot.terminal.memory_asks import memory_forgotten, memory_listed
from bot.terminal.portrait_asks import person
from bot.terminal.wire import AskHandler, Result, Steps, clean
from memory.backup import Backup, name_at
from memory.clock import Clock
from memory.errors import BadInput, NotFound, Refused
from memory.ledger import Ledger, Reads, Tables
from memory.search.passage import Hit
from memory.zones import Timeline
from tools import found
from tools.metered import day_began_at

HITS_MAX = 100
"""The most that one find returns."""


def reading_asks(
    ledger: Reads, *, clock: Clock, owner_id: int = 1, ready: Callable[[], Awaitable[None]] | None = None
) -> dict[str, AskHandler]:
    """The asks that only read: find, show, who, usage, memory. `ready` is awaited before anything is looked for."""

    async def find(args: Mapping[str, Any]) -> Steps:
        words, limit = _text(args, "words"), _number(args, "limit", at_most=HITS_MAX)
        if ready is not None:
            await ready()
        now = clock.now()
        yield Result(data=await ledger.read(lambda t: _find(t, owner_id, words, limit, now)))

    async def show(args: Mapping[str, Any]) -> Steps:
        ref = _text(args, "ref")
        yield Result(data=await ledger.read(lambda t: _show(t, owner_id, ref)))

    async def who(args: Mapping[str, Any]) -> Steps:
        name, now = _text(args, "name"), clock.now()
        yield Result(data=await ledger.read(lambda t: person(t, owner_id, name, now)))

    async def usage(args: Mapping[str, Any]) -> Steps:
        now = clock.now()
        yield Result(data=await ledger.read(lambda t: _usage(t, owner_id, now)))

    memory = memory_listed(ledger, clock=clock, owner_id=owner_id)
    return {"find": find, "show": show, "who": who, "usage": usage, "memory": memory}


def writing_asks(ledger: Ledger, *, clock: Clock, owner_id: int = 1) -> dict[str, AskHandler]:
    """The asks that write: import. One import runs at a time."""
    importing = asyncio.Lock()

    async def import_(args: Mapping[str, Any]) -> Steps:
        path = Path(_text(args, "path"))
        if not path.is_absolute():
            raise BadInput(f"{path} is relative, and Stillbell runs elsewhere: give the whole path")
        if importing.locked():
            raise Refused("another import is running: wait for its end, then try again")
        kind, me = str(args.get("kind") or ""), [str(name) for name in args.get("me") or ()]
        begun = imported(path, kind=kind, me=me, ledger=ledger, owner_id=owner_id, clock=clock)
        async with importing, contextlib.aclosing(begun) as steps:
            async for step in steps:
                yield step

    return {"import": import_, "memory.forget": memory_forgotten(ledger, clock=clock, owner_id=owner_id)}


def backup_asks(back_up: Callable[[Path], Awaitable[Backup]], *, folder: Path, clock: Clock) -> dict[str, AskHandler]:
    """The ask that copies: backup, to `folder` unless it names another place."""

    async def backup(args: Mapping[str, Any]) -> Steps:
        to = _place(Path(_text(args, "path")) if "path" in args else folder, name_at(clock.now()), folder)
        made = await back_up(to)
        yield Result(data={"path": clean(str(made.path)), "size_bytes": made.size_bytes, "counts": dict(made.counts)})

    return {"backup": backup}


def _place(path: Path, name: str, folder: Path) -> Path:
    """The file to write. Raises BadInput for a relative path, Refused for a file that is there."""
    if not path.is_absolute():
        raise BadInput(f"{path} is relative, and Stillbell runs elsewhere: give the whole path")
    file = path / name if path == folder or path.is_dir() else path
    if file.exists() and file.parent != folder:
        raise Refused(f"{file} is there already: give another name, or a folder")
    return file


def asks(
    ledger: Ledger,
    clock: Clock,
    owner_id: int = 1,
    *,
    parts: Callable[[], Parts] = Parts,
    backups: Path | None = None,
) -> dict[str, AskHandler]:
    """Everything that a running daemon can be asked: find, show, who, usage, memory, import, doctor, and backup when it has a folder.

    `parts` says how its parts do.
    """

    async def doctor(args: Mapping[str, Any]) -> Steps:
        yield Result(data=live_as_json(await ledger.read(lambda t: _live(t, owner_id, parts()))))

    return {
        **reading_asks(ledger, clock=clock, owner_id=owner_id),
        **writing_asks(ledger, clock=clock, owner_id=owner_id),
        "doctor": doctor,
        **(backup_asks(ledger.back_up, folder=backups, clock=clock) if backups else {}),
    }


def _live(tables: Tables, owner_id: int, parts: Parts) -> Live:
    parked = tuple(clean(f"{kind}: {error}") for _, kind, error in tables.jobs.parked(owner_id))
    known = tables.search.readiness(owner_id)
    return Live(
        pid=os.getpid(),
        jobs=tables.jobs.counts(),
        parked=parked,
        parts=parts,
        meaning=Meant(model=known.model, passages=known.passages, embedded=known.embedded),
    )


def _find(tables: Tables, owner_id: int, words: str, limit: int, now: datetime) -> dict[str, Any]:
    zones = tables.owners.get(owner_id).zones
    what = found.ask(tables, owner_id, words, now=now, each=limit)
    hits = found.in_order(what)

    def as_json(hit: Hit) -> dict[str, Any]:
        return {
            "where": hit.corpus,
            "ref": clean(hit.ref),
            "span": list(hit.span),
            "place": clean(hit.place),
            "who": clean(hit.who),
            "title": clean(hit.title),
            "line": clean(hit.line),
            "when": _iso(hit.at, zones),
        }

    return {
        "hits": [as_json(hit) for group in found.page(hits, 0, limit) for hit in group.hits],
        "count": len(hits),
        "is_filtered": found.is_filtered(words, now),
        "how": [clean(one) for one in (found.how(what, words, "en") if hits else found.sentences(what, "en"))],
    }


def _show(tables: Tables, owner_id: int, ref: str) -> dict[str, Any]:
    """What a hit is part of. Raises NotFound."""
    zones = tables.owners.get(owner_id).zones
    opened = tables.search.open(owner_id, ref)
    if opened is None:
        raise NotFound(f"there is nothing of the ref {ref}: stillbell find tells the refs")
    return {
        "ref": clean(opened.ref),
        "where": opened.corpus,
        "who": clean(opened.who),
        "people": [clean(one) for one in opened.people],
        "title": clean(opened.title),
        "place": clean(opened.place),
        "when": _iso(opened.at, zones),
        "text": clean(opened.text),
        "turns": [
            {"ref": clean(one.ref), "who": clean(one.who), "text": clean(one.text), "when": _iso(one.at, zones)}
            for one in opened.turns
        ],
    }


def _iso(at: datetime | None, zones: Timeline) -> str | None:
    return at.astimezone(zones.zone_at(at)).isoformat() if at else None


def _usage(tables: Tables, owner_id: int, now: datetime) -> dict[str, Any]:
    owner = tables.owners.get(owner_id)
    since = day_began_at(owner, now)
    columns = ("label", "model", "calls", "input_tokens", "output_tokens", "cost_usd")
    return {
        "day": owner.zones.wall_at(now).date().isoformat(),
        "cap_usd": owner.cap_usd,
        "spent_usd": tables.spendings.spent_usd(owner_id, since),
        "rows": [dict(zip(columns, row, strict=True)) for row in tables.spendings.by_label(owner_id, since)],
    }


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"this ask needs {name}")
    return value


def _number(args: Mapping[str, Any], name: str, *, at_most: int) -> int:
    value = args.get(name)
    if not isinstance(value, int) or not 1 <= value <= at_most:
        raise BadInput(f"{name} is a number from 1 to {at_most}")
    return value
