"""An edit may change the subject: it is another letter then, and nothing leaves under the old card."""

from pathlib import Path

import pytest

from memory.command.correspondence import subject_in
from tests.doubles.clock import FakeClock
from tests.exit_room import open_office


@pytest.mark.parametrize(
    ("edit", "subject", "text"),
    [
        pytest.param("subject: Dinner\n\nLet us have dinner.", "Dinner", "Let us have dinner.", id="both"),
        pytest.param("Betreff: Abendessen", "Abendessen", "Friday suits me.", id="the subject alone"),
        pytest.param("Subject matters are hard.", "Re: Lunch", "Subject matters are hard.", id="a text that begins so"),
    ],
)
async def test_the_subject_is_changed_by_the_first_line(
    database: Path, clock: FakeClock, edit: str, subject: str, text: str
) -> None:
    async with open_office(database, clock) as office:
        await office.says("reply to Anna: Friday suits me.")
        old = office.card()
        await office.taps("Edit")
        await office.says(edit)
        await office.taps("Send", old)
        assert office.sent == [], "the old card asks for nothing any more"
        await office.taps("Send")
        (sent,) = office.sent
        assert (sent.message["subject"], sent.text) == (subject, text)


def test_only_the_first_line_names_a_subject() -> None:
    assert subject_in("new subject Dinner") == ("Dinner", "")
    assert subject_in("Hello\nsubject: Dinner") == (None, "Hello\nsubject: Dinner")
