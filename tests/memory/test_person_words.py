"""Words that ask who somebody is, and words that say which of several is meant."""

import pytest

from memory.command.person import Asked, name_and_place, read_person, read_which


@pytest.mark.parametrize(
    ("words", "name", "at"),
    [
        ("who is Anna Winter?", "Anna Winter", ""),
        ("Who's Anna at Acme?", "Anna", "Acme"),
        ("wer ist Jonas", "Jonas", ""),
        ("Wer ist eigentlich Jonas von Acme?", "Jonas", "Acme"),
        ("what do you know about Anna?", "Anna", ""),
        ("Was weißt du über Anna Winter?", "Anna Winter", ""),
        ("was weisst du über Anna", "Anna", ""),
        ("tell me about Anna", "Anna", ""),
        ("remind me who Anna is", None, ""),
        ("remind me who is Anna", "Anna", ""),
        ("erzähl mir was über Anna", "Anna", ""),
        ("who is in charge?", None, ""),
        ("who is coming to dinner on Friday at eight, do you think?", None, ""),
        ("who is he", None, ""),
        ("what is Anna's address?", None, ""),
        ("remind me tomorrow to call Anna", None, ""),
    ],
)
def test_who_is_asked_about(words: str, name: str | None, at: str) -> None:
    found = read_person(words)
    assert (found.name, found.at) == (name, at) if found else name is None


def test_a_name_with_a_small_word_in_it_is_kept_whole_beside_its_parts() -> None:
    assert read_person("who is Ben von Berg?") == Asked("Ben", "Berg", "Ben von Berg")
    assert name_and_place("Anna Winter") == Asked("Anna Winter", "", "Anna Winter")
    assert name_and_place("anna@acme.example") == Asked("anna@acme.example", "", "anna@acme.example")


@pytest.mark.parametrize(
    ("words", "apart"),
    [
        ("the one at Acme", "Acme"),
        ("die bei Acme", "Acme"),
        ("der von der Bank", "Bank"),
        ("at Acme", "Acme"),
        ("anna@acme.example", "anna@acme.example"),
        ("yes", None),
        ("todo: call Anna", None),
    ],
)
def test_which_of_several_is_meant(words: str, apart: str | None) -> None:
    assert read_which(words) == apart
