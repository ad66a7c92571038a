"""Money, law, security and travel are found as words of their own, with the line they stand in."""

from datetime import timedelta
from time import process_time

import pytest

from memory.detectors.topics import law, money, security, topics, travel
from tests.doubles.letters import BERLIN, NOW, a_letter, a_reply


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Your account is overdue.", "overdue"),
        ("This is our final notice.", "overdue"),
        ("2. Mahnung zu Ihrem Konto", "overdue"),
        ("Zahlungserinnerung", "overdue"),
        ("The invoice is attached.", "invoice"),
        ("anbei die Handwerkerrechnung", "invoice"),
        ("Please use DE89 3704 0044 0532 0130 00.", "payment"),
        ("Die Überweisung ist raus.", "payment"),
        ("Our IBAN has changed", "payment"),
        ("That makes €1.250,00 in all.", "amount"),
        ("It was 300 Euro", "amount"),
        ("It was $40 for lunch", "amount"),
    ],
)
def test_money(said: str, detail: str) -> None:
    found = money(a_letter(said))
    assert found is not None
    assert found.detail == detail
    assert found.quote in said


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Hiermit kündige ich den Vertrag.", "termination"),
        ("anbei die Kündigung des Mietvertrags", "termination"),
        ("Your lease will be terminated.", "termination"),
        ("You have a court hearing on Monday.", "court"),
        ("eine Ladung vom Amtsgericht", "court"),
        ("Our lawyer has read the contract.", "contract"),
        ("Bitte unterschreib die Vollmacht.", "contract"),
        ("Der Bescheid ist da.", "authority"),
    ],
)
def test_law(said: str, detail: str) -> None:
    found = law(a_letter(said))
    assert found is not None
    assert found.detail == detail


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Your verification code is 482913", "code"),
        ("Ihr Sicherheitscode lautet 482913", "code"),
        ("Reset your password", "reset"),
        ("New sign-in from Windows", "sign-in"),
        ("Suspicious activity on your account", "breach"),
        ("Ihr Konto wurde gesperrt", "breach"),
    ],
)
def test_security(said: str, detail: str) -> None:
    found = security(a_letter(said))
    assert found is not None
    assert found.detail == detail


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Your flight LH123 has been cancelled.", "cancelled"),
        ("Ihr Zug ICE 578 fällt heute aus", "cancelled"),
        ("Gate change: now B12", "changed"),
        ("Your train is delayed by 90 minutes", "changed"),
        ("Online check-in is now open", "check-in"),
        ("Your itinerary for Lisbon", "booking"),
        ("Buchungsbestätigung", "booking"),
    ],
)
def test_travel(said: str, detail: str) -> None:
    found = travel(a_letter(said), zone=BERLIN)
    assert found is not None
    assert found.detail == detail


def test_a_change_of_a_journey_knows_the_day_it_names() -> None:
    later = travel(a_letter("Your flight on 12 October has been cancelled."), zone=BERLIN)
    assert later is not None
    assert later.due_at is not None
    assert timedelta(days=34) < later.due_at - NOW < timedelta(days=36)
    unnamed = travel(a_letter("Your flight LH123 has been cancelled."), zone=BERLIN)
    assert unnamed is not None
    assert unnamed.due_at is None


@pytest.mark.parametrize(
    "said",
    [
        "Bill and Will came by, it was a tan afternoon.",
        "We played on the tennis courts.",
        "The garden gate is green.",
        "I must repay your kindness",
        "Ich habe einen Termin",
        "contractions and tractions",
    ],
)
def test_words_count_as_words_and_not_as_parts_of_others(said: str) -> None:
    assert topics(a_letter(said), zone=BERLIN) == ()


def test_a_quote_has_at_most_two_hundred_characters_and_stands_there_word_for_word() -> None:
    said = f"{'so ' * 200}the invoice is attached {'and ' * 200}"
    found = money(a_letter(said))
    assert found is not None
    assert len(found.quote) <= 200
    assert "invoice" in found.quote
    assert found.quote in said


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Hello\nThe invoice is attached.\nBye", "The invoice is attached."),
        ("invoice", "invoice"),
        (f"{'word ' * 100}invoice", f"{'word ' * 19}invoice"),
    ],
    ids=["its line", "all there is", "a long line, begun at a word"],
)
def test_a_quote_is_the_line_or_begins_at_a_word(said: str, quote: str) -> None:
    found = money(a_letter(said))
    assert found is not None
    assert found.quote == quote


def test_what_the_owner_wrote_is_no_finding() -> None:
    assert topics(a_reply("The invoice for the flight is attached."), zone=BERLIN) == ()


@pytest.mark.parametrize(
    "text",
    ["flight " * 29_000, "w" * 200_000, "1.000" * 40_000, "1 " * 100_000, "€1 000 000" * 20_000, "DE12 ABCD " * 20_000],
    ids=lambda text: text[:12],
)
def test_no_text_makes_it_slow(text: str) -> None:
    started = process_time()
    topics(a_letter(text), zone=BERLIN)
    assert process_time() - started < 2.0
