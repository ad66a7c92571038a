"""Notes, meetings and transcripts: what they are called, when they are of, who was there."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.zones import Stay, Timeline
from tools.corpora.meeting import read_meeting
from tools.corpora.note import Note, day_in, person_in, read_note
from tools.corpora.transcript import TURN_MAX, read_transcript

BERLIN = Timeline((Stay(datetime(2000, 1, 1, tzinfo=UTC), "Europe/Berlin"),))
CHANGED = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)


def note(text: str, name: str = "heron") -> Note:
    return read_note(text, name=name, changed_at=CHANGED, zones=BERLIN)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("# Heron\ntext", "Heron", id="a heading"),
        pytest.param("text\n\n## **Heron** ##\n", "Heron", id="a later heading"),
        pytest.param("---\ntitle: The Heron\n---\n# Other", "The Heron", id="front matter"),
        pytest.param('---\ntitel: "Der Reiher"\n---\n', "Der Reiher", id="front matter, German"),
        pytest.param("```\n# not this\n```\n# This", "This", id="not in code"),
        pytest.param("#notaheading\nplain", "heron", id="only the file's name"),
        pytest.param("", "heron", id="nothing in it"),
    ],
)
def test_a_note_is_called_by_its_front_matter_its_heading_or_its_name(text: str, title: str) -> None:
    assert note(text).title == title


def test_front_matter_is_no_text_and_its_words_are_found() -> None:
    found = note("---\ntitle: T\ntags: [birds, plans]\naliases:\n  - Fischreiher\n---\nIt lands.\n")
    assert found.text == "It lands.\n\nbirds, plans, Fischreiher"
    assert note("---\nnot: closed\n# Heron").text == "---\nnot: closed\n# Heron"


def test_wiki_links_are_words() -> None:
    assert note("See [[Plans|the plan]], [[Heron#Spring]] and ![[pond.png]].").text == (
        "See the plan, Heron Spring and pond.png."
    )


@pytest.mark.parametrize(
    ("text", "name", "day"),
    [
        pytest.param("---\ndate: 2025-12-31\n---\n", "x", "2025-12-30T23:00", id="front matter"),
        pytest.param("Datum: 31.12.2025\n", "x", "2025-12-30T23:00", id="a line"),
        pytest.param("", "2025-12-31 Heron", "2025-12-30T23:00", id="the name"),
        pytest.param("", "20251231", "2025-12-30T23:00", id="the name in digits"),
        pytest.param("", "2026-03-02", "2026-03-02T07:14", id="of the day it was changed"),
        pytest.param("", "Heron", "2026-03-02T07:14", id="nothing tells"),
        pytest.param("Date: 2025-02-31\n", "x", "2026-03-02T07:14", id="no such day"),
    ],
)
def test_a_note_is_of_the_day_it_tells(text: str, name: str, day: str) -> None:
    assert f"{note(text, name).at:%Y-%m-%dT%H:%M}" == day


@pytest.mark.parametrize(
    ("text", "people"),
    [
        pytest.param("Attendees: Anna Winter, Bob Frost and Jo", ["Anna Winter", "Bob Frost", "Jo"], id="a line"),
        pytest.param("**Teilnehmer:** Anna Winter; Bob Frost", ["Anna Winter", "Bob Frost"], id="bold, German"),
        pytest.param("Teilnehmer:innen: Anna Winter und Bob Frost", ["Anna Winter", "Bob Frost"], id="inclusive"),
        pytest.param("Participants:\n- Anna Winter (chair)\n- [[Bob Frost|Bob]]\n\n- no more", ["Anna Winter", "Bob"], id="a list"),
        pytest.param("---\nattendees: [Anna Winter, '@bob']\n---\n", ["Anna Winter", "bob"], id="front matter"),
        pytest.param("She said: Anna", [], id="no such line"),
    ],
)  # fmt: skip
def test_who_was_there_is_told(text: str, people: list[str]) -> None:
    assert [name for name, _ in note(text).people] == people


def test_an_address_beside_a_name_is_kept() -> None:
    assert person_in("Anna Winter <Anna@Winter.example>") == ("Anna Winter", "anna@winter.example")
    assert person_in(" - ") is None


def test_days_are_read_as_they_are_written() -> None:
    assert day_in("on 2.3.2026 and 2027-01-01") == date(2027, 1, 1)
    assert day_in("2.3.2026") == date(2026, 3, 2)
    assert day_in("123.4.20267") is None


VTT = """WEBVTT

