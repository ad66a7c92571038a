"""The day, from values: what needs the owner and until when, what waits, what is planned, and what landed in silence."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from memory import day
from memory.conflict import conflicts
from memory.day import Day, Line, Sources, Tally, Thread
from memory.day_words import in_line, marked
from memory.judgement import Judgement
from memory.loop import Loop
from memory.reminder import Reminder
from memory.verdict import Verdict
from tests.doubles.owner import an_owner
from tests.doubles.planned import a_day, an_event, utc

NOW = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)
"""A Tuesday, nine in Berlin."""
YESTERDAY = NOW - timedelta(hours=24)
OWNER = an_owner()

_ids = count(1)


def judged(what: str = "notify", *, ago: timedelta = timedelta(hours=1), **given: Any) -> Judgement:
    number = next(_ids)
    usual: dict[str, Any] = {
        "owner_id": 1,
        "mail_id": number,
        "thread_id": number,
        "evidence": f"{number:064x}",
        "judge": "1",
        "probability": None,
        "code": "asked",
        "findings": (),
        "at": NOW - ago,
    }
    consequence = given.pop("consequence", 0.5)
    verdict = Verdict(what=what, consequence=consequence, reason="r", stage="rule")  # type: ignore[arg-type]
    return Judgement(id=number, verdict=verdict, **(usual | given))


def a_thread(what: str = "notify", *, ago: timedelta = timedelta(hours=1), **given: Any) -> Thread:
    verdict = {name: given.pop(name) for name in ("code", "consequence") if name in given}
    judgement = judged(what, ago=ago, **verdict)
    usual: dict[str, Any] = {
        "id": judgement.thread_id,
        "mail_id": judgement.mail_id,
        "by_owner": False,
        "at": judgement.at,
        "who": "Anna",
        "about": "the lease",
        "line": f"Anna: {what} {judgement.id}",
        "judgement": judgement,
    }
    return Thread(**(usual | given))


def a_loop(number: int, kind: str = "task", **given: Any) -> Loop:
    usual: dict[str, Any] = {
        "owner_id": 1,
        "title": f"loop {number}",
        "state": "open",
        "opened_at": YESTERDAY - timedelta(days=1),
        "because": "b",
    }
    return Loop(id=number, kind=kind, **(usual | given))  # type: ignore[arg-type]


def the_day(**given: Any) -> Day:
    usual: dict[str, Any] = {"owner": OWNER, "now": NOW, "since": YESTERDAY, "tally": Tally(since=YESTERDAY)}
    return day.compose(Sources(**(usual | given)))


def keys(lines: tuple[Line, ...]) -> list[str]:
    return [line.key for line in lines]


def needs(thread: Thread) -> bool:
    return bool(the_day(threads=[thread]).needs_you)


# ── what needs the owner ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("what", "stands"), [("notify", True), ("hold", True), ("loop", True), ("log", False), ("ignore", False)]
)
def test_what_was_to_be_told_or_kept_needs_the_owner_and_nothing_else(what: str, stands: bool) -> None:
    assert needs(a_thread(what)) == stands


@pytest.mark.parametrize("what", ["notify", "loop", "hold"])
def test_what_the_owner_answered_needs_them_no_more(what: str) -> None:
    assert not needs(a_thread(what, by_owner=True))


def test_what_was_marked_done_stays_done_until_it_is_judged_anew() -> None:
    assert not needs(a_thread(ago=timedelta(hours=2), settled_at=NOW - timedelta(hours=1)))
    assert needs(a_thread(ago=timedelta(hours=1), settled_at=NOW - timedelta(hours=2)))


def test_a_thread_whose_loop_was_closed_is_done_and_one_whose_loop_is_snoozed_is_out_of_sight() -> None:
    thread = a_thread("loop", ago=timedelta(hours=2))
    closed = a_loop(1, "reply", state="done", closed_at=NOW - timedelta(hours=1))
    before = replace(closed, closed_at=NOW - timedelta(hours=3))
    assert not needs(replace(thread, loops=(closed,)))
    assert needs(replace(thread, loops=(before,)))
    assert needs(replace(thread, loops=(closed, a_loop(2, "reply"))))
    assert not needs(replace(thread, loops=(a_loop(2, "reply", snoozed=True),)))


@pytest.mark.parametrize(
    ("what", "days", "stands"),
    [("hold", 2.9, True), ("hold", 3.1, False), ("notify", 13.9, True), ("notify", 14.1, False)],
)
def test_what_was_only_worth_a_line_stands_for_days_and_the_rest_for_weeks(
    what: str, days: float, stands: bool
) -> None:
    assert needs(a_thread(what, ago=timedelta(days=days))) == stands


def test_a_threads_line_stands_for_its_loop_too() -> None:
    loop = a_loop(7, "reply")
    thread = a_thread("loop", loops=(loop,))
    assert keys(the_day(threads=[thread], loops=[loop]).needs_you) == [thread.key]
    answered = replace(thread, by_owner=True)
    assert keys(the_day(threads=[answered], loops=[loop]).needs_you) == ["loop:7"]


def test_what_can_not_wait_stands_above_what_is_owed_and_that_above_what_was_worth_a_line() -> None:
    hold, loop, notify = a_thread("hold"), a_thread("loop"), a_thread("notify", consequence=0.6)
    graver = a_thread("notify", consequence=0.9)
    found = the_day(threads=[hold, loop, notify, graver], loops=[a_loop(1, "promise")])
    assert keys(found.needs_you) == [graver.key, notify.key, loop.key, "loop:1", hold.key]


# ── loops and what waits ──────────────────────────────────────────────────────────────────────────────────────────────


def test_loops_stand_by_what_they_are_and_a_snoozed_or_dated_one_nowhere() -> None:
    loops = [
        a_loop(1, "reply"),
        a_loop(2, "promise"),
        a_loop(3, "waiting"),
        a_loop(4, "task"),
        a_loop(5, "task", snoozed=True),
        a_loop(6, "task", remind_at_wall=datetime(2026, 3, 9, 8)),
    ]
    found = the_day(loops=loops)
    assert (keys(found.needs_you), keys(found.waiting_on), keys(found.open)) == (
        ["loop:1", "loop:2"],
        ["loop:3"],
        ["loop:4"],
    )


def test_a_thread_in_which_the_owner_asked_in_vain_waits_on_others_until_they_say_it_is_done() -> None:
    asked = a_thread("loop", code="waiting", by_owner=True, ago=timedelta(hours=2))
    found = the_day(threads=[asked])
    assert (keys(found.waiting_on), keys(found.needs_you)) == ([asked.key], [])
    assert the_day(threads=[replace(asked, settled_at=NOW)]).waiting_on == ()
    assert the_day(threads=[replace(asked, by_owner=False)]).lines == ()


# ── what is new ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_came_since_the_last_brief_is_new_and_before_the_first_nothing_is() -> None:
    threads = [a_thread(ago=timedelta(hours=23)), a_thread(ago=timedelta(hours=25))]
    loops = [a_loop(1, opened_at=NOW - timedelta(hours=1)), a_loop(2)]
    found = the_day(threads=threads, loops=loops)
    assert [line.is_new for line in found.needs_you] == [True, False]
    assert [line.is_new for line in found.open] == [True, False]
    assert not any(line.is_new for line in the_day(threads=threads, loops=loops, since=None).lines)


def test_an_event_is_new_when_it_was_not_known_so_at_the_last_brief() -> None:
    standup, moved = an_event("standup", utc(3, 3, 9)), an_event("review", utc(3, 3, 13))
    known = {day.mark_of(standup), day.mark_of(replace(moved, start_at=utc(3, 3, 12)))}
    found = the_day(events=[standup, moved], known=known)
    assert [line.is_new for line in found.agenda] == [False, True]
    assert not any(line.is_new for line in the_day(events=[standup, moved], known=None).agenda)


# ── the agenda ────────────────────────────────────────────────────────────────────────────────────────────────────────


def words(found: Day) -> list[str]:
    return [in_line(line, OWNER, NOW) for line in found.agenda]


def test_the_agenda_has_whole_days_first_then_what_has_a_time_reminders_among_it() -> None:
    reminder = Reminder(
        id=1, owner_id=1, text="pills", wall=datetime(2026, 3, 3, 12), state="set", created_at=YESTERDAY
    )
    events = [
        an_event("lunch", utc(3, 3, 11, 30), place="Mensa"),
        an_event("standup", utc(3, 3, 7), 15),
        a_day("fair", date(2026, 3, 3), OWNER.zones),
        an_event("tomorrow", utc(3, 4, 8)),
        an_event("declined", utc(3, 3, 12), my_answer="declined"),
    ]
    found = the_day(events=events, reminders=[reminder])
    assert words(found) == ["all day Fair", "08:00–08:15 Standup", "12:00 pills", "12:30–13:30 Lunch (Mensa)"]
    assert [sorted(line.marks) for line in found.agenda] == [[], ["over"], ["next"], []]
    assert found.tomorrow is not None
    assert found.tomorrow.uid == "tomorrow"


def test_a_meeting_in_two_calendars_stands_once_and_a_cancelled_one_is_not_next() -> None:
    meeting = an_event("review", utc(3, 3, 12))
    off = an_event("off", utc(3, 3, 10), status="cancelled")
    found = the_day(events=[meeting, replace(meeting, calendar="home"), off])
    assert [(line.of.uid, "next" in line.marks) for line in found.agenda if hasattr(line.of, "uid")] == [
        ("off", False),
        ("review", True),
    ]


@pytest.mark.parametrize(("month", "on"), [(3, 29), (10, 25)], ids=["clocks forward", "clocks back"])
def test_today_ends_at_midnight_when_the_clocks_change(month: int, on: int) -> None:
    start, end = day.today_of(OWNER, datetime(2026, month, on, 12, tzinfo=UTC))
    assert (end - start) == timedelta(hours=23 if month == 3 else 25)


def test_two_at_once_need_the_owner_and_are_marked_until_they_were_seen_to() -> None:
    events = [an_event("standup", utc(3, 3, 9)), an_event("dentist", utc(3, 3, 9, 30))]
    clashes = conflicts(events, now=NOW, horizon=timedelta(days=14))
    found = the_day(events=events, conflicts=clashes)
    assert keys(found.needs_you) == [f"conflict:{clashes[0].key}"]
    assert all("conflict" in line.marks for line in found.agenda)
    assert in_line(found.needs_you[0], OWNER, NOW) == "Two at once: 10:00–11:00 Standup and 10:30–11:30 Dentist."
    assert the_day(events=events, conflicts=clashes, dismissed={clashes[0].key}).needs_you == ()


def test_what_others_wrote_can_neither_format_nor_lead_anywhere() -> None:
    event = an_event("x", utc(3, 3, 9), title="[win](https://evil.example)\n# now", place="https://evil.example/x")
    (said,) = words(the_day(events=[event]))
    assert "https://" not in said
    assert "\n" not in said
    assert r"\[win\]" in said


def test_marks_are_words_and_a_dot() -> None:
    event = an_event("standup", utc(3, 3, 9))
    found = the_day(events=[event], known=frozenset())
    assert marked(found.agenda[0], OWNER, NOW) == "● 10:00–11:00 Standup _(next)_"


# ── what landed in silence ────────────────────────────────────────────────────────────────────────────────────────────


def test_what_made_no_sound_is_counted_by_kind_the_newest_first() -> None:
    rows = [
        judged("ignore", code="marketing", mail_id=1),
        judged("log", code="list", mail_id=2),
        judged("ignore", code="marketing", mail_id=3),
        judged("log", code="courtesy", mail_id=4),
        judged("log", code="unlikely", mail_id=5),
        judged("hold", code="asked", mail_id=6),
    ]
    found = the_day(judged=rows)
    assert [(one.kind, one.mail_ids) for one in found.landed] == [
        ("advertising", (3, 1)),
        ("lists", (2,)),
        ("courtesy", (4,)),
        ("other", (5,)),
    ]
    assert found.silent == 5


def test_of_a_mail_that_was_judged_twice_the_last_word_counts() -> None:
    assert day.landed([judged("log", code="copied", mail_id=1), judged("hold", mail_id=1)]) == ()
    ((kind, ids),) = [
        (one.kind, one.mail_ids)
        for one in day.landed([judged("hold", mail_id=1), judged("log", code="unlikely+floor", mail_id=1)])
    ]
    assert (kind, ids) == ("other", (1,))


def test_what_the_owner_wrote_and_second_looks_are_no_mail_that_landed() -> None:
    rows = [judged("log", code=code) for code in ("own", "not_waiting")] + [judged("loop", code="hanging")]
    assert day.landed(rows) == ()
    assert day.mails_judged([*rows, judged("log", code="list", mail_id=8), judged("hold", mail_id=8)]) == 1
