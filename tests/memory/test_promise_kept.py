"""Whether a promise was kept: seen where it shows, asked about where it may be, and never guessed."""

from datetime import timedelta

import pytest

from memory.mail import Attachment, KeptMail
from memory.promise import Promise
from memory.promise_kept import weigh
from memory.promises.extract import promises
from memory.utterance import of_mail
from tests.doubles.letters import ANNA, BERLIN, NOW, SARAH, a_reply

PLANS = Attachment("plans.pdf", "application/pdf", 1_000, "0" * 64)

OTHER = Attachment("scan-12.pdf", "application/pdf", 1_000, "1" * 64)


def sign(promised: str, later: KeptMail) -> str:
    source = a_reply(promised, ago=timedelta(days=2))
    found: tuple[Promise, ...] = promises(promised, now=source.at, zone=BERLIN)
    return weigh(found[0], of_mail(source, ()), of_mail(later, ()), zone=BERLIN).sign


SENT, ANSWERED, CALLED = "I'll send you the plans.", "I'll let you know about the room.", "I'll call the landlord."


@pytest.mark.parametrize(
    ("promised", "later", "expected"),
    [
        pytest.param(SENT, a_reply("Please find them", attachments=(PLANS,)), "kept", id="a file, in the thread"),
        pytest.param(SENT, a_reply("Hi", attachments=(OTHER,), thread_id=2), "ask", id="a file, elsewhere"),
        pytest.param(
            SENT, a_reply("Hi", attachments=(PLANS,), thread_id=2), "kept", id="the file by its name, elsewhere"
        ),
        pytest.param(SENT, a_reply("As promised: https://x.example/plans"), "ask", id="a link"),
        pytest.param(SENT, a_reply("How was your weekend in Wien?"), "none", id="no file"),
        pytest.param(SENT, a_reply("Hi", attachments=(PLANS,), to=(SARAH,)), "none", id="a file, to somebody else"),
        pytest.param(SENT, a_reply("Sorry, I'll send them on Monday.", attachments=(PLANS,)), "none", id="put off"),
        pytest.param(SENT, a_reply("Hi", attachments=(PLANS,), ago=timedelta(days=3)), "none", id="earlier"),
        pytest.param(SENT, a_reply("Hi", attachments=(PLANS,), to=(SARAH,), cc=(ANNA,)), "kept", id="a file, copied"),
        pytest.param(ANSWERED, a_reply("The room is free at four."), "kept", id="an answer"),
        pytest.param(ANSWERED, a_reply("Thanks a lot!"), "none", id="no answer"),
        pytest.param(ANSWERED, a_reply("The room is free at four.", thread_id=2), "none", id="an answer, elsewhere"),
        pytest.param(CALLED, a_reply("I just called the landlord, all good."), "ask", id="says it is done"),
        pytest.param(CALLED, a_reply("Ich habe ihn gestern angerufen."), "ask", id="says so in German"),
        pytest.param(CALLED, a_reply("How is the weather up there?"), "none", id="says nothing of it"),
    ],
)
def test_a_later_mail_is_weighed(promised: str, later: KeptMail, expected: str) -> None:
    assert sign(promised, later) == expected


def test_the_reason_names_the_mail() -> None:
    source, later = a_reply(SENT, ago=timedelta(days=2)), a_reply("here", attachments=(PLANS,))
    promise = promises(SENT, now=NOW, zone=BERLIN)[0]
    assert f"mail:{later.id}" in weigh(promise, of_mail(source, ()), of_mail(later, ()), zone=BERLIN).because
