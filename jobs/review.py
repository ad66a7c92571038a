"""The duty *review*: a look over the threads of late, before the brief and whenever mail came from the past.

What was judged stays judged: a review of an unchanged mailbox asks no model and changes nothing. It never pings.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from memory.canonical import digest
from memory.clock import Clock
from memory.detectors.hanging import REPLIES_MAX, spoken
from memory.detectors.quiet_sender import quiet_sender
from memory.evidence import Aspect
from memory.exclusion import UnreadableExclusions
from memory.foreign import foreign
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.people.joining import Joined
from memory.people.mailbox import subject_of
from memory.quiet import next_at
from memory.wording import say
from tools import introducing, mail_card
from tools.files.zones import zones
from tools.judge import Judge, Judged, oneself

log = structlog.get_logger()

LOOKS_BACK_FOR = timedelta(days=50)
"""Threads in which something was written since then: a little longer than what has hung for so long is worth a word."""

JUDGED_BACK_FOR = timedelta(days=14)
"""Of what came from the past this much is judged; older mail is only kept."""

ASKED_BACK_FOR = timedelta(days=3)
"""And of this much a model may be asked."""

SPLIT_AT_ONCE = 100

READ_AGAIN_FOR = timedelta(minutes=5)


class Review:
    """Handles the kind *review*.

    `learns_first`: run before mail of the past is judged by what the owner did with it. `promises`: reads what the owner
    wrote of late for what they promised and kept.
    """

    def __init__(
        self,
        ledger: Ledger,
        judge: Judge,
        clock: Clock,
        *,
        learns_first: Callable[[Job], Awaitable[None]] | None = None,
        promises: Callable[[int], Awaitable[int]] | None = None,
    ) -> None:
        self._ledger = ledger
        self._promises = promises
        self._learns_first = learns_first
        self._judge = judge
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Judge every thread of late whose evidence is new, and what hangs or is waited for.

        Raises Later while the exclusions can't be read.
        """
        try:
            await self._review(job)
        except UnreadableExclusions as error:
            raise Later(self._clock.now() + READ_AGAIN_FOR) from error

    async def _review(self, job: Job) -> None:
        if self._learns_first is not None and job.signal is not None and job.signal.payload.get("why") == "backfill":
            await self._learns_first(job)
        now = self._clock.now()
        threads = await self._ledger.read(lambda t: t.mails.threads_since(job.owner_id, now - LOOKS_BACK_FOR))
        judged = [one for thread_id in threads for one in await self._thread(thread_id, now)]
        new = [one for one in judged if one.judgement is not None and not one.was_known]
        log.info(
            "reviewed",
            action="review.done",
            threads=len(threads),
            new=len(new),
            asked=sum(one.asked_model for one in new),
        )
        await self._split(job.owner_id)
        await self._ledger.write(lambda t: introducing.look_at_all(t, job.owner_id, now))
        if self._promises is not None:
            await self._promises(job.owner_id)
        await self._miss(job.owner_id, now)

    async def _miss(self, owner_id: int, now: datetime) -> None:
        """Who has gone quiet, against their own rhythm: a line for the brief, once for each silence."""
        people = await self._judge.people(owner_id)
        mine = await self._ledger.read(lambda t: oneself(t, owner_id))
        persons = {
            one.key: one for one in people.persons.values() if one.is_sure and not any(map(mine.is_mine, one.mailboxes))
        }
        missed = await self._ledger.read(
            lambda t: [one for one in persons.values() if _is_missed(t, owner_id, one, now)]
        )
        for person in missed:
            await self._ledger.write(lambda t, one=person: _miss_one(t, owner_id, one, now))  # type: ignore[misc]

    async def _thread(self, thread_id: int, now: datetime) -> list[Judged]:
        mails = await self._ledger.read(lambda t: t.mails.thread(thread_id, limit=REPLIES_MAX))
        if not mails:
            return []
        age = now - mails[-1].at
        found = []
        if age <= JUDGED_BACK_FOR:
            # Also what the owner wrote: an answer that came with the past ends what waited for it.
            may_ask = age <= ASKED_BACK_FOR
            found.append(await self._judge.thread(thread_id, is_fresh=False, may_ask=may_ask))
        aspect: Aspect = "waiting" if spoken(mails)[-1].by_owner else "hanging"
        found.append(await self._judge.thread(thread_id, is_fresh=False, aspect=aspect, may_ask=False))
        return found

    async def _split(self, owner_id: int) -> None:
        """What an import left for later: each mail's own words, apart from quotes and signature."""
        while mail_ids := await self._ledger.read(lambda t: t.mails.unsaid(owner_id, limit=SPLIT_AT_ONCE)):
            mails = await self._ledger.read(lambda t, some=mail_ids: t.mails.some(some))  # type: ignore[misc]
            texts = {kept.id: (kept.mail.text, kept.mail.subject) for kept in mails}
            said = await asyncio.to_thread(
                lambda texts=texts: {one: zones(text, subject=subject).said for one, (text, subject) in texts.items()}  # type: ignore[misc]
            )
            # What the exclusions cover is not read: it has nothing to say.
            whole = {mail_id: said.get(mail_id, "") for mail_id in mail_ids}
            await self._ledger.write(lambda t, whole=whole: [t.mails.say(*one) for one in whole.items()])  # type: ignore[misc]


def _is_missed(t: Tables, owner_id: int, person: Joined, now: datetime) -> bool:
    written_at = t.mails.written_at(owner_id, person.mailboxes)
    is_quiet = quiet_sender(person, written_at, now=now) is not None
    return is_quiet and t.mails.relation(owner_id, person.mailboxes).is_known


def _miss_one(t: Tables, owner_id: int, person: Joined, now: datetime) -> None:
    written_at = t.mails.written_at(owner_id, person.mailboxes)
    found = quiet_sender(person, written_at, now=now)
    if found is None:
        return
    last_at = written_at[0]
    # Whom it is about stands in the line, which can be erased, not in the history.
    subject = f"quiet:{digest([person.key, last_at.isoformat()])[:40]}"
    if t.decisions.about(owner_id, subject):
        return
    owner = t.owners.get(owner_id)
    t.decisions.record(owner_id=owner_id, subject=subject, decided="hold", because="gone quiet", now=now)
    line = say(
        owner.language,
        "person_quiet",
        who=foreign(person.name or person.key, mail_card.WHO_MAX),
        days=(now - last_at).days,
        usual=found.detail.partition(" ")[0],
    )
    notice = t.notices.hold(
        owner_id=owner_id,
        source="mail",
        summary=line,
        urgency="hold",
        because="against their own rhythm",
        deliver_after_at=next_at(owner, owner.brief_at, now),
        now=now,
    )
    if notice is not None:
        for mailbox in person.mailboxes:
            t.links.tie(owner_id, subject_of(mailbox), f"notice:{notice.id}")
