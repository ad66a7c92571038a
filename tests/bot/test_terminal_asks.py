import asyncio
import contextlib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.doctor import Parts, live_from_json
from bot.terminal.asks import asks
from bot.terminal.client import Client
from bot.terminal.wire import Progress, Result
from memory.errors import BadInput, Refused
from memory.signal import NewSignal
from tests.bot.terminal_room import NOW, Room, StoppedClock, room
from tests.tools.test_importing import mail, mbox


async def told(it: Room, what: str, args: Mapping[str, Any]) -> list[Progress | Result]:
    it.asks.update(asks(it.ledger, StoppedClock(), parts=lambda: Parts(model="a small one")))
    async with Client(it.path) as client:
        return [step async for step in client.ask(what, args)]


async def test_find_tells_who_when_on_the_owners_clock_and_the_line() -> None:
    async with room() as it:
        await it.owner_says("the heron landed at noon")
        (result,) = await told(it, "find", {"words": "heron", "limit": 5})
    assert result.data["hits"] == [
        {
            "where": "chat",
            "ref": "message:1",
            "span": [0, 24],
            "place": "",
            "who": "you",
            "title": "",
            "line": "the heron landed at noon",
            "when": "2026-03-02T08:14:00+01:00",
        }
    ]


@pytest.mark.parametrize(
    ("what", "args"),
    [
        pytest.param("find", {}, id="no words"),
        pytest.param("find", {"words": "  ", "limit": 5}, id="blank words"),
        pytest.param("find", {"words": "x", "limit": 0}, id="limit too small"),
        pytest.param("find", {"words": "x", "limit": 10_000}, id="limit too large"),
        pytest.param("find", {"words": "x", "limit": "many"}, id="limit no number"),
        pytest.param("import", {"path": "mail"}, id="relative path"),
        pytest.param("import", {"path": "/nowhere/at/all"}, id="no such path"),
    ],
)
async def test_an_ask_that_can_not_be_answered_is_bad_input(what: str, args: Mapping[str, Any]) -> None:
    async with room() as it:
        with pytest.raises(BadInput):
            await told(it, what, args)


async def test_usage_is_that_of_the_owners_day_by_label() -> None:
    async with room() as it:
        for now, label, cost in ((NOW - timedelta(hours=9), "thinker", 1.0), (NOW, "instinct", 0.25)):
            usage_id = await it.ledger.write(
                lambda t, now=now, label=label, cost=cost: t.spendings.reserve(
                    owner_id=1, label=label, model="m", cost_usd=cost, now=now
                )
            )
            await it.ledger.write(
                lambda t, usage_id=usage_id, cost=cost: t.spendings.settle(
                    usage_id, cost_usd=cost, input_tokens=10, output_tokens=2
                )
            )
        (result,) = await told(it, "usage", {})
    assert result.data["day"] == "2026-03-02"
    assert result.data["spent_usd"] == 0.25
    assert result.data["rows"] == [
        {"label": "instinct", "model": "m", "calls": 1, "input_tokens": 10, "output_tokens": 2, "cost_usd": 0.25}
    ]


async def test_an_import_tells_its_progress_and_what_came_of_it(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", mail(1), b"\nno header at all\n")
    async with room() as it:
        *progress, result = await told(it, "import", {"path": str(path)})
        hits = (await told(it, "find", {"words": "folder", "limit": 5}))[0].data["hits"]
    assert [type(step) for step in progress] == [Progress] * len(progress)
    assert (result.data["new"], result.data["bad"], result.data["kept"]) == (1, 1, 1)
    assert result.data["faults"][0]["file"] == str(path)
    assert [hit["title"] for hit in hits] == ["Note 1"]


async def test_one_import_runs_at_a_time_and_one_left_early_makes_room(tmp_path: Path) -> None:
    path = mbox(tmp_path / "m", mail(1))
    async with room() as it:
        handler = asks(it.ledger, StoppedClock())["import"]
        first = handler({"path": str(path)})
        await anext(first)
        with pytest.raises(Refused, match="another import"):
            await anext(handler({"path": str(path)}))
        await first.aclose()
        async with contextlib.aclosing(handler({"path": str(path)})) as steps:
            last = [step async for step in steps][-1]
    assert isinstance(last, Result)
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "import"]


async def test_the_doctor_is_told_of_jobs_given_up_and_of_the_parts() -> None:
    async with room() as it:
        signal = NewSignal(source="hand", kind="note", source_id="1", payload={})
        await it.ledger.write(lambda t: t.signals.publish(signal, now=NOW))
        (result,) = await told(it, "doctor", {})
    live = live_from_json(result.data)
    assert live.jobs == {"pending": 1}
    assert live.parts == Parts(model="a small one")
