"""The duty *facts*: every night, what is new of people who recur is read for facts.

    people who recur ─► excluded? passed over, and counted
                    └─► what of theirs was not read yet ─► plain code: signatures, wishes
                                                       └─► one model call for a few of them, within the day's cap
    calendars ─► birthdays

Each person is a unit of work of their own, with what was read of them: after a stop it goes on with the next. Where nothing
is new nothing is asked. A list of exclusions that can't be read stops the whole run, with a row.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from memory.clock import Clock
from memory.errors import CapReached, NotFound
from memory.exclusion import UnreadableExclusions
from memory.fact import FoundFact
from memory.facts.proposal import BAD_QUOTE, FactPassage, Proposal
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.owner import Owner
from memory.people.person import Person, Sighting
from tools.fact_proposing import MODEL, Proposed, chosen, propose
from tools.fact_rules import RULES, birthdays, facts_in
from tools.fact_sources import FactSource, refs_of, unread
from tools.model import Model, ModelFailed

log = structlog.get_logger()

FACTS = "facts"
"""The kind of signal that asks for it, and what its rows are about."""

RECURS_FOR = timedelta(days=365)
PEOPLE_MAX = 1_500
"""Who recurs: so many of those with whom most was exchanged within a year."""

READ_MAX = 100
"""So many documents of one person are read at once; the others in the next run."""

ASKED_MAX = 20
"""So many people are asked about in one run."""

RECURS_FROM = 3
"""Somebody of whom there are fewer documents does not recur: no model is asked about them."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was found, in which documents of which identities was looked, and by whom."""

    found: Sequence[FoundFact]
    refs: Mapping[int, Sequence[str]]
    reader: str


