"""A web server for a calendar that one subscribes to: one path, with what real ones do and what broken ones do.

ETag and If-None-Match, Last-Modified, gzip, redirects; and, when told to, any status, silence or a cut in the middle.
"""

import gzip
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class IcsWeb:
    """The server. `body` is what it serves at `path`, which is a secret; everything else is 404.

    told: answers that are given in place of the calendar, in order: (status, headers, body). requests: the headers of
    every request, by lower-case name, with its path as "path".
    """

    body: bytes = b""
    path: str = "/private-5f2c1e/basic.ics"
    content_type: str = "text/calendar; charset=utf-8"
    has_etag: bool = True
    packs: bool = True
    cut_after: int | None = None
    told: list[tuple[int, Mapping[str, str], bytes]] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    port: int = 0
    _server: ThreadingHTTPServer | None = None
    _connections: set[socket.socket] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The secret address."""
        return f"http://127.0.0.1:{self.port}{self.path}"

    def start(self) -> None:
        """Listen, at the same port if it listened before."""
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), name="ics-web", daemon=True).start()

    def stop(self) -> None:
        """Stop listening, and hang up on everybody."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        while self._connections:
            with suppress(OSError):
                self._connections.pop().shutdown(socket.SHUT_RDWR)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                asked = {name.lower(): value for name, value in self.headers.items()}
                web.requests.append({**asked, "path": self.path})
                status, headers, body = web._answer(self.path, asked)
                self.send_response_only(status)
                length = len(body)
                if web.cut_after is not None:
                    body = body[: web.cut_after]
                    self.close_connection = True
                for name, value in {"Content-Length": str(length), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def setup(self) -> None:
                super().setup()
                web._connections.add(self.connection)

            def log_message(self, *args: Any) -> None:
                pass

        return Handler

    def _answer(self, path: str, asked: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        if self.told:
            return self.told.pop(0)
        if path != self.path:
            return 404, {}, b"nothing here"
        etag = f'"{sha256(self.body).hexdigest()[:16]}"'
        if self.has_etag and asked.get("if-none-match") == etag:
            return 304, {"ETag": etag}, b""
        headers = {"Content-Type": self.content_type} | ({"ETag": etag} if self.has_etag else {})
        if self.packs and "gzip" in asked.get("accept-encoding", ""):
            return 200, {**headers, "Content-Encoding": "gzip"}, gzip.compress(self.body, mtime=0)
        return 200, headers, self.body


@contextmanager
def running(**given: Any) -> Iterator[IcsWeb]:
    """A server on a port of its own."""
    web = IcsWeb(**given)
    web.start()
    try:
        yield web
    finally:
        web.stop()
