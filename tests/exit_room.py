"""A room for the tests of what leaves: the whole product, an account that can send, and what the provider has taken.

    async with open_office(database, clock) as office:
        await office.says("reply to Anna: Friday suits me.")
        await office.taps("Send")
        assert office.sent[0].recipients == ("anna@muster.example",)

What counts is `sent`: the provider's own record, read byte for byte.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import getaddresses
from pathlib import Path
from typing import Any, Literal

from memory.contact import Contact
from memory.envelope import Envelope, Identity, new_message_id
from memory.ledger import Tables
from memory.recipient import Recipient
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import rows
from tests.product_room import Product, open_product
from tests.servers.bot_api import BotApiServer, Json
from tests.servers.google_server import GoogleServer, google_server
from tests.servers.smtp_server import Delivered, FaultySmtpServer, SmtpServer
from tools.exit import asking
from tools.exit.asking import Asked, Refused, Wait, Wish
from tools.files.mail import read_mail
from tools.google.token import TokenFile
from tools.vault import Vault

OLA = "ola@own.example"
ANNA = "anna@muster.example"
BOB = "bob@firm.example"
EVA = "eva@evil.example"
PASSWORD = "the-password-of-work-0123456789"

IDENTITY = Identity("work", "Ola Owner", OLA)
ASKS_ONCE = "SELECT 1 FROM pieces WHERE key LIKE 'dispatch:%:unknown'"

Way = Literal["smtp", "gmail"]


def letter(
    text: str = "Shall we have lunch on Friday?",
    *,
    sender: str = f"Anna Muster <{ANNA}>",
    to: str = f"Ola Owner <{OLA}>",
    subject: str = "Lunch",
    message_id: str = "first@muster.example",
    **headers: str,
) -> bytes:
    """A mail that came in. Headers by name, with _ for -."""
    message = EmailMessage(policy=default)
    message["From"], message["To"], message["Subject"] = sender, to, subject
    message["Date"] = "Mon, 02 Mar 2026 08:00:00 +0000"
    message["Message-ID"] = f"<{message_id}>"
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message.as_bytes()


@dataclass(frozen=True, slots=True)
class Sent:
    """A mail as its provider took it. recipients: of the envelope, blind copies among them. content: without a Bcc field."""

    sender: str
    recipients: tuple[str, ...]
    content: bytes

    @property
    def message(self) -> EmailMessage:
        return message_from_bytes(self.content, policy=default)

    @property
    def words(self) -> str:
        """Its text to the last letter, with line feeds alone."""
        part = self.message.get_body(("plain",))
        return part.get_content().replace("\r\n", "\n") if part else ""

    @property
    def text(self) -> str:
        return self.words.rstrip("\n")


class Outside:
    """A provider of mail, with its own record of what it took."""

    def __init__(self, server: SmtpServer | FaultySmtpServer | GoogleServer) -> None:
        self.server = server

    @property
    def sent(self) -> list[Sent]:
        if isinstance(self.server, GoogleServer):
            return [_of_gmail(raw) for raw in self.server.gmail.sendings]
        return [_of_smtp(one) for one in self.server.delivered]


def _of_smtp(one: Delivered) -> Sent:
    return Sent(one.sender, one.recipients, one.content)


def _of_gmail(raw: bytes) -> Sent:
    message = message_from_bytes(raw, policy=default)
    going = [address for _, address in getaddresses(message.get_all("bcc", []))]
    going += [address for name in ("to", "cc") for _, address in getaddresses(message.get_all(name, []))]
    bare = raw.partition(b"\r\n")[2] if raw.lower().startswith(b"bcc:") else raw
    return Sent(getaddresses([message["from"]])[0][1], tuple(sorted(going)), bare)


async def furnish(
    database: Path,
    outside: Outside,
    clock: FakeClock,
    *,
    mails: Sequence[bytes] = (),
    contacts: Sequence[Contact] = (),
    settings: dict[str, str] | None = None,
    identity: str = OLA,
) -> None:
    """An account *work* of the owner's that sends by `outside`, mails that came in, and the owner's own contacts."""
    vault = Vault(database.parent / "secrets")
    server = outside.server
    if isinstance(server, GoogleServer):
        TokenFile(vault, "work", "send").write(server.grant(clock, "send"))
        how: dict[str, str] = {}
    else:
        how = {"smtp_host": server.host, "smtp_port": str(server.port), "smtp_tls": "none", "smtp_user": identity}
        vault.put("work", PASSWORD)
    kind: Literal["google", "imap"] = "google" if isinstance(server, GoogleServer) else "imap"

    def work(t: Tables) -> None:
        account = t.accounts.add(
            owner_id=1,
            name="work",
            kind=kind,
            identity=identity,
            aliases=(),
            settings={"sender_name": "Ola Owner", **how, **(settings or {})},
            now=NOW,
        )
        # Nobody reads it here: what came in is put into the ledger by hand.
        t.accounts.refused(account.id, "not to be read")
        for number, raw in enumerate(mails):
            kept = t.mails.keep(
                1, read_mail(raw, now=NOW), now=NOW, account_id=account.id, uid=f"INBOX:{number}", folder="INBOX"
            )
            assert isinstance(kept, int), kept
        for number, contact in enumerate(contacts):
            t.contacts.keep(1, contact, key=f"c{number}", now=NOW)

    async with SqlLedger(database) as ledger:
        await ledger.write(work)


@dataclass
class Office:
    """A running Stillbell whose owner has mail to answer."""

    product: Product
    outside: Outside
    clock: FakeClock
    refused: list[str] = field(default_factory=list)

    @property
    def server(self) -> BotApiServer:
        return self.product.server

    @property
    def sent(self) -> list[Sent]:
        """What the provider took."""
        return self.outside.sent

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        return self.product.rows(query, *values)

    @property
    def approvals(self) -> list[str]:
        """The states of the questions, oldest first."""
        return [state for (state,) in self.rows("SELECT state FROM approvals ORDER BY id")]

    @property
    def dispatches(self) -> list[str]:
        """The states of what left or is to leave, oldest first."""
        return [state for (state,) in self.rows("SELECT state FROM dispatches ORDER BY id")]

    @property
    def refusals(self) -> list[str]:
        """Why something of the exit's was refused, oldest first."""
        query = "SELECT because FROM audit WHERE agent = 'exit' AND outcome = 'refused' ORDER BY id"
        return [because for (because,) in self.rows(query)]

    async def says(self, text: str | None = None, **given: Any) -> list[str]:
        """The owner writes, and everything settles; what Stillbell wrote as new messages meanwhile."""
        return await self.after(lambda: self.server.owner_sends(text, **given))

    async def after(self, gesture: Callable[[], Any]) -> list[str]:
        before = {message["message_id"] for message in self.server.bot_messages()}
        gesture()
        await self.settled()
        return [str(m["text"]) for m in self.server.bot_messages() if m["message_id"] not in before]

    async def taps(self, label: str, message_id: int | None = None, **given: Any) -> str:
        """The owner presses the button (under the newest message that has it); the word for the thumb."""
        where = message_id or self.card(label)
        data = self.server.buttons(where).get(label)
        await self.after(lambda: self.server.taps(where, data, label=label, **given))
        answers = self.server.calls("answerCallbackQuery")
        return str(answers[-1].params.get("text", "")) if answers else ""

    def card(self, label: str = "Send") -> int:
        """The newest message with such a button."""
        return self.product.message_with(label)

    def cards(self, label: str = "Send") -> list[int]:
        """Every message that has such a button now."""
        ids = [int(message["message_id"]) for message in self.server.bot_messages()]
        return [each for each in ids if label in self.server.buttons(each)]

    def text(self, message_id: int) -> str:
        return self.product.text_of(message_id)

    def whole_chat(self) -> str:
        """Everything that stands in the chat from Stillbell."""
        return "\n".join(str(message["text"]) for message in self.server.bot_messages())

    async def proposes(
        self, envelope: Envelope, because: str = "the model wants it", **given: Any
    ) -> Asked | Refused | Wait:
        """Something wants this to leave, as a tool of a model would ask it; all settles."""
        wish = Wish(envelope=envelope, because=because, **given)
        now = self.clock.now()
        asked = await self.product.house.ledger.write(lambda t: asking.ask(t, 1, wish, channel="telegram", now=now))
        self.product.house.courier.post(asked.piece if isinstance(asked, Asked) else None)
        await self.settled()
        return asked

    async def time_passes(self, passing_for: timedelta, *, looks: bool = True) -> None:
        """The clock moves, jobs that waited for it run, the timetable looks; all settles."""
        self.clock.advance(passing_for)
        self.product.house.worker._wake.set()
        await self.settled()
        if looks:
            await self.product.house.timetable.look()
            await self.settled()

    async def settled(self, *, within_s: float = 20.0) -> None:
        """Every update is on record, every job that may run has ended, everything said is shown."""
        async with asyncio.timeout(within_s):
            await self.server.wait_until(lambda: len(self.server.updates) == 0, within_s)
            while True:
                self.product.committed.clear()
                if not self._busy():
                    await self.product.house.courier.settled()
                    if not self._busy():
                        return
                else:
                    await self.product.committed.wait()

    def _busy(self) -> bool:
        failed = self.rows("SELECT kind, last_error FROM jobs WHERE last_error IS NOT NULL AND state <> 'cancelled'")
        assert failed == [], "a handler raised"
        waiting = self.rows("SELECT state, run_at FROM jobs WHERE state IN ('pending', 'running')")
        return any(state == "running" or not at or _moment(at) <= self.clock.now() for state, at in waiting)


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=NOW.tzinfo)


