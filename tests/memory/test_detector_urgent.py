"""What can't wait is told from what only sounds like it."""

from datetime import timedelta
from time import process_time

import pytest

from memory.detectors.courtesy import courtesy
from memory.detectors.urgent import change, emergency
from tests.doubles.letters import BERLIN, NOW, a_letter, a_reply


@pytest.mark.parametrize(
    ("said", "detail"),
    [
        ("Dad fell, we are in the hospital, please call me", "emergency"),
        ("Notfall, ruf sofort an, Papa im Krankenhaus", "emergency"),
        ("I'm at your door, urgent!", "emergency"),
        ("I’m locked out", "emergency"),
        ("Ich stehe vor deiner Tür", "emergency"),
        ("Can we talk in 20 minutes? I am waiting at the notary", "minutes"),
        ("Können wir in zehn Minuten telefonieren?", "minutes"),
        ("Kind hat Fieber, bitte sofort abholen", "at once"),
        ("Please come right now", "at once"),
        ("Call me asap", "call"),
        ("Ruf mich bitte gleich an", "call"),
    ],
)
def test_what_cannot_wait(said: str, detail: str) -> None:
    found = emergency(a_letter(said))
    assert found is not None
    assert found.detail == detail


@pytest.mark.parametrize(
    "said",
    [
        "No emergency, but call me when you like.",
        "In case of emergency dial the number on the door.",
        "Our emergency fund has grown.",
        "Ich rufe gleich an.",
        "Weihnachten steht vor der Tür.",
        "Die neue Regel gilt ab sofort, bitte weitersagen.",
        "I can't talk right now.",
        "I work in the hospital and have an idea.",
        "The cake is ready in 20 minutes.",
        "Please let me know immediately if you have any questions.",
        "Call me now and then.",
        "My appointment is at the hospital.",
        "Emergencyware 3.0 is out.",
    ],
)
def test_what_only_sounds_like_it(said: str) -> None:
    assert emergency(a_letter(said)) is None


def test_only_their_own_words_count() -> None:
    assert emergency(a_letter("Will do.", subject="Re: Notfall, ruf sofort an")) is None
    assert emergency(a_letter("Papa", subject="Notfall, ruf sofort an")) is not None
    assert emergency(a_reply("Notfall, ruf sofort an")) is None
    assert emergency(a_letter("We are in the hospital. " + "And so on. " * 300)) is None


@pytest.mark.parametrize(
    "said",
    [
        "our 18:30 today is moved to 17:45",
        "ich sage unser Abendessen heute um 19 Uhr ab",
        "Dinner tonight is cancelled, sorry",
        "Das Training heute Abend fällt leider aus",
        "Unser Termin morgen um 8 Uhr ist verschoben",
    ],
)
def test_a_change_of_today_has_a_time_within_a_day(said: str) -> None:
    found = change(a_letter(said), zone=BERLIN)
    assert found is not None
    assert found.due_at is not None
    assert NOW - timedelta(hours=2) < found.due_at <= NOW + timedelta(hours=24)


@pytest.mark.parametrize(
    "said",
    [
        "The call on 20 September is cancelled.",
        "I moved to Berlin today.",
        "Today's dinner is not cancelled.",
        "Hast du den Termin heute abgesagt?",
        "I cancelled my subscription today.",
        "See you at the meeting today.",
    ],
)
def test_what_is_no_change_of_today(said: str) -> None:
    assert change(a_letter(said), zone=BERLIN) is None


@pytest.mark.parametrize("said", ["Thanks, got it. See you by 6pm today!", "Danke, bis heute Abend!", "Jo, thanks!"])
def test_to_see_one_another_is_a_courtesy(said: str) -> None:
    assert courtesy(a_letter(said)) is not None


@pytest.mark.parametrize("said", ["Please sign it, thanks!", "Please send the file by 6pm today!"])
def test_a_plea_with_thanks_is_none(said: str) -> None:
    assert courtesy(a_letter(said)) is None


@pytest.mark.parametrize("text", ["call me " * 180, "bitte " * 240, "see you at " * 14, "in 2 " * 290], ids=ascii)
def test_no_text_makes_it_slow(text: str) -> None:
    began = process_time()
    emergency(a_letter(text))
    courtesy(a_letter(text))
    change(a_letter(text), zone=BERLIN)
    assert process_time() - began < 1
