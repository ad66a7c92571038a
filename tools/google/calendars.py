"""The calendars of a Google account, asked one thing at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tools.google.answers import Entry, EntryPage, Event, EventPage
from tools.google.failures import Declined, Lost, NotThere
from tools.google.session import Request, Session

PAGE = 2500
"""As many events as a page may hold."""

PAGES_MOST = 400
"""A million events; a listing that goes on beyond that never ends."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Events as Google lists them, the token by which to ask for what changes after, and the calendar's zone."""

    items: tuple[object, ...]
    token: str
    zone: str


class Calendars:
    """The calendars that `session` may read."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def entries(self) -> list[Entry]:
        """The owner's list of calendars."""
        entries: list[Entry] = []
        at: dict[str, str] = {}
        for _ in range(PAGES_MOST):
            page = await self._session.calendar(partial(_entries, **at), EntryPage)
            entries += page.items
            if not page.next_page_token:
                return entries
            at = {"pageToken": page.next_page_token}
        raise Lost("Google's list of calendars never ends")

    async def events(self, calendar: str, *, token: str = "", uid: str = "") -> Listed:
        """All events of a calendar with those that were cancelled; only what changed since `token`; or only those of `uid`.

        Raises NotThere when the token is no longer good (410) or the calendar is gone.
        """
        narrowed = {name: value for name, value in (("syncToken", token), ("iCalUID", uid)) if value}

        def page(google: Any, **at: str) -> Request:
            return google.events().list(
                calendarId=calendar, showDeleted=True, singleEvents=False, maxResults=PAGE, **narrowed, **at
            )

        try:
            return await self._run_through(page)
        except Declined as error:
            # A page token that has expired on the way: once more, from the first page.
            if error.status != 400:
                raise
        return await self._run_through(page)

    async def event(self, calendar: str, ref: str) -> Event | None:
        """One event; None when there is none such in this calendar."""
        try:
            return await self._session.calendar(
                lambda google: google.events().get(calendarId=calendar, eventId=ref), Event
            )
        except NotThere:
            return None

    async def _run_through(self, page: Callable[..., Request]) -> Listed:
        items: list[object] = []
        at: dict[str, str] = {}
        for _ in range(PAGES_MOST):
            answer = await self._session.calendar(partial(page, **at), EventPage)
            items += answer.items
            if not answer.next_page_token:
                return Listed(tuple(items), answer.next_sync_token, answer.time_zone)
            at = {"pageToken": answer.next_page_token}
        raise Lost("Google's list of events never ends")


def _entries(google: Any, **at: str) -> Request:
    return google.calendarList().list(maxResults=250, showHidden=True, **at)