@asynccontextmanager
async def open_office(
    database: Path,
    clock: FakeClock,
    *,
    by: Way | Outside = "smtp",
    mails: Sequence[bytes] = (letter(),),
    contacts: Sequence[Contact] = (),
    settings: dict[str, str] | None = None,
    furnished: bool = False,
    **given: Any,
) -> AsyncIterator[Office]:
    """The product with an account that sends, paired, its clock standing still. `furnished`: all that is there already."""
    async with AsyncExitStack() as stack:
        if isinstance(by, Outside):
            outside = by
        elif by == "gmail":
            outside = Outside(stack.enter_context(google_server(OLA)))
        else:
            outside = Outside(await stack.enter_async_context(SmtpServer(user=OLA, password=PASSWORD)))
        if not furnished:
            await furnish(database, outside, clock, mails=mails, contacts=contacts, settings=settings)
        if isinstance(outside.server, GoogleServer):
            given["google_url"] = outside.server.url
        product = await stack.enter_async_context(open_product(database, clock, **given))
        yield Office(product, outside, clock)


def a_mail_to(*addresses: str, body: str = "Friday suits me.", **changes: Any) -> Envelope:
    """A mail of the owner's that nothing stands behind."""
    usual: dict[str, Any] = {
        "channel": "mail",
        "identity": IDENTITY,
        "to": tuple(Recipient("", address) for address in addresses),
        "subject": "Lunch",
        "body": body,
        "message_id": new_message_id(OLA),
    }
    return Envelope(**(usual | changes))


def one_row(database: Path, query: str) -> Any:
    """The one value that `query` finds."""
    return rows(database, query)[0][0]


def buttons_of(message: Json) -> list[str]:
    """The labels under a message."""
    rows_ = message.get("reply_markup", {}).get("inline_keyboard", [])
    return [button["text"] for row in rows_ for button in row]
