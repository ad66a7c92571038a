"""A Google of our own on a loopback port: as much of the HTTP of Gmail, Calendar and OAuth as Stillbell speaks.

It is ours, so it proves less than `google_myworld`, which others wrote; it is here for what that one lacks: every byte of a
mail kept, a history with deletions, occurrences beside their series, Retry-After, 410, etags that count, scopes that count,
refresh tokens that rotate, and lines that break at any point. What it answers follows Google's public reference and has
never been compared with Google itself.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.doubles.clock import FakeClock
from tests.servers.google_calendars import CalendarBox
from tests.servers.google_faults import Cut, Drip, Fault, Garbage, Half, Hang, Status
from tests.servers.google_mailbox import GmailBox, Json, Refused
from tools.google.grant import SCOPES
from tools.google.session import Endpoints
from tools.google.token import GrantKind, Token

# By one address for all of Google's services their hosts stand in the path.
_BEHIND_A_GATEWAY = re.compile(r"^/gw/(?:gmail\.googleapis\.com|www\.googleapis\.com)(?=/)")

OWNER = "anna@example.org"
SECRET = "canary-client-secret"


class GoogleServer:
    """The server; `gmail` and `calendars` are what it holds, `calls` what was asked ("METHOD path?query")."""

    def __init__(self, owner: str = OWNER) -> None:
        self.gmail = GmailBox(owner)
        self.calendars = CalendarBox(owner)
        self.calls: list[str] = []
        self.faults: list[Fault] = []
        self.refresh_tokens: dict[str, GrantKind] = {}
        self.access_tokens: dict[str, GrantKind] = {}
        self.rotates = False
        self.good_for_seconds = 3600
        self.go_on = threading.Event()
        self.lock = threading.RLock()
        self.open = threading.Condition()
        self.connections: set[socket.socket] = set()
        self._serial = 0
        self._port = 0
        self._http: _Server | None = None

    # Running

    def start(self) -> None:
        """Listen, on the same port as before."""
        self._http = _Server(("127.0.0.1", self._port), self)
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.02,), name="google", daemon=True).start()

    def stop(self) -> None:
        """Gone, in the middle of whatever is said."""
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()
            self._http = None
        self.go_on.set()
        with self.open:
            for connection in list(self.connections):
                _reset(connection)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def endpoints(self) -> Endpoints:
        """What the product is told instead of Google's own addresses. `url` alone will do as well (STILLBELL_GOOGLE_URL)."""
        return Endpoints(gmail=f"{self.url}/", calendar=f"{self.url}/calendar/v3/")

    @property
    def token_uri(self) -> str:
        return f"{self.url}/token"

    def wait_until_hung_up(self, seconds: float = 10) -> None:
        """Return when nobody is connected. Blocks."""
        with self.open:
            assert self.open.wait_for(lambda: not self.connections, seconds)

    # Grants

    def grant(self, clock: FakeClock, kind: GrantKind = "read") -> Token:
        """A grant that the owner gave; its access token is still to be asked for."""
        self._serial += 1
        refresh_token = f"canary-refresh-{kind}-{self._serial}"
        self.refresh_tokens[refresh_token] = kind
        return Token(
            client_id="a client", client_secret=SECRET, token_uri=self.token_uri, refresh_token=refresh_token,
            expires_at=clock.now(), scopes=SCOPES[kind],
        )  # fmt: skip

    def revoke(self) -> None:
        """The owner takes every permission back."""
        self.refresh_tokens.clear()
        self.access_tokens.clear()

    def end_access(self) -> None:
        """Access tokens end before their time."""
        self.access_tokens.clear()

    def fail(self, fault: Fault) -> None:
        """From now on this goes wrong."""
        self.faults.append(fault)

    def asked(self, part: str) -> int:
        """How many calls had this in them."""
        return sum(part in call for call in self.calls)

    # Answering

    def token_call(self, form: dict[str, str]) -> Json:
        """A refresh. Raises Refused with Google's word."""
        kind = self.refresh_tokens.get(form.get("refresh_token", ""))
        if form.get("grant_type") != "refresh_token" or form.get("client_secret") != SECRET or kind is None:
            raise Refused(400, "invalid_grant", "Token has been expired or revoked.")
        self._serial += 1
        access_token = f"canary-access-{self._serial}"
        self.access_tokens[access_token] = kind
        answer: Json = {"access_token": access_token, "expires_in": self.good_for_seconds, "token_type": "Bearer"}
        if self.rotates:
            del self.refresh_tokens[form["refresh_token"]]
            answer["refresh_token"] = f"canary-refresh-{kind}-{self._serial}"
            self.refresh_tokens[answer["refresh_token"]] = kind
        return answer

    def api_call(self, method: str, path: str, query: str, headers: dict[str, str], body: Any) -> Any:
        """A call of Gmail or Calendar. Raises Refused."""
        kind = self.access_tokens.get(headers.get("authorization", "").removeprefix("Bearer "))
        if kind is None:
            raise Refused(401, "authError", "Invalid Credentials")
        if kind == "read" and method != "GET":
            raise Refused(403, "insufficientPermissions", "Request had insufficient authentication scopes.")
        if path.startswith("/calendar/v3"):
            return self.calendars.call(method, path.removeprefix("/calendar/v3"), query, body, headers)
        return self.gmail.call(method, path.removeprefix("/upload").removeprefix("/gmail/v1/users/me"), query, body)


