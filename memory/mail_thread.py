"""A mail thread: mails that belong together, by the ids they refer to; by their subject only where there are no ids.

Anybody who knows an id can put a mail into its thread. So a thread is something to be shown and searched; who is written
to, and who is trusted, is never told from it.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.mail import Mail
from memory.people.mailbox import mailbox_of

IDS_MAX = 100
"""So many ids of one mail count: itself, its nearest ancestors, and what the thread began with."""

JOINED_WITHIN_FOR = timedelta(days=14)
"""A reply without ids joins a thread of its subject that had its last mail no longer ago than this."""

_ANSWER = "re|aw|antw|antwort|sv|vs|rif|odp|ynt"
_PASSED_ON = "fwd?|wg|tr|rv|vb|doorst"
_COUNT = r"(?: ?\[\d{1,3}\]| ?\(\d{1,3}\)|\^\d{1,3}|\*\d{1,3})?"
# A tag with a number in it is no list's but a ticket's, and tells one matter from another.
_TAG = r"\[[^\[\]\d:]{1,40}\]"
_PREFIX = re.compile(rf"(?:\[?(?:{_ANSWER}|{_PASSED_ON}){_COUNT}\s{{0,3}}[:：]|{_TAG})\s*", re.IGNORECASE)
_REPLY = re.compile(rf"(?:{_TAG}\s*)?\[?(?:{_ANSWER}|{_PASSED_ON}){_COUNT}\s{{0,3}}[:：]", re.IGNORECASE)
_FORWARD = re.compile(rf"(?:{_TAG}\s*)?\[?(?:{_PASSED_ON}){_COUNT}\s{{0,3}}[:：]", re.IGNORECASE)
_STRIPPED_MOST = 20
_LOOK_CHARS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A thread that a mail without ids may belong to. `people`: the addresses in it, lower case."""

    subject_key: str
    last_at: datetime
    people: frozenset[str]


def subject_of(thread_id: int) -> str:
    """How a thread of mail is named where rows refer to it."""
    return f"mail-thread:{thread_id}"


def thread_of(subject: str) -> int | None:
    """The thread that such a name stands for."""
    name, _, number = subject.partition(":")
    return int(number) if name == "mail-thread" and number.isdigit() else None


def thread_ids(mail: Mail) -> tuple[str, ...]:
    """Its own id and all that it refers to, nearest first, each once; of too many, the nearest and the very first."""
    named = (mail.message_id, mail.in_reply_to, *reversed(mail.references))
    ids = tuple(dict.fromkeys(one for one in named if one))
    return ids if len(ids) <= IDS_MAX else (*ids[: IDS_MAX - 1], ids[-1])


def root_of(mail: Mail) -> str:
    """What the thread began with, as far as this mail tells: the same for every mail that keeps its references."""
    first = mail.references[0] if mail.references else mail.in_reply_to or mail.message_id
    return first or f"fingerprint:{mail.fingerprint}"


def subject_key(subject: str) -> str:
    """The subject without the prefixes of replies and the tags of lists, in lower case; "" when nothing is left."""
    rest = subject[:_LOOK_CHARS].strip()
    for _ in range(_STRIPPED_MOST):
        found = _PREFIX.match(rest)
        if found is None:
            break
        rest = rest[found.end() :]
        # "[Fwd: Lunch]": the bracket closes behind the subject.
        rest = rest.removesuffix("]") if found[0].startswith("[") and not found[0].rstrip().endswith("]") else rest
    return " ".join(rest.split()).casefold()[:200]


def is_reply(subject: str) -> bool:
    """Whether the subject says that this answers or passes on something."""
    return _REPLY.match(subject.lstrip()) is not None


def is_forward(subject: str) -> bool:
    """Whether the subject says that this passes something on: FW, Fwd, WG."""
    return _FORWARD.match(subject.lstrip()) is not None


def joins(mail: Mail, thread: Candidate, *, at: datetime) -> bool:
    """Whether a mail that refers to nothing belongs to `thread`.

    It does when its subject is that of the thread behind the prefix of a reply, it was written (`at`) within two weeks of
    the thread's last mail, and it goes between people of the thread: its sender, and somebody it was sent to.
    """
    if mail.in_reply_to or mail.references or not is_reply(mail.subject):
        return False
    key = subject_key(mail.subject)
    if not key or key != thread.subject_key or abs(at - thread.last_at) > JOINED_WITHIN_FOR:
        return False
    people = {mailbox_of(one) for one in thread.people}
    sender = mailbox_of(mail.sender.address) if mail.sender and mail.sender.address else ""
    others = {mailbox_of(one.address) for one in (*mail.to, *mail.cc, *mail.bcc) if one.address} - {sender}
    return sender in people and not others.isdisjoint(people)
