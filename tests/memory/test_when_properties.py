"""What must hold for every text whatever: no failure, honest places, work in proportion to length."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.when.reader import chart_of, read, scene_at
from memory.when.tokens import TEXT_AT_MOST, TOKENS_AT_MOST, tokens_of

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 8, 30, tzinfo=UTC)
LINES = (
    "at on in of the every last next this first third friday monday morgen freitag um am bis von 3 15 2026 30 99 : / . - ,",
    "may sun march week month year days minutes half quarter past to viertel halb nach vor jeden alle zwei wochen uhr",
    "pm am noon midnight tomorrow until since after before weekend easter end ende anfang feb 31 0 00 24 st th h '",
)
WORDS = [word for line in LINES for word in line.split()]
PHRASES = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
GLUED = st.lists(st.sampled_from(WORDS), max_size=14).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(PHRASES, GLUED, st.text(max_size=120)), st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_no_text_at_any_time_makes_it_fail_and_every_mention_stands_where_it_says(text: str, now: datetime) -> None:
    zone = BERLIN if 1900 < now.year < 9000 else ZoneInfo("UTC")
    last = 0
    for mention in read(text, now=now.replace(tzinfo=UTC), zone=zone):
        start, end = mention.span
        assert last <= start < end <= len(text)
        assert text[start:end] == mention.text
        assert mention.readings
        last = end


@settings(max_examples=60, deadline=None)
@given(PHRASES)
def test_a_reading_ends_after_it_starts_and_says_how_it_was_understood(text: str) -> None:
    for mention in read(text, now=NOW, zone=BERLIN):
        for reading in mention.readings:
            assert reading.wall.tzinfo is None
            assert reading.end is None or reading.end > reading.wall
            assert reading.explanation


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    "phrase",
    [
        "1 ",
        "monday ",
        "3 to ",
        "1:30 - ",
        "the 3rd of ",
        "every ",
        "vor 5 nach ",
        "may march ",
        "next ",
        "halb ",
        "1.",
        "half past ",
        "mondays and ",
        "montags und ",
        "two days after ",
    ],
)
def test_the_work_grows_with_the_length_and_no_faster(phrase: str, language: str) -> None:
    scene = scene_at(NOW, BERLIN, language)

    def work(count: int) -> int:
        tokens = tokens_of(phrase * 400)[:count]
        return chart_of(tokens, scene)[0].work

    assert work(160) <= 2.6 * work(80)


def test_what_lies_beyond_the_caps_is_not_looked_at() -> None:
    assert len(tokens_of("a " * 5000)) == TOKENS_AT_MOST
    assert tokens_of("x" * (TEXT_AT_MOST + 10))[-1].end == TEXT_AT_MOST
    assert read("x " * 1500 + "tomorrow", now=NOW, zone=BERLIN) == []
