"""Echo: what bears words of a source is known as such, and what shares only everyday words is not."""

import pytest

from memory.echo import Source, echoes

MAIL = Source(
    people=(("Jürgen Müller", "j.mueller@example.org"),),
    title="Re: the Heron in the barn",
    text="Could you please look after it until we are back from the coast?",
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Juergen wants an answer.", id="a name with its umlaut written out"),
        pytest.param("Jurgen wants an answer.", id="a name without its accent"),
        pytest.param("That was j.mueller@example.org.", id="an address"),
        pytest.param("It is about a HERON.", id="a telling word of the title"),
        pytest.param("> are back from the coast", id="four words in a row"),
    ],
)
def test_what_bears_its_words_is_an_echo(text: str) -> None:
    assert echoes(text, MAIL)


@pytest.mark.parametrize(
    "text", ["", "Good night.", "Could you please look into the other matter?", "You are back.", "re: the in"]
)
def test_everyday_words_are_no_echo(text: str) -> None:
    assert not echoes(text, MAIL)


def test_a_short_text_is_echoed_when_it_is_repeated_whole() -> None:
    assert echoes("They said: landed safely!", Source(text="Landed safely"))
    assert not echoes("It landed.", Source(text="Landed safely"))
    assert not echoes("Yes, it is.", Source(text="Yes"))


def test_a_short_line_of_a_longer_text_is_echoed_when_it_is_repeated_whole() -> None:
    note = Source(text="Nobody is to know of this.\nDora wants herons.\nYes, it is.\n")
    assert echoes("1 Dora wants herons.", note)
    assert not echoes("Dora wants nothing.", note)
    assert not echoes("Yes, it is.", note)
