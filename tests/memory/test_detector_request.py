"""A question or request to the owner is found; advertising, courtesies and what is meant for others are none."""

from time import process_time

import pytest

from memory.detectors.request import asked_in, asks, request
from memory.mail import Address
from tests.doubles.letters import ANNA, JO, ME, SARAH, a_letter, a_reply

ASKING = [
    "Could you send me the contract?",
    "Please review the attached draft.",
    "Let me know what you think.",
    "Jo, can you take this over?",
    "When would suit you?",
    "Have a look at the contract.",
    "Any news on the offer?",
    "I need you to sign the form.",
    "Send me the numbers when you get a chance.",
    "Looking forward to your reply.",
    "Let's meet on Tuesday.",
    "Kannst du mir den Vertrag schicken?",
    "Könnten Sie mir bitte die Unterlagen zusenden?",
    "Bitte prüf das noch mal.",
    "Ich bitte um Rückmeldung.",
    "Gib mir bitte Bescheid.",
    "Wann passt es dir?",
    "Hättest du am Dienstag Zeit?",
    "Bitte senden Sie uns den unterschriebenen Vertrag zurück.",
    "Wäre es möglich, den Termin zu verschieben?",
    "Wir benötigen noch Ihre Steuernummer.",
]
NOT_ASKING = [
    "Thanks for sending this over.",
    "I attached the report.",
    "We met yesterday and it went well.",
    "Want to save money?",
    "Did you know that tea is healthy?",
    "Please note that we are closed on Monday.",
    "Please do not hesitate to contact me.",
    "If you have any questions, please call me.",
    "Please add us to your address book.",
    "Click here to start shopping!",
    "Bitte beachten Sie unsere Öffnungszeiten.",
    "Bei Fragen melden Sie sich gerne.",
    "Bitte antworten Sie nicht auf diese E-Mail.",
    "Ich schicke dir morgen die Zahlen.",
    "Vielen Dank für Ihre Nachricht.",
    "Anbei das Protokoll.",
    "Die Rechnung ist bezahlt.",
    "Have a wonderful new year!",
    "Thanks, and have a good one.",
    "Enjoy your holiday!",
    "Hab ein schönes Wochenende!",
    "Genieß den Urlaub!",
]


@pytest.mark.parametrize("sentence", ASKING)
def test_what_asks_is_found_in_both_languages(sentence: str) -> None:
    found = request(a_letter(f"Hello Jo,\n\nall is well here. {sentence}\n\nAnna"), ME)
    assert found is not None
    assert sentence in found.quote
    assert found.detail == ("question" if "?" in sentence else "request")


@pytest.mark.parametrize("sentence", NOT_ASKING)
def test_what_only_looks_like_asking_is_none(sentence: str) -> None:
    assert not asks(sentence)
    assert request(a_letter(sentence), ME) is None


def test_a_curly_apostrophe_is_an_apostrophe() -> None:
    assert asks("Let’s meet tomorrow.")


def test_only_what_the_mail_itself_says_counts() -> None:
    assert request(a_letter(said="Fine with me.", text="Fine with me.\n> Could you send the contract?"), ME) is None


def test_the_owner_asks_nothing_of_themselves() -> None:
    assert request(a_reply("Could you send the contract?"), ME) is None


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        pytest.param("Could you send it?", False, id="a copy asks those in To"),
        pytest.param("Jo, could you send it?", True, id="unless it names the owner"),
        pytest.param("@Jo please have a look.", True, id="with an at-sign too"),
        pytest.param("Hi Jo,\ncould you send it?", True, id="or greets them"),
        pytest.param("Joanna, could you send it?", False, id="a longer name is another's"),
    ],
)
def test_a_copy_asks_only_whom_it_names(said: str, is_asked: bool) -> None:
    assert (request(a_letter(said, to=(SARAH,), cc=(JO,)), ME) is not None) is is_asked


def test_a_greeting_to_another_recipient_says_who_is_meant() -> None:
    both = a_letter("Hi Sarah,\n\ncould you send the contract?", to=(SARAH, JO))
    assert request(both, ME) is None
    assert request(a_letter("Hi all,\n\ncould you send the contract?", to=(SARAH, JO)), ME) is not None
    named = a_letter("Hi Sarah,\n\nit is here. Jo, could you send the contract?", to=(SARAH, JO))
    assert request(named, ME) is not None


def test_a_nickname_in_the_greeting_is_no_other_recipient() -> None:
    assert request(a_letter("Hi Jojo,\n\ncould you send the contract?"), ME) is not None


def test_a_question_to_a_crowd_asks_nobody() -> None:
    crowd = tuple(Address(f"N {n}", f"n{n}@crowd.example") for n in range(30))
    assert request(a_letter("Could you send it?", to=(JO, *crowd)), ME) is None
    assert request(a_letter("Could you send it?", to=(JO, ANNA, *crowd[:4])), ME) is not None


def test_bulk_asks_nothing() -> None:
    assert (
        request(a_letter("Could you confirm your account?", sender=Address("Shop", "no-reply@shop.example")), ME)
        is None
    )
    newsletter = a_letter("Could you rate us?", list_headers=(("list-unsubscribe", "<https://shop.example/u>"),))
    assert request(newsletter, ME) is None


def test_asked_in_gives_every_asking_sentence_in_order() -> None:
    assert asked_in("Hello. Can you come? It rains. Please call me.") == ("Can you come?", "Please call me.")


HOSTILE = {
    "please": "please " * 30_000,
    "bitte": "bitte " * 30_000,
    "one word": "a" * 200_000,
    "dots": "." * 200_000,
    "questions": "? " * 100_000,
    "lines": "\n" * 200_000,
    "brackets": "(" * 200_000,
    "open ends": "could you a, " * 20_000,
    "names": "Jo, " * 50_000,
    "blanks": " " * 200_000,
    "initials": "a. " * 70_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_makes_it_slow(text: str) -> None:
    started = process_time()
    request(a_letter(text), ME)
    assert process_time() - started < 2.0
