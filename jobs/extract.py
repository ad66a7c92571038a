"""The duty *extract*: after a turn, what the owner said in it that is worth remembering.

    turn ─► anything of the owner's own to look at? ─► one model call ─► memory/remembering decides ─► rows, and one that says so

It runs twice without harm: the row that says so is written with what was remembered. What was forgotten, edited or stopped
while the model was asked comes to nothing.
"""

from datetime import timedelta

import structlog

from memory.clock import Clock
from memory.errors import CapReached
from memory.exclusion import UnreadableExclusions
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.memorywords import say
from memory.piece import NewPiece, Piece
from memory.recollection import Recollection, subject
from memory.remembering import Outcome, Proposal, weigh
from memory.testimony import Testimony
from memory.thread import OVERTAKEN, Turn
from tools import cards, recollecting
from tools.chat import Post
from tools.extracting import asked, read
from tools.model import Model, ModelFailed

log = structlog.get_logger()

AGAIN_FOR = timedelta(minutes=1)
"""So long is waited while the exclusions can't be read."""


class Extract:
    """Handles jobs of the kind *extract*."""

    def __init__(self, ledger: Ledger, post: Post, model: Model, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._model = model
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Look at the turn once. A model that fails is not asked again: the turn is on record as not looked at.

        Raises Later while the exclusions can't be read: nothing is read or asked, and nothing is lost.
        """
        try:
            await self._extract(job)
        except UnreadableExclusions as error:
            raise Later(self._clock.now() + AGAIN_FOR) from error

    async def _extract(self, job: Job) -> None:
        turn_id = int(job.payload["turn"])
        found = await self._ledger.read(lambda t: self._to_extract(t, turn_id))
        if found is None:
            return
        turn, testimony, known = found
        try:
            answer = await self._model.ask(asked(testimony, known))
        except (ModelFailed, CapReached) as error:
            because = f"not looked at: {error.kind if isinstance(error, ModelFailed) else 'the cap is reached'}"
            log.warning("nothing extracted", action="extract.failed", turn=turn_id, because=because)
            await self._ledger.write(lambda t: recollecting.decided(t, turn, because, self._clock.now()))
            return
        # An answer that was cut short or refused is none, however much of it can be read.
        proposals = read(answer.text) if answer.stop == "end" else ()
        pieces = await self._ledger.write(lambda t: self._remember(t, turn_id, known, proposals))
        self._post.post(*pieces)

    def _to_extract(self, t: Tables, turn_id: int) -> tuple[Turn, Testimony, list[Recollection]] | None:
        turn = t.thread.turn(turn_id)
        found = None if is_ended(turn) else recollecting.to_extract(t, turn, self._clock.now())
        return (turn, *found) if found is not None else None

    def _remember(
        self, t: Tables, turn_id: int, shown: list[Recollection], proposals: tuple[Proposal, ...]
    ) -> list[Piece | None]:
        now = self._clock.now()
        again = self._to_extract(t, turn_id)
        if again is None:
            # Forgotten, edited, stopped, or done by another run. What is left is weighed against the words as they stand now.
            log.info("nothing kept of a turn that has changed", action="extract.void", turn=turn_id)
            return []
        turn, testimony, _ = again
        outcomes = self._weighed(t, turn, testimony, shown, proposals)
        new = recollecting.apply(t, turn, outcomes, because=f"the owner said so in turn {turn.id}", now=now)
        return [self._tell(t, one, turn) for one in new if one.kind == "instruction"]

    def _weighed(
        self, t: Tables, turn: Turn, testimony: Testimony, shown: list[Recollection], proposals: tuple[Proposal, ...]
    ) -> list[Outcome]:
        numbers = {one.id for one in shown}
        live = t.recollections.live(turn.owner_id)
        unwanted = t.recollections.unwanted(turn.owner_id, {saying.ref for saying in testimony.sayings})
        return weigh(proposals, testimony, live, shown=numbers, unwanted=unwanted)

    def _tell(self, t: Tables, one: Recollection, turn: Turn) -> Piece | None:
        """A rule of the owner's stands in every prompt from now on: they see it, without a sound, with the way back."""
        language = t.owners.get(one.owner_id).language
        before = t.recollections.versions(one.owner_id, one.id)
        text = say(language, "kept_rule", text=escaped(one.text))
        if before:
            text = say(language, "corrected", old=escaped(before[0].text), text=escaped(one.text))
        card = cards.after_change(subject(one.id), text, language, because="it is kept to from now on")
        stored = t.cards.put(card, owner_id=one.owner_id, now=self._clock.now())
        new = NewPiece(
            key=f"{subject(one.id)}:told",
            owner_id=one.owner_id,
            channel=turn.channel,
            text=text,
            card_id=stored.id,
            silent=True,
        )
        return t.pieces.say(new, now=self._clock.now(), handing=True)


def is_ended(turn: Turn) -> bool:
    """Whether the turn was ended on purpose; a newer message takes nothing back of what was said in it."""
    return turn.stopped_because not in {None, OVERTAKEN}
