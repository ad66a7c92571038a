"""An IMAP server of our own that can be told to misbehave: a few mails in INBOX, and for each verb another answer if wanted.

    async with ScriptedImap({"IDLE": refused("NO")}) as server: ...

An answer is a coroutine function that is given the talk and the command; what it doesn't write the client doesn't get.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

CAPABILITIES = "IMAP4rev1 AUTH=PLAIN IDLE MOVE UIDPLUS"
VALIDITY = 1_700_000_000


@dataclass
class Command:
    """One line of the client's. verb: "UID FETCH" for those by uid."""

    tag: str
    verb: str
    rest: str


class Talk:
    """One connection, from the server's side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ok(self, command: Command, *untagged: str) -> None:
        lines = [f"* {line}\r\n" for line in untagged] + [f"{command.tag} OK done\r\n"]
        await self.write("".join(lines).encode())

    async def line(self) -> str:
        return (await self.reader.readuntil(b"\n")).decode("utf-8", "replace").strip()


Answer = Callable[[Talk, Command], Awaitable[None]]


def says(text: str) -> Answer:
    """Answers the command with `text` behind its tag: "NO [LIMIT] slow down"."""

    async def answer(talk: Talk, command: Command) -> None:
        if command.verb == "AUTHENTICATE":
            await talk.write(b"+ \r\n")
            await talk.line()
        await talk.write(f"{command.tag} {text}\r\n".encode())

    return answer


def raw(*pieces: bytes) -> Answer:
    """Writes these bytes, whatever was asked, and says no more; b"" hangs up."""

    async def answer(talk: Talk, command: Command) -> None:
        for piece in pieces:
            if not piece:
                raise ConnectionAbortedError
            await talk.write(piece)

    return answer


def endless(piece: bytes, *, pause_seconds: float = 0) -> Answer:
    """Writes this again and again until the client goes."""

    async def answer(talk: Talk, command: Command) -> None:
        while True:
            await talk.write(piece)
            await asyncio.sleep(pause_seconds)

    return answer


class ScriptedImap:
    """The server. `answers` by verb, "GREETING" among them. said: the verbs that clients used, in order."""

    def __init__(
        self,
        answers: Mapping[str, Answer] | None = None,
        *,
        mails: tuple[bytes, ...] = (),
        capabilities: str = CAPABILITIES,
    ) -> None:
        self.answers = dict(answers or {})
        self._capabilities = capabilities
        self._talks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.mails = mails
        self.said: list[str] = []
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        talks = list(self._talks)
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        talk = Talk(reader, writer)
        with suppress(asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
            await self.answers.get("GREETING", raw(b"* OK ready\r\n"))(talk, Command("*", "GREETING", ""))
            while True:
                await self._heard(talk, _read(await talk.line()))
        writer.transport.abort()
        self._talks.discard(task)

    async def _heard(self, talk: Talk, command: Command) -> None:
        self.said.append(command.verb)
        await self.answers.get(command.verb, self.answer)(talk, command)

    async def answer(self, talk: Talk, command: Command) -> None:
        """What it says where nothing else is scripted."""
        match command.verb:
            case "CAPABILITY":
                await talk.ok(command, f"CAPABILITY {self._capabilities}")
            case "AUTHENTICATE":
                await says("OK welcome")(talk, command)
            case "LIST":
                await talk.ok(command, r'LIST (\HasNoChildren) "/" INBOX')
            case "STATUS":
                count = len(self.mails)
                await talk.ok(
                    command,
                    f"STATUS INBOX (UIDVALIDITY {VALIDITY} UIDNEXT {count + 1} MESSAGES {count} UNSEEN {count})",
                )
            case "EXAMINE" | "SELECT":
                await talk.ok(
                    command,
                    f"{len(self.mails)} EXISTS",
                    f"OK [UIDVALIDITY {VALIDITY}] so",
                    f"OK [UIDNEXT {len(self.mails) + 1}] so",
                )
            case "UID SEARCH":
                await talk.ok(command, "SEARCH " + " ".join(str(uid) for uid in range(1, len(self.mails) + 1)))
            case "UID FETCH":
                await self._fetched(talk, command)
            case "IDLE":
                await talk.write(b"+ listening\r\n")
                await talk.line()
                await talk.ok(command)
            case "LOGOUT":
                raise ConnectionAbortedError
            case _:
                await talk.ok(command)

    async def _fetched(self, talk: Talk, command: Command) -> None:
        for uid, mail in enumerate(self.mails, 1):
            head = f'UID {uid} FLAGS () INTERNALDATE "01-Mar-2026 10:00:00 +0000"'
            if "BODY" in command.rest:
                await talk.write(f"* {uid} FETCH ({head} BODY[] {{{len(mail)}}}\r\n".encode() + mail + b")\r\n")
            else:
                await talk.write(f"* {uid} FETCH ({head} RFC822.SIZE {len(mail)})\r\n".encode())
        await talk.ok(command)


def _read(line: str) -> Command:
    tag, _, rest = line.partition(" ")
    verb, _, rest = rest.partition(" ")
    if verb.upper() == "UID":
        by_uid, _, rest = rest.partition(" ")
        verb = f"UID {by_uid}"
    return Command(tag, verb.upper(), rest)
