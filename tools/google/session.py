"""Calls of Google's client, made in threads: at most a few at a time, each answer checked for its shape."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from googleapiclient.discovery import build
from pydantic import BaseModel, ValidationError

from memory.clock import Clock
from tools.google.answers import Nothing
from tools.google.failures import Lost
from tools.google.grant import Grant
from tools.google.token import GrantKind, TokenFile
from tools.google.wire import CALL_SECONDS, SILENCE_SECONDS, Wire

CALLS_AT_ONCE = 4
"""Gmail allows a user about fifty readings of a mail a second; four at a time stay well below that."""

Service = Literal["gmail", "calendar"]
Request = Any
"""A request as Google's client builds it: `service.users().messages().get(…)`."""

Shape = TypeVar("Shape", bound=BaseModel)

_VERSIONS: dict[Service, str] = {"gmail": "v1", "calendar": "v3"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Where the services are; None is Google itself. Calendar's includes its path (…/calendar/v3/)."""

    gmail: str | None = None
    calendar: str | None = None


class Session:
    """The services under one grant. Every call may raise SourceDown, SlowDown, SignInRefused; none is repeated."""

    def __init__(self, wire: Wire, kind: GrantKind, *, endpoints: Endpoints | None = None) -> None:
        self.kind = kind
        self._wire = wire
        self._endpoints = endpoints or Endpoints()
        self._services: dict[Service, Any] = {}
        self._lock = threading.Lock()
        self._turns = asyncio.Semaphore(CALLS_AT_ONCE)

    async def gmail(self, request: Callable[[Any], Request], shape: type[Shape]) -> Shape:
        """The answer to what `request` makes of the Gmail service."""
        return await self._call("gmail", request, shape)

    async def calendar(self, request: Callable[[Any], Request], shape: type[Shape]) -> Shape:
        """The answer to what `request` makes of the Calendar service."""
        return await self._call("calendar", request, shape)

    async def close(self) -> None:
        """Let go of the connections; a call still under way ends by its own deadline. May be called twice."""
        await asyncio.to_thread(self._wire.close)

    async def _call(self, service: Service, request: Callable[[Any], Request], shape: type[Shape]) -> Shape:
        async with self._turns:
            answer = await asyncio.to_thread(partial(self._execute, service, request))
        if issubclass(shape, Nothing):
            return shape()
        try:
            return shape.model_validate(answer)
        # The error quotes the answer, which is the owner's mail.
        except ValidationError:
            raise Lost(f"{service} answers with something that is no answer") from None

    def _execute(self, service: Service, request: Callable[[Any], Request]) -> object:
        try:
            return request(self._service(service)).execute(num_retries=0)
        except (UnicodeDecodeError, RecursionError):
            raise Lost(f"{service} answers with something that is no answer") from None

    def _service(self, name: Service) -> Any:
        # Shared between threads: the wire is safe for that, and the service itself never changes.
        with self._lock:
            if name not in self._services:
                endpoint = self._endpoints.gmail if name == "gmail" else self._endpoints.calendar
                options = {"api_endpoint": endpoint} if endpoint else {}
                self._services[name] = build(
                    name,
                    _VERSIONS[name],
                    http=self._wire,
                    static_discovery=True,
                    cache_discovery=False,
                    client_options=options,
                )
            return self._services[name]


def open_session(
    file: TokenFile,
    clock: Clock,
    *,
    endpoints: Endpoints | None = None,
    call_seconds: float = CALL_SECONDS,
    silence_seconds: float = SILENCE_SECONDS,
) -> Session:
    """A session under the grant in `file`, which is read at the first call. Opens no connection yet."""
    grant = Grant(file, clock, timeout_seconds=silence_seconds)
    wire = Wire(grant, clock, call_seconds=call_seconds, silence_seconds=silence_seconds)
    return Session(wire, file.kind, endpoints=endpoints)
