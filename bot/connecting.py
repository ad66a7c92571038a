"""Connecting: what the owner names (an address, a server, a calendar) becomes an account, and is tried before it is kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from bot.accounts import google_session, opener
from bot.sending import can_send, smtp
from memory.account import Account, AccountKind, check_name
from memory.clock import Clock
from memory.errors import BadInput, OutOfReach
from memory.recipient import parsed
from tools.google.own import further_addresses, own_address
from tools.imap.access import Tls
from tools.imap.providers import Closed, Provider, first_step, provider_of
from tools.mail import Checked
from tools.smtp.submission import is_loopback
from tools.transport import NotHanded
from tools.vault import Vault
from tools.webline import read_address

IMAP_PORTS: Mapping[Tls, int] = {"tls": 993, "starttls": 143, "none": 143}
SMTP_PORTS: Mapping[Tls, int] = {"tls": 465, "starttls": 587, "none": 25}

STARTTLS_PORTS = (25, 143, 587)
"""The usual ports on which a line begins readably and is made safe before anything is said."""

_SERVER = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?))(?::(?P<port>\d{1,5}))?"
)
Needs = Literal["password", "address", "nothing"]

_WEB = ("http://", "https://", "webcal://", "webcals://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was typed. `tls` None takes what belongs to the port; `sends` False connects no way out."""

    name: str
    address: str = ""
    imap: str = ""
    smtp: str = ""
    user: str = ""
    tls: Tls | None = None
    caldav: str = ""
    ics: str = ""
    days: int | None = None
    aliases: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    sender_name: str = ""
    sends: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The account that is to be: everything but its secret.

    needs: which secret it takes: a *password*, an *address* (of a calendar, which may be a secret itself), or *nothing*.
    first_step: what the owner has to do at the provider before it works; "" for nothing. caldav: where the same provider
    has calendars; "" when that is not known.
    """

    name: str
    kind: AccountKind
    identity: str = ""
    aliases: tuple[str, ...] = ()
    settings: Mapping[str, str]
    needs: Needs = "password"
    first_step: str = ""
    caldav: str = ""

    def account(self, now: datetime) -> Account:
        """It as an account that no row stands for yet."""
        return Account(
            id=0,
            owner_id=0,
            name=self.name,
            kind=self.kind,
            identity=self.identity,
            aliases=self.aliases,
            settings=self.settings,
            added_at=now,
        )


def planned(wish: Wish) -> Plan:
    """What is to be connected. Raises BadInput for what can't be, with what to type instead."""
    check_name(wish.name)
    if sum(map(bool, (wish.caldav, wish.ics, wish.imap or wish.smtp))) > 1:
        raise BadInput("--imap, --caldav and --ics are accounts of their own: add them one by one, each with its name")
    if wish.ics:
        return _calendar_file(wish)
    if wish.caldav:
        return _caldav(wish)
    return _mail(wish)


def needs_of(account: Account) -> Needs:
    """Which secret the account takes."""
    if not account.is_kept_up:
        return "nothing"
    if account.kind != "ics":
        return "password"
    return "nothing" if account.settings.get("path") else "address"


def _calendar_file(wish: Wish) -> Plan:
    if wish.ics == "-":
        return Plan(name=wish.name, kind="ics", settings={}, needs="address")
    if wish.ics.lower().startswith(_WEB):
        read_address(wish.ics)
        return Plan(name=wish.name, kind="ics", settings={}, needs="address")
    path = Path(wish.ics).expanduser().absolute()
    if not path.is_file():
        raise BadInput(f"{path} is no file, and no address either: one begins with https:// or webcal://")
    return Plan(name=wish.name, kind="ics", settings={"path": str(path)}, needs="nothing")


def _caldav(wish: Wish) -> Plan:
    read_address(wish.caldav)
    user = wish.user or wish.address
    if not user:
        raise BadInput("who signs in there? Give it with --user, or the address before the options")
    identity = _address(wish.address or user) if "@" in (wish.address or user) else ""
    settings = {"url": wish.caldav, "user": user}
    return Plan(name=wish.name, kind="caldav", identity=identity, aliases=_addresses(wish.aliases), settings=settings)


def _mail(wish: Wish) -> Plan:
    if not wish.address:
        raise BadInput(f"whose mail? Give the address: stillbell accounts add {wish.name} you@example.org")
    address = _address(wish.address)
    provider = provider_of(address)
    if isinstance(provider, Closed) and not wish.imap:
        raise BadInput(provider.instead)
    known = provider if isinstance(provider, Provider) else None
    settings = _imap(wish, address, known) | (_smtp(wish, address, known) if wish.sends else {})
    more = {
        "since_days": str(wish.days) if wish.days is not None else "",
        "folders": "\n".join(wish.folders),
        "sender_name": wish.sender_name,
    }
    return Plan(
        name=wish.name,
        kind="imap",
        identity=address,
        aliases=_addresses(wish.aliases),
        settings=settings | {key: value for key, value in more.items() if value},
        first_step=first_step(known) if known and not wish.imap else "",
        caldav=known.caldav if known else "",
    )


