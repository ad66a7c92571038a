"""English times, said on a Wednesday morning: Wednesday, 4 March 2026, 9:30 in Berlin."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.when.reader import read
from memory.when.reading import Reading

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 9, 30, tzinfo=BERLIN)


def only(text: str) -> tuple[str, Reading]:
    """The one mention of a text and its one reading."""
    mentions = read(text, now=NOW, zone=BERLIN)
    assert len(mentions) == 1, mentions
    assert len(mentions[0].readings) == 1, mentions[0].readings
    return mentions[0].text, mentions[0].readings[0]


@pytest.mark.parametrize(
    ("text", "said", "wall"),
    [
        ("remind me on the 3rd at noon to pay the rent", "on the 3rd at noon", "2026-04-03 12:00"),
        ("remind me to call Anna tomorrow at 8", "tomorrow at 8", "2026-03-05 08:00"),
        ("remind me in 20 minutes to take the pizza out", "in 20 minutes", "2026-03-04 09:50"),
        ("ping me in half an hour please", "in half an hour", "2026-03-04 10:00"),
        ("in an hour and a half call the plumber", "in an hour and a half", "2026-03-04 11:00"),
        ("water the plants in 2.5 hours", "in 2.5 hours", "2026-03-04 12:00"),
        ("in 2h30 wake me", "in 2h30", "2026-03-04 12:00"),
        ("take the cake out in one hour and 20 minutes", "in one hour and 20 minutes", "2026-03-04 10:50"),
        ("in a couple of days ask Tom", "in a couple of days", "2026-03-06 09:30"),
        ("ask again two weeks from Thursday", "two weeks from Thursday", "2026-03-19 00:00"),
        ("let us meet Friday week", "Friday week", "2026-03-13 00:00"),
        ("the parcel came 3 days ago", "3 days ago", "2026-03-01 09:30"),
        ("snooze it till Monday 9", "till Monday 9", "2026-03-09 09:00"),
        ("snooze until next week", "until next week", "2026-03-09 00:00"),
        ("I'm in Tokyo until Friday", "until Friday", "2026-03-06 00:00"),
        ("I need it by noon tomorrow", "by noon tomorrow", "2026-03-05 12:00"),
        ("please finish by the 15th", "by the 15th", "2026-03-15 00:00"),
        ("by the end of the month I want the report", "by the end of the month", "2026-04-01 00:00"),
        ("it broke yesterday", "yesterday", "2026-03-03 00:00"),
        ("the day after tomorrow we fly", "the day after tomorrow", "2026-03-06 00:00"),
        ("today at 17:45", "today at 17:45", "2026-03-04 17:45"),
        ("today at 5", "today at 5", "2026-03-04 17:00"),
        ("tonight at 8 there is a concert", "tonight at 8", "2026-03-04 20:00"),
        ("tonight at 2 the server restarts", "tonight at 2", "2026-03-05 02:00"),
        ("pick up the keys at half past four", "at half past four", "2026-03-04 16:30"),
        ("be there at quarter to three", "at quarter to three", "2026-03-04 14:45"),
        ("train leaves at twenty past ten", "at twenty past ten", "2026-03-04 10:20"),
        ("lunch is at ten to one", "at ten to one", "2026-03-04 12:50"),
        ("stand-up at ten-thirty", "at ten-thirty", "2026-03-04 10:30"),
        ("call him at 3pm", "at 3pm", "2026-03-04 15:00"),
        ("call him at 3 p.m. please", "at 3 p.m.", "2026-03-04 15:00"),
        ("alarm for 6:45am", "6:45am", "2026-03-05 06:45"),
        ("alarm at 0645 sharp", "at 0645 sharp", "2026-03-05 06:45"),
        ("flight at 15h20", "at 15h20", "2026-03-04 15:20"),
        ("at noon", "at noon", "2026-03-04 12:00"),
        ("12am is when it starts", "12am", "2026-03-05 00:00"),
        ("on Monday", "on Monday", "2026-03-09 00:00"),
        ("this Friday at 4pm", "this Friday at 4pm", "2026-03-06 16:00"),
        ("the party is this coming Saturday", "this coming Saturday", "2026-03-07 00:00"),
        ("last Friday was fun", "last Friday", "2026-02-27 00:00"),
        ("next week Tuesday", "next week Tuesday", "2026-03-10 00:00"),
        ("Tuesday of next week at 10am", "Tuesday of next week at 10am", "2026-03-10 10:00"),
        ("friday the 13th", "friday the 13th", "2026-03-13 00:00"),
        ("Tuesday, March 10th at 3:30 pm", "Tuesday, March 10th at 3:30 pm", "2026-03-10 15:30"),
        ("due March 10, 2027", "March 10, 2027", "2027-03-10 00:00"),
        ("the 3rd of May works", "the 3rd of May", "2026-05-03 00:00"),
        ("see you May 3", "May 3", "2026-05-03 00:00"),
        ("twenty-second of June", "twenty-second of June", "2026-06-22 00:00"),
        ("expires 2026-08-01", "2026-08-01", "2026-08-01 00:00"),
        ("2026-08-01T15:00 is the slot", "2026-08-01T15:00", "2026-08-01 15:00"),
        ("before 12/24/2026", "before 12/24/2026", "2026-12-24 00:00"),
        ("the 20th of next month", "the 20th of next month", "2026-04-20 00:00"),
        ("pay on the first of the month", "on the first of the month", "2026-04-01 00:00"),
        ("the last Friday of April", "the last Friday of April", "2026-04-24 00:00"),
        ("the second Tuesday of April at 9am", "the second Tuesday of April at 9am", "2026-04-14 09:00"),
        ("the week after next", "the week after next", "2026-03-16 00:00"),
        ("next month", "next month", "2026-04-01 00:00"),
        ("in March 2027", "in March 2027", "2027-03-01 00:00"),
        ("Q3 will be busy", "Q3", "2026-07-01 00:00"),
        ("week 12 is full", "week 12", "2026-03-16 00:00"),
        ("two days before Christmas", "two days before Christmas", "2026-12-23 00:00"),
        ("the Monday after Easter", "Monday after Easter", "2026-04-06 00:00"),
        ("Thanksgiving", "Thanksgiving", "2026-11-26 00:00"),
        ("Labor Day 2027", "Labor Day 2027", "2027-09-06 00:00"),
        ("the closest Monday to October 5th", "the closest Monday to October 5th", "2026-10-05 00:00"),
        ("Thursday 15:00 GMT", "Thursday 15:00 GMT", "2026-03-05 16:00"),
        ("8 in the evening on Friday", "8 in the evening on Friday", "2026-03-06 20:00"),
        ("since Monday it is broken", "since Monday", "2026-03-02 00:00"),
        ("after the weekend", "after the weekend", "2026-03-09 00:00"),
    ],
)
def test_a_time_in_english_is_found_and_understood(text: str, said: str, wall: str) -> None:
    found, reading = only(text)
    assert found == said
    assert reading.wall == datetime.fromisoformat(wall)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Thursday 9:30 - 11:00", "2026-03-05 09:30", "2026-03-05 11:00"),
        ("tomorrow from 3 to 5pm", "2026-03-05 15:00", "2026-03-05 17:00"),
        ("between 9 and 11am on Friday", "2026-03-06 09:00", "2026-03-06 11:00"),
        ("July 13-15", "2026-07-13 00:00", "2026-07-16 00:00"),
        ("from the 13th to the 15th of July", "2026-07-13 00:00", "2026-07-16 00:00"),
        ("from the 28th to the 3rd of April", "2026-03-28 00:00", "2026-04-04 00:00"),
        ("from 2pm till tomorrow 4:30pm", "2026-03-04 14:00", "2026-03-05 16:30"),
        ("8pm for 2 hours", "2026-03-04 20:00", "2026-03-04 22:00"),
        ("tomorrow evening", "2026-03-05 18:00", "2026-03-06 00:00"),
        ("this weekend", "2026-03-06 18:00", "2026-03-09 00:00"),
        ("the next three days", "2026-03-05 00:00", "2026-03-08 00:00"),
        ("end of April", "2026-04-21 00:00", "2026-05-01 00:00"),
        ("early next week", "2026-03-09 00:00", "2026-03-12 00:00"),
        ("later this week", "2026-03-05 00:00", "2026-03-09 00:00"),
        ("in the summer of 2027", "2027-06-21 00:00", "2027-09-23 00:00"),
    ],
)
def test_a_stretch_in_english_has_its_start_and_end(text: str, start: str, end: str) -> None:
    found, reading = only(text)
    assert found == text
    assert (reading.wall, reading.end) == (datetime.fromisoformat(start), datetime.fromisoformat(end))
    assert reading.kind == "interval"


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("Friday", "2026-03-06 09:00"),
        ("tomorrow morning", "2026-03-05 08:00"),
        ("tomorrow afternoon", "2026-03-05 15:00"),
        ("tomorrow evening", "2026-03-05 19:00"),
        ("tonight", "2026-03-04 20:00"),
        ("this weekend", "2026-03-07 10:00"),
        ("next week", "2026-03-09 09:00"),
        ("end of the month", "2026-03-31 09:00"),
        ("this morning", "2026-03-04 10:00"),
        ("today", "2026-03-04 10:00"),
        ("tomorrow at 15:10", "2026-03-05 15:10"),
    ],
)
def test_a_vague_time_has_an_hour_at_which_to_remind(text: str, anchor: str) -> None:
    assert only(text)[1].anchor == datetime.fromisoformat(anchor)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("until Friday", "until"),
        ("by noon", "by"),
        ("no later than Friday", "by"),
        ("before Friday", "before"),
        ("after Friday", "after"),
        ("since yesterday", "since"),
        ("on Friday", "at"),
    ],
)
def test_the_word_before_a_time_says_how_it_leans_on_it(text: str, bound: str) -> None:
    assert only(text)[1].bound == bound


def test_a_bare_length_is_a_duration() -> None:
    assert only("for two hours")[1].kind == "duration"
