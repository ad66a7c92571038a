"""A local Messages API: the provider's side of the wire, for tests and evals.

    async with MessagesServer() as server:
        server.script("claude-haiku-5-5", Text("On it."), Status(429, retry_after_s=90))
        client = AsyncAnthropic(base_url=server.url, api_key="any")

It listens on 127.0.0.1 on a free port and speaks POST /v1/messages (JSON and server-sent events),
POST /v1/messages/count_tokens and GET /v1/models. Requests are held to the rules of messages_rules before anything is
answered. What it answers is scripted; what nothing was scripted for gets its last message back as an echo.
"""

import asyncio
import inspect
import itertools
import secrets
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web
from aiohttp.typedefs import Handler

from tests.servers.messages_answers import (
    SOME_ANSWER,
    Answer,
    AnswerLike,
    Block,
    Cut,
    Drop,
    Empty,
    ErrorEvent,
    Hang,
    Malformed,
    Playable,
    RedactedThinking,
    Status,
    Text,
    Thinking,
    ToolUse,
    Truncated,
    Usage,
    as_playable,
)
from tests.servers.messages_exchange import Exchange, ServerClosingError
from tests.servers.messages_models import MODELS
from tests.servers.messages_record import (
    NO_JSON,
    TOO_LARGE,
    Match,
    RecordedRequest,
    anything,
    parsed,
    redacted,
    system_text,
    user_says,
    user_text,
)
from tests.servers.messages_rules import Violation, first_violation, version_header
from tests.servers.messages_stream import Wire, request_tokens
from tests.servers.messages_thread import (
    Body,
    Issued,
    IssuedThinking,
    content_digest,
    prefix_digest,
    seal_of,
)

__all__ = [
    "SOME_ANSWER",
    "Answer",
    "AnswerLike",
    "Block",
    "Cut",
    "Drop",
    "Empty",
    "ErrorEvent",
    "Hang",
    "Malformed",
    "MessagesServer",
    "Playable",
    "RecordedRequest",
    "RedactedThinking",
    "Status",
    "Text",
    "Thinking",
    "ToolUse",
    "Truncated",
    "Usage",
    "anything",
    "system_text",
    "user_says",
    "user_text",
]

MAX_BODY_BYTES = 32 * 1024 * 1024  # the documented limit of the Messages API


@dataclass(slots=True)
class _Script:
    match: Callable[[Body], bool]
    answers: deque[Playable] = field(default_factory=deque)
    forever: bool = False

    def next_for(self, body: Body) -> Playable | None:
        if not self.answers or not self.match(body):
            return None
        return self.answers[0] if self.forever else self.answers.popleft()


