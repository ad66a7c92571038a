"""The line: the connections to the Bot API, and the library's Bot on top of them.

getUpdates has a pool of its own, so that a wedged long poll can be torn down without cutting a message that is being
sent. The pool sorts what goes wrong more finely than the library does (bot/telegram/faults).
"""

import asyncio
import json
import ssl
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from functools import cache
from http import HTTPStatus
from typing import Any, Final

import httpx
from telegram import Bot
from telegram.error import TelegramError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from bot.secrets import redact
from bot.telegram.faults import AnswerLost, NotSent, NotTelegram, ServerFault, SlowDown

CONNECT_FOR = timedelta(seconds=5)
SEND_FOR = timedelta(seconds=10)
CLOSE_FOR = timedelta(seconds=2)

KEPT_ALIVE_FOR = timedelta(seconds=30)
"""How long an idle connection is kept. httpx's own 5 s would put a TLS handshake before most first answers."""

BATCH = 100
"""Updates in one answer: the Bot API's most."""

_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)

# What tdlib's server says when it is shut down in the middle of a request: whether it was carried out is not known.
_CUT_SHORT = ("restart", "abort")


class Pool(HTTPXRequest):
    """A pool of connections that says exactly what went wrong."""

    __slots__ = ()

    def __init__(self, *, size: int, read_for: timedelta = SEND_FOR) -> None:
        super().__init__(
            connection_pool_size=size,
            connect_timeout=CONNECT_FOR.total_seconds(),
            read_timeout=read_for.total_seconds(),
            write_timeout=SEND_FOR.total_seconds(),
            pool_timeout=CONNECT_FOR.total_seconds(),
            httpx_kwargs={
                "limits": httpx.Limits(max_connections=size, keepalive_expiry=KEPT_ALIVE_FOR.total_seconds()),
                "verify": trusted(),
            },
        )

    async def do_request(  # noqa: PLR0917 the library's own signature
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """One request. Raises NotSent, AnswerLost, ServerFault or SlowDown; other refusals are the library's to name."""
        timeouts = (read_timeout, write_timeout, connect_timeout, pool_timeout)
        try:
            code, payload = await super().do_request(url, method, request_data, *timeouts)
        except TelegramError as error:
            raise cut(error) from error
        if code >= HTTPStatus.BAD_REQUEST:
            # A server may name our own address, and with it the token, in what it complains of.
            payload = redact(payload.decode("utf-8", "replace")).encode()
        refuse(code, payload)
        return code, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The answer as a mapping. Raises NotTelegram, and logs nothing: a foreign body may hold anything."""
        answer = _envelope(payload)
        if answer is None or (answer.get("ok") and "result" not in answer):
            raise NotTelegram("the answer is not one of Telegram's")
        return answer

    async def rebuild(self) -> None:
        """Throw every connection away and begin with new ones."""
        # A wedged connection may not even close: the client counts as closed from the first moment of the attempt.
        with suppress(TimeoutError, httpx.HTTPError, OSError):
            async with asyncio.timeout(CLOSE_FOR.total_seconds()):
                await self.shutdown()
        await self.initialize()


@cache
def trusted() -> ssl.SSLContext:
    """The certificates that are trusted: read once, since that takes longer than anything else about a pool."""
    return httpx.create_ssl_context()


def cut(error: TelegramError) -> NotSent | AnswerLost:
    """What a request without an answer came to: the library keeps httpx's error as the cause."""
    cause = error.__cause__
    said = f"{type(cause).__name__}: {cause}" if cause else str(error)
    return NotSent(said) if isinstance(cause, _NEVER_LEFT) else AnswerLost(said)


def refuse(code: int, payload: bytes) -> None:
    """Raise for an answer that says no in a way the library would blur.

    A 502, 503 or 504 comes from a proxy in between, in HTML or in JSON: Telegram may have done it all the same.
    """
    if HTTPStatus.OK <= code < HTTPStatus.MULTIPLE_CHOICES:
        return
    answer = _envelope(payload)
    if answer is None:
        raise NotTelegram(f"HTTP {code} from something that is not Telegram")
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        raise SlowDown(_retry_for(answer))
    said = str(answer.get("description", code))
    if code == HTTPStatus.INTERNAL_SERVER_ERROR and not any(word in said.lower() for word in _CUT_SHORT):
        raise ServerFault(said)
    if code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise NotTelegram(f"HTTP {code}: {said}")


def _retry_for(answer: dict[str, Any]) -> timedelta:
    parameters = answer.get("parameters")
    seconds = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return timedelta(seconds=seconds if isinstance(seconds, int | float) and seconds > 0 else 1)


def _envelope(payload: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


class RawBot(Bot):
    """The library's Bot, with a getUpdates that decodes nothing: one update that can't be read must not hold up a batch."""

    __slots__ = ()

    async def raw_updates(
        self, *, offset: int | None, poll_for: timedelta, read_for: timedelta, allowed: Sequence[str]
    ) -> list[Any]:
        """Updates as they came, at most BATCH, after waiting up to `poll_for`. Raises NotTelegram for anything but a list."""
        updates = await self._post(
            "getUpdates",
            {
                "offset": offset,
                "limit": BATCH,
                "timeout": int(poll_for.total_seconds()),
                "allowed_updates": list(allowed),
            },
            read_timeout=read_for.total_seconds(),
        )
        if not isinstance(updates, list):
            raise NotTelegram("getUpdates was not answered with a list")
        return updates


class Line:
    """The bot and its two pools. `api_url` is the root of the Bot API server, with neither "/bot" nor the token.

    The library's own `initialize` isn't used: its error about a refused token spells the token out.
    """

    def __init__(self, *, token: str, api_url: str) -> None:
        root = api_url.rstrip("/")
        self.polling: Final = Pool(size=2)
        self.sending: Final = Pool(size=16)
        self.bot: Final = RawBot(
            token,
            base_url=f"{root}/bot",
            base_file_url=f"{root}/file/bot",
            request=self.sending,
            get_updates_request=self.polling,
        )

    async def close(self) -> None:
        """Close every connection."""
        await self.polling.shutdown()
        await self.sending.shutdown()