NOTE made by a program

1
00:00:05.000 --> 00:00:09.000
<v Anna Winter>Shall we ship in May?</v>

2
00:00:09.500 --> 00:00:11.000 align:start
<v Bob Frost>In May, <i>yes</i>.

3
00:12:11.000 --> 00:12:13.000
Bob Frost: If the tests hold.
"""

SRT = "1\r\n00:00:05,000 --> 00:00:09,000\r\n- Anna: Fangen wir an?\r\n\r\n2\r\n00:00:10,000 --> 00:00:12,000\r\nMit dem Reiher.\r\n\r\n3\r\n01:00:00,000 --> 01:00:02,000\r\nJa, gern.\r\n"


def test_a_transcript_is_a_line_for_each_turn_with_speaker_and_time() -> None:
    found = read_transcript(VTT)
    assert found.text == (
        "[0:00:05] Anna Winter: Shall we ship in May?\n[0:00:09] Bob Frost: In May, yes.\n"
        "[0:12:11] Bob Frost: If the tests hold."
    )
    assert found.speakers == ("Anna Winter", "Bob Frost")
    assert read_transcript(SRT).text == "[0:00:05] Anna: Fangen wir an? Mit dem Reiher.\n[1:00:00] Ja, gern."


def test_long_speech_is_cut_into_lines_and_rolling_captions_are_said_once() -> None:
    cues = "\n\n".join(f"00:00:{n:02}.000 --> 00:00:{n + 1:02}.000\nAnna: {'word ' * 40}{n}" for n in range(20))
    assert all(len(line) < TURN_MAX + 100 for line in read_transcript(cues).text.splitlines())
    rolling = (
        "00:01.000 --> 00:02.000\nwe ship\n\n00:02.000 --> 00:03.000\nwe ship\n\n00:03.000 --> 00:04.000\nin May\n"
    )
    assert read_transcript(rolling).text == "[0:00:01] we ship\n[0:00:03] in May"


def test_what_is_no_name_is_no_speaker() -> None:
    cue = "00:01.000 --> 00:02.000\n{}\n"
    for said in (
        "https://x.example is it",
        "We decided three things after all of that: ship",
        "Note: ship",
        "at 9:30 we go",
    ):
        assert read_transcript(cue.format(said)).speakers == ()


def test_broken_times_are_named_by_their_line() -> None:
    assert read_transcript("WEBVTT\n\nsoon --> later\nAnna: x\n\n00:01.000 --> 00:02.000\nAnna: y\n").bad_lines == (3,)


def test_a_meeting_has_its_people_its_time_and_what_it_is_called() -> None:
    zoom = read_meeting(VTT, name="GMT20260302-081500_Recording.transcript.vtt", changed_at=CHANGED, zones=BERLIN)
    named = read_meeting(VTT, name="2026-03-02 09.30 Weekly.vtt", changed_at=CHANGED, zones=BERLIN)
    noted = read_meeting("# Weekly\nAttendees: Anna\nWe ship.", name="w.md", changed_at=CHANGED, zones=BERLIN)
    assert zoom is not None
    assert named is not None
    assert noted is not None
    assert zoom.at == datetime(2026, 3, 2, 8, 15, tzinfo=UTC)
    assert named.at == datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
    assert "Weekly" in named.title
    assert (zoom.people, zoom.by_owner) == ((("Anna Winter", ""), ("Bob Frost", "")), False)
    assert (noted.title, noted.people, noted.by_owner) == ("Weekly", (("Anna", ""),), True)
    assert read_meeting("WEBVTT\n", name="a.vtt", changed_at=CHANGED, zones=BERLIN) is None
    assert read_meeting("  \n", name="a.md", changed_at=CHANGED, zones=BERLIN) is None


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_no_text_raises(text: str) -> None:
    note(text, text[:20] or "x")
    note(f"---\n{text}\n---\n")
    read_meeting(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{text}", name="a.vtt", changed_at=CHANGED, zones=BERLIN)
