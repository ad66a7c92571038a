"""Talk: the owner said something.

    heard (row, turn; older turns end) ─► more may belong to it? put off (handlers/gather)
                                       ├► a command? done at once, by plain code, in the same transaction
                                       ├► files? a word at once; the rest when they are there (handlers/file)
                                       └► else instinct (deadline) ─► reply ─► thinker job, if thought is needed
                                          or, with no model, what search finds, quoted

Everything is idempotent by signal: a job that runs again after a crash finds its reply written, or writes it once.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from handlers import correspond, recollect, undo
from handlers import scene as scenes
from handlers.command import Commands
from handlers.file import THINKER, first_word, think_further
from handlers.gather import Gathered, decide, hear, take_along
from handlers.instinct import Instinct, instinct
from handlers.plain import answer
from handlers.scene import Reply
from handlers.shown import shown
from memory import readable
from memory.approval import Approval
from memory.clock import Clock
from memory.command.intent import Remember
from memory.command.parse import parse
from memory.defang import links_in
from memory.exclusion import UnreadableExclusions
from memory.file import KINDS
from memory.gathering import USUAL, Patience, Wait, media_of
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import Piece
from memory.recollection import RECALL_FORGOTTEN
from memory.signal import Signal
from memory.thread import OVERTAKEN, Message, Turn
from memory.wording import media, say
from memory.world import World
from tools import found, recollecting
from tools.chat import Post
from tools.exit import asking
from tools.model import Model
from tools.quoting import answers, quoted

HISTORY = 12
"""So many messages of the thread stand in a prompt of instinct."""

FILES_MAX = 1_500
"""So many characters of what was read in files stand in it: the thinker reads the rest."""

QUOTED = 3
"""So many hits answer a question where no model does."""

RECALLED = 6
"""So many recollections stand in a prompt of instinct; the thinker has the rest."""

SHARED = frozenset({"location", "venue", "contact"})
"""What is written down and thought about like words."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A question that plain code does not answer, with what instinct is shown. `key` is that of the reply to come."""

    gathered: Gathered
    key: str
    owner: Owner
    history: list[Message]
    world: World
    read: frozenset[str] = frozenset()
    """What of others stands in it, by ref: the reply may quote that."""

    @property
    def turn(self) -> Turn:
        """The turn that it opened."""
        return self.gathered.turn


Outcome = Piece | tuple[Piece | None, ...] | Heard | Wait | None
"""What came of hearing: a reply, a question, word that more may come, or nothing, since it was answered before."""


