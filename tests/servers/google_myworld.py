"""myworld, a stand-in for Gmail, Calendar and their OAuth that was written by others, served on a loopback port.

What it lacks (Retry-After, deleted mails in the history, occurrences told beside their series, stale etags …) is in
`google_server`, which is ours.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from myworld.api import load
from myworld.api.http import mint
from myworld.core.instance import Instance
from myworld.host import Host, HostConfig, create_app

from tests.doubles.clock import FakeClock
from tools.google.session import Endpoints
from tools.google.token import Token

OWNER = "owner@stillbell.example"
MAILBOX: dict[str, Any] = {"user": {"email": OWNER, "name": "Olga Owner"}, "labels": ["Clients", "Diary"], "emails": []}
CALENDARS: dict[str, Any] = {
    "user": {"email": OWNER, "name": "Olga Owner"},
    "timeZone": "Europe/Berlin",
    "calendars": [{"id": "team@group.example", "summary": "Team", "accessRole": "reader"}],
    "events": [],
}


def endpoints_at(url: str) -> Endpoints:
    """Where the services are that are reached by `url`."""
    return Endpoints(gmail=f"{url}/gw/gmail.googleapis.com/", calendar=f"{url}/gw/www.googleapis.com/calendar/v3/")


def token_uri_at(url: str) -> str:
    """Where tokens are renewed."""
    return f"{url}/gw/oauth2.googleapis.com/token"


class MyWorld:
    """The running server. Every mailbox and calendar made in it is a world of its own."""

    def __init__(self, host: Host, url: str) -> None:
        self._host = host
        self.port = int(url.rpartition(":")[2])
        self.endpoints = endpoints_at(url)
        self.token_uri = token_uri_at(url)

    def mailbox(self, seed: dict[str, Any] | None = None) -> Instance:
        """A new Gmail with one mailbox."""
        return self._host.create("gmail", seed or MAILBOX)

    def calendar(self, seed: dict[str, Any] | None = None) -> Instance:
        """A new Google Calendar with one person."""
        return self._host.create("calendar", seed or CALENDARS)

    def bearer(self, world: Instance) -> str:
        """What stands for both tokens of a grant for `world`."""
        return mint(self._host.gateway_secret, instance=world.id)

    def token(self, world: Instance, clock: FakeClock) -> Token:
        """A grant for `world` whose access token has to be renewed before its first use."""
        return Token(
            client_id="a client", client_secret="its secret", token_uri=self.token_uri, refresh_token=self.bearer(world),
            access_token="", expires_at=clock.now(),
        )  # fmt: skip

    def forget(self, world: Instance) -> None:
        """The owner takes the permission back: the token belongs to nothing any more."""
        self._host.delete(world.id)


@contextmanager
def myworld_server() -> Iterator[MyWorld]:
    """myworld, until the end of the block."""
    for service in ("gmail", "calendar"):
        # It calls a service loaded before it is, so that the second of two first calls would get a 404.
        load(service)
    host = Host(HostConfig())
    server = uvicorn.Server(uvicorn.Config(create_app(host), host="127.0.0.1", port=0, log_level="warning"))
    started = threading.Event()
    thread = threading.Thread(target=_serve, args=(server, started), name="myworld", daemon=True)
    thread.start()
    assert started.wait(20)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield MyWorld(host, f"http://127.0.0.1:{port}")
    finally:
        server.should_exit = True
        thread.join(10)


def _serve(server: uvicorn.Server, started: threading.Event) -> None:
    class Telling(type(server)):  # type: ignore[misc]
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            started.set()

    server.__class__ = Telling
    server.run()
