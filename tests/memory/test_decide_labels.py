"""What the owner did with a mail is told from what they sent, and only when there was time to do it."""

from datetime import timedelta

import pytest

from memory.decide.exchange import Exchange
from memory.decide.labels import ACT_FOR, KNOWN_AFTER_FOR, labels
from tests.doubles.exchanged import START, answer, came, sent

DAY = timedelta(days=1)
LATER = START + 60 * DAY


def only(mail: Exchange, *others: Exchange, now=LATER):
    return labels([mail, *others], now=now)[mail.fingerprint]


def test_an_answer_by_its_headers_is_a_reply() -> None:
    mail = came()
    found = only(mail, answer(mail, thread="another", subject="something else"))
    assert (found.acted, found.act.how) == (True, "reply")


def test_a_reply_in_the_thread_acts_on_the_latest_mail_of_that_person() -> None:
    first, second = came(thread="t"), came(START + DAY, thread="t")
    other = came(START + 2 * DAY, "otto", thread="t")
    found = labels([first, second, other, sent(START + 3 * DAY, thread="t", subject="Re: Quarterly plan")], now=LATER)
    assert [found[each.fingerprint].acted for each in (first, second, other)] == [False, True, False]


def test_what_is_passed_on_under_its_subject_is_a_forward() -> None:
    mail = came(subject="Re: Quarterly plan")
    found = only(mail, sent(START + DAY, "ida", subject="Fwd: Quarterly plan"))
    assert (found.acted, found.act.how) == (True, "forward")
    german = only(mail, sent(START + DAY, "ida", subject="WG: Quarterly plan"))
    assert german.act.how == "forward"


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(sent(START + DAY, "ida", subject="Re: Quarterly plan"), id="a reply to somebody else"),
        pytest.param(sent(START + DAY, "mara", subject="Dinner"), id="something new to the same person"),
        pytest.param(
            sent(START + DAY, thread="t", subject="Dinner"), id="something new where mails were joined to a thread"
        ),
        pytest.param(sent(START + DAY, "ida", subject="Quarterly plan"), id="the same subject, not passed on"),
        pytest.param(sent(START + DAY, "ida", subject="Fwd: "), id="a forward of nothing"),
    ],
)
def test_what_only_looks_like_an_act_is_none(later: Exchange) -> None:
    assert only(came(thread="t"), later).acted is False


def test_what_comes_after_two_weeks_is_no_act() -> None:
    mail = came()
    assert only(mail, answer(mail, ACT_FOR - timedelta(minutes=1))).acted is True
    assert only(mail, answer(mail, ACT_FOR + timedelta(minutes=1))).acted is False


def test_nobody_knows_before_there_was_time() -> None:
    mail = came()
    assert only(mail, now=START + KNOWN_AFTER_FOR - timedelta(minutes=1)).acted is None
    assert only(mail, now=START + KNOWN_AFTER_FOR).acted is False
    early = only(mail, answer(mail), now=START + DAY)
    assert early.acted is None, "to count early answers alone would teach that young mail is answered"
    assert early.act is not None


def test_what_is_not_known_yet_is_not_seen() -> None:
    mail = came()
    late = answer(mail, 10 * DAY)
    assert only(mail, late, now=START + 8 * DAY).acted is False
    assert only(mail, late, now=START + 11 * DAY).acted is True
    assert came(START + 9 * DAY).fingerprint not in labels([mail], now=START + 8 * DAY)
