"""An event in a line, on the owner's clock, in both languages."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pytest

from memory.event import Event
from memory.event_words import event_line, event_time, event_title
from tests.doubles.owner import living_in
from tests.doubles.planned import a_day, an_event, utc

BERLIN = living_in("Europe/Berlin")
NOW = utc(3, 2, 8)
STANDUP = an_event("standup", utc(3, 2, 9), 30)


def line(event: Event, language: Any = "en", now: datetime = NOW) -> str:
    return event_line(event, BERLIN, now, language)


def test_the_owners_clock_and_the_name() -> None:
    assert line(STANDUP) == "10:00–10:30 Standup"


@pytest.mark.parametrize(
    ("change", "english", "german"),
    [
        ({"place": "Room 4"}, "(Room 4)", "(Room 4)"),
        ({"place": "Room 4", "my_answer": "declined"}, "(Room 4; declined)", "(Room 4; abgelehnt)"),
        ({"my_answer": "accepted"}, "Standup", "Standup"),
        ({"my_answer": "tentative"}, "(tentative)", "(mit Vorbehalt)"),
        ({"my_answer": "needs-action"}, "(not answered)", "(nicht beantwortet)"),
        ({"status": "tentative"}, "(not certain yet)", "(noch nicht sicher)"),
        ({"status": "cancelled", "my_answer": "needs-action"}, "(cancelled)", "(abgesagt)"),
        ({"title": "  "}, "(no title)", "(ohne Titel)"),
    ],
)
def test_what_is_worth_a_remark(change: dict[str, Any], english: str, german: str) -> None:
    event = replace(STANDUP, **change)
    assert line(event).endswith(english)
    assert line(event, "de").endswith(german)


@pytest.mark.parametrize(
    ("event", "english", "german"),
    [
        pytest.param(an_event("a", utc(3, 2, 9), 0), "10:00", "10:00", id="a moment"),
        pytest.param(an_event("a", utc(3, 3, 9), 60), "tomorrow, 10:00–11:00", "morgen, 10:00–11:00", id="tomorrow"),
        pytest.param(
            an_event("a", utc(3, 9, 9), 60),
            "on Monday, 9 March, 10:00–11:00",
            "am Montag, 9. März, 10:00–11:00",
            id="another day",
        ),
        pytest.param(an_event("a", utc(3, 2, 22), 60), "23:00–24:00", "23:00–24:00", id="until midnight"),
        pytest.param(
            an_event("a", utc(3, 2, 21), 240), "22:00 – tomorrow, 02:00", "22:00 – morgen, 02:00", id="over midnight"
        ),
        pytest.param(
            an_event("a", utc(3, 1, 21), 60 * 13),
            "yesterday, 22:00 – today, 11:00",
            "gestern, 22:00 – heute, 11:00",
            id="since yesterday",
        ),
        pytest.param(a_day("a", date(2026, 3, 2), BERLIN), "all day", "ganztägig", id="today"),
        pytest.param(a_day("a", date(2026, 3, 3), BERLIN), "tomorrow, all day", "morgen, ganztägig", id="a whole day"),
        pytest.param(
            a_day("a", date(2026, 3, 1), BERLIN, days=4),
            "all day until Wednesday, 4 March",
            "ganztägig bis Mittwoch, 4. März",
            id="days around today",
        ),
        pytest.param(a_day("a", date(2026, 3, 1), BERLIN, days=2), "all day", "ganztägig", id="its last day"),
        pytest.param(
            a_day("a", date(2026, 3, 3), BERLIN, days=2),
            "tomorrow, all day until Wednesday, 4 March",
            "morgen, ganztägig bis Mittwoch, 4. März",
            id="days to come",
        ),
    ],
)
def test_when_it_is(event: Event, english: str, german: str) -> None:
    assert event_time(event, BERLIN, NOW, "en") == english
    assert event_time(event, BERLIN, NOW, "de") == german


def test_the_hour_that_comes_twice_says_which_it_is() -> None:
    now = utc(10, 24, 23)
    assert line(an_event("night", utc(10, 25, 0, 30), 60), now=now) == "02:30 CEST–02:30 CET Night"
    assert line(an_event("night", utc(10, 25, 2), 60), now=now) == "03:00–04:00 Night"


def test_the_hour_that_is_skipped_is_skipped() -> None:
    assert line(an_event("night", utc(3, 29, 0, 30), 60), now=utc(3, 28, 23)) == "01:30–03:30 Night"


def test_on_a_journey_the_clock_is_that_of_the_place() -> None:
    travels = living_in("Europe/Berlin", (utc(3, 3), "Asia/Tokyo"))
    assert event_line(an_event("dinner", utc(3, 3, 9)), travels, utc(3, 3, 1), "en") == "18:00–19:00 Dinner"


def test_words_of_others_can_neither_format_nor_begin_a_line() -> None:
    event = replace(STANDUP, title="**Pay** [now](https://evil.example)\n- done", place="<b>" + "x" * 200)
    told = line(event)
    assert "\n" not in told
    assert "**" not in told.replace("\\*", "")
    assert "](" not in told
    assert len(told) < 200


def test_what_is_done_with_foreign_words_can_be_chosen() -> None:
    event = replace(STANDUP, title='say "hi"', place="Room")
    assert event_line(event, BERLIN, NOW, "en", repr) == "10:00–10:30 'say \"hi\"' ('Room')"
    assert event_title(event, "en", str.upper) == 'SAY "HI"'
