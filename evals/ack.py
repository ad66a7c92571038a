"""Ack: from an update's arrival to our sendMessage request, less the provider's own time, beside a bare echo bot.

Both bots use the same library against the same kind of local Bot API server in the same run, turn about, each in a process
of its own, so that what the machine does to one it does to the other. Ours writes the message, its turn and its reply
durably before it answers. Goal: own overhead p50 at most 5 ms, p95 at most 15 ms.

One update at a time, the next as soon as the last is answered (the pace that Telegram asks for is off: evals/unpaced); and
beside it, for what it is worth, one message a second, after which the caches of a shared machine belong to others.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.opening import opened, prepare_home
from bot.settings import Settings
from evals.report import Report
from evals.room import OWNER, TOKEN, room
from evals.scripts import by_role, instinct
from memory.clock import SystemClock
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import Hang, MessagesServer, Status

ROUNDS = int(os.environ.get("STILLBELL_EVAL_ROUNDS", "200"))
SPACED_ROUNDS = 20
WARM_UP = 20
TALK = "own overhead, instinct (provider's time taken off)"
PLAIN = "own overhead, plain code ('todo: …')"
ECHO = "bare echo bot, same library, nothing kept"
SPACING_S = 1.05
FAILING_ROUNDS = 100
ROOT = Path(__file__).parents[1]


async def run() -> Report:
    report = Report("ack", "scripted server")
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(MessagesServer())
        by_role(model, felt=instinct("Good morning to you.", thought=False))
        ours = await stack.enter_async_context(BotApiServer(token=TOKEN, owner_id=OWNER))
        bare = await stack.enter_async_context(BotApiServer(token=TOKEN, owner_id=OWNER))
        await stack.enter_async_context(_stillbell(ours, model))
        await stack.enter_async_context(_child("-m", "evals.echo", bare.url, TOKEN))
        await asyncio.gather(ours.wait_for_poll(), bare.wait_for_poll())
        measured = _Samples(ours, bare, model)
        await measured.round(WARM_UP, spacing_s=0)
        measured.forget()
        await measured.round(ROUNDS, spacing_s=0)
        quick = measured.figures()
        measured.forget()
        await measured.round(SPACED_ROUNDS, spacing_s=SPACING_S)
        report.figures = [
            *quick,
            "one message a second:",
            *measured.figures(),
            f"one durable write to this disk: {_flush_ms():.2f} ms (median of 50)",
        ]
    for what, samples in measured.quick.items():
        if what != ECHO:
            p50, p95 = statistics.median(samples), _p95(samples)
            report.check(f"{what}: p50 at most 5 ms", p50 <= 5, f"{p50:.2f} ms")
            report.check(f"{what}: p95 at most 15 ms", p95 <= 15, f"{p95:.2f} ms")
    await _failing(report)
    return report


class _Samples:
    """The three kinds of sample, taken turn about."""

    def __init__(self, ours: BotApiServer, bare: BotApiServer, model: MessagesServer) -> None:
        self._ours, self._bare, self._model = ours, bare, model
        self._samples: dict[str, list[float]] = {}
        self.quick: dict[str, list[float]] = {}

    async def round(self, count: int, *, spacing_s: float) -> None:
        for number in range(count):
            await self._take(TALK, self._ours, f"Good morning, number {number}", self._model, spacing_s)
            await self._take(ECHO, self._bare, f"Good morning, number {number}", None, spacing_s)
            await self._take(PLAIN, self._ours, f"todo: thing {number}", None, spacing_s)

    async def _take(
        self, what: str, server: BotApiServer, text: str, model: MessagesServer | None, spacing_s: float
    ) -> None:
        self._samples.setdefault(what, []).append(await _ack_ms(server, text, model))
        # The poller gives way for 10 ms after a batch: an update inside that pause would measure the pause.
        await asyncio.sleep(max(spacing_s, 0.02))

    def figures(self) -> list[str]:
        self.quick = self.quick or self._samples
        return [_figure(what, samples) for what, samples in self._samples.items()]

    def forget(self) -> None:
        self._samples = {}


async def _ack_ms(server: BotApiServer, text: str, model: MessagesServer | None = None) -> float:
    """From the update's arrival to the request that answers it, less what the provider took."""
    asked = len(model.requests) if model else 0
    before = len(server.calls("sendMessage"))
    began = time.monotonic()
    server.owner_sends(text)
    call = (await server.wait_for_calls(before + 1, "sendMessage", timeout=10))[before]
    theirs = sum(request.held_for_s or 0 for request in model.requests[asked:]) if model else 0
    return (call.monotonic_seconds - began - theirs) * 1000


@asynccontextmanager
async def _stillbell(server: BotApiServer, model: MessagesServer) -> AsyncIterator[None]:
    """The product as its owner runs it, in a process of its own, paired."""
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        settings = Settings(home=Path(folder), zone="Europe/Berlin", language="en")
        prepare_home(settings)
        async with opened(settings, SystemClock()) as ledger:
            now = SystemClock().now()
            await ledger.write(lambda t: t.owners.pair(1, telegram_id=OWNER, language="en", now=now))
        environment = {
            "STILLBELL_HOME": folder,
            "STILLBELL_TELEGRAM_TOKEN": TOKEN,
            "STILLBELL_TELEGRAM_URL": server.url,
            "STILLBELL_ANTHROPIC_URL": model.url,
            "ANTHROPIC_API_KEY": "scripted",
            "STILLBELL_LOG_LEVEL": "warning",
            "STILLBELL_WEB_PORT": "0",
        }
        async with _child("-m", "evals.unpaced", **environment):
            yield


@asynccontextmanager
async def _child(*arguments: str, **environment: str) -> AsyncIterator[None]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=ROOT, env={**os.environ, **environment}, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield
    finally:
        child.terminate()
        await child.wait()


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
