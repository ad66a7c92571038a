import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.telegram.splitting import Entity, split
from tests.bot.telegram_rules import broken_rules, covered, letters

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def test_a_text_of_exactly_4096_units_is_one_chunk() -> None:
    assert [chunk.text for chunk in split("x" * 4096)] == ["x" * 4096]


def test_one_unit_more_makes_two_chunks() -> None:
    assert [len(chunk.text) for chunk in split("x" * 4097)] == [4096, 1]


def test_units_are_counted_and_not_characters() -> None:
    assert [len(chunk.text) for chunk in split("😀" * 2049)] == [2048, 1]


@pytest.mark.parametrize(
    "text", ["", "   ", "\n\n", "\u200b", "\ufeff\u200b \n"], ids=["empty", "spaces", "lines", "zwsp", "mix"]
)
def test_nothing_to_read_makes_no_chunk(text: str) -> None:
    assert split(text) == ()


def test_a_stretch_of_white_space_longer_than_a_message_makes_no_chunk_of_its_own() -> None:
    assert [chunk.text for chunk in split("a" + " " * 9000 + "b")] == ["a", "b"]


def test_a_blank_line_is_preferred_to_a_later_line_end_and_a_later_space() -> None:
    text = words(500) + "\n\n" + words(200) + "\n" + words(60) + " " + words(500)
    assert split(text)[0].text == words(500)


def test_a_line_end_is_preferred_to_a_later_space() -> None:
    text = words(600) + "\n" + words(1000)
    assert split(text)[0].text == words(600)


def test_a_space_is_preferred_to_the_middle_of_a_word() -> None:
    assert {word for chunk in split(words(3000)) for word in chunk.text.split()} == {"word"}


def test_a_blank_line_near_the_start_does_not_make_a_tiny_chunk() -> None:
    text = "Hello.\n\n" + words(2000)
    assert len(split(text)[0].text) > 4000


def test_a_long_word_that_fits_a_message_stays_whole() -> None:
    text = words(300) + " " + "x" * 3000
    assert [chunk.text for chunk in split(text)] == [words(300), "x" * 3000]


def test_a_word_longer_than_a_message_fills_the_message_it_begins_in() -> None:
    assert [len(chunk.text) for chunk in split("Hi " + "x" * 9000)] == [4096, 4096, 811]


def test_a_family_of_joined_emoji_stays_whole() -> None:
    for chunk in split(FAMILY * 2000):
        assert set(regex.findall(r"\X", chunk.text)) == {FAMILY}


def test_an_accent_stays_with_its_letter() -> None:
    for chunk in split("e\u0301" * 5000):
        assert set(regex.findall(r"\X", chunk.text)) == {"e\u0301"}


def test_a_space_that_carries_an_accent_is_no_place_to_cut() -> None:
    assert all(not chunk.text.startswith("\u0301") for chunk in split("abc \u0301" * 2000))


def test_a_grapheme_longer_than_a_message_is_cut_between_code_points() -> None:
    chunks = split("a" + "\u0301" * 9000)
    assert "".join(chunk.text for chunk in chunks) == "a" + "\u0301" * 9000
    assert not any(broken_rules(chunk) for chunk in chunks)


def test_a_short_code_block_moves_whole_into_the_next_chunk() -> None:
    code = "\n".join(["line = 1"] * 100)
    text = words(700) + "\n" + code + "\n" + words(10)
    chunks = split(text, [Entity("pre", 3500, len(code), language="python")])
    assert [covered(chunk, "pre") for chunk in chunks] == [[], [code]]


def test_an_early_code_block_that_would_just_fit_the_next_chunk_is_not_cut() -> None:
    code = "\n".join(["line = 1"] * 440)
    text = words(100) + "\n" + code
    chunks = split(text, [Entity("pre", 500, len(code))])
    assert [chunk.text for chunk in chunks] == [words(100), code]


def test_a_long_code_block_is_cut_at_line_ends_and_keeps_its_language_in_each_part() -> None:
    code = "\n".join(["line = 1"] * 1500)
    chunks = split("Look:\n" + code, [Entity("pre", 6, len(code), language="python")])
    assert len(chunks) == 4
    assert all(chunk.entities[-1].language == "python" for chunk in chunks)
    assert {line for chunk in chunks for line in covered(chunk, "pre")[0].split("\n")} == {"line = 1"}


