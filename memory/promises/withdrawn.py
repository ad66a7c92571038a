"""Taking a promise back: "sorry, can't make it after all", "wird doch nichts"."""

import re
from typing import Literal

from memory.promise import Promise

WORDS_MAX = 25
"""Who takes something back says so shortly; in a longer text these words are about something else."""

_BACK = re.compile(
    r"\b(?:(?:can't|cannot|won't(?: be able to)?|not going to|not gonna)\b(?! make\b)[^.!?\n]{0,60}\bafter all\b"
    r"|(?:forget|scrap|ignore) (?:what I (?:said|wrote)|that)\b|have to take that back"
    r"|schaff(?:e|s|'s)?(?: ich)?(?:'?s)?(?: es| das)?(?: leider)?(?: heute| morgen)? (?:doch )?nicht(?: mehr)?\b"
    r"|(?:kann|werde)[^.!?\n]{0,40} doch nicht\b)",
    re.IGNORECASE,
)
_OFF = re.compile(
    r"\b(?:can't|cannot|won't|couldn't) (?:make|manage) (?:it|that)\b|\b(?:I have|I've|have|got) to cancel\b"
    r"|\b(?:wird|klappt|geht)(?: leider)?(?: jetzt)? doch (?:nichts?|nix|nicht)\b|\bmuss (?:leider )?(?:absagen|passen)\b",
    re.IGNORECASE,
)
"""Who can't come may still send what they promised."""

_OTHERS = re.compile(r"\b(?:he|she|they|you|er|sie|du|ihr)\s+(?:can|won|could|kann|schafft|kannst)", re.IGNORECASE)


def withdraws(text: str, promise: Promise) -> Literal["it", "the last", ""]:
    """Whether a text takes back what was promised before: this very thing, or whatever was promised last."""
    said = text.replace("’", "'")
    if "?" in said or len(said.split()) > WORDS_MAX or _OTHERS.search(said):
        return ""
    if _negated(said, promise.action):
        return "it"
    is_off = promise.deed == "other" and _OFF.search(said) is not None
    return "the last" if is_off or _BACK.search(said) is not None else ""


def _negated(text: str, action: str) -> bool:
    """ "I won't send it", "ich schick es doch nicht": the very verb, with a no."""
    verb = next(iter(re.findall(r"[^\W\d_]{4,}", action.casefold())), "")
    if not verb:
        return False
    said = re.escape(verb)
    return (
        re.search(
            rf"\b(?:won't|can't|cannot|not going to) {said}\b|\b{said}\w{{0,2}}\b[^.!?\n]{{0,40}}\bdoch nicht\b",
            text.casefold(),
        )
        is not None
    )
