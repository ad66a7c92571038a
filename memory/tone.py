"""Tone: how the owner writes to somebody, shown by a few short mails of their own. Chosen by code, by plain rules."""

from collections.abc import Iterable

from memory.mail import KeptMail
from memory.recipient import among

EXAMPLES_MAX = 4
EXAMPLE_MIN, EXAMPLE_MAX = 20, 700
"""Characters of an example: less shows no manner, and more would crowd out the mail that is answered."""


def choose_examples(sent: Iterable[KeptMail], address: str, *, most: int = EXAMPLES_MAX) -> tuple[str, ...]:
    """What the owner wrote themselves in mails to this person, the best first: to them alone, then the newest.

    Only whole mails count whose own words could be told from what they quote; nothing is cut, so that greeting and
    ending stay. Calendar answers, forwards and automatic mails show no manner.
    """
    fitting = [kept for kept in sent if _shows_tone(kept, address)]
    fitting.sort(key=lambda kept: (len(kept.mail.to) + len(kept.mail.cc) == 1, kept.at, kept.id), reverse=True)
    words = dict.fromkeys((kept.said or "").strip() for kept in fitting)
    return tuple(words)[:most]


def _shows_tone(kept: KeptMail, address: str) -> bool:
    mail = kept.mail
    if not kept.by_owner or kept.said is None or mail.was_cut or mail.is_automated or mail.calendars:
        return False
    is_to_them = among(address, (each.address for each in mail.to))
    is_forward = mail.subject.lower().lstrip().startswith(("fw:", "fwd:", "wg:"))
    return is_to_them and not is_forward and EXAMPLE_MIN <= len(kept.said.strip()) <= EXAMPLE_MAX
