"""Think: a turn needs more than instinct. Runs in the background; a newer message ends it before its next piece."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from handlers import scene as scenes
from handlers.instinct import conversation
from handlers.shown import Shown, shown
from memory.clock import Clock
from memory.errors import CapReached
from memory.file import StoredFile
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.owner import Language
from memory.piece import NewPiece, Piece
from memory.recall import RECALLED_MAX
from memory.thread import Message, Turn
from memory.wording import say, usd
from memory.world import World
from tools import recollecting
from tools.chat import Post
from tools.filing import Filing
from tools.gate import Caller
from tools.model import Image, ModelFailed, Said
from tools.thinker import Thinker

log = structlog.get_logger()

FILES_FOR = timedelta(minutes=1)
LOOK_AGAIN_FOR = timedelta(milliseconds=250)
"""A thought waits for files that came in the last minute and are still being fetched, and looks again so often."""

FILES_MAX = 24_000
"""So many characters of what was read in files stand in a prompt of the thinker."""

FAILED = "failed"
"""Stands for the number in the key of what is said of a failure: earlier pieces of the turn don't keep it from being said."""

HISTORY = 30
"""So many messages of the thread stand in a prompt of the thinker."""


def _failure(language: Language, error: ModelFailed) -> str:
    return say(language, "model_failed", because=say(language, f"model_{error.kind}"))


class Think:
    """Handles jobs of the kind *thinker*."""

    def __init__(self, ledger: Ledger, post: Post, thinker: Thinker, filing: Filing, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._thinker = thinker
        self._filing = filing
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Think the turn through and say it in pieces."""
        now = self._clock.now()
        # Written, since what is recalled is put on record: whoever has it forgotten from now on stops this thought.
        turn, thread, world, read = await self._ledger.write(lambda t: self._read(t, int(job.payload["turn"]), now))
        if turn.stopped_because is not None:
            log.info("thought not begun", action="thinker.stale", turn=turn.id, because=turn.stopped_because)
            await self._extract_later(turn)
            return
        # A hint, and no more than that: nothing waits for it.
        hint = asyncio.create_task(self._post.typing(turn.channel), name="typing")
        try:
            await self._think(turn, thread, world, read)
        except CapReached:
            await self._say(turn, FAILED, say(world.owner.language, "cap_reached", cap=usd(world.owner.cap_usd)))
        except ModelFailed as error:
            log.warning("thought failed", action="thinker.failed", turn=turn.id, because=str(error), at=now.isoformat())
            await self._say(turn, FAILED, _failure(world.owner.language, error))
        finally:
            hint.cancel()
        await self._extract_later(turn)

    async def _extract_later(self, turn: Turn) -> None:
        await self._ledger.write(lambda t: recollecting.extract_later(t, turn, self._clock.now()))

    def _read(self, t: Tables, turn_id: int, now: datetime) -> tuple[Turn, Shown, World, frozenset[str]]:
        turn = t.thread.turn(turn_id)
        owner = t.owners.get(turn.owner_id)
        if turn.stopped_because is None and t.files.wanted_since(owner.id, now - FILES_FOR):
            raise Later(now + LOOK_AGAIN_FOR)
        thread, world = shown(t, owner.id, limit=HISTORY, room=FILES_MAX), scenes.world(t, owner, now)
        if turn.stopped_because is not None:
            return turn, thread, world, t.quotes.looked_at()
        recalled = recollecting.recalled(t, owner, turn, "thinker", now=now, limit=RECALLED_MAX)
        return turn, thread, replace(world, recalled=recalled), t.quotes.looked_at()

    async def _think(self, turn: Turn, thread: Shown, world: World, read: frozenset[str]) -> None:
        caller = Caller(agent="thinker", owner_id=turn.owner_id, turn_id=turn.id, signal_id=turn.signal_id)
        number = 2
        images = {message_id: self._images(files) for message_id, files in thread.pictures.items()}
        async for text in self._thinker.think(asked(thread.messages, turn, images), world, caller):
            # A piece that was written before a crash has its key: it is not said twice, whatever is thought this time.
            if not await self._say(turn, number, text, read):
                return
            number += 1

    def _images(self, files: Sequence[StoredFile]) -> tuple[Image, ...]:
        return tuple(Image(self._filing.path(file.sha256), file.media_type) for file in files if file.sha256)

    async def _say(self, turn: Turn, number: int | str, text: str, read: frozenset[str] = frozenset()) -> bool:
        """Write and post one piece; False when the turn is stopped."""
        written = await self._ledger.write(lambda t: self._write(t, turn, number, text, read))
        if isinstance(written, str):
            log.info("thought stopped", action="thinker.stopped", turn=turn.id, because=written)
            return False
        self._post.post(written)
        return True

    def _write(self, t: Tables, turn: Turn, number: int | str, text: str, read: frozenset[str]) -> Piece | str | None:
        stopped = t.thread.turn(turn.id).stopped_because
        if stopped is not None:
            return stopped
        new = NewPiece(
            key=f"turn:{turn.id}:{number}",
            owner_id=turn.owner_id,
            channel=turn.channel,
            text=text,
            turn_id=turn.id,
            findable=True,
            read=read,
        )
        return t.pieces.say(new, now=self._clock.now())


def asked(
    history: Sequence[Message], turn: Turn, images: Mapping[int, tuple[Image, ...]] | None = None
) -> tuple[Said, ...]:
    """The thread as the thinker is shown it: up to the question and instinct's reply to it, ending with the owner."""
    heard = [message for message in history if message.id <= turn.question_id or message.turn_id == turn.id]
    first_replies = [message.text for message in heard if message.role == "stillbell" and message.turn_id == turn.id]
    rest = [message for message in heard if message.turn_id != turn.id or message.role == "owner"]
    thread = conversation(rest, images)
    if not first_replies or not thread:
        return thread
    *before, last = thread
    told = "\n".join(first_replies)
    return (*before, replace(last, text=f"{last.text}\n\n[Your first reply, already shown: {told}]"))
