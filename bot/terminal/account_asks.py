"""The asks about accounts and exclusions: what changes their rows, and how far a source is. No secret ever passes here."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from bot.terminal.wire import AskHandler, Progress, Result, Steps, clean
from jobs.sources import Progress as Stage
from memory.account import Account, AccountKind, check_name
from memory.clock import Clock
from memory.errors import BadInput, NotFound
from memory.exclusion import rule_line
from memory.ledger import Ledger, Reads, Tables
from memory.owner import Owner
from tools.corpora import filed
from tools.exclusions import ExclusionFile
from tools.incoming import erase_covered
from tools.oneself import claim

Stages = Mapping[tuple[int, Literal["mail", "calendar"]], Stage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeper:
    """What keeps up with the accounts: whom to tell of a change, and how far each source is."""

    changed: Callable[[], None] = lambda: None
    stages: Callable[[], Stages] = dict


NOBODY = Keeper()
"""Where no daemon runs, nobody has to be told."""


def accounts_listed(ledger: Reads, owner_id: int = 1) -> AskHandler:
    """accounts.list, which only reads."""

    async def list_(args: Mapping[str, Any]) -> Steps:
        yield Result(data=await ledger.read(lambda t: listed(t, owner_id)))

    return list_


def account_asks(ledger: Ledger, *, clock: Clock, owner_id: int = 1, keeper: Keeper = NOBODY) -> dict[str, AskHandler]:
    """accounts.list, accounts.add, accounts.renewed, accounts.remove, accounts.progress."""
    watching: set[asyncio.Event] = set()

    def woken() -> None:
        for event in watching:
            event.set()

    ledger.on_commit(woken)

    async def add(args: Mapping[str, Any]) -> Steps:
        now = clock.now()
        account = await ledger.write(lambda t: _add(t, owner_id, args, now))
        await claim(ledger, owner_id)
        keeper.changed()
        yield Result(data={"name": account.name, "id": account.id})

    async def renewed(args: Mapping[str, Any]) -> Steps:
        now = clock.now()
        await ledger.write(lambda t: t.accounts.seen(_named(t, owner_id, args).id, now=now))
        keeper.changed()
        yield Result(data={})

    async def remove(args: Mapping[str, Any]) -> Steps:
        now = clock.now()
        kept = await ledger.write(lambda t: _remove(t, owner_id, args, now))
        keeper.changed()
        yield Result(data={"mails": kept})

    async def progress(args: Mapping[str, Any]) -> Steps:
        committed = asyncio.Event()
        watching.add(committed)
        try:
            while not (told := await ledger.read(lambda t: _told(t, _named(t, owner_id, args), keeper.stages())))[
                "is_over"
            ]:
                yield Progress(data=told)
                await committed.wait()
                committed.clear()
        finally:
            watching.discard(committed)
        yield Result(data=told)

    return {
        "accounts.list": accounts_listed(ledger, owner_id),
        "accounts.add": add,
        "accounts.renewed": renewed,
        "accounts.remove": remove,
        "accounts.progress": progress,
    }


def exclusion_asks(
    ledger: Ledger, file: ExclusionFile, *, clock: Clock, owner_id: int = 1, keeper: Keeper = NOBODY
) -> dict[str, AskHandler]:
    """exclude: one more rule; what it covers is erased at once."""

    async def exclude(args: Mapping[str, Any]) -> Steps:
        line = rule_line(_text(args, "kind"), _text(args, "value"))
        is_new = file.add(line)
        now = clock.now()
        erased = await ledger.write(lambda t: erase_covered(t, owner_id, now))
        keeper.changed()
        yield Result(data={"rule": clean(line), "is_new": is_new, "erased": erased})

    return {"exclude": exclude}


def listed(t: Tables, owner_id: int) -> dict[str, Any]:
    """Every present account, as JSON."""
    owner = t.owners.get(owner_id)
    return {"accounts": [_as_json(t, account, owner) for account in t.accounts.present(owner_id)]}


def _as_json(t: Tables, account: Account, owner: Owner) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "kind": account.kind,
        "identity": account.identity,
        "aliases": list(account.aliases),
        "settings": dict(account.settings),
        "state": account.state,
        "failures": account.failures,
        "trouble": clean(account.trouble) if account.trouble else None,
        "added_at": account.added_at.isoformat(),
        "seen_at": account.seen_at.isoformat() if account.seen_at else None,
        "seen": _wall(account.seen_at, owner) if account.seen_at else None,
        "mails": t.mails.count(owner.id, account_id=account.id),
        "events": t.calendars.count(owner.id, account_id=account.id),
    }


def account_of(row: Mapping[str, Any], owner_id: int = 1) -> Account:
    """The account that such JSON stands for."""
    return Account(
        id=row["id"],
        owner_id=owner_id,
        name=row["name"],
        kind=row["kind"],
        identity=row["identity"],
        aliases=tuple(row["aliases"]),
        settings=row["settings"],
        state=row["state"],
        failures=row["failures"],
        trouble=row["trouble"],
        added_at=datetime.fromisoformat(row["added_at"]),
        seen_at=datetime.fromisoformat(row["seen_at"]) if row["seen_at"] else None,
    )


def _wall(at: datetime, owner: Owner) -> str:
    return at.astimezone(owner.zones.zone_at(at)).isoformat(timespec="minutes")


def _add(t: Tables, owner_id: int, args: Mapping[str, Any], now: datetime) -> Account:
    name, kind = _text(args, "name"), _text(args, "kind")
    check_name(name)
    if kind not in get_args(AccountKind):
        raise BadInput(f"{kind!r} is no kind of account")
    # Their secrets lie in files, and some file systems take upper and lower case for the same.
    if any(one.name.lower() == name.lower() for one in t.accounts.present(owner_id)):
        raise BadInput(f"there is an account {name} already: choose another name, or remove it first")
    return t.accounts.add(
        owner_id=owner_id,
        name=name,
        kind=kind,  # type: ignore[arg-type]  # looked at above
        identity=str(args.get("identity") or ""),
        aliases=[str(alias) for alias in args.get("aliases") or ()],
        settings={str(key): str(value) for key, value in (args.get("settings") or {}).items()},
        now=now,
    )


def _remove(t: Tables, owner_id: int, args: Mapping[str, Any], now: datetime) -> int:
    account = _named(t, owner_id, args)
    under = [f"calendar:{account.id}/"] if account.is_kept_up else sorted(filed.within(t, owner_id, ""))
    t.accounts.remove(account.id, now=now)
    t.search.drop(owner_id, [ref for one in under for ref in t.search.refs(owner_id, under=one)], now=now)
    return t.mails.count(owner_id, account_id=account.id)


def _named(t: Tables, owner_id: int, args: Mapping[str, Any]) -> Account:
    name = _text(args, "name")
    account = t.accounts.named(owner_id, name)
    if account is None:
        raise NotFound(f"no account goes by the name {clean(name)}; these do: stillbell accounts list")
    return account


def _told(t: Tables, account: Account, stages: Stages) -> dict[str, Any]:
    """How far the first reading is. An account is seen when something of it was read whole; its mail may take longer."""
    stage = stages.get((account.id, "mail"))
    is_read = account.seen_at is not None
    if account.kind in ("imap", "google"):
        is_read = is_read and stage is not None and (stage.why == "news" or stage.done >= stage.total)
    trouble = account.trouble if account.state != "on" or account.failures else None
    return {
        "why": stage.why if stage else "",
        "done": stage.done if stage else 0,
        "total": stage.total if stage else 0,
        "mails": t.mails.count(account.owner_id, account_id=account.id),
        "events": t.calendars.count(account.owner_id, account_id=account.id),
        "trouble": clean(trouble) if trouble else None,
        "is_over": is_read or trouble is not None,
    }


def _text(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"this ask needs {name}")
    return value.strip()
