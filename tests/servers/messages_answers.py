"""What a script may answer with: blocks, whole answers, and faults.

An answer or a fault knows how to play itself on an `Exchange` (see messages_exchange), which is the one request being
answered. The faults are those a client has to live through; what the SDK makes of each stands in
test_messages_api_server.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from tests.servers.messages_exchange import Exchange

Wait = float | asyncio.Event | None  # seconds, or until the event is set


@dataclass(frozen=True, slots=True)
class Text:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call. `raw_input` is sent in place of `input` as it stands, for arguments that are no JSON."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None  # made up when None
    raw_input: str | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block. Its text comes back only where the model and the request's display setting show it."""

    text: str


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """A thinking block that the provider encrypted: only opaque data."""


Block = Text | ToolUse | Thinking | RedactedThinking


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts to report; those left None are estimated from the texts (four characters to the token)."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Playable(Protocol):
    """Something that answers one request."""

    async def play(self, exchange: "Exchange") -> None:
        """Answers on `exchange`, in full or as badly as it is meant to."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: blocks, why it stopped, what it cost, and how fast it comes.

    `stop_reason` None means tool_use when there is a tool call and end_turn otherwise. The waits are seconds or events:
    `before` holds back everything, `before_first_token` the first delta, `between_tokens` each later delta (or, without
    streaming, `before_first_token` holds back the body). `chunk_chars` is the size of a delta; None cuts each block into
    at most 64.
    """

    blocks: Sequence[Block]
    stop_reason: str | None = None
    stop_sequence: str | None = None
    refusal_category: str | None = None
    usage: Usage = Usage()
    before: Wait = None
    before_first_token: Wait = None
    between_tokens: Wait = None
    chunk_chars: int | None = None

    async def play(self, exchange: "Exchange") -> None:
        """Answers completely."""
        await exchange.pause(self.before)
        if exchange.streaming:
            await exchange.open_stream()
            await exchange.send_events(self)
            await exchange.close_stream()
        else:
            await exchange.pause(self.before_first_token)
            await exchange.send_json(200, exchange.message(self))


AnswerLike = str | Block | list[Block] | tuple[Block, ...] | Playable


def as_playable(value: AnswerLike) -> Playable:
    """A string becomes a text, a block or several an answer; answers and faults stay what they are."""
    if isinstance(value, str):
        return Answer([Text(value)])
    if isinstance(value, Text | ToolUse | Thinking | RedactedThinking):
        return Answer([value])
    if isinstance(value, list | tuple):
        return Answer(value)
    return value


SOME_ANSWER = Answer([Text("The quick brown fox jumps over the lazy dog, and then it rests.")])


@dataclass(frozen=True, slots=True)
class Status:
    """An error instead of an answer. `retry_after_s` becomes the Retry-After header."""

    status: int
    retry_after_s: float | None = None
    error_type: str | None = None  # by the status when None
    message: str = "scripted error"

    async def play(self, exchange: "Exchange") -> None:
        """Sends the error."""
        headers = {} if self.retry_after_s is None else {"retry-after": f"{self.retry_after_s:g}"}
        await exchange.send_error(self.status, self.message, error_type=self.error_type, headers=headers)


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing, until `server.release()`, the client's leaving or the end of the server; then the answer.

    With `after_events` and a streaming request that many events go out first.
    """

    answer: Answer = SOME_ANSWER
    after_events: int = 0

    async def play(self, exchange: "Exchange") -> None:
        """Hangs, then answers."""
        if not (self.after_events and exchange.streaming):
            await exchange.hang()
            await self.answer.play(exchange)
            return
        await exchange.open_stream()
        await exchange.send_events(self.answer, stop=self.after_events)
        await exchange.hang()
        await exchange.send_events(self.answer, start=self.after_events)
        await exchange.close_stream()


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection ends before a byte of the answer: reset, or closed in the ordinary way."""

    reset: bool = False

    async def play(self, exchange: "Exchange") -> None:
        """Ends the connection."""
        await exchange.cut(reset=self.reset)


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends in the middle of the answer: reset (RST), or closed without the end of the body."""

    answer: Answer = SOME_ANSWER
    after_events: int = 5
    reset: bool = True

    async def play(self, exchange: "Exchange") -> None:
        """Sends a part and ends the connection."""
        if exchange.streaming:
            await exchange.open_stream()
            await exchange.send_events(self.answer, stop=self.after_events)
        else:
            await exchange.send_half(exchange.message(self.answer))
        await exchange.cut(reset=self.reset)


@dataclass(frozen=True, slots=True)
class Truncated:
    """A body that ends properly but too early: no message_stop in a stream, half a document otherwise."""

    answer: Answer = SOME_ANSWER
    after_events: int = 5

    async def play(self, exchange: "Exchange") -> None:
        """Sends a part and closes as if all were well."""
        if not exchange.streaming:
            whole = json.dumps(exchange.message(self.answer))
            await exchange.send_body(200, whole[: len(whole) // 2].encode())
            return
        await exchange.open_stream()
        await exchange.send_events(self.answer, stop=self.after_events)
        await exchange.close_stream()


@dataclass(frozen=True, slots=True)
class Malformed:
    """JSON that cannot be parsed: in one event of a stream, or as the body."""

    answer: Answer = SOME_ANSWER
    after_events: int = 5

    async def play(self, exchange: "Exchange") -> None:
        """Sends the broken JSON, in a stream followed by the rest of the answer."""
        if not exchange.streaming:
            await exchange.send_body(200, b'{"type": "message", "content": [')
            return
        await exchange.open_stream()
        await exchange.send_events(self.answer, stop=self.after_events)
        await exchange.send_raw(b'event: content_block_delta\ndata: {"type": "content_block_delta", "delta\n\n')
        await exchange.send_events(self.answer, start=self.after_events)
        await exchange.close_stream()


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """An error event in the middle of a stream that began with status 200. Without streaming: the error as a status."""

    error_type: str = "overloaded_error"
    message: str = "scripted error"
    answer: Answer = SOME_ANSWER
    after_events: int = 5

    async def play(self, exchange: "Exchange") -> None:
        """Sends a part and then the error."""
        if not exchange.streaming:
            await exchange.send_error(529, self.message, error_type=self.error_type)
            return
        await exchange.open_stream()
        await exchange.send_events(self.answer, stop=self.after_events)
        await exchange.send_event("error", exchange.error_body(self.error_type, self.message))
        await exchange.close_stream()


@dataclass(frozen=True, slots=True)
class Empty:
    """Status 200 and not a byte of body: an empty stream, or an empty document."""

    async def play(self, exchange: "Exchange") -> None:
        """Sends the headers alone."""
        if not exchange.streaming:
            await exchange.send_body(200, b"")
            return
        await exchange.open_stream()
        await exchange.close_stream()
