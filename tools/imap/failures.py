"""Failures: what the network, imaplib and imap-tools raise, said in the words of tools/source.

[LIMIT] [INUSE] [UNAVAILABLE] [OVERQUOTA], "too many connections"    SlowDown
[AUTHENTICATIONFAILED] [EXPIRED] …, or a plain no at the sign-in      SignInRefused
no network, a bad certificate, a cut line, nonsense                   SourceDown
"""

import imaplib
import re
import ssl
from collections.abc import Sequence
from datetime import timedelta

from imap_tools.errors import ImapToolsError, UnexpectedCommandStatusError

from memory.errors import NotFound, StillbellError
from tools.imap.access import Access
from tools.source import SignInRefused, SlowDown, SourceDown

FOREIGN = (OSError, imaplib.IMAP4.error, ImapToolsError)
"""Everything that is the other side's doing. What else is raised is a bug of ours and let through."""

SAID_CHARS = 160

PATIENCE = {
    "INUSE": timedelta(minutes=1),
    "UNAVAILABLE": timedelta(minutes=2),
    "LIMIT": timedelta(minutes=5),
    "OVERQUOTA": timedelta(hours=1),  # Gmail's word for too much in one day
}
"""How long to leave a server alone after its response code (RFC 5530), which names no time itself."""

CROWDED = re.compile(r"too many|simultaneous|rate.?limit|throttl|try again later|temporar", re.IGNORECASE)
CROWDED_FOR = timedelta(minutes=5)

REFUSING = frozenset({"AUTHENTICATIONFAILED", "AUTHORIZATIONFAILED", "EXPIRED", "PRIVACYREQUIRED"})

_CODE = re.compile(r"\[([A-Z-]+)[ \]]")

APP_PASSWORDS = {
    (
        "gmail.com",
        "googlemail.com",
    ): "Gmail takes an app password (myaccount.google.com/apppasswords), or `stillbell auth google`",
    (
        "outlook.com",
        "office365.com",
        "live.com",
        "hotmail.com",
    ): "Outlook takes an app password, where it takes one at all",
    (
        "yahoo.com",
        "aol.com",
        "icloud.com",
        "me.com",
    ): "this provider takes an app password, made in its account settings",
}


class FolderRefused(NotFound):
    """One folder can't be opened or read; the others can."""


def failure_of(
    error: BaseException, access: Access, *, signing_in: bool = False, secrets: Sequence[str] = ()
) -> StillbellError:
    """One of FOREIGN in the words of tools/source. `secrets` never stand in them."""
    said = said_by(error, secrets)
    if (patience := _patience(said)) is not None:
        return SlowDown(f"{access.place} asks for patience: {said}", patience)
    if is_refusal(error, said, signing_in=signing_in):
        return SignInRefused(f"{access.place} refuses the sign-in ({said}); {how_to_renew(access)}")
    match error:
        case ssl.SSLCertVerificationError():
            why = f"its certificate isn't believed: {error.verify_message}"
        case ssl.SSLError():
            why = f"no encryption came about ({error.reason}); check the port, and whether it is tls or starttls"
        case TimeoutError():
            why = "no answer in time"
        case OSError():
            why = f"no connection ({error.strerror or type(error).__name__}); check the network, the host and the port"
        case _:
            why = said
    return SourceDown(f"{access.place} can't be read just now: {why}")


def is_refusal(error: BaseException, said: str, *, signing_in: bool) -> bool:
    """Whether the server says no to who we are. Without a code only a plain NO to the sign-in says so."""
    if isinstance(error, OSError):
        return False
    if (code := _CODE.search(said)) is not None:
        if code[1] in REFUSING:
            return True
        if code[1] == "SERVERBUG":
            return False
    return signing_in and not isinstance(error, imaplib.IMAP4.abort) and "command error: BAD" not in said


def how_to_renew(access: Access) -> str:
    """What the owner does about a refused sign-in."""
    renew = "look at user and password; a new one for a connected account: `stillbell accounts renew NAME`"
    domain = access.user.rpartition("@")[2].lower()
    for domains, hint in APP_PASSWORDS.items():
        if any(_is_under(name, known) for name in (access.host.lower(), domain) for known in domains):
            return f"{renew}. {hint}"
    return renew


def gives_away(error: BaseException, secrets: Sequence[str]) -> bool:
    """Whether a server echoed the password, so that its answer may not be chained."""
    return any(secret in f"{error} {error!r}" for secret in secrets if secret)


def said_by(error: BaseException, secrets: Sequence[str] = ()) -> str:
    """What the server said, in a printable line."""
    given: object = error.args[0] if error.args else ""
    if isinstance(error, UnexpectedCommandStatusError):
        data = error.command_result[1]
        given = data[-1] if data else error.command_result[0]
    text = given.decode("ascii", "replace") if isinstance(given, bytes) else str(given)
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    printable = "".join(char if char in "…" or (char.isascii() and char.isprintable()) else " " for char in text)
    return " ".join(printable.split())[:SAID_CHARS] or type(error).__name__


def is_no(error: BaseException) -> bool:
    """The server said no to this one thing: the line is still of use, and nobody is asked for patience or a password."""
    if not isinstance(error, UnexpectedCommandStatusError) or error.command_result[0] != "NO":
        return False
    said = said_by(error)
    return _patience(said) is None and not is_refusal(error, said, signing_in=False)


def _patience(said: str) -> timedelta | None:
    if (code := _CODE.search(said)) is not None:
        if code[1] in PATIENCE:
            return PATIENCE[code[1]]
        if code[1] in REFUSING:
            return None
    return CROWDED_FOR if CROWDED.search(said) else None


def _is_under(name: str, domain: str) -> bool:
    return name == domain or name.endswith(f".{domain}")
