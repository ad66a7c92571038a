"""A time by which something is due is found, and resolved as it was meant on the day of the mail."""

from datetime import UTC, datetime, timedelta
from time import process_time
from zoneinfo import ZoneInfo

import pytest

from memory.detectors.deadline import deadline
from tests.doubles.letters import BERLIN, NOW, a_letter, a_reply


def berlin(month: int, day: int, hour: int, minute: int = 0, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(
    ("said", "due_at"),
    [
        ("Please send the report by Friday.", berlin(9, 11, 18)),
        ("We need it until 5 pm", berlin(9, 7, 17)),
        ("I will need it by Friday.", berlin(9, 11, 18)),
        ("I hope you can send it by Friday.", berlin(9, 11, 18)),
        ("Can you sign it by end of day?", berlin(9, 7, 17)),
        ("Your trial expires on October 3", berlin(10, 3, 18)),
        ("The invoice is due on 2026-10-01.", berlin(10, 1, 18)),
        ("Please confirm on Friday at the latest.", berlin(9, 11, 18)),
        ("The last day to register is September 10th.", berlin(9, 10, 18)),
        ("Let me know before Tuesday.", berlin(9, 8, 0)),
        ("RSVP by Sept 20", berlin(9, 20, 18)),
        ("Please reply within 14 days.", NOW - timedelta(minutes=5) + timedelta(days=14)),
        ("Bitte schick es bis Montag 12 Uhr", berlin(9, 7, 12)),
        ("Bitte antworte bis Ende der Woche", berlin(9, 13, 18)),
        ("Frist: 14.10.2026", berlin(10, 14, 18)),
        ("Die Unterlagen müssen spätestens am 30. September da sein", berlin(9, 30, 18)),
        ("Die Rechnung ist fällig am 1.10.2026", berlin(10, 1, 18)),
        ("Die Anmeldefrist läuft am 20. September ab.", berlin(9, 20, 18)),
        ("bis zum 15. Oktober bitte zurück", berlin(10, 15, 18)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_due_when(said: str, due_at: datetime) -> None:
    found = deadline(a_letter(said), zone=BERLIN, now=NOW)
    assert found is not None
    assert found.due_at is not None
    assert abs(found.due_at - due_at) < timedelta(minutes=1)
    assert not found.is_past
    assert found.quote in said


@pytest.mark.parametrize(
    "said",
    [
        "I'm away until Monday.",
        "Please note that I am out of office until Monday and will reply then.",
        "The shop is open until 8 pm",
        "We drove by the lake, please look at the pictures.",
        "Ich bin bis Montag im Urlaub.",
        "Bis bald!",
        "See you on Friday.",
        "There is no deadline.",
        "I will send the report by Friday.",
        "We hope to finish it by Friday.",
        "Ich schicke es dir bis Freitag.",
    ],
)
def test_what_is_no_deadline(said: str) -> None:
    assert deadline(a_letter(said), zone=BERLIN, now=NOW) is None


def test_it_is_meant_on_the_day_it_was_written_and_marked_when_over() -> None:
    old = a_letter("Please send it by Friday.", date_at=NOW - timedelta(days=30))
    found = deadline(old, zone=BERLIN, now=NOW)
    assert found is not None
    assert found.due_at == berlin(8, 14, 18)
    assert found.is_past


def test_it_stands_on_the_owners_clock() -> None:
    found = deadline(a_letter("We need it by 5 pm, please."), zone=ZoneInfo("America/New_York"), now=NOW)
    assert found is not None
    assert found.due_at == datetime(2026, 9, 7, 21, 0, tzinfo=UTC)


def test_of_several_the_next_one_counts() -> None:
    said = "The deadline was last Friday. Please send the rest by Thursday, and sign by 30 September."
    found = deadline(a_letter(said), zone=BERLIN, now=NOW)
    assert found is not None
    assert found.due_at == berlin(9, 10, 18)


def test_the_subject_is_read_too() -> None:
    assert deadline(a_letter("See attached.", subject="Deadline Friday"), zone=BERLIN, now=NOW) is not None


def test_what_the_owner_wrote_sets_them_no_deadline() -> None:
    assert deadline(a_reply("Please send it by Friday."), zone=BERLIN, now=NOW) is None


@pytest.mark.parametrize(
    "text",
    ["please by friday " * 10_000, "deadline " * 20_000, "due by 5 " * 20_000, "by " * 60_000, "frist 1.1. " * 18_000],
    ids=lambda text: text[:12],
)
def test_no_text_makes_it_slow(text: str) -> None:
    started = process_time()
    deadline(a_letter(text), zone=BERLIN, now=NOW)
    assert process_time() - started < 2.0
