"""Reading what the owner wrote for promises: a mail that has just left, messages of chats, and what came with the past."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory.clock import Clock
from memory.errors import NotFound
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.piece import Piece
from memory.promise import Promise
from memory.promised import LAPSES_AFTER_FOR, subject_of
from memory.promisewords import say
from memory.quiet import next_at
from memory.utterance import Utterance, of_mail
from tools import promise_seen, promised, uttered
from tools.chat import Post
from tools.files.zones import zones
from tools.oneself import own_addresses

PAGE = 200
"""So many mails of the past are looked at at once."""

FRESH_FOR = timedelta(days=1)
"""A message so new is asked about at once; an older one comes with a past that is brought in."""

CARDS_MAX = 3
"""So many cards come of messages that are read in one go; the rest stands in the day."""

CHATS_BECAUSE = "promises in chats"


class Promising:
    """Finds what the owner promised, and what they kept. Both may be asked again at any time: everything is read once."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._reading = asyncio.Lock()

    async def of_mail(self, mail_id: int) -> None:
        """A mail is there: if the owner wrote it, ask about what it promises and see what it keeps."""
        try:
            kept = await self._ledger.read(lambda t: t.mails.get(mail_id))
        except NotFound:
            return
        if kept.by_owner:
            await self._take_mail(kept, asks_at_once=True)

    async def of_messages(self, owner_id: int, refs: Collection[str]) -> int:
        """Messages of the owner's are there, new or edited: the same; how many new promises there are.

        Those of today are asked about at once, CARDS_MAX at most. The others are asked about in the day, of which one line
        of the next brief tells.
        """
        async with self._reading:
            said = await self._ledger.read(lambda t: uttered.messages(t, owner_id, refs))
            # All that is promised before anything is looked for that keeps it: one file keeps one of several.
            found = [(one, await self._take(one, asks_at_once=False)) for one in said]
            promising = [one for one, count in found if count]
            for one in said:
                await self._look(promise_seen.notice, one)
            for one in promising:
                await self._look(promise_seen.notice_since, one)
            now, home = self._clock.now(), self._post.home()
            self._post.post(*await self._ledger.write(lambda t: _show(t, owner_id, promising, home, now)))
            return sum(count for _, count in found)

    async def _look(self, notice: Callable[..., list[Piece]], said: Utterance) -> None:
        now, home = self._clock.now(), self._post.home()
        self._post.post(*await self._ledger.write(lambda t: notice(t, said, channel=home, now=now)))

    async def look_back(self, owner_id: int) -> int:
        """Read what mail of the last two weeks was not read, and end what has lapsed; how many new promises there are.

        They are asked about in the day, and counted in a line of the next brief: the past makes no cards.
        """
        now = self._clock.now()
        await self._ledger.write(lambda t: promised.lapse(t, owner_id, now))
        new = 0
        async for kept in self._unread(owner_id, now):
            new += await self._take_mail(kept, asks_at_once=False)
        if new:
            await self._ledger.write(lambda t: _tell(t, owner_id, new, now))
        return new

    async def _unread(self, owner_id: int, now: datetime) -> AsyncIterator[KeptMail]:
        """The owner's own mails of the last two weeks that were not read, oldest first."""
        after = (now - LAPSES_AFTER_FOR, 0)
        while page := await self._ledger.read(
            lambda t, after=after: t.mails.page(owner_id, after=after, limit=PAGE)  # type: ignore[misc]
        ):
            for kept in page:
                if kept.by_owner:
                    yield kept
            after = (page[-1].at, page[-1].id)

    async def _take_mail(self, kept: KeptMail, *, asks_at_once: bool) -> int:
        mine = await self._ledger.read(lambda t: own_addresses(t, kept.owner_id))
        own = await asyncio.to_thread(_in_own_words, kept)
        said = await self._ledger.read(lambda t: uttered.known(t, of_mail(own, mine)))
        return await self._take(said, asks_at_once=asks_at_once)

    async def _take(self, said: Utterance, *, asks_at_once: bool) -> int:
        """Read one utterance, unless that was done; how many promises are in it."""
        owner, was_read = await self._ledger.read(lambda t: (t.owners.get(said.owner_id), promised.was_read(t, said)))
        if was_read:
            return 0
        found = await asyncio.to_thread(uttered.read, said, owner)
        now, home = self._clock.now(), self._post.home()
        pieces = await self._ledger.write(lambda t: _record(t, said, found, home, asks_at_once=asks_at_once, now=now))
        self._post.post(*pieces)
        return len(found)


def _in_own_words(kept: KeptMail) -> KeptMail:
    """The mail with what it says itself, apart from quotes and signature."""
    return kept if kept.said is not None else replace(kept, said=zones(kept.mail.text, subject=kept.mail.subject).said)


def _record(
    t: Tables, said: Utterance, found: Sequence[Promise], home: str, *, asks_at_once: bool, now: datetime
) -> list[Piece]:
    """What a mail keeps comes first: it keeps no promise of its own. Messages are looked at together for what they keep."""
    if promised.was_read(t, said):
        return []
    if said.is_message:
        # Of the many messages that promise nothing no row is made: the batch has one (handlers/said).
        was_asked = t.cards.open_about(said.owner_id, subject_of(said.ref)) is not None
        return promised.propose(t, said, found, channel=None, now=now) if found or was_asked else []
    told = promise_seen.notice(t, said, channel=home, now=now)
    asked = promised.propose(t, said, found, channel=home if asks_at_once else None, now=now)
    return [*told, *asked, *promise_seen.notice_since(t, said, channel=home, now=now)]


def _show(t: Tables, owner_id: int, said: Sequence[Utterance], home: str, now: datetime) -> list[Piece]:
    """Of what is still asked about: cards for the newest that are fresh, a line in the brief for the rest."""
    asked = [one for one in said if t.cards.open_about(owner_id, subject_of(one.ref)) is not None]
    fresh = [one for one in asked if now - one.at <= FRESH_FOR][-CARDS_MAX:]
    shown = [promised.show(t, owner_id, subject_of(one.ref), channel=home, now=now) for one in fresh]
    if len(fresh) < len(asked):
        _tell_of_chats(t, owner_id, now)
    return [piece for piece in shown if piece is not None]


def _tell(t: Tables, owner_id: int, count: int, now: datetime) -> None:
    """A line in the next brief."""
    owner = t.owners.get(owner_id)
    summary = say(owner.language, "found_one" if count == 1 else "found", count=count)
    _hold(t, owner, summary, "promises in mail of the past", now)


def _tell_of_chats(t: Tables, owner_id: int, now: datetime) -> None:
    """The same, once until it is told: an import comes in many batches."""
    owner = t.owners.get(owner_id)
    untold = [*t.notices.held(owner_id, now), *t.notices.due(owner_id, now)]
    if not any(one.because == CHATS_BECAUSE for one in untold):
        _hold(t, owner, say(owner.language, "in_chats"), CHATS_BECAUSE, now)


def _hold(t: Tables, owner: Owner, summary: str, because: str, now: datetime) -> None:
    t.notices.hold(
        owner_id=owner.id,
        source="mail" if because != CHATS_BECAUSE else "chats",
        summary=summary,
        urgency="hold",
        because=because,
        deliver_after_at=next_at(owner, owner.brief_at, now),
        now=now,
    )
