"""The asks about what is watched: the list with how each place does, one more, one fewer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.doctor import Seen
from bot.terminal.import_asks import followed_as_json
from bot.terminal.wire import AskHandler, Result, Steps, clean
from jobs.watched import Look, cursor_of, watched_by
from memory.clock import Clock
from memory.errors import BadInput
from memory.ledger import Ledger, Tables
from memory.owner import Owner
from memory.watched import PREFERENCE, Watched, as_kept, with_one, without
from tools.corpora.following import forget
from tools.corpora.kind import WATCHED_KINDS, kind_of, place_of


def watch_asks(
    ledger: Ledger,
    *,
    clock: Clock,
    owner_id: int = 1,
    changed: Callable[[], None] = lambda: None,
    looks: Callable[[], Mapping[Watched, Look]] = dict,
    let_go: Callable[[str], Awaitable[None]] | None = None,
) -> dict[str, AskHandler]:
    """watch.list, watch.add, watch.remove. `changed` tells the duty; `looks` says how each place does; `let_go` ends a look
    at a path that is under way."""

    async def list_(_: Mapping[str, Any]) -> Steps:
        watched, owner = await ledger.read(lambda t: (watched_by(t, owner_id), t.owners.get(owner_id)))
        states = looks()
        yield Result(data={"watched": [_as_json(one, states.get(one), owner) for one in watched]})

    async def add(args: Mapping[str, Any]) -> Steps:
        one = _meant(args)
        await ledger.write(lambda t: _add(t, owner_id, one, clock))
        changed()
        yield Result(data={"kind": one.kind, "path": clean(one.path)})

    async def remove(args: Mapping[str, Any]) -> Steps:
        path, keeps = str(args.get("path") or ""), bool(args.get("keep"))
        if let_go is not None:
            await let_go(path)
        dropped = await ledger.write(lambda t: _remove(t, owner_id, path, clock.now(), keeps=keeps))
        changed()
        yield Result(data={"path": clean(path), "dropped": dropped})

    return {"watch.list": list_, "watch.add": add, "watch.remove": remove}


def _meant(args: Mapping[str, Any]) -> Watched:
    path = Path(str(args.get("path") or ""))
    if not path.is_absolute():
        raise BadInput(f"{path} is relative, and Stillbell runs elsewhere: give the whole path")
    kind = kind_of(path, str(args.get("kind") or ""))
    if kind not in WATCHED_KINDS:
        raise BadInput(f"{kind} can't be watched; these can: {', '.join(WATCHED_KINDS)}")
    if not path.exists():
        raise BadInput(f"{path} is not there")
    return Watched(kind, str(path))


def _add(t: Tables, owner_id: int, one: Watched, clock: Clock) -> None:
    t.preferences.set(owner_id, PREFERENCE, as_kept(with_one(watched_by(t, owner_id), one)))
    t.cursors.set(cursor_of(one), "{}", owner_id=owner_id, now=clock.now())


def _remove(t: Tables, owner_id: int, path: str, now: datetime, *, keeps: bool) -> int:
    rest, taken = without(watched_by(t, owner_id), path)
    t.preferences.set(owner_id, PREFERENCE, as_kept(rest))
    dropped = 0
    for one in () if keeps else taken:
        dropped += forget(t, owner_id, place_of(kind_of(Path(path), one.kind), Path(path)), now)
    return dropped


def _as_json(one: Watched, look: Look | None, owner: Owner) -> dict[str, Any]:
    looked_at = look.looked_at if look else None
    return {
        "kind": one.kind,
        "path": clean(one.path),
        "looked_at": owner.zones.wall_at(looked_at).isoformat(" ", "minutes") if looked_at else None,
        "trouble": clean(look.trouble) if look else "",
        "far": look.progress.done_bytes / max(1, look.progress.total_bytes) if look and look.progress else None,
        "found": _found(one, look) if look else None,
    }


def _found(one: Watched, look: Look) -> dict[str, Any] | None:
    if look.followed is None:
        return None
    faults = tuple(fault for several in look.faults.values() for fault in several)
    return followed_as_json(one.kind, replace(look.followed, faults=faults))


def seen_of(looks: Mapping[Watched, Look]) -> tuple[Seen, ...]:
    """How each watched place does, for the doctor."""
    return tuple(
        Seen(
            kind=one.kind,
            path=clean(one.path),
            looked_at=look.looked_at,
            trouble=clean(look.trouble),
            items=look.followed.progress.items if look.followed else 0,
            bad=sum(len(faults) for faults in look.faults.values()),
            is_reading=look.progress is not None,
        )
        for one, look in looks.items()
    )
