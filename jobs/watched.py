"""The duty *watched*: follows the folders and files that are watched; every minute it reads what has changed, and only that.

list ─► for each: marks ─► look ─► new marks ─► … ─► wait (a minute, or until the list has changed)
          │ its disk is away, or all of it is gone at once: nothing is dropped, and the list says so
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import structlog

from memory.clock import Clock
from memory.errors import BadInput, OutOfReach
from memory.exclusion import UnreadableExclusions
from memory.ledger import Ledger, Tables
from memory.watched import PREFERENCE, Watched, read_watched
from tools.alarm import Alarm
from tools.corpora.following import BAD, Followed, Following, Progress
from tools.corpora.kind import kind_of, place_of
from tools.corpora.reading import Fault

log = structlog.get_logger()

LOOK_EVERY_FOR = timedelta(minutes=1)

RARELY_FOR: Mapping[str, timedelta] = {"imessage": timedelta(minutes=15)}
"""What is looked at less often: Messages writes all the time, and its database is copied whole."""


@dataclass(slots=True)
class Look:
    """How a place does: when it was looked at last, what came of it, what is in the way, and how far a look is.

    faults: what can't be read, by the key of its item, for as long as that is the same.
    """

    looked_at: datetime | None = None
    followed: Followed | None = None
    faults: dict[str, tuple[Fault, ...]] = field(default_factory=dict)
    trouble: str = ""
    progress: Progress | None = None


class WatchedPlaces:
    """Run it once; `changed` when the list has changed. `pause` is how it waits, at most so long."""

    def __init__(
        self,
        ledger: Ledger,
        alarm: Alarm,
        clock: Clock,
        *,
        owner_id: int = 1,
        pause: Callable[[timedelta], Awaitable[None]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._alarm = alarm
        self._clock = clock
        self._owner_id = owner_id
        self._pause = pause or self._wait
        self._changed = asyncio.Event()
        self._looks: dict[Watched, Look] = {}
        self._now: tuple[Watched, asyncio.Task[None]] | None = None

    def changed(self) -> None:
        """Look at the list again."""
        self._changed.set()

    @property
    def looks(self) -> Mapping[Watched, Look]:
        """How each place does."""
        return self._looks

    async def let_go(self, path: str) -> None:
        """End a look at `path` that is under way: what it would put must not come after what is dropped."""
        if self._now is not None and self._now[0].path == path:
            _, task = self._now
            task.cancel()
            await asyncio.wait([task])

    async def run(self) -> None:
        """Follow, until cancelled. A bug in a reader's code ends it, and is raised."""
        while True:
            self._changed.clear()
            await self.look()
            await self._pause(LOOK_EVERY_FOR)

    async def look(self) -> None:
        """Look at each place once, those that are looked at rarely only when it is time."""
        try:
            watched = await self._ledger.read(lambda t: watched_by(t, self._owner_id))
        except OutOfReach as error:
            log.warning("the list can't be read", action="watched.not_read", because=str(error))
            return
        self._looks = {one: self._looks.get(one) or Look() for one in watched}
        for one, state in list(self._looks.items()):
            if self._is_due(one, state):
                await self._look_at(one, state)

    async def _look_at(self, one: Watched, state: Look) -> None:
        task = asyncio.create_task(self._follow(one, state), name="watched place")
        self._now = one, task
        try:
            await asyncio.wait([task])
        finally:
            self._now = None
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    def _is_due(self, one: Watched, state: Look) -> bool:
        rarely = RARELY_FOR.get(one.kind)
        return rarely is None or state.looked_at is None or self._clock.now() - state.looked_at >= rarely

    async def _follow(self, one: Watched, state: Look) -> None:
        def tell(progress: Progress) -> None:
            state.progress = progress

        try:
            place = place_of(kind_of(Path(one.path), one.kind), Path(one.path))
            before = await self._ledger.read(lambda t: marks_of(t, self._owner_id, one))
            following = Following(place, ledger=self._ledger, owner_id=self._owner_id, clock=self._clock, tell=tell)
            # What could not be read is told in the list: a new process has to look at it once more.
            known = (
                before if state.followed else {key: mark for key, mark in before.items() if not mark.startswith(BAD)}
            )
            followed = state.followed = await following.look(known)
            state.faults = {key: faults for key, faults in state.faults.items() if key in followed.marks}
            state.faults |= followed.by_item
            await self._keep(one, before, followed)
            state.trouble = ""
        except UnreadableExclusions as error:
            await self._alarm.daily("exclusions", str(error))
            state.trouble = str(error)
        except (BadInput, OutOfReach, OSError) as error:
            self._note(one, state, str(error))
        state.looked_at, state.progress = self._clock.now(), None

    async def _keep(self, one: Watched, before: Mapping[str, str], followed: Followed) -> None:
        done = followed.progress
        if done.new or done.changed or done.dropped:
            log.info(
                "followed",
                action="watched.followed",
                kind=one.kind,
                new=done.new,
                changed=done.changed,
                dropped=done.dropped,
            )
        if followed.marks != before:
            marks, now = json.dumps(followed.marks), self._clock.now()
            await self._ledger.write(lambda t: t.cursors.set(cursor_of(one), marks, owner_id=self._owner_id, now=now))

    def _note(self, one: Watched, state: Look, trouble: str) -> None:
        if trouble != state.trouble:
            log.warning("a watched place can't be followed", action="watched.failed", kind=one.kind, because=trouble)
        state.trouble = trouble

    async def _wait(self, at_most: timedelta) -> None:
        try:
            async with asyncio.timeout(at_most.total_seconds()):
                await self._changed.wait()
        except TimeoutError:
            return


def watched_by(t: Tables, owner_id: int) -> tuple[Watched, ...]:
    """What is watched."""
    return read_watched(t.preferences.get(owner_id, PREFERENCE))


def cursor_of(one: Watched) -> str:
    """The name of a place's cursor, which does not say what it is called."""
    return f"watched:{sha256(f'{one.kind}:{one.path}'.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}"


def marks_of(t: Tables, owner_id: int, one: Watched) -> dict[str, str]:
    """What was seen of a place at the last look."""
    found = json.loads(t.cursors.get(cursor_of(one), owner_id=owner_id) or "{}")
    return {str(key): str(mark) for key, mark in found.items()}
