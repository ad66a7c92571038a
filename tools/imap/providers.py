"""Providers: where well-known ones have their mail, so that an address alone is enough.

The servers are those that each provider's own help pages name, compared with the database that Thunderbird's project keeps
(autoconfig, ispdb). What is not here is given by hand.
"""

from dataclasses import dataclass

from tools.imap.access import Tls


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server of a provider. `user_is_local`: one signs in with what stands before the @, not with the whole address."""

    host: str
    port: int
    tls: Tls
    user_is_local: bool = False

    def user_of(self, address: str) -> str:
        """The name that the owner of `address` signs in with."""
        return address.partition("@")[0] if self.user_is_local else address


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider and the domains of its addresses; a domain that ends in a dot stands for all its countries.

    files_sent: it puts what it sends into the Sent folder by itself, as far as is known; only then does looking there say
    whether something was sent. before: what its owner has to do first, in a sentence; "" when the usual password is enough.
    caldav: where its calendars are.
    """

    name: str
    domains: tuple[str, ...]
    imap: Server
    smtp: Server
    files_sent: bool = False
    before: str = ""
    caldav: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A provider that lets no program in by password. `instead`: what its owner can do."""

    name: str
    domains: tuple[str, ...]
    instead: str


def _tls(host: str, port: int = 993) -> Server:
    return Server(host=host, port=port, tls="tls")


def _submission(host: str) -> Server:
    return Server(host=host, port=465, tls="tls")


_SWITCH_ON = "{name} has to let programs in first: switch on POP3/IMAP in its settings on the web"
_FOR_PROGRAMS = "{name} takes an app password, made in your account's security settings, and not your usual one"

KNOWN: tuple[Provider | Closed, ...] = (
    Provider(
        name="GMX",
        domains=("gmx.de", "gmx.net", "gmx.at", "gmx.ch", "gmx.eu", "gmx.org", "gmx.info", "gmx.biz"),
        imap=_tls("imap.gmx.net"),
        smtp=_submission("mail.gmx.net"),
        before=_SWITCH_ON,
        caldav="https://caldav.gmx.net/",
    ),
    Provider(
        name="GMX",
        domains=("gmx.com", "gmx.us", "gmx.co.uk", "gmx.fr"),
        imap=_tls("imap.gmx.com"),
        smtp=_submission("mail.gmx.com"),
        before=_SWITCH_ON,
    ),
    Provider(
        name="WEB.DE",
        domains=("web.de",),
        imap=Server(host="imap.web.de", port=993, tls="tls", user_is_local=True),
        smtp=Server(host="smtp.web.de", port=465, tls="tls", user_is_local=True),
        before=_SWITCH_ON,
        caldav="https://caldav.web.de/",
    ),
    Provider(
        name="mail.com",
        domains=("mail.com", "email.com"),
        imap=_tls("imap.mail.com"),
        smtp=_submission("smtp.mail.com"),
        before=_SWITCH_ON,
        caldav="https://caldav.mail.com/",
    ),
    Provider(
        name="freenet",
        domains=("freenet.de",),
        imap=_tls("mx.freenet.de"),
        smtp=_submission("mx.freenet.de"),
        before=_SWITCH_ON,
    ),
    Provider(
        name="Telekom",
        domains=("t-online.de", "magenta.de"),
        imap=_tls("secureimap.t-online.de"),
        smtp=_submission("securesmtp.t-online.de"),
        before="Telekom takes the password for e-mail programs, set in its customer centre, and not that of the website",
    ),
    Provider(
        name="mailbox.org",
        domains=("mailbox.org",),
        imap=_tls("imap.mailbox.org"),
        smtp=_submission("smtp.mailbox.org"),
        before="With a second factor mailbox.org takes an application password, made in its settings",
        caldav="https://dav.mailbox.org/caldav/",
    ),
    Provider(
        name="Posteo",
        domains=("posteo.",),
        imap=_tls("posteo.de"),
        smtp=_submission("posteo.de"),
        caldav="https://posteo.de:8443/",
    ),
    Provider(
        name="Fastmail",
        domains=("fastmail.com", "fastmail.fm", "fastmail.net", "fastmail.org", "fastmail.de", "sent.com"),
        imap=_tls("imap.fastmail.com"),
        smtp=_submission("smtp.fastmail.com"),
        before=_FOR_PROGRAMS,
        caldav="https://caldav.fastmail.com/",
    ),
    Provider(
        name="iCloud",
        domains=("icloud.com", "me.com", "mac.com"),
        imap=Server(host="imap.mail.me.com", port=993, tls="tls", user_is_local=True),
        smtp=Server(host="smtp.mail.me.com", port=587, tls="starttls"),
        before="iCloud takes an app-specific password, made at account.apple.com, and not your usual one",
        caldav="https://caldav.icloud.com/",
    ),
    Provider(
        name="Yahoo",
        domains=("yahoo.", "ymail.com", "myyahoo.com", "rocketmail.com"),
        imap=_tls("imap.mail.yahoo.com"),
        smtp=_submission("smtp.mail.yahoo.com"),
        before=_FOR_PROGRAMS,
    ),
    Provider(
        name="AOL",
        domains=("aol.",),
        imap=_tls("imap.aol.com"),
        smtp=_submission("smtp.aol.com"),
        before=_FOR_PROGRAMS,
    ),
    Provider(
        name="Gmail",
        domains=("gmail.com", "googlemail.com"),
        imap=_tls("imap.gmail.com"),
        smtp=_submission("smtp.gmail.com"),
        files_sent=True,
        before="Gmail takes an app password (myaccount.google.com/apppasswords), and not your usual one; the calendar comes "
        "along with  stillbell auth google NAME  instead",
    ),
    Closed(
        name="Outlook",
        domains=("outlook.", "hotmail.", "live.", "msn.com", "office365.com"),
        instead="Microsoft lets no program in by password any more, neither its app passwords nor yours, and Stillbell has no "
        "other way to Outlook yet. Let it forward to an account that Stillbell can read, or import an export: "
        "stillbell import PATH",
    ),
    Closed(
        name="Proton",
        domains=("proton.me", "protonmail.com", "protonmail.ch", "pm.me"),
        instead="Proton Mail is only read through its own Bridge on this machine, which has not been tried here. With it "
        "running, and its certificate among those that this machine trusts, name it by hand: --imap 127.0.0.1:1143 "
        "--smtp 127.0.0.1:1025 --starttls, and the password that the Bridge shows",
    ),
    Closed(
        name="Tuta",
        domains=("tuta.", "tutanota.", "tutamail.com", "keemail.me"),
        instead="Tuta lets no other program read its mail. An export can be imported: stillbell import PATH",
    ),
)


def provider_of(address: str) -> Provider | Closed | None:
    """Who has the mail of this address; None when that is not known here."""
    domain = address.rpartition("@")[2].strip().lower()
    return next((one for one in KNOWN if any(_is_of(domain, known) for known in one.domains)), None)


def first_step(provider: Provider) -> str:
    """What its owner has to do before a program is let in; "" for nothing."""
    return provider.before.format(name=provider.name)


def _is_of(domain: str, known: str) -> bool:
    return domain.startswith(known) if known.endswith(".") else domain == known
