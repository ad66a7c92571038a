"""Scoring: the local decision model over the mails that are kept. It reads them in order of time, and never ahead.

    kept mails ─► exchanges ─► history (fed up to just before the mail) ─► features ─► score
                                 └── the same walk, with what became of each mail, is what is learned from

The history is kept between scores and fed only what is new. Before anything was learned there is no probability: rules
of thumb decide then (memory/judge), and say so.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import structlog

from memory.clock import Clock
from memory.decide.exchange import OWNER, Exchange
from memory.decide.features import Features, features_of
from memory.decide.history import History
from memory.decide.labels import labels
from memory.decide.score import Fitted, score
from memory.detectors.bulk import bulk
from memory.ledger import Ledger, Tables
from memory.mail import Address, KeptMail
from memory.people.joining import People, join
from memory.people.oneself import Oneself
from tools.files.zones import zones
from tools.judge import SIGHTINGS_MAX, oneself
from tools.learning.keeping import StrangeModel, load

log = structlog.get_logger()

PAGE = 200
MAILS_MAX = 40_000
"""So many of the newest mails are walked through; habits older than those tell little of today's."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A received mail whose outcome is known: what it showed when it came, and whether the owner acted on it."""

    features: Features
    acted: bool
    at: datetime


class Scoring:
    """See tools.judge.Scorer. `folder` holds what was learned; read again by `reload`."""

    def __init__(self, ledger: Ledger, clock: Clock, folder: Path, *, owner_id: int = 1) -> None:
        self._ledger = ledger
        self._clock = clock
        self._folder = folder
        self._owner_id = owner_id
        self._turn = asyncio.Lock()
        self._fitted = self._load()
        self._walk: _Walk | None = None
        self._fed_to: tuple[datetime, int] | None = None

    @property
    def fitted(self) -> Fitted | None:
        """What was learned; None before anything was, or from too little."""
        return self._fitted if self._fitted is not None and self._fitted.is_enough else None

    def reload(self) -> None:
        """Take what was learned anew."""
        self._fitted = self._load()

    async def probability(self, thread: Sequence[KeptMail]) -> float | None:
        """That the owner will answer or pass on the latest mail; None while nothing was learned from enough."""
        fitted, latest = self.fitted, thread[-1]
        if fitted is None or latest.mail.date_at is None:
            return None
        async with self._turn:
            walk = await self._caught_up((latest.mail.date_at, latest.id))
            return await asyncio.to_thread(walk.probability, latest, fitted)

    async def outcomes(self) -> list[Outcome]:
        """Everything that can be learned from now: mails old enough, each as it looked when it came."""
        zones_of, me, people = await self._ledger.read(self._known)
        walk, found = _Walk(zones_of, me, people), list[tuple[Exchange, Features]]()
        everything: list[Exchange] = []
        async for page in self._pages(None):
            for exchange, features in await asyncio.to_thread(walk.read, page):
                everything.append(exchange)
                if features is not None:
                    found.append((exchange, features))
        known = labels(everything, now=self._clock.now())
        return [
            Outcome(features, acted, exchange.at)
            for exchange, features in found
            if not exchange.is_bulk and (acted := known[exchange.fingerprint].acted) is not None
        ]

    async def _caught_up(self, before: tuple[datetime, int]) -> "_Walk":
        """The history fed with everything written before the mail at this place."""
        if self._walk is None:
            self._walk = _Walk(*await self._ledger.read(self._known))
            self._fed_to = await self._ledger.read(lambda t: _start(t, self._owner_id))
        async for page in self._pages(self._fed_to):
            due = [kept for kept in page if (kept.at, kept.id) < before]
            if due:
                await asyncio.to_thread(self._walk.read, due)
                self._fed_to = (due[-1].at, due[-1].id)
            if len(due) < len(page):
                break
        return self._walk

    async def _pages(self, after: tuple[datetime, int] | None) -> AsyncIterator[list[KeptMail]]:
        place = after
        while page := await self._page(place):
            yield page
            place = (page[-1].at, page[-1].id)

    async def _page(self, after: tuple[datetime, int] | None) -> list[KeptMail]:
        return await self._ledger.read(lambda t: t.mails.page(self._owner_id, after=after, limit=PAGE))

    def _known(self, t: Tables) -> tuple[Callable[[datetime], datetime], Oneself, People]:
        owner = t.owners.get(self._owner_id)
        sightings = t.mails.sightings(self._owner_id, limit=SIGHTINGS_MAX)
        return owner.zones.wall_at, oneself(t, self._owner_id), join(sightings, t.people.rulings(self._owner_id))

    def _load(self) -> Fitted | None:
        try:
            return load(self._folder)
        except StrangeModel as error:
            log.warning(str(error), action="decision.strange")
            return None


def _start(t: Tables, owner_id: int) -> tuple[datetime, int] | None:
    """Where to begin in a mailbox of more than MAILS_MAX mails; None for the first of all."""
    count = t.mails.count(owner_id)
    return t.mails.place(owner_id, count - MAILS_MAX) if count > MAILS_MAX else None


class _Walk:
    """Mails read in order of time into a history. For one thread at a time."""

    def __init__(self, wall: Callable[[datetime], datetime], me: Oneself, people: People) -> None:
        self._history = History(wall)
        self._me = me
        self._people = people
        self._fingerprints: dict[str, str] = {}
        self._by_owner: set[str] = set()

    def read(self, mails: Sequence[KeptMail]) -> list[tuple[Exchange, Features | None]]:
        """Feed them; with each received mail what it showed when it came."""
        found: list[tuple[Exchange, Features | None]] = []
        for kept in mails:
            exchange = self._exchange(kept)
            features = None if exchange.by_owner else features_of(exchange, self._history)
            self._history.feed(exchange)
            found.append((exchange, features))
        return found

    def probability(self, kept: KeptMail, fitted: Fitted) -> float:
        """The probability of a mail that was not fed yet."""
        return score(features_of(self._exchange(kept), self._history), fitted).probability

    def _exchange(self, kept: KeptMail) -> Exchange:
        mail = kept.mail
        parts = zones(mail.text, subject=mail.subject)
        answers = self._fingerprints.get(mail.in_reply_to or "")
        exchange = Exchange(
            fingerprint=mail.fingerprint,
            thread=str(kept.thread_id),
            at=kept.at,
            sender=OWNER if kept.by_owner else self._key(mail.sender),
            sender_name=mail.sender.name if mail.sender else "",
            to=tuple(self._key(one) for one in mail.to),
            cc=tuple(self._key(one) for one in mail.cc),
            by_owner=kept.by_owner,
            subject=mail.subject,
            said=parts.said,
            below="\n".join(text for text in (parts.quoted, parts.forwarded) if text),
            answers=answers,
            answers_owner=answers in self._by_owner,
            is_bulk=not kept.by_owner and bulk(kept, self._me) is not None,
            attachments=len(mail.attachments),
        )
        if mail.message_id:
            self._fingerprints[mail.message_id] = mail.fingerprint
        if kept.by_owner:
            self._by_owner.add(mail.fingerprint)
        return exchange

    def _key(self, address: Address | None) -> str:
        if address is None or not address.address:
            return (address.name if address else "").casefold()
        if self._me.is_mine(address.address):
            return OWNER
        person = self._people.of(address.address)
        return person.key if person is not None else address.address.lower()
