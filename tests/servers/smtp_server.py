"""Local SMTP servers: an independent one that keeps the rules (aiosmtpd), and one of our own that breaks them on demand.

    async with SmtpServer(user="anna", password="…", tls="starttls") as server:
        …  server.host, server.port, server.trust  …
        assert server.delivered[0].recipients == ("ben@example.org",)

    async with FaultySmtpServer(Fault("dot", "cut", delivers=True)) as server: …

Both listen on 127.0.0.1 on a free port, and `delivered` is the provider's own ledger: what it will deliver.
"""

import asyncio
import datetime
import ipaddress
import socket
import ssl
import struct
import tempfile
import warnings
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Tls = Literal["tls", "starttls", "none"]


@dataclass(frozen=True, slots=True)
class Delivered:
    """One mail that a server has taken. `content` as it stood between DATA and the dot, with dots unstuffed."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate for 127.0.0.1 and localhost that nobody but `trusting` trusts."""

    pem: bytes
    key: bytes

    def serving(self) -> ssl.SSLContext:
        """For a server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile(suffix=".pem") as file:
            Path(file.name).write_bytes(self.key + self.pem)
            context.load_cert_chain(file.name)
        return context

    def trusting(self) -> ssl.SSLContext:
        """For a client that trusts this certificate alone."""
        return ssl.create_default_context(cadata=self.pem.decode())


@cache
def certificate(name: str = "localhost") -> Certificate:
    """A self-signed certificate, made once a run and name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = [x509.DNSName(name)]
    if name == "localhost":
        names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    bare = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return Certificate(made.public_bytes(pem), bare)


class _Listening:
    """What both servers share: a free port on 127.0.0.1 while the context is open."""

    host = "127.0.0.1"

    def __init__(self) -> None:
        self.delivered: list[Delivered] = []
        self._server: asyncio.Server | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    async def _listen(self) -> asyncio.Server:
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        self._server = await self._listen()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()


