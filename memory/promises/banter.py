"""Banter: what in a chat only looks like a promise: said for a laugh, for some day, or as a way to put something."""

import re

from memory.promise import Promise

_LAUGHS = re.compile(
    r"(?:\b(?:lol|lmao|rofl|jk|xd|ha(?:ha)+h?|hehe(?:he)*)|[\U0001f602\U0001f923\U0001f605\U0001f60f\U0001f61c\U0001f61d\U0001f92a\U0001f643])[\W_]*$"
)
"""At the end: "haha yes I'll bring it" is meant."""

_SOME_DAY = re.compile(r"\b(?:one day|some ?day|in another life|when hell|irgendwann|eines tages)\b")

_SAYINGS = (
    r"give (?:him|her|them|you|it) that\b|give it (?:a rest|up)|bet\b|say(?:$| (?:this|it again))|kill\b|eat my\b",
    # What one has, and how one comes.
    r"(?:take|have) (?:a|an|the|another|one)\b(?! (?:look|photo|picture|pic|screenshot|note|minutes|word|chat|think|draft))",
    r"(?:get|catch|hop on) (?:a|an|the|my) (?:bus|train|tube|taxi|cab|uber|tram|metro|plane|flight|ferry|lift|beer|coffee|drink|pint|"
    r"wine|water|tea|pizza|burger|kebab|sandwich|salad|nap|shower)",
    r"let (?:you|him|her) (?!know|have)|leave you to it",
    r"(?:das )?merke? (?:ich )?mir\b|lach\w* mich|dreh\w* (?:noch |gleich )?durch",
)
_SAYING = re.compile("|".join(_SAYINGS), re.IGNORECASE)


def is_banter(promise: Promise) -> bool:
    """Whether nobody would ask later whether it was done."""
    said = promise.quote.casefold()
    return any(
        found is not None for found in (_LAUGHS.search(said), _SOME_DAY.search(said), _SAYING.match(promise.action))
    )
