"""A metered model: every call is reserved at its worst before it is made, and settled at what it cost.

    worst case ─► one write: spent today? room? reservation ─► the call ─► settled   the real figures
                       └─ no room: CapReached                         ├─► at 0       it failed for free
                          (the owner hears of it once a day)          └─► unknown    the reservation stands

At boot `Spendings.abandon` turns what a killed process left reserved into *unknown*: the money may be spent.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, datetime, time, timedelta

import structlog

from memory.clock import Clock
from memory.errors import CapReached, StillbellError
from memory.ledger import Ledger, Tables
from memory.owner import Owner
from memory.spending import Granted, Label, reserve
from tools.choice import Choice
from tools.model import Answer, Ask, Model, ModelFailed
from tools.prices import most_input_tokens, worst_usd

log = structlog.get_logger(__name__)

OnCap = Callable[[str, date], Awaitable[object]]
"""Tells the owner why no more is spent, and on which day of theirs; may be called a second time after a crash."""

CAP_TOLD = "cap told"
"""The cursor that holds on which day the owner was last told that the cap is reached."""

TROUBLE_FOR = timedelta(minutes=10)
"""So long a failed call says something about how the model is doing."""


def day_began_at(owner: Owner, now: datetime) -> datetime:
    """When the owner's present day began (UTC): the last midnight on the owner's own clock."""
    midnight = datetime.combine(owner.zones.wall_at(now).date(), time.min)
    return min(owner.zones.wall_to_utc(midnight), now)


class MeteredModel:
    """A model that can't spend more than the owner's cap in one of the owner's days. `close` waits for the last rows."""

    def __init__(
        self, model: Model, *, choice: Choice, ledger: Ledger, clock: Clock, on_cap: OnCap, owner_id: int
    ) -> None:
        self._model = model
        self._choice = choice
        self._ledger = ledger
        self._clock = clock
        self._on_cap = on_cap
        self._owner_id = owner_id
        self._settling: set[asyncio.Task[None]] = set()
        self._alerting_on: date | None = None
        self._trouble: tuple[str, datetime] | None = None

    def describe(self, label: Label) -> str:
        """Which model answers under `label`, in a few words for a person."""
        return self._model.describe(label)

    @property
    def trouble(self) -> str | None:
        """How the last call failed, in words, if that was within TROUBLE_FOR and none has succeeded since."""
        if self._trouble is None:
            return None
        text, at = self._trouble
        return text if abs(self._clock.now() - at) <= TROUBLE_FOR else None

    async def close(self) -> None:
        """Wait until every call that ended is on record."""
        await asyncio.gather(*self._settling)

    async def ask(self, ask: Ask) -> Answer:
        """One request, one answer. Raises CapReached when it could pass the day's cap, and what the model raises."""
        worst = self._worst_usd(ask)
        usage_id = await self._reserve(ask.label, worst)
        try:
            answer = await self._model.ask(ask)
        except BaseException as error:  # a cancelled call, or a bug in the adapter, may have cost money as well
            self._unsettle(usage_id, worst, error)
            if isinstance(error, ModelFailed):
                self._trouble = (f"the last call failed ({error.kind}): {error}", self._clock.now())
            raise
        self._trouble = None
        self._settle(usage_id, answer)
        return answer

    def _worst_usd(self, ask: Ask) -> float:
        assignment = self._choice.at(ask.label)
        most_tokens = most_input_tokens(ask)
        if most_tokens > assignment.max_input_tokens:
            raise ModelFailed(
                f"the prompt for {ask.label} may take {most_tokens} tokens, more than the {assignment.max_input_tokens} "
                f"that the policy allows; make it shorter or raise pins.{ask.label}.max_input_tokens",
                kind="rejected",
                cost_known_zero=True,
            )
        return worst_usd(
            assignment.price,
            input_tokens=most_tokens,
            max_tokens=assignment.max_tokens,
            cached=assignment.cache,
        )

    async def _reserve(self, label: Label, worst: float) -> int:
        """The id of the reservation. Check and row are one write, so that two calls at once can't both have the last."""
        now = self._clock.now()
        model = self._choice.at(label).model

        def reserved(t: Tables) -> int | str:
            owner = t.owners.get(self._owner_id)
            spent = t.spendings.spent_usd(self._owner_id, day_began_at(owner, now))
            verdict = reserve(label=label, worst_usd=worst, spent_usd=spent, cap_usd=owner.cap_usd)
            if not isinstance(verdict, Granted):
                return verdict.because
            return t.spendings.reserve(
                owner_id=self._owner_id, label=label, model=model, cost_usd=verdict.reserved_usd, now=now
            )

        outcome = await self._ledger.write(reserved)
        if isinstance(outcome, int):
            return outcome
        await self._tell_once(outcome, now)
        raise CapReached(f"{outcome}; /allowance raises the cap, and at midnight the day begins anew")

    async def _tell_once(self, because: str, now: datetime) -> None:
        """Tell the owner, once a day. It is noted after it is told: a crash between the two tells it twice, not never."""
        owner_id = self._owner_id
        today, told_on = await self._ledger.read(
            lambda t: (t.owners.get(owner_id).zones.wall_at(now).date(), t.cursors.get(CAP_TOLD, owner_id=owner_id))
        )
        if told_on == today.isoformat() or self._alerting_on == today:
            return
        self._alerting_on = today
        try:
            await self._on_cap(because, today)
            await self._ledger.write(lambda t: t.cursors.set(CAP_TOLD, today.isoformat(), owner_id=owner_id, now=now))
        except StillbellError:
            # The caller has to hear of the cap, whatever became of the telling; the next refusal tries again.
            self._alerting_on = None
            log.exception("cap_untold", because=because)

    def _settle(self, usage_id: int, answer: Answer) -> None:
        self._record(
            lambda t: t.spendings.settle(
                usage_id,
                cost_usd=answer.cost_usd,
                input_tokens=answer.input_tokens,
                output_tokens=answer.output_tokens,
            )
        )

    def _unsettle(self, usage_id: int, worst: float, error: BaseException) -> None:
        is_free = isinstance(error, ModelFailed) and error.cost_known_zero
        why = error.kind if isinstance(error, ModelFailed) else type(error).__name__
        cost = 0.0 if is_free else worst
        self._record(lambda t: t.spendings.unsettle(usage_id, cost_usd=cost, error=why))

    def _record(self, work: Callable[[Tables], None]) -> None:
        """Write beside the answer, which need not wait for it: until then the worst case stands."""
        task = asyncio.create_task(self._recorded(work), name="settle a model call")
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)

    async def _recorded(self, work: Callable[[Tables], None]) -> None:
        try:
            await self._ledger.write(work)
        except StillbellError:
            # Nothing is lost but precision: the reservation stands.
            log.exception("spending_unrecorded")
