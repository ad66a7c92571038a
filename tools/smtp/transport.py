"""The way out by SMTP: one mail to one submission server, to all of its recipients or to none, handed over once.

connect ─ safe line ─ sign in ─ MAIL ─ RCPT … ─ DATA ─ the mail ┊ the final dot ─ answer
└──────────── whatever goes wrong here: NotHanded ──────────────┘└── lost: MaybeHanded
"""

import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from memory import dispatch
from memory.errors import BadInput, StillbellError
from tools.smtp.line import Line
from tools.smtp.submission import Submission
from tools.transport import Handed, Outgoing

ANSWER_FOR = timedelta(seconds=30)
VERDICT_FOR = timedelta(minutes=5)
"""How long the answer to the final dot may take: servers look through a mail before they answer. RFC 5321, 4.5.3.2,
asks for ten minutes; the owner is waiting, and after this long it counts as lost, not as refused."""

_ADDRESS = re.compile(r"[^\s<>\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,320}")
_BARE_LINE_END = re.compile(rb"\r(?!\n)|(?<!\r)\n")


class SmtpTransport:
    """Hands mail over to one submission server. `secret` is asked for at each sign-in and kept nowhere.

    `is_filed` tells whether a Message-ID lies in the account's sent mail; given only where the server files what it
    sends by itself, for a copy that we put there ourselves would prove nothing. `trust` replaces the system's
    authorities, for a server of the owner's own.
    """

    name: dispatch.Transport = "smtp"

    def __init__(
        self,
        submission: Submission,
        secret: Callable[[], str],
        *,
        is_filed: Callable[[str], Awaitable[bool]] | None = None,
        trust: ssl.SSLContext | None = None,
        answer_for: timedelta = ANSWER_FOR,
        verdict_for: timedelta = VERDICT_FOR,
    ) -> None:
        self._submission = submission
        self._secret = secret
        self._is_filed = is_filed
        self._trust = trust
        self._answer_for = answer_for
        self._verdict_for = verdict_for

    async def prepare(self, outgoing: Outgoing) -> str:
        """Nothing has to exist beforehand: the Message-ID, which is ours, is what one looks for afterwards."""
        check(outgoing)
        return outgoing.key

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """One conversation with the server. Raises NotHanded, MaybeHanded, or BadInput for what can't travel."""
        check(outgoing)
        async with self._signed_in() as line:
            await line.address(outgoing)
            said = await line.deliver(outgoing.content, verdict_for=self._verdict_for)
        return Handed(receipt=handle, said=said)

    async def look(self, outgoing: Outgoing, handle: str) -> dispatch.Witness:
        """Look for it in the sent mail. Its absence proves nothing, and memory/dispatch knows that."""
        if self._is_filed is None:
            return dispatch.Witness(files_sent=False)
        try:
            found = await self._is_filed(handle)
        except StillbellError:
            return dispatch.Witness()
        return dispatch.Witness(sent="yes" if found else "no", witness=handle if found else "")

    async def check(self) -> str:
        """Sign in and leave again; returns in a few words how the line is kept safe and what fits. Raises NotHanded."""
        async with self._signed_in() as line:
            return line.describe()

    @asynccontextmanager
    async def _signed_in(self) -> AsyncIterator[Line]:
        line = Line(self._submission, answer_for=self._answer_for, trust=self._trust)
        try:
            if self._submission.user:
                line.hide(self._secret)
            await line.open()
            if self._submission.user:
                await line.sign_in(self._secret)
            yield line
            line.goodbye()
        finally:
            line.close()


def check(outgoing: Outgoing) -> None:
    """Raise BadInput for what would not arrive as it is: no recipient, an odd address, a line end that is no CRLF."""
    for address in (outgoing.sender, *outgoing.recipients):
        if _ADDRESS.fullmatch(address) is None:
            raise BadInput("one of the addresses holds a character that no address can have")
    if not outgoing.recipients:
        raise BadInput("the mail goes to nobody")
    # A server that reads a bare line feed as the end of a line could be made to see a second mail behind this one.
    if not outgoing.content.endswith(b"\r\n") or _BARE_LINE_END.search(outgoing.content):
        raise BadInput("the mail holds a line end that mail does not know")
