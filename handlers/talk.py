"""Talk: the owner said something.

    heard (row, turn; older turns end) ─► a command? done at once, by plain code, in the same transaction
                                       └► else instinct (deadline) ─► reply ─► thinker job, if thought is needed
                                          or, with no model, what search finds, quoted

Everything is idempotent by signal: a job that runs again after a crash finds its reply written, or writes it once.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from handlers import scene as scenes
from handlers.command import Commands
from handlers.instinct import Instinct, instinct
from handlers.plain import Reply, answer
from memory.clock import Clock
from memory.command.parse import parse
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.owner import Owner
from memory.piece import Piece
from memory.thread import Message, Turn
from memory.wording import media, say
from memory.world import World
from tools.chat import Post
from tools.model import Model
from tools.quoting import quoted

HISTORY = 12
"""So many messages of the thread stand in a prompt of instinct."""

THINKER = "thinker"
"""The kind of job that thinks a turn through."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A question that plain code does not answer, with what instinct is shown."""

    message: Message
    turn: Turn
    owner: Owner
    history: list[Message]
    world: World


class Talk:
    """Handles the kinds *message* and *edit*. `model` is None when none is connected."""

    def __init__(self, ledger: Ledger, post: Post, commands: Commands, model: Model | None, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._commands = commands
        self._model = model
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """The owner wrote a message."""
        now = self._clock.now()
        outcome = await self._ledger.write(lambda t: self._hear(t, job, now))
        await self._go_on(outcome)

    async def edited(self, job: Job) -> None:
        """The owner edited a message: if it is the last question, the turn starts again; if nothing changed, nothing does."""
        now = self._clock.now()
        outcome = await self._ledger.write(lambda t: self._hear_edit(t, job, now))
        if outcome is not None:
            await self._go_on(outcome)

    async def _go_on(self, outcome: Piece | Heard | None) -> None:
        if not isinstance(outcome, Heard):
            self._post.post(outcome)
        elif self._model is None:
            self._post.post(await self._ledger.write(lambda t: self._without_model(t, outcome)))
        else:
            await self._with_model(self._model, outcome)

    def _hear(self, t: Tables, job: Job, now: datetime) -> Piece | Heard | None:
        signal = job.asked_by()
        said = signal.payload
        channel = str(said.get("channel", self._post.home()))
        message, turn, is_new = t.thread.hear(
            owner_id=job.owner_id,
            channel=channel,
            text=str(said.get("text") or ""),
            signal_id=signal.id,
            channel_message_id=_text(said.get("message_id")),
            reply_to=_text(said.get("reply_to")),
            now=now,
        )
        interrupted = self._interrupt(t, job, "a newer message", now)
        return self._weigh(t, message, turn, now, again=not is_new, sent=said.get("media"), interrupted=interrupted)

    def _interrupt(self, t: Tables, job: Job, because: str, now: datetime) -> bool:
        """Cancel the thinker jobs that wait; one that runs sees that its turn is stopped. Whether there was any."""
        if not t.jobs.busy(job.thread, (THINKER,)):
            return False
        t.jobs.cancel_pending(thread=job.thread, kind=THINKER, because=because, now=now)
        return True

    def _hear_edit(self, t: Tables, job: Job, now: datetime) -> Piece | Heard | None:
        signal = job.asked_by()
        said = signal.payload
        message = t.thread.edit(
            owner_id=job.owner_id,
            channel=str(said.get("channel", "telegram")),
            channel_message_id=str(said.get("message_id")),
            text=str(said.get("text") or ""),
            now=now,
        )
        newest = t.thread.newest_turn(job.owner_id)
        if message is None or newest is None or newest.question_id != message.id:
            return None
        turn = t.thread.reopen(turn_id=newest.id, signal_id=signal.id, now=now)
        interrupted = self._interrupt(t, job, "the question was edited", now)
        return self._weigh(t, message, turn, now, again=True, interrupted=interrupted)

    def _weigh(
        self,
        t: Tables,
        message: Message,
        turn: Turn,
        now: datetime,
        *,
        again: bool,
        interrupted: bool,
        sent: object = None,
    ) -> Piece | Heard | None:
        """Answer by plain code if that can be done, else hand the question on. None: it was answered before."""
        if again and t.pieces.has(first_key(turn)):
            return None
        owner = t.owners.get(message.owner_id)
        reply = self._unhandled(sent, owner) or self._plain(t, message, turn, owner, now, interrupted=interrupted)
        if reply is not None:
            return self._reply(t, reply, turn, now)
        history = scenes.history(t, owner.id, limit=HISTORY)
        return Heard(message, turn, owner, history, scenes.world(t, owner, now))

    def _unhandled(self, sent: object, owner: Owner) -> Reply | None:
        if not isinstance(sent, dict):
            return None
        return say(owner.language, "unhandled_media", what=media(owner.language, str(sent.get("kind"))))

    def _plain(
        self, t: Tables, message: Message, turn: Turn, owner: Owner, now: datetime, *, interrupted: bool
    ) -> Reply | None:
        command = message.text if message.text.startswith("/") else None
        zone = owner.zones.zone_at(now)
        asked = None if command else parse(message.text, now=now, zone=zone, language=owner.language)
        if command is None and asked is None:
            return None
        scene = scenes.of_message(t, message, turn, owner, now, interrupted=interrupted)
        return self._commands.run(t, command, scene) if command else answer(t, asked, scene)

    def _reply(self, t: Tables, said: Reply, turn: Turn, now: datetime) -> Piece | None:
        return scenes.reply(
            t, said, key=first_key(turn), owner_id=turn.owner_id, channel=turn.channel, turn_id=turn.id, now=now
        )

    def _without_model(self, t: Tables, heard: Heard) -> Piece | None:
        language = heard.owner.language
        hits = t.search.find(heard.owner.id, heard.message.text, limit=3, before_ref=f"message:{heard.message.id}")
        found = quoted(hits, heard.owner, self._clock.now())
        said = f"{found}\n\n{say(language, 'no_model')}" if found else say(language, "no_model_nothing")
        return self._reply(t, said, heard.turn, self._clock.now())

    async def _with_model(self, model: Model, heard: Heard) -> None:
        hint = asyncio.create_task(self._post.typing(heard.turn.channel), name="typing")
        felt = await instinct(model, heard.history, heard.world)
        if felt.because.startswith("cap"):
            piece = await self._ledger.write(lambda t: self._without_model(t, heard))
        else:
            piece = await self._ledger.write(lambda t: self._felt(t, heard, felt))
        self._post.post(piece)
        await hint

    def _felt(self, t: Tables, heard: Heard, felt: Instinct) -> Piece | None:
        """Write instinct's reply, and in the same transaction the job that thinks further."""
        now, language = self._clock.now(), heard.owner.language
        piece = self._reply(t, felt.reply or say(language, "model_silent"), heard.turn, now)
        if piece is not None and (felt.needs_thought or not felt.reply):
            t.jobs.add(
                owner_id=heard.owner.id,
                kind=THINKER,
                lane="background",
                thread=f"owner:{heard.owner.id}",
                payload={"turn": heard.turn.id},
                now=now,
            )
        return piece


def first_key(turn: Turn) -> str:
    """The key of a turn's first piece."""
    return f"turn:{turn.id}:1"


def _text(value: object) -> str | None:
    return None if value is None else str(value)
