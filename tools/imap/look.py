"""A look: one going through of an account, from a cursor to all that is new, with the cursor that each batch ends at."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import TypeVar

import structlog

from memory.clock import Clock
from tools.imap.answer import Fetched, Stamp
from tools.imap.connection import Connection
from tools.imap.cursor import GAP_SLACK_FOR, Cursor, Mark, Place, Stretch, spell_cursor
from tools.imap.failures import FolderRefused
from tools.imap.folder import Folder
from tools.imap.mailbox import BEGINNING_BYTES, LARGE_BYTES, Mailbox
from tools.imap.portion import chunks, portions
from tools.imap.uid import MailUid
from tools.mail import Arrived, Changed, MailBatch, Why

HEADS_AT_ONCE = 500

CUT_LABEL = "cut"
"""On a mail of more than LARGE_BYTES, of which only the beginning is read."""

ZONES_FOR = timedelta(days=1)
"""A server searches by the day on its own calendar, whatever its zone."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A mail of a stretch, before its body is fetched."""

    place: Place
    head: Fetched


class Look:
    """See above. `folders` and `stamps` are those that are read; every folder with a stamp has a mark in the cursor."""

    def __init__(
        self,
        connection: Connection,
        folders: Mapping[str, Folder],
        stamps: Mapping[str, Stamp],
        cursor: Cursor,
        clock: Clock,
    ) -> None:
        self._connection = connection
        self._folders = folders
        self._stamps = stamps
        self._clock = clock
        self._left_out: set[str] = set()
        self.cursor = cursor

    def batch(
        self,
        arrived: Sequence[Arrived] = (),
        *,
        changed: Sequence[Changed] = (),
        gone: Sequence[str] = (),
        why: Why = "news",
        done: int = 0,
        total: int = 0,
    ) -> MailBatch:
        """What was read, with the cursor as it stands."""
        return MailBatch(
            arrived=tuple(arrived),
            changed=tuple(changed),
            gone=tuple(gone),
            cursor=spell_cursor(self.cursor),
            why=why,
            done=done,
            total=total,
        )

    async def stretches(self) -> AsyncIterator[MailBatch]:
        """Backfill and gaps, oldest first over all their folders."""
        for stretch in self.cursor.stretches:
            entries = await self._entries(stretch)
            left = [entry for entry in entries if stretch.after is None or entry.place > stretch.after]
            done = len(entries) - len(left)
            for portion in portions((entry, _fetched_bytes(entry.head)) for entry in left):
                arrived = await self._portion(portion)
                done += len(portion)
                self._come_to(stretch, portion[-1].place if done < len(entries) else None)
                yield self.batch(arrived, why=stretch.why, done=done, total=len(entries))
            before = self.cursor
            if not left:
                self._come_to(stretch, None)
            if self.cursor != before:
                yield self.batch(why=stretch.why, done=done, total=done)

    async def news(self) -> AsyncIterator[MailBatch]:
        """What came after the last uid of each folder."""
        for folder, mark, stamp in self._marked():
            if stamp.next_uid <= mark.last + 1:
                continue
            uids = await self._in(folder, partial(Mailbox.after, uid=mark.last), afresh=True)
            for part in chunks(uids or [], HEADS_AT_ONCE):
                heads = await self._in(folder, partial(Mailbox.heads, uids=part)) or []
                for why, alike in groupby(heads, key=partial(_why, at=mark.at)):
                    for portion in portions((head, _fetched_bytes(head)) for head in alike):
                        arrived = await self._bodies(folder, portion, last=portion[-1].uid)
                        yield self.batch([arrived[head.uid] for head in portion if head.uid in arrived], why=why)
            # Uids that were given and are gone again have been looked at, too.
            self._remember(folder, (), last=stamp.next_uid - 1)

    async def changes(self) -> MailBatch | None:
        """What was read or is gone among the newest; None when no folder stands differently than before."""
        changed: list[Changed] = []
        gone: list[str] = []
        before = self.cursor
        for folder, mark, stamp in self._marked():
            if mark.stamp == stamp and stamp.settles(folder.name):
                continue
            if (standing := await self._in(folder, partial(_standing, mark=mark), afresh=True)) is None:
                continue
            alive, unread, turned = standing
            gone += [str(MailUid(folder.name, mark.validity, uid)) for uid in sorted(mark.known - alive)]
            changed += [_changed(folder, mark, head) for head in turned]
            self.cursor = self.cursor.with_mark(folder.name, replace(mark, known=alive, unread=unread, stamp=stamp))
        return self.batch(changed=changed, gone=gone) if self.cursor != before else None

    def _marked(self) -> list[tuple[Folder, Mark, Stamp]]:
        return [(self._folders[name], self.cursor.marks[name], stamp) for name, stamp in self._stamps.items()]

    def _come_to(self, stretch: Stretch, place: Place | None) -> None:
        """`stretch` is read up to `place`, None: to its end, but for the folders that could not be read this time."""
        shut = {name: uid for name, uid in stretch.upto.items() if name not in self._stamps or name in self._left_out}
        going = {name: uid for name, uid in stretch.upto.items() if name not in shut}
        now = (
            *([replace(stretch, upto=going, after=place)] if going and place else []),
            *([replace(stretch, upto=shut)] if shut else []),
        )
        others = (other for other in self.cursor.stretches if not other.upto.keys() & stretch.upto.keys())
        self.cursor = replace(self.cursor, stretches=(*now, *others))

    async def _entries(self, stretch: Stretch) -> list[_Entry]:
        day = (stretch.since - ZONES_FOR).date()
        entries: list[_Entry] = []
        for name, upto in stretch.upto.items():
            if (folder := self._folders.get(name)) is None or name not in self._stamps:
                continue
            uids = await self._in(folder, partial(Mailbox.since, day=day), afresh=True) or []
            for part in chunks([uid for uid in uids if uid <= upto], HEADS_AT_ONCE):
                heads = await self._in(folder, partial(Mailbox.heads, uids=part)) or []
                entries += [_Entry((head.received_at or stretch.since, name, head.uid), head) for head in heads]
        return sorted((entry for entry in entries if entry.place[0] >= stretch.since), key=lambda entry: entry.place)

    async def _portion(self, portion: Sequence[_Entry]) -> list[Arrived]:
        """Mails of several folders, in the order of the portion."""
        found: dict[tuple[str, int], Arrived] = {}
        for name in dict.fromkeys(entry.place[1] for entry in portion):
            heads = [entry.head for entry in portion if entry.place[1] == name]
            bodies = await self._bodies(self._folders[name], heads, last=0)
            found |= {(name, uid): arrived for uid, arrived in bodies.items()}
        places = ((entry.place[1], entry.place[2]) for entry in portion)
        return [found[place] for place in places if place in found]

    async def _bodies(self, folder: Folder, heads: Sequence[Fetched], *, last: int) -> dict[int, Arrived]:
        mails = await self._in(folder, partial(Mailbox.mails, heads=heads)) or []
        self._remember(folder, mails, last=last)
        sizes = {head.uid: head.size_bytes for head in heads}
        return {mail.uid: self._arrived(folder, mail, sizes[mail.uid]) for mail in mails}

    def _arrived(self, folder: Folder, mail: Fetched, size_bytes: int) -> Arrived:
        is_cut = size_bytes > LARGE_BYTES
        uid = str(MailUid(folder.name, self.cursor.marks[folder.name].validity, mail.uid))
        if is_cut:
            log.info("only the beginning of a large mail is read", uid=uid, size_bytes=size_bytes)
        return Arrived(
            uid=uid,
            raw=mail.raw or b"",
            folder=folder.name,
            labels=(*mail.labels, *([CUT_LABEL] if is_cut else [])),
            is_sent=folder.is_sent,
            is_read=mail.is_read,
            received_at=mail.received_at,
        )

    def _remember(self, folder: Folder, mails: Iterable[Fetched], *, last: int) -> None:
        if folder.name not in self._left_out:
            self.cursor = self.cursor.with_arrived(folder.name, mails, last=last, now=self._clock.now())

    async def _in(self, folder: Folder, step: Callable[[Mailbox], T], *, afresh: bool = False) -> T | None:
        """A step within one folder; None when the folder can't be read this time, which is no matter of the others.

        afresh: open it even if it is open. What came since is not seen for certain before that.
        """
        if folder.name in self._left_out:
            return None
        validity = self.cursor.marks[folder.name].validity

        def within(box: Mailbox) -> T:
            box.within(folder, validity, afresh=afresh)
            return step(box)

        try:
            return await self._connection.run(within)
        except FolderRefused as error:
            log.warning("a folder is left out", folder=folder.name, why=str(error))
            self._left_out.add(folder.name)
            return None


def _why(head: Fetched, at: datetime | None) -> Why:
    """Mails that were put here but are older than what was known here are no news: they were moved, or brought along.

    So are those of a folder that a server was still numbering anew when it was looked at.
    """
    is_old = at is not None and head.received_at is not None and head.received_at < at - GAP_SLACK_FOR
    return "gap" if is_old else "news"


def _fetched_bytes(head: Fetched) -> int:
    return head.size_bytes if head.size_bytes <= LARGE_BYTES else BEGINNING_BYTES


def _standing(box: Mailbox, mark: Mark) -> tuple[frozenset[int], frozenset[int], list[Fetched]]:
    """Of the mails known in a folder: those that are there, those that are unread, and those where that has turned."""
    alive = box.among(mark.known)
    unread = box.among(mark.known, unread=True) & alive
    return alive, unread, box.heads((unread ^ mark.unread) & alive)


def _changed(folder: Folder, mark: Mark, head: Fetched) -> Changed:
    return Changed(
        uid=str(MailUid(folder.name, mark.validity, head.uid)),
        folder=folder.name,
        labels=head.labels,
        is_read=head.is_read,
    )
