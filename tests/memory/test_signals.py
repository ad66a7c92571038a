"""Publishing: from a channel once, from a hand by one INSERT, and each time a job comes of it."""

import asyncio
import json
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import NotFound
from memory.job import Job
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.hand import hand, rows
from tests.doubles.spoken import a_signal, publish

NOTICED_WITHIN_S = 0.25


def publish_by_hand(database: Path, payload: str | None = '{"text": "hello"}', kind: str | None = "note") -> None:
    with hand(database) as connection:
        connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('cron', ?, ?)", (kind, payload))


def take(tables: Tables) -> list[Job]:
    return tables.jobs.round((), take={"inline": 8, "background": 64}, now=NOW)


async def test_one_insert_by_hand_is_a_whole_signal_with_its_job(ledger: SqlLedger, database: Path) -> None:
    publish_by_hand(database)
    (job,) = await ledger.write(take)
    signal = job.asked_by()
    assert (signal.owner_id, signal.source, signal.kind, dict(signal.payload)) == (1, "cron", "note", {"text": "hello"})
    assert (job.kind, job.lane, job.thread, job.attempt) == ("note", "background", "owner:1", 1)
    assert len(signal.source_id) == 32
    assert signal.received_at.utcoffset() == timedelta(0)
    assert job.created_at == signal.received_at


async def test_each_insert_by_hand_is_a_signal_of_its_own(ledger: SqlLedger, database: Path) -> None:
    for _ in range(3):
        publish_by_hand(database)
    jobs = await ledger.write(take)
    assert len({job.asked_by().source_id for job in jobs}) == 3


async def test_an_insert_by_hand_wakes_the_worker_at_once(ledger: SqlLedger, database: Path) -> None:
    # Two of three: on a busy machine one wait may be late for reasons of its own.
    in_time = 0
    for _ in range(3):
        woken = asyncio.Event()
        ledger.on_jobs(woken.set)
        publish_by_hand(database)
        try:
            async with asyncio.timeout(NOTICED_WITHIN_S):
                await woken.wait()
        except TimeoutError:
            continue
        in_time += 1
    assert in_time >= 2


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        pytest.param("note", "not json", id="no json"),
        pytest.param("note", "{'text': 'single quotes'}", id="single quotes"),
        pytest.param("note", "", id="empty"),
        pytest.param("note", None, id="no payload"),
        pytest.param(None, "{}", id="no kind"),
    ],
)
def test_what_a_hand_got_wrong_is_said_and_leaves_nothing(
    database: Path, kind: str | None, payload: str | None
) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="a signal needs a source, a kind and a payload in JSON"):
        publish_by_hand(database, payload, kind)
    assert rows(database, "SELECT count(*) FROM signal_heads") == rows(database, "SELECT count(*) FROM jobs") == [(0,)]


@pytest.mark.parametrize(
    ("payload", "read"),
    [
        pytest.param("[1, 2]", {"value": [1, 2]}, id="list"),
        pytest.param('"words"', {"value": "words"}, id="text"),
        pytest.param("7", {"value": 7}, id="number"),
        pytest.param("null", {"value": None}, id="null"),
        pytest.param("{}", {}, id="empty object"),
        pytest.param('{"a": {"b": [null]}}', {"a": {"b": [None]}}, id="nested"),
    ],
)
async def test_a_payload_may_be_any_json(ledger: SqlLedger, database: Path, payload: str, read: Any) -> None:
    publish_by_hand(database, payload)
    (job,) = await ledger.write(take)
    assert dict(job.asked_by().payload) == read


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param("[" * 1500 + "]" * 1500, id="deeper than can be read"),
        pytest.param("1" * 5000, id="a number longer than can be read"),
    ],
)
async def test_a_payload_that_sqlite_takes_and_python_does_not_holds_nothing_up(
    ledger: SqlLedger, database: Path, payload: str
) -> None:
    publish_by_hand(database, payload)
    publish_by_hand(database)
    jobs = await ledger.write(take)
    assert [job.kind for job in jobs] == ["note", "note"]
    assert dict(jobs[0].asked_by().payload) == {"value": payload}


