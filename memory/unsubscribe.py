"""Unsubscribing: what a mail's own List-Unsubscribe header offers, and nothing that stands in its body (RFC 2369, RFC 8058).

<https://…> and List-Unsubscribe-Post: List-Unsubscribe=One-Click ─► one POST to that host
<mailto:…>                                                        ─► one mail to that address
a link alone                                                      ─► nothing: links are for people to follow
"""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from memory.mail import Mail
from memory.recipient import readable
from memory.refusal import Refusal
from memory.visible import hides_something, is_one_line

ONE_CLICK = "List-Unsubscribe=One-Click"
"""What is posted, to the letter (RFC 8058 3.1)."""

WORD = "unsubscribe"
"""What a mail says, and its subject where the header names none."""

ADDRESS_MAX = 800
SUBJECT_MAX = 200
OFFERS_MAX = 10

_OFFER = re.compile(r"<\s*([^<>\s]{1,2000})\s*>")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class ByMail:
    """A mail to this address, under this subject."""

    address: str
    subject: str


@dataclass(frozen=True, slots=True)
class ByPost:
    """One POST to this address, whose host the owner is told."""

    url: str
    host: str


def offered(mail: Mail) -> ByMail | ByPost | Refusal:
    """How a mail lets itself be unsubscribed from. One click is taken before a mail, as it asks less of everybody."""
    values = [value for name, value in mail.list_headers if name == "list-unsubscribe"]
    if len(values) != 1:
        return Refusal("this mail offers no way to unsubscribe")
    offers = _OFFER.findall(values[0])[:OFFERS_MAX]
    clicks = [value.strip() for name, value in mail.list_headers if name == "list-unsubscribe-post"]
    posts = (_by_post(offer) for offer in offers) if clicks == [ONE_CLICK] else ()
    found = next((one for one in posts if one), None) or next((one for one in map(_by_mail, offers) if one), None)
    return found or Refusal("this mail only names a link, and links are yours to follow")


def _by_post(offer: str) -> ByPost | None:
    """The address, if it is plain https to a named host; a port, a password or a number for a host is no list's."""
    if len(offer) > ADDRESS_MAX or not offer.isascii() or not offer.isprintable():
        return None
    try:
        parts = urlsplit(offer)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    is_plain = parts.scheme == "https" and port in (None, 443) and "@" not in parts.netloc and not parts.fragment
    return ByPost(offer, host) if is_plain and _HOST.fullmatch(host) else None


def _by_mail(offer: str) -> ByMail | None:
    if not offer.lower().startswith("mailto:"):
        return None
    written, _, query = offer[len("mailto:") :].partition("?")
    address = readable(unquote(written))
    if address is None:
        return None
    wanted = dict(reversed([(name.lower(), value) for name, value in parse_qsl(query)]))
    subject = " ".join(wanted.get("subject", "").split(" "))
    is_fit = subject and is_one_line(subject) and not hides_something(subject) and len(subject) <= SUBJECT_MAX
    return ByMail(address, subject if is_fit else WORD)
