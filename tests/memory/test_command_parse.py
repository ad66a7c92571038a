"""What the owner's words ask for, in both languages; and what only looks like a command."""

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.command.intent import (
    Close,
    ListLoops,
    Move,
    OpenLoop,
    Remind,
    SetQuiet,
    ShowDay,
    Snooze,
    Speak,
    Stop,
    Target,
    Undo,
    from_plain,
    to_plain,
)
from memory.command.parse import InThePast, Parsed, Unsure, WhenMissing, parse

NOW = datetime(2026, 11, 30, 17, tzinfo=UTC)
"""A Monday, 18:00 in Berlin."""
BERLIN = ZoneInfo("Europe/Berlin")


def read(text: str) -> Parsed:
    return parse(text, now=NOW, zone=BERLIN, language="en")


def words(text: str) -> Target:
    return Target("words", words=text)


SAID: dict[str, Parsed] = {
    "today": ShowDay(),
    "Heute?": ShowDay(),
    "what's on today?": ShowDay(),
    "Show me today, please": ShowDay(),
    "what does my day look like?": ShowDay(),
    "was steht heute an?": ShowDay(),
    "wie sieht mein Tag aus?": ShowDay(),
    "done": Close(Target()),
    "Done!": Close(Target()),
    "ok done, thanks": Close(Target()),
    "✅": Close(Target()),
    "mark it done": Close(Target()),
    "mark it as done please": Close(Target()),
    "mark the first as done": Close(Target("number", 1)),
    "the second one is done": Close(Target("number", 2)),
    "mark the last one as done": Close(Target("last")),
    "close #12": Close(Target("loop_id", 12)),
    "1 done": Close(Target("number", 1)),
    "done with the offer": Close(words("offer")),
    "I've finished the tax return": Close(words("tax return")),
    "erledigt": Close(Target()),
    "das ist erledigt": Close(Target()),
    "das erste ist erledigt": Close(Target("number", 1)),
    "Nr. 3 erledigt": Close(Target("number", 3)),
    "hab ich gemacht": Close(Target()),
    "das hab ich schon erledigt": Close(Target()),
    "ich hab's erledigt": Close(Target()),
    "die Rechnung hab ich gemacht": Close(words("rechnung")),
    "setze die Rechnung auf erledigt": Close(words("rechnung")),
    "that's done": Close(Target()),
    "the report\u2019s done": Close(words("report")),
    "Paris done": Close(words("paris")),
    "I'm done": Close(Target("mentioned")),
    "I am finished with it": Close(Target("mentioned")),
    "ich bin fertig": Close(Target("mentioned")),
    "finish it": Close(Target()),
    "close the tax return": Close(words("tax return")),
    "drop #12": Close(Target("loop_id", 12), "dropped"),
    "die Rechnung ist erledigt": Close(words("rechnung")),
    "drop the second": Close(Target("number", 2), "dropped"),
    "streich das letzte": Close(Target("last"), "dropped"),
    "stop reminding me about the plumber": Close(words("plumber"), "dropped"),
    "undo": Undo(),
    "undo that": Undo(),
    "not done": Undo(only_done=True),
    "doch nicht erledigt": Undo(only_done=True),
    "mach das rückgängig": Undo(),
    "snooze it till Thursday 9": Snooze(Target(), datetime(2026, 12, 3, 9)),
    "snooze the second until tomorrow at 8": Snooze(Target("number", 2), datetime(2026, 12, 1, 8)),
    "verschiebe es auf Donnerstag 9 Uhr": Snooze(Target(), datetime(2026, 12, 3, 9)),
    "snooze it for 2 hours": Snooze(Target(), datetime(2026, 11, 30, 20), datetime(2026, 11, 30, 19, tzinfo=UTC)),
    "remind me on the 3rd at noon to call Anna": Remind("call Anna", datetime(2026, 12, 3, 12)),
    "remind me to call Anna on the 3rd at noon": Remind("call Anna", datetime(2026, 12, 3, 12)),
    "Please remind me tomorrow at 8 about the bins": Remind("the bins", datetime(2026, 12, 1, 8)),
    "call mum tomorrow at 5, remind me": Remind("call mum", datetime(2026, 12, 1, 17)),
    "remind me about the Friday meeting tomorrow at 9": Remind("the Friday meeting", datetime(2026, 12, 1, 9)),
    "remind me in 20 minutes to look at the oven": Remind(
        "look at the oven", datetime(2026, 11, 30, 18, 20), exact_at=datetime(2026, 11, 30, 17, 20, tzinfo=UTC)
    ),
    "every weekday at 8 take the pills": Remind(
        "take the pills", datetime(2026, 12, 1, 8), "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00"
    ),
    "erinnere mich morgen um 8 an den Müll": Remind("Müll", datetime(2026, 12, 1, 8)),
    "erinnere mich am Freitag um 15 Uhr, Anna anzurufen": Remind("Anna anzurufen", datetime(2026, 12, 4, 15)),
    "erinnere mich morgen um 8 daran, den Müll nicht zu vergessen": Remind(
        "den Müll nicht zu vergessen", datetime(2026, 12, 1, 8)
    ),
    "would you remind me tomorrow at 8 to call": Remind("call", datetime(2026, 12, 1, 8)),
    "erinnere mich jeden Montag um 9 an den Bericht": Remind(
        "Bericht", datetime(2026, 12, 7, 9), "FREQ=WEEKLY;BYDAY=MO 09:00"
    ),
    "todo: send the offer": OpenLoop("send the offer"),
    "Aufgabe: Angebot schicken": OpenLoop("Angebot schicken"),
    "add milk to my list": OpenLoop("milk"),
    "waiting on Acme for the contract": OpenLoop("Acme for the contract", "waiting"),
    "ich warte auf den Vertrag": OpenLoop("den Vertrag", "waiting"),
    "what's open?": ListLoops(),
    "was ist noch offen?": ListLoops(),
    "stop": Stop(),
    "I'm in Tokyo until Friday": Move("Asia/Tokyo", datetime(2026, 12, 4)),
    "ich bin bis Freitag in Tokio": Move("Asia/Tokyo", datetime(2026, 12, 4)),
    "I'm back in Berlin": Move("Europe/Berlin"),
    "auf Deutsch bitte": Speak("de"),
    "in English please": Speak("en"),
    "quiet 22-7": SetQuiet(time(22), time(7)),
    "Ruhe von 22:30 bis 6": SetQuiet(time(22, 30), time(6)),
    "quiet off": SetQuiet(time(0), time(0)),
    "remind me yesterday to call": InThePast("yesterday"),
}


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_means(text: str) -> None:
    assert read(text) == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "when are you done with the slides?",
        "are we done?",
        "I am done with this job and will quit, what do you think about that",
        "I'm in trouble",
        "I'm in a meeting",
        "I'm at home",
        "thanks",
        "good morning",
        "can you explain what an open loop is?",
        "the first snow fell in Berlin",
        "I was reminded of you yesterday",
        "every dog has its day, they say",
        "stop the press, this is important",
        "Wie geht es dir?",
        "Ich bin müde",
        "I should be done by Friday",
        "fertig bin ich noch nicht",
        "I am not done yet, ask me tomorrow",
        "undone",
        "overdone",
        "abandoned",
        "don't drop it",
        "don't close it",
        "do not snooze it till Monday",
        "finish the report",
        "erledige die Rechnung",
        "don't remind me tomorrow at 8 about the bins",
        "do not remind me tomorrow at 8",
        "you remind me of my mother every Monday",
        "tell Anna to remind me tomorrow",
        "why would you remind me tomorrow at 8",
        "erinnere mich nicht morgen daran",
        "erinnere mich morgen nicht an den Müll",
        "every Monday is awful",
        "jeden Montag bin ich müde",
        "offen gesagt weiß ich das nicht",
        "Aufgabe verstanden",
        "",
        "   ",
    ],
)
def test_talk_is_no_command(text: str) -> None:
    assert read(text) is None


