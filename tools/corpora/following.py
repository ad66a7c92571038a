"""Following a place: what is new or changed is put, what is gone is dropped, and what is the same is left alone.

    survey ─► for each item that has another mark: read ─► what differs from what is kept ─► put, a batch a commit
                                                       └► what it no longer holds ─► drop
           └► what belongs to no item any more ─► drop

There is no position to go on from: what was committed is the same the next time, and costs a comparison.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from memory.canonical import digest
from memory.clock import Clock
from memory.errors import BadInput
from memory.ledger import Ledger, Tables
from memory.promised import LAPSES_AFTER_FOR
from memory.search.document import Document, Put
from memory.search.passage import CHATS
from memory.signal import NewSignal
from tools.chats.documents import another_key
from tools.corpora import filed
from tools.corpora.circumstance import circumstance, learn
from tools.corpora.enclosed import words_in
from tools.corpora.place import Item, PassedOver, Place, Survey
from tools.corpora.reading import (
    Circumstance,
    Fault,
    FileCalendar,
    Reading,
    fresh,
    gone,
    is_another,
    moved,
    outdated,
    paper_ref,
)

T = TypeVar("T")

BATCH_DOCUMENTS = 250
"""Documents in one commit: the owner's own message waits behind at most one, some tens of milliseconds."""

DROP_AT_ONCE = 1000

SAME_NAME_MAX = 20
"""So many chats of one name are told apart."""

FAULTS_MAX = 200

SAID = "said"
"""The kind of signal that tells of messages which the owner wrote of late."""

RULES = "rules"
"""Stands among the marks for the exclusions of the last look: what they covered is read once they no longer do."""

BAD = "bad:"
"""Stands before the mark of an item that could not be read whole."""

