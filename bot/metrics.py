"""Metrics: figures for Prometheus at http://127.0.0.1:PORT/metrics, off unless a port is set.

Nothing is counted beside the ledger: each look reads what stands there, so that a restart loses no figure.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from threading import Thread
from types import TracebackType
from typing import Protocol, Self
from wsgiref.simple_server import WSGIServer

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from memory.clock import Clock
from memory.errors import BadInput, StillbellError
from memory.ledger import Ledger, Tables
from tools.metered import day_began_at

LOOK_WITHIN_S = 5.0


class Pulse(Protocol):
    """How busy the writer is: units that wait, and commits since the start."""

    @property
    def waiting(self) -> int: ...
    @property
    def commits(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What stands in the ledger: jobs by state, messages by (channel, role), and money."""

    jobs: Mapping[str, int]
    messages: Mapping[tuple[str, str], int]
    spent_usd: float
    cap_usd: float


def figures(t: Tables, owner_id: int, now: datetime) -> Figures:
    """A unit of work that only reads."""
    owner = t.owners.get(owner_id)
    return Figures(
        jobs=t.jobs.counts(),
        messages=t.thread.counts(owner_id),
        spent_usd=t.spendings.spent_usd(owner_id, day_began_at(owner, now)),
        cap_usd=owner.cap_usd,
    )


def families(found: Figures, pulse: Pulse, round_age_s: float | None) -> Iterator[Metric]:
    """The figures as Prometheus names them; `round_age_s` is how long ago Telegram last answered a poll."""
    jobs = GaugeMetricFamily("stillbell_jobs", "Jobs by state", labels=["state"])
    for state, count in found.jobs.items():
        jobs.add_metric([state], count)
    messages = CounterMetricFamily(
        "stillbell_messages", "Messages, in from the owner and out to them", labels=["channel", "direction"]
    )
    for (channel, role), count in found.messages.items():
        messages.add_metric([channel, "in" if role == "owner" else "out"], count)
    yield jobs
    yield messages
    yield GaugeMetricFamily("stillbell_model_cost_today_usd", "Spent and reserved today", value=found.spent_usd)
    yield GaugeMetricFamily("stillbell_model_cap_usd", "The most that models may cost today", value=found.cap_usd)
    yield GaugeMetricFamily("stillbell_writer_waiting", "Units of work that wait to be written", value=pulse.waiting)
    yield CounterMetricFamily("stillbell_commits", "Commits since the start", value=pulse.commits)
    if round_age_s is not None:
        yield GaugeMetricFamily(
            "stillbell_telegram_round_age_seconds", "Since Telegram last answered a poll", value=round_age_s
        )


class Metrics(Collector):
    """Serves while it is entered. `round_at` says when Telegram last answered (aware UTC; None: it is off or never did).

    The server has a thread of its own, which asks the event loop for what stands in the ledger.
    """

    def __init__(
        self,
        *,
        port: int,
        ledger: Ledger,
        pulse: Callable[[], Pulse],
        round_at: Callable[[], datetime | None],
        clock: Clock,
        owner_id: int = 1,
    ) -> None:
        self._port = port
        self._ledger = ledger
        self._pulse = pulse
        self._round_at = round_at
        self._clock = clock
        self._owner_id = owner_id
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: tuple[WSGIServer, Thread] | None = None

    @property
    def port(self) -> int:
        """The port that is listened at; a free one was taken for 0."""
        return self._serving[0].server_port if self._serving else self._port

    def collect(self) -> Iterator[Metric]:
        """See prometheus_client. Called on the server's thread."""
        if self._loop is None:
            return
        now = self._clock.now()
        reading = self._ledger.read(lambda t: figures(t, self._owner_id, now))
        try:
            found = asyncio.run_coroutine_threadsafe(reading, self._loop).result(LOOK_WITHIN_S)
        except (StillbellError, TimeoutError):
            # Figures that can't be had are missing, and that can be seen from outside.
            return
        at = self._round_at()
        yield from families(found, self._pulse(), (now - at).total_seconds() if at else None)

    async def __aenter__(self) -> Self:
        """Listen on loopback. Raises BadInput when the port is taken."""
        self._loop = asyncio.get_running_loop()
        registry = CollectorRegistry()
        registry.register(self)
        try:
            self._serving = start_http_server(self._port, addr="127.0.0.1", registry=registry)
        except OSError as error:
            raise BadInput(f"STILLBELL_METRICS_PORT={self._port} can't be used: {error.strerror}") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._serving is not None:
            await asyncio.to_thread(_close, *self._serving)


def _close(server: WSGIServer, thread: Thread) -> None:
    server.shutdown()
    server.server_close()
    thread.join()
