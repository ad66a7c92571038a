"""Intake: what a client sends becomes a signal, committed before it is acknowledged."""

import asyncio
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request

from bot.terminal import wire
from bot.terminal.client import new_id
from memory.clock import Clock
from memory.errors import BadInput, NotFound
from memory.ledger import Ledger, Tables
from memory.signal import NewSignal

BODY_MAX = wire.LINE_MAX
"""Bytes of one request's body: those of a line on the terminal's wire."""

BODY_WITHIN_S = 10.0
"""How long a body may take to arrive."""

SAY = (
    'POST /message takes {"text": "…"}, and if you like "id" (letters, digits, dashes) and "reply_to" (a message\'s id)'
)
TAP = 'POST /tap takes {"data": "…"}, word for word as a button in GET /events or GET /messages has it'

T = TypeVar("T", wire.Say, wire.Tap)
_SAY = TypeAdapter(wire.Say)
_TAP = TypeAdapter(wire.Tap)


class Unfit(BadInput):
    """What a client sent can't be taken. `next_step` is what to send instead, `status` what HTTP calls it."""

    def __init__(self, message: str, next_step: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.next_step = next_step
        self.status = status


class Intake:
    """Takes what the owner says and taps in the web."""

    def __init__(self, ledger: Ledger, clock: Clock, owner_id: int) -> None:
        self._ledger = ledger
        self._clock = clock
        self._owner_id = owner_id

    async def say(self, request: Request) -> dict[str, Any]:
        """Commit a message. Raises Unfit, NotFound when the message it answers isn't there."""
        said = _read(_SAY, await _body(request), SAY)
        text = wire.clean(said.text).strip()
        if not text:
            raise Unfit("an empty message says nothing", SAY)
        reply_to = None if said.reply_to is None else str(said.reply_to)
        is_new = await self._publish("message", said.id, {"text": text, "reply_to": reply_to}, answers=said.reply_to)
        return {"id": said.id, "new": is_new}

    async def tap(self, request: Request) -> dict[str, Any]:
        """Commit a tap: what it does is for the card to say. Raises Unfit."""
        tap = _read(_TAP, await _body(request), TAP)
        return {"id": tap.id, "new": await self._publish("tap", tap.id, {"data": wire.clean(tap.data)})}

    async def _publish(self, kind: str, source_id: str, payload: dict[str, Any], *, answers: int | None = None) -> bool:
        """Whether the signal is new: the same id sent again changes nothing."""
        signal = NewSignal(
            source="web",
            kind=kind,
            source_id=source_id,
            payload={"channel": "web", **payload},
            owner_id=self._owner_id,
        )
        now = self._clock.now()

        def publish(t: Tables) -> bool:
            if answers is not None and t.thread.get(answers).owner_id != self._owner_id:
                raise NotFound(f"there is no message {answers}")
            return t.signals.publish(signal, now=now) is not None

        return await self._ledger.write(publish)


def _read(shape: TypeAdapter[T], body: bytes, usage: str) -> T:
    try:
        told = from_json(body)
        given = {"id": new_id()} | {name: value for name, value in told.items() if value is not None}
        return shape.validate_python(given)
    except (ValueError, AttributeError) as error:
        raise Unfit(f"not understood: {_why(error)}", usage) from error


def _why(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return "this is no JSON object"
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


async def _body(request: Request) -> bytes:
    """The whole body. Raises Unfit when it is too large, or does not arrive."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_MAX:
                    raise Unfit(f"more than {BODY_MAX} bytes in one request", "Say it in parts", status=413)
    except (TimeoutError, ClientDisconnect) as error:
        raise Unfit("the request's body did not arrive", "Send it again", status=408) from error
    return bytes(body)
