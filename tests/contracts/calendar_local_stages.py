"""The calendar sources that need nobody's service, as stages of the calendar contract: CalDAV, a file, an address."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.contracts.calendar_stage import Opening, Plan, Stage, ics_of
from tests.servers import ics_web, radicale
from tools.caldav.source import CalDavCalendar
from tools.calendar import CalendarSource
from tools.ics.source import IcsCalendar


class CalDavStage:
    """Radicale, an independent server. See calendar_stage.Stage."""

    secret = radicale.PASSWORD
    can_refuse = True

    def __init__(self, server: radicale.Radicale) -> None:
        self._server = server

    def source(self) -> CalendarSource:
        return CalDavCalendar(self._server.url, user=radicale.USER, secret=lambda: radicale.PASSWORD)

    async def put(self, *plans: Plan) -> None:
        for plan in plans:
            self._server.put("work", f"{plan.uid}.ics", ics_of(plan))

    async def delete(self, uid: str) -> None:
        self._server.delete("work", f"{uid}.ics")

    async def lose_cursor(self) -> None:
        self._server.forget_tokens()

    async def refuse(self) -> None:
        self._server.lets_in = False

    async def break_off(self) -> None:
        self._server.stop()

    async def mend(self) -> None:
        self._server.start()


class FileStage:
    """A file that some other program writes anew. Its cursor is a hash, which no file can forget."""

    secret = ""
    can_refuse = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._plans: dict[str, Plan] = {}
        self._write()

    def source(self) -> CalendarSource:
        return IcsCalendar(self._path)

    async def put(self, *plans: Plan) -> None:
        self._plans |= {plan.uid: plan for plan in plans}
        self._write()

    async def delete(self, uid: str) -> None:
        del self._plans[uid]
        self._write()

    async def lose_cursor(self) -> None:
        pass

    async def refuse(self) -> None:
        raise AssertionError("a file has no sign-in")

    async def break_off(self) -> None:
        self._path.rename(self._path.with_suffix(".away"))

    async def mend(self) -> None:
        self._path.with_suffix(".away").rename(self._path)

    def _write(self) -> None:
        self._path.write_bytes(ics_of(*self._plans.values()).encode())


class AddressStage:
    """A secret address, served over HTTP."""

    can_refuse = True

    def __init__(self, web: ics_web.IcsWeb) -> None:
        self._web = web
        self._plans: dict[str, Plan] = {}
        self.secret = web.path
        self._write()

    def source(self) -> CalendarSource:
        return IcsCalendar(self._web.url)

    async def put(self, *plans: Plan) -> None:
        self._plans |= {plan.uid: plan for plan in plans}
        self._write()

    async def delete(self, uid: str) -> None:
        del self._plans[uid]
        self._write()

    async def lose_cursor(self) -> None:
        self._web.has_etag = False

    async def refuse(self) -> None:
        self._web.told = [(401, {}, b"")] * 10

    async def break_off(self) -> None:
        self._web.stop()

    async def mend(self) -> None:
        self._web.start()

    def _write(self) -> None:
        self._web.body = ics_of(*self._plans.values()).encode()


@asynccontextmanager
async def caldav(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    with radicale.running(request.getfixturevalue("tmp_path")) as server:
        yield CalDavStage(server)


@asynccontextmanager
async def file(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    yield FileStage(request.getfixturevalue("tmp_path") / "work.ics")


@asynccontextmanager
async def address(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    with ics_web.running() as web:
        yield AddressStage(web)


STAGES: dict[str, Opening] = {"caldav": caldav, "file": file, "address": address}