def test_bold_that_has_to_be_cut_goes_on_in_the_next_chunk() -> None:
    text = words(2000)
    chunks = split(text, [Entity("bold", 0, len(text))])
    assert [covered(chunk, "bold") for chunk in chunks] == [[chunk.text] for chunk in chunks]


def test_a_link_across_the_limit_moves_whole_even_without_a_space_before_it() -> None:
    text = "x" * 4090 + "the long label"
    chunks = split(text, [Entity("text_link", 4090, 14, url="https://a.example/")])
    assert [covered(chunk, "text_link") for chunk in chunks] == [[], ["the long label"]]


def test_more_than_100_entities_make_more_chunks() -> None:
    text = words(250)
    chunks = split(text, [Entity("bold", 5 * place, 4) for place in range(250)])
    assert [len(chunk.entities) for chunk in chunks] == [100, 100, 50]
    assert [chunk.text for chunk in chunks] == [words(100), words(100), words(50)]


def test_an_entity_that_is_cut_counts_in_both_chunks() -> None:
    text = words(250)
    inner = [Entity("bold", 5 * place, 4) for place in range(250)]
    chunks = split(text, [*inner, Entity("blockquote", 0, len(text))])
    assert [len(chunk.entities) for chunk in chunks] == [100, 100, 53]


def test_hundreds_of_nested_entities_of_one_kind_are_one() -> None:
    nested = [Entity("bold", place, 2000 - 2 * place) for place in range(500)]
    assert split("x" * 2000, nested[::-1])[0].entities == (nested[0],)


def test_of_a_link_and_the_code_that_is_its_label_the_link_stays() -> None:
    entities = [Entity("code", 0, 4), Entity("text_link", 0, 4, url="https://a.example/")]
    assert split("code", entities)[0].entities == (entities[1],)


def test_entities_do_not_begin_or_end_on_white_space() -> None:
    assert split("  a b  c", [Entity("bold", 1, 6), Entity("italic", 3, 1)])[0].entities == (Entity("bold", 0, 3),)


def test_an_entity_beyond_the_end_is_cut_back() -> None:
    assert split("abc", [Entity("bold", 1, 40)])[0].entities == (Entity("bold", 1, 2),)


PIECES = st.sampled_from(
    ["a", "Z9", " ", "  ", "\n", "\n\n", "😀", FAMILY, "e\u0301", " \u0301", "🇩🇪", "\u0600", "한글", "\u200b"]
)


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[Entity]]:
    runs = draw(st.lists(st.tuples(PIECES, st.integers(1, 900)), max_size=12))
    text = "".join(piece * count for piece, count in runs)
    size = len(text.encode("utf-16-le")) // 2
    # Borders between whole characters, as every converter gives them.
    offsets = [0]
    for letter in text:
        offsets.append(offsets[-1] + len(letter.encode("utf-16-le")) // 2)
    place = st.integers(0, len(text))
    kinds = st.sampled_from(["bold", "italic", "pre", "code", "blockquote"])
    ends = draw(st.lists(st.tuples(kinds, place, place), max_size=20))
    assert offsets[-1] == size
    return text, [Entity(kind, offsets[min(a, b)], offsets[max(a, b)] - offsets[min(a, b)]) for kind, a, b in ends]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(marked_texts())
def test_whatever_the_text_chunks_keep_the_rules_and_lose_no_letter(marked: tuple[str, list[Entity]]) -> None:
    text, entities = marked
    chunks = split(text, entities)
    assert [rule for chunk in chunks for rule in broken_rules(chunk)] == []
    assert letters("".join(chunk.text for chunk in chunks)) == letters(text)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(marked_texts())
def test_whatever_the_text_chunks_begin_and_end_between_graphemes(marked: tuple[str, list[Entity]]) -> None:
    text, _ = marked
    borders = {0, *(grapheme.end() for grapheme in regex.finditer(r"\X", text))}
    at = 0
    for chunk in split(text):
        at = text.index(chunk.text, at)
        assert borders & around(text, at)
        at += len(chunk.text)
        assert borders & around(text, at)


def around(text: str, at: int) -> set[int]:
    """Return the places that are the same one once white space is trimmed, which no sender can prevent."""
    before, after = text[:at].rstrip(), text[at:].lstrip()
    return set(range(len(before), len(text) - len(after) + 1))
