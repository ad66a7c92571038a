"""A Gmail mailbox, asked one thing at a time: what is listed, what the history tells, what one mail holds."""

import asyncio
import binascii
from base64 import urlsafe_b64decode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from tools.google.answers import HistoryPage, Label, Labels, Mail, MailPage, Profile, Record
from tools.google.failures import Declined, Lost, NotThere
from tools.google.labels import LabelBook
from tools.google.place import moment
from tools.google.session import Request, Session
from tools.mail import Arrived

PAGE = 500
"""As many ids as a page of a listing or of the history may hold."""

PAGES_MOST = 4000
"""Two million mails; a listing that goes on beyond that never ends."""

UID = "gmail:"

Page = TypeVar("Page", MailPage, HistoryPage)


class Mailbox:
    """The mailbox that `session` may read."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def profile(self) -> Profile:
        """Whose it is and where its history stands."""
        return await self._session.gmail(lambda gmail: gmail.users().getProfile(userId="me"), Profile)

    async def labels(self) -> tuple[Label, ...]:
        """Every label there is."""
        return (await self._session.gmail(lambda gmail: gmail.users().labels().list(userId="me"), Labels)).labels

    async def listed(self, since_ms: int) -> list[str]:
        """The ids of all mails that came in since then, oldest first; spam and trash are left out by Gmail."""
        query = f"after:{max(since_ms, 0) // 1000} -in:drafts -in:chats"

        def page(gmail: Any, **at: str) -> Request:
            return gmail.users().messages().list(userId="me", q=query, maxResults=PAGE, **at)

        pages = await self._pages(page, MailPage)
        return list(dict.fromkeys(mail.id for page in reversed(pages) for mail in reversed(page.messages)))

    async def history(self, start: str) -> tuple[list[Record], str]:
        """What happened after `start`, oldest first, and where the history stands now.

        Raises NotThere when Gmail no longer knows `start`: it remembers a week, sometimes hours.
        """

        def page(gmail: Any, **at: str) -> Request:
            return gmail.users().history().list(userId="me", startHistoryId=start, maxResults=PAGE, **at)

        try:
            pages = await self._pages(page, HistoryPage)
        except Declined as error:
            if error.status != 400:
                raise
            raise NotThere("Gmail does not know this place in its history") from error
        return [record for page in pages for record in page.history], pages[-1].history_id or start

    async def fetch(self, ids: Sequence[str], book: LabelBook) -> list[Arrived]:
        """The mails with these ids in their order, without those that are gone by now or hidden by `book`."""
        fetching = [asyncio.create_task(self._fetch(each, book), name="gmail fetch") for each in ids]
        try:
            mails = await asyncio.gather(*fetching)
        finally:
            # After a first refusal the rest is not asked for any more: patience was asked for, or the line is down.
            for task in fetching:
                task.cancel()
            await asyncio.gather(*fetching, return_exceptions=True)
        return [mail for mail in mails if mail is not None]

    async def _fetch(self, each: str, book: LabelBook) -> Arrived | None:
        try:
            # What is skipped is not fetched at all, so its labels are asked for alone first.
            if book.skips_any and book.hides((await self._get(each, "minimal")).label_ids):
                return None
            mail = await self._get(each, "raw")
        except NotThere:
            return None
        return None if book.hides(mail.label_ids) else _arrived(mail, book)

    async def _get(self, each: str, how: str) -> Mail:
        return await self._session.gmail(
            lambda gmail: gmail.users().messages().get(userId="me", id=each, format=how), Mail
        )

    async def _pages(self, request: Callable[..., Request], shape: type[Page]) -> list[Page]:
        """Every page. A page token that has expired on the way is answered by starting once more, from the first page."""
        try:
            return await self._run_through(request, shape)
        except Declined as error:
            if error.status != 400:
                raise
            return await self._run_through(request, shape)

    async def _run_through(self, request: Callable[..., Request], shape: type[Page]) -> list[Page]:
        pages: list[Page] = []
        at: dict[str, str] = {}
        while len(pages) < PAGES_MOST:
            page = await self._session.gmail(partial(request, **at), shape)
            pages.append(page)
            if not page.next_page_token:
                return pages
            at = {"pageToken": page.next_page_token}
        raise Lost("Gmail's listing never ends")


def raw_of(mail: Mail) -> bytes:
    """The mail as it came, byte for byte. Raises Lost when what Gmail handed over can't be decoded."""
    try:
        return urlsafe_b64decode(mail.raw + "=" * (-len(mail.raw) % 4))
    except (binascii.Error, ValueError):
        raise Lost("Gmail hands over a mail that can't be decoded") from None


def _arrived(mail: Mail, book: LabelBook) -> Arrived:
    shelf = book.shelf(mail.label_ids)
    return Arrived(
        uid=UID + mail.id,
        raw=raw_of(mail),
        folder=shelf.folder,
        labels=shelf.labels,
        is_sent=shelf.is_sent,
        is_read=shelf.is_read,
        received_at=moment(mail.internal_date),
    )
