"""The form of a mail is read the same in English and German, and nothing that somebody writes breaks it."""

import math
import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from memory.decide.circumstance import gap
from memory.decide.exchange import OWNER
from memory.decide.form import form_of
from memory.decide.words import MARKS, marks_of, words_in
from tests.doubles.exchanged import came

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("Could you send the slides?", "questions"),
        ("Könntest du mir die Folien schicken?", "questions"),
        ("Please send me the slides.", "requests"),
        ("Bitte schick mir die Folien.", "requests"),
        ("pls print", "shorthand"),
        ("Sollen wir das so lassen", "shorthand"),
        ("Let's talk tomorrow at 3 pm", "times"),
        ("Reden wir morgen um 15 Uhr", "times"),
        ("FYI", "for_information"),
        ("Zur Kenntnis", "for_information"),
        ("Ok, will do.", "only_fine"),
        ("Danke, mach ich", "only_fine"),
        ("Dear Jo,\nhere it is.", "greeting"),
        ("Hallo Jo,\nanbei.", "greeting"),
        ("It costs €400", "money"),
    ],
)
def test_what_a_mail_shows_is_seen_in_both_languages(said: str, number: str) -> None:
    assert form_of(came(said=said)).numbers[number] > 0
    assert form_of(came(said="The report stands on the shelf.")).numbers[number] == 0


def test_a_mail_that_stands_in_its_subject_asks_there() -> None:
    form = form_of(came(subject="Can you talk at noon?", said=""))
    assert form.asks
    assert form.numbers["questions"] > 0
    assert form.numbers["says_nothing"] == 1


@pytest.mark.parametrize(
    ("to", "cc", "place"),
    [
        ((OWNER,), (), "alone"),
        ((OWNER, "ida"), (), "to"),
        (("ida",), (OWNER,), "cc"),
        (("ida",), (), "past"),
        ((), (), "unknown"),
    ],
    ids=["to the owner alone", "and others", "copied in", "to others", "no header tells"],
)
def test_the_owner_has_a_place_in_the_headers(to: tuple[str, ...], cc: tuple[str, ...], place: str) -> None:
    assert form_of(came(to=to, cc=cc)).place == place


@pytest.mark.parametrize(("subject", "kind"), [("Re: x", "reply"), ("AW: x", "reply"), ("Fwd: x", "forward"), ("WG: x", "forward"), ("x", "new"), (" ", "blank")])  # fmt: skip
def test_the_subject_says_what_it_is(subject: str, kind: str) -> None:
    assert came(subject=subject).kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "?" * 200_000,
        "a" * 300_000,
        "please " * 60_000,
        "\n" * 200_000,
        "\ud800\u202e\x00",
        "From: " * 50_000,
        "Dear " * 40_000,
    ],
    ids=["questions", "one word", "pleas", "lines", "half a character", "headers", "greetings"],
)
def test_no_text_is_slow_or_breaks_it(text: str) -> None:
    began = time.process_time()
    mail = came(subject=text, said=text, below=text)
    form_of(mail)
    marks_of(mail)
    assert time.process_time() - began < 1.0


def test_marks_are_the_same_in_every_process() -> None:
    code = "from tests.doubles.exchanged import came; from memory.decide.words import marks_of; print(marks_of(came()))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_marks_hold_no_word_and_weigh_one_in_all() -> None:
    plain = marks_of(came(sender="nobody", said="one two three two", subject="four"))
    assert all(isinstance(mark, int) and 0 <= mark < MARKS for mark, _ in plain)
    said = [weight for _, weight in plain if weight != 0.5]
    assert math.fsum(weight**2 for weight in said) == pytest.approx(1.0)


def test_numbers_are_all_one_word() -> None:
    assert words_in("Room 417 at 9, ja?") == ["room", "0", "at", "0", "ja", "?"]


def test_a_gap_grows_in_steps() -> None:
    steps = [gap(timedelta(minutes=minutes)) for minutes in (1, 30, 120, 600, 3000, 30_000)]
    assert steps == [0, 1, 2, 3, 4, 5]
    assert gap(None) == 6
