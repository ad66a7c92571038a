"""Threads left hanging, threads where the owner waits, and senders who have gone quiet."""

from datetime import datetime, timedelta

import pytest

from memory.detectors.hanging import hanging, waiting
from memory.detectors.quiet_sender import quiet_sender
from memory.people.joining import Joined
from tests.doubles.letters import JO, ME, NOW, SARAH, a_letter, a_reply

ANNA = Joined(
    key="anna@winter.example", name="Anna Winter", mailboxes=("anna@winter.example",), because="", is_sure=True
)


def days(count: float) -> timedelta:
    return timedelta(days=count)


@pytest.mark.parametrize(
    ("ago", "is_hanging"),
    [(days(1), False), (days(2.9), False), (days(3), True), (days(20), True), (days(46), False)],
    ids=str,
)
def test_what_was_asked_hangs_after_some_days_and_is_let_go_after_many(ago: timedelta, is_hanging: bool) -> None:
    found = hanging([a_letter("Could you send the contract?", ago=ago)], ME, now=NOW)
    assert (found is not None) is is_hanging
    if found:
        assert found.quote == "Could you send the contract?"


def test_who_answered_has_nothing_hanging() -> None:
    thread = [a_letter("Could you send it?", ago=days(5)), a_reply("Here it is.", ago=days(4))]
    assert hanging(thread, ME, now=NOW) is None
    assert hanging(thread[:1], ME, now=NOW) is not None


def test_the_order_in_which_mails_are_handed_over_does_not_matter() -> None:
    thread = [a_reply("Here it is.", ago=days(4)), a_letter("Could you send it?", ago=days(5))]
    assert hanging(thread, ME, now=NOW) is None


def test_an_automatic_reply_is_no_last_word() -> None:
    thread = [
        a_letter("Could you send it?", ago=days(6)),
        a_letter("I am away.", ago=days(5), auto_submitted="auto-replied"),
    ]
    assert hanging(thread, ME, now=NOW) is not None
    asked = [a_reply("Could you send it?", ago=days(6)), thread[1]]
    assert waiting(asked, ME, now=NOW) is not None


def test_a_thread_of_others_is_not_the_owners_to_answer() -> None:
    to_both = a_letter("Could you send it?", ago=days(5), to=(JO, SARAH))
    assert hanging([to_both], ME, now=NOW) is None
    assert hanging([a_reply("I will look.", ago=days(6)), to_both], ME, now=NOW) is not None


def test_what_asks_nothing_does_not_hang() -> None:
    assert hanging([a_letter("Thanks, it arrived.", ago=days(5))], ME, now=NOW) is None


@pytest.mark.parametrize(
    ("said", "ago", "is_waiting"),
    [
        ("Could you send the offer?", days(5), True),
        ("Could you send the offer?", days(3), False),
        ("Here is the offer.", days(5), False),
        ("Schickst du mir das Angebot? Kannst du es bis Montag?", days(5), True),
    ],
)
def test_the_owner_waits_for_what_they_asked(said: str, ago: timedelta, is_waiting: bool) -> None:
    assert (waiting([a_reply(said, ago=ago)], ME, now=NOW) is not None) is is_waiting


def test_an_answer_ends_the_waiting() -> None:
    thread = [a_reply("Could you send the offer?", ago=days(6)), a_letter("Tomorrow.", ago=days(5))]
    assert waiting(thread, ME, now=NOW) is None


def test_a_note_to_oneself_waits_for_nobody() -> None:
    assert waiting([a_reply("Could you buy milk?", ago=days(5), to=(JO,))], ME, now=NOW) is None


def every(gap: timedelta, count: int, last: timedelta) -> list[datetime]:
    return [NOW - last - gap * n for n in range(count)]


@pytest.mark.parametrize(
    ("written_at", "is_quiet"),
    [
        pytest.param(every(days(7), 10, days(57)), True, id="weekly, eight weeks silent"),
        pytest.param(every(days(7), 10, days(55)), False, id="weekly, not yet"),
        pytest.param(every(days(1), 30, days(10)), False, id="daily, a holiday"),
        pytest.param(every(days(1), 30, days(15)), True, id="daily, two weeks"),
        pytest.param(every(days(7), 4, days(90)), False, id="four mails are no rhythm"),
        pytest.param(every(days(7), 10, days(500)), False, id="long ago"),
        pytest.param(every(timedelta(minutes=3), 40, days(30)), False, id="one afternoon is no rhythm"),
        pytest.param([], False, id="nothing"),
    ],
)
def test_quiet_is_against_their_own_rhythm(written_at: list[datetime], is_quiet: bool) -> None:
    assert (quiet_sender(ANNA, written_at, now=NOW) is not None) is is_quiet


def test_who_is_no_person_is_never_missed() -> None:
    assert quiet_sender(None, every(days(1), 30, days(100)), now=NOW) is None


def test_it_says_the_rhythm_and_when_the_silence_began() -> None:
    found = quiet_sender(ANNA, every(days(7), 10, days(60)), now=NOW)
    assert found is not None
    assert (found.detail, found.due_at) == ("7 of 10", NOW - days(4))
