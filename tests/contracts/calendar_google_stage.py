"""The Google source as stages of the calendar contract: on a stand-in that others wrote, and on our own server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from myworld.core.instance import Instance

from tests.contracts.calendar_stage import NAME, Opening, Plan, Stage
from tests.doubles.clock import NOW, FakeClock
from tests.servers.google_myworld import CALENDARS, OWNER, MyWorld, endpoints_at, myworld_server, token_uri_at
from tests.servers.google_server import GoogleServer, google_server
from tests.servers.relay import Relay
from tools.google.calendar import GoogleCalendar
from tools.google.exchange import trust
from tools.google.session import Endpoints, open_session
from tools.google.token import Token, TokenFile
from tools.vault import Vault

WORK = "team-work@group.example"
"""myworld takes an id that begins otherwise for a person's."""


def body_of(plan: Plan) -> dict[str, Any]:
    rule = {"recurrence": [f"RRULE:{plan.rule}"]} if plan.rule else {}
    times = {
        name: {"dateTime": at.isoformat(), "timeZone": "Europe/Berlin"}
        for name, at in (("start", plan.start_at), ("end", plan.end_at))
    }
    return {"summary": plan.title, **times, **rule}


def source_of(token: Token, endpoints: Endpoints, folder: Path) -> GoogleCalendar:
    file = TokenFile(Vault(folder), "home", "read")
    if not file.exists():
        file.write(token)
    return GoogleCalendar(open_session(file, FakeClock(), endpoints=endpoints))


class GoogleStage:
    """Our own server. See calendar_stage.Stage."""

    can_refuse = True

    def __init__(self, google: GoogleServer, folder: Path) -> None:
        self._google = google
        self._folder = folder
        self._token = google.grant(FakeClock())
        self.secret = self._token.refresh_token
        google.calendars.remove(google.calendars.owner)
        google.calendars.add(WORK, summary="Work of the team", summaryOverride=NAME)

    def source(self) -> GoogleCalendar:
        return source_of(self._token, self._google.endpoints, self._folder)

    async def put(self, *plans: Plan) -> None:
        for plan in plans:
            self._google.calendars.put({"id": plan.uid, "iCalUID": plan.uid, **body_of(plan)}, WORK)

    async def delete(self, uid: str) -> None:
        self._google.calendars.cancel(uid, WORK)

    async def lose_cursor(self) -> None:
        self._google.calendars.forget_tokens()

    async def refuse(self) -> None:
        self._google.revoke()

    async def break_off(self) -> None:
        await asyncio.to_thread(self._google.stop)

    async def mend(self) -> None:
        self._google.start()


class MyWorldStage:
    """myworld, behind a relay. Its sync tokens never age, so its cursors can't be lost."""

    can_refuse = True

    def __init__(self, world: MyWorld, relay: Relay, folder: Path) -> None:
        self._world = world
        self._relay = relay
        self._folder = folder
        own = {"id": WORK, "summary": NAME, "accessRole": "owner"}
        self._calendar: Instance = world.calendar(CALENDARS | {"calendars": [own], "now": NOW.isoformat()})
        self.secret = world.bearer(self._calendar)
        del self._calendar.state["calendars"][OWNER]

    def source(self) -> GoogleCalendar:
        url = f"http://127.0.0.1:{self._relay.port}"
        token = replace(self._world.token(self._calendar, FakeClock()), token_uri=token_uri_at(url))
        return source_of(token, endpoints_at(url), self._folder)

    async def put(self, *plans: Plan) -> None:
        for plan in plans:
            each = plan.uid.encode().hex()
            is_there = each in self._calendar.state["events"]
            how, place, more = ("PATCH", f"/{each}", {}) if is_there else ("POST", "", {"id": each})
            await self._ask(how, place, body_of(plan) | more)
            self._calendar.state["events"][each]["iCalUID"] = plan.uid

    async def delete(self, uid: str) -> None:
        await self._ask("DELETE", f"/{uid.encode().hex()}")

    async def lose_cursor(self) -> None:
        pass

    async def refuse(self) -> None:
        self._world.forget(self._calendar)

    async def break_off(self) -> None:
        await self._relay.cut()

    async def mend(self) -> None:
        self._relay.mend()

    async def _ask(self, method: str, place: str, body: dict[str, Any] | None = None) -> None:
        self._calendar.advance(5)  # two things of the same moment are one to its sync tokens
        url = f"{self._world.endpoints.calendar}calendars/{WORK}/events{place}"
        async with httpx.AsyncClient(verify=trust(), headers={"authorization": f"Bearer {self.secret}"}) as http:
            (await http.request(method, url, json=body)).raise_for_status()
        self._calendar.advance(5)


@asynccontextmanager
async def google(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    with google_server() as server:
        yield GoogleStage(server, request.getfixturevalue("tmp_path"))


@asynccontextmanager
async def myworld(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    with myworld_server() as world:
        async with Relay(world.port) as relay:
            yield MyWorldStage(world, relay, request.getfixturevalue("tmp_path"))


STAGES: dict[str, Opening] = {"google": google, "myworld": myworld}
