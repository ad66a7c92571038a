"""The client: a command's side of the socket."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import memory.errors
from bot.terminal import wire
from memory.errors import OutOfReach, Refused, StillbellError


class NotRunning(OutOfReach):
    """No daemon listens at the socket of this data folder."""

    def __init__(self) -> None:
        super().__init__("Stillbell is not running here. Start it with: make run  (or: stillbell run)")


class Lost(OutOfReach):
    """The daemon hung up."""

    def __init__(self, last: str = "") -> None:
        super().__init__(last or "Stillbell hung up; it may be stopping. Start it again with: make run")


class Client:
    """One connection, for as long as it is entered. One task at a time may read from it: `events` or `ask`."""

    def __init__(self, socket_path: Path) -> None:
        self._path = socket_path

    async def __aenter__(self) -> Self:
        """Connect and greet. Raises NotRunning, or Refused when the daemon speaks another protocol."""
        self._reader, self._writer = await _connect(self._path)
        try:
            await self._greet()
        except BaseException:
            await self._hang_up()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hang up."""
        await self._hang_up()

    async def attach(self, *, history: int = 30, after_id: int | None = None) -> None:
        """Follow the thread from now on, after the newest `history` messages or everything later than `after_id`."""
        await self.post(wire.Attach(history=history, after_id=after_id))

    async def say(self, text: str, *, reply_to: int | None = None) -> str:
        """Say it; the id under which it will be heard."""
        request = wire.Say(id=new_id(), text=wire.clean(text), reply_to=reply_to)
        await self.post(request)
        return request.id

    async def tap(self, data: str) -> str:
        """Press a button; the id under which it will be heard."""
        request = wire.Tap(id=new_id(), data=data)
        await self.post(request)
        return request.id

    async def settle(self) -> None:
        """Ask to be told when nothing is left to do."""
        await self.post(wire.Settle())

    async def post(self, request: wire.Request) -> None:
        """Send one request. Raises Lost, or BadInput when it is too long for a line."""
        try:
            self._writer.write(wire.write(request))
            await self._writer.drain()
        except ConnectionError as error:
            raise Lost from error

    async def events(self) -> AsyncIterator[wire.Answer]:
        """Whatever the daemon says, until it hangs up; its last word is then raised as Lost."""
        last = ""
        while line := await self._line():
            answer = wire.read_answer(line)
            last = answer.text if isinstance(answer, wire.Error) else ""
            yield answer
        raise Lost(last)

    async def ask(self, what: str, args: Mapping[str, Any]) -> AsyncGenerator[wire.Progress | wire.Result, None]:
        """What the daemon tells in answer, in order. Raises its error as the one it was there."""
        ask_id = new_id()
        await self.post(wire.Ask(id=ask_id, what=what, args=dict(args)))
        async for answer in self.events():
            match answer:
                case wire.Progress(ask=about) | wire.Result(ask=about) if about == ask_id:
                    yield answer
                case wire.End(ask=about) if about == ask_id:
                    return
                case wire.Error(about=about) if about == ask_id:
                    raise as_raised(answer)

    async def _greet(self) -> None:
        line = await self._line()
        hello = wire.read_answer(line) if line else None
        if isinstance(hello, wire.Error):
            raise as_raised(hello)
        if not isinstance(hello, wire.Hello):
            raise Lost
        if hello.protocol != wire.PROTOCOL:
            raise Refused(
                f"the running Stillbell ({hello.version}) is of another version than this command: "
                "stop it and start it again."
            )
        await self.post(wire.Greet())

    async def _line(self) -> bytes:
        try:
            return await self._reader.readline()
        except ConnectionError as error:
            raise Lost from error

    async def _hang_up(self) -> None:
        self._writer.close()
        # It may have hung up first.
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


async def _connect(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await asyncio.open_unix_connection(path, limit=wire.LINE_MAX)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise NotRunning from error
    except OSError as error:
        raise OutOfReach(f"can't reach Stillbell at {path}: {error.strerror or error}") from error


def new_id() -> str:
    """An id no one else makes."""
    return uuid.uuid4().hex


def as_raised(error: wire.Error) -> StillbellError:
    """The error as the daemon had it, as far as the tree in memory.errors knows its name."""
    kind = getattr(memory.errors, error.kind, StillbellError)
    return (
        kind(error.text) if isinstance(kind, type) and issubclass(kind, StillbellError) else StillbellError(error.text)
    )
