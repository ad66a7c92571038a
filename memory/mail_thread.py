"""A mail thread: mails that belong together, by the ids they refer to; by their subject only where there are no ids."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.mail import Mail

IDS_MAX = 100
"""So many ids of one mail count: the nearest ancestors, and itself."""

JOINED_WITHIN_FOR = timedelta(days=14)
"""A reply without ids joins a thread of its subject that is no older than this."""

_PREFIX = re.compile(
    r"(?:(?:re|aw|antw|sv|vs|fwd?|wg|tr|rif|r)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s{0,3}[:：]\s*|\[[^\[\]]{1,40}\]\s*)",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\s*(?:\[[^\[\]]{1,40}\]\s*)?(?:re|aw|antw|sv|vs|fwd?|wg|tr|rif|r)(?:\[\d{1,3}\]|\(\d{1,3}\))?\s{0,3}[:：]",
    re.IGNORECASE,
)
_STRIPPED_MOST = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A thread that a mail without ids may belong to. `people`: the addresses in it, lower case."""

    subject_key: str
    last_at: datetime
    people: frozenset[str]


def thread_ids(mail: Mail) -> tuple[str, ...]:
    """Its own id and all that it refers to, nearest first, each once."""
    ids = (mail.message_id, mail.in_reply_to, *reversed(mail.references))
    return tuple(dict.fromkeys(one for one in ids if one))[:IDS_MAX]


def root_of(mail: Mail) -> str:
    """What the thread began with, as far as this mail tells: the same for every mail that keeps its references."""
    first = mail.references[0] if mail.references else mail.in_reply_to or mail.message_id
    return first or f"fingerprint:{mail.fingerprint}"


def subject_key(subject: str) -> str:
    """The subject without the prefixes of replies and the tags of lists, in lower case."""
    rest = subject.strip()
    for _ in range(_STRIPPED_MOST):
        found = _PREFIX.match(rest)
        if found is None:
            break
        rest = rest[found.end() :].lstrip()
    return " ".join(rest.split()).casefold()[:200]


def is_reply(subject: str) -> bool:
    """Whether the subject says that this answers or passes on something."""
    return _REPLY.match(subject) is not None


def joins(mail: Mail, thread: Candidate, *, at: datetime) -> bool:
    """Whether a mail that refers to nothing belongs to `thread`: a reply by its subject, near in time, among the same people."""
    if mail.in_reply_to or mail.references or not is_reply(mail.subject):
        return False
    key = subject_key(mail.subject)
    people = {(one.address or "").lower() for one in (*((mail.sender,) if mail.sender else ()), *mail.to, *mail.cc)} - {
        ""
    }
    near = abs(at - thread.last_at) <= JOINED_WITHIN_FOR
    return bool(key) and key == thread.subject_key and near and len(people & thread.people) >= min(2, len(people))