class FactsDuty:
    """Handles the kind *facts*. `model` is None when none is connected: plain code reads all the same."""

    def __init__(self, ledger: Ledger, clock: Clock, model: Model | None) -> None:
        self._ledger = ledger
        self._clock = clock
        self._model = model

    async def __call__(self, job: Job) -> None:
        """Read what is new, and put on record how much there was."""
        tally: Counter[str] = Counter()
        try:
            await self._run(job.owner_id, tally)
        except UnreadableExclusions as error:
            await self._record(job, "not read", f"{error}; {_in_words(tally)}")
            return
        await self._record(job, "read", _in_words(tally))
        log.info("facts read", action="facts.read", **tally)

    async def _run(self, owner_id: int, tally: Counter[str]) -> None:
        since = self._clock.now() - RECURS_FOR
        owner, people, passed_over = await self._ledger.read(
            lambda t: (
                t.owners.get(owner_id),
                t.people.recurring(owner_id, since=since, limit=PEOPLE_MAX),
                t.facts.passed_over(owner_id, since=since),
            )
        )
        tally["excluded"] = passed_over
        asks = self._model is not None
        for person in people:
            try:
                await self._by_rules(owner, person, tally)
                asks = asks and tally["asked"] < ASKED_MAX and await self._by_model(owner, person, tally)
            except NotFound:
                continue  # Joined to another meanwhile.
        await self._in_calendars(owner, tally)

    async def _by_rules(self, owner: Owner, person: Person, tally: Counter[str]) -> None:
        some, sources = await self._unread(owner, person, RULES)
        if not some:
            return
        tally["people"] += 1
        found = await asyncio.to_thread(facts_in, sources, person, owner)
        await self._keep(owner, _Read(found, refs_of(some), RULES), tally)

    async def _by_model(self, owner: Owner, person: Person, tally: Counter[str]) -> bool:
        """Ask about one person, if anything of theirs is new. False when nothing more is to be asked in this run."""
        some, sources = await self._unread(owner, person, MODEL)
        if not some or self._model is None:
            return True
        passages, left = chosen(await asyncio.to_thread(_passages, sources))
        proposed = Proposed()
        if passages and await self._recurs(owner, person):
            try:
                proposed = await propose(self._model, person, passages)
            except (ModelFailed, CapReached) as error:
                tally["unanswered"] += 1
                log.warning("nobody is asked about any more", action="facts.unanswered", because=str(error))
                return False
            tally["asked"] += 1
            tally["garbled"] += proposed.is_garbled
        later = {passage.ref for passage in left}
        tally["dropped"] += sum(proposed.dropped.values())
        tally["bad quotes"] += sum(proposed.dropped[why] for why in BAD_QUOTE)
        identities = {source.sighting.ref: source.sighting.identity_id for source in sources}
        found = [_found(one, identities[one.passage.ref]) for one in proposed.proposals]
        read = [one for one in some if one.ref not in later]
        await self._keep(owner, _Read(found, refs_of(read), MODEL), tally)
        return True

    async def _recurs(self, owner: Owner, person: Person) -> bool:
        seen = await self._ledger.read(lambda t: t.people.sightings(owner.id, person.id, limit=RECURS_FROM))
        return len(seen) >= RECURS_FROM

    async def _in_calendars(self, owner: Owner, tally: Counter[str]) -> None:
        now = self._clock.now()
        found = await self._ledger.read(lambda t: birthdays(t, owner, now))
        new = await self._ledger.read(
            lambda t: [one for one in found if t.facts.unread(owner.id, [one.identity_id], [one.ref], reader=RULES)]
        )
        for one in new:
            await self._keep(owner, _Read((one,), {one.identity_id: [one.ref]}, RULES), tally)

    async def _unread(self, owner: Owner, person: Person, reader: str) -> tuple[list[Sighting], list[FactSource]]:
        """Nothing of somebody of whom the exclusions cover any identity: the others are theirs as well."""
        ids = person.identity_ids

        def look(t: Tables) -> tuple[list[Sighting], list[FactSource]]:
            if t.facts.is_covered(owner.id, ids):
                return [], []
            return unread(t, owner.id, person, reader=reader, limit=READ_MAX)

        return await self._ledger.read(look)

    async def _keep(self, owner: Owner, read: "_Read", tally: Counter[str]) -> None:
        now = self._clock.now()
        tally.update(await self._ledger.write(lambda t: _note(t, owner.id, read, now)))

    async def _record(self, job: Job, decided: str, because: str) -> None:
        now, signal_id = self._clock.now(), job.signal.id if job.signal else None
        await self._ledger.write(
            lambda t: t.decisions.record(
                owner_id=job.owner_id,
                subject=FACTS,
                decided=decided,
                because=because,
                now=now,
                signal_id=signal_id,
            )
        )


def _note(t: Tables, owner_id: int, read: _Read, now: datetime) -> Counter[str]:
    """What was found, and that it was read, in one unit of work; what came of each."""
    # The oldest first: so each keeps the first source that says it, and gives way at the time of the next.
    found = sorted(read.found, key=lambda one: one.said_at)
    came = Counter(t.facts.note(owner_id, one, now=now).what for one in found)
    for identity_id, refs in read.refs.items():
        t.facts.mark_read(owner_id, identity_id, refs, reader=read.reader, now=now)
    return Counter(came)


def _passages(sources: Iterable[FactSource]) -> list[FactPassage]:
    return [source.passage() for source in sources]


def _found(one: Proposal, identity_id: int) -> FoundFact:
    passage = one.passage
    return FoundFact(
        identity_id=identity_id,
        kind=one.kind,
        value=one.value,
        quote=one.quote,
        corpus=passage.corpus,
        ref=passage.ref,
        said_at=passage.at,
        who=passage.who,
        by="model",
    )


def _in_words(tally: Counter[str]) -> str:
    """Numbers alone: never who."""
    return (
        f"{tally['people']} people had something new, {tally['asked']} were asked about; {tally['noted']} facts, "
        f"{tally['passed']} superseded at once, {tally['known']} known, {tally['refused']} refused; "
        f"{tally['dropped']} proposals dropped, {tally['bad quotes']} of them for their quote, {tally['garbled']} answers "
        f"garbled, {tally['unanswered']} unanswered; {tally['excluded']} people passed over, being excluded"
    )
