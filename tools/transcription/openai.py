"""A transcriber at an address: POST /v1/audio/transcriptions, as OpenAI has it and whisper servers copy it."""

import asyncio
import json
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path

import httpx

from memory.errors import BadInput
from tools.provider import address
from tools.transcriber import NotTranscribed, checked

PATH = "/v1/audio/transcriptions"
MODEL = "whisper-1"

ANSWER_MAX_BYTES = 1 << 20

_ENDINGS = {"audio/ogg": "ogg", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/x-m4a": "m4a", "video/mp4": "mp4"}
"""The server tells the format by the name's ending."""


class HttpTranscriber:
    """See tools.transcriber.Transcriber. `url` is the root of the server, or the whole address of the method.

    Raises BadInput for what is no address. `close` at the end.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        model: str | None = None,
        within_for: timedelta = timedelta(minutes=2),
    ) -> None:
        parts = address(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                "STILLBELL_TRANSCRIBER_URL is no http or https address; one looks like http://127.0.0.1:8000"
            )
        root = url.rstrip("/").removesuffix("/v1")
        self._url = root if root.endswith(PATH) else root + PATH
        self._where = parts.netloc.rpartition("@")[2]
        self._model = model or MODEL
        self._key = key
        self._within_for = within_for
        self._client: httpx.AsyncClient | None = None

    def describe(self) -> str:
        return f"{self._model} at {self._where}"

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def transcribe(self, path: Path, *, media_type: str) -> str:
        sound = await asyncio.to_thread(path.read_bytes)
        name = f"voice.{_ENDINGS.get(media_type, 'ogg')}"
        try:
            async with asyncio.timeout(self._within_for.total_seconds()):
                code, body = await self._post({"file": (name, sound, media_type)})
        except TimeoutError as error:
            raise NotTranscribed(f"{self._where} did not answer in time") from error
        except httpx.HTTPError as error:
            raise NotTranscribed(f"{self._where} can't be reached ({type(error).__name__})") from error
        if code != HTTPStatus.OK:
            raise NotTranscribed(f"{self._where} refused with {code}")
        return checked(_text(body, self._where))

    async def _post(self, files: dict[str, tuple[str, bytes, str]]) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        form = {"model": self._model, "response_format": "json"}
        async with self._opened().stream("POST", self._url, data=form, files=files, headers=headers) as answer:
            body = b""
            async for chunk in answer.aiter_bytes():
                body += chunk
                if len(body) > ANSWER_MAX_BYTES:
                    raise NotTranscribed(f"{self._where} answered with more than a transcript")
        return answer.status_code, body

    def _opened(self) -> httpx.AsyncClient:
        if self._client is None:
            # No time of httpx's own, and no way round by the environment's proxies for a server at home.
            self._client = httpx.AsyncClient(timeout=None, follow_redirects=False)  # noqa: S113  the caller bounds it
        return self._client


def _text(body: bytes, where: str) -> str:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotTranscribed(f"{where} answered with something that is no transcript") from error
    text = found.get("text") if isinstance(found, dict) else None
    if not isinstance(text, str):
        raise NotTranscribed(f"{where} answered with something that is no transcript")
    return text
