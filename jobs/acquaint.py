"""Acquaint: keeps people in step with what they stand in, in the background: who is new, who is one person with whom.

    mails, documents, records ─► identities ─► joins and splits ─► what stands below their mails ─► joins again
                                        ─► names in notes ─► a document of each, for the search

What is left to do stands in the tables alone, so that it goes on after any stop where it was. What changed while it was looked
at is left to do, too: it is read again in the commit that takes it off the list. No model has a part in it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import structlog

from memory.clock import Clock
from memory.exclusion import UnreadableExclusions
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.people.document import document_of
from memory.people.mentioned import Mention, Unread, told_in
from memory.people.naming import Candidate, Circle
from memory.people.person import Identity, Person, subject_of_person
from memory.people.signed import Signed, now_signed, signed
from memory.search.document import Document
from tools.files.zones import zones

log = structlog.get_logger()

AT_ONCE = 50
"""Mails in one commit: the owner's own message waits behind at most one, some tens of milliseconds."""

SIGNED_AT_ONCE = 10
NOTES_AT_ONCE = 50
CALLED_AT_ONCE = 500
WRITTEN_AT_ONCE = 20
MAILS_READ = 10
"""So many of the mails that came last from an address are read for what stands below them."""

REST_S = 2.0
"""After a commit so long is waited before it is looked whether somebody is new: mails come in shoals."""

AGAIN_S = 60.0
"""So long is waited while the exclusions can't be read."""


def _nothing(t: Tables, owner_id: int, person: Person) -> Sequence[str]:
    return ()


class Acquaint:
    """Run it for as long as the process lives; `wake` it after a commit.

    knows: what else is known of somebody, as lines by which search finds them.
    """

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        *,
        knows: Callable[[Tables, int, Person], Sequence[str]] = _nothing,
        owner_id: int = 1,
    ) -> None:
        self._knows = knows
        self._ledger = ledger
        self._clock = clock
        self._owner_id = owner_id
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """There may be somebody new. For Ledger.on_commit: on the event loop."""
        self._woken.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self._woken.clear()
            try:
                if done := await self.all():
                    log.info("acquainted", action="people.acquainted", looked_at=done)
            except UnreadableExclusions as error:
                log.warning(str(error), action="people.waiting")
                await asyncio.sleep(AGAIN_S)
                continue
            await self._woken.wait()
            await asyncio.sleep(REST_S)

    async def all(self) -> int:
        """Everything that is due now; how much there was."""
        looked_at = 0
        while done := await self._taken() or await self._signed() or await self._named() or await self._written():
            looked_at += done
        return looked_at

    async def _taken(self) -> int:
        """Who is new; then, when nobody is left, who is one person with whom."""
        if not await self._ledger.read(lambda t: t.people.is_due(self._owner_id)):
            return 0
        return await self._ledger.write(lambda t: t.people.take(self._owner_id, limit=AT_ONCE, now=self._clock.now()))

    async def _signed(self) -> int:
        """What stands below the mails of those who wrote."""
        read = await self._ledger.read(self._unsigned)
        if not read:
            return 0
        told = await asyncio.to_thread(lambda: [(one, mails, _signed(one, mails)) for one, mails in read])
        await self._ledger.write(lambda t: self._sign(t, told))
        return len(told)

    async def _named(self) -> int:
        """Whom notes and meetings name; all of them, since gathering who may be meant takes longer than some notes do."""
        if not (unread := await self._ledger.read(self._unread)):
            return 0
        met, mine = await self._ledger.read(lambda t: t.people.met(self._owner_id))
        circle, looked_at = await asyncio.to_thread(Circle, await self._candidates(met)), 0
        while unread:
            told = await asyncio.to_thread(_told, unread, circle, mine, self._clock.now())
            await self._ledger.write(lambda t, told=told: self._tell(t, told))  # type: ignore[misc]
            looked_at += len(told)
            unread = await self._ledger.read(self._unread)
        return looked_at

    async def _candidates(self, met: Sequence[int]) -> Sequence[Candidate]:
        """What they are called, a few of them in one read: its rows are gone through on the event loop."""
        known: list[Candidate] = []
        for start in range(0, len(met), CALLED_AT_ONCE):
            some = met[start : start + CALLED_AT_ONCE]
            known += await self._ledger.read(lambda t, some=some: t.people.candidates(some))  # type: ignore[misc]
        return known

    def _unread(self, t: Tables) -> Sequence[Unread]:
        return t.people.unread(self._owner_id, limit=NOTES_AT_ONCE)

    def _tell(self, t: Tables, told: Sequence[tuple[Unread, Sequence[Mention]]]) -> None:
        now = {one.passage_id: one for one in self._unread(t)}
        for read, mentions in told:
            if now.get(read.passage_id) == read:
                t.people.tell(self._owner_id, read.passage_id, mentions)

    async def _written(self) -> int:
        """How search finds people. In one commit: a fact that is told between reading and writing would not be found."""
        if not await self._ledger.read(lambda t: t.people.unwritten(self._owner_id, limit=1)):
            return 0
        return await self._ledger.write(lambda t: self._write(t, self._unwritten(t), self._clock.now()))

    def _unwritten(self, t: Tables) -> dict[int, Document | None]:
        return {
            one.id: None
            if one.person is None
            else document_of(
                one.person,
                names=one.names,
                contacts=one.contacts,
                lines=self._knows(t, self._owner_id, one.person),
            )
            for one in t.people.unwritten(self._owner_id, limit=WRITTEN_AT_ONCE)
        }

    def _write(self, t: Tables, documents: Mapping[int, Document | None], now: datetime) -> int:
        t.search.put(self._owner_id, [one for one in documents.values() if one is not None], now=now)
        t.search.drop(
            self._owner_id, [subject_of_person(number) for number, one in documents.items() if one is None], now=now
        )
        t.people.written(self._owner_id, list(documents))
        return len(documents)

    def _sign(self, t: Tables, told: Sequence[tuple[Identity, list[KeptMail], Signed]]) -> None:
        now = {one.id: mails for one, mails in self._unsigned(t)}
        for one, mails, below in told:
            if now.get(one.id) == mails:
                t.people.sign(self._owner_id, one.id, below)

    def _unsigned(self, t: Tables) -> list[tuple[Identity, list[KeptMail]]]:
        waiting = t.people.unsigned(self._owner_id, limit=SIGNED_AT_ONCE)
        return [(one, t.mails.latest_from(self._owner_id, [one.value], limit=MAILS_READ)) for one in waiting]


def _told(
    unread: Sequence[Unread], known: Circle, mine: Sequence[str], now: datetime
) -> list[tuple[Unread, Sequence[Mention]]]:
    return [(one, told_in(one, known=known, mine=mine, now=now)) for one in unread]


def _signed(one: Identity, mails: Sequence[KeptMail]) -> Signed:
    """From the oldest of these mails to the newest."""
    written = [kept.mail for kept in reversed(mails) if not kept.mail.is_automated]
    return now_signed(
        [
            signed(zones(mail.text, subject=mail.subject).signature, name=mail.sender.name if mail.sender else one.name)
            for mail in written
        ]
    )
