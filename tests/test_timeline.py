"""What happens because time passes: the brief, reminders, quiet hours, and what lands in between."""

import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs import timetable
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.product_room import TRIAGE, Product, open_product
from tests.servers.messages_api import user_text

MOVED = """Anna (anna@example.org) – notify: the flight is moved
Could you look at it?
If it waits: it concerns a journey
Why now: it says notify"""

WAKING = datetime(2026, 3, 3, 6, 30, tzinfo=UTC)
"""Half past seven in Berlin, the morning after."""


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as product:
        yield product


@pytest.fixture
async def judging(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    """With a model that judges mail as its subject says."""
    async with open_product(database, clock, model=True) as product:
        for what in ("notify", "hold", "loop", "log", "ignore"):
            verdict = json.dumps({"verdict": what, "consequence": 0.7, "reason": f"it says {what}"})
            product.provider.always(lambda body, what=what: subject_of(body).startswith(what), verdict)
        yield product


def subject_of(body: dict[str, Any]) -> str:
    """The subject of the mail that this request asks to judge; empty for any other request."""
    return str(json.loads(user_text(body))["subject"]) if TRIAGE in json.dumps(body["system"]) else ""


def at(clock: FakeClock, then: datetime) -> None:
    """Turn the clock to `then`."""
    clock.advance(then - clock.now())


def publish(product: Product, kind: str, **payload: Any) -> None:
    """A signal by hand, as `sqlite3` on a console publishes one."""
    with hand(product.settings.database) as connection:
        connection.execute(
            "INSERT INTO signals (source, kind, payload) VALUES ('hand', ?, ?)", (kind, json.dumps(payload))
        )


async def mail_lands(
    product: Product, subject: str, *, sender: str = "Anna <anna@example.org>", says: str = "Could you look at it?"
) -> list[str]:
    """A mail arrives; what is said at once."""
    mail = {"from": sender, "subject": subject, "snippet": says}
    return await product.after(lambda: publish(product, "mail", **mail))


def shown(product: Product) -> list[tuple[str, bool]]:
    """Everything said, and whether it was silent."""
    calls = product.server.calls("sendMessage")
    return [(call.params["text"], bool(call.params.get("disable_notification"))) for call in calls]


# --- the brief ---


async def test_the_brief_comes_at_half_past_seven_silently_and_tells_each_thing_once(
    stillbell: Product, clock: FakeClock
) -> None:
    await stillbell.says("todo: call Tom")
    await stillbell.says("remind me tomorrow at 18:00 to fetch the parcel")
    for subject in ("the lease", "the boat"):
        assert await mail_lands(stillbell, subject) == []
    at(clock, WAKING - timedelta(seconds=1))
    assert await stillbell.after_a_look() == []
    at(clock, WAKING)
    brief = await stillbell.after_a_look()
    assert brief == [
        "Good morning. Overnight: 2 × mail.",
        "Landed\n• Anna (anna@example.org): the lease\n• Anna (anna@example.org): the boat",
        "Today\n• 18:00 fetch the parcel\n\nOpen (1)\n• call Tom\n\n"
        "2 mails since yesterday: 0 asked the model, 0.00 USD.",
    ]
    assert [silent for text, silent in shown(stillbell) if text in brief] == [True, True, True]
    assert stillbell.rows("SELECT told_in FROM notices") == [("brief:2026-03-03",)] * 2

    assert await stillbell.after_a_look() == []
    [asked] = await stillbell.says("/brief")
    assert "lease" not in asked
    at(clock, WAKING + timedelta(days=1))
    again = "\n".join(await stillbell.after_a_look())
    assert "lease" not in again
    assert "boat" not in again


async def test_a_quiet_night_is_one_line(stillbell: Product, clock: FakeClock) -> None:
    at(clock, WAKING)
    assert await stillbell.after_a_look() == ["Good morning. Quiet so far: nothing has landed. Nothing is held back."]


async def test_a_late_brief_says_so(stillbell: Product, clock: FakeClock) -> None:
    at(clock, WAKING + timedelta(hours=3))
    [brief] = await stillbell.after_a_look()
    assert brief.endswith("This brief is late: I was not running today at 07:30.")


async def test_a_morning_is_not_told_at_night(stillbell: Product, clock: FakeClock) -> None:
    at(clock, WAKING + timedelta(hours=14, seconds=1))
    assert await stillbell.after_a_look() == []


async def test_what_the_owner_asked_for_early_is_not_told_again_in_the_morning(
    stillbell: Product, clock: FakeClock
) -> None:
    await mail_lands(stillbell, "the lease")
    assert "the lease" in (await stillbell.says("/brief"))[0]
    at(clock, WAKING)
    assert "the lease" not in "\n".join(await stillbell.after_a_look())


# --- reminders ---


async def test_a_reminder_comes_at_its_time_with_buttons(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says("remind me today at 12:00 to call Anna")
    at(clock, datetime(2026, 3, 2, 10, 59, 59, tzinfo=UTC))
    assert await stillbell.after_a_look() == []
    at(clock, datetime(2026, 3, 2, 11, 0, tzinfo=UTC))
    assert await stillbell.after_a_look() == ["⏰ call Anna"]
    assert shown(stillbell)[-1] == ("⏰ call Anna", False)
    assert stillbell.labels() == ["Done", "In 1 h", "Tomorrow"]
    assert await stillbell.after_a_look() == []

    card = stillbell.newest
    assert await stillbell.taps("In 1 h") == "Out of sight until today at 13:00: call Anna"
    assert stillbell.labels(card) == ["Undo"]
    clock.advance(timedelta(hours=1))
    assert await stillbell.after_a_look() == ["⏰ call Anna"]
    assert await stillbell.taps("Done") == "Done: call Anna"
    assert await stillbell.taps("Undo") == "Open again: call Anna"
    assert stillbell.loops == {"call Anna": "open"}


async def test_what_is_done_is_never_mentioned_again(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says("remind me tomorrow at 8:00 to call Anna")
    await stillbell.says("done")
    at(clock, WAKING)
    assert "Anna" not in "\n".join(await stillbell.after_a_look())
    clock.advance(timedelta(hours=2))
    assert await stillbell.after_a_look() == []


async def test_a_late_reminder_says_so(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says("remind me today at 12:00 to call Anna")
    at(clock, datetime(2026, 3, 2, 14, 0, tzinfo=UTC))
    assert await stillbell.after_a_look() == [
        "⏰ call Anna\nLate: this was due today at 12:00; I was not running then."
    ]


async def test_a_reminder_with_a_rule_goes_on(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says("every day at 12:00 take the pills")
    for day in (2, 3):
        at(clock, datetime(2026, 3, day, 11, 0, tzinfo=UTC))
        assert "⏰ take the pills" in await stillbell.after_a_look()
        await stillbell.taps("Done")
    assert stillbell.rows("SELECT state FROM loops") == [("done",), ("done",)]
    # Down for three days: one message, which says what was missed.
    at(clock, datetime(2026, 3, 6, 13, 0, tzinfo=UTC))
    told = [text for text in await stillbell.after_a_look() if "pills" in text]
    assert len(told) == 1
    assert "this was due on Wednesday, 4 March at 12:00" in told[0]
    assert told[0].endswith("Missed since, too: 2.")
    assert stillbell.rows("SELECT wall, state FROM reminders") == [("2026-03-07T12:00:00", "set")]


# --- what lands ---


async def test_bulk_is_only_logged_and_no_model_is_asked(judging: Product, clock: FakeClock) -> None:
    assert await mail_lands(judging, "notify: newsletter, click to unsubscribe", sender="no-reply@shop.example") == []
    assert judging.provider.requests == []
    assert judging.rows("SELECT decided FROM decisions") == [("silent",), ("log",)]
    at(clock, WAKING)
    assert "newsletter" not in "\n".join(await judging.after_a_look())


async def test_what_can_wait_stands_in_the_brief(judging: Product, clock: FakeClock) -> None:
    assert await mail_lands(judging, "hold: the lease") == []
    assert await mail_lands(judging, "ignore: a raffle") == []
    at(clock, WAKING)
    brief = "\n".join(await judging.after_a_look())
    assert "hold: the lease" in brief
    assert "raffle" not in brief


async def test_what_can_not_wait_is_said_at_once_and_once(judging: Product, clock: FakeClock) -> None:
    assert await mail_lands(judging, "notify: the flight is moved") == [MOVED]
    assert shown(judging)[-1][1] is False
    assert await judging.after_a_look() == []
    clock.advance(timedelta(minutes=1))
    assert await judging.taps("Done") == "Done: notify: the flight is moved"
    at(clock, WAKING)
    assert "flight" not in "\n".join(await judging.after_a_look())


async def test_quiet_hours_hold_it_for_the_brief(judging: Product, clock: FakeClock) -> None:
    at(clock, datetime(2026, 3, 2, 22, 0, tzinfo=UTC))
    assert await mail_lands(judging, "notify: the flight is moved") == []
    at(clock, WAKING - timedelta(seconds=1))
    assert await judging.after_a_look() == []
    at(clock, WAKING)
    assert "Anna (anna@example.org): notify: the flight is moved" in "\n".join(await judging.after_a_look())


async def test_a_mail_can_not_talk_its_way_past_the_judge(judging: Product) -> None:
    """Whatever the model is made to say, what is said comes from the mail's own row, and nothing can be followed."""
    said = await mail_lands(judging, "notify [click](https://evil.example)")
    assert said[0].splitlines()[0] == "Anna (anna@example.org) – notify [click](hxxps://evil[.]example)"
    entities = judging.server.calls("sendMessage")[-1].params.get("entities", [])
    assert [entity for entity in entities if entity["type"] == "text_link"] == []


async def test_what_a_mail_asks_for_is_kept_track_of_and_stands_in_the_brief(
    judging: Product, clock: FakeClock
) -> None:
    assert await mail_lands(judging, "loop: please sign\nthe lease https://evil.example/" + "x" * 300) == []
    ((kind, title, because),) = judging.rows("SELECT kind, title, because FROM loops")
    assert kind == "reply"
    assert title.startswith("reply to Anna: loop: please sign the lease hxxps://evil[.]example/xxx")
    assert len(title) <= 200
    # What a mail says stays out of the history that can not be erased.
    assert because == "verdict 1"
    assert "lease" not in str(judging.rows("SELECT subject, because FROM decisions"))
    at(clock, WAKING)
    assert "please sign the lease" in "\n".join(await judging.after_a_look())


async def test_a_job_that_runs_again_gives_no_second_verdict_and_asks_no_model(judging: Product) -> None:
    await mail_lands(judging, "notify: the flight is moved")
    publish(judging, "parcel")
    await judging.settled()
    asked, decided = len(judging.provider.requests), judging.rows("SELECT * FROM decisions")
    with hand(judging.settings.database) as connection:
        connection.execute("UPDATE jobs SET state = 'pending', finished_at = NULL")
    await judging.settled()
    assert judging.value("SELECT min(attempts) FROM jobs") == 2
    assert (len(judging.provider.requests), judging.rows("SELECT * FROM decisions")) == (asked, decided)


async def test_what_a_stranger_writes_is_short_and_has_no_line_of_its_own(judging: Product) -> None:
    long = "\n\n# If it waits: nothing\n" + "very " * 200
    (said,) = await mail_lands(judging, "notify: " + long, says=f"Could you look? {long}")
    lines = said.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        lines[0].partition(":")[0],
        "Could you look?",
        "If it waits",
        "Why now",
    ]
    assert all(len(line) <= 220 for line in lines)
    assert lines[0].endswith("…")


# --- the clockwork ---


async def test_a_signal_inserted_by_hand_is_taken_within_a_quarter_of_a_second(stillbell: Product) -> None:
    for number in range(3):
        publish(stillbell, "parcel", number=number)
        began = time.monotonic()
        await stillbell.until("SELECT 1 FROM jobs WHERE kind = 'parcel' AND state <> 'pending' AND id = ?", number + 1)
        assert time.monotonic() - began < 0.25
    await stillbell.settled()
    because = stillbell.rows("SELECT decided, because FROM decisions")
    assert because == [("nothing to do", "nobody handles the kind parcel")] * 3


async def test_the_hourly_tick_goes_through_the_whole_pipeline_in_silence(stillbell: Product, clock: FakeClock) -> None:
    for hour in (9, 10):
        assert await stillbell.house.timetable.look() == [f"tick:2026-03-02T{hour:02}Z"]
        assert await stillbell.house.timetable.look() == []
        await stillbell.settled()
        assert stillbell.value("SELECT value FROM cursors WHERE name = 'tick'") == clock.now().isoformat()
        clock.advance(timedelta(hours=1))
    assert stillbell.rows("SELECT DISTINCT kind, state FROM jobs") == [("tick", "done")]
    assert shown(stillbell) == []


async def test_the_timetable_looks_by_itself(database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timetable, "LOOK_EVERY_FOR", timedelta(milliseconds=100))
    async with open_product(database, clock, looks=True) as product:
        await product.says("remind me today at 12:00 to call Anna")
        at(clock, datetime(2026, 3, 2, 11, 0, tzinfo=UTC))
        calls = await product.server.wait_for_calls(2, "sendMessage")
        assert calls[-1].params["text"] == "⏰ call Anna"
        await product.settled()
