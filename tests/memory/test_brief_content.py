"""What a brief says: rows and nothing else, as short as it can be."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from memory import day
from memory.brief import LANDED_MAX, OPEN_MAX, Brief, Sources, compose
from memory.conflict import conflicts
from memory.day import Tally, Thread
from memory.judgement import Judgement
from memory.loop import Loop
from memory.notice import Notice
from memory.reminder import Reminder
from memory.verdict import Verdict
from tests.doubles.owner import an_owner
from tests.doubles.planned import a_day, an_event, utc

MORNING = datetime(2026, 3, 3, 6, 30, tzinfo=UTC)
"""Half past seven in Berlin."""


OF_THE_DAY = {"since", "threads", "loops", "reminders", "events", "conflicts", "judged", "tally", "known", "raised_at"}


def sources(**given: Any) -> Sources:
    """The sources of a brief; what belongs to the day is composed to one."""
    nothing: dict[str, Any] = {"landed": (), "held": 0, "signals": {}}
    usual = {"owner": an_owner(), "now": MORNING, "planned_at": MORNING}
    whole = nothing | usual | given
    of_day = {"tally": Tally(since=MORNING)} | {name: whole.pop(name) for name in OF_THE_DAY & whole.keys()}
    return Sources(day=day.compose(day.Sources(owner=whole["owner"], now=whole["now"], **of_day)), **whole)


def a_notice(number: int, summary: str = "") -> Notice:
    return Notice(
        id=number,
        owner_id=1,
        source="mail",
        summary=summary or f"notice {number}",
        urgency="hold",
        because="b",
        noticed_at=MORNING,
        deliver_after_at=MORNING,
    )


def a_loop(number: int = 1, title: str = "Pay the rent", **given: Any) -> Loop:
    usual: dict[str, Any] = {"owner_id": 1, "kind": "task", "state": "open", "opened_at": MORNING, "because": "b"}
    return Loop(id=number, title=title, **(usual | given))


def a_reminder(wall: datetime, text: str = "milk", **given: Any) -> Reminder:
    usual: dict[str, Any] = {"id": 1, "owner_id": 1, "state": "set", "created_at": MORNING}
    return Reminder(wall=wall, text=text, **(usual | given))


def words(brief: Brief) -> str:
    return "\n\n".join(brief.pieces)


def test_a_quiet_night_is_one_line() -> None:
    brief = compose(sources())
    assert len(brief.pieces) == 1
    assert "\n" not in brief.pieces[0]
    assert "Nothing is held back." in brief.pieces[0]
    assert brief.told == ()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_brief_is_one_to_three_pieces_in_the_owners_language(language: str) -> None:
    full = sources(
        owner=an_owner(language=language),
        landed=[a_notice(1)],
        held=2,
        loops=[a_loop()],
        reminders=[a_reminder(datetime(2026, 3, 3, 18))],
        signals={("imap", "mail"): 3},
    )
    brief = compose(full)
    assert len(brief.pieces) == 3
    assert ("Heute" in words(brief)) == (language == "de")
    assert ("Today" in words(brief)) == (language == "en")


def test_what_landed_is_told_line_by_line_and_only_that_counts_as_told() -> None:
    brief = compose(sources(landed=[a_notice(4, "Anna: rent"), a_notice(9, "Bob: keys")]))
    assert "- Anna: rent\n- Bob: keys" in words(brief)
    assert brief.told == (4, 9)


def test_titles_and_reminders_can_not_format_and_what_landed_is_not_escaped_twice() -> None:
    wild, tamed = "*a* [b](c)", r"\*a\* \[b\]\(c\)"
    text = words(
        compose(
            sources(
                landed=[a_notice(1, tamed)],
                loops=[a_loop(title=f"{wild}\n# loop")],
                reminders=[a_reminder(datetime(2026, 3, 3, 18), wild)],
            )
        )
    )
    assert text.count(tamed) == 3
    assert f"- {tamed} \\# loop" in text
    assert "\\\\" not in text


def test_more_than_a_dozen_are_counted_and_stay_untold() -> None:
    brief = compose(sources(landed=[a_notice(number) for number in range(1, LANDED_MAX + 4)]))
    assert brief.told == tuple(range(1, LANDED_MAX + 1))
    assert f"notice {LANDED_MAX}\n… and 3 more" in words(brief)
    assert f"notice {LANDED_MAX + 1}" not in words(brief)


def test_news_is_counted_by_kind_and_our_own_clockwork_is_no_news() -> None:
    signals = {("imap", "mail"): 3, ("gmail", "mail"): 1, ("cron", "backup"): 1, ("timetable", "tick"): 24}
    assert "Overnight: 1 × backup, 4 × mail." in words(compose(sources(signals=signals)))
    ours = {("timetable", "tick"): 24, ("telegram", "message"): 2, ("telegram", "tap"): 1, ("timetable", "brief"): 1}
    assert words(compose(sources(signals=ours))) == words(compose(sources()))


def test_today_lists_what_is_still_to_come_today_in_order() -> None:
    reminders = [
        a_reminder(datetime(2026, 3, 3, 18), "evening"),
        a_reminder(datetime(2026, 3, 3, 8), "morning"),
        a_reminder(datetime(2026, 3, 3, 7), "gone by"),
        a_reminder(datetime(2026, 3, 4, 0), "tomorrow"),
        a_reminder(datetime(2026, 3, 3, 23, 59), "last minute"),
    ]
    text = words(compose(sources(reminders=reminders)))
    assert "**Today**\n- 08:00 morning\n- 18:00 evening\n- 23:59 last minute" in text
    assert "gone by" not in text
    assert "tomorrow" not in text


@pytest.mark.parametrize(("month", "day"), [(3, 29), (10, 25)])
def test_today_ends_at_midnight_on_the_owners_clock_when_the_clocks_change(month: int, day: int) -> None:
    now = datetime(2026, month, day, 0, 5, tzinfo=UTC)
    day_of = datetime(2026, month, day)
    reminders = [a_reminder(day_of.replace(hour=23, minute=30)), a_reminder(day_of + timedelta(days=1), "tomorrow")]
    text = words(compose(sources(now=now, planned_at=now, reminders=reminders)))
    assert "- 23:30 milk" in text
    assert "tomorrow" not in text


def test_open_loops_without_a_time_are_listed_up_to_a_few() -> None:
    loops = [a_loop(number, f"loop {number}") for number in range(1, OPEN_MAX + 3)]
    text = words(compose(sources(loops=loops)))
    assert f"**Open** ({OPEN_MAX + 2})" in text
    assert f"- loop {OPEN_MAX}\n… and 2 more" in text
    assert f"loop {OPEN_MAX + 1}" not in text


def test_what_is_snoozed_or_has_its_time_is_not_listed_as_open() -> None:
    loops = [a_loop(1, "snoozed", snoozed=True), a_loop(2, "dated", remind_at_wall=datetime(2026, 3, 9, 8))]
    assert words(compose(sources(loops=loops))) == words(compose(sources()))


def test_what_is_still_held_is_counted_and_not_told() -> None:
    text = words(compose(sources(held=3)))
    assert "Still held: 3." in text
    assert "Nothing is held back" not in text


@pytest.mark.parametrize(("late", "is_said"), [(0, False), (120, False), (121, True), (4 * 3600, True)])
def test_a_late_brief_says_when_it_was_due(late: int, is_said: bool) -> None:
    text = words(compose(sources(now=MORNING + timedelta(seconds=late))))
    assert ("07:30" in text) == is_said


def test_a_brief_on_request_is_not_late_and_wishes_no_good_morning() -> None:
    asked = replace(sources(), planned_at=None, now=MORNING + timedelta(hours=9))
    text = words(compose(asked))
    assert text.startswith("Nothing has landed since the last brief.")
    assert "07:30" not in text
    assert "morning" not in text.lower()


# --- mail, calendar and loops from the day ---


def a_thread(number: int, what: str, *, line: str = "", **given: Any) -> Thread:
    verdict = Verdict(what=what, consequence=0.5, reason="r", stage="rule")  # type: ignore[arg-type]
    judgement = Judgement(
        id=number,
        owner_id=1,
        mail_id=number,
        thread_id=number,
        evidence=f"{number:064x}",
        judge="1",
        verdict=verdict,
        probability=None,
        code=given.pop("code", "asked"),
        findings=(),
        at=given.pop("judged_at", MORNING - timedelta(hours=2)),
    )
    usual: dict[str, Any] = {"mail_id": number, "by_owner": False, "at": judgement.at, "who": "Anna", "about": "a"}
    return Thread(id=number, line=line or f"Anna: mail {number}", judgement=judgement, **(usual | given))


def test_mail_that_is_open_stands_every_morning_and_what_was_worth_a_line_only_as_its_notice() -> None:
    threads = [a_thread(1, "notify"), a_thread(2, "loop"), a_thread(3, "hold")]
    text = words(compose(sources(threads=threads)))
    assert "**Needs you**\n- Anna: mail 1\n- Anna: mail 2" in text
    assert "mail 3" not in text
    assert "Anna: mail 3" in words(compose(sources(threads=threads, landed=[a_notice(9, "Anna: mail 3")])))


def test_a_line_that_stands_is_not_told_as_landed_too_and_its_notice_counts_as_told() -> None:
    about = {4: "mail-thread:2", 5: "mail-thread:77"}
    landed = [a_notice(4, "Anna: mail 2"), a_notice(5, "Bob: keys")]
    brief = compose(sources(threads=[a_thread(2, "loop")], landed=landed, about=about))
    assert words(brief).count("Anna: mail 2") == 1
    assert sorted(brief.told) == [4, 5]


def test_todays_events_stand_among_the_reminders_without_what_is_over() -> None:
    events = [
        an_event("standup", utc(3, 3, 9), 30, place="Room 4"),
        an_event("night shift", utc(3, 3, 2)),
        a_day("fair", date(2026, 3, 3), an_owner().zones),
    ]
    text = words(compose(sources(events=events, reminders=[a_reminder(datetime(2026, 3, 3, 9))])))
    assert "**Today**\n- all day Fair\n- 09:00 milk\n- 10:00–10:30 Standup (Room 4)" in text
    assert "Night" not in text


def test_a_conflict_weeks_ahead_is_told_once_and_one_of_the_day_until_it_is_over() -> None:
    def told(at: datetime, **given: Any) -> bool:
        events = [an_event("standup", at), an_event("dentist", at)]
        clashes = conflicts(events, now=MORNING, horizon=timedelta(days=14))
        raised = {one.key: MORNING - timedelta(hours=given.pop("raised_ago", 30)) for one in clashes}
        since = MORNING - timedelta(hours=24)
        return "Two at once" in words(
            compose(sources(events=events, conflicts=clashes, raised_at=raised, since=since, **given))
        )

    assert told(utc(3, 3, 9))
    assert told(utc(3, 4, 9))
    assert not told(utc(3, 9, 9))
    assert told(utc(3, 9, 9), raised_ago=3)


def test_what_waits_on_others_has_its_own_lines() -> None:
    threads = [a_thread(1, "loop", code="waiting", by_owner=True, line="Bob: the offer")]
    text = words(compose(sources(threads=threads, loops=[a_loop(2, "contract", kind="waiting")])))
    assert "**Waiting on others**\n- contract\n- Bob: the offer" in text


def test_what_is_new_since_the_last_brief_has_a_dot() -> None:
    threads = [a_thread(1, "notify"), a_thread(2, "notify", judged_at=MORNING - timedelta(days=3))]
    text = words(compose(sources(threads=threads, since=MORNING - timedelta(hours=24))))
    assert "- ● Anna: mail 1\n- Anna: mail 2" in text


def silent(number: int) -> Judgement:
    return replace(a_thread(number, "log").judgement, code="list")


def test_the_last_line_says_what_the_mail_of_the_night_cost_and_only_when_there_was_mail() -> None:
    tally = Tally(since=MORNING, mails=312, calls=9, cost_usd=0.004)
    full = compose(sources(tally=tally, loops=[a_loop()]))
    assert full.pieces[-1].endswith("\n\n_312 mails since yesterday: 9 asked the model, 0.0040 USD._")
    one = compose(sources(tally=Tally(since=MORNING, mails=1), planned_at=None, loops=[a_loop()]))
    assert one.pieces[-1].endswith("_1 mail since the last brief: 0 asked the model, 0.00 USD._")
    assert "model" not in words(compose(sources(loops=[a_loop()])))


def test_a_morning_on_which_mail_came_and_nothing_needs_the_owner_is_one_line() -> None:
    tally = Tally(since=MORNING, mails=3)
    brief = compose(sources(tally=tally, signals={("imap:work", "mail"): 3}, judged=[silent(n) for n in (1, 2, 3)]))
    assert brief.pieces == (
        "Good morning. Overnight: 3 × mail (3 silently). _3 mails since yesterday: 0 asked the model, 0.00 USD._",
    )


def test_a_full_morning_fits_a_phone_screen_or_two() -> None:
    threads = [a_thread(number, "notify") for number in range(1, 31)]
    waits = [a_thread(number, "loop", code="waiting", by_owner=True) for number in range(31, 51)]
    loops = [a_loop(number, f"loop {number}") for number in range(1, 31)]
    events = [an_event(f"e{number}", utc(3, 3, 7) + timedelta(minutes=30 * number), 20) for number in range(30)]
    brief = compose(sources(threads=[*threads, *waits], loops=loops, events=events))
    assert len(words(brief).splitlines()) <= 45
    assert words(brief).count("… and 24 more") == 2
