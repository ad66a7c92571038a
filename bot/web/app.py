"""The application behind the door: which address does what.

GET  /           the chat                           POST /message    the owner says something
GET  /today      the day                            POST /tap        the owner presses a button
GET  /search     what was found                     GET  /found      what a hit is part of
GET  /messages   earlier messages
GET  /events     whatever happens from now on, as server-sent events
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from bot.terminal.following import WINDOW, history
from bot.terminal.live import Live
from bot.terminal.wire import Said
from bot.web import pages, search
from bot.web.day import day
from bot.web.intake import Intake, Unfit
from bot.web.stream import Stream
from memory.clock import Clock
from memory.errors import NotFound, OutOfReach, StillbellError
from memory.exclusion import UnreadableExclusions
from memory.ledger import Ledger, Tables
from memory.owner import Language
from tools import day_page

HISTORY = 40
"""So many messages stand on the page at first."""

HISTORY_MAX = 200
"""The most that one request for earlier messages brings."""

STREAMS_MAX = 16
"""Pages and scripts that may follow at a time."""

WHAT_THERE_IS = "GET /today, GET /search, GET /messages, GET /events, POST /message and POST /tap are what there is: see docs/web.md"

PAGES = frozenset(("/", "/today", "/search", "/found"))
"""What a browser shows: an error there is a page, too."""

_SAID = TypeAdapter(Said)


class Web:
    """The application and the streams that it keeps open."""

    def __init__(self, ledger: Ledger, live: Live, intake: Intake, clock: Clock, owner_id: int) -> None:
        self._ledger = ledger
        self._clock = clock
        self._live = live
        self._intake = intake
        self._owner_id = owner_id
        self.streams: set[Stream] = set()
        self._is_ending = False
        self.app = Starlette(
            routes=[
                Route("/", self._page),
                Route("/today", self._today),
                Route("/search", self._search),
                Route("/found", self._found),
                Route("/messages", self._messages),
                Route("/events", self._events),
                Route("/message", self._say, methods=["POST"]),
                Route("/tap", self._tap, methods=["POST"]),
                Mount("/static", StaticFiles(directory=pages.HERE / "static")),
            ],
            exception_handlers={StillbellError: self._wrong, HTTPException: _no_such},
        )

    def end(self) -> None:
        """End every stream and begin no other, so that the server can stop."""
        self._is_ending = True
        for stream in self.streams:
            stream.end()

    async def _page(self, request: Request) -> Response:
        language, shown = await self._ledger.read(
            lambda t: (self._language(t), history(t, self._owner_id, limit=HISTORY + 1, after_id=None))
        )
        return HTMLResponse(pages.chat(shown[-HISTORY:], language, more=len(shown) > HISTORY))

    async def _today(self, request: Request) -> Response:
        """The day. It is a write, as its buttons belong to a card; while nothing has changed it is the same card."""
        now = self._clock.now()
        page = await self._ledger.write(lambda t: day_page.page(t, t.owners.get(self._owner_id), now))
        return HTMLResponse(day(page))

    async def _search(self, request: Request) -> Response:
        """What was found. It only looks: the words stand in the address, so that going back finds them there."""
        words, start, now = request.query_params.get("q", ""), _number(request, "start", 0), self._clock.now()
        return HTMLResponse(
            await self._ledger.read(lambda t: search.search(t, t.owners.get(self._owner_id), words, start, now))
        )

    async def _found(self, request: Request) -> Response:
        ref, words = (request.query_params.get(name, "") for name in ("ref", "q"))
        at, now = _number(request, "at", 0), self._clock.now()
        page = await self._ledger.read(
            lambda t: search.opened(t, t.owners.get(self._owner_id), ref, now, start=at, words=words)
        )
        if page is None:
            raise NotFound("what was found is no longer there")
        return HTMLResponse(page)

    async def _messages(self, request: Request) -> Response:
        limit = _number(request, "limit", 30)
        if not 1 <= limit <= HISTORY_MAX:
            raise Unfit("limit is out of bounds", f"Give a number from 1 to {HISTORY_MAX}")
        before = _number(request, "before", None)
        language, shown = await self._ledger.read(
            lambda t: (
                self._language(t),
                history(t, self._owner_id, limit=limit + 1, after_id=None, before_id=before),
            )
        )
        drawn = _drawer(language if _for_page(request) else None)
        return JSONResponse({"messages": [drawn(one) for one in shown[-limit:]], "more": len(shown) > limit})

    async def _events(self, request: Request) -> Response:
        if self._is_ending:
            raise OutOfReach("Stillbell is stopping")
        if len(self.streams) >= STREAMS_MAX:
            raise OutOfReach(f"{STREAMS_MAX} pages or scripts are following: close one")
        after = _number(request, "after", None)
        last = request.headers.get("last-event-id", "")
        if last.isdecimal() and len(last) <= 15:
            after = int(last)
        page = _for_page(request)
        language = await self._ledger.read(self._language) if page else None
        stream = Stream(_drawer(language), beat=page)
        return _Following(self._follow(stream, after, again=page), media_type="text/event-stream")

    async def _follow(self, stream: Stream, after: int | None, *, again: bool) -> AsyncGenerator[bytes, None]:
        """From joining to leaving. `again`: first tell once more how the newest messages the client has read now."""
        self.streams.add(stream)
        try:
            first = await self._live.join(stream, limit=0, after_id=after)
            if again and after is not None:
                first = [*await self._as_they_read(after), *first]
            async for chunk in stream.chunks(first):
                yield chunk
        finally:
            self._live.leave(stream)
            self.streams.discard(stream)

    async def _as_they_read(self, last_id: int) -> list[Said]:
        """What changed while nobody listened stands in no row that tells when: so all of them, and the page compares."""
        return await self._ledger.read(
            lambda t: history(t, self._owner_id, limit=WINDOW, after_id=None, before_id=last_id + 1, is_="amended")
        )

    async def _say(self, request: Request) -> Response:
        return JSONResponse(await self._intake.say(request), 202)

    async def _tap(self, request: Request) -> Response:
        return JSONResponse(await self._intake.tap(request), 202)

    async def _wrong(self, request: Request, error: Exception) -> Response:
        """Where a page was asked for, a page; else what a script reads."""
        wrong = _what_is_wrong(error)
        if request.url.path not in PAGES:
            return JSONResponse({"error": str(error), "next": wrong.next_step}, wrong.status)
        try:
            language = await self._ledger.read(self._language)
        except StillbellError:
            # What is wrong may be the database itself.
            language = "en"
        return HTMLResponse(pages.wrong(language, wrong.said, str(error)), wrong.status)

    def _language(self, t: Tables) -> Language:
        return t.owners.get(self._owner_id).language


class _Following(StreamingResponse):
    """A response whose stream is left at once when the client has gone."""

    body_iterator: AsyncGenerator[bytes, None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream, until either side has had enough."""
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)


