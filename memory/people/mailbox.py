"""Mailbox: the one spelling of an address, and what it says about who is behind it: a person, a role, a robot."""

import re
from unicodedata import normalize

from memory.canonical import digest
from memory.when.words import word_set

NAME_MAX = 200
"""So many characters of a name are looked at."""

FREEMAIL = word_set(
    "aol.com arcor.de bluewin.ch comcast.net fastmail.com freenet.de gmail.com gmx.at gmx.ch gmx.de gmx.net "
    "googlemail.com hotmail.com hotmail.de icloud.com live.com live.de mac.com mail.de mail.ru mailbox.org me.com "
    "msn.com outlook.com outlook.de posteo.de proton.me protonmail.com qq.com t-online.de verizon.net web.de "
    "yahoo.com yahoo.co.uk yahoo.de yandex.ru ymail.com zoho.com"
)
"""Domains where anybody may have any name."""

_GMAIL = frozenset({"gmail.com", "googlemail.com"})
_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ı": "i", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe"}
)
_ROBOT = re.compile(
    r"(?:.*[._+-])?(?:no|do[._-]?not|nicht)[._-]?(?:reply|respond|answer|address|antworten)(?:[._+-].*)?"
    r"|(?:mailer-daemon|bounces?|postmaster|daemon|root|cron|automailer|auto-?confirm|auto-?reply)(?:[._+-].*)?"
    r"|(?:news|newsletters?|notify|notifications?|notices?|alerts?|updates?|mailers?|mailings?|marketing|offers?|promos?"
    r"|promotions?|deals?|digest|announcements?|angebote|benachrichtigungen?)(?:[._+-].*)?"
    r"|.*[._-](?:notifications?|newsletters?|alerts?|updates?|mailer|bounces?)",
)
_ROLES = word_set(
    "abuse accounting accounts admin all anfrage bestellung bewerbung billing booking buchhaltung buero careers "
    "contact customerservice datenschutz dev einkauf enquiries events everyone feedback finance help helpdesk "
    "hello hi hr info inquiries invoice invoices it jobs kontakt kundenservice legal mail marketing noc office "
    "orders payments personal post praxis presse press privacy rechnung rechnungen reception redaktion "
    "reservations reservierung sales sekretariat security service services shop staff support team termine "
    "tickets verein vertrieb verwaltung webmaster welcome"
)


def mailbox_of(address: str) -> str:
    """The one spelling of all addresses that reach the same mailbox: lower case, no "+tag", Gmail without its dots."""
    local, _, domain = address.strip().casefold().rpartition("@")
    plain = local.partition("+")[0] or local
    if domain in _GMAIL:
        return f"{plain.replace('.', '')}@gmail.com"
    return f"{plain}@{domain.rstrip('.')}"


def subject_of(mailbox: str) -> str:
    """How whoever is behind a mailbox is named where rows refer to them: no name of theirs stands in it."""
    return f"person:{digest(mailbox)[:40]}"


def is_robot(address: str) -> bool:
    """Whether the name before the @ is one under which nobody reads answers: no-reply, newsletter, mailer-daemon."""
    return _ROBOT.fullmatch(address.strip().casefold()[:NAME_MAX].rpartition("@")[0]) is not None


def is_role(address: str) -> bool:
    """Whether it names an office rather than a person: info@, support@, rechnung@."""
    local = address.strip().casefold().rpartition("@")[0].partition("+")[0]
    return local in _ROLES or local.replace(".", "").replace("-", "").replace("_", "") in _ROLES


def domain_of(address: str) -> str:
    """What stands behind the @, lower case; "" when there is none."""
    return address.strip().casefold().rpartition("@")[2].rstrip(".") if "@" in address else ""


def folded_name(name: str) -> tuple[str, ...]:
    """A name as words to compare: lower case, no accents, "Last, First" turned round, additions in brackets dropped."""
    bare = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", name[:NAME_MAX]).strip(" \"'")
    last, comma, first = bare.partition(",")
    turned = f"{first} {last}" if comma and first.strip() and "," not in first else bare
    plain = normalize("NFKD", turned.casefold().translate(_UMLAUTS))
    letters = "".join(char if char.isalpha() else " " for char in plain if not _is_mark(char))
    return tuple(word for word in letters.split() if word not in _TITLES)


_TITLES = word_set("dr prof professor mr mrs ms herr frau dipl ing mba phd med jr sr via")


def _is_mark(char: str) -> bool:
    return "\u0300" <= char <= "\u036f"
