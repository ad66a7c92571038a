"""A CalDAV account: every calendar with events that can be reached from one address."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from datetime import timedelta

from tools.caldav.changes import changes_since, fetched
from tools.caldav.client import Client, Refusal
from tools.caldav.collection import Collection, calendars
from tools.calendar import CalendarBatch, CalendarItem
from tools.mail import Checked
from tools.webline import SILENCE_FOR, Manners, read_address

MOST_BYTES = 20_000_000
"""Of one answer; objects are asked for by fifties."""

_NOT_FOR_US = frozenset({403, 404, 405, 410})


class CalDavCalendar:
    """One login. `url` may be the server's, a principal's or a calendar's; `secret` is asked for at each signing in.

    Raises BadInput for an address that is no https (http on this machine alone).
    """

    def __init__(self, url: str, *, user: str, secret: Callable[[], str], silence_for: timedelta = SILENCE_FOR) -> None:
        self._url = read_address(url).copy_with(username="", password="", fragment=None)
        self._user = user
        self._secret = secret
        self._manners = Manners(most_bytes=MOST_BYTES, silence_for=silence_for)
        self._client: Client | None = None

    async def batches(self, cursor: str | None, *, skips: Callable[[str], bool]) -> AsyncIterator[CalendarBatch]:
        """A batch for each calendar in which something changed. The cursor keeps a token for each calendar."""
        tokens = _read_cursor(cursor)
        present = await calendars(self._signed_in(), self._url)
        names = {calendar.id: calendar.name for calendar in present}
        missing = tuple(sorted(set(tokens) - set(names)))
        if missing or cursor is None:
            tokens = {name: token for name, token in tokens.items() if name in names}
            yield CalendarBatch(whole=missing, names=names, cursor=_cursor(tokens))
        for calendar in present:
            if skips(calendar.name):
                continue
            batch, token = await self._changed(calendar, tokens)
            if token == tokens.get(calendar.id) and not _says_something(batch):
                continue
            tokens = {**tokens, calendar.id: token}
            yield CalendarBatch(
                items=batch.items, gone=batch.gone, whole=batch.whole, names=names, cursor=_cursor(tokens)
            )

    async def wait(self, at_most: timedelta) -> None:
        """CalDAV tells nothing by itself: return when the time is over."""
        await asyncio.sleep(at_most.total_seconds())

    async def check(self) -> Checked:
        """Sign in and look which calendars there are."""
        found = await calendars(self._signed_in(), self._url)
        notes = () if found else ("there is no calendar yet",)
        return Checked(
            identity=self._user if "@" in self._user else "", folders=tuple(one.name for one in found), notes=notes
        )

    async def close(self) -> None:
        """Let go of the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _signed_in(self) -> Client:
        if self._client is None:
            self._client = Client(self._url, self._user, self._secret, self._manners)
        return self._client

    async def _changed(self, calendar: Collection, tokens: dict[str, str]) -> tuple[CalendarBatch, str]:
        """What changed in one calendar, and its next token. One that is not for us to read is passed over."""
        before = tokens.get(calendar.id, "")
        try:
            changes = await changes_since(self._signed_in(), calendar, before)
            objects = await fetched(self._signed_in(), calendar, changes.changed)
        except Refusal as error:
            if error.status not in _NOT_FOR_US:
                raise
            return CalendarBatch(cursor=""), before
        items = tuple(CalendarItem(calendar=calendar.id, ref=one.path, ics=one.ics, etag=one.etag) for one in objects)
        there = {item.ref for item in items}
        # What changed and is not there now: deleted meanwhile, or an event no longer.
        vanished = [] if changes.is_whole else [path for path in changes.changed if path not in there]
        gone = tuple((calendar.id, path) for path in (*changes.gone, *vanished) if path not in there)
        whole = (calendar.id,) if changes.is_whole else ()
        return CalendarBatch(items=items, gone=() if whole else gone, whole=whole, cursor=""), changes.token


def _says_something(batch: CalendarBatch) -> bool:
    return bool(batch.items or batch.gone or batch.whole)


def _cursor(tokens: dict[str, str]) -> str:
    return json.dumps(tokens, sort_keys=True, ensure_ascii=False)


def _read_cursor(cursor: str | None) -> dict[str, str]:
    """Token by calendar; none for a cursor that can't be read: then all is read again."""
    try:
        found = json.loads(cursor or "{}")
        return {str(name): str(token) for name, token in found.items()}
    except (ValueError, AttributeError):
        return {}
