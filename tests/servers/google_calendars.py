"""The Calendar half of our own Google server: occurrences beside their series, sync tokens that expire, etags that count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

from tests.servers.google_mailbox import Json, Refused


@dataclass
class CalendarBox:
    """The calendars of `owner`. An event is what Google would tell of it; `put` fills in what every one has."""

    owner: str
    page_size: int | None = None
    zone: str = "Europe/Berlin"
    entries: dict[str, Json] = field(default_factory=dict)
    events: dict[str, dict[str, Json]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    """What guests were told: "METHOD ref" of every act with sendUpdates=all."""
    _serial: int = 1
    _forgotten: int = 0
    _epoch: int = 0

    def __post_init__(self) -> None:
        self.add(self.owner, summary=self.owner, primary=True)

    # What happens in the world

    def add(self, calendar: str, *, summary: str = "", role: str = "owner", **more: Any) -> None:
        """A calendar is in the owner's list from now on."""
        self.entries[calendar] = {"id": calendar, "summary": summary or calendar, "accessRole": role, **more}
        self.events.setdefault(calendar, {})

    def remove(self, calendar: str) -> None:
        """A calendar is gone."""
        del self.entries[calendar], self.events[calendar]

    def put(self, event: Mapping[str, Any], calendar: str = "") -> Json:
        """An event is there, or is as it is now told."""
        held = self.events[calendar or self.owner]
        each = event["id"]
        self._serial += 1
        held[each] = {
            "status": "confirmed",
            "iCalUID": f"{event.get('recurringEventId', each)}@google.com",
            "created": "2026-02-01T08:00:00.000Z",
            "updated": "2026-02-01T08:00:00.000Z",
            **held.get(each, {}),
            **event,
            "etag": f'"{self._serial}"',
            "_serial": self._serial,
        }
        return held[each]

    def cancel(self, each: str, calendar: str = "", **known: Any) -> None:
        """It is cancelled; of it only ids remain."""
        held = self.events[calendar or self.owner]
        self._serial += 1
        kept = {
            name: held[each][name] for name in ("recurringEventId", "originalStartTime") if name in held.get(each, {})
        }
        told = {"id": each, "status": "cancelled", **kept, **known}
        held[each] = told | {"etag": f'"{self._serial}"', "_serial": self._serial}

    def forget_tokens(self) -> None:
        """Sync tokens given out so far are no longer good."""
        self._serial += 1
        self._forgotten = self._serial

    def expire_pages(self) -> None:
        """Page tokens given out so far are no longer good."""
        self._epoch += 1

    # What the client asks

    def call(self, method: str, path: str, query: str, body: Any, headers: Mapping[str, str]) -> Any:
        """The answer to a call under /calendar/v3. Raises Refused."""
        asked = {name: values[-1] for name, values in parse_qs(query).items()}
        if path == "/users/me/calendarList":
            return self._page(asked, list(self.entries.values()))
        found = re.fullmatch(r"/calendars/([^/]+)/events(?:/([^/]+))?", path)
        if not found:
            raise Refused(404, "notFound", f"no such call: {method} {path}")
        calendar = unquote(found[1]) if unquote(found[1]) != "primary" else self.owner
        if calendar not in self.events:
            raise Refused(404)
        if found[2] is None:
            return self._insert(calendar, body, asked) if method == "POST" else self._list(calendar, asked)
        return self._one(method, calendar, unquote(found[2]), asked, body, headers)

    def _list(self, calendar: str, asked: Json) -> Json:
        since = 0
        if "syncToken" in asked:
            if "iCalUID" in asked:
                raise Refused(400, "invalid", "Sync token cannot be used with iCalUID")
            since = int(asked["syncToken"].removeprefix("sync-"))
            if since < self._forgotten:
                raise Refused(410, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
        found = [event for event in self.events[calendar].values() if event["_serial"] > since]
        if "iCalUID" in asked:
            found = [
                event for event in found if event.get("iCalUID") == asked["iCalUID"] or self._is_part(event, found)
            ]
        if asked.get("showDeleted") != "true" and not since:
            found = [event for event in found if event["status"] != "cancelled" or "recurringEventId" in event]
        page = self._page(asked, [_public(event) for event in found])
        done = {} if "nextPageToken" in page else {"nextSyncToken": f"sync-{self._serial}"}
        return {"items": [], **page, **done, "timeZone": self.zone}

    def _is_part(self, event: Json, found: list[Json]) -> bool:
        # A cancelled occurrence bears no UID of its own, and belongs to its series all the same.
        return any(event.get("recurringEventId") == other["id"] for other in found if "iCalUID" in other)

    def _insert(self, calendar: str, body: Json, asked: Json) -> Json:
        if body["id"] in self.events[calendar]:
            raise Refused(409, "duplicate", "The requested identifier already exists.")
        self._tell("POST", body["id"], asked)
        return _public(self.put({name: value for name, value in body.items() if value is not None}, calendar))

    def _one(
        self, method: str, calendar: str, each: str, asked: Json, body: Any, headers: Mapping[str, str]
    ) -> Json | None:
        held = self.events[calendar].get(each)
        if held is None:
            raise Refused(404)
        if method == "GET":
            return _public(held)
        if method == "DELETE" and held["status"] == "cancelled":
            raise Refused(410, "deleted", "Resource has been deleted")
        if headers.get("if-match", held["etag"]) != held["etag"]:
            raise Refused(412, "conditionNotMet", "Precondition Failed")
        self._tell(method, each, asked)
        if method == "DELETE":
            self.cancel(each, calendar)
            return None
        return _public(self.put({"id": each, **body}, calendar))

    def _tell(self, method: str, each: str, asked: Json) -> None:
        if asked.get("sendUpdates") == "all":
            self.told.append(f"{method} {each}")

    def _page(self, asked: Json, entries: list[Json]) -> Json:
        size = self.page_size or min(int(asked.get("maxResults", 250)), 2500)
        epoch, _, start = asked.get("pageToken", f"{self._epoch}.0").partition(".")
        if epoch != str(self._epoch):
            raise Refused(400, "invalid", "Invalid page token value.")
        begin = int(start)
        more = {"nextPageToken": f"{epoch}.{begin + size}"} if begin + size < len(entries) else {}
        return {"items": entries[begin : begin + size]} | more


def _public(event: Json) -> Json:
    return {name: value for name, value in event.items() if name != "_serial"}
