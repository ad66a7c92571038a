"""A local Bot API server: Telegram's half of the conversation, on a real socket of this machine.

    async with BotApiServer(token="1:TEST") as server:
        bot = telegram.Bot("1:TEST", base_url=f"{server.url}/bot", base_file_url=f"{server.url}/file/bot")
        update = server.owner_sends("hello")          # what a person does; no HTTP
        await server.wait_for_calls(1, "sendMessage")  # what the bot did
        server.fault("sendMessage", 429, retry_after=3)  # what goes wrong

Semantics, limits and words are those of tdlib/telegram-bot-api 10.0, as far as they are known; what it does not show
is real rate limits and what clients draw. The server holds no second of its own: time comes from `clock`, long polls
end when something is pushed, or after at most `longest_poll_seconds`.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.servers.bot_api_http import bad_gateway, cut, failure, read, success, typed
from tests.servers.bot_api_methods import METHODS, BotMethods, Call
from tests.servers.bot_api_owner import Json, utc_now
from tests.servers.bot_api_rules import ApiError, RefusedError
from tests.servers.bot_api_updates import LONGEST_POLL_SECONDS

_PATH = re.compile(r"/(file/)?bot([^/]+)/(.+)")
_WEBHOOK_ACTIVE = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)
# Faults that answer instead of the method: HTTP status and description.
_REFUSALS = {
    "400": (400, "Bad Request: wrong request"),
    "401": (401, "Unauthorized"),
    "403": (403, "Forbidden: bot was blocked by the user"),
    "409": (409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"),
    "429": (429, "Too Many Requests: retry after {retry_after}"),
    "500": (500, "Internal Server Error"),
    "migrate": (400, "Bad Request: group chat was upgraded to a supergroup chat"),
}
_ACCIDENTS = frozenset({"html502", "garbage", "drop_before", "drop_after", "hang", "hang_before"})


@dataclass(slots=True, eq=False)
class Fault:
    """Something that goes wrong with the next calls of a method; see `BotApiServer.fault`."""

    method: str
    kind: str
    times: int | None
    chat_id: int | None
    refusal: ApiError | None

    def hits(self, method: str, chat_id: object) -> bool:
        """Whether this call is one of those it was meant for."""
        return self.method in ("*", method.lower()) and self.chat_id in (None, chat_id)


@dataclass(slots=True, eq=False)
class Poll:
    """One round of getUpdates: what was asked, and the update_ids that were answered (None: it did not get so far)."""

    offset: int
    limit: int
    timeout_seconds: int
    allowed_updates: list[str] | None
    monotonic_seconds: float
    answered: list[int] | None = None
    error: ApiError | None = None


class BotApiServer(BotMethods):
    """Serves one bot, known by its token, until the `async with` block ends.

    `clock` gives the aware UTC time that messages are dated with. `repeat_penalty_seconds` is how long the same
    offset, asked again too soon, and repeated conflicts are made to wait: 3.0 on Telegram, off (0) here unless asked
    for. `sent` has every call but getUpdates in the order of arrival, `polls` every getUpdates.
    """

    def __init__(
        self,
        token: str = "1:TEST",
        *,
        owner_id: int = 1001,
        clock: Callable[[], datetime] = utc_now,
        first_update_id: int = 100_001,
        longest_poll_seconds: float = LONGEST_POLL_SECONDS,
        repeat_penalty_seconds: float = 0.0,
    ) -> None:
        super().__init__(token=token, owner_id=owner_id, clock=clock, first_update_id=first_update_id)
        self.token = token
        self.url = ""
        self.longest_poll_seconds = longest_poll_seconds
        self.repeat_penalty_seconds = repeat_penalty_seconds
        self.sent: list[Call] = []
        self.polls: list[Poll] = []
        self._faults: list[Fault] = []
        self._released = asyncio.Event()
        self._watchers: set[asyncio.Future[None]] = set()
        self._runner: web.ServerRunner | None = None
        self._next_conflict_at = 0.0

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(web.Server(self._answer, access_log=None), shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
        self.updates.finish_poll()
        if self._runner:
            await self._runner.cleanup()

    # --- what a test asks of it ---

    def fault(
        self,
        method: str,
        kind: int | str,
        *,
        times: int | None = 1,
        chat_id: int | None = None,
        retry_after: int = 1,
        text: str | None = None,
        migrate_to: int = -1001000000001,
    ) -> Fault:
        """Lets the next `times` calls of the method (None: all; method "*": any) go wrong, for one chat if given.

        Refused without being done: 400 (with `text`), 401, 403, 409, 429 (with `retry_after`, seconds), 500,
        "migrate", "html502", "garbage" (200 and no JSON). Done or not: "drop_before" cuts the connection before the
        call is done and "drop_after" when it is; "hang" does it and "hang_before" waits with it, and both answer after
        `release()`.
        """
        name = str(kind)
        if name not in _REFUSALS and name not in _ACCIDENTS:
            raise ValueError(f"no such fault: {kind!r}; there are {sorted(_REFUSALS | dict.fromkeys(_ACCIDENTS))}")
        refusal = None
        if name in _REFUSALS:
            code, description = _REFUSALS[name]
            more = {"429": {"retry_after": retry_after}, "migrate": {"migrate_to_chat_id": migrate_to}}.get(name, {})
            refusal = RefusedError(code, (text or description).format(retry_after=retry_after), **more)
        planned = Fault(method.lower(), name, times, chat_id, refusal)
        self._faults.append(planned)
        return planned

    def clear_faults(self) -> None:
        """Nothing goes wrong any more; what hangs still waits for `release()`."""
        self._faults.clear()

    def release(self) -> None:
        """Answers everything that hangs."""
        self._released.set()
        self._released = asyncio.Event()

    def finish_poll(self) -> None:
        """Ends the long poll that waits, as if its time were over."""
        self.updates.finish_poll()

    def calls(self, method: str, chat_id: int | None = None) -> list[Call]:
        """The calls of one method so far, of one chat if given."""
        return [call for call in self.sent if call.method == method and chat_id in (None, call.chat_id)]

    @property
    def breaches(self) -> list[Call]:
        """The calls so far that broke a rule of the API, whatever was answered."""
        return [call for call in self.sent if call.breach]

    async def wait_for_calls(
        self, count: int, method: str | None = None, *, chat_id: int | None = None, timeout: float = 5.0
    ) -> list[Call]:
        """The calls of the method (None: all) once there are `count` of them, however they were answered.

        Raises TimeoutError, saying what did arrive.
        """

        def arrived() -> list[Call]:
            found = self.sent if method is None else self.calls(method)
            return [call for call in found if chat_id in (None, call.chat_id)]

        await self.wait_until(lambda: len(arrived()) >= count, timeout)
        return arrived()

    async def wait_until(self, predicate: Callable[[], Any], timeout: float = 5.0) -> Any:
        """Waits until the predicate is true, looking again after every call and poll; returns its value.

        Raises TimeoutError, saying what did arrive.
        """
        try:
            async with asyncio.timeout(timeout):
                while not (value := predicate()):
                    watcher = asyncio.get_running_loop().create_future()
                    self._watchers.add(watcher)
                    await watcher
                return value
        except TimeoutError as error:
            seen = [f"{call.method}({call.error.description if call.error else 'ok'})" for call in self.sent[-20:]]
            raise TimeoutError(f"not within {timeout} s; {len(self.polls)} polls, calls: {seen}") from error

    async def wait_for_poll(self, offset: int | None = None, timeout: float = 5.0) -> Poll:
        """The getUpdates that waits now; with an offset, one that has asked from there on, waiting or not."""

        def found() -> Poll | None:
            if offset is not None:
                return next((poll for poll in self.polls if poll.offset >= offset), None)
            last = self.polls[-1] if self.polls else None
            return last if last and last.answered is None and last.error is None else None

        poll: Poll = await self.wait_until(found, timeout)
        return poll

    def _touch(self) -> None:
        watchers, self._watchers = self._watchers, set()
        for watcher in watchers:
            if not watcher.done():
                watcher.set_result(None)

    # --- what arrives ---

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            return await self._route(request, time.monotonic())
        except ApiError as error:
            return failure(error)

    async def _route(self, request: web.BaseRequest, arrived: float) -> web.StreamResponse:
        found = _PATH.fullmatch(request.path)
        if found is None or request.method not in ("GET", "POST"):
            raise ApiError(404, "Not Found")
        self._check_token(found[2])
        if found[1]:
            return await self._download(request, found[3])
        method = METHODS.get(found[3].lower())
        if method is None and found[3].lower() != "getupdates":
            raise ApiError(404, "Not Found: method not found")
        params, files = await read(request)
        if method is None:
            return await self._poll(request, params, arrived)
        return await self._call(request, Call(method, params, files, self.clock(), arrived))

    def _check_token(self, token: str) -> None:
        if not re.fullmatch(r"\d+:.+", token):
            raise ApiError(401, "Unauthorized: invalid token specified")
        if token != self.token:
            raise ApiError(401, "Unauthorized")

    async def _call(self, request: web.BaseRequest, call: Call) -> web.StreamResponse:
        self.sent.append(call)
        deed: Callable[[], Any] | None = None
        try:
            call.params = typed(call.params)
            deed = getattr(self, f"_{call.method}")(call)
        except ApiError as error:
            call.error = error
            call.breach = None if isinstance(error, RefusedError) else error
        fault = self._next_fault(call.method, call.chat_id)
        call.fault = fault.kind if fault else None
        return await self._finish(request, call, deed, fault)

    async def _finish(
        self, request: web.BaseRequest, call: Call, deed: Callable[[], Any] | None, fault: Fault | None
    ) -> web.StreamResponse:
        kind = fault.kind if fault else ""
        if kind == "hang_before":
            await self._hold()
        if fault and (fault.refusal or kind in ("html502", "garbage", "drop_before")):
            call.error = fault.refusal
            self._touch()
            return self._mishap(request, fault)
        if deed:
            call.result = deed()
            call.done = True
        if kind == "hang":
            await self._hold()
        self._touch()
        if kind == "drop_after":
            return cut(request)
        return failure(call.error) if call.error else success(json.dumps(call.result))

    async def _hold(self) -> None:
        self._touch()
        await self._released.wait()

    def _next_fault(self, method: str, chat_id: object) -> Fault | None:
        fault = next((fault for fault in self._faults if fault.hits(method, chat_id)), None)
        if fault and fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._faults.remove(fault)
        return fault

    def _mishap(self, request: web.BaseRequest, fault: Fault) -> web.StreamResponse:
        if fault.refusal:
            return failure(fault.refusal)
        if fault.kind == "html502":
            return bad_gateway()
        if fault.kind == "garbage":
            return web.Response(text='{"ok":true,"result":', content_type="application/json")
        return cut(request)

    async def _download(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        if fault := self._next_fault("download", None):
            return self._mishap(request, fault)
        stored = next((stored for stored in self.files.values() if stored.path == path), None)
        if stored is None:
            raise ApiError(404, "Not Found")
        return web.Response(body=stored.data, content_type="application/octet-stream")

    # --- getUpdates ---

    async def _poll(self, request: web.BaseRequest, raw: Json, arrived: float) -> web.StreamResponse:
        poll = _poll_of(typed(raw), arrived)
        earlier = self.polls[-1] if self.polls else None
        self.polls.append(poll)
        self._touch()
        fault = self._next_fault("getUpdates", None)
        if fault and fault.kind in ("hang", "hang_before"):
            await self._hold()
        elif fault and fault.kind != "drop_after":
            poll.error = fault.refusal
            return self._mishap(request, fault)
        try:
            bodies = await self._due(poll, earlier)
        except ApiError as error:
            poll.error = error
            await self._delay_conflict()
            return failure(error)
        poll.answered = [json.loads(body)["update_id"] for body in bodies]
        self._touch()
        return cut(request) if fault and fault.kind == "drop_after" else success(f"[{','.join(bodies)}]")

    async def _due(self, poll: Poll, earlier: Poll | None) -> list[str]:
        if self.bot.webhook_url:
            raise RefusedError(409, _WEBHOOK_ACTIVE)
        self.updates.allow(poll.allowed_updates)
        limit, seconds = poll.limit, min(float(poll.timeout_seconds), self.longest_poll_seconds)
        if earlier and earlier.offset == poll.offset and self.repeat_penalty_seconds:
            since = poll.monotonic_seconds - earlier.monotonic_seconds
            if since < self.repeat_penalty_seconds:
                seconds = max(seconds, self.repeat_penalty_seconds)
            if since < self.repeat_penalty_seconds / 6:
                limit = 1
        return await self.updates.poll(poll.offset, limit, seconds)

    async def _delay_conflict(self) -> None:
        now = time.monotonic()
        if now < self._next_conflict_at:
            await asyncio.sleep(self.repeat_penalty_seconds)
        else:
            self._next_conflict_at = now + self.repeat_penalty_seconds


def _poll_of(params: Json, arrived: float) -> Poll:
    limit = params.get("limit", 100)
    limit = limit if isinstance(limit, int) and 1 <= limit <= 100 else 100
    timeout = params.get("timeout", 0)
    seconds = min(max(timeout, 0), LONGEST_POLL_SECONDS) if isinstance(timeout, int) else 0
    return Poll(params.get("offset", 0), limit, seconds, params.get("allowed_updates"), arrived)


def texts(messages: Iterable[Json]) -> list[str]:
    """What the messages say: their texts or captions, for comparing with what was expected."""
    return [message.get("text") or message.get("caption", "") for message in messages]
