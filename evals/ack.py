"""Ack: from an update's arrival to our sendMessage request, less the provider's own time, beside a bare echo bot.

Both bots use the same library against the same kind of local Bot API server in the same run, turn about, so that what
the machine does to one it does to the other. Ours writes the message, its turn and its reply durably before it answers.
Goal: own overhead p50 at most 5 ms, p95 at most 15 ms.

Messages come slower than one a second: that is Telegram's own limit for a chat, which the product keeps.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from telegram import Bot
from telegram.request import HTTPXRequest

from evals.room import OWNER, TOKEN, Report, Room, room
from evals.scripts import by_role, instinct
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import Hang, Status

ROUNDS = int(os.environ.get("STILLBELL_EVAL_ROUNDS", "40"))
SPACING_S = 1.05
FAILING_ROUNDS = 100


async def run() -> Report:
    async with (
        room(lambda s: by_role(s, felt=instinct("Good morning to you.", thought=False))) as here,
        echo() as server,
    ):
        report = Report("ack", here.provider)
        ours_ms, plain_ms, echo_ms = [], [], []
        for number in range(ROUNDS):
            ours_ms.append(await _ours(here, f"Good morning, number {number}"))
            echo_ms.append(await _echo(server, f"Good morning, number {number}"))
            await asyncio.sleep(SPACING_S)
            plain_ms.append(await _ours(here, f"todo: thing {number}"))
            await asyncio.sleep(SPACING_S)
        report.figures = [
            _figure("own overhead, instinct (provider's time taken off)", ours_ms),
            _figure("own overhead, plain code ('todo: …')", plain_ms),
            _figure("bare echo bot, same library, nothing kept", echo_ms),
            f"one durable write to this disk: {_flush_ms():.2f} ms (median of 50)",
        ]
        report.check("p50 at most 5 ms", statistics.median(ours_ms) <= 5, f"{statistics.median(ours_ms):.2f} ms")
        report.check("p95 at most 15 ms", _p95(ours_ms) <= 15, f"{_p95(ours_ms):.2f} ms")
    await _failing(report)
    return report


async def _ours(here: Room, text: str) -> float:
    asked = len(here.model.requests) if here.model else 0
    before = len(here.telegram.calls("sendMessage"))
    began = time.monotonic()
    here.telegram.owner_sends(text)
    call = (await here.telegram.wait_for_calls(before + 1, "sendMessage", timeout=10))[before]
    theirs = sum(r.held_for_s or 0 for r in here.model.requests[asked:]) if here.model else 0
    return (call.monotonic_seconds - began - theirs) * 1000


async def _echo(server: BotApiServer, text: str) -> float:
    before = len(server.calls("sendMessage"))
    began = time.monotonic()
    server.owner_sends(text)
    return (
        (await server.wait_for_calls(before + 1, "sendMessage", timeout=10))[before].monotonic_seconds - began
    ) * 1000


@asynccontextmanager
async def echo() -> AsyncIterator[BotApiServer]:
    """The barest bot that answers: getUpdates, sendMessage, nothing kept."""
    async with BotApiServer(token=TOKEN, owner_id=OWNER) as server:
        bot = Bot(TOKEN, base_url=f"{server.url}/bot", request=HTTPXRequest(), get_updates_request=HTTPXRequest())
        task = asyncio.create_task(_echoing(bot))
        await server.wait_for_poll()
        try:
            yield server
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await bot.shutdown()


async def _echoing(bot: Bot) -> None:
    offset = None
    while True:
        for update in await bot.get_updates(offset=offset, timeout=20):
            offset = update.update_id + 1
            await bot.send_message(update.message.chat_id, update.message.text)


async def _failing(report: Report) -> None:
    """With the provider hung or failing an answer comes within 3 s, every time."""
    faults = (Hang(), Status(529), Status(500), Status(429, retry_after_s=90))
    if not report.provider.startswith("scripted"):
        return
    late = 0
    worst = 0.0

    async def one(number: int) -> None:
        nonlocal late, worst
        fault = faults[number % len(faults)]
        async with room(lambda s: s.respond_with(lambda _: fault)) as here:
            began = time.monotonic()
            await here.say("How are you?", within_s=10)
            took = time.monotonic() - began
            worst = max(worst, took)
            late += took > 3

    gate = asyncio.Semaphore(4)

    async def bounded(number: int) -> None:
        async with gate:
            await one(number)

    await asyncio.gather(*(bounded(number) for number in range(FAILING_ROUNDS)))
    report.check(f"an answer within 3 s, {FAILING_ROUNDS} of {FAILING_ROUNDS}", late == 0, f"worst {worst:.2f} s")


def _figure(what: str, samples_ms: list[float]) -> str:
    return f"{what}: p50 {statistics.median(samples_ms):.2f} ms, p95 {_p95(samples_ms):.2f} ms, n {len(samples_ms)}"


def _p95(samples: list[float]) -> float:
    return sorted(samples)[int(len(samples) * 0.95)]


def _flush_ms() -> float:
    """What the disk takes for one flushed write, for judging the figures above."""
    took = []
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "probe").open("wb", buffering=0) as file:
        for _ in range(50):
            file.write(b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took)
