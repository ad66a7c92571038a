"""The wire: the SDK's client, set up so that it does nothing by itself, and the events of one streamed request."""

import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

import httpx2
from anthropic import AsyncAnthropic, AsyncStream

from tools.provider import Provider

ANSWER_LIMIT_BYTES = 8 * 1024 * 1024
"""The most that is read of one response: 128,000 tokens in the smallest of deltas stay below it."""

CONNECT_SECONDS = 5.0

KEEP_SECONDS = 120.0
"""How long an idle connection is kept: the next message should not have to pay for a handshake."""

# At DEBUG these write whole requests, mail and all, into the log; ANTHROPIC_LOG would turn that on.
TALKATIVE = ("anthropic", "httpx2", "httpcore2")


class AnswerTooLargeError(Exception):
    """The response is longer than any answer can be."""


class _Bounded(httpx2.AsyncByteStream):
    """A response's body that ends with an error when it grows beyond the limit."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = ANSWER_LIMIT_BYTES
        async for part in self._stream:
            left -= len(part)
            if left < 0:
                raise AnswerTooLargeError(f"the response is longer than {ANSWER_LIMIT_BYTES} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    response.stream = _Bounded(cast(httpx2.AsyncByteStream, response.stream))


def open_client(provider: Provider) -> AsyncAnthropic:
    """A client that neither retries nor traces nor follows redirects.

    A redirect would carry the prompt to another host. The key is always given, or the SDK would take one from the
    environment and send it to whatever address is configured.
    """
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    http = httpx2.AsyncClient(
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        limits=httpx2.Limits(max_connections=20, keepalive_expiry=KEEP_SECONDS),
        follow_redirects=False,
        # Compressed events would slip past the limit.
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_bound]},
    )
    client = AsyncAnthropic(
        api_key=provider.api_key,
        base_url=provider.base_url,
        max_retries=0,
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        http_client=http,
        open_telemetry=False,
    )
    _ = client.messages  # the SDK imports this part on first use, and a first message should not wait for it
    return client


@asynccontextmanager
async def streamed(client: AsyncAnthropic, request: dict[str, Any]) -> AsyncIterator[AsyncIterator[object]]:
    """The events of one request, each the JSON it was sent as. Leaving the block closes the connection."""
    # Always streamed: for a plain request with a large max_tokens the SDK raises ValueError.
    answer = await client.messages.create(**request, stream=True)
    async with cast(AsyncStream[Any], answer) as stream, aclosing(_events(stream)) as events:
        yield events


async def _events(stream: AsyncStream[Any]) -> AsyncGenerator[object, None]:
    # The SDK's own events are pydantic models that are built at their first use (a sixth of a second) and may add
    # fields; what was sent is what has to go back.
    async for event in stream.raw_events(stream.response):
        if event.data:
            yield json.loads(event.data)
