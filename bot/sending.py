"""What an account can send by: the only place that knows every way out. Only the exit is given any."""

from collections.abc import Awaitable, Callable

from bot.accounts import access, google_session
from memory.account import Account
from memory.clock import Clock
from memory.envelope import UNSUBSCRIBE, Envelope
from memory.ledger import Ledger
from tools.google.acts import MailActs as GoogleActs
from tools.google.calendar_acts import CalendarActs
from tools.google.calendar_way import GoogleCalendarWay
from tools.google.mail_acts import GoogleMailActs
from tools.google.sender import GmailSender
from tools.google.token import TokenFile
from tools.imap.acts import ImapActs
from tools.imap.lookup import SentLookup
from tools.imap.mail_acts import ImapMailActs
from tools.mail_acts import MailActs
from tools.smtp.submission import Submission
from tools.smtp.transport import SmtpTransport
from tools.transport import Transport
from tools.unsubscribe.transport import OneClick
from tools.vault import Vault

GRANTED = "send"
"""The kind of grant that sending takes."""


def can_send(account: Account) -> bool:
    """Whether the account is set up for sending at all; a grant may still be asked for."""
    return account.kind == "google" or bool(account.settings.get("smtp_host"))


class Ways:
    """Gives the transport of an envelope's identity; None while there is none.

    Where a sign-in was refused there is none until the secret in the vault is another one: asking again could lock the
    account. What is remembered of that ends with the process, so each start asks once.
    """

    def __init__(
        self, ledger: Ledger, vault: Vault, clock: Clock, *, google_url: str | None, owner_id: int = 1
    ) -> None:
        self._ledger = ledger
        self._vault = vault
        self._clock = clock
        self._google_url = google_url
        self._owner_id = owner_id
        self._refused: dict[str, tuple[int, ...]] = {}

    async def __call__(self, envelope: Envelope) -> Transport | None:
        """See tools.exit.leaving.Ways."""
        name = envelope.identity.account
        account = await self._ledger.read(lambda t: t.accounts.named(self._owner_id, name))
        if account is None or envelope.identity.address not in account.addresses:
            return None
        if envelope.channel == UNSUBSCRIBE:
            return OneClick()
        if self._refused.get(name) == self._stamp(name):
            return None
        if account.kind == "google":
            if envelope.act is not None and envelope.act.calendar:
                return _google_calendar(account, self._vault, self._clock, self._google_url)
            return _gmail(account, self._vault, self._clock, self._google_url)
        return smtp(account, self._vault) if can_send(account) else None

    def refused(self, envelope: Envelope) -> None:
        """See tools.exit.leaving.Ways."""
        name = envelope.identity.account
        self._refused[name] = self._stamp(name)

    def _stamp(self, name: str) -> tuple[int, ...]:
        """When what the account signs in with for sending was last written."""
        paths = (self._vault.path(name), self._vault.path(f"{name}.send.json"))
        return tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in paths)


def smtp(account: Account, vault: Vault) -> SmtpTransport:
    """The way out by the account's submission server. Raises BadInput for settings that can't be used."""
    given = account.settings
    tls = given.get("smtp_tls", "starttls")
    submission = Submission(
        host=given["smtp_host"],
        port=int(given.get("smtp_port") or (465 if tls == "tls" else 587)),
        tls=tls,  # type: ignore[arg-type]  # Submission looks at it
        user=given.get("smtp_user") or given.get("user") or account.identity,
    )
    return SmtpTransport(submission, lambda: vault.get(account.name), is_filed=_is_filed(account, vault))


def _is_filed(account: Account, vault: Vault) -> Callable[[str], Awaitable[bool]] | None:
    """A look into Sent, where the server files what it sends by itself; a copy of our own would prove nothing."""
    if account.settings.get("files_sent") != "yes" or not account.settings.get("host"):
        return None

    async def is_filed(message_id: str) -> bool:
        lookup = SentLookup(access(account, vault), files_sent=True)
        try:
            return await lookup.find_sent(message_id.strip("<>")) or False
        finally:
            await lookup.close()

    return is_filed


def _gmail(account: Account, vault: Vault, clock: Clock, google_url: str | None) -> GmailSender | None:
    if not TokenFile(vault, account.name, "send").exists():
        return None
    return GmailSender(google_session(account, vault, clock, "send", google_url), clock)


def _google_calendar(account: Account, vault: Vault, clock: Clock, google_url: str | None) -> GoogleCalendarWay | None:
    if not TokenFile(vault, account.name, "send").exists():
        return None
    return GoogleCalendarWay(CalendarActs(google_session(account, vault, clock, "send", google_url)))


def hands(vault: Vault, clock: Clock, *, google_url: str | None) -> Callable[[Account], MailActs | None]:
    """What gives the hands for small acts on an account's mail; None for one that may only be read, or holds no mail."""

    def of(account: Account) -> MailActs | None:
        if account.kind == "google" and TokenFile(vault, account.name, "send").exists():
            return GoogleMailActs(GoogleActs(google_session(account, vault, clock, "send", google_url)))
        return ImapMailActs(ImapActs(access(account, vault))) if account.kind == "imap" else None

    return of
