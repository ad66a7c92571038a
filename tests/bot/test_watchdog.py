"""What systemd is told, over a real datagram socket."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from bot import wiring, worker
from bot.settings import Settings, load
from bot.watchdog import Watchdog
from tests.doubles.clock import FakeClock
from tests.product_room import settings_for


class Systemd:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address.replace("@", "\0", 1))
        self._socket.setblocking(False)

    def close(self) -> None:
        self._socket.close()

    async def heard(self) -> str:
        """The next thing said."""
        async with asyncio.timeout(10):
            return (await asyncio.get_running_loop().sock_recv(self._socket, 1000)).decode()

    def silent(self) -> bool:
        """Whether nothing was said that was not heard yet."""
        try:
            self._socket.recv(1000)
        except BlockingIOError:
            return True
        return False


@pytest.fixture(params=["path", "abstract"])
def systemd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Systemd]:
    address = str(tmp_path / "n") if request.param == "path" else f"@{tmp_path.name}"
    with closing(Systemd(address)) as made:
        yield made


async def test_it_is_told_when_ready_and_when_stopping(systemd: Systemd) -> None:
    watchdog = Watchdog(systemd.address, None)
    watchdog.ready()
    assert await systemd.heard() == "READY=1"
    watchdog.stopping()
    assert await systemd.heard() == "STOPPING=1"


async def test_signs_of_life_come_twice_within_the_patience_and_only_while_alive(systemd: Systemd) -> None:
    lives, looked = [True, True, False, False], asyncio.Event()

    def alive() -> bool:
        if len(lives) == 1:
            looked.set()
        return lives.pop(0) if lives else False

    watching = asyncio.create_task(Watchdog(systemd.address, timedelta(milliseconds=20)).run(alive))
    assert [await systemd.heard(), await systemd.heard()] == ["WATCHDOG=1"] * 2
    async with asyncio.timeout(10):
        await looked.wait()
    watching.cancel()
    assert systemd.silent()


async def test_nobody_is_told_where_nobody_listens(tmp_path: Path) -> None:
    asked: list[bool] = []
    gone = tmp_path / "gone"
    Watchdog(None, None).ready()
    Watchdog(str(gone), None).ready()
    async with asyncio.timeout(10):
        await Watchdog(None, timedelta(seconds=1)).run(lambda: asked.append(True) or True)
        await Watchdog(str(gone), None).run(lambda: asked.append(True) or True)
    # It came back at once, without having looked for a sign of life, and made no file of that name.
    assert asked == []
    assert not gone.exists()


async def test_the_daemon_tells_its_life_from_ready_to_stopping(
    database: Path, clock: FakeClock, systemd: Systemd
) -> None:
    settings = settings_for(
        database.parent, "", telegram_token=None, notify_socket=systemd.address, watchdog_usec=20_000
    )
    async with wiring.running(settings, clock=clock, announce=lambda _: None):
        first = {await systemd.heard(), await systemd.heard()}
        assert first == {"READY=1", "WATCHDOG=1"}
    said = [await systemd.heard()]
    while said[-1] != "STOPPING=1":
        said.append(await systemd.heard())
    assert set(said[:-1]) <= {"WATCHDOG=1"}


async def test_a_worker_that_hangs_gives_no_sign_of_life(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(database.parent, "", telegram_token=None)
    async with wiring.running(settings, clock=clock, announce=lambda _: None) as house:
        assert house.worker.moves
        # So that any turn at all is too long ago.
        monkeypatch.setattr(worker, "STALLED_AFTER_S", -1.0)
        await house.timetable.look()
        await house.courier.settled()
        assert not house.worker.moves


def test_what_systemd_sets_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STILLBELL_HOME", str(tmp_path))
    assert (load().notify_socket, load().watchdog_for) == (None, None)
    monkeypatch.setenv("NOTIFY_SOCKET", "@here")
    monkeypatch.setenv("WATCHDOG_USEC", "180000000")
    found: Settings = load()
    assert (found.notify_socket, found.watchdog_for) == ("@here", timedelta(minutes=3))
