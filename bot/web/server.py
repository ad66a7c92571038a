"""The web server: listens on loopback beside the daemon, for as long as it is entered.

browser, script ─► door ─► application ─┬ intake ── signal (committed)
                                        └ stream ◄── live ◄── the ledger's commits
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
import uvicorn

from bot.terminal.channel import ThreadChannel
from bot.terminal.live import Live
from bot.web.app import Web
from bot.web.door import Door
from bot.web.intake import Intake
from bot.web.names import Names
from bot.web.token import kept
from memory.clock import Clock
from memory.ledger import Ledger

CONNECTIONS_MAX = 64
"""More than these at a time are answered with 503."""

UNREAD_FOR_MS = 60_000
"""A client that takes nothing of what was sent for this long is cut off (where the system can do that)."""

HEAD_MAX_BYTES = 32 << 10

STOP_WITHIN_S = 2

log = structlog.get_logger()


class WebServer:
    """Serves on 127.0.0.1 at `port`; 0 lets the system choose. `more_names` are further hosts it may be asked under.

    When the port is taken it says so and does nothing: the daemon goes on without a web chat. `token_file` is made at the
    first start. Raises BadInput for a host that is none.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        clock: Clock,
        port: int,
        token_file: Path,
        announce: Callable[[str], None],
        more_names: Iterable[str] = (),
        owner_id: int = 1,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._token_file = token_file
        self._announce = announce
        self._more_names = tuple(more_names)
        Names.of(port, self._more_names)
        self._live = Live(ledger, owner_id)
        self._web = Web(ledger, self._live, Intake(ledger, clock, owner_id), clock, owner_id)
        self._tasks: list[asyncio.Task[None]] = []
        self._server: _Server | None = None
        self.port = port
        self.channel = ThreadChannel("web", self._live)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def listens(self) -> bool:
        """Whether the port was to be had."""
        return self._server is not None

    async def __aenter__(self) -> Self:
        """Listen, or say why not."""
        try:
            listening = _listen(self.port)
        except OSError as error:
            log.warning("the web chat is off", action="web.not_listening", port=self.port, because=str(error))
            self._announce(
                f"off  web chat: port {self.port} can't be had ({error.strerror}); the rest goes on without it. "
                "Set STILLBELL_WEB_PORT to another one"
            )
            return self
        self.port = listening.getsockname()[1]
        self._server = _Server(self._config())
        self._ledger.on_commit(self._live.wake)
        self._tasks = [
            asyncio.create_task(self._live.run(), name="web: following the thread"),
            asyncio.create_task(self._server.serve(sockets=[listening]), name="web: serving"),
        ]
        log.info("web chat", action="web.started", url=self.url)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the streams, finish what is being answered, and stop."""
        if self._server is None:
            return
        self._web.end()
        self._server.stop()
        following, serving = self._tasks
        following.cancel()
        await asyncio.gather(following, serving, return_exceptions=True)

    async def watch(self) -> None:
        """Return when it was stopped or never listened; raise what ended a part of it otherwise."""
        await asyncio.gather(*self._tasks)

    def _config(self) -> uvicorn.Config:
        door = Door(
            self._web.app,
            token=kept(self._token_file),
            names=Names.of(self.port, self._more_names),
            clock=self._clock,
            port=self.port,
        )
        return uvicorn.Config(
            door,
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            limit_concurrency=CONNECTIONS_MAX,
            h11_max_incomplete_event_size=HEAD_MAX_BYTES,
            timeout_graceful_shutdown=STOP_WITHIN_S,
        )


class _Server(uvicorn.Server):
    """A server that leaves the process's signals to the daemon, and stops when told rather than looking whether to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told = asyncio.Event()

    def stop(self) -> None:
        """Answer what was asked, and stop."""
        self.should_exit = True
        self._told.set()

    async def main_loop(self) -> None:
        """Wait to be told."""
        await self._told.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _listen(port: int) -> socket.socket:
    """A listening socket on loopback. Raises OSError."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_FOR_MS)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        listening.setblocking(False)
    except OSError:
        listening.close()
        raise
    return listening
