"""What changed in one calendar since a token of the server's, and the objects themselves.

token ─► sync-collection ─► changed, gone, the next token
  │          │ the token is not known any more, or there was none: everything, as a whole
  │          └ the server has no such report ─► its list of objects, as a whole, whenever its tag is another one
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from caldav.lib.error import DAVError

from tools.caldav.client import Client, Refusal, quoted, tag, text_of
from tools.caldav.collection import Collection
from tools.source import SourceDown
from tools.webline import TooLarge

MOST_OBJECTS = 20_000
AT_ONCE = 50
"""Objects asked for in one request."""
MOST_PAGES = 200
"""A server may answer in portions."""

_TAG, _ETAG = tag("server", "getctag"), tag("dav", "getetag")
_LIST = "list:"
"""Before a tag, in place of a token, where the server has no tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What to fetch and what to forget, by path. `token`: for the next time. is_whole: `changed` is all there is."""

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    token: str
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """One object as the server has it."""

    path: str
    etag: str
    ics: str


async def changes_since(client: Client, calendar: Collection, token: str) -> Changes:
    """What changed since `token`; "" means everything."""
    if token.startswith(_LIST):
        return await _list(client, calendar, token)
    if token:
        try:
            return await _synced(client, calendar, token)
        except Refusal:
            # Whatever it is that the server does not like about a token: without one it has nothing to refuse.
            pass
    try:
        return await _synced(client, calendar, "")
    except Refusal:
        return await _list(client, calendar, "")


async def _synced(client: Client, calendar: Collection, since: str) -> Changes:
    changed: dict[str, None] = {}
    gone: dict[str, None] = {}
    token = since
    for _ in range(MOST_PAGES):
        page = await _page(client, calendar, token)
        for path in (one.href for one in page.changed):
            changed[path] = None
            gone.pop(path, None)
        for path in page.deleted:
            gone[path] = None
            changed.pop(path, None)
        has_moved, token = page.sync_token not in (None, token), page.sync_token or ""
        if not page.truncated or not has_moved:
            break
    _look_at_size(calendar, len(changed))
    own = calendar.url.path
    return Changes(
        changed=tuple(path for path in changed if path.rstrip("/") != own.rstrip("/")),
        gone=tuple(gone),
        token=token,
        is_whole=not since,
    )


async def _page(client: Client, calendar: Collection, token: str) -> Any:
    # Level 1: the collection and what lies in it; the depth header is 0 by RFC 6578.
    response = await client.sync_collection(str(calendar.url), sync_token=token, props=[_ETAG], depth=0)
    try:
        return response.parse_sync_collection()
    except DAVError as error:
        raise SourceDown(f"{calendar.url.host} answers with something that is no list of changes") from error


async def _list(client: Client, calendar: Collection, token: str) -> Changes:
    """Every object, unless the calendar's tag is still the one that `token` names."""
    now = await client.propfind(str(calendar.url), body=_ASK_TAG, depth=0)
    found = [text_of(result.properties.get(_TAG)) for result in now.parse_propfind()]
    current = f"{_LIST}{found[0] if found else ''}"
    if token == current != _LIST:
        return Changes(token=token)
    listed = await client.propfind(str(calendar.url), props=[_ETAG], depth=1)
    own = calendar.url.path.rstrip("/")
    paths = [path for path in (one.href for one in listed.parse_propfind()) if path.rstrip("/") != own]
    _look_at_size(calendar, len(paths))
    return Changes(changed=tuple(dict.fromkeys(paths)), token=current, is_whole=True)


_ASK_TAG = (
    '<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:" xmlns:C="http://calendarserver.org/ns/">'
    "<D:prop><C:getctag/></D:prop></D:propfind>"
)
"""The library drops the tag from a list of names."""
_ASK_OBJECTS = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav">'
    "<D:prop><D:getetag/><C:calendar-data/></D:prop>{hrefs}</C:calendar-multiget>"
)


def _look_at_size(calendar: Collection, count: int) -> None:
    if count > MOST_OBJECTS:
        raise SourceDown(f"the calendar {calendar.name} holds more than {MOST_OBJECTS} objects")


async def fetched(client: Client, calendar: Collection, paths: Sequence[str]) -> list[Object]:
    """The objects of these paths; those that are gone meanwhile, hold no event or are far too large are not among them."""
    found: list[Object] = []
    for start in range(0, len(paths), AT_ONCE):
        found += await _some(client, calendar, paths[start : start + AT_ONCE])
    return found


async def _some(client: Client, calendar: Collection, paths: Sequence[str]) -> list[Object]:
    """A few at once; when the answer is too large, in halves, so that one monster does not hide the others."""
    hrefs = "".join(f"<D:href>{escape(quoted(path))}</D:href>" for path in paths)
    try:
        # No depth, by RFC 4791 7.9. The library's own request for several objects names none of them.
        response = await client.report(str(calendar.url), _ASK_OBJECTS.format(hrefs=hrefs), depth=None)
    except TooLarge:
        if len(paths) == 1:
            return []
        middle = len(paths) // 2
        first = await _some(client, calendar, paths[:middle])
        return first + await _some(client, calendar, paths[middle:])
    try:
        results = response.parse_calendar_query()
    except DAVError as error:
        raise SourceDown(f"{calendar.url.host} answers with something that is no calendar") from error
    return [
        Object(one.href, (one.etag or "").strip(), one.calendar_data)
        for one in results
        if one.calendar_data and "BEGIN:VEVENT" in one.calendar_data
    ]
