"""The steps of an introduction: what was sent or answered takes it further, a no or silence ends it.

    begun ─► card 1 ─ sent ─► card 2 ─ sent ─► waiting ─ the target's mail ─► card 3 ─ sent ─► done
                                                 └─ unclear ─► two buttons
Each message is an approval of its own (tools/exit). What the target has answered is read from their mail anew every time.
"""

import json
from dataclasses import dataclass
from datetime import datetime

import structlog

from handlers.introduce import UNCLEAR
from memory import introduction as introductions
from memory.approval import WAITING
from memory.card import Card, Choice
from memory.clock import Clock
from memory.draft import Draft
from memory.envelope import Envelope
from memory.envelope_words import reason
from memory.errors import NotFound, StillbellError
from memory.introduction import AskOwner, Introduction, Reading, Step, next_message
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.quotation import barred
from memory.refusal import Refusal
from memory.wording import say
from tools import introducing
from tools.chat import Post
from tools.drafter import Drafter
from tools.exit import asking, playbook
from tools.exit.asking import Asked, Wait
from tools.exit.lapsing import supersede
from tools.letters import Letters
from tools.model import ModelFailed

log = structlog.get_logger()

STOPPED = "the owner stopped it"


@dataclass(frozen=True, slots=True)
class _Due:
    """The step whose message is to be drafted now."""

    introduction: Introduction
    step: Step
    envelope: Envelope


class IntroductionStep:
    """Handles jobs of the kind *introduction*. `drafter` is None when no model is connected: then templates are the start."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock, *, letters: Letters, drafter: Drafter | None) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._letters = letters
        self._drafter = drafter

    async def __call__(self, job: Job) -> None:
        """Take it further, once for each thing that happened. Raises Later when too many cards were shown of late."""
        number = int(job.payload["introduction"])
        self._post.post(*await self._ledger.write(lambda t: self._move(t, number, job)))
        try:
            due = await self._ledger.read(lambda t: self._due(t, number))
        except StillbellError as error:
            log.warning("not written", action="introduction.unwritten", introduction=number, because=str(error))
            await self._end(number, "its message could not be written")
            return
        if due is not None:
            await self._ask(due, await self._words(due))

    # What happened

    def _move(self, t: Tables, number: int, job: Job) -> tuple[Piece | None, ...]:
        now, before = self._clock.now(), t.introductions.get(number)
        if before is None:
            return ()
        moved = self._after(t, before, job, now)
        if moved is not None and introducing.store(t, before, moved, now=now):
            before = moved
        if before.stage in introducing.LISTENS:
            return self._listen(t, before, now)
        return self._ended(t, before, now) if before.stage == "ended" else ()

    def _after(self, t: Tables, before: Introduction, job: Job, now: datetime) -> Introduction | None:
        """What became of one of its messages; None for every other event."""
        event = str(job.payload["event"])
        if event == "discarded":
            return _new(introductions.end(before, because="its card was discarded"))
        if event == "failed":
            return _new(introductions.end(before, because="its message did not leave"))
        draft = _draft(t, job.payload.get("draft")) if event == "sent" else None
        step = next_message(before)
        if draft is None or step is None or draft.playbook != playbook.of_step(before.id, step):
            return None
        message_id, text = draft.envelope.message_id, draft.envelope.body
        return _new(introductions.moved_on(before, step, now, message_id=message_id, text=text))

    def _listen(self, t: Tables, before: Introduction, now: datetime) -> tuple[Piece | None, ...]:
        """What the target has answered by now, and what that changes."""
        reading = playbook.reading_of(t, before, now)
        heard = _new(introductions.heard(before, reading))
        after = heard if heard is not None and introducing.store(t, before, heard, now=now) else before
        if after.stage == "ended":
            return self._ended(t, after, now)
        taken_back = _void(t, after, now) if before.stage == "to introduce" and after.stage == "waiting" else ()
        asked = self._ask_meaning(t, after, reading, now) if after.stage == "waiting" else None
        return (*taken_back, asked)

    def _ask_meaning(self, t: Tables, waiting: Introduction, reading: Reading, now: datetime) -> Piece | None:
        """Two buttons, once for each answer that code can't read."""
        if not isinstance(reading, AskOwner):
            return None
        key = f"introduction:{waiting.id}:unclear:{reading.mail_id}"
        if t.pieces.has(key):
            return None
        owner = t.owners.get(waiting.owner_id)
        stored = t.cards.put(_unclear(waiting, reading, owner), owner_id=owner.id, now=now)
        new = NewPiece(key=key, owner_id=owner.id, channel=self._post.home(), text=stored.card.text, card_id=stored.id)
        return t.pieces.say(new, now=now, handing=True)

    def _ended(self, t: Tables, ended: Introduction, now: datetime) -> tuple[Piece | None, ...]:
        """Its open cards are void, and the owner hears of it, once; unless they have just said so themselves."""
        if ended.because == STOPPED:
            return _void(t, ended, now)
        owner = t.owners.get(ended.owner_id)
        text = say(
            owner.language,
            "introduction_ended",
            asker=escaped(ended.asker.name),
            target=escaped(ended.target.name),
            because=escaped(introducing.ended(owner.language, ended.because)),
        )
        key = f"introduction:{ended.id}:ended"
        new = NewPiece(key=key, owner_id=owner.id, channel=self._post.home(), text=text)
        return (*_void(t, ended, now), t.pieces.say(new, now=now, handing=True))

    # What is due

    def _due(self, t: Tables, number: int) -> _Due | None:
        """The message that is to be asked about now; None while none is, or it was asked about before."""
        found = t.introductions.get(number)
        step = next_message(found) if found else None
        if found is None or step is None:
            return None
        asked = t.approvals.of_playbook(found.owner_id, playbook.of_step(found.id, step))
        if any(one.state != "void" for one in asked):
            return None
        owner = t.owners.get(found.owner_id)
        envelope = introducing.envelope_of(t, owner, found, step, self._letters, now=self._clock.now())
        return _Due(found, step, envelope)

    async def _words(self, due: _Due) -> str:
        """The drafter's words where it has some that keep to what the step may say; else a template, to be edited."""
        owner = await self._ledger.read(lambda t: t.owners.get(due.introduction.owner_id))
        sender = due.envelope.identity.name
        if self._drafter is not None:
            today = f"{owner.zones.wall_at(self._clock.now()):%A %Y-%m-%d}"
            wish = introducing.draft_wish(due.introduction, due.step, due.envelope, owner, today)
            try:
                drafted = await self._drafter.draft(wish)
            except (ModelFailed, StillbellError) as error:
                log.warning("no draft", action="introduction.undrafted", because=str(error))
            else:
                if not drafted.faults and introducing.may_be(due.introduction, due.step, due.envelope, drafted.body):
                    return drafted.body
        return introducing.template(due.introduction, due.step, sender, owner.language)

    async def _ask(self, due: _Due, body: str) -> None:
        now, owner_id = self._clock.now(), due.introduction.owner_id
        wish = introducing.wish_of(due.introduction, due.step, due.envelope, body)
        asked = await self._ledger.write(lambda t: asking.ask(t, owner_id, wish, channel=self._post.home(), now=now))
        if isinstance(asked, Asked):
            self._post.post(asked.piece)
        elif isinstance(asked, Wait):
            raise Later(asked.until)
        else:
            await self._end(due.introduction.id, next(iter(asked.refused.values())).because)

    async def _end(self, number: int, because: str) -> None:
        now = self._clock.now()

        def work(t: Tables) -> tuple[Piece | None, ...]:
            before = t.introductions.get(number)
            after = _new(introductions.end(before, because=because)) if before else None
            if before is None or after is None or not introducing.store(t, before, after, now=now):
                return ()
            return self._ended(t, after, now)

        self._post.post(*await self._ledger.write(work))


