"""The contract of the transcriber port, over both implementations, and what each has of its own."""

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from memory.errors import BadInput
from tools.transcriber import TRANSCRIPT_MAX, NotTranscribed, Transcriber
from tools.transcription.command import CommandTranscriber
from tools.transcription.openai import HttpTranscriber

KEY = "sk-a-canary-key"
WITHIN_FOR = timedelta(seconds=5)


@dataclass
class WhisperServer:
    """POST /v1/audio/transcriptions on a real socket; it answers with what it was told to say."""

    url: str = ""
    says: str = ""
    status: int = 200
    body: bytes | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        form = await request.post()
        sound = form["file"]
        assert isinstance(sound, web.FileField)
        self.asked.append(
            {
                "model": form["model"],
                "name": sound.filename,
                "type": sound.content_type,
                "sound": sound.file.read(),
                "key": request.headers.get("Authorization"),
            }
        )
        body = json.dumps({"text": self.says}).encode() if self.body is None else self.body
        return web.Response(status=self.status, body=body, content_type="application/json")


@asynccontextmanager
async def whisper(server: WhisperServer) -> AsyncIterator[WhisperServer]:
    app = web.Application()
    app.router.add_post("/v1/audio/transcriptions", server.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = "http://{}:{}".format(*runner.addresses[0][:2])
    try:
        yield server
    finally:
        await runner.cleanup()


def program(folder: Path, source: str) -> str:
    """A command whose program is this Python source."""
    path = folder / "a program.py"
    path.write_text(source)
    return f"{sys.executable} '{path}' {{file}}"


Says = Callable[[str], Transcriber]


@pytest.fixture(params=["http", "command"])
async def made(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Says]:
    """Makes a transcriber that hears these words in everything."""
    if request.param == "command":

        def by_command(words: str) -> Transcriber:
            source = f"import sys; sys.stdout.buffer.write({words.encode()!r})"
            return CommandTranscriber(program(tmp_path, source), environment={})

        yield by_command
        return
    async with whisper(WhisperServer()) as server:
        opened: list[HttpTranscriber] = []

        def by_http(words: str) -> Transcriber:
            server.says = words
            opened.append(HttpTranscriber(server.url, key=KEY))
            return opened[-1]

        yield by_http
        for one in opened:
            await one.close()


@pytest.fixture
def voice(tmp_path: Path) -> Path:
    path = tmp_path / "a voice; rm -rf $(x)"
    path.write_bytes(b"OggS and sound")
    return path


# --- the contract ---


async def test_words_come_back_stripped_and_whole(made: Says, voice: Path) -> None:
    assert await made("  Ruf Anna an, \nmorgen um acht. ").transcribe(voice, media_type="audio/ogg") == (
        "Ruf Anna an, morgen um acht."
    )


@pytest.mark.parametrize("words", ["", " \n\t ", "\0"], ids=repr)
async def test_silence_is_no_transcript(made: Says, voice: Path, words: str) -> None:
    with pytest.raises(NotTranscribed, match="nothing was understood"):
        await made(words).transcribe(voice, media_type="audio/ogg")


async def test_a_transcript_has_a_bound(made: Says, voice: Path) -> None:
    assert len(await made("la " * TRANSCRIPT_MAX).transcribe(voice, media_type="audio/ogg")) <= TRANSCRIPT_MAX


async def test_it_says_what_it_is_without_a_secret(made: Says) -> None:
    assert made("x").describe()
    assert KEY not in made("x").describe()


# --- by HTTP ---


async def test_the_server_gets_the_sound_the_model_and_the_key(voice: Path) -> None:
    async with whisper(WhisperServer(says="hello")) as server:
        transcriber = HttpTranscriber(server.url + "/v1/", key=KEY, model="whisper-large")
        assert await transcriber.transcribe(voice, media_type="audio/ogg") == "hello"
        await transcriber.close()
    assert server.asked == [
        {
            "model": "whisper-large",
            "name": "voice.ogg",
            "type": "audio/ogg",
            "sound": b"OggS and sound",
            "key": f"Bearer {KEY}",
        }
    ]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (500, b"{}"),
        (401, b'{"error": "Incorrect API key provided: sk-a-canary-key"}'),
        (302, b""),
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"text": 7}'),
        (200, b"[" * 20_000),
        (200, b"x" * (2 << 20)),
    ],
    ids=["500", "401", "redirect", "html", "list", "number", "nested", "flood"],
)
async def test_a_server_that_misbehaves_is_told_without_the_key(voice: Path, status: int, body: bytes) -> None:
    async with whisper(WhisperServer(status=status, body=body)) as server:
        transcriber = HttpTranscriber(server.url, key=KEY, within_for=WITHIN_FOR)
        with pytest.raises(NotTranscribed) as failed:
            await transcriber.transcribe(voice, media_type="audio/ogg")
        await transcriber.close()
    assert KEY not in str(failed.value)


async def test_nobody_at_the_address_is_told(voice: Path) -> None:
    transcriber = HttpTranscriber("http://127.0.0.1:1", within_for=WITHIN_FOR)
    with pytest.raises(NotTranscribed, match="can't be reached"):
        await transcriber.transcribe(voice, media_type="audio/ogg")
    await transcriber.close()


@pytest.mark.parametrize("url", ["", "whisper", "ftp://whisper.example", "http://"])
def test_what_is_no_address_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(BadInput, match="STILLBELL_TRANSCRIBER_URL"):
        HttpTranscriber(url)


# --- by a command ---


async def test_the_program_is_given_the_path_as_one_word_and_no_shell_sees_it(voice: Path, tmp_path: Path) -> None:
    command = program(tmp_path, "import sys; print(len(sys.argv), open(sys.argv[1]).read())")
    transcriber = CommandTranscriber(command.replace(" {file}", ""), environment={})
    assert await transcriber.transcribe(voice, media_type="audio/ogg") == "2 OggS and sound"


async def test_the_program_sees_only_the_environment_it_is_given(
    voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    transcriber = CommandTranscriber(program(tmp_path, "import os; print(dict(os.environ))"), environment={"A": "1"})
    seen = await transcriber.transcribe(voice, media_type="audio/ogg")
    assert "'A': '1'" in seen
    assert KEY not in seen


@pytest.mark.parametrize(
    "source",
    ["raise SystemExit(3)", "import time; time.sleep(60)", "while True: print('la ' * 10_000)"],
    ids=["fails", "hangs", "never ends"],
)
async def test_a_program_that_misbehaves_is_ended_and_told(voice: Path, tmp_path: Path, source: str) -> None:
    transcriber = CommandTranscriber(program(tmp_path, source), environment={}, within_for=timedelta(milliseconds=400))
    with pytest.raises(NotTranscribed, match="the transcriber failed"):
        await transcriber.transcribe(voice, media_type="audio/ogg")


async def test_a_program_that_is_not_there_is_told(voice: Path) -> None:
    with pytest.raises(NotTranscribed):
        await CommandTranscriber("/nowhere/whisper", environment={}).transcribe(voice, media_type="audio/ogg")


@pytest.mark.parametrize("command", ["", "  ", "whisper '"])
def test_what_is_no_command_is_refused_at_the_start(command: str) -> None:
    with pytest.raises(BadInput, match="STILLBELL_TRANSCRIBER_COMMAND"):
        CommandTranscriber(command, environment={})
