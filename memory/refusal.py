"""A refusal: a rule says no, and this is why. It is a value, so that whoever gets it can put it on record."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """`because` is one of our own phrases, never words of others; memory/envelope_words has it in the owner's language."""

    because: str
