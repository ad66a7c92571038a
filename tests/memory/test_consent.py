"""Consent: a yes is a yes from end to end; whatever else was said is for the owner to read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.consent import QUOTE_MAX, read

QUESTION = "Somebody I know builds tools for gardeners. Would you be happy to be introduced? Yes or no is fine."


@pytest.mark.parametrize(
    "said",
    [
        "Yes!", "Yes, please.", "Sure, happy to.", "Of course.", "Hi Ola,\n\nhappy to meet.\n\nBest,\nAnna", "Happy to be introduced, thanks!", "Please do!",
        "Go ahead and introduce us.", "Yes please, introduce us.", "Sure – no problem.", "By all means.", "Sounds good.", "I'd love to meet her.", "Gladly.",
        "Dear Ola,\nyes, please make the introduction.\nKind regards\nAnna Muster", "You have my permission.",
        "Ja!", "Ja, gerne.", "Hallo Ola,\n\nsehr gerne!\n\nViele Grüße\nAnna", "Klar, stell uns gerne vor.", "Natürlich.", "Bin einverstanden.", "Gern.",
        "Ja, stell den Kontakt bitte her.", "Kein Problem, sehr gerne.", "Klingt gut, danke!", "Liebe Ola,\nja, verbinde uns gerne.\nLG Anna",
    ],
)  # fmt: skip
def test_a_clear_yes(said: str) -> None:
    assert read(said, QUESTION).word == "yes"


@pytest.mark.parametrize(
    "said",
    [
        "No.", "No, thank you.", "I'd rather not.", "Please don't.", "Not interested, sorry.", "Hi Ola,\nI would prefer not to.\nBest, Anna", "I must decline.",
        "Absolutely not.", "I'll pass.", "Nein.", "Nein, danke.", "Lieber nicht.", "Bitte nicht.", "Kein Interesse.", "Das möchte ich nicht.",
        "Hallo Ola,\nda habe ich keinen Bedarf.\nGruß\nAnna", "Auf keinen Fall.",
    ],
)  # fmt: skip
def test_a_clear_no(said: str) -> None:
    assert read(said, QUESTION).word == "no"


@pytest.mark.parametrize(
    "said",
    [
        "", "   ", "Hi Ola,\nBest,\nAnna", "Who is it?", "Yes?", "Yes, but not now.", "Sure, if it is short.", "Maybe.", "Happy to, after the summer.", "Let me think about it.",
        "Yes, I got your mail.", "Thanks for your mail, I'll get back to you.", "OK, thanks.", "Ok.", "Why not.", "Yes. No, wait.", "I can't say no.", "Not sure.",
        "Happy to hear from you!", "Your holiday sounds great.", "I'd like to stay out of it.", "I agree that gardens are fine.", "Happy to meet, unless it is about money.",
        "Yes, happy to. Please do not give him my number.", "I'd love to decline.", "Would love to meet, could you tell me more?", "On holiday until May. Yes to everything then.",
        "Ja, aber erst im Mai.", "Gerne später.", "Wer ist das denn?", "Ja, ich habe deine Mail bekommen.", "Vielleicht.", "Wenn es sein muss.", "Leider ja.", "Jein.",
        "Ja, gerne, falls er sich kurz fasst.", "Sag ihm ja nichts!", "Ich freue mich auf den Urlaub.", "Muss ich mir überlegen.", "Ja – nein.", "Danke für deine Mail.",
        "Yes.\n" + "And another thing about the garden is how long it grows. " * 20, "sounds like a plan, just not for me",
    ],
)  # fmt: skip
def test_whatever_else_is_for_the_owner(said: str) -> None:
    assert read(said, QUESTION).word == "unclear"


# --- our own question is no consent to it ---


@pytest.mark.parametrize(
    "said",
    [
        f"> {QUESTION}",
        QUESTION,
        f"Yes.\n\n{QUESTION}",
        f"Sure!\nOla wrote:\n{QUESTION[:60]}",
        "Yes.\n" + QUESTION.replace(" ", "\n"),
        QUESTION.upper(),
    ],
    ids=["quoted", "bare", "below a yes", "in part", "wrapped", "in capitals"],
)
def test_a_mail_that_repeats_our_question_is_no_yes(said: str) -> None:
    assert read(said, QUESTION).word == "unclear"


def test_an_answer_below_quoted_lines_counts_alone() -> None:
    assert read(f"> {QUESTION}\n\nYes, please.", QUESTION).word == "yes"
    assert read(f"> {QUESTION[:40]}\n> {QUESTION[40:]}\n\nNo, thank you.", QUESTION).word == "no"


def test_a_quoted_line_that_is_not_ours_is_no_quotation_of_us() -> None:
    assert read("Yes, please.\n> unless it rains", QUESTION).word == "unclear"
    assert read("> Happy to meet her.\n\nNo, thank you.", QUESTION).word == "unclear"


@given(st.text(max_size=60))
def test_a_doubt_before_or_behind_it_is_enough(words: str) -> None:
    for said in (f"{words}\nYes, but later.", f"Yes, please.\n{words} unless"):
        assert read(said, QUESTION).word != "yes"


@given(st.text(max_size=900))
def test_reading_never_raises_and_quotes_within_bounds(said: str) -> None:
    answer = read(said, QUESTION)
    assert len(answer.quote) <= QUOTE_MAX
