"""Importing, as an ask: mail, contacts, chats, notes, meetings, calendars, files; with their progress."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.terminal.wire import Progress, Result, Steps, clean
from memory.clock import Clock
from memory.ledger import Ledger
from tools.contacts.importing import import_contacts
from tools.corpora.following import Followed, Following
from tools.corpora.following import Progress as Far
from tools.corpora.kind import kind_of, place_of
from tools.files.importing import Imported, ImportProgress, import_mail

FAULTS_TOLD = 50
SKIPPED_TOLD = 100


async def imported(
    path: Path, *, kind: str, me: Sequence[str], ledger: Ledger, owner_id: int, clock: Clock
) -> AsyncGenerator[Progress | Result, None]:
    """Bring in what is at `path`. Left early, it stops at the last commit. Raises BadInput when it is not clear what it is.

    me: what the owner is called in chats; of mail, their addresses.
    """
    meant = await asyncio.to_thread(kind_of, path, kind)
    if meant in ("mail", "contacts"):
        steps = (
            _mail(path, me, ledger, owner_id, clock) if meant == "mail" else _contacts(path, ledger, owner_id, clock)
        )
        async for step in steps:
            yield step
        return
    place = place_of(meant, path)

    def follow(tell: Callable[[Mapping[str, Any]], None]) -> Any:
        def on_progress(progress: Far) -> None:
            tell(_far_as_json(progress))

        return Following(place, ledger=ledger, owner_id=owner_id, clock=clock, tell=on_progress, me=me).look()

    async for step in _told(follow, lambda done: followed_as_json(meant, done)):
        yield step


def _mail(path: Path, me: Sequence[str], ledger: Ledger, owner_id: int, clock: Clock) -> Steps:
    def begin(tell: Callable[[Mapping[str, Any]], None]) -> Any:
        def on_progress(progress: ImportProgress) -> None:
            tell(_clean(asdict(progress)))

        return import_mail(path, ledger=ledger, owner_id=owner_id, clock=clock, on_progress=on_progress, me=me)

    return _told(begin, _mail_as_json)


async def _contacts(path: Path, ledger: Ledger, owner_id: int, clock: Clock) -> Steps:
    """A file of contacts is read in one go."""
    done = await import_contacts(path, ledger=ledger, owner_id=owner_id, clock=clock)
    faults = [{"card": number, "because": clean(because)} for number, because in done.faults]
    yield Result(data={"contacts": {**asdict(done), "faults": faults, "file": clean(str(path))}})


async def _told(
    begin: Callable[[Callable[[Mapping[str, Any]], None]], Any], as_json: Callable[[Any], dict[str, Any]]
) -> Steps:
    """Work with its progress, which ends with whoever listens."""
    told: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
    running = asyncio.create_task(begin(told.put_nowait), name="import")
    running.add_done_callback(lambda _: told.put_nowait(None))
    try:
        while (progress := await told.get()) is not None:
            yield Progress(data=dict(progress))
        yield Result(data=as_json(await running))
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _mail_as_json(done: Imported) -> dict[str, Any]:
    return {
        **_clean(asdict(done.progress)),
        "faults": [{"file": clean(file), "byte": byte, "because": clean(why)} for file, byte, why in done.faults],
        "skipped": [
            {"file": clean(str(one.path)), "because": clean(one.because)} for one in done.skipped[:SKIPPED_TOLD]
        ],
        "kept": done.kept,
        "asked": clean(done.asked),
    }


def _far_as_json(progress: Far) -> dict[str, Any]:
    return {**_clean(asdict(progress)), "repeated": progress.same}


def followed_as_json(kind: str, done: Followed) -> dict[str, Any]:
    """What came of following a place."""
    return {
        **_far_as_json(done.progress),
        "kind": kind,
        "unsure": done.unsure,
        "faults": [
            {"file": clean(one.file), "line": one.line, "because": clean(one.because)}
            for one in done.faults[:FAULTS_TOLD]
        ],
        "skipped": [{"file": clean(one.shown), "because": clean(one.because)} for one in done.passed],
    }


def _clean(values: dict[str, Any]) -> dict[str, Any]:
    return {name: clean(value) if isinstance(value, str) else value for name, value in values.items()}
