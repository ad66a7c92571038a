"""Incoming: what a source gave, put into the ledger: read, checked against the exclusions, kept, and told as signals.

Everything of a batch is one commit with the source's new cursor, so a crash reads a batch again and never skips one. Only
news become signals of their own; what comes from the past is reviewed all at once, and never pings.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from memory.account import Account
from memory.canonical import digest
from memory.clock import Clock
from memory.event import Event, StoredEvent, to_plain
from memory.ledger import Ledger, Tables
from memory.mail import Mail
from memory.signal import NewSignal
from memory.tables.counters import PASSED_OVER
from memory.zones import Timeline
from tools.attached import NEWS_FOR, PAST_FOR, Carrier, Words, papers_of, words_of
from tools.calendar import CalendarBatch, CalendarItem
from tools.corpora import events as findable
from tools.files.mail import UnreadableMail, read_mail
from tools.ics.reading import occurrences
from tools.mail import Arrived, MailBatch
from tools.oneself import own_addresses

MAIL = "mail"
"""The kind of signal that a new mail is."""

REVIEW = "review"
"""The kind of signal that asks for a look at what came from the past."""

EVENT_CHANGED = "calendar_event"
"""The kind of signal that a changed object of a calendar is."""

CALENDAR = "calendar"
"""The name of a calendar's cursor."""

TOLD_WITHIN_FOR = timedelta(hours=24)
"""Only what begins so near to now can have been told."""

BEFORE_MAX = 50
"""So many occurrences of a changed series are compared: more is not said to anybody anyway."""

NAMING_PEOPLE = (
    "portrait", "company", "which_person", "fact", "fact_which", "recollections", "recollection", "day", "loops", "choose", "letter_to"
)  # fmt: skip
"""The kinds of cards on which anybody may be named, or what they asked for; what they said can be asked anew. Others know
what they quote."""

UNREADABLE = "unreadable mail"
"""The name under which mails are counted that were no mails."""

LOOKS_BACK_FOR, LOOKS_AHEAD_FOR = timedelta(days=60), timedelta(days=200)
"""Occurrences are read this far; they are read anew as time goes on (jobs/unrolling)."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of a batch."""

    new: int = 0
    known: int = 0
    excluded: int = 0
    unreadable: int = 0


class Incoming:
    """Takes batches in."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def mail(self, account: Account, batch: MailBatch) -> Taken:
        """Keep a batch of mail and its cursor."""
        now = self._clock.now()
        read = await asyncio.to_thread(_read_all, batch.arrived, now)
        words = await self._attached(account, batch, read)
        return await self._ledger.write(lambda t: _take_mail(t, account, batch, read, now=now, words=words))

    async def _attached(self, account: Account, batch: MailBatch, read: Sequence[Mail | None]) -> Words:
        """The words of what came with those mails that will be kept."""
        bring = [(one, mail) for one, mail in zip(batch.arrived, read, strict=True) if mail and papers_of(mail)]
        if not bring:
            return {}
        wanted = await self._ledger.read(
            lambda t: [
                Carrier(mail, one.raw)
                for one, mail in bring
                if t.mails.is_wanted(account.owner_id, mail, folder=one.folder, labels=one.labels)
            ]
        )
        return await words_of(wanted, within_for=NEWS_FOR if batch.why == "news" else PAST_FOR)

    async def calendar(self, account: Account, batch: CalendarBatch) -> None:
        """Keep a batch of calendar objects and its cursor."""
        now = self._clock.now()
        owner_id = account.owner_id
        zones, mine = await self._ledger.read(lambda t: (t.owners.get(owner_id).zones, own_addresses(t, owner_id)))

        def read_all() -> list[tuple[CalendarItem, tuple[Event, ...]]]:
            return [
                (item, unrolled(item.ics, calendar=item.calendar, ref=item.ref, owner=zones, mine=mine, now=now))
                for item in batch.items
            ]

        read = await asyncio.to_thread(read_all)
        await self._ledger.write(lambda t: _take_calendar(t, account, batch, read, now))


def erase_covered(t: Tables, owner_id: int, now: datetime) -> int:
    """Erase everything that a longer list of exclusions covers; how many mails, events, other documents and
    recollections there were."""
    mails, events = t.mails.erase_covered(owner_id, now=now), t.calendars.erase_covered(owner_id, now=now)
    remembered = t.recollections.erase_covered(owner_id, now=now)
    # An event and what is found of it are one thing.
    erased = mails + max(events, t.search.erase_covered(owner_id, now=now))
    # First what is known of people: by any one of their identities it is seen that they are excluded.
    known = t.facts.erase_covered(owner_id)
    t.people.erase_covered(owner_id)
    if erased or remembered or known:
        t.thread.forget_cards(owner_id, NAMING_PEOPLE, now=now)
    return erased + remembered


def cursor_name(what: str, account: Account) -> str:
    """The name of an account's cursor."""
    return f"{what}@{account.id}"


