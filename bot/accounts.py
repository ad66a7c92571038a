"""What an account's row means: which sources it opens. The only place that knows every kind of them."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

from jobs.sources import Opened
from memory.account import Account
from memory.clock import Clock
from memory.errors import BadInput
from tools.caldav.source import CalDavCalendar
from tools.google.calendar import GoogleCalendar
from tools.google.gmail import GmailMail
from tools.google.grant import Grant
from tools.google.session import Endpoints, Session
from tools.google.token import GrantKind, TokenFile
from tools.google.wire import Wire
from tools.ics.source import IcsCalendar
from tools.imap.access import Access
from tools.imap.source import ImapMail
from tools.vault import Vault

TIMEOUT_FOR = timedelta(seconds=30)


def opener(vault: Vault, clock: Clock, *, google_url: str | None) -> Callable[[Account], Opened]:
    """What opens an account. Raises StillbellError for one whose settings or secret can't be used."""

    def opened(account: Account) -> Opened:
        match account.kind:
            case "imap":
                return Opened(mail=imap(account, vault, clock))
            case "google":
                return _google(account, vault, clock, google_url)
            case "caldav":
                return Opened(calendar=caldav(account, vault))
            case "ics":
                return Opened(calendar=ics(account, vault))
            case "file":
                return Opened()

    return opened


def imap(account: Account, vault: Vault, clock: Clock) -> ImapMail:
    """The mail of an IMAP account."""
    only = [name for name in account.settings.get("folders", "").split("\n") if name]
    return ImapMail(access(account, vault), identity=account.identity, only=only, clock=clock)


def access(account: Account, vault: Vault) -> Access:
    """Where an IMAP account's mailbox is. Raises BadInput for settings that name no such place."""
    given = account.settings
    tls = given.get("tls", "tls")
    if tls not in ("tls", "starttls", "none"):
        raise BadInput(f"the account {account.name} asks for the encryption {tls!r}: tls, starttls or none")
    return Access(
        host=_given(account, "host"),
        port=int(given.get("port") or (993 if tls == "tls" else 143)),
        user=given.get("user") or account.identity,
        secret=lambda: vault.get(account.name),
        tls=tls,  # type: ignore[arg-type]  # looked at above
        timeout=TIMEOUT_FOR,
    )


def caldav(account: Account, vault: Vault) -> CalDavCalendar:
    """The calendars of a CalDAV account."""
    return CalDavCalendar(
        _given(account, "url"),
        user=account.settings.get("user") or account.identity,
        secret=lambda: vault.get(account.name),
    )


def ics(account: Account, vault: Vault) -> IcsCalendar:
    """A calendar by file or address. An address may hold a secret, so it lies in the vault."""
    path = account.settings.get("path")
    return IcsCalendar(Path(path) if path else vault.get(account.name))


def google_session(account: Account, vault: Vault, clock: Clock, kind: GrantKind, google_url: str | None) -> Session:
    """Google's services under one of the account's grants."""
    grant = Grant(TokenFile(vault, account.name, kind), clock)
    return Session(Wire(grant, clock), kind, endpoints=endpoints(google_url))


def endpoints(google_url: str | None) -> Endpoints:
    """Where Google's services are: at Google, or behind another address that speaks for them."""
    if google_url is None:
        return Endpoints()
    base = google_url.rstrip("/")
    return Endpoints(gmail=f"{base}/gw/gmail.googleapis.com/", calendar=f"{base}/gw/www.googleapis.com/calendar/v3/")


def _google(account: Account, vault: Vault, clock: Clock, google_url: str | None) -> Opened:
    # A session each: they are read side by side, and one that is closed must not close the other.
    mail, calendar = (google_session(account, vault, clock, "read", google_url) for _ in range(2))
    return Opened(mail=GmailMail(mail), calendar=GoogleCalendar(calendar))


def _given(account: Account, name: str) -> str:
    settings: Mapping[str, str] = account.settings
    if not settings.get(name):
        raise BadInput(f"the account {account.name} has no {name}: remove it and add it again")
    return settings[name]