def _imap(wish: Wish, address: str, known: Provider | None) -> dict[str, str]:
    if wish.imap:
        host, port, tls = _server(wish.imap, wish.tls, usual=IMAP_PORTS)
        return {"host": host, "port": str(port), "tls": tls, "user": wish.user or address}
    if known is None:
        domain = address.partition("@")[2]
        raise BadInput(
            f"Stillbell doesn't know where {domain} has its mail. Name the servers, which your provider's help pages know:\n"
            f"  stillbell accounts add {wish.name} {address} --imap imap.{domain} --smtp smtp.{domain}"
        )
    server = known.imap
    user = wish.user or server.user_of(address)
    return {"host": server.host, "port": str(server.port), "tls": server.tls, "user": user}


def _smtp(wish: Wish, address: str, known: Provider | None) -> dict[str, str]:
    if wish.smtp:
        host, port, tls = _server(wish.smtp, wish.tls, usual=SMTP_PORTS)
        return {"smtp_host": host, "smtp_port": str(port), "smtp_tls": tls, "smtp_user": wish.user or address}
    if wish.imap or known is None:
        return {}
    server = known.smtp
    return {
        "smtp_host": server.host,
        "smtp_port": str(server.port),
        "smtp_tls": server.tls,
        "smtp_user": wish.user or server.user_of(address),
        "files_sent": "yes" if known.files_sent else "no",
    }


def _server(text: str, tls: Tls | None, *, usual: Mapping[Tls, int]) -> tuple[str, int, Tls]:
    """HOST or HOST:PORT, with what keeps the line safe: as told, else as the port says, else TLS."""
    found = _SERVER.fullmatch(text.strip())
    if found is None or int(found["port"] or 1) not in range(1, 65536):
        raise BadInput(f"{text!r} is no server: give HOST or HOST:PORT, such as imap.example.org:993")
    host, given = (found["six"] or found["host"]).lower(), int(found["port"]) if found["port"] else None
    chosen: Tls = tls or ("starttls" if given in STARTTLS_PORTS else "tls")
    if chosen == "none" and not is_loopback(host):
        raise BadInput(
            f"--plain-on-loopback is for servers on this machine; {host} is not: leave it out, or use --starttls"
        )
    return host, given or usual[chosen], chosen


def _address(text: str) -> str:
    return parsed(text.strip()).lower()


def _addresses(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_address(text) for text in texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What trying it found. `sends`: how mail is handed in, in a few words; "" where nothing can be sent."""

    mail: Checked | None = None
    calendar: Checked | None = None
    sends: str = ""
    notes: tuple[str, ...] = field(default=())


class CannotSend(OutOfReach):
    """Its mail can be read, and it lets nothing be handed in."""


async def tried(account: Account, vault: Vault, clock: Clock, *, google_url: str | None) -> Tried:
    """Sign in everywhere and look around; changes nothing. Raises SourceDown, SlowDown, SignInRefused, CannotSend."""
    opened = opener(vault, clock, google_url=google_url)(account)
    try:
        mail = await opened.mail.check() if opened.mail else None
        calendar = await opened.calendar.check() if opened.calendar else None
    finally:
        for source in (opened.mail, opened.calendar):
            if source is not None:
                await source.close()
    sends = await _sends(account, vault) if account.kind == "imap" and can_send(account) else ""
    notes = (*(mail.notes if mail else ()), *(calendar.notes if calendar else ()))
    return Tried(mail=mail, calendar=calendar, sends=sends, notes=notes)


async def _sends(account: Account, vault: Vault) -> str:
    try:
        return await smtp(account, vault).check()
    except NotHanded as error:
        raise CannotSend(
            f"its mail can be read, and nothing can be handed in: {error}\n"
            "Name another server with --smtp, or connect it for reading alone with --read-only"
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """Who signed in at Google. `tried`: what can be read there; None when the permission is the one to send."""

    account: Account
    tried: Tried | None

    @property
    def identity(self) -> str:
        """The address of the mailbox."""
        return self.account.identity

    @property
    def aliases(self) -> tuple[str, ...]:
        """Further addresses that are the owner's there."""
        return self.account.aliases


async def signed_in(name: str, vault: Vault, clock: Clock, *, google_url: str | None, sends: bool) -> Signed:
    """Who the permission in `vault` is of. Raises SourceDown, SlowDown, SignInRefused."""
    account = Plan(name=name, kind="google", settings={}).account(clock.now())
    session = google_session(account, vault, clock, "send" if sends else "read", google_url)
    try:
        account = replace(account, identity=await own_address(session), aliases=await further_addresses(session))
    finally:
        await session.close()
    found = None if sends else await tried(account, vault, clock, google_url=google_url)
    return Signed(account=account, tried=found)