def test_two_readings_come_as_two() -> None:
    found = read("remind me at 8 to eat")
    assert isinstance(found, Unsure)
    assert [option.wall for option in found.options if isinstance(option, Remind)] == [
        datetime(2026, 11, 30, 20),
        datetime(2026, 12, 1, 8),
    ]


def test_monday_at_nine_said_on_monday_evening_is_next_week_or_tonight() -> None:
    found = read("snooze it till Monday 9")
    assert isinstance(found, Unsure)
    assert [option.wall for option in found.options if isinstance(option, Snooze)] == [
        datetime(2026, 12, 7, 9),
        datetime(2026, 11, 30, 21),
    ]


@pytest.mark.parametrize("text", ["remind me to call mum", "snooze it", "later", "erinnere mich an den Zahnarzt"])
def test_a_wish_without_a_time_is_asked_for_one(text: str) -> None:
    assert isinstance(read(text), WhenMissing)


def test_a_long_story_is_never_a_command() -> None:
    assert read("done " * 200) is None


@pytest.mark.parametrize("intent", [i for i in SAID.values() if not isinstance(i, InThePast)])
def test_an_intent_survives_being_kept_on_a_card(intent: Parsed) -> None:
    assert intent is not None
    assert not isinstance(intent, Unsure | WhenMissing | InThePast)
    assert from_plain(to_plain(intent)) == intent


@given(st.text(max_size=300))
def test_no_text_makes_the_parser_fail(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "text",
    [
        "remind me on 31 December 2100 to x",
        "remind me on 31.12.9999 at 23:59 to x",
        "remind me on 30 February to x",
        "remind me in -5 minutes to x",
        "erinnere mich am 30. Februar an x",
    ],
)
def test_a_time_that_was_only_half_understood_is_asked_for(text: str) -> None:
    assert isinstance(read(text), WhenMissing | Unsure | InThePast)


def test_nobody_is_somewhere_until_yesterday() -> None:
    assert read("I'm in Berlin until yesterday") == InThePast("until yesterday")
