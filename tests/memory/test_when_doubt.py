"""Where a time can mean several things it is asked; where it is none, nothing is read."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.when.reader import read

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
MONDAY = datetime(2026, 3, 2, 9, 30, tzinfo=BERLIN)
WEDNESDAY = datetime(2026, 3, 4, 9, 30, tzinfo=BERLIN)


def walls(text: str, now: datetime, zone: ZoneInfo = BERLIN) -> list[str]:
    """The readings of the one mention in a text."""
    (mention,) = read(text, now=now, zone=zone)
    return [f"{reading.wall:%Y-%m-%d %H:%M}" for reading in mention.readings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("next Friday", ["2026-03-13 00:00", "2026-03-06 00:00"]),
        ("nächsten Freitag", ["2026-03-06 00:00", "2026-03-13 00:00"]),
        ("next Friday at 3pm", ["2026-03-13 15:00", "2026-03-06 15:00"]),
        ("übernächsten Freitag", ["2026-03-13 00:00", "2026-03-20 00:00"]),
        ("next weekend", ["2026-03-13 18:00", "2026-03-06 18:00"]),
        ("remind me at 8", ["2026-03-02 20:00", "2026-03-03 08:00"]),
        ("um acht", ["2026-03-02 20:00", "2026-03-03 08:00"]),
        ("halb acht", ["2026-03-02 19:30", "2026-03-03 07:30"]),
        ("03/04/2026", ["2026-04-03 00:00", "2026-03-04 00:00"]),
        ("tomorrow at 6", ["2026-03-03 06:00", "2026-03-03 18:00"]),
        ("morgen um 3", ["2026-03-03 15:00", "2026-03-03 03:00"]),
        ("Monday at 15:00", ["2026-03-02 15:00", "2026-03-09 15:00"]),
        ("Montag in einer Woche", ["2026-03-16 00:00", "2026-03-09 00:00"]),
        ("Friday at midnight", ["2026-03-07 00:00", "2026-03-06 00:00"]),
    ],
)
def test_what_is_ambiguous_comes_with_all_its_readings_likeliest_first(text: str, expected: list[str]) -> None:
    assert walls(text, MONDAY) == expected


def test_a_weekday_that_contradicts_its_date_is_asked_or_gives_way_to_the_date() -> None:
    assert walls("Saturday, December 25", MONDAY) == ["2027-12-25 00:00", "2026-12-25 00:00"]
    assert walls("Sunday, December 25", MONDAY) == ["2026-12-25 00:00"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Monday", "2026-03-09 00:00"),
        ("next Monday", "2026-03-09 00:00"),
        ("this Friday", "2026-03-06 00:00"),
        ("kommenden Freitag", "2026-03-06 00:00"),
        ("halb vier", "2026-03-02 15:30"),
        ("at 3", "2026-03-02 15:00"),
        ("at 11", "2026-03-02 11:00"),
        ("at 20", "2026-03-02 20:00"),
        ("08:00", "2026-03-03 08:00"),
        ("morgen um 7", "2026-03-03 07:00"),
        ("tomorrow at 8", "2026-03-03 08:00"),
        ("12/25/2026", "2026-12-25 00:00"),
        ("03.04.2026", "2026-04-03 00:00"),
        ("today at midnight", "2026-03-03 00:00"),
    ],
)
def test_what_is_clear_has_one_reading(text: str, expected: str) -> None:
    assert walls(text, MONDAY) == [expected]


def test_at_8_said_before_8_is_this_morning() -> None:
    assert walls("at 8", MONDAY - timedelta(hours=3)) == ["2026-03-02 08:00"]


def test_in_the_evening_at_3_is_rather_tomorrow_afternoon_than_tonight() -> None:
    assert walls("at 3", MONDAY + timedelta(hours=12)) == ["2026-03-03 15:00", "2026-03-03 03:00"]


def test_the_order_of_day_and_month_follows_the_owners_country() -> None:
    assert walls("due 3/4/2027", WEDNESDAY, NEW_YORK) == ["2027-03-04 00:00"]


def test_an_hour_with_its_half_of_the_day_is_never_asked() -> None:
    for text in ("at 8pm", "8 in the morning", "um 8 Uhr abends", "tonight at 8"):
        assert len(walls(text, MONDAY)) == 1, text


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "May I ask why?",
        "this may or may not work",
        "march on",
        "sun is shining",
        "the sun is shining",
        "she sat down",
        "wed to the idea",
        "the second option",
        "the first thing",
        "we won 3 to 2",
        "the score was 3:2",
        "version 2.5",
        "Kapitel 2.3",
        "Room 101",
        "costs $12",
        "12 €",
        "50% off",
        "3.5 million",
        "There are 20 people in the room",
        "call +49 170 1234567",
        "call me at 030-1234567",
        "at 650-650-6500",
        "ABC-12345-A1B2C3",
        "IP 192.168.1.1",
        "we do this 24/7",
        "1/2 cup of sugar",
        "Psalm 23:4",
        "A4 paper",
        "Good morning!",
        "Good evening, Paul",
        "twice a week",
        "last but not least",
        "in no time",
        "Die Rechnung 4711",
        "um die Ecke",
        "Seite 7",
        "Er hat 5 Kinder",
        "Guten Morgen!",
        "Guten Abend zusammen",
        "Gute Nacht",
        "so ist das",
        "do it",
        "der erste Versuch",
        "zum dritten Mal",
        "die letzte Frage",
        "wir sind zu dritt",
        "alles in allem",
        "am Ende war alles gut",
        "Bus 42",
    ],
)
def test_what_names_no_time_is_not_read_as_one(text: str) -> None:
    assert read(text, now=WEDNESDAY, zone=BERLIN) == []


def test_a_rule_of_return_that_is_not_understood_is_not_taken_for_one_time() -> None:
    assert read("every Easter", now=WEDNESDAY, zone=BERLIN) == []


def test_several_times_in_one_text_are_several_mentions() -> None:
    found = read("the call is on Friday at 3pm, the dinner on Saturday at 7pm", now=WEDNESDAY, zone=BERLIN)
    assert [mention.readings[0].wall for mention in found] == [datetime(2026, 3, 6, 15), datetime(2026, 3, 7, 19)]


@pytest.mark.parametrize(
    ("now", "text", "wall", "at"),
    [
        ("2026-03-29T00:30+00:00", "in 40 minutes", "2026-03-29 03:10", "2026-03-29T01:10+00:00"),
        ("2026-10-25T00:30+00:00", "in einer Stunde", "2026-10-25 02:30", "2026-10-25T01:30+00:00"),
    ],
    ids=["over the spring gap", "inside the autumn fold"],
)
def test_an_offset_is_counted_in_real_time_across_a_change_of_clocks(now: str, text: str, wall: str, at: str) -> None:
    (mention,) = read(text, now=datetime.fromisoformat(now), zone=BERLIN)
    assert mention.readings[0].wall == datetime.fromisoformat(wall)
    assert mention.readings[0].at == datetime.fromisoformat(at)