def source_of(account: Account) -> str:
    """The source that its signals name."""
    return f"{account.kind}:{account.name}"


def _read_all(arrived: Sequence[Arrived], now: datetime) -> list[Mail | None]:
    return [_read(one.raw, now) for one in arrived]


def _read(raw: bytes, now: datetime) -> Mail | None:
    try:
        return read_mail(raw, now=now)
    except UnreadableMail:
        return None


def _take_mail(
    t: Tables, account: Account, batch: MailBatch, read: Sequence[Mail | None], *, now: datetime, words: Words
) -> Taken:
    is_news = batch.why == "news"
    taken = [
        _take_one(t, account, one, mail, is_news=is_news, now=now, words=words)
        for one, mail in zip(batch.arrived, read, strict=True)
    ]
    for changed in batch.changed:
        t.mails.change(
            account.id,
            changed.uid,
            folder=changed.folder,
            labels=changed.labels,
            is_read=changed.is_read,
            now=now,
        )
    t.mails.gone(account.id, batch.gone, now=now)
    t.cursors.set(cursor_name(MAIL, account), batch.cursor, owner_id=account.owner_id, now=now)
    return Taken(*(taken.count(word) for word in ("new", "known", "excluded", "unreadable")))


def _take_one(
    t: Tables,
    account: Account,
    one: Arrived,
    mail: Mail | None,
    *,
    is_news: bool,
    now: datetime,
    words: Words,
) -> str:
    if mail is None:
        t.counts.add(UNREADABLE, owner_id=account.owner_id, now=now)
        return "unreadable"
    kept = t.mails.keep(
        account.owner_id,
        mail,
        now=now,
        account_id=account.id,
        uid=one.uid,
        folder=one.folder,
        labels=one.labels,
        # Where it lies tells, not whom it names as its author: that anybody can write.
        by_owner=one.is_sent,
        is_read=one.is_read or one.is_sent,
        attached=words.get(mail.fingerprint),
    )
    if isinstance(kept, int):
        if is_news:
            _publish(t, account, kept, mail.fingerprint, now)
        return "new"
    if kept == "known" and (own := _met_again(t, account, one, mail)) and is_news:
        _publish(t, account, own, f"{mail.fingerprint}:own", now)
    return kept


def _met_again(t: Tables, account: Account, one: Arrived, mail: Mail) -> int | None:
    """Its id, if what was taken for somebody else's lies where the owner's sent mail does."""
    return t.mails.met_again(
        account.owner_id,
        mail.fingerprint,
        account_id=account.id,
        uid=one.uid,
        folder=one.folder,
        labels=one.labels,
        by_owner=one.is_sent,
        is_read=one.is_read or one.is_sent,
    )


def _publish(t: Tables, account: Account, mail_id: int, source_id: str, now: datetime) -> None:
    signal = NewSignal(
        source=source_of(account), kind=MAIL, source_id=source_id, owner_id=account.owner_id, payload={"mail": mail_id}
    )
    t.signals.publish(signal, now=now)