def _drawer(language: Language | None) -> Callable[[Said], dict[str, Any]]:
    """How a message is told: its values, and for the page, in `language`, also as HTML."""

    def drawn(said: Said) -> dict[str, Any]:
        told: dict[str, Any] = _SAID.dump_python(said, mode="json", by_alias=True)
        return told if language is None else told | {"html": pages.message(said, language)}

    return drawn


def _for_page(request: Request) -> bool:
    return request.query_params.get("page") == "1"


def _number(request: Request, name: str, default: Any) -> Any:
    given = request.query_params.get(name)
    if given is None:
        return default
    if not given.isdecimal() or len(given) > 15:
        raise Unfit(f"{name} is not a number", "Give a number, such as a message's id")
    return int(given)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """How an error is told. said: the sentence for a page; next_step: for a script."""

    status: int
    said: str
    next_step: str


def _what_is_wrong(error: Exception) -> _Wrong:
    match error:
        case Unfit():
            return _Wrong(error.status, "wrong_address", error.next_step)
        case NotFound():
            return _Wrong(404, "wrong_gone", "GET /messages shows what is there")
        case UnreadableExclusions():
            return _Wrong(503, "wrong_excluded", "Mend that line of the list of exclusions")
        case OutOfReach():
            return _Wrong(503, "wrong_moment", "Try again in a moment")
        case _:
            return _Wrong(500, "wrong_other", "The log of Stillbell says more; stillbell doctor looks for the cause")


async def _no_such(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return JSONResponse(
        {
            "error": f"{request.method} {request.url.path}: {error.detail.lower()}",
            "next": WHAT_THERE_IS,
        },
        error.status_code,
        error.headers,
    )