class MessagesServer:
    """The server, as an async context manager.

    `keys` are the API keys it takes; empty means any non-empty key. A larger body than `max_body_bytes` gets a 413.
    `requests` holds what came to /v1/messages, `other_requests` the rest. `issued` is what must come back unchanged.
    `token_counter` counts a request's tokens, for count_tokens and for usage that was not scripted. A script function
    that raises gets the client a 500 and is raised again when the server closes.
    """

    def __init__(self, *, keys: Collection[str] = (), max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self.requests: list[RecordedRequest] = []
        self.other_requests: list[RecordedRequest] = []
        self.issued = Issued()
        self.token_counter: Callable[[Body], int] = request_tokens
        self._keys = frozenset(keys)
        self._max_body_bytes = max_body_bytes
        self._scripts: list[_Script] = []
        self._respond: Callable[[Body], AnswerLike | Awaitable[AnswerLike | None] | None] | None = None
        self._changed = asyncio.Event()  # set, and replaced, whenever a request comes or ends
        self._released, self._closing = asyncio.Event(), asyncio.Event()
        self._bugs: list[Exception] = []
        self._numbers, self._series = itertools.count(1), secrets.token_hex(4)
        self._runner: web.AppRunner | None = None
        self._port = 0

    # Life.

    async def __aenter__(self) -> Self:
        """Listens; from here on `url` is good."""
        app = web.Application(middlewares=[self._in_our_shape])
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_post("/v1/messages/count_tokens", self._count_tokens)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/v1/models/{id}", self._model)
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Lets hanging requests go and closes; raises what a script function raised, unless something else failed."""
        self._closing.set()
        assert self._runner is not None
        await self._runner.cleanup()
        if self._bugs and error is None:
            raise self._bugs[0]

    @property
    def url(self) -> str:
        """The base_url for a client."""
        return f"http://127.0.0.1:{self._port}"

    # Scripts.

    def script(self, match: Match, *answers: AnswerLike) -> None:
        """Answers matching requests with `answers`, one each, in order; then the script is used up.

        `match` is a function over the request's body, or a label: a model id, or a part of the system prompt. Scripts
        are asked in the order they were given.
        """
        self._scripts.append(_Script(_matcher(match), deque(as_playable(answer) for answer in answers)))

    def always(self, match: Match, answer: AnswerLike) -> None:
        """Answers every matching request with `answer`, if no earlier script does."""
        self._scripts.append(_Script(_matcher(match), deque([as_playable(answer)]), forever=True))

    def respond_with(self, function: Callable[[Body], AnswerLike | Awaitable[AnswerLike | None] | None]) -> None:
        """Asks `function` (plain or async) for what no script answers; None from it means the echo."""
        self._respond = function

    def release(self) -> None:
        """Lets all requests go on that hang, and those that would hang later."""
        self._released.set()

    async def wait_for_requests(self, count: int, timeout: float = 5.0) -> list[RecordedRequest]:
        """Waits until `count` requests have come to /v1/messages and returns them; TimeoutError after `timeout` s."""
        await self._wait_until(lambda: len(self.requests) >= count, timeout)
        return self.requests[:count]

    async def wait_for_answers(self, count: int, timeout: float = 5.0) -> list[RecordedRequest]:
        """Waits until `count` requests have been answered, cut off or left, and returns them in order of arrival."""
        await self._wait_until(lambda: len(self._ended()) >= count, timeout)
        return self._ended()[:count]

    def _ended(self) -> list[RecordedRequest]:
        return [request for request in self.requests if request.answered_s is not None]

    async def _wait_until(self, holds: Callable[[], bool], timeout: float) -> None:
        async with asyncio.timeout(timeout):
            while not holds():
                await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    @property
    def refused(self) -> list[RecordedRequest]:
        """The requests that broke a rule: most tests want none."""
        return [request for request in self.requests if request.violation]

    @property
    def unused_answers(self) -> list[Playable]:
        """What was scripted once and never asked for."""
        return [answer for script in self._scripts if not script.forever for answer in script.answers]

    # Requests.

    async def _messages(self, http: web.Request) -> web.StreamResponse:
        exchange = await self._exchange(http, self.requests)
        self._tell()
        try:
            if refusal := self._refusal(exchange):
                return await exchange.send_error(*refusal)
            playable = await self._playable(exchange.record.body)
            await playable.play(exchange)
        except ServerClosingError:
            exchange.abort()
        except (asyncio.CancelledError, ConnectionError):
            exchange.record.left = not self._closing.is_set()
            raise
        finally:
            exchange.record.answered_s = exchange.record.answered_s or time.monotonic()
            self._tell()
        return exchange.response

    async def _exchange(self, http: web.Request, kept_in: list[RecordedRequest]) -> Exchange:
        record = RecordedRequest(
            number=next(self._numbers),
            path=http.path,
            headers=redacted(http.headers),
            body=parsed(await self._read(http)),
            received_s=time.monotonic(),
        )
        kept_in.append(record)
        return Exchange(self, http, record)

    async def _read(self, http: web.Request) -> bytes | None:
        # Read to the end also when it is too long, or the client never gets to see the answer.
        parts: list[bytes] = []
        size = 0
        async for part in http.content.iter_any():
            size += len(part)
            if size <= self._max_body_bytes:
                parts.append(part)
        return b"".join(parts) if size <= self._max_body_bytes else None

    def _refusal(self, exchange: Exchange, *, counting: bool = False) -> tuple[int, str] | None:
        """The status and text of the error that the request gets before anything is answered, or None."""
        record = exchange.record
        if not self._admits(exchange.http.headers):
            return 401, "invalid x-api-key or bearer token"
        if record.body is TOO_LARGE:
            return 413, f"the request exceeds {self._max_body_bytes} bytes"
        if text := version_header(record.headers):
            record.violation = Violation(rule="version_header", text=text)
        elif record.body is NO_JSON:
            record.violation = Violation(rule="json", text="the request body is not valid JSON")
        else:
            record.violation = first_violation(record.body, self.issued, counting=counting)
        return (record.violation.status, record.violation.text) if record.violation else None

    def _admits(self, headers: Mapping[str, str]) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        key = headers.get("x-api-key", "").strip() or (bearer.strip() if scheme == "Bearer" else "")
        return key in self._keys if self._keys else bool(key)

    async def _playable(self, body: Body) -> Playable:
        try:
            for script in self._scripts:
                if (answer := script.next_for(body)) is not None:
                    return answer
            answered = self._respond(body) if self._respond else None
            found = await answered if inspect.isawaitable(answered) else answered
            return as_playable(found if found is not None else _echo(body))
        except Exception as error:  # noqa: BLE001 - it is the test's own function, and the test must hear of it
            self._bugs.append(error)
            return Status(500, message=f"script failed: {error!r}")

    async def _count_tokens(self, http: web.Request) -> web.StreamResponse:
        exchange = await self._exchange(http, self.other_requests)
        if refusal := self._refusal(exchange, counting=True):
            return await exchange.send_error(*refusal)
        return await exchange.send_json(200, {"input_tokens": self.token_counter(exchange.record.body)})

    async def _models(self, http: web.Request) -> web.StreamResponse:
        exchange = await self._exchange(http, self.other_requests)
        if not self._admits(http.headers):
            return await exchange.send_error(401, "invalid x-api-key or bearer token")
        stages = http.query.getall("lifecycle[]", []) or ["active", "deprecated"]
        shown = [model.catalogue_entry() for model in MODELS.values() if model.lifecycle in stages]
        return await exchange.send_json(200, _page(shown, int(http.query.get("limit", 20)), http.query.get("after_id")))

    async def _model(self, http: web.Request) -> web.StreamResponse:
        exchange = await self._exchange(http, self.other_requests)
        if not self._admits(http.headers):
            return await exchange.send_error(401, "invalid x-api-key or bearer token")
        model = MODELS.get(http.match_info["id"])
        if model is None:
            return await exchange.send_error(404, f"model: {http.match_info['id']}")
        return await exchange.send_json(200, model.catalogue_entry())

    @web.middleware
    async def _in_our_shape(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Gives the router's own errors (no such path, wrong method) the API's shape too, and keeps bugs."""
        try:
            return await handler(request)
        except web.HTTPException as error:
            exchange = await self._exchange(request, self.other_requests)
            return await exchange.send_error(error.status, f"{request.method} {request.path}: {error.reason}")
        except ConnectionError:
            raise
        except Exception as error:
            self._bugs.append(error)  # ours or a test's, and aiohttp would only log it
            raise

    # What an exchange asks of its server.

    def new_id(self, prefix: str) -> str:
        """A fresh id, unlike any of another server."""
        return f"{prefix}_{self._series}{next(self._numbers):08d}"

    def issue(self, body: Body, message: Wire) -> None:
        """Remembers what must come back unchanged: thinking blocks, and the content of a paused turn."""
        content = message["content"]
        whole = {**body, "messages": [*body["messages"], {"role": "assistant", "content": content}]}
        seals = [seal for block in content if (seal := seal_of(block))]
        for place, block in enumerate(content):
            if seal := seal_of(block):
                prefix = prefix_digest(whole, len(body["messages"]), place)
                self.issued.thinking[seal] = IssuedThinking(block=block, model=body["model"], prefix=prefix)
            if block["type"] == "tool_use":
                self.issued.thinking_of_call[block["id"]] = tuple(seals)
        if message["stop_reason"] == "pause_turn":
            self.issued.paused.add(content_digest(content))

    async def until(self, event: Awaitable[object]) -> None:
        """Waits for `event`, but no longer than the server lives."""
        waiting = asyncio.ensure_future(event)
        closing = asyncio.ensure_future(self._closing.wait())
        try:
            await asyncio.wait([waiting, closing], return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            closing.cancel()
        if self._closing.is_set():
            raise ServerClosingError

    async def until_released(self) -> None:
        """Waits for `release()`."""
        await self.until(self._released.wait())


def _matcher(match: Match) -> Callable[[Body], bool]:
    if not isinstance(match, str):
        return match
    return lambda body: match == body["model"] or match in system_text(body)


def _echo(body: Body) -> str:
    return user_text(body).strip() or "(nothing to echo)"


def _page(entries: Iterable[Wire], limit: int, after_id: str | None) -> Wire:
    rest = list(entries)
    if after_id is not None:
        ids = [entry["id"] for entry in rest]
        rest = rest[ids.index(after_id) + 1 :] if after_id in ids else []
    shown = rest[:limit]
    return {
        "data": shown,
        "has_more": len(rest) > len(shown),
        "first_id": shown[0]["id"] if shown else None,
        "last_id": shown[-1]["id"] if shown else None,
    }
