"""Obligations: what is open between the owner and somebody, both ways, read from rows: loops, promises, and what was asked.

A loop is somebody's when its thread or the mail that it was promised in is theirs, or when its own words name them and
could name nobody else.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from memory.detectors.request import request
from memory.ledger import Tables
from memory.loop import Loop
from memory.loop import subject as loop_subject
from memory.mail import Address, KeptMail
from memory.mail_thread import thread_of
from memory.owner import Owner
from memory.people.mailbox import folded_name, mailbox_of
from memory.people.person import Person
from memory.portrait import Obligation, Source
from memory.promised import ref_of
from tools import promised
from tools.judge import oneself

LOOPS_MAX = 200
"""So many open loops are looked through."""

ASKED_WITHIN_FOR = timedelta(days=90)
"""What was asked longer ago and nobody spoke of since is no longer waited for."""

ASKED_LOOKED_AT = 10
"""So many of their newest mails are read for what they ask."""


@dataclass(frozen=True, slots=True)
class Between:
    """The obligations, by who has to do something and how that is known."""

    owed: tuple[Obligation, ...] = ()
    promised: tuple[Obligation, ...] = ()
    asked: tuple[Obligation, ...] = ()
    awaited: tuple[Obligation, ...] = ()


def between(t: Tables, owner: Owner, person: Person, mails: Sequence[KeptMail], now: datetime) -> Between:
    """What is open with this person. mails: the newest between them and the owner, newest first."""
    loops = list(_loops(t, owner, person, mails))
    promises = [_of_loop(loop, owner) for loop, _ in loops if loop.kind == "promise"]
    covered = {thread_id for loop, thread_id in loops if loop.kind == "reply"}
    return Between(
        owed=tuple(_of_loop(loop, owner) for loop, _ in loops if loop.kind in ("reply", "task")),
        promised=(*promises, *_unconfirmed(t, owner, person, mails, now)),
        asked=tuple(_asked(t, owner, mails, covered, now)),
        awaited=tuple(_of_loop(loop, owner) for loop, _ in loops if loop.kind == "waiting"),
    )


def _loops(t: Tables, owner: Owner, person: Person, mails: Sequence[KeptMail]) -> Iterator[tuple[Loop, int | None]]:
    """Their open loops, each with the thread that it is about."""
    theirs = _mails_of(mails)
    threads = {kept.thread_id for kept in mails}
    called = _called(t, owner, person)
    for loop in t.loops.list_open(owner.id, with_snoozed=True)[:LOOPS_MAX]:
        if loop.kind == "approval":
            continue
        subjects = t.links.subjects(owner.id, loop_subject(loop.id))
        about = next((number for one in subjects if (number := thread_of(one)) is not None), None)
        refs = [ref for one in subjects if (ref := ref_of(one)) is not None]
        if about is not None:
            is_theirs = about in threads and _is_of(t, loop, about, person)
        elif subjects:
            is_theirs = any(_was_said_to(t, owner, ref, person, theirs) for ref in refs)
        else:
            is_theirs = any(_names(loop.title, words) for words in called)
        if is_theirs:
            yield loop, about


def _is_of(t: Tables, loop: Loop, thread_id: int, person: Person) -> bool:
    """Of several in a thread it is whoever wrote last, or whom the owner wrote to."""
    newest = next(
        (kept for kept in reversed(t.mails.thread(thread_id)) if kept.by_owner == (loop.kind == "waiting")), None
    )
    if newest is None:
        return False
    asked: Sequence[Address | None] = newest.mail.to if newest.by_owner else (newest.mail.sender,)
    return any(one is not None and mailbox_of(one.address or "") in person.addresses for one in asked)


def _called(t: Tables, owner: Owner, person: Person) -> list[tuple[str, ...]]:
    """The words that name this person and nobody else: their whole name, their first name."""
    name = folded_name(person.name)
    ways = dict.fromkeys((name, name[:1])) if name else {}
    return [words for words in ways if [one.id for one in t.people.named(owner.id, " ".join(words))] == [person.id]]


def _names(title: str, called: tuple[str, ...]) -> bool:
    """Whether a title holds these words of a name, and a first name alone without another last name behind it."""
    words, length = folded_name(title), len(called)
    holds = any(words[at : at + length] == called for at in range(len(words)))
    return holds and (length > 1 or not _has_another_last_name(title, called[0]))


def _has_another_last_name(title: str, first: str) -> bool:
    """Whether a word with a capital follows the first name: "Anna Sommer" is no Anna Winter."""
    written = title.split()
    return any(
        folded_name(one) == (first,) and one[-1].isalnum() and other[:1].isupper() for one, other in pairwise(written)
    )


def _of_loop(loop: Loop, owner: Owner) -> Obligation:
    due_at = owner.zones.wall_to_utc(loop.remind_at_wall) if loop.remind_at_wall else None
    source = Source(ref=loop_subject(loop.id), at=loop.opened_at, quote=loop.title)
    return Obligation(words=loop.title, source=source, since_at=loop.opened_at, due_at=due_at)


def _mails_of(mails: Sequence[KeptMail]) -> frozenset[str]:
    return frozenset(f"mail:{kept.id}" for kept in mails)


def _was_said_to(t: Tables, owner: Owner, ref: str, person: Person, theirs: Collection[str]) -> bool:
    """Whether a mail is one of theirs, or a message of a chat reached them."""
    return ref in theirs if ref.startswith("mail:") else person.id in t.talk.whom(owner.id, ref)


def _unconfirmed(
    t: Tables, owner: Owner, person: Person, mails: Sequence[KeptMail], now: datetime
) -> Iterator[Obligation]:
    """What the owner seems to have promised them and has neither confirmed nor dropped."""
    theirs = _mails_of([kept for kept in mails if kept.by_owner])
    for one in promised.standing(t, owner.id, now):
        if not _was_said_to(t, owner, one.ref, person, theirs):
            continue
        for _, promise in one.items:
            source = Source(ref=one.ref, at=one.written_at, who="you", where=one.corpus, quote=promise.quote)
            yield Obligation(
                words=promise.matter, source=source, since_at=one.written_at, due_at=promise.due_at, is_sure=False
            )


def _asked(
    t: Tables, owner: Owner, mails: Sequence[KeptMail], covered: Collection[int | None], now: datetime
) -> Iterator[Obligation]:
    """What they asked in a mail that the owner has not answered since; a thread that is kept open is named there."""
    me = oneself(t, owner.id)
    seen = set(covered)
    theirs = [kept for kept in mails if not kept.by_owner and now - kept.at <= ASKED_WITHIN_FOR]
    for kept in theirs[:ASKED_LOOKED_AT]:
        if kept.thread_id in seen:
            continue
        seen.add(kept.thread_id)
        thread = t.mails.thread(kept.thread_id)
        if any(one.by_owner and one.at > kept.at for one in thread):
            continue
        found = request(kept, me, is_answer=any(one.by_owner for one in thread))
        if found is not None:
            who = kept.mail.sender.name if kept.mail.sender else ""
            source = Source(ref=f"mail:{kept.id}", at=kept.at, who=who, where="mail", quote=found.quote)
            yield Obligation(words=found.quote, source=source, since_at=kept.at)