def _new(moved: Introduction | Refusal | None) -> Introduction | None:
    return None if isinstance(moved, Refusal) else moved


def _draft(t: Tables, draft_id: object) -> Draft | None:
    try:
        return t.drafts.get(draft_id) if isinstance(draft_id, int) else None
    except NotFound:
        return None


def _void(t: Tables, introduction: Introduction, now: datetime) -> tuple[Piece | None, ...]:
    """Questions about it that are still open are no more."""
    asked = t.approvals.of_playbook(introduction.owner_id, f"{playbook.INTRODUCTION}:{introduction.id}")
    return tuple(supersede(t, one, now) for one in asked if one.state in WAITING)


def _unclear(waiting: Introduction, reading: AskOwner, owner: Owner) -> Card:
    quote = "\n".join(barred(reading.quote)) if reading.quote else ""
    text = say(
        owner.language,
        "introduction_unclear",
        asker=escaped(waiting.asker.name),
        target=escaped(waiting.target.name),
        because=reason(owner.language, reading.because),
        quote=quote,
    )
    return Card(
        kind=UNCLEAR,
        subject=f"introduction:{waiting.id}",
        text=text.strip(),
        choices=(
            Choice("agreed", say(owner.language, "button_agreed"), "good"),
            Choice("declined", say(owner.language, "button_declined")),
        ),
        because=reading.because,
        state_of_subject=json.dumps([reading.mail_id, reading.quote]),
    )