LOSS_MIN = 5
"""A place that held so many items or more and holds none at all is taken for one whose disk is away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far it has come. The bytes are those of the items; the others count documents, each once."""

    shown: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    items: int = 0
    new: int = 0
    changed: int = 0
    same: int = 0
    excluded: int = 0
    dropped: int = 0
    bad: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What came of it. marks: to be handed in the next time. unsure: in how many chats it could not be told who the owner is.

    faults: of the items that were read. by_item: the same, by the item's key.
    """

    progress: Progress
    marks: Mapping[str, str]
    faults: tuple[Fault, ...] = ()
    by_item: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)
    passed: tuple[PassedOver, ...] = ()
    unsure: int = 0


@dataclass(slots=True)
class _Count:
    """What is counted on the way."""

    progress: Progress
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    unsure: list[Item] = field(default_factory=list)
    learned: set[str] = field(default_factory=set)

    def add(self, **more: int) -> None:
        self.progress = replace(
            self.progress, **{name: getattr(self.progress, name) + count for name, count in more.items()}
        )

    def fault(self, item: Item, *faults: Fault) -> None:
        self.faults.setdefault(item.key, []).extend(faults)
        self.add(bad=len(faults))


class Vanished(BadInput):
    """Everything of a place is gone at once: nothing is dropped until it is said that this is right."""


class Following:
    """Follows one place for one owner. `tell` is called on the event loop after each commit."""

    def __init__(
        self,
        place: Place,
        *,
        ledger: Ledger,
        owner_id: int,
        clock: Clock,
        tell: Callable[[Progress], None] = lambda progress: None,
        me: Sequence[str] = (),
    ) -> None:
        self._place = place
        self._ledger = ledger
        self._owner_id = owner_id
        self._clock = clock
        self._tell = tell
        self._me = me
        self._known: dict[str, dict[str, str]] = {}

    async def look(self, marks: Mapping[str, str] | None = None) -> Followed:
        """Look once. marks: those of the last look; without them everything is read.

        May be cancelled at any time and begun again. Raises BadInput when the place itself can't be looked into, Vanished
        when it had items and has none.
        """
        marks = marks or {}
        about = await self._about()
        found = await asyncio.to_thread(self._place.survey, about)
        if self._place.under and not found.items and len(marks.keys() - {RULES}) >= LOSS_MIN:
            raise Vanished("every file is gone at once, or the disk is away: nothing was dropped")
        count = _Count(_begun(found))
        count.progress = replace(count.progress, excluded=found.excluded)
        self._tell(count.progress)
        rules = about.exclusions.rules_digest
        kept = await self._read_all(found.items, about, marks if marks.get(RULES) == rules else {}, count)
        if count.learned - about.me and count.unsure:
            await self._read_again(count)
        if self._place.under:
            await self._drop(await self._of_no_item(found), count)
            await self._leave_calendars({item.under for item in found.items})
        return Followed(
            progress=count.progress,
            marks={**kept, RULES: rules},
            faults=tuple(fault for several in count.faults.values() for fault in several)[:FAULTS_MAX],
            by_item={key: tuple(several[:FAULTS_MAX]) for key, several in count.faults.items()},
            passed=found.passed,
            unsure=len(count.unsure),
        )

    async def _about(self) -> Circumstance:
        now = self._clock.now()
        return await self._ledger.read(lambda t: circumstance(t, self._owner_id, now, self._me))

    async def _read_all(
        self, items: Sequence[Item], about: Circumstance, marks: Mapping[str, str], count: _Count
    ) -> dict[str, str]:
        """The marks of what was read, or had been before."""
        kept: dict[str, str] = {}
        for item in items:
            parts = {key: mark for key, mark in marks.items() if key.startswith(f"{item.key}/")}
            kept |= parts
            mark = marks.get(item.key, "")
            if not item.mark or mark.removeprefix(BAD) != item.mark:
                kept |= await self._read(item, about, parts, count)
                mark = (BAD if count.faults.get(item.key) else "") + item.mark
            kept[item.key] = mark
            count.progress = replace(
                count.progress, shown=item.shown, done_bytes=count.progress.done_bytes + item.size_bytes
            )
        self._tell(count.progress)
        return kept

    async def _read(self, item: Item, about: Circumstance, parts: Mapping[str, str], count: _Count) -> dict[str, str]:
        marks: dict[str, str] = {}
        done = count.progress.done_bytes
        async for reading in self._place.read(item, about, parts):
            count.fault(item, *reading.faults)
            if not reading.is_mine_known and item not in count.unsure:
                count.unsure.append(item)
            if reading.under:
                await self._take(reading, item, count, done)
                await self._learn(reading, count)
            if reading.mark:
                marks[reading.mark[0]] = reading.mark[1]
        return marks

    async def _read_again(self, count: _Count) -> None:
        """Chats in which the owner could not be told, now that another has told what they are called."""
        items, count.unsure = count.unsure, []
        about = await self._about()
        for item in items:
            again = _Count(count.progress)
            await self._read(item, about, {}, again)
            count.add(changed=again.progress.changed - count.progress.changed)
            count.unsure += again.unsure

    async def _take(self, reading: Reading, item: Item, count: _Count, done_bytes: int) -> None:
        reading = await self._apart(reading)
        known = await self._kept(self._place.under or reading.under)
        fresh_ones = await asyncio.to_thread(fresh, reading.documents, known)
        count.add(same=len(reading.documents) - len(fresh_ones))
        for start in range(0, len(fresh_ones), BATCH_DOCUMENTS):
            await self._put(fresh_ones[start : start + BATCH_DOCUMENTS], known, count)
            share = min(1.0, (start + BATCH_DOCUMENTS) / len(fresh_ones))
            count.progress = replace(
                count.progress, shown=item.shown, done_bytes=done_bytes + int(share * item.size_bytes)
            )
            self._tell(count.progress)
        count.progress = replace(count.progress, done_bytes=done_bytes)
        within = [ref for ref in known if ref.startswith(reading.under)]
        lost = gone(reading, within)
        await self._drop_unsure(reading, count)
        await self._drop(lost, count)
        await self._take_papers(reading, item, lost, count)
        if reading.calendar is not None:
            await self._take_events(reading.under, reading.calendar)

    async def _take_events(self, under: str, calendar: FileCalendar) -> None:
        """Those of its objects that are another than they were, and the loss of those that it has no more."""
        account_id, etags = await self._ledger.write(
            lambda t: filed.begin(t, self._owner_id, under, calendar.name, self._clock.now())
        )
        changed = [one for one in calendar.objects if etags.get(one.ref) != one.etag]
        for start in range(0, len(changed), BATCH_DOCUMENTS):
            some = changed[start : start + BATCH_DOCUMENTS]
            await self._ledger.write(lambda t, some=some: filed.keep(t, self._owner_id, account_id, under, some))  # type: ignore[misc]
        gone = etags.keys() - {one.ref for one in calendar.objects}
        if gone:
            await self._ledger.write(lambda t: t.calendars.drop(account_id, under, gone))

    async def _leave_calendars(self, there: Collection[str]) -> None:
        """Those whose file is there no more."""
        lost = await self._ledger.read(lambda t: filed.within(t, self._owner_id, self._place.under)) - set(there)
        if lost:
            await self._ledger.write(lambda t: filed.leave(t, self._owner_id, lost))

    async def _drop_unsure(self, reading: Reading, count: _Count) -> None:
        """The same chat as it was kept while nobody knew who the owner is in it, with what came with it."""
        if reading.unsure_under and (lost := outdated(reading, await self._kept(reading.unsure_under))):
            await self._drop([*lost, *await self._kept(_papers_under(reading.unsure_under))], count)

    async def _take_papers(self, reading: Reading, item: Item, lost: Sequence[str], count: _Count) -> None:
        """What came with messages never changes: what is kept of it is not read again. It goes with its message."""
        if not (reading.papers or lost):
            return
        known = await self._kept(_papers_under(reading.under))
        without = {paper_ref(ref, 0).removesuffix("0") for ref in lost}
        await self._drop([ref for ref in known if ref[: ref.rfind(".") + 1] in without], count)
        for paper in reading.papers:
            if paper.document.ref in known:
                count.add(same=1)
                continue
            found = await words_in(item.path, paper.name)
            if found.state == "read":
                await self._put([replace(paper.document, text=found.text)], known, count)
            elif found.state == "unreadable":
                shown = f"{item.shown}, {paper.document.title}"
                count.fault(item, Fault(shown, 0, found.because or "can't be read"))

    async def _apart(self, reading: Reading) -> Reading:
        """The reading under a beginning of its own, where something else goes by its name already."""
        tried = reading
        kind, _, key = reading.under.rstrip("/").partition(":")
        for number in range(2, SAME_NAME_MAX):
            if not reading.by_name or not is_another(tried, await self._kept(tried.under)):
                break
            tried = moved(reading, f"{kind}:{another_key(key, number)}/", number)
        return tried

    async def _kept(self, under: str) -> dict[str, str]:
        if under not in self._known:
            self._known[under] = dict(await self._ledger.read(lambda t: t.search.refs(self._owner_id, under)))
        return self._known[under]

    async def _put(self, documents: Sequence[Document], known: dict[str, str], count: _Count) -> None:
        now = self._clock.now()
        done = await self._ledger.write(lambda t: _put(t, self._owner_id, documents, now))
        count.add(new=done.new, changed=done.changed, same=done.same, excluded=done.excluded)
        known.update((one.ref, one.fingerprint) for one in documents)

    async def _drop(self, refs: Sequence[str], count: _Count) -> None:
        for start in range(0, len(refs), DROP_AT_ONCE):
            some, now = refs[start : start + DROP_AT_ONCE], self._clock.now()
            dropped = await self._ledger.write(
                lambda t, some=some, now=now: t.search.drop(self._owner_id, some, now=now)  # type: ignore[misc]
            )
            count.add(dropped=dropped)
            self._tell(count.progress)
        for known in self._known.values():
            for ref in refs:
                known.pop(ref, None)

    async def _of_no_item(self, found: Survey) -> list[str]:
        known = await self._kept(self._place.under)
        there = {item.under for item in found.items}
        return [ref for ref in known if there.isdisjoint((ref, *_beginnings(ref)))]

    async def _learn(self, reading: Reading, count: _Count) -> None:
        """Remember what the owner is called."""
        names = set(reading.calls_me) - count.learned
        if names:
            count.learned |= names
            await self._ledger.write(lambda t: learn(t, self._owner_id, names))


def _beginnings(ref: str) -> Iterator[str]:
    return (ref[: at + 1] for at, sign in enumerate(ref) if sign == "/")


def _begun(found: Survey) -> Progress:
    return Progress(total_bytes=sum(item.size_bytes for item in found.items), items=len(found.items))


def _papers_under(under: str) -> str:
    """What the refs of the papers that came with a chat's messages begin with."""
    return paper_ref(under, 0).removesuffix(".0")


def _put(t: Tables, owner_id: int, documents: Sequence[Document], now: datetime) -> Put:
    """Keep them; in the same commit it is told which the owner wrote of late, so that a crash forgets none."""
    done = t.search.put(owner_id, documents, now=now)
    said = [
        one for one in documents if one.by_owner and one.corpus in CHATS and one.at and now - one.at <= LAPSES_AFTER_FOR
    ]
    if said:
        name = digest([[one.ref, one.fingerprint] for one in said])
        payload = {"refs": [one.ref for one in said]}
        t.signals.publish(
            NewSignal(source="chats", kind=SAID, source_id=name, owner_id=owner_id, payload=payload), now=now
        )
    return done


def forget(t: Tables, owner_id: int, place: Place, now: datetime) -> int:
    """Drop everything of a place that is followed no more; how many documents."""
    if not place.under:
        return 0
    filed.leave(t, owner_id, filed.within(t, owner_id, place.under))
    return t.search.drop(owner_id, list(t.search.refs(owner_id, place.under)), now=now)
