"""Covering: what a longer list of exclusions covers is erased, with what came of it here.

    mails ─► passages, people, the reasons of verdicts on their threads
      ├─► threads ─► cards and the messages that showed them, lines of briefs, loops, drafts and questions about those
      └─► whatever was said here in their words (memory/sql/unsaying)

What was decided stays, append-only, and holds no word of theirs.
"""

import re
from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from memory.mail_thread import subject_of
from memory.people.mailbox import subject_of as person
from memory.promised import ASKED
from memory.promised import subject_of as promises_of
from memory.search.attached import attached_under
from memory.search.passage import CHATS
from memory.sql.calendar_schema import calendar_items, events
from memory.sql.exit_schema import drafts
from memory.sql.forgetting import GONE, empty_cards_about, empty_loops
from memory.sql.mail_schema import mail_people, mail_thread_ids, mail_threads, mails, verdict_reasons, verdicts
from memory.sql.passages import forget_passage, refs_under
from memory.sql.schema import links, messages, notices, pieces, signal_heads, signal_payloads
from memory.sql.thread import make_findable
from memory.sql.unsaying import BECAUSE, unsay, void_drafts


def erase_mails(connection: Connection, owner_id: int, mail_ids: Collection[int], *, now: datetime) -> None:
    """Erase these mails and what came of them."""
    refs = [ref for mail_id in mail_ids for ref in _refs(connection, owner_id, mail_id)]
    unsay(connection, owner_id, refs, now=now)
    threads = list(connection.execute(select(mails.c.thread_id).distinct().where(mails.c.id.in_(mail_ids))).scalars())
    _published(connection, owner_id, mail_ids)
    for ref in refs:
        forget_passage(connection, owner_id, ref)
    _missed(connection, owner_id, mail_ids, now)
    connection.execute(delete(mail_people).where(mail_people.c.mail_id.in_(mail_ids)))
    connection.execute(delete(mails).where(mails.c.id.in_(mail_ids)))
    asked = void_drafts(connection, drafts.c.answers_id.in_(mail_ids), now)
    # Their threads may have been others when they were judged.
    judged = select(verdicts.c.id).where(verdicts.c.owner_id == owner_id, verdicts.c.mail_id.in_(mail_ids))
    connection.execute(delete(verdict_reasons).where(verdict_reasons.c.verdict_id.in_(judged)))
    for thread_id in threads:
        _what_came_of(connection, owner_id, thread_id, now)
    erase_promises(connection, owner_id, [f"mail:{mail_id}" for mail_id in mail_ids], now)
    empty_cards_about(connection, owner_id, [f"approval:{number}" for number in asked], now=now)
    _threads(connection, threads)


def _refs(connection: Connection, owner_id: int, mail_id: int) -> tuple[str, ...]:
    """A mail, and what came with it."""
    return (f"mail:{mail_id}", *refs_under(connection, owner_id, attached_under(mail_id)))


def erase_events(connection: Connection, owner_id: int, item_id: int, *, now: datetime) -> None:
    """Erase an object of a calendar, its occurrences, and what signals told of it."""
    uids = list(connection.execute(select(events.c.uid).distinct().where(events.c.item_id == item_id)).scalars())
    unsay(connection, owner_id, [f"event:{uid}" for uid in uids], now=now)
    connection.execute(delete(events).where(events.c.item_id == item_id))
    connection.execute(delete(calendar_items).where(calendar_items.c.id == item_id))
    told = (
        select(signal_heads.c.id)
        .join(signal_payloads, signal_payloads.c.signal_id == signal_heads.c.id)
        .where(
            signal_heads.c.owner_id == owner_id,
            signal_heads.c.kind == "calendar_event",
            func.json_extract(signal_payloads.c.payload, "$.uid").in_(uids),
        )
    )
    connection.execute(update(signal_payloads).where(signal_payloads.c.signal_id.in_(told)).values(payload=None))


def _what_came_of(connection: Connection, owner_id: int, thread_id: int, now: datetime) -> None:
    """The judge looks at a thread whole, so that every reason in it may quote what is excluded now."""
    about = subject_of(thread_id)
    judged = select(verdicts.c.id).where(verdicts.c.owner_id == owner_id, verdicts.c.thread_id == thread_id)
    numbers = list(connection.execute(judged).scalars())
    connection.execute(delete(verdict_reasons).where(verdict_reasons.c.verdict_id.in_(numbers)))
    tied = list(
        connection.execute(select(links.c.row).where(links.c.owner_id == owner_id, links.c.subject == about)).scalars()
    )
    _notices(connection, owner_id, _of("notice", tied), [f"mail:{number}" for number in numbers], now)
    empty_loops(connection, _of("loop", tied), because=BECAUSE, now=now)
    subjects = [about, f"mail_less:{thread_id}", *(row for row in tied if row.startswith("loop:"))]
    empty_cards_about(connection, owner_id, subjects, now=now)


