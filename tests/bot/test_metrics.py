"""The figures for Prometheus: read from the ledger at every look, over a real socket of loopback alone."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot import wiring
from bot.metrics import Metrics
from memory.errors import BadInput
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.spoken import a_piece, hear, publish
from tests.product_room import settings_for
from tests.servers.bot_api import BotApiServer


@dataclass
class Room:
    metrics: Metrics
    ledger: SqlLedger
    round_at: datetime | None = None

    async def figures(self) -> dict[str, float]:
        """Every sample by its name with its labels."""
        return await figures(self.metrics.port)


async def figures(port: int) -> dict[str, float]:
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"http://127.0.0.1:{port}/metrics")
    assert answer.status_code == 200
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture
async def room(ledger: SqlLedger, clock: FakeClock) -> AsyncIterator[Room]:
    made: list[Room] = []
    metrics = Metrics(port=0, ledger=ledger, pulse=lambda: ledger.pulse, round_at=lambda: made[0].round_at, clock=clock)
    made.append(Room(metrics, ledger))
    async with metrics:
        yield made[0]


async def test_every_figure_is_that_of_the_ledger(room: Room) -> None:
    await room.ledger.write(lambda t: hear(t, "hello"))
    await room.ledger.write(lambda t: t.pieces.say(a_piece(), now=NOW))
    await room.ledger.write(lambda t: publish(t, "mail", kind="mail"))
    await room.ledger.write(
        lambda t: t.spendings.reserve(owner_id=1, label="thinker", model="m", cost_usd=0.5, now=NOW)
    )
    room.round_at = NOW - timedelta(seconds=12)
    found = await room.figures()
    assert found["stillbell_jobs pending"] == 2
    assert found["stillbell_messages_total telegram in"] == 1
    assert found["stillbell_messages_total telegram out"] == 1
    assert found["stillbell_model_cost_today_usd"] == 0.5
    assert found["stillbell_model_cap_usd"] == 5
    assert found["stillbell_telegram_round_age_seconds"] == 12
    assert found["stillbell_writer_waiting"] == 0
    before = found["stillbell_commits_total"]
    await room.ledger.write(lambda t: publish(t, "one more"))
    assert (await room.figures())["stillbell_commits_total"] == before + 1


async def test_without_telegram_there_is_no_age_of_its_answer(room: Room) -> None:
    assert "stillbell_telegram_round_age_seconds" not in await room.figures()


async def test_many_looks_at_once_are_answered(room: Room) -> None:
    assert len(await asyncio.gather(*(room.figures() for _ in range(8)))) == 8


async def test_a_ledger_out_of_reach_leaves_the_figures_out_and_the_server_up(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(work: object) -> None:
        raise BadInput("not now")

    with monkeypatch.context() as patch:
        patch.setattr(room.ledger, "read", fail)
        assert await room.figures() == {}
    assert await room.figures() != {}


async def test_only_loopback_is_listened_at(room: Room) -> None:
    # The kernel's own tables, for IPv4 and IPv6: 127.0.0.1 is spelled backwards there.
    assert _listening_at(room.metrics.port) == {"0100007F"}


def _listening_at(port: int) -> set[str]:
    tables = [path for path in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")) if path.exists()]
    local = [line.split()[1] for path in tables for line in path.read_text().splitlines()[1:]]
    return {address.partition(":")[0] for address in local if int(address.rpartition(":")[2], 16) == port}


async def test_a_port_that_is_taken_is_named(ledger: SqlLedger, clock: FakeClock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        metrics = Metrics(port=port, ledger=ledger, pulse=lambda: ledger.pulse, round_at=lambda: None, clock=clock)
        with pytest.raises(BadInput, match=f"STILLBELL_METRICS_PORT={port}"):
            async with metrics:
                pass


@pytest.mark.parametrize("port", [None, 0], ids=["off unless asked for", "on"])
async def test_the_daemon_serves_them_when_a_port_is_set(database: Path, clock: FakeClock, port: int | None) -> None:
    async with BotApiServer() as server:
        settings = settings_for(database.parent, server.url, telegram_token=None, metrics_port=port)
        console: list[str] = []
        async with wiring.running(settings, clock=clock, announce=console.append):
            lines = [line for line in console if "/metrics" in line]
            assert len(lines) == (0 if port is None else 1)
            for line in lines:
                assert "stillbell_commits_total" in await figures(int(line.rpartition(":")[2].removesuffix("/metrics")))
