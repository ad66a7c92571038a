"""Which calendars there are on a server, found from whatever address the owner was given.

the address ─► a calendar itself?  that one
            ─► a principal, or a page that names one ─► its calendar homes ─► the calendars in them
            ─► none of these: the same from /.well-known/caldav
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from caldav.response import PropfindResult

from tools.caldav.client import Client, Refusal, quoted, tag, text_of
from tools.ics.plain import one_line
from tools.source import SourceDown

MOST_CALENDARS = 200
NAME_MOST = 120

_TYPE, _NAME = tag("dav", "resourcetype"), tag("dav", "displayname")
_PRINCIPAL, _HOME = tag("dav", "current-user-principal"), tag("caldav", "calendar-home-set")
_KINDS, _IS_CALENDAR = tag("caldav", "supported-calendar-component-set"), tag("caldav", "calendar")
_ASKED = [_TYPE, _NAME, _PRINCIPAL, _HOME, _KINDS]
_MISSING = frozenset({403, 404, 405})


@dataclass(frozen=True, slots=True)
class Collection:
    """One calendar. `id`: its path, which is its name among all of this account. `url`: where it is asked."""

    id: str
    name: str
    url: httpx.URL


async def calendars(client: Client, url: httpx.URL) -> tuple[Collection, ...]:
    """The calendars with events that can be reached from `url`, by path. Raises SourceDown when there is no way to any."""
    found = await _from(client, url)
    if found is None:
        found = await _from(client, url.join("/.well-known/caldav"))
    if found is None:
        raise SourceDown(f"{url.host} names no calendars at this address: use the one that its help gives for CalDAV")
    return tuple(sorted({one.id: one for one in found[:MOST_CALENDARS]}.values(), key=lambda one: one.id))


async def _from(client: Client, url: httpx.URL) -> list[Collection] | None:
    """The calendars of one address, None when it knows of none."""
    here = await _look(client, url)
    own = list(_events_only(here, url))
    if own:
        return own
    homes = _homes(here)
    for principal in _texts(here, _PRINCIPAL):
        homes = homes or _homes(await _look(client, url.join(principal)))
    if not homes:
        return None
    found: list[Collection] = []
    for home in homes:
        there = url.join(home)
        found += _events_only(await _look(client, there, depth=1), there)
    return found


async def _look(client: Client, url: httpx.URL, *, depth: int = 0) -> Sequence[PropfindResult]:
    try:
        response = await client.propfind(str(url), props=_ASKED, depth=depth)
    except Refusal as error:
        if error.status in _MISSING:
            return ()
        raise
    return response.parse_propfind()


def _events_only(results: Iterable[PropfindResult], base: httpx.URL) -> Iterable[Collection]:
    """The calendars among them that can hold events; one that does not say what it holds can."""
    for result in results:
        kinds = _listed(result.properties.get(_KINDS))
        if _IS_CALENDAR in _listed(result.properties.get(_TYPE)) and (not kinds or "VEVENT" in kinds):
            path = result.href
            name = one_line(text_of(result.properties.get(_NAME)), NAME_MOST)
            url = base.join(quoted(path))
            yield Collection(path, name or path.rstrip("/").rpartition("/")[2] or path, url)


def _homes(results: Sequence[PropfindResult]) -> list[str]:
    return list(dict.fromkeys(_texts(results, _HOME)))


def _texts(results: Iterable[PropfindResult], name: str) -> list[str]:
    return [text for result in results for text in _listed(result.properties.get(name))]


def _listed(value: Any) -> list[str]:
    """One text or several, as the library has it, as a list."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
