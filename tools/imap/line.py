"""The line to a server: imaplib with limits, so that no answer can hang it, fill the memory or leave a password behind.

silence                         the socket's timeout
a drip                          the step's bound, which cuts the line from outside (tools/imap/connection)
an endless line                 LINE_LIMIT_BYTES
a literal of four gigabytes     LITERAL_LIMIT_BYTES, looked at before anything is set aside for it
answers without end             ANSWER_LIMIT_BYTES and ANSWER_LIMIT_LINES for one command
what can't be parsed            an `abort`, as imaplib says it when a line is of no more use
"""

import imaplib
import io
import re
import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import Any

import imap_tools  # noqa: F401  teaches imaplib the command IDLE

from tools.imap.access import Access

LINE_LIMIT_BYTES = 4 * 1024 * 1024
"""A search answers in one line, about eight bytes a mail: half a million mails."""

LITERAL_LIMIT_BYTES = 32 * 1024 * 1024
ANSWER_LIMIT_BYTES = 64 * 1024 * 1024
ANSWER_LIMIT_LINES = 20_000

NEWS = re.compile(rb"\* (?:\d+ (?:EXISTS|EXPUNGE|FETCH)\b|VANISHED\b)", re.IGNORECASE)
"""What a server says in IDLE when a folder has changed; "* OK Still here" is none of it."""


class Reins:
    """The socket that one thread uses, so that another can cut it at any moment; works while a handshake hangs, too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.was_cut = False

    def hold(self, sock: socket.socket) -> None:
        """From now on it is this one. Raises ConnectionAbortedError when the line was cut while it was being made."""
        with self._lock:
            if self.was_cut:
                raise ConnectionAbortedError("the line was cut while it was being made")
            self._socket = sock

    def cut(self) -> None:
        """Whoever reads or writes gets an error at once; no new socket is taken until `mend`."""
        with self._lock:
            self.was_cut = True
            if self._socket is not None:
                with suppress(OSError):
                    # Not its own method: that of a TLS socket takes the TLS away under the reading thread's feet.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def mend(self) -> None:
        with self._lock:
            self.was_cut = False
            self._socket = None


class _Stream(io.RawIOBase):
    """What comes through a socket, up to so many bytes."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self.left_bytes = ANSWER_LIMIT_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._socket.recv_into(buffer)
        self.left_bytes -= count
        if self.left_bytes < 0:
            raise imaplib.IMAP4.abort(f"more than {ANSWER_LIMIT_BYTES} bytes in one answer")
        return count


class Line(imaplib.IMAP4):
    """A connection, greeted and encrypted as `access` says. Raises OSError or imaplib's errors when it doesn't come about."""

    def __init__(self, access: Access, reins: Reins) -> None:
        self._access = access
        self._reins = reins
        self._lines_left = ANSWER_LIMIT_LINES
        super().__init__(access.host, access.port, access.timeout.total_seconds())
        if access.tls == "starttls":
            try:
                self._start_tls()
            except BaseException:
                self.hang_up()
                raise

    def open(self, host: str = "", port: int = 143, timeout: float | None = None) -> None:
        """Connect; the handshake comes before anything is read."""
        self.host, self.port = host, port
        self.sock = self._create_socket(timeout)
        try:
            self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._reins.hold(self.sock)
            if self._access.tls == "tls":
                self._encrypt()
        except BaseException:
            self.sock.close()
            raise
        self._listen()

    def _encrypt(self) -> None:
        trust = self._access.trust or ssl.create_default_context()
        self.sock = trust.wrap_socket(self.sock, server_hostname=self.host, do_handshake_on_connect=False)
        self._reins.hold(self.sock)
        self.sock.do_handshake()

    def _listen(self) -> None:
        self._stream = _Stream(self.sock)
        self.file = self._buffer = io.BufferedReader(self._stream)

    def _start_tls(self) -> None:
        if "STARTTLS" not in self.capabilities:
            raise self.abort("the server offers no STARTTLS")
        typ, _ = self._simple_command("STARTTLS")
        if typ != "OK":
            raise self.abort("the server refused STARTTLS")
        self._encrypt()
        self._listen()  # what was said before the encryption, and is still unread, is forgotten with its buffer
        self._get_capabilities()

    def refresh_capabilities(self) -> None:
        """Ask again: many servers say more to those who have signed in."""
        self._get_capabilities()

    def hang_up(self) -> None:
        """Say goodbye without waiting for an answer, and close. Never raises."""
        with suppress(OSError, imaplib.IMAP4.error):
            if not self._reins.was_cut:
                self.literal = None
                self._command("LOGOUT")
        with suppress(OSError):
            self.shutdown()

    def idle(self, seconds: float) -> bool:
        """Listen for at most `seconds`; whether anything has changed in the folder that is open."""
        tag = self._command("IDLE")
        while self._get_response() is not None:
            if self.tagged_commands[tag] is not None:
                raise self.error(f"IDLE was refused: {self.tagged_commands.pop(tag)}")
        heard = self._hear(seconds)
        self.send(b"DONE\r\n")
        typ, data = self._get_tagged_response(tag)
        if typ != "OK":
            raise self.error(f"IDLE ended with {typ}: {data}")
        return heard

    def _hear(self, seconds: float) -> bool:
        silence = self.sock.gettimeout()
        ends_at = time.monotonic() + seconds
        try:
            while (left := ends_at - time.monotonic()) > 0:
                self.sock.settimeout(left)
                try:
                    self._buffer.peek(1)
                except TimeoutError:
                    return False
                self.sock.settimeout(silence)
                if NEWS.match(self._get_response() or b""):
                    return True
                self._check_bye()
        finally:
            self.sock.settimeout(silence)
        return False

    # What imaplib would do without limits.

    def read(self, size: int) -> bytes:
        if size > LITERAL_LIMIT_BYTES:
            raise self.abort(f"a piece of {size} bytes was announced")
        data = self._buffer.read(size)
        if len(data) < size:
            raise self.abort("the connection ended in the middle of an answer")
        return data

    def readline(self) -> bytes:
        self._lines_left -= 1
        if self._lines_left < 0:
            raise self.abort(f"more than {ANSWER_LIMIT_LINES} lines in one answer")
        line = self._buffer.readline(LINE_LIMIT_BYTES)
        if len(line) >= LINE_LIMIT_BYTES:
            raise self.abort(f"a line of more than {LINE_LIMIT_BYTES} bytes")
        return line

    def _command(self, name: str, *args: Any) -> Any:
        self._stream.left_bytes, self._lines_left = ANSWER_LIMIT_BYTES, ANSWER_LIMIT_LINES
        return super()._command(name, *args)  # type: ignore[misc]

    def _get_response(self) -> Any:
        try:
            return super()._get_response()  # type: ignore[misc]
        except ValueError as error:  # sizes and letters that imaplib takes to be well formed
            raise self.abort("an answer that can't be read") from error

    def _get_capabilities(self) -> None:
        try:
            super()._get_capabilities()  # type: ignore[misc]
        except ValueError as error:
            raise self.abort("capabilities that can't be read") from error

    def _log(self, line: Any) -> None:
        """imaplib remembers the last commands for debugging, the one with the password among them. Nothing is kept here."""
