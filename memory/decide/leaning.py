"""Leaning: what rules of thumb make of a mail, while there is too little of the owner's own history to learn from.

The owner's habits count from the first mail on: they begin at what is usual and become theirs as acts are seen. What was
learned later builds on the same sum.
"""

from collections.abc import Mapping

from memory.decide.form import LONG_BELOW_WORDS, MIDDLE_WORDS, grown

WEIGHTS: Mapping[str, float] = {
    "asks": 0.7,
    "wants": 0.5,
    "question_last": 0.3,
    "question_subject": 0.5,
    "only_fine": -1.0,
    "for_information": -0.4,
    "bare_forward": -0.5,
    "much_below": -0.3,
    "place_alone": 0.3,
    "place_cc": -0.5,
    "place_past": -0.5,
    "crowd": -0.15,
    "greeting": 0.2,
    "urgent": 0.2,
    "says_something": 0.2,
    "bulk": -2.5,
}
"""Log odds, set by hand from what is known of such mail (who asks is answered, who passes on without a word is not)."""
HABIT = "habit_sender_shape"
HABIT_WEIGHT = 0.7


def lean(numbers: Mapping[str, float]) -> float:
    """The log odds that the owner acts on a mail with these numbers."""
    return HABIT_WEIGHT * numbers[HABIT] + sum(WEIGHTS[name] * value for name, value in signs(numbers).items())


def signs(numbers: Mapping[str, float]) -> dict[str, float]:
    """What the rules look at, by the names of their weights."""
    drawn = {
        "asks": float(numbers["questions"] > 0),
        "wants": float(numbers["requests"] > 0 or numbers["shorthand"] > 0),
        "bare_forward": float(numbers["kind_forward"] > 0 and numbers["words"] < grown(4)),
        "much_below": float(numbers["words_below"] > grown(LONG_BELOW_WORDS)),
        "crowd": max(0.0, numbers["people"] - 1),
        "says_something": float(grown(8) < numbers["words"] < grown(10 * MIDDLE_WORDS)),
    }
    return {name: drawn[name] if name in drawn else numbers[name] for name in WEIGHTS}