def erase_promises(connection: Connection, owner_id: int, refs: Collection[str], now: datetime) -> None:
    """What the owner promised in these mails and messages: the cards that ask about it, and the loops that it became."""
    subjects = _asked_about(connection, owner_id, refs)
    query = select(links.c.row).where(links.c.owner_id == owner_id, links.c.subject.in_(subjects))
    tied = list(connection.execute(query).scalars())
    empty_loops(connection, _of("loop", tied), because=BECAUSE, now=now)
    empty_cards_about(connection, owner_id, [*subjects, *tied], now=now)


def unask(connection: Connection, owner_id: int, refs: Collection[str], now: datetime) -> None:
    """Nobody asks any more what was promised in messages that are gone. What the owner has confirmed is theirs and stays."""
    subjects = _asked_about(connection, owner_id, [ref for ref in refs if ref.partition(":")[0] in CHATS])
    if subjects:
        empty_cards_about(connection, owner_id, subjects, now=now)


def _asked_about(connection: Connection, owner_id: int, refs: Collection[str]) -> list[str]:
    """Those of them that were ever asked about: there are few, and a chat has many messages."""
    if not refs:
        return []
    query = select(links.c.row).where(links.c.owner_id == owner_id, links.c.subject == ASKED)
    asked = set(connection.execute(query).scalars())
    return [subject for ref in refs if (subject := promises_of(ref)) in asked]


def _published(connection: Connection, owner_id: int, mail_ids: Collection[int]) -> None:
    """Of a mail that a hand published the signal holds the words, too (handlers/mail names the one after the other)."""
    named = select(mails.c.message_id).where(
        mails.c.id.in_(mail_ids), mails.c.message_id.like("signal-%@published.invalid")
    )
    found = (_PUBLISHED.fullmatch(name) for name in connection.execute(named).scalars())
    numbers = [int(name[1]) for name in found if name]
    own = select(signal_heads.c.id).where(signal_heads.c.owner_id == owner_id, signal_heads.c.id.in_(numbers))
    connection.execute(update(signal_payloads).where(signal_payloads.c.signal_id.in_(own)).values(payload=None))


_PUBLISHED = re.compile(r"signal-(\d{1,18})@published\.invalid")


def _missed(connection: Connection, owner_id: int, mail_ids: Collection[int], now: datetime) -> None:
    """The line that somebody has gone quiet."""
    authors = select(mail_people.c.address).where(mail_people.c.mail_id.in_(mail_ids), mail_people.c.role == "from")
    about = {person(address) for address in connection.execute(authors).scalars()}
    rows = select(links.c.row).where(links.c.owner_id == owner_id, links.c.subject.in_(about))
    _notices(connection, owner_id, _of("notice", list(connection.execute(rows).scalars())), (), now)


def _notices(
    connection: Connection, owner_id: int, numbers: Collection[int], keys: Collection[str], now: datetime
) -> None:
    own = notices.c.owner_id == owner_id
    untold = own & notices.c.id.in_(numbers) & notices.c.told_in.is_(None)
    connection.execute(update(notices).where(untold).values(told_in="withdrawn", delivered_at=now))
    meant = own & (notices.c.id.in_(numbers) | notices.c.told_in.in_(keys))
    for row in connection.execute(select(notices.c.summary, notices.c.told_in).where(meant)).all():
        _unsay(connection, owner_id, row.summary, row.told_in)
    connection.execute(update(notices).where(meant).values(summary=GONE, because=BECAUSE))


def _unsay(connection: Connection, owner_id: int, line: str, told_in: str | None) -> None:
    """Take a line out of the brief that told it."""
    if told_in is None or line == GONE:
        return
    of_brief = (pieces.c.key == told_in) | pieces.c.key.startswith(f"{told_in}:", autoescape=True)
    told = select(pieces.c.message_id).where(pieces.c.owner_id == owner_id, of_brief)
    for row in connection.execute(select(messages).where(messages.c.id.in_(told))).all():
        text = row.text.replace(line, GONE)
        if text != row.text:
            connection.execute(update(messages).where(messages.c.id == row.id).values(text=text))
            make_findable(connection, row.id, owner_id=owner_id, role=row.role, text=text, at=row.at)


def _threads(connection: Connection, thread_ids: Collection[int]) -> None:
    """A thread without a mail left has no subject and no names of mails either."""
    for thread_id in thread_ids:
        if connection.execute(select(mails.c.id).where(mails.c.thread_id == thread_id).limit(1)).first() is None:
            connection.execute(delete(mail_thread_ids).where(mail_thread_ids.c.thread_id == thread_id))
            connection.execute(delete(mail_threads).where(mail_threads.c.id == thread_id))


def _of(kind: str, rows: Collection[str]) -> list[int]:
    return [int(row.removeprefix(f"{kind}:")) for row in rows if row.startswith(f"{kind}:")]