@pytest.mark.parametrize("received_at", ["yesterday", "", "12"])
async def test_a_time_by_hand_that_is_none_holds_nothing_up(
    ledger: SqlLedger, database: Path, received_at: str
) -> None:
    with hand(database) as connection:
        connection.execute(
            "INSERT INTO signals (source, kind, payload, received_at) VALUES ('cron', 'note', '{}', ?)", (received_at,)
        )
    (job,) = await ledger.write(take)
    assert job.asked_by().received_at.utcoffset() == timedelta(0)


async def test_a_time_by_hand_is_kept_as_utc(ledger: SqlLedger, database: Path) -> None:
    with hand(database) as connection:
        connection.execute(
            "INSERT INTO signals (source, kind, payload, received_at) VALUES ('cron', 'note', '{}', ?)",
            ("2026-03-02 10:00:00+01:00",),
        )
    (job,) = await ledger.write(take)
    assert job.asked_by().received_at == NOW


async def test_a_redelivery_makes_no_second_signal(ledger: SqlLedger) -> None:
    first = await ledger.write(lambda t: t.signals.publish(a_signal("update 7"), now=NOW))
    again = await ledger.write(lambda t: t.signals.publish(a_signal("update 7", payload={"text": "else"}), now=NOW))
    assert (first, again) == (1, None)
    assert len(await ledger.write(take)) == 1
    assert (await ledger.read(lambda t: t.signals.get(1))).payload == {"text": "hello"}


async def test_a_redelivery_by_hand_is_refused(ledger: SqlLedger, database: Path) -> None:
    await ledger.write(lambda t: publish(t, "7", source="cron"))
    with hand(database) as connection, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("INSERT INTO signals (source, kind, payload, source_id) VALUES ('cron', 'n', '{}', '7')")


async def test_two_sources_may_number_alike(ledger: SqlLedger) -> None:
    ids = await ledger.write(lambda t: [publish(t, "7", source=source) for source in ("telegram", "terminal")])
    assert len(set(ids)) == 2


@pytest.mark.parametrize(
    ("kind", "lane", "thread"),
    [
        ("message", "inline", "owner:1"),
        ("edit", "inline", "owner:1"),
        ("tap", "inline", "taps:1"),
        ("mail", "background", "owner:1"),
        ("tick", "background", "owner:1"),
        ("anything else", "background", "owner:1"),
    ],
)
async def test_the_kind_settles_lane_and_thread(ledger: SqlLedger, kind: str, lane: str, thread: str) -> None:
    await ledger.write(lambda t: publish(t, kind=kind))
    (job,) = await ledger.write(take)
    assert (job.lane, job.thread) == (lane, thread)


async def test_a_tap_does_not_wait_behind_a_message(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: [publish(t, "1"), publish(t, "2"), publish(t, "3", kind="tap")])
    assert [job.kind for job in await ledger.write(take)] == ["message", "tap"]


async def test_signals_are_counted_by_source_and_kind_from_a_moment_on(ledger: SqlLedger) -> None:
    def several(tables: Tables) -> None:
        for number, (kind, hours) in enumerate([("mail", -2), ("mail", 0), ("mail", 1), ("note", 1)]):
            tables.signals.publish(a_signal(str(number), kind=kind), now=NOW + timedelta(hours=hours))

    await ledger.write(several)
    counts = await ledger.read(lambda t: t.signals.counts_since(1, NOW))
    assert counts == {("made", "mail"): 2, ("made", "note"): 1}


async def test_a_signal_that_is_not_there_is_said_so(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound, match="signal 5"):
        await ledger.read(lambda t: t.signals.get(5))


async def test_what_was_published_comes_back_whole(ledger: SqlLedger) -> None:
    payload = {"text": "Grüße \U0001f514 \x00", "n": [1, None, True], "deep": {"a": 1.5}}
    signal_id = await ledger.write(lambda t: publish(t, payload=payload))
    signal = await ledger.read(lambda t: t.signals.get(signal_id))
    assert json.loads(json.dumps(dict(signal.payload))) == payload
    assert signal.received_at == NOW
