"""The daemon's side of the terminal: takes what commands say, and tells every attached one what happens in the thread.

    connection ─ hello ─┬ attach ── history, then live ◄── the ledger's commits
                        ├ say, tap ── signal (committed) ── heard
                        ├ settle ── settled, once no job is left
                        └ ask ── progress …, result … ── end

Who speaks is known from the connection (the kernel's word for its user), never from anything that is said over it.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import structlog

from bot.terminal import wire
from bot.terminal.channel import ThreadChannel
from bot.terminal.listening import listen
from bot.terminal.live import Live
from bot.terminal.peer import Peer
from memory.clock import Clock
from memory.errors import BadInput, NotFound, StillbellError
from memory.ledger import Ledger, Tables
from memory.signal import NewSignal

ASKS_MAX = 8
"""Questions one connection may have open at a time."""

log = structlog.get_logger()


class TerminalServer:
    """Listens at `socket_path` for as long as it is entered. `busy` says whether the thread has work left."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        socket_path: Path,
        asks: Mapping[str, wire.AskHandler],
        clock: Clock,
        busy: Callable[[Tables], bool],
        owner_id: int = 1,
        owner_uid: int | None = None,
        version: str = "",
    ) -> None:
        self._ledger = ledger
        self._path = socket_path
        self._asks = asks
        self._clock = clock
        self._owner_id = owner_id
        self._owner_uid = os.getuid() if owner_uid is None else owner_uid
        self._version = version
        self._peers: set[Peer] = set()
        self._connections: set[asyncio.Task[None]] = set()
        self._live = Live(ledger, owner_id, busy=busy)
        self.channel = ThreadChannel("terminal", self._live)

    async def __aenter__(self) -> Self:
        """Listen. Raises what `listening.listen` raises."""
        listening = listen(self._path)
        self._inode = self._path.stat().st_ino
        self._ledger.on_commit(self._live.wake)
        self._server = await asyncio.start_unix_server(self._connected, sock=listening, limit=wire.LINE_MAX)
        self._following = asyncio.create_task(self._live.run(), name="terminal: following the thread")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say goodbye, hang up, and take the socket away."""
        self._server.close()
        for peer in list(self._peers):
            peer.dismiss(wire.Error(text="Stillbell is stopping.", kind="OutOfReach"))
        tasks = [self._following, *self._connections]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    async def watch(self) -> None:
        """Return when it was stopped; raise what ended the following of the thread otherwise."""
        await asyncio.gather(self._following)

    # ── one connection ────────────────────────────────────────────────────────────────────────────────────────────

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._keep(Peer(reader, writer)), name="terminal: one connection")
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _keep(self, peer: Peer) -> None:
        self._peers.add(peer)
        asking: set[asyncio.Task[None]] = set()
        try:
            # It may hang up in the middle of a word: that is how connections end.
            with contextlib.suppress(ConnectionError):
                await self._serve(peer, asking)
        finally:
            for ask in asking:
                ask.cancel()
            self._peers.discard(peer)
            self._live.leave(peer)
            peer.close()

    async def _serve(self, peer: Peer, asking: set[asyncio.Task[None]]) -> None:
        if peer.uid not in (None, self._owner_uid):
            peer.dismiss(wire.Error(text="this Stillbell belongs to another user of this machine.", kind="Refused"))
            return
        await peer.send(wire.Hello(version=self._version))
        while not peer.is_gone:
            try:
                line = await peer.line()
            except BadInput as error:
                await peer.send(_told(error, None))
                continue
            if not line:
                return
            await self._take(peer, line, asking)

    async def _take(self, peer: Peer, line: bytes, asking: set[asyncio.Task[None]]) -> None:
        about = None
        try:
            request = wire.read_request(line)
            about = getattr(request, "id", None)
            if isinstance(request, wire.Greet):
                self._greet(peer, request)
            elif not peer.greeted:
                raise BadInput("say hello first, with the protocol you speak")
            elif isinstance(request, wire.Ask):
                self._start_ask(peer, request, asking)
            else:
                await self._answer(peer, request)
        except StillbellError as error:
            await peer.send(_told(error, about))

    def _greet(self, peer: Peer, greeting: wire.Greet) -> None:
        if greeting.protocol != wire.PROTOCOL:
            text = (
                f"this command speaks protocol {greeting.protocol}, the running Stillbell {wire.PROTOCOL}: "
                "stop it and start it again with the version you have now."
            )
            peer.dismiss(wire.Error(text=text, kind="Refused"))
        peer.greeted = True

    async def _answer(self, peer: Peer, request: wire.Attach | wire.Say | wire.Tap | wire.Settle) -> None:
        match request:
            case wire.Attach():
                await self._attach(peer, request)
            case wire.Say():
                await self._publish("message", request.id, _spoken(request))
                await peer.send(wire.Heard(id=request.id))
            case wire.Tap():
                await self._publish("tap", request.id, {"data": request.data})
                await peer.send(wire.Heard(id=request.id))
            case wire.Settle():
                self._live.settle(peer, lambda: peer.offer(wire.Settled()))

    async def _attach(self, peer: Peer, request: wire.Attach) -> None:
        for one in await self._live.join(peer, limit=request.history, after_id=request.after_id):
            peer.offer(one)

    async def _publish(self, kind: str, source_id: str, payload: Mapping[str, Any]) -> None:
        signal = NewSignal(
            source="terminal",
            kind=kind,
            source_id=source_id,
            payload={"channel": "terminal", **payload},
            owner_id=self._owner_id,
        )
        now = self._clock.now()
        await self._ledger.write(lambda t: t.signals.publish(signal, now=now))

    # ── asks ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _start_ask(self, peer: Peer, ask: wire.Ask, asking: set[asyncio.Task[None]]) -> None:
        handler = self._asks.get(ask.what)
        if handler is None:
            raise NotFound(f"this Stillbell can't be asked for {ask.what!r}; it knows {', '.join(sorted(self._asks))}.")
        if len(asking) >= ASKS_MAX:
            raise BadInput(f"{ASKS_MAX} questions are open on this connection: wait for one to end.")
        task = asyncio.create_task(self._run_ask(peer, ask, handler), name=f"terminal: ask {ask.what}")
        asking.add(task)
        task.add_done_callback(asking.discard)

    async def _run_ask(self, peer: Peer, ask: wire.Ask, handler: wire.AskHandler) -> None:
        try:
            async with contextlib.aclosing(handler(ask.args)) as steps:
                async for told in steps:
                    await peer.send(replace(told, ask=ask.id))
            await peer.send(wire.End(ask=ask.id))
        except ConnectionError:
            return  # nobody listens any more
        except StillbellError as error:
            peer.offer(_told(error, ask.id))
        except Exception:  # a bug in one question must not leave the asker waiting; it stands in the log with its trace
            log.exception("ask failed", action="terminal.ask_failed", what=ask.what)
            peer.offer(wire.Error(text="this went wrong inside Stillbell; its log says how.", about=ask.id))


def _told(error: StillbellError, about: str | None) -> wire.Error:
    """The error as it crosses the wire: under the name that it has in the tree of memory.errors."""
    kind = next(each for each in type(error).__mro__ if each.__module__ == StillbellError.__module__)
    return wire.Error(text=str(error), kind=kind.__name__, about=about)


def _spoken(request: wire.Say) -> dict[str, str | None]:
    text = wire.clean(request.text).strip()
    if not text:
        raise BadInput("an empty message says nothing")
    return {"text": text, "reply_to": None if request.reply_to is None else str(request.reply_to)}
