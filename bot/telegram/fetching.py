"""Fetching files from Telegram (the port tools/fetching): getFile, then a download from an address that holds the token.

That address is a secret: it stands in no error and no log, and no error that knows it is kept as a cause.
"""

from collections.abc import AsyncIterator
from datetime import timedelta
from http import HTTPStatus

import httpx
from telegram import Bot
from telegram.error import BadRequest, TelegramError

from bot.telegram.line import CONNECT_FOR, trusted
from memory.file import FETCH_MAX_BYTES
from tools.fetching import NotFetched

SILENCE_FOR = timedelta(seconds=20)
"""How long a download may bring nothing before it is given up."""


class TelegramFiles:
    """See tools.fetching.Fetches. `close` at the end."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._client: httpx.AsyncClient | None = None

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def fetch(self, channel_file_id: str) -> AsyncIterator[bytes]:
        url, size_bytes = await self._locate(channel_file_id)
        got_bytes = 0
        failed = None
        try:
            async with self._opened().stream("GET", url) as answer:
                _check(answer)
                async for chunk in answer.aiter_bytes():
                    got_bytes += len(chunk)
                    yield chunk
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            failed = type(error).__name__
        # Out here, so that an error which knows the address is not even the context of what is raised.
        if failed is not None:
            raise NotFetched(f"the download from Telegram was cut ({failed})")
        if size_bytes is not None and got_bytes != size_bytes:
            raise NotFetched(f"{got_bytes} of {size_bytes} bytes came from Telegram")

    async def _locate(self, channel_file_id: str) -> tuple[str, int | None]:
        """The address, and how many bytes are to be had there."""
        try:
            file = await self._bot.get_file(channel_file_id)
        except BadRequest as error:
            raise NotFetched(f"Telegram will not hand it over: {error}", for_good=True) from error
        except TelegramError as error:
            raise NotFetched(f"Telegram was not reached: {error}") from error
        if file.file_size is not None and file.file_size > FETCH_MAX_BYTES:
            raise NotFetched("it is too large for Telegram to hand over", for_good=True)
        if not (file.file_path or "").startswith(("http://", "https://")):
            raise NotFetched("Telegram names no address for it", for_good=True)
        return str(file.file_path), file.file_size

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            timeout = httpx.Timeout(SILENCE_FOR.total_seconds(), connect=CONNECT_FOR.total_seconds())
            limits = httpx.Limits(max_connections=4)
            self._client = httpx.AsyncClient(verify=trusted(), timeout=timeout, limits=limits)
        return self._client


def _check(answer: httpx.Response) -> None:
    """Raise NotFetched for anything but the file. Afterwards its length tells."""
    if answer.status_code != HTTPStatus.OK:
        raise NotFetched(f"the download from Telegram was answered with {answer.status_code}")