class Talk:
    """Handles the kinds *message* and *edit*, and jobs of the kind *heard*: a voice that was written down.

    `model` is None when none is connected; `hears`: a transcriber is.
    """

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        commands: Commands,
        model: Model | None,
        clock: Clock,
        *,
        hears: bool = False,
        patience: Patience = USUAL,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._commands = commands
        self._model = model
        self._clock = clock
        self._hears = hears
        self._patience = patience
        self._began_at = clock.now()
        self._hints: set[asyncio.Task[None]] = set()

    async def __call__(self, job: Job) -> None:
        """The owner wrote a message. Raises Later when more may belong to it."""
        now = self._clock.now()
        await self._go_on(job, await self._ledger.write(lambda t: self._hear(t, job, now)))

    async def edited(self, job: Job) -> None:
        """The owner edited a message: if it is the last question, the turn starts again; if nothing changed, nothing does."""
        now = self._clock.now()
        await self._go_on(job, await self._ledger.write(lambda t: self._hear_edit(t, job, now)))

    async def transcribed(self, job: Job) -> None:
        """The owner's voice has become words: the turn goes on as if they had been written."""
        now = self._clock.now()
        await self._go_on(job, await self._ledger.write(lambda t: self._hear_voice(t, job, now)))

    async def _go_on(self, job: Job, outcome: Outcome) -> None:
        while isinstance(outcome, Heard):
            outcome = await self._answered(job, outcome)
        if isinstance(outcome, Wait):
            raise Later(outcome.until)
        self._post.post(*(outcome if isinstance(outcome, tuple) else (outcome,)))

    async def _answered(self, job: Job, heard: Heard) -> Outcome:
        if self._model is None:
            return await self._ledger.write(lambda t: self._without_model(t, heard))
        return await self._with_model(self._model, job, heard)

    def _hear(self, t: Tables, job: Job, now: datetime) -> Outcome:
        owner = t.owners.get(job.owner_id)
        gathered = hear(
            t,
            job,
            owner.language,
            home=self._post.home(),
            now=now,
            settles=lambda words: self._settles(words, owner, now),
        )
        interrupted = self._interrupt(t, job, OVERTAKEN, now) if gathered.is_new else False
        if interrupted:
            self._keep_of_the_last(t, gathered.turn, now)
        if not gathered.is_new and t.pieces.has(first_key(gathered.turn)):
            return None
        gathered, is_closed = take_along(t, gathered, job, owner.language, now=now)
        decision = decide(gathered, is_closed=is_closed, now=now, patience=self._patience)
        if isinstance(decision, Wait):
            return decision
        return self._weigh(t, gathered, owner, now, interrupted=interrupted)

    def _settles(self, words: str, owner: Owner, now: datetime) -> bool:
        """Whether plain code alone has answered these words."""
        zone = owner.zones.zone_at(now)
        return self._model is None or parse(words, now=now, zone=zone, language=owner.language) is not None

    def _interrupt(self, t: Tables, job: Job, because: str, now: datetime) -> bool:
        """Cancel the thinker jobs that wait; one that runs sees that its turn is stopped. Whether there was any."""
        if not t.jobs.busy(job.thread, (THINKER,)):
            return False
        t.jobs.cancel_pending(thread=job.thread, kind=THINKER, because=because, now=now)
        return True

    def _keep_of_the_last(self, t: Tables, turn: Turn, now: datetime) -> None:
        """What the owner said in a turn that is thought about no more may be worth remembering all the same."""
        said = t.thread.history(turn.owner_id, limit=HISTORY)
        before = next(
            (m.turn_id for m in reversed(said) if m.role == "owner" and m.turn_id not in {None, turn.id}), None
        )
        if before is not None:
            recollecting.extract_later(t, t.thread.turn(before), now)

    def _hear_edit(self, t: Tables, job: Job, now: datetime) -> Outcome:
        signal = job.asked_by()
        owner = t.owners.get(job.owner_id)
        turn = t.thread.by_signal(signal.id) or self._reopened(t, job, owner, now)
        if turn is None or t.pieces.has(first_key(turn)):
            return None
        interrupted = self._interrupt(t, job, "the question was edited", now)
        owner = t.owners.get(job.owner_id)
        return self._weigh(t, Gathered(turn, t.thread.parts(turn.id), False), owner, now, interrupted=interrupted)

    def _reopened(self, t: Tables, job: Job, owner: Owner, now: datetime) -> Turn | None:
        """The edit put on record, and the turn it starts again; None when it changes no words of the last question."""
        signal, said = job.asked_by(), job.asked_by().payload
        message = t.thread.edit(
            owner_id=job.owner_id,
            channel=str(said.get("channel", "telegram")),
            channel_message_id=str(said.get("message_id")),
            text=readable.in_words(said, owner.language),
            now=now,
        )
        newest = t.thread.newest_turn(job.owner_id)
        if message is None or newest is None or message.turn_id != newest.id or _moves(signal):
            return None
        turn = t.thread.reopen(turn_id=newest.id, signal_id=signal.id, now=now)
        # What the old words did is taken back before the new ones are weighed.
        undo.of_message(t, newest.signal_id, scenes.of_message(t, message, turn, owner, now, interrupted=False))
        return turn

    def _hear_voice(self, t: Tables, job: Job, now: datetime) -> Outcome:
        turn = t.thread.turn(int(job.payload["turn"]))
        key = f"turn:{turn.id}:heard"
        if t.pieces.has(key):
            return None
        gathered = Gathered(turn, t.thread.parts(turn.id), is_new=False)
        owner = t.owners.get(turn.owner_id)
        reply = self._plain(t, gathered, owner, now, interrupted=False)
        if reply is not None:
            return self._reply(t, reply, turn, now, key)
        # A newer message has its own answer by now, with these words before it.
        return self._question(t, gathered, owner, now, key) if turn.stopped_because is None else None

    def _weigh(self, t: Tables, gathered: Gathered, owner: Owner, now: datetime, *, interrupted: bool) -> Outcome:
        """Answer by plain code if that can be done, else hand the question on."""
        try:
            return self._weighed(t, gathered, owner, now, interrupted=interrupted)
        except UnreadableExclusions as error:
            # Nothing may be read before the list is mended, so what needs reading is answered with that.
            return self._reply(t, escaped(str(error)), gathered.turn, now, first_key(gathered.turn))

    def _weighed(self, t: Tables, gathered: Gathered, owner: Owner, now: datetime, *, interrupted: bool) -> Outcome:
        key = first_key(gathered.turn)
        scene = scenes.of_message(t, gathered.first, gathered.turn, owner, now, interrupted=interrupted)
        letter = correspond.answer(t, gathered.own_words, gathered.first, scene) if not gathered.kinds else None
        if isinstance(letter, Approval):
            # Words approve nothing: the open card comes back with its buttons.
            turn = gathered.turn
            return asking.show_again(t, letter, channel=turn.channel, key=key, turn_id=turn.id, now=now)
        reply = letter or (
            self._plain(t, gathered, owner, now, interrupted=interrupted)
            or self._about_files(t, gathered, owner, now)
            or self._unhandled(gathered, owner)
        )
        if reply is not None:
            return self._reply(t, reply, gathered.turn, now, key)
        return self._question(t, gathered, owner, now, key)

    def _question(self, t: Tables, gathered: Gathered, owner: Owner, now: datetime, key: str) -> Heard:
        thread = shown(t, owner.id, limit=HISTORY, room=FILES_MAX)
        recalled = recollecting.recalled(t, owner, gathered.turn, "instinct", now=now, limit=RECALLED)
        world = replace(scenes.world(t, owner, now), recalled=recalled)
        return Heard(gathered, key, owner, thread.messages, world, t.quotes.looked_at())

    def _about_files(self, t: Tables, gathered: Gathered, owner: Owner, now: datetime) -> Reply | None:
        if not KINDS.intersection(gathered.kinds):
            return None
        has_words = bool(gathered.own_words)
        return first_word(
            t, gathered.turn, owner, now, has_words=has_words, thinks=self._model is not None, hears=self._hears
        )

    def _unhandled(self, gathered: Gathered, owner: Owner) -> Reply | None:
        """The word about what can't be taken, or what is only kept since nobody is there to think about it."""
        others = [kind for kind in gathered.kinds if kind not in SHARED]
        if gathered.own_words or not gathered.kinds:
            return None
        if others:
            return say(owner.language, "unhandled_media", what=media(owner.language, others[0]))
        if self._model is None:
            return say(owner.language, "shared_kept", what=escaped(gathered.whole))
        return None

    def _plain(self, t: Tables, gathered: Gathered, owner: Owner, now: datetime, *, interrupted: bool) -> Reply | None:
        words = gathered.own_words
        command = words if words.startswith("/") else None
        zone = owner.zones.zone_at(now)
        asked = None if command else parse(words, now=now, zone=zone, language=owner.language)
        is_answer = gathered.first.reply_to_id is not None
        if command is None and asked is None and not is_answer:
            return None
        scene = scenes.of_message(t, gathered.first, gathered.turn, owner, now, interrupted=interrupted)
        if command:
            return self._commands.run(t, command, scene)
        reply = recollect.answered(t, gathered.first, words, scene) or answer(t, asked, scene)
        if isinstance(asked, Remember) and self._model is not None:
            # It is remembered already; what it corrects is found by a model alone.
            recollecting.extract_later(t, gathered.turn, now)
        return reply

    def _reply(  # noqa: PLR0917  what every reply has, and what one of a model was shown
        self,
        t: Tables,
        said: Reply,
        turn: Turn,
        now: datetime,
        key: str,
        read: frozenset[str] = frozenset(),
    ) -> Piece | None:
        owner_id, channel = turn.owner_id, turn.channel
        return scenes.reply(t, said, key=key, owner_id=owner_id, channel=channel, turn_id=turn.id, now=now, read=read)

    def _without_model(self, t: Tables, heard: Heard) -> Piece | None:
        language, asked = heard.owner.language, heard.gathered
        own = [f"message:{message_id}" for message_id in asked.message_ids]
        now = self._clock.now()
        hits = found.in_order(found.ask(t, heard.owner.id, asked.whole, now=now, without=own[0]))
        lines = quoted(answers(hit for hit in hits if hit.ref not in own)[:QUOTED], heard.owner, now)
        said = f"{lines}\n\n{say(language, 'no_model')}" if lines else say(language, "no_model_nothing")
        return self._reply(t, said, heard.turn, now, heard.key)

    async def _with_model(self, model: Model, job: Job, heard: Heard) -> Outcome:
        self._hint(heard.turn.channel)
        links = links_in(heard.gathered.own_words)
        felt = await instinct(model, heard.history, heard.world, links=links, waited_for=self._waited(job))
        return await self._ledger.write(lambda t: self._felt(t, job, heard, felt))

    def _hint(self, channel: str) -> None:
        """That something is being worked on; no reply waits for it."""
        hint = asyncio.create_task(self._post.typing(channel), name="typing")
        self._hints.add(hint)
        hint.add_done_callback(self._hints.discard)

    def _waited(self, job: Job) -> timedelta:
        """How long the message has waited already: behind others of its thread, or for more of its own turn."""
        if job.signal is None:
            return timedelta()
        # What came while Stillbell was off has missed its three seconds: it is answered as well as if it came now.
        return max(timedelta(), self._clock.now() - max(job.signal.received_at, self._began_at))

    def _felt(self, t: Tables, job: Job, heard: Heard, felt: Instinct) -> Outcome:
        """Write instinct's reply, and in the same transaction the job that thinks further.

        When more of the turn has come meanwhile, the reply is to something else than the turn now is: it begins again.
        """
        now, owner = self._clock.now(), heard.owner
        if t.thread.stopped(heard.turn.id) == RECALL_FORGOTTEN:
            return None
        if job.kind == "message":
            gathered, is_closed = take_along(t, heard.gathered, job, owner.language, now=now)
            if len(gathered.parts) > len(heard.gathered.parts):
                decision = decide(gathered, is_closed=is_closed, now=now, patience=self._patience)
                if isinstance(decision, Wait):
                    return decision
                return self._weigh(t, gathered, owner, now, interrupted=False)
        if felt.because.startswith("cap"):
            return self._without_model(t, heard)
        piece = self._reply(
            t, felt.reply or say(owner.language, "model_silent"), heard.turn, now, heard.key, heard.read
        )
        if piece is not None and (felt.needs_thought or not felt.reply):
            think_further(t, heard.turn, now)
        elif piece is not None:
            recollecting.extract_later(t, heard.turn, now)
        return piece


def first_key(turn: Turn) -> str:
    """The key of a turn's first piece."""
    return f"turn:{turn.id}:1"


def _moves(signal: Signal) -> bool:
    """Whether the edit is a live location that has moved: it is written down, and no new question."""
    media = media_of(signal)
    return media is not None and media.get("kind") in {"location", "venue"}
