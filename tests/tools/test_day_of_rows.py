"""The day and the brief from the ledger: what the rows say now, through the exclusions, and each thing told as often as due."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.day import Day
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.judged import a_judged, judge, keep, plan
from tests.doubles.letters import a_letter, a_reply
from tests.doubles.planned import an_event
from tools import brief, day, delivering
from tools.exclusions import ExclusionFile

MORNING = datetime(2026, 3, 3, 6, 30, tzinfo=UTC)
"""Half past seven in Berlin, the day after NOW."""


def the_day(t: Tables, now: datetime = NOW) -> Day:
    return day.of_now(t, t.owners.get(), now)


def keys(found: Day) -> list[str]:
    return [line.key for line in found.needs_you]


def the_brief(t: Tables, now: datetime) -> str:
    """The scheduled brief of that morning, as one text."""
    pieces = brief.write_brief(t, t.owners.get(), now, planned_at=now, key=f"brief:{now.date()}", channel="terminal")
    return "\n\n".join(piece.text for piece in pieces)


async def check(ledger: SqlLedger, work: Callable[[Tables], None]) -> None:
    await ledger.write(work)


# ── threads ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_newest_judgement_of_a_threads_latest_mail_counts(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        asked = a_judged(t, "notify", now=NOW, subject="lease")
        again = keep(t, a_letter("Thanks anyway", in_reply_to=asked.mail.message_id, date_at=NOW), now=NOW)
        assert keys(the_day(t)) == [f"mail-thread:{asked.thread_id}"]  # nobody has looked at the new one yet
        judge(t, again, "log", now=NOW, code="courtesy")
        assert keys(the_day(t)) == []

    await check(ledger, work)


async def test_an_answer_of_the_owners_settles_a_thread(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        asked = a_judged(t, "notify", now=NOW, subject="lease")
        keep(t, a_reply("Yes", in_reply_to=asked.mail.message_id, date_at=NOW), now=NOW)
        assert keys(the_day(t)) == []

    await check(ledger, work)


async def test_threads_that_turn_out_to_be_one_stand_once(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        first = a_judged(t, "notify", now=NOW, subject="lease")
        second = a_judged(t, "notify", now=NOW, subject="other")
        ids = tuple(str(one.mail.message_id) for one in (first, second))
        keep(t, a_letter("both", references=ids, date_at=NOW - timedelta(days=1)), now=NOW)
        assert len(keys(the_day(t))) == 1

    await check(ledger, work)


async def test_what_the_exclusions_cover_stands_nowhere(database: Path) -> None:
    listed = database.parent / "exclusions.txt"
    async with SqlLedger(database, ExclusionFile(listed)) as ledger:
        await ledger.write(lambda t: [a_judged(t, what, now=NOW, subject=what) for what in ("notify", "log")])
        await ledger.write(lambda t: plan(t, an_event("x", NOW + timedelta(hours=1))))
        listed.write_text("address anna@winter.example\nfolder Work\n")
        found = await ledger.read(the_day)
        assert (found.needs_you, found.agenda) == ((), ())


async def test_a_prompt_sees_the_newest_threads_and_counts_nothing_silent(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for number in range(day.IN_PROMPTS + 5):
            a_judged(t, "notify", now=NOW + timedelta(minutes=number), subject=f"s{number}")
        a_judged(t, "log", now=NOW, code="list")
        found = day.of_prompt(t, t.owners.get(), NOW + timedelta(hours=1))
        assert len(found.needs_you) == day.IN_PROMPTS
        assert found.silent == 0

    await check(ledger, work)


# ── the brief, morning after morning ──────────────────────────────────────────────────────────────────────────────────


def land(t: Tables, what: str, subject: str, at: datetime) -> int:
    """A mail comes, is judged and told the usual way; its thread."""
    kept = keep(t, a_letter(f"about {subject}", subject=subject, date_at=at), now=at)
    judgement = judge(t, kept, what, now=at)
    delivering.tell(t, kept, judgement, channel="terminal", now=at, from_past=True, signal_id=None)
    return kept.thread_id


async def test_what_was_worth_a_line_is_told_once_and_what_is_open_every_morning_until_it_is_done(
    ledger: SqlLedger,
) -> None:
    def work(t: Tables) -> None:
        land(t, "hold", "the boat", NOW)
        thread_id = land(t, "loop", "the lease", NOW)
        first, second = the_brief(t, MORNING), the_brief(t, MORNING + timedelta(days=1))
        assert (first.count("the boat"), second.count("the boat")) == (1, 0)
        assert (first.count("the lease"), second.count("the lease")) == (1, 1)
        delivering.settle(t, 1, thread_id, because="done", now=MORNING + timedelta(days=1, hours=1), signal_id=None)
        assert "the lease" not in the_brief(t, MORNING + timedelta(days=2))

    await check(ledger, work)


async def test_lines_that_found_no_room_for_days_are_told_no_more(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for number in range(60):
            land(t, "hold", f"s{number:02}", NOW)
        mornings = [the_brief(t, MORNING + timedelta(days=n)) for n in range(4)]
        assert [text.count("- Anna Winter") for text in mornings] == [12, 12, 12, 0]

    await check(ledger, work)


async def test_a_dot_marks_what_came_since_the_last_brief(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        land(t, "loop", "the lease", NOW)
        assert "●" not in the_brief(t, MORNING)  # there was none before
        land(t, "loop", "the boat", MORNING + timedelta(hours=3))
        second = the_brief(t, MORNING + timedelta(days=1))
        assert "● Anna Winter" in second
        assert second.count("●") == 1

    await check(ledger, work)


async def test_an_event_that_moved_since_the_last_brief_has_a_dot_and_one_that_stayed_has_none(
    ledger: SqlLedger,
) -> None:
    def work(t: Tables) -> None:
        standup, review = (an_event(name, MORNING + timedelta(days=1, hours=2)) for name in ("standup", "review"))
        review = replace(
            review, start_at=review.start_at + timedelta(hours=2), end_at=review.end_at + timedelta(hours=2)
        )
        account = plan(t, standup, review)
        the_brief(t, MORNING)
        moved = replace(standup, start_at=standup.start_at - timedelta(minutes=30))
        plan(t, moved, account_id=account)
        text = the_brief(t, MORNING + timedelta(days=1))
        assert "- ● 09:00–10:30 Standup" in text
        assert "- 11:30–12:30 Review" in text

    await check(ledger, work)


async def test_the_cost_of_the_morning_is_that_of_judging_since_the_last_brief(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for at, label, cost in (
            (NOW - timedelta(days=3), "triage", 1.0),
            (NOW, "triage", 0.003),
            (NOW, "triage", 0.001),
            (NOW, "thinker", 2.0),
        ):
            number = t.spendings.reserve(owner_id=1, label=label, model="m", cost_usd=cost, now=at)  # type: ignore[arg-type]
            t.spendings.settle(number, cost_usd=cost, input_tokens=1, output_tokens=1)
        for code, what in (("list", "log"), ("marketing", "ignore"), ("asked", "hold"), ("own", "log")):
            a_judged(t, what, now=NOW, code=code)
        assert the_brief(t, MORNING).endswith("_3 mails since yesterday: 2 asked the model, 0.0040 USD._")
        assert "asked the model" not in the_brief(t, MORNING + timedelta(days=1))

    await check(ledger, work)


@pytest.mark.parametrize(("hours", "since"), [(1, "yesterday at 08:30"), (30, "yesterday at 07:30")])
async def test_on_request_the_silent_are_those_of_a_day_or_since_the_last_brief_if_that_is_longer_ago(
    ledger: SqlLedger, hours: int, since: str
) -> None:
    def work(t: Tables) -> None:
        day.remember(t, t.owners.get(), MORNING)
        found = the_day(t, MORNING + timedelta(hours=hours))
        wall = t.owners.get().zones.wall_at(found.tally.since)
        assert f"yesterday at {wall:%H:%M}" == since

    await check(ledger, work)
