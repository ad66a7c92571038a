"""Reading the owner's sent mail for promises: one that has just left, and what came with the past."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime

from memory.clock import Clock
from memory.errors import NotFound
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.piece import Piece
from memory.promise import Promise
from memory.promised import LAPSES_AFTER_FOR
from memory.promisewords import say
from memory.quiet import next_at
from tools import promised
from tools.chat import Post
from tools.files.zones import zones
from tools.incoming import own_addresses

PAGE = 200
"""So many mails of the past are looked at at once."""


class Promising:
    """Finds what the owner promised, and what they kept. Both may be asked again at any time: a mail is read once."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def of_mail(self, mail_id: int) -> None:
        """A mail is there: if the owner wrote it, ask about what it promises and see what it keeps."""
        try:
            kept = await self._ledger.read(lambda t: t.mails.get(mail_id))
        except NotFound:
            return
        if kept.by_owner:
            await self._take(kept, asks_at_once=True)

    async def look_back(self, owner_id: int) -> int:
        """Read what of the last two weeks was not read, and end what has lapsed; how many new promises there are.

        They are asked about in the day, and counted in a line of the next brief: the past makes no cards.
        """
        now = self._clock.now()
        await self._ledger.write(lambda t: promised.lapse(t, owner_id, now))
        new = 0
        async for kept in self._unread(owner_id, now):
            new += await self._take(kept, asks_at_once=False)
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

    async def _take(self, kept: KeptMail, *, asks_at_once: bool) -> int:
        """Read one mail, unless that was done; how many promises are asked about."""
        owner, mine, was_read = await self._ledger.read(
            lambda t: (
                t.owners.get(kept.owner_id),
                own_addresses(t, kept.owner_id),
                promised.was_read(t, kept),
            )
        )
        if was_read:
            return 0
        own = await asyncio.to_thread(_in_own_words, kept)
        found = await asyncio.to_thread(promised.read, own, owner, mine)
        now, home = self._clock.now(), self._post.home()
        pieces = await self._ledger.write(lambda t: _record(t, own, found, home, asks_at_once=asks_at_once, now=now))
        self._post.post(*pieces)
        return len(found)


def _in_own_words(kept: KeptMail) -> KeptMail:
    """The mail with what it says itself, apart from quotes and signature."""
    return kept if kept.said is not None else replace(kept, said=zones(kept.mail.text, subject=kept.mail.subject).said)


def _record(
    t: Tables, kept: KeptMail, found: Sequence[Promise], home: str, *, asks_at_once: bool, now: datetime
) -> list[Piece]:
    """What it keeps comes first: it keeps no promise of its own."""
    if promised.was_read(t, kept):
        return []
    told = promised.notice_kept(t, kept, channel=home, now=now)
    return [*told, *promised.propose(t, kept, found, channel=home if asks_at_once else None, now=now)]


def _tell(t: Tables, owner_id: int, count: int, now: datetime) -> None:
    """A line in the next brief."""
    owner = t.owners.get(owner_id)
    t.notices.hold(
        owner_id=owner_id,
        source="mail",
        summary=say(owner.language, "found_one" if count == 1 else "found", count=count),
        urgency="hold",
        because="promises in mail of the past",
        deliver_after_at=next_at(owner, owner.brief_at, now),
        now=now,
    )
