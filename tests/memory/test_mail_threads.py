from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory.mail import Address, Mail
from memory.mail_thread import (
    IDS_MAX,
    JOINED_WITHIN_FOR,
    Candidate,
    is_forward,
    is_reply,
    joins,
    root_of,
    subject_key,
    thread_ids,
)

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
MAIL = Mail(
    message_id=None,
    sender=Address("Anna", "Anna@example.org"),
    senders_disagree=False,
    to=(Address("Mira", "mira@example.org"),),
    cc=(),
    subject="Re: Lunch on Friday",
    date_at=AT,
    in_reply_to=None,
    references=(),
    text="",
    was_cut=False,
    html_hidden=False,
    parts_disagree=False,
    attachments=(),
    list_id=None,
    is_automated=False,
    fingerprint="f" * 64,
    faults=(),
)
THREAD = Candidate(
    subject_key="lunch on friday", last_at=AT, people=frozenset({"anna@example.org", "mira@example.org"})
)


@pytest.mark.parametrize(
    ("subject", "key"),
    [
        ("Lunch", "lunch"),
        ("Re: Lunch", "lunch"),
        ("AW: Re: WG:  Lunch  am  Freitag ", "lunch am freitag"),
        ("Antwort: Lunch", "lunch"),
        ("RE[2]: Lunch", "lunch"),
        ("Re (3): Lunch", "lunch"),
        ("[team] Re: [team] Lunch", "lunch"),
        ("Re: [R-sig-Mac] Lunch", "lunch"),
        ("[Fwd: Lunch]", "lunch"),
        ("[PAY-17] Lunch", "[pay-17] lunch"),
        ("Re: [PAY-17] Lunch", "[pay-17] lunch"),
        ("Rechnung: Mai", "rechnung: mai"),
        ("Re:", ""),
        ("", ""),
        ("STRASSE", "strasse"),
    ],
)
def test_a_subject_is_the_same_behind_prefixes_and_list_tags_but_not_tickets(subject: str, key: str) -> None:
    assert subject_key(subject) == key


@pytest.mark.parametrize(
    ("subject", "reply", "forward"),
    [
        ("Re: Lunch", True, False),
        ("[team] AW: Lunch", True, False),
        ("SV: Lunch", True, False),
        ("FW: Lunch", True, True),
        ("WG: Mittag", True, True),
        ("[Fwd: Lunch]", True, True),
        ("Lunch", False, False),
        ("Report: Lunch", False, False),
        ("Reply needed", False, False),
        ("[team] Lunch", False, False),
    ],
)
def test_a_prefix_tells_a_reply_and_a_forward(subject: str, reply: bool, forward: bool) -> None:
    assert (is_reply(subject), is_forward(subject)) == (reply, forward)


def test_the_ids_of_a_mail_are_its_own_and_its_ancestors_nearest_first() -> None:
    mail = replace(MAIL, message_id="c", in_reply_to="b", references=("root", "a", "b"))
    assert thread_ids(mail) == ("c", "b", "a", "root")


def test_of_too_many_ids_the_nearest_and_the_first_of_all_are_kept() -> None:
    mail = replace(MAIL, message_id="own", references=tuple(f"r{number}" for number in range(300)))
    ids = thread_ids(mail)
    assert len(ids) == IDS_MAX
    assert (ids[:2], ids[-1]) == (("own", "r299"), "r0")


@pytest.mark.parametrize(
    ("mail", "root"),
    [
        (replace(MAIL, message_id="c", in_reply_to="b", references=("a", "b")), "a"),
        (replace(MAIL, message_id="c", in_reply_to="b"), "b"),
        (replace(MAIL, message_id="c"), "c"),
        (MAIL, "fingerprint:" + "f" * 64),
    ],
    ids=["references", "in-reply-to", "own-id", "nothing"],
)
def test_the_root_is_the_oldest_mail_that_is_named(mail: Mail, root: str) -> None:
    assert root_of(mail) == root


def test_a_reply_without_ids_joins_the_thread_of_its_subject_and_people() -> None:
    assert joins(MAIL, THREAD, at=AT + timedelta(days=3))


@pytest.mark.parametrize(
    ("mail", "thread", "after"),
    [
        pytest.param(replace(MAIL, in_reply_to="x"), THREAD, timedelta(), id="it-refers-to-another"),
        pytest.param(replace(MAIL, references=("x",)), THREAD, timedelta(), id="it-has-references"),
        pytest.param(replace(MAIL, subject="Lunch on Friday"), THREAD, timedelta(), id="no-reply-by-its-subject"),
        pytest.param(replace(MAIL, subject="Re: Lunch"), THREAD, timedelta(), id="another-subject"),
        pytest.param(replace(MAIL, subject="Re:"), replace(THREAD, subject_key=""), timedelta(), id="no-subject"),
        pytest.param(MAIL, THREAD, JOINED_WITHIN_FOR + timedelta(seconds=1), id="too-long-after"),
        pytest.param(MAIL, THREAD, -JOINED_WITHIN_FOR - timedelta(seconds=1), id="too-long-before"),
        pytest.param(replace(MAIL, sender=Address("", "eve@example.net")), THREAD, timedelta(), id="a-stranger-writes"),
        pytest.param(replace(MAIL, sender=None), THREAD, timedelta(), id="nobody-writes"),
        pytest.param(replace(MAIL, to=(Address("", "x@example.net"),)), THREAD, timedelta(), id="to-strangers"),
        pytest.param(replace(MAIL, to=(Address("", "anna@example.org"),)), THREAD, timedelta(), id="to-oneself"),
    ],
)
def test_a_mail_stays_out_of_a_thread_that_it_does_not_surely_belong_to(
    mail: Mail, thread: Candidate, after: timedelta
) -> None:
    assert not joins(mail, thread, at=AT + after)
