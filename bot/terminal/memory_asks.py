"""The asks about what is remembered: the list with the words it rests on, and forgetting one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.terminal.wire import AskHandler, Result, Steps, clean
from memory.clock import Clock
from memory.errors import BadInput, NotFound
from memory.ledger import Ledger, Reads, Tables
from memory.recall import found
from memory.recollection import Recollection
from tools import fact_notes


def memory_listed(ledger: Reads, *, clock: Clock, owner_id: int = 1) -> AskHandler:
    """memory: what is remembered, or what of it the words find."""

    async def memory(args: Mapping[str, Any]) -> Steps:
        words, now = str(args.get("words") or ""), clock.now()
        rows: list[dict[str, Any]] = await ledger.read(lambda t: _listed(t, owner_id, words, now))
        told: list[str] = await ledger.read(lambda t: fact_notes.told_lines(t, t.owners.get(owner_id), words))
        yield Result(data={"remembered": rows, "of_people": [clean(one) for one in told]})

    return memory


def memory_forgotten(ledger: Ledger, *, clock: Clock, owner_id: int = 1) -> AskHandler:
    """memory.forget: erase one, and its words in the chat."""

    async def forget(args: Mapping[str, Any]) -> Steps:
        number = args.get("id")
        if not isinstance(number, int) or number < 1:
            raise BadInput("say which: the number that `stillbell memory` shows")
        because, now = "the owner said so on the command line", clock.now()
        gone = await ledger.write(lambda t: _forget(t, owner_id, number, because, now))
        yield Result(data={"forgotten": gone})

    return forget


def _listed(t: Tables, owner_id: int, words: str, now: datetime) -> list[dict[str, Any]]:
    known = t.recollections.live(owner_id)
    zones = t.owners.get(owner_id).zones
    some = found(words, known, now=now) if words else known
    return [{**_plain(one), "since": zones.wall_at(one.made_at).date().isoformat()} for one in some]


def _plain(one: Recollection) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "text": clean(one.text),
        "quotes": [{"who": clean(source.who), "quote": clean(source.quote)} for source in one.sources if source.quote],
    }


def _forget(t: Tables, owner_id: int, number: int, because: str, now: datetime) -> list[int]:
    gone = t.recollections.forget(t.recollections.get(owner_id, number).id, because=because, now=now)
    if gone is None:
        raise NotFound(f"nothing is remembered under the number {number} any more")
    return list(gone.ids)
