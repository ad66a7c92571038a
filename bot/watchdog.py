"""The watchdog: tells systemd that the service is ready, that it is alive, and that it is stopping (sd_notify).

Not under systemd, it tells nobody. The protocol is a datagram with one assignment to the socket that NOTIFY_SOCKET names.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import structlog

log = structlog.get_logger()


class Watchdog:
    """`address` is NOTIFY_SOCKET; `patience_for` is WATCHDOG_USEC: a service silent for longer is killed."""

    def __init__(self, address: str | None, patience_for: timedelta | None) -> None:
        self._address = address
        self._every_s = patience_for.total_seconds() / 2 if patience_for else None

    def ready(self) -> None:
        """The service does its work."""
        self._tell("READY=1")

    def stopping(self) -> None:
        """The service is about to end."""
        self._tell("STOPPING=1")

    async def run(self, alive: Callable[[], bool]) -> None:
        """Say that it lives for as long as `alive` says so; returns at once when nobody watches."""
        if self._address is None or self._every_s is None:
            return
        while True:
            if alive():
                self._tell("WATCHDOG=1")
            else:
                log.error("a part has stalled", action="daemon.stalled")
            await asyncio.sleep(self._every_s)

    def _tell(self, said: str) -> None:
        if self._address is None:
            return
        # An address that begins with @ is an abstract one, whose name begins with NUL.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        # Whoever started us may be gone; that is no reason to stop.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notify:
            notify.setblocking(False)
            notify.sendto(said.encode(), address)