def unrolled(
    ics: str, *, calendar: str, ref: str, owner: Timeline, mine: frozenset[str], now: datetime
) -> tuple[Event, ...]:
    """The occurrences of an object that are of interest now."""
    found = occurrences(
        ics,
        calendar=calendar,
        ref=ref,
        owner=owner,
        me=mine,
        from_at=now - LOOKS_BACK_FOR,
        to_at=now + LOOKS_AHEAD_FOR,
    )
    return found.events


def _take_calendar(
    t: Tables,
    account: Account,
    batch: CalendarBatch,
    read: Sequence[tuple[CalendarItem, Sequence[Event]]],
    now: datetime,
) -> None:
    t.calendars.name(account.owner_id, account.id, batch.names)
    # Of a calendar that is read for the first time nothing is news, whenever it came to the account.
    new = {calendar for calendar in batch.whole if not t.calendars.refs(account.id, calendar)}
    changes: dict[str, list[dict[str, Any]]] = {}
    for item, events in read:
        if t.calendars.covers(account.owner_id, account.id, item.calendar, item.ics):
            t.counts.add(PASSED_OVER, owner_id=account.owner_id, now=now)
        before, after = t.calendars.keep(
            account.owner_id,
            account.id,
            calendar=item.calendar,
            ref=item.ref,
            etag=item.etag,
            ics=item.ics,
            events=events,
        )
        found = [one.event for one in after]
        let_find(t, account.owner_id, found, account_id=account.id, calendar=item.calendar, ref=item.ref, now=now)
        if item.calendar not in new and [one.event for one in before] != [one.event for one in after]:
            _note(changes, before, after, now)
    for calendar, refs in _gone(t, account, batch).items():
        _note(changes, t.calendars.drop(account.id, calendar, refs), (), now)
        for ref in refs:
            let_find(t, account.owner_id, (), account_id=account.id, calendar=calendar, ref=ref, now=now)
    t.cursors.set(cursor_name(CALENDAR, account), batch.cursor, owner_id=account.owner_id, now=now)
    if changes:
        _tell_changes(t, account, changes, now)


def let_find(
    t: Tables, owner_id: int, events: Sequence[Event], *, account_id: int, calendar: str, ref: str, now: datetime
) -> None:
    """What an object of a calendar holds can be found from now on, and what it held no more."""
    if findable.is_of_file(calendar) and not events:
        # What a file said of years ago is found as well; it goes with the file (tools/corpora/following).
        return
    under = findable.beginning(account_id, calendar, ref)
    name = findable.name_of(t.calendars.names(owner_id), account_id, calendar)
    documents = findable.documents_of(events, under=under, calendar=name, mine=own_addresses(t, owner_id), now=now)
    t.search.replace(owner_id, under, documents, now=now)


def _gone(t: Tables, account: Account, batch: CalendarBatch) -> dict[str, set[str]]:
    gone: dict[str, set[str]] = {}
    for calendar, ref in batch.gone:
        gone.setdefault(calendar, set()).add(ref)
    for calendar in batch.whole:
        there = {item.ref for item in batch.items if item.calendar == calendar}
        gone.setdefault(calendar, set()).update(t.calendars.refs(account.id, calendar) - there)
    return gone


def _note(
    changes: dict[str, list[dict[str, Any]]], before: Sequence[StoredEvent], after: Sequence[StoredEvent], now: datetime
) -> None:
    """By uid how the occurrences of these hours were: what the handler compares with what is there now."""
    for one in (*before, *after):
        changes.setdefault(one.event.uid, [])
    for one in before:
        if abs(one.event.start_at - now) < TOLD_WITHIN_FOR and len(changes[one.event.uid]) < BEFORE_MAX:
            changes[one.event.uid].append(to_plain(one.event))


def _tell_changes(t: Tables, account: Account, changes: Mapping[str, list[dict[str, Any]]], now: datetime) -> None:
    for uid, before in changes.items():
        signal = NewSignal(
            source=source_of(account),
            kind=EVENT_CHANGED,
            source_id=f"{now.isoformat()}/{digest(uid)[:32]}",
            owner_id=account.owner_id,
            payload={"uid": uid, "before": before},
        )
        t.signals.publish(signal, now=now)
