"""The model port over the Messages API.

    ask ─► deadline of the label ┬─ attempt ─► events gathered ─► answer
                                 └─ failed for free and in time? one more attempt

Every answer is streamed and put together here, so that a cut, a stall or nonsense is noticed when it happens; the SDK
neither retries nor keeps a conversation.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from memory.spending import Label
from tools.choice import Assignment, Choice
from tools.claude.gathering import Gathering
from tools.claude.request import request_of
from tools.model import Answer, Ask, ModelFailed
from tools.prices import cost_usd, most_input_tokens, worst_usd

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

LEFT_AFTER_PAUSE = 0.5
"""The part of the remaining time that must be left for a second attempt after the pause before it."""


class ClaudeModel:
    """Answers through the provider of `choice`. Call `warm` early and `close` at the end.

    Raises ModelFailed for everything that is the provider's doing; the deadline of the label bounds every ask.
    """

    def __init__(self, choice: Choice, *, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._choice = choice
        self._sleep = sleep
        self._opening: asyncio.Task[AsyncAnthropic] | None = None

    def describe(self, label: Label) -> str:
        """Which model answers under `label`, in a few words for a person."""
        return self._choice.describe(label)

    async def warm(self) -> None:
        """Load the SDK, which takes about a second, so that no first message has to wait for it."""
        await self._client()

    async def close(self) -> None:
        """Close the connections."""
        if self._opening is not None:
            await (await self._opening).close()

    async def ask(self, ask: Ask) -> Answer:
        """One request, one answer. Raises ModelFailed."""
        assignment = self._choice.at(ask.label)
        ends_at = asyncio.get_running_loop().time() + assignment.deadline_seconds
        try:
            async with asyncio.timeout_at(ends_at):
                return await self._ask(ask, assignment, ends_at)
        except TimeoutError as error:
            raise ModelFailed(
                f"{self.describe(ask.label)} did not answer within {assignment.deadline_seconds:g} seconds",
                kind="deadline",
            ) from error

    async def _ask(self, ask: Ask, assignment: Assignment, ends_at: float, *, is_second: bool = False) -> Answer:
        """One attempt, and a second one where the first cost nothing and the time is there. `ends_at`: loop time."""
        client = await self._client()
        wire, failures = _foreign_modules()
        request = await self._request(ask, assignment)
        try:
            return self._answer(ask, assignment, await _gathered(wire.streamed(client, request)))
        except failures.FOREIGN as error:
            failure = failures.failure_of(error, self._choice.provider, assignment.model)
            cause = None if failures.gives_away(error, self._choice.provider.api_key) else error
        # Out here, so that an error which holds the key is not even the context of what is raised.
        pause_seconds = failure.again_in_seconds
        if is_second or pause_seconds is None or not _fits(pause_seconds, ends_at):
            raise failure.failed from cause
        await self._sleep(pause_seconds)
        return await self._ask(ask, assignment, ends_at, is_second=True)

    async def _request(self, ask: Ask, assignment: Assignment) -> dict[str, Any]:
        if any(said.images for said in ask.messages):
            return await asyncio.to_thread(request_of, ask, assignment, self._choice.provider)
        return request_of(ask, assignment, self._choice.provider)

    def _answer(self, ask: Ask, assignment: Assignment, gathered: Gathering) -> Answer:
        title = self._choice.provider.title
        if not gathered.has_begun:
            raise ModelFailed(
                f"{title} answered with no events at all; check that {self._choice.provider.base_url} speaks the "
                "Messages API",
                kind="garbled",
            )
        if not gathered.is_whole:
            raise ModelFailed(f"the answer of {title} ended before it was whole", kind="cut")
        calls, raw = gathered.calls_and_raw()
        tokens = gathered.tokens
        return Answer(
            text=gathered.text,
            calls=calls,
            raw=raw,
            stop=gathered.stop,
            model=gathered.model or assignment.model,
            input_tokens=tokens.prompt if tokens else 0,
            output_tokens=tokens.output if tokens else 0,
            cost_usd=cost_usd(assignment.price, tokens) if tokens else _worst(ask, assignment),
        )

    async def _client(self) -> "AsyncAnthropic":
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), name="load the model SDK")
        # Shielded: a deadline that passes meanwhile must not stop the loading for the next ask.
        return await asyncio.shield(self._opening)

    async def _open(self) -> "AsyncAnthropic":
        wire, _ = await asyncio.to_thread(_foreign_modules)
        client: AsyncAnthropic = await asyncio.to_thread(wire.open_client, self._choice.provider)
        return client


async def _gathered(streamed: AbstractAsyncContextManager[AsyncIterator[object]]) -> Gathering:
    gathering = Gathering()
    async with streamed as events:
        async for event in events:
            gathering.take(event)
    return gathering


def _fits(pause_seconds: float, ends_at: float) -> bool:
    """Whether after the pause enough of the time is left for an answer."""
    left_seconds = ends_at - asyncio.get_running_loop().time()
    return pause_seconds <= left_seconds * (1 - LEFT_AFTER_PAUSE)


def _worst(ask: Ask, assignment: Assignment) -> float:
    """What an answer without counts is taken to have cost."""
    return worst_usd(
        assignment.price,
        input_tokens=most_input_tokens(ask),
        max_tokens=assignment.max_tokens,
        cached=assignment.cache,
    )


def _foreign_modules() -> tuple[ModuleType, ModuleType]:
    """The two modules that import the SDK, loaded at the first call."""
    from tools.claude import failures, wire  # noqa: PLC0415 - a second of start-up

    return wire, failures
