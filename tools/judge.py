"""The judge at work: gathers the evidence on a thread, looks it up in the verdict ledger, and judges it only if it is new.

    thread ─► its own words (zones) ─► evidence ─► hash ─► judged before? ─ yes ─► that very row
                                                              │ no
                    rules ─► local decision model ─► in doubt: one model call ─► row ─► told (tools/delivering)

Texts are data all the way: what judges them has no hands.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from memory import judge
from memory.authenticity import Standing
from memory.clock import Clock
from memory.detectors.finding import Finding
from memory.detectors.hanging import spoken
from memory.evidence import Aspect, Evidence, gathered, hash_of
from memory.judgement import Judgement
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.mail_thread import root_of
from memory.owner import Owner
from memory.people.joining import People, join
from memory.people.mailbox import mailbox_of
from memory.people.oneself import Oneself
from memory.piece import Piece
from memory.relation import Relation
from memory.tables.mail import Wish
from memory.verdict import Verdict
from tools import delivering
from tools.chat import Post
from tools.files.zones import zones
from tools.judging import Judging
from tools.model import Model
from tools.oneself import own_addresses
from tools.vouching import standing_of

PEOPLE_FOR = timedelta(hours=1)
"""So long the joined people are good for; a sender that is not among them is looked up by the address alone."""

OWNER_HERE = "owner@published.invalid"
"""Whom a mail is for that a hand has published without saying."""

SIGHTINGS_MAX = 20_000
THREAD_MAX = 50


class Scorer(Protocol):
    """The local decision model, as the judge sees it."""

    async def probability(self, thread: Sequence[KeptMail]) -> float | None:
        """That the owner will answer or pass on the latest mail; None when nothing was learned yet."""
        ...


@dataclass(frozen=True, slots=True)
class Judged:
    """`judgement` is new unless `was_known`; None when there is nothing to judge (the thread is excluded, or gone)."""

    judgement: Judgement | None
    was_known: bool = False
    asked_model: bool = False


class Judge:
    """`model` is None when none is connected; `width` is that of the band of doubt, from 0 (never ask) to 1 (always)."""

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        clock: Clock,
        *,
        model: Model | None,
        scorer: Scorer | None = None,
        width: float = judge.BAND_WIDTH,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._judging, self._locally = Judging(model, width=width), Judging(None, width=width)
        self._scorer = scorer
        self._people: tuple[datetime, People] | None = None

    async def mail(self, mail_id: int, *, is_fresh: bool, signal_id: int | None = None) -> Judged:
        """Judge the thread of a mail that has come. Raises NotFound for a mail that is excluded or gone."""
        kept = await self._ledger.read(lambda t: t.mails.get(mail_id))
        return await self.thread(kept.thread_id, is_fresh=is_fresh, signal_id=signal_id)

    async def thread(
        self,
        thread_id: int,
        *,
        is_fresh: bool,
        aspect: Aspect = "mail",
        may_ask: bool = True,
        signal_id: int | None = None,
    ) -> Judged:
        """Judge a thread as it stands, unless just this was judged before."""
        mails = await self._said(thread_id)
        if not mails:
            return Judged(None)
        if aspect != "mail":
            # Whoever is away has not answered.
            mails = list(spoken(mails))
        evidence, owner = await self._evidence(mails, is_fresh=is_fresh, aspect=aspect)
        if aspect != "mail" and (evidence.finding(aspect) is None or await self._is_settled(mails[-1])):
            # Not yet, or no more: on record it would stand for good, as time is no part of the evidence.
            return Judged(None)
        key = hash_of(evidence, judge.JUDGE)
        known = await self._ledger.read(lambda t: t.verdicts.find(owner.id, key, judge.JUDGE))
        if known is not None:
            return Judged(known, was_known=True)
        probability = await self._probability(evidence, mails)
        by = self._judging if may_ask else self._locally
        verdict = await by.verdict(evidence, probability, owner.language)
        record = _Record(evidence, key, verdict, probability, from_past=not is_fresh, signal_id=signal_id)
        judgement, pieces = await self._ledger.write(lambda t: self._record(t, record))
        self._post.post(*pieces)
        return Judged(judgement, asked_model=verdict.stage == "model")

    async def _is_settled(self, latest: KeptMail) -> bool:
        return await self._ledger.read(lambda t: delivering.is_settled(t, latest))

    async def people(self, owner_id: int = 1) -> People:
        """Everybody who writes, joined across their addresses."""
        now = self._clock.now()
        if self._people is None or not timedelta(0) <= now - self._people[0] < PEOPLE_FOR:
            seen, rulings = await self._ledger.read(
                lambda t: (t.mails.sightings(owner_id, limit=SIGHTINGS_MAX), t.people.rulings(owner_id))
            )
            self._people = (now, await asyncio.to_thread(join, seen, rulings))
        return self._people[1]

    async def _said(self, thread_id: int) -> list[KeptMail]:
        """The thread, each mail with its own words worked out and kept."""
        mails = await self._ledger.read(lambda t: t.mails.thread(thread_id, limit=THREAD_MAX))
        unsaid = [kept for kept in mails if kept.said is None]
        if not unsaid:
            return mails
        said = await asyncio.to_thread(
            lambda: {kept.id: zones(kept.mail.text, subject=kept.mail.subject).said for kept in unsaid}
        )
        await self._ledger.write(lambda t: _say(t, said))
        return [replace(kept, said=said.get(kept.id, kept.said)) for kept in mails]

    async def _evidence(self, mails: Sequence[KeptMail], *, is_fresh: bool, aspect: Aspect) -> tuple[Evidence, Owner]:
        now, latest = self._clock.now(), mails[-1]
        sender = (latest.mail.sender.address or "").lower() if latest.mail.sender else ""
        person = (await self.people(latest.owner_id)).of(sender) if sender else None

        def read(t: Tables) -> _Known:
            trusted = person.mailboxes if person is not None and person.is_sure else [sender]
            return _Known(
                owner=t.owners.get(latest.owner_id),
                me=oneself(t, latest.owner_id),
                relation=t.mails.relation(latest.owner_id, trusted),
                standing=standing_of(t, latest),
                is_urgent=_wished(t, latest.owner_id, trusted, "urgent"),
                is_softened=_wished(t, latest.owner_id, trusted, "less"),
            )

        known = await self._ledger.read(read)
        evidence = await asyncio.to_thread(
            gathered,
            mails,
            known.me,
            thread_key=root_of(latest.mail),
            now=now,
            zone=known.owner.zones.zone_at(now),
            relation=known.relation,
            standing=known.standing,
            is_urgent=known.is_urgent,
            is_softened=known.is_softened,
            is_fresh=is_fresh,
            aspect=aspect,
        )
        return evidence, known.owner

    async def _probability(self, evidence: Evidence, mails: Sequence[KeptMail]) -> float | None:
        if self._scorer is None or evidence.latest.by_owner or evidence.aspect != "mail":
            return None
        return await self._scorer.probability(mails)

    def _record(self, t: Tables, record: "_Record") -> tuple[Judgement | None, list[Piece]]:
        evidence, now = record.evidence, self._clock.now()
        kept = evidence.latest
        judgement = t.verdicts.record(
            owner_id=kept.owner_id,
            mail_id=kept.id,
            thread_id=kept.thread_id,
            evidence=record.key,
            judge=judge.JUDGE,
            verdict=record.verdict,
            code=record.verdict.code,
            probability=record.probability,
            findings=[_plain(finding) for finding in evidence.findings],
            now=now,
        )
        if judgement is None:
            return None, []
        pieces = delivering.tell(
            t,
            kept,
            judgement,
            channel=self._post.home(),
            now=now,
            from_past=record.from_past,
            signal_id=record.signal_id,
            is_urgent=evidence.is_urgent,
            aspect=evidence.aspect,
        )
        return judgement, pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the ledger knows beside the thread itself. Trust rests on the address, or on a join that is sure."""

    owner: Owner
    me: Oneself
    relation: Relation
    standing: Standing | None
    is_urgent: bool
    is_softened: bool


@dataclass(frozen=True, slots=True)
class _Record:
    """What is put on record of one judgement."""

    evidence: Evidence
    key: str
    verdict: Verdict
    probability: float | None
    from_past: bool
    signal_id: int | None


def _say(t: Tables, said: Mapping[int, str]) -> None:
    for mail_id, text in said.items():
        t.mails.say(mail_id, text)


def oneself(t: Tables, owner_id: int) -> Oneself:
    """The owner, as mails know them."""
    addresses = own_addresses(t, owner_id) | {OWNER_HERE}
    return Oneself(addresses=addresses, names=tuple(t.mails.own_names(owner_id)))


def _wished(t: Tables, owner_id: int, addresses: Collection[str], wish: Wish) -> bool:
    """A wish holds for the address, and for the person's others only where it is sure that they are theirs."""
    return not {mailbox_of(one) for one in addresses}.isdisjoint(map(mailbox_of, t.senders.wished(owner_id, wish)))


def _plain(finding: Finding) -> Mapping[str, Any]:
    plain = asdict(finding)
    return {**plain, "due_at": finding.due_at.isoformat() if finding.due_at else None}
