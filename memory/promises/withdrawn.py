"""Taking a promise back: "sorry, can't make it after all", "wird doch nichts"."""

import re

WORDS_MAX = 25
"""Who takes something back says so shortly; in a longer text these words are about something else."""

_BACK = re.compile(
    r"\b(?:(?:can(?:'|’)?t|cannot|won(?:'|’)?t(?: be able to)?|not going to|not gonna)\b[^.!?\n]{0,60}\bafter all\b"
    r"|(?:can(?:'|’)?t|cannot|won(?:'|’)?t|couldn(?:'|’)?t) (?:make|manage) (?:it|that)(?! (?:work|up)\b)"
    r"|(?:forget|scrap|ignore) (?:what I (?:said|wrote)|that)\b|(?:I have|I've|have|got) to (?:cancel|take that back)"
    r"|(?:wird|klappt|geht)(?: leider)?(?: jetzt)? doch (?:nichts?|nix|nicht)\b"
    r"|schaff(?:e|s|['’]s)?(?: ich)?(?:['’]?s)?(?: es| das)?(?: leider)?(?: heute| morgen)? (?:doch )?nicht(?: mehr)?\b"
    r"|(?:kann|werde)[^.!?\n]{0,40} doch nicht\b|muss (?:leider )?(?:absagen|passen|zurückziehen))",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:he|she|they|you|er|sie|du|ihr)\s+(?:can|won|could|kann|schafft|kannst)", re.IGNORECASE)


def withdraws(text: str, action: str) -> bool:
    """Whether a text takes back what was promised just before. action: what was promised, whose words may be negated."""
    if "?" in text or len(text.split()) > WORDS_MAX or _OTHERS.search(text):
        return False
    return _BACK.search(text.replace("’", "'")) is not None or _negated(text, action)


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
