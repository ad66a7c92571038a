"""Gmail as a source of mail: caught up with by listing, then followed by its history.

    cursor ─► catching up? list what is left, oldest first, 25 mails a batch
           ─► news: the history since ─┬─ records ─► batches
                                       └─ 404, forgotten ─► note where it stands now, catch up with the gap, news again

Where the history stands is noted before anything is listed, so that nothing falls between; what came since is told by
the history and therefore left out of the listing.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime, timedelta

from tools.google.answers import Record
from tools.google.failures import Lost, NotThere
from tools.google.history import labels_in, news_of, portions
from tools.google.labels import ARCHIVE, INBOX, SENT, LabelBook, label_book
from tools.google.mailbox import UID, Mailbox
from tools.google.place import Place, begun, place_of
from tools.google.session import Session
from tools.mail import Arrived, Changed, Checked, MailBatch

BATCH = 25
"""So many mails are fetched and committed together."""

POLL_FOR = timedelta(minutes=1)

_FRESH_STARTS_MOST = 3


class GmailMail:
    """One mailbox, read with the reading grant. `pause` sleeps so many seconds."""

    def __init__(self, session: Session, *, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        if session.kind != "read":
            raise ValueError("mail is read with the grant for reading")
        self._session = session
        self._pause = pause
        self._mailbox = Mailbox(session)

    async def batches(
        self, cursor: str | None, *, since: datetime, skips: Callable[[str], bool]
    ) -> AsyncIterator[MailBatch]:
        """As the port says."""
        reading = _Reading(self._mailbox, cursor, since, skips)
        async for batch in reading.batches():
            yield batch

    async def wait(self, at_most: timedelta) -> None:
        """Until the next look: a minute, or `at_most`."""
        await self._pause(min(at_most, POLL_FOR).total_seconds())

    async def check(self) -> Checked:
        """Whose mailbox it is and what its labels are called."""
        profile, labels = await asyncio.gather(self._mailbox.profile(), self._mailbox.labels())
        own = sorted(label.name for label in labels if label.type == "user")
        return Checked(
            identity=profile.email_address.lower(),
            folders=(INBOX, SENT, ARCHIVE, *own),
            notes=(f"{profile.messages_total} mails",),
        )

    async def close(self) -> None:
        """As the port says."""
        await self._session.close()


class _Reading:
    """One run through what is new; `place` moves along with what is handed out."""

    def __init__(self, mailbox: Mailbox, cursor: str | None, since: datetime, skips: Callable[[str], bool]) -> None:
        self._mailbox = mailbox
        self._place = place_of(cursor)
        self._is_first = cursor is None
        self._since = since
        self._skips = skips
        self._book: LabelBook | None = None

    async def batches(self) -> AsyncIterator[MailBatch]:
        """Everything until there is no more for now."""
        for _ in range(_FRESH_STARTS_MOST):
            try:
                place = self._place or await self._begin_anew()
                async for batch in self._caught_up(place):
                    yield batch
                async for batch in self._news(self._place or place):
                    yield batch
                return
            except NotThere:
                await self._begin_anew()
        raise Lost("Gmail forgets its history faster than it can be read")

    async def _begin_anew(self) -> Place:
        history = (await self._mailbox.profile()).history_id
        place = begun(history, self._place, self._since, is_first=self._is_first)
        self._place = place
        return place

    async def _caught_up(self, place: Place) -> AsyncIterator[MailBatch]:
        if place.catch_up is None:
            return
        why, done = place.catch_up.why, place.catch_up.done
        left = await self._left(place)
        total, book = done + len(left), await self._labels()
        for start in range(0, max(len(left), 1), BATCH):
            ids = left[start : start + BATCH]
            arrived = await self._mailbox.fetch(ids, book)
            place = _after(place, arrived, done=len(ids))
            done += len(ids)
            if start + BATCH >= len(left):
                place = place.at_news()
            self._place = place
            yield MailBatch(arrived=tuple(arrived), cursor=place.cursor, why=why, done=done, total=total)

    async def _left(self, place: Place) -> list[str]:
        """The ids of what is left of the stretch, oldest first."""
        listed = await self._mailbox.listed(place.listed_from_ms())
        records, _ = await self._mailbox.history(place.history)
        told = {touched.message.id for record in records for touched in record.messages_added}
        known = told.union(place.recent)
        return [each for each in listed if each not in known]

    async def _news(self, place: Place) -> AsyncIterator[MailBatch]:
        records, stands_at = await self._mailbox.history(place.history)
        if not records and stands_at == place.history:
            return
        book = await self._labels(records)
        parts = list(portions(records, BATCH)) or [[]]
        for number, part in enumerate(parts, 1):
            news = news_of(part, book)
            arrived = await self._mailbox.fetch(news.with_fate("came"), book)
            place = _after(place, arrived).at_news(stands_at if number == len(parts) else news.upto)
            self._place = place
            yield MailBatch(
                arrived=tuple(arrived),
                changed=tuple(_changed(each, news.labels[each], book) for each in news.with_fate("moved")),
                gone=tuple(UID + each for each in news.with_fate("gone")),
                cursor=place.cursor,
            )

    async def _labels(self, records: Sequence[Record] = ()) -> LabelBook:
        """The labels; looked up again when a record names one that is new."""
        if self._book is None or not self._book.knows(labels_in(records)):
            self._book = label_book(await self._mailbox.labels(), self._skips)
        return self._book


def _after(place: Place, arrived: Sequence[Arrived], *, done: int = 0) -> Place:
    read = [
        (mail.uid.removeprefix(UID), int(mail.received_at.timestamp() * 1000) if mail.received_at else 0)
        for mail in arrived
    ]
    return place.read(read, done=done)


def _changed(each: str, labels: tuple[str, ...], book: LabelBook) -> Changed:
    shelf = book.shelf(labels)
    return Changed(uid=UID + each, folder=shelf.folder, labels=shelf.labels, is_read=shelf.is_read)
