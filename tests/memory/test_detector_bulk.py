"""Bulk is bulk, and what somebody writes through a list to the owner is not."""

import pytest

from memory.detectors.bulk import bulk
from memory.detectors.copied import copied
from memory.detectors.courtesy import courtesy
from memory.mail import Address
from tests.doubles.letters import JO, ME, SARAH, a_letter, a_reply

UNSUBSCRIBE = (("list-unsubscribe", "<mailto:leave@shop.example>"),)
DISCUSSION = (("list-id", "<hikers.lists.example>"), ("list-post", "<mailto:hikers@lists.example>"))
LIST = Address("Hikers", "hikers@lists.example")


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        pytest.param({"list_headers": UNSUBSCRIBE}, "marketing", id="can be left"),
        pytest.param({"precedence": "bulk"}, "marketing", id="precedence bulk"),
        pytest.param({"list_headers": DISCUSSION, "to": (LIST,)}, "list", id="a discussion list"),
        pytest.param({"precedence": "list", "to": (LIST,)}, "list", id="precedence list"),
        pytest.param({"list_id": "news.example", "to": (LIST,)}, "list", id="an id alone"),
        pytest.param({"auto_submitted": "auto-generated"}, "automated", id="submitted by a program"),
        pytest.param({"auto_submitted": "auto-replied"}, "auto-reply", id="an absence note"),
        pytest.param({"sender": Address("Bank", "no-reply@bank.example")}, "automated", id="no-reply"),
        pytest.param({"sender": Address("Bank", "do_not_reply@bank.example")}, "automated", id="do not reply"),
        pytest.param({"sender": Address("Forge", "notifications@forge.example")}, "automated", id="notifications"),
        pytest.param({"sender": Address("Shop", "angebote@shop.example")}, "automated", id="angebote"),
        pytest.param({"is_automated": True}, "automated", id="known as automatic"),
    ],
)
def test_headers_and_names_tell(given: dict[str, object], detail: str) -> None:
    found = bulk(a_letter("Your invoice of 300 EUR is overdue, contract attached.", **given), ME)
    assert found is not None
    assert found.detail == detail


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        ("Click here to unsubscribe", "marketing"),
        ("You're receiving this because you signed up.", "marketing"),
        ("Newsletter abbestellen", "marketing"),
        ("Sie erhalten diese E-Mail, weil Sie Kunde sind.", "marketing"),
        ("Diese E-Mail wurde automatisch erstellt.", "automated"),
        ("Please do not reply to this email.", "automated"),
    ],
)
def test_the_line_at_the_foot_tells_where_no_header_does(line: str, detail: str) -> None:
    found = bulk(a_letter(f"Great offers for you!\n\n{line}"), ME)
    assert found is not None
    assert (found.detail, found.quote) == (detail, line)


@pytest.mark.parametrize(
    "said",
    [
        "How do I unsubscribe from your mailing? I tried twice.",
        "Dear Jo, could you look at the contract?",
        "Der Newsletter ist fertig, magst du drüberschauen?",
    ],
)
def test_a_person_who_writes_about_it_is_no_bulk(said: str) -> None:
    assert bulk(a_letter(said), ME) is None


def test_a_newsletter_that_a_friend_passed_on_is_the_friends_mail() -> None:
    forwarded = a_letter(said="Something for you?", text="Something for you?\n> Click here to unsubscribe")
    assert bulk(forwarded, ME) is None


@pytest.mark.parametrize(
    ("given", "is_bulk"),
    [
        pytest.param({"to": (LIST,), "said": "Hi all, the hut is open."}, True, id="to the list alone"),
        pytest.param({"to": (LIST,), "said": "Hi Jo,\ndo you lead on Sunday?"}, False, id="greets the owner"),
        pytest.param({"to": (LIST,), "cc": (JO,), "said": "Sunday at nine?"}, False, id="the owner beside the list"),
    ],
)
def test_somebody_who_writes_to_the_owner_through_a_list_is_heard(given: dict[str, object], is_bulk: bool) -> None:
    said = str(given.pop("said"))
    assert (bulk(a_letter(said, list_headers=DISCUSSION, **given), ME) is not None) is is_bulk


def test_an_answer_to_the_owners_own_mail_on_a_list_is_heard() -> None:
    mail = a_letter("I would take the train.", list_headers=DISCUSSION, to=(LIST,))
    assert bulk(mail, ME) is not None
    assert bulk(mail, ME, is_answer=True) is None


def test_marketing_that_calls_the_owner_by_name_stays_marketing() -> None:
    found = bulk(a_letter("Hi Jo,\nyour discount is waiting.", list_headers=UNSUBSCRIBE), ME, is_answer=True)
    assert found is not None
    assert found.detail == "marketing"


def test_a_help_desk_that_answers_the_owner_is_heard_and_its_robot_is_not() -> None:
    desk = Address("Support", "support@shop.example")
    answer = a_letter("Could you send us a photo of it?", auto_submitted="auto-generated", sender=desk)
    assert bulk(answer, ME) is not None
    assert bulk(answer, ME, is_answer=True) is None
    receipt = a_letter("This is an automated message: we got it.", auto_submitted="auto-generated", sender=desk)
    assert bulk(receipt, ME, is_answer=True) is not None


def test_the_owners_own_mail_is_no_bulk() -> None:
    assert bulk(a_reply("Hello", precedence="bulk"), ME) is None


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        pytest.param({"to": (SARAH,), "cc": (JO,)}, "cc", id="in Cc"),
        pytest.param({"to": (SARAH,), "cc": ()}, "bcc", id="nowhere"),
        pytest.param({"to": (SARAH, JO)}, None, id="in To"),
        pytest.param({"to": (SARAH,), "cc": (JO,), "precedence": "bulk"}, None, id="bulk"),
        pytest.param({"to": (SARAH,), "cc": (Address("Jo", "JO.Baker+x@Work.example"),)}, "cc", id="another spelling"),
    ],
)
def test_who_is_only_copied_in(given: dict[str, object], detail: str | None) -> None:
    found = copied(a_letter("The minutes are attached.", **given), ME)
    assert (found.detail if found else None) == detail


def test_a_copy_that_asks_the_owner_by_name_is_more_than_a_copy() -> None:
    assert copied(a_letter("Jo, can you book the room?", to=(SARAH,), cc=(JO,)), ME) is None


@pytest.mark.parametrize(
    "said",
    [
        "Thanks!",
        "Thank you so much, Jo",
        "OK, great.",
        "Danke dir!",
        "Alles klar, bis morgen",
        "Perfekt, vielen Dank\nAnna",
    ],
)
def test_a_courtesy_is_one(said: str) -> None:
    assert courtesy(a_letter(said)) is not None


@pytest.mark.parametrize(
    "said",
    [
        "Thanks, but the number is wrong",
        "OK?",
        "Danke, aber ich kann am Montag nicht",
        "Great, see you at nine at the hut",
        "",
    ],
)
def test_what_says_more_is_none(said: str) -> None:
    assert courtesy(a_letter(said)) is None