class SmtpServer(_Listening):
    """aiosmtpd with STARTTLS or TLS and sign-in where `user` is given.

    refuses: recipient → the line it is refused with. answers: what is said to the next mails' final dots instead of
    taking them. attempts: the (method, user, password) of every sign-in, as it was tried.
    """

    def __init__(
        self,
        *,
        tls: Tls = "none",
        user: str = "",
        password: str = "",
        refuses: Mapping[str, str] | None = None,
        answers: tuple[str, ...] = (),
        size_max: int = 1 << 26,
        smtputf8: bool = True,
        methods_off: tuple[str, ...] = (),
        made_for: str = "localhost",
    ) -> None:
        super().__init__()
        self.tls = tls
        self.user = user
        self.password = password
        self.refuses = dict(refuses or {})
        self.answers = list(answers)
        self.size_max = size_max
        self.smtputf8 = smtputf8
        self.methods_off = methods_off
        self.certificate = certificate(made_for)
        self.attempts: list[tuple[str, str, str]] = []
        self.greeted: list[str] = []
        self.resets = 0
        self._protocols: list[SMTP] = []

    @property
    def trust(self) -> ssl.SSLContext | None:
        """What a client has to trust, None where there is no TLS."""
        return None if self.tls == "none" else self.certificate.trusting()

    async def _listen(self) -> asyncio.Server:
        implicit = self.certificate.serving() if self.tls == "tls" else None
        return await asyncio.get_running_loop().create_server(self._protocol, self.host, 0, ssl=implicit)

    def _protocol(self) -> SMTP:
        with warnings.catch_warnings():
            # TLS from the first byte is none that it knows of, and within this machine there need be none.
            warnings.simplefilter("ignore")
            protocol = SMTP(
                self,
                hostname="mail.example.org",
                ident="test",
                data_size_limit=self.size_max,
                enable_SMTPUTF8=self.smtputf8,
                tls_context=self.certificate.serving() if self.tls == "starttls" else None,
                require_starttls=self.tls == "starttls",
                auth_required=bool(self.user),
                auth_require_tls=self.tls == "starttls",
                auth_exclude_mechanism=self.methods_off,
                authenticator=self._authenticate if self.user else None,
                loop=asyncio.get_running_loop(),
            )
        self._protocols.append(protocol)
        return protocol

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        for protocol in self._protocols:
            task = protocol._handler_coroutine
            if task is not None and not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def _authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: LoginPassword
    ) -> AuthResult:
        user, password = data.login.decode(), data.password.decode()
        self.attempts.append((mechanism, user, password))
        # Without `handled=False` aiosmtpd says nothing at all to a wrong password.
        return AuthResult(success=(user, password) == (self.user, self.password), handled=False)

    # aiosmtpd's hooks

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        self.greeted.append(hostname)
        session.host_name = hostname
        return responses

    async def handle_RSET(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.resets += 1
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.answers:
            return self.answers.pop(0)
        content = envelope.original_content or b""
        self.delivered.append(
            Delivered(envelope.mail_from or "", tuple(envelope.rcpt_tos), bytes(content), tuple(envelope.mail_options))
        )
        return "250 2.0.0 taken as 4711"


Point = Literal["greeting", "ehlo", "auth", "mail", "rcpt", "data", "body", "dot", "quit"]
POINTS: tuple[Point, ...] = ("greeting", "ehlo", "auth", "mail", "rcpt", "data", "body", "dot", "quit")
Does = Literal["cut", "reset", "hang", "half", "garbage"] | str


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong instead of the answer at `at`: "body" is in the middle of the mail, "dot" after all of it.

    does: cut (the connection ends), reset (it is torn down), hang (nothing comes any more), half (the answer breaks off
    within a line and the connection ends), garbage (a line that is no answer), or a line to be said ("451 4.3.0 later").
    delivers: whether the mail, once whole, is delivered all the same.
    """

    at: Point
    does: Does
    delivers: bool = False


class FaultySmtpServer(_Listening):
    """Speaks plain SMTP, and does what its `fault` says.

    `heard` holds every line of the client's but the mail's; `got_all` is set when a whole mail has come in. The fault
    strikes every conversation, or only so many as `strikes` says.
    """

    def __init__(self, fault: Fault | None = None, *, strikes: int | None = None) -> None:
        super().__init__()
        self.fault = fault
        self.strikes = strikes
        self.heard: list[str] = []
        self.connections = 0
        self.got_all = asyncio.Event()
        self._open: set[asyncio.Task[Any]] = set()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._meet, self.host, 0, limit=1 << 26)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await super().__aexit__(kind, error, trace)
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self.connections += 1
        try:
            await _Conversation(self, reader, writer).run()
        # Cancelled means that the server closes: asyncio's streams would print it as an error of their own.
        except (_OverError, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._open.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


class _OverError(Exception):
    """The conversation has ended."""


@dataclass(slots=True)
class _Conversation:
    server: FaultySmtpServer
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    sender: str = ""
    recipients: list[str] = field(default_factory=list)

    async def run(self) -> None:
        await self._say("greeting", "220 mail.example.org ready")
        while line := (await self.reader.readline()).decode():
            self.server.heard.append(line.rstrip("\r\n"))
            await self._answer(line.rstrip("\r\n"))

    async def _answer(self, line: str) -> None:
        verb = line[:4].upper()
        if verb == "EHLO":
            await self._say("ehlo", "250-mail.example.org\r\n250-AUTH PLAIN\r\n250 SIZE 40000000")
        elif verb == "AUTH":
            self.server.heard[-1] = f"AUTH {b64decode(line.rsplit(maxsplit=1)[-1]).decode()!r}"
            await self._say("auth", "235 2.7.0 welcome")
        elif verb == "MAIL":
            self.sender, self.recipients = line.partition("<")[2].partition(">")[0], []
            await self._say("mail", "250 OK")
        elif verb == "RCPT":
            self.recipients.append(line.partition("<")[2].partition(">")[0])
            await self._say("rcpt", "250 OK")
        elif verb == "DATA":
            await self._take()
        elif verb == "QUIT":
            await self._say("quit", "221 bye")
            raise _OverError
        else:
            await self._say(None, "250 OK")

    async def _take(self) -> None:
        await self._say("data", "354 go ahead")
        if self._is_at("body"):
            await self.reader.read(10)
            # What is not read fills the sockets, so that the client notices in the middle of the mail.
            self.writer.transport.pause_reading()  # type: ignore[attr-defined]
            await self._fail(self.server.fault)
        content = b""
        while (line := await self.reader.readuntil(b"\r\n")) != b".\r\n":
            content += line.removeprefix(b".")
        if not self._is_at("dot") or (self.server.fault and self.server.fault.delivers):
            self.server.delivered.append(Delivered(self.sender, tuple(self.recipients), content))
        self.server.got_all.set()
        await self._say("dot", "250 2.0.0 taken")

    def _is_at(self, point: Point | None) -> bool:
        return self.server.fault is not None and self.server.fault.at == point

    async def _say(self, point: Point | None, line: str) -> None:
        if self._is_at(point):
            await self._fail(self.server.fault)
            return
        self.writer.write(f"{line}\r\n".encode())
        await self.writer.drain()

    async def _fail(self, fault: Fault | None) -> None:
        assert fault is not None
        if self.server.strikes is not None:
            self.server.strikes -= 1
            self.server.fault = fault if self.server.strikes else None
        match fault.does:
            case "cut":
                raise _OverError
            case "reset":
                # SO_LINGER with no time: the other side reads "connection reset by peer".
                self.writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self.writer.transport.abort()
                raise _OverError
            case "hang":
                await asyncio.Event().wait()
            case "half":
                self.writer.write(b"250-2.0.0 ta")
                await self.writer.drain()
                raise _OverError
            case "garbage":
                self.writer.write(b"<html>no mail here</html>\r\n")
            case line:
                self.writer.write(f"{line}\r\n".encode())
        await self.writer.drain()
