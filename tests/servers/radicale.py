"""Radicale, an independent CalDAV server, on a port of 127.0.0.1: real sockets, real files, one user.

It runs in threads of this process. What its users do is done by plain HTTP, so that no client library checks itself.
"""

import base64
import http.client
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from radicale import Application, config
from radicale.log import logger

USER, PASSWORD = "anna", "a-password-nobody-knows"


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


class Radicale:
    """The server. `requests`: method and path of everything that was asked, in order."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[tuple[str, str]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        """Statuses and headers that are given to the next requests in place of an answer."""
        self.lets_in = True
        self._folder = folder
        users = folder / "users"
        users.write_text(f"{USER}:{PASSWORD}\n")
        logger.setLevel(logging.CRITICAL)
        configuration = config.load([])
        configuration.update(
            {
                "auth": {
                    "type": "htpasswd",
                    "htpasswd_filename": str(users),
                    "htpasswd_encryption": "plain",
                    "delay": "0",
                },
                "storage": {"filesystem_folder": str(folder / "collections"), "_filesystem_fsync": "False"},
                "logging": {"level": "critical"},
                "web": {"type": "none"},
            },
            "test",
            privileged=True,
        )
        self._application = Application(configuration)
        self._server: _Threads | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Listen, at the same port if it listened before."""
        self._server = _Threads(("127.0.0.1", self.port), _Quiet)
        self.port = self._server.server_port
        self._server.set_app(self._served)
        threading.Thread(target=self._server.serve_forever, args=(0.01,), name="radicale", daemon=True).start()

    def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _served(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.requests.append((environ["REQUEST_METHOD"], environ["PATH_INFO"]))
        if self.answers:
            status, headers = self.answers.pop(0)
            start_response(f"{status} Told", list({"Content-Length": "0", **headers}.items()))
            return [b""]
        if not self.lets_in:
            headers = [("WWW-Authenticate", 'Basic realm="Radicale"'), ("Content-Length", "0")]
            start_response("401 Unauthorized", headers)
            return [b""]
        return self._application(environ, start_response)

    # What the user does

    def make_calendar(self, name: str, shown: str, *, kind: str = "VEVENT") -> None:
        """A calendar of the user's, called `shown`."""
        body = (
            '<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop>'
            f"<D:displayname>{shown}</D:displayname>"
            f'<C:supported-calendar-component-set><C:comp name="{kind}"/></C:supported-calendar-component-set>'
            "</D:prop></D:set></C:mkcalendar>"
        )
        self.do("MKCALENDAR", f"/{USER}/{name}/", body)

    def put(self, calendar: str, file: str, ics: str) -> None:
        """Write an object."""
        self.do("PUT", f"/{USER}/{calendar}/{file}", ics, {"Content-Type": "text/calendar; charset=utf-8"})

    def delete(self, calendar: str, file: str = "") -> None:
        """Delete an object, or a whole calendar."""
        self.do("DELETE", f"/{USER}/{calendar}/{file}")

    def forget_tokens(self) -> None:
        """Every token that was given becomes unknown, as after a restore from a backup."""
        for folder in self._folder.rglob("sync-token"):
            for file in folder.iterdir():
                file.unlink()

    def do(self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None) -> None:
        """One request of the user's; it must succeed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        password = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        try:
            connection.request(method, path, body.encode(), {"Authorization": f"Basic {password}", **(headers or {})})
            answer = connection.getresponse()
            said = answer.read()
        finally:
            connection.close()
        assert answer.status < 300, (method, path, answer.status, said)
        self.requests.clear()


@contextmanager
def running(folder: Path) -> Iterator[Radicale]:
    """A server over an empty folder, with one calendar "work"."""
    server = Radicale(folder)
    server.start()
    try:
        server.make_calendar("work", "Work")
        yield server
    finally:
        server.stop()