@contextmanager
def google_server(owner: str = OWNER) -> Iterator[GoogleServer]:
    """The server, until the end of the block."""
    server = GoogleServer(owner)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], google: GoogleServer) -> None:
        self.google = google
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go whenever they like."""

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.google.open:
            self.google.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self.google.open:
            self.google.connections.discard(request)
            self.google.open.notify_all()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is logged."""

    def _serve(self) -> None:
        google = self.server.google
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.path = _BEHIND_A_GATEWAY.sub("", self.path)
        parts = urlsplit(self.path)
        google.calls.append(f"{self.command} {self.path}")
        fault = next((f for f in google.faults if f.strikes(f"{self.command} {self.path}")), None)
        if fault is not None and not fault.done:
            return self._struck(fault, b"")
        status, answer = self._answer(google, parts.path, parts.query, body)
        if fault is not None:
            return self._struck(fault, answer)
        return self._reply(status, answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names that the base class calls

    def _answer(self, google: GoogleServer, path: str, query: str, body: bytes) -> tuple[int, bytes]:
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            with google.lock:
                if path == "/token":
                    return 200, json.dumps(google.token_call(dict(parse_qsl(body.decode())))).encode()
                answer = google.api_call(self.command, path, query, headers, _parsed(headers, body))
        except Refused as refused:
            if path == "/token":
                return refused.code, json.dumps({"error": refused.reason, "error_description": str(refused)}).encode()
            told = Status("", code=refused.code, reason=refused.reason, message=refused.message).body()
            return refused.code, json.dumps(told).encode()
        return (204, b"") if answer is None else (200, json.dumps(answer).encode())

    def _reply(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"content-type": "application/json"} | (headers or {})).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _struck(self, fault: Fault, answer: bytes) -> None:
        if isinstance(fault, Status):
            return self._reply(fault.code, json.dumps(fault.body()).encode(), fault.headers)
        if isinstance(fault, Garbage):
            return self._reply(200, fault.content)
        if isinstance(fault, Half):
            head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(answer)}\r\n\r\n"
            self.wfile.write(head.encode() + answer[: len(answer) // 2])
        if isinstance(fault, Hang):
            self.server.google.go_on.wait(30)
        if isinstance(fault, Drip):
            self._drip()
        if isinstance(fault, Cut):
            _reset(self.connection)
        self.close_connection = True
        return None

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n")
        with suppress(OSError):
            while not self.server.google.go_on.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()


def _parsed(headers: dict[str, str], body: bytes) -> Any:
    kind = headers.get("content-type", "")
    if kind.startswith("multipart/related"):
        # Taken from the very bytes that came, for a parser would write the mail anew.
        boundary = b"--" + kind.partition("boundary=")[2].strip('"').encode()
        told, raw = (section.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for section in body.split(boundary)[1:3])
        return json.loads(told) | {"media": raw}
    return json.loads(body) if body else {}


def _reset(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        connection.close()
