"""One connection to a submission server, step by step, and what each step's failure means.

A server must not deliver what it never saw the end of (RFC 5321, 4.1.1.4), nor what it answered with 4xx or 5xx
(4.2.5). So all before the final dot is certain, and after it every answer is: only silence is not.
"""

import asyncio
import re
import ssl
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import aiosmtplib

from memory.errors import BadInput, StillbellError
from memory.legible import legible
from tools.smtp.submission import Submission
from tools.transport import MaybeHanded, NotHanded, Outgoing, Trouble

OUR_NAME = "[127.0.0.1]"
"""What we call ourselves: the machine's own name is nobody's business, and its look-up can take long."""

_METHODS = ("plain", "login", "cram-md5")
_CHUNK_BYTES = 1 << 16
_SAID_MAX = 200
_DOT = re.compile(rb"(?m)^\.")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the server said; `words` legible and without our secret."""

    code: int
    words: str

    @property
    def is_yes(self) -> bool:
        return 200 <= self.code < 300

    @property
    def is_no(self) -> bool:
        return 400 <= self.code < 600

    @property
    def trouble(self) -> Trouble:
        if 500 <= self.code < 600:
            return "refused"
        return "busy" if self.is_no else "unreachable"

    def __str__(self) -> str:
        return f"{self.code} {self.words}".strip()


class Line:
    """A connection, from `open` to `goodbye`. `close` always ends it, and may be called twice."""

    def __init__(self, submission: Submission, *, answer_for: timedelta, trust: ssl.SSLContext | None) -> None:
        self._submission = submission
        self._answer_for = answer_for
        self._secret = ""
        self._writer: asyncio.StreamWriter | None = None
        self._smtp = aiosmtplib.SMTP(
            hostname=submission.host,
            port=submission.port,
            local_hostname=OUR_NAME,
            timeout=answer_for.total_seconds(),
            use_tls=submission.tls == "tls",
            start_tls=submission.tls == "starttls",
            tls_context=trust,
        )

    def hide(self, secret: Callable[[], str]) -> None:
        """What must be blotted out of all that the server says: one that heard it before may spell it in its greeting."""
        # Whether it can be had at all is for the sign-in to say.
        with suppress(StillbellError):
            self._secret = secret()

    async def open(self) -> None:
        """Connect, make the line safe as declared, and greet. Raises NotHanded."""
        with self._certain():
            await self._smtp.connect()
            # What the server can do is to be asked anew once the line is safe (RFC 3207, 4.2).
            await self._smtp.ehlo()
            is_safe = self._smtp.get_transport_info("sslcontext") is not None
        if self._submission.tls != "none" and not is_safe:
            raise NotHanded(f"the line to {self._submission.host} is not encrypted", trouble="unsafe")

    async def sign_in(self, secret: Callable[[], str]) -> None:
        """One attempt by one method, for servers that lock an account count refusals. Raises NotHanded."""
        host = self._submission.host
        method = next((name for name in _METHODS if name in self._smtp.server_auth_methods), None)
        if method is None:
            raise NotHanded(f"{host} offers no way to sign in with a password", trouble="sign-in")
        try:
            self._secret = secret()
        except StillbellError as error:
            raise NotHanded(f"the password for {host} can't be had: {error}", trouble="sign-in") from error
        attempts = {"plain": self._smtp.auth_plain, "login": self._smtp.auth_login, "cram-md5": self._smtp.auth_crammd5}
        with self._certain():
            await attempts[method](self._submission.user, self._secret)

    async def address(self, outgoing: Outgoing) -> None:
        """MAIL and RCPT. One recipient refused means that nobody gets it. Raises NotHanded."""
        options = self._options(outgoing)
        with self._certain():
            if not (answer := await self._command(f"MAIL FROM:<{outgoing.sender}>", *options)).is_yes:
                raise self._refusal(f"mail from {outgoing.sender}", answer)
            refused: dict[str, _Answer] = {}
            for recipient in outgoing.recipients:
                if not (answer := await self._command(f"RCPT TO:<{recipient}>")).is_yes:
                    refused[recipient] = answer
            if refused:
                await self._command("RSET")
        if refused:
            raise self._recipients_refused(refused)

    async def deliver(self, content: bytes, *, verdict_for: timedelta) -> str:
        """DATA, the mail, the dot; returns what the server says to it. Raises NotHanded or MaybeHanded.

        `content` ends in CRLF and has no other line ends (tools/smtp/transport.check).
        """
        with self._certain():
            if (answer := await self._command("DATA")).code != 354:
                raise self._refusal("the mail", answer)
        verdict = asyncio.create_task(self._response(), name="smtp verdict")
        try:
            with self._certain():
                is_whole = await self._pour(_DOT.sub(b"..", content), verdict)
            return self._judged(await self._heard(verdict, verdict_for), is_whole=is_whole)
        finally:
            verdict.cancel()
            # Whatever became of it was either judged above or no longer matters.
            await asyncio.gather(verdict, return_exceptions=True)

    def goodbye(self) -> None:
        """Take leave without waiting for a word: what was answered to the mail is to be on record at once."""
        with suppress(aiosmtplib.SMTPException, OSError):
            self._write(b"QUIT\r\n")

    def close(self) -> None:
        """Let go of the socket at once."""
        self._smtp.close()

    def describe(self) -> str:
        """How this line is kept safe, and how much fits through it, in a few words."""
        how = {"tls": "TLS", "starttls": "STARTTLS", "none": "no encryption"}[self._submission.tls]
        most_bytes = self._most_bytes()
        return f"{how}, mails up to {most_bytes >> 20} MB" if most_bytes else how

    # The steps of one mail

    def _options(self, outgoing: Outgoing) -> list[str]:
        """What MAIL has to announce, as far as the server knows such words. Raises NotHanded when it must and doesn't."""
        size, most_bytes = len(outgoing.content), self._most_bytes()
        if most_bytes and size > most_bytes:
            raise self._never(f"takes mails of at most {most_bytes / 1e6:.1f} MB, and this one has {size / 1e6:.1f}")
        options = [f"SIZE={size}"] if self._smtp.supports_extension("size") else []
        if not outgoing.content.isascii():
            if not self._smtp.supports_extension("8bitmime"):
                raise self._never("takes plain ASCII only")
            options.append("BODY=8BITMIME")
        head = outgoing.content.partition(b"\r\n\r\n")[0]
        if not head.isascii() or not all(each.isascii() for each in (outgoing.sender, *outgoing.recipients)):
            if not self._smtp.supports_extension("smtputf8"):
                raise self._never("does not take addresses with letters outside ASCII")
            options.append("SMTPUTF8")
        return options

    async def _command(self, words: str, *options: str) -> _Answer:
        # As it stands: the library's own methods would take the address apart and put it together again.
        answer = await self._smtp.execute_command(" ".join([words, *options]).encode())
        return self._heard_as(answer)

    async def _response(self) -> _Answer:
        if self._smtp.protocol is None:
            raise aiosmtplib.SMTPServerDisconnected("Connection lost")
        return self._heard_as(await self._smtp.protocol.read_response())

    async def _pour(self, content: bytes, verdict: asyncio.Task[_Answer]) -> bool:
        """Write the mail and then its end; returns whether the end was written. Raises when the line broke before it."""
        for start in range(0, len(content), _CHUNK_BYTES):
            self._write(content[start : start + _CHUNK_BYTES])
            async with asyncio.timeout(self._answer_for.total_seconds()):
                await self._drained()
            if verdict.done():
                await verdict
                return False
        self._write(b".\r\n")
        return True

    def _write(self, content: bytes) -> None:
        if self._smtp.protocol is None:
            raise aiosmtplib.SMTPServerDisconnected("Connection lost")
        self._smtp.protocol.write(content)

    async def _drained(self) -> None:
        """Wait until there is room for more, and let the line tell that it broke."""
        await asyncio.sleep(0)
        protocol, transport = self._smtp.protocol, self._smtp.transport
        if protocol is None or not isinstance(transport, asyncio.WriteTransport):
            raise aiosmtplib.SMTPServerDisconnected("Connection lost")
        # Kept, for a writer that is dropped closes its transport.
        self._writer = self._writer or asyncio.StreamWriter(transport, protocol, None, asyncio.get_running_loop())
        await self._writer.drain()

    async def _heard(self, verdict: asyncio.Task[_Answer], verdict_for: timedelta) -> _Answer:
        host = self._submission.host
        try:
            async with asyncio.timeout(verdict_for.total_seconds()):
                return await verdict
        except TimeoutError as error:
            raise MaybeHanded(f"{host} got the whole mail and gave no answer") from error
        except (aiosmtplib.SMTPException, OSError) as error:
            raise MaybeHanded(f"the line to {host} broke after the whole mail had gone") from error

    def _judged(self, answer: _Answer, *, is_whole: bool) -> str:
        if answer.is_no:
            raise self._refusal("the mail", answer)
        if not answer.is_yes or not is_whole:
            raise MaybeHanded(f"{self._submission.host} gave an answer to the mail that means nothing: {answer}")
        return str(answer)

    # What went wrong, in our words

    @contextmanager
    def _certain(self) -> Iterator[None]:
        """Whatever breaks in here, nothing was sent."""
        host = self._submission.host
        try:
            yield
        # A server may spell the password in its refusal, so the error that holds its words does not go on.
        except aiosmtplib.SMTPAuthenticationError as error:
            raise self._sign_in_refused(error.code) from None
        except aiosmtplib.SMTPResponseException as error:
            raise self._refusal("the connection", self._heard_as(error), for_good=False) from None
        except (aiosmtplib.SMTPException, OSError) as error:
            fault = _tls_fault(error)
            if fault is not None:
                raise NotHanded(f"the line to {host} can't be made safe: {fault}", trouble="unsafe") from error
            raise NotHanded(f"{host} can't be reached, or broke off: {_words(error)}", trouble="unreachable") from error
        except UnicodeError as error:
            raise BadInput(f"{host} is no name of a server") from error

    def _refusal(self, what: str, answer: _Answer, *, for_good: bool = True) -> NotHanded:
        is_refused = answer.trouble == "refused"
        verb = "refuses" if is_refused else "won't take"
        told = f"{self._submission.host} {verb} {what}: {answer}"
        return NotHanded(told, trouble=answer.trouble, for_good=for_good and is_refused)

    def _recipients_refused(self, refused: Mapping[str, _Answer]) -> NotHanded:
        told = "; ".join(f"{recipient} ({answer})" for recipient, answer in list(refused.items())[:5])
        for_good = any(answer.trouble == "refused" for answer in refused.values())
        return NotHanded(
            f"{self._submission.host} refuses recipients, so nobody gets it: {told}",
            trouble="recipients",
            for_good=for_good,
            refused=tuple(refused),
        )

    def _sign_in_refused(self, code: int) -> NotHanded:
        host, user = self._submission.host, self._submission.user
        if 400 <= code < 500:
            return NotHanded(f"{host} can't check the sign-in now ({code})", trouble="busy")
        return NotHanded(f"{host} refuses the sign-in of {user} ({code}): renew its password", trouble="sign-in")

    def _never(self, why: str) -> NotHanded:
        return NotHanded(f"{self._submission.host} {why}", trouble="refused", for_good=True)

    def _heard_as(self, answer: aiosmtplib.SMTPResponse | aiosmtplib.SMTPResponseException) -> _Answer:
        words = " ".join(legible(answer.message).split())
        for spelling in _spellings(self._secret, self._submission.user):
            words = words.replace(spelling, "[secret]")
        return _Answer(answer.code, words[:_SAID_MAX])

    def _most_bytes(self) -> int:
        size = self._smtp.esmtp_extensions.get("size", "")
        return int(size) if size.isascii() and size.isdigit() and len(size) < 16 else 0


def _spellings(secret: str, user: str) -> tuple[str, ...]:
    """The password as it may come back: as it is, and as it went."""
    if not secret:
        return ()
    sent = (f"\0{user}\0{secret}", secret)
    return (secret, *(b64encode(each.encode()).decode() for each in sent))


def _tls_fault(error: BaseException | None) -> str | None:
    """What the TLS of this machine says, if that is what lies behind `error`."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return getattr(error, "verify_message", "") or error.reason or "the handshake failed"
        error = error.__cause__
    return None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    cause = error.__cause__
    return (cause.strerror if isinstance(cause, OSError) else None) or " ".join(legible(str(error)).split())[:_SAID_MAX]
