"""The mail port over IMAP.

folders ─► how each stands ─► the cursor held against that ─► stretches (backfill, gaps), by date over all folders
                                                           ─► news, folder by folder, by uid
                                                           ─► what was read or is gone among the newest
wait: IDLE on INBOX, or a pause
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import aclosing
from datetime import datetime, timedelta
from functools import partial

import structlog

from memory.clock import Clock, SystemClock
from memory.errors import OutOfReach
from tools.imap.access import Access
from tools.imap.answer import Stamp
from tools.imap.connection import Connection
from tools.imap.cursor import Cursor, begun, continued, read_cursor, spell_cursor
from tools.imap.failures import FolderRefused
from tools.imap.folder import Folder, readable
from tools.imap.look import Look
from tools.imap.mailbox import Mailbox
from tools.imap.uid import MailUid
from tools.mail import Checked, MailBatch
from tools.source import SourceDown

POLL_FOR = timedelta(seconds=60)

IDLE_FOR = timedelta(minutes=25)
"""Servers may hang up on an IDLE of 29 minutes (RFC 2177)."""

SETTLE_FOR = timedelta(milliseconds=200)
"""After a change was heard: what comes together is looked at together, and a babbling server keeps nobody busy."""

SYSTEM_CLOCK = SystemClock()

log = structlog.get_logger(__name__)


async def pause(time_for: timedelta) -> None:
    """Let time pass."""
    await asyncio.sleep(time_for.total_seconds())


class ImapMail:
    """See tools.mail.MailSource. Changes nothing on the server, not even what counts as read there.

    identity: the owner's address there. only: the folders to read, all others aside; empty reads what tools/imap/folder
    takes to be mail. pausing: how time is let pass where there is nothing to listen to.
    """

    def __init__(
        self,
        access: Access,
        *,
        identity: str,
        only: Collection[str] = (),
        clock: Clock = SYSTEM_CLOCK,
        pausing: Callable[[timedelta], Awaitable[None]] = pause,
    ) -> None:
        self._access = access
        self._identity = identity
        self._only = tuple(only)
        self._clock = clock
        self._pause = pausing
        self._connection = Connection(access)
        self._inbox: Folder | None = None
        self._inbox_stamp: Stamp | None = None
        self._roused_by: tuple[int, int] | None = None

    async def batches(
        self, cursor: str | None, *, since: datetime, skips: Callable[[str], bool]
    ) -> AsyncIterator[MailBatch]:
        """See tools.mail.MailSource."""
        await self._connection.refresh()
        listed = await self._folders()
        folders = {folder.name: folder for folder in readable(listed, only=self._only) if not skips(folder.name)}
        stamps = await self._stand(folders)
        before = read_cursor(cursor) if cursor is not None else begun(stamps, since=since)
        look = Look(
            self._connection, folders, stamps, continued(_trimmed(before, folders), stamps, since=since), self._clock
        )
        if gone := tuple(_gone_with_their_folder(before, {folder.name for folder in listed})):
            yield look.batch(gone=gone)
        for part in (look.stretches(), look.news()):
            async with aclosing(part) as batches:  # type: ignore[type-var]
                async for batch in batches:
                    cursor = batch.cursor
                    yield batch
        changes = await look.changes()
        if changes is not None:
            yield changes
        elif spell_cursor(look.cursor) != cursor:
            yield look.batch()

    async def wait(self, at_most: timedelta) -> None:
        """See tools.mail.MailSource. Makes no connection of its own."""
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + at_most.total_seconds()
        if not await self._listen(min(at_most, IDLE_FOR)):
            left_for = timedelta(seconds=max(ends_at - loop.time(), 0))
            await self._pause(min(left_for, POLL_FOR))

    async def check(self) -> Checked:
        """See tools.mail.MailSource."""
        await self._connection.refresh()
        listed = await self._folders()
        folders = readable(listed, only=self._only)
        stamps = await self._stand({folder.name: folder for folder in folders})
        can_idle = await self._connection.run(lambda box: "IDLE" in box.capabilities)
        notes = _notes(self._access, listed, folders, refused=len(folders) - len(stamps), can_idle=can_idle)
        return Checked(identity=self._identity, folders=tuple(folder.name for folder in folders), notes=tuple(notes))

    async def close(self) -> None:
        """See tools.mail.MailSource."""
        await self._connection.close()

    async def _folders(self) -> tuple[Folder, ...]:
        listed = await self._connection.run(Mailbox.folders)
        if not any(folder.name == "INBOX" for folder in listed):
            # Every account has one. Believing this list would mean believing that all mail is gone.
            raise SourceDown(f"{self._access.place} lists no INBOX; it is asked again later")
        return listed

    async def _stand(self, folders: Mapping[str, Folder]) -> dict[str, Stamp]:
        """How each folder stands; one that can't be read is left out, INBOX apart."""
        stamps: dict[str, Stamp] = {}
        for name, folder in folders.items():
            try:
                stamps[name] = await self._connection.run(partial(Mailbox.stamp, folder=folder))
            except FolderRefused as error:
                if name == "INBOX":
                    raise SourceDown(f"{self._access.place} can't be read just now: {error}") from error
                log.warning("a folder is left out", folder=name, why=str(error))
        self._inbox, self._inbox_stamp = folders.get("INBOX"), stamps.get("INBOX")
        return stamps

    async def _listen(self, at_most: timedelta) -> bool:
        """Listen on INBOX. False when that can't be done, or broke off."""
        inbox = self._inbox
        if inbox is None or not self._connection.is_open:
            return False
        try:
            heard = await self._connection.run(
                lambda box: self._hear(box, inbox, at_most.total_seconds()), longer_for=at_most
            )
        except (OutOfReach, FolderRefused) as error:
            log.info("listening broke off", why=str(error))
            return False
        if heard:
            await self._pause(SETTLE_FOR)
        return heard is not None

    def _hear(self, box: Mailbox, inbox: Folder, seconds: float) -> bool | None:
        """In the thread: whether anything has changed since the last look; None when the server can't tell by itself."""
        if "IDLE" not in box.capabilities:
            return None
        stands = box.look_into(inbox)
        stamp = self._inbox_stamp
        # What came between the look and now makes no sound any more. A server that counts oddly rouses once, not for ever.
        if stamp and all(stands) and stands not in ((stamp.mails, stamp.next_uid), self._roused_by):
            self._roused_by = stands
            return True
        return box.idle(seconds)


def _trimmed(cursor: Cursor, folders: Mapping[str, Folder]) -> Cursor:
    """Without what is no longer there or no longer read."""
    for name in [name for name in cursor.marks if name not in folders]:
        cursor = cursor.without(name)
    return cursor


def _gone_with_their_folder(cursor: Cursor, there: set[str]) -> Iterator[str]:
    for name, mark in cursor.marks.items():
        if name not in there:
            yield from (str(MailUid(name, mark.validity, uid)) for uid in sorted(mark.known))


def _notes(
    access: Access, listed: tuple[Folder, ...], folders: tuple[Folder, ...], *, refused: int, can_idle: bool
) -> Iterator[str]:
    if access.is_open_to_others:
        yield "the line isn't encrypted: others on the network can read mail and password"
    if not can_idle:
        yield "no IDLE: it is looked at every minute"
    if not any(folder.is_sent for folder in folders):
        yield "no folder for sent mail was found: what you answered there isn't known"
    if left_out := [folder.name for folder in listed if folder not in folders]:
        yield f"not read: {', '.join(left_out[:20])}"
    if refused:
        yield f"folders that can't be opened: {refused}"
