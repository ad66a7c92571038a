"""Words that ask who somebody is: "who is Anna Winter?", "was weißt du über Jonas?", and which of two is meant: "the one at Acme".

What looks like a name is looked up by whoever acts on it; when nobody goes by it, the words were about something else.
"""

import re
from dataclasses import dataclass

from memory.when.words import word_set

NAME_MAX, WORDS_MAX = 80, 5
"""So many characters, and words, a name has at most."""

_POLITE = re.compile(
    r"^(?:(?:please|bitte|ok|okay|hey|sag mal|tell me(?! about)|sag mir)[,:!. ]+)+|[?!. ]*$", re.IGNORECASE
)
_AT = r"(?:\s+(?:at|from|of|bei|von|aus|\()\s*(?P<at>[^()?]{1,80}?)\)?)?"
_NAME = rf"(?P<name>[^?:;,()]{{1,{NAME_MAX}}}?)"
_ASKS = tuple(
    re.compile(rf"(?:{text})\s+(?P<whole>{_NAME}{_AT})", re.IGNORECASE)
    for text in (
        r"who(?:['’]s|\s+is|\s+was)",
        r"wer\s+(?:ist|war)(?:\s+(?:denn|eigentlich|nochmal|noch\s+mal))?",
        r"what\s+do\s+(?:you|we|i)\s+know\s+(?:about|of)",
        r"was\s+(?:wei(?:ß|ss)t\s+du|wissen\s+wir|wei(?:ß|ss)\s+ich)(?:\s+alles)?\s+(?:über|von|zu)",
        r"tell\s+me\s+about|remind\s+me\s+who\s+is",
        r"erzähl(?:e)?(?:\s+mir)?(?:\s+was|\s+etwas)?\s+(?:über|von)",
    )
)
_WHICH = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        rf"(?:the\s+)?(?:one\s+)?(?:at|from|of|with)\s+{_NAME}",
        rf"(?:der|die|das|den)(?:jenige)?\s+(?:bei|von|aus|mit)\s+(?:der\s+|dem\s+)?{_NAME}",
        rf"(?:bei|von|aus)\s+{_NAME}",
        rf"the\s+{_NAME}\s+one",
        r"(?P<name>[^\s@]+@[^\s@]+)",
    )
)
_NOBODY = word_set(
    "i me you it he she they we this that there here in on coming going next er sie es ich du wir das dran da heute"
)
"""What follows "who is" and begins no name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked about. at: the organisation or address that tells them apart, "" for none.

    whole: all that was said, for "Ben von Berg" may be somebody at Berg, and may be called so.
    """

    name: str
    at: str = ""
    whole: str = ""


def read_person(words: str) -> Asked | None:
    """Whom the words ask about; None when they ask for something else."""
    said = _POLITE.sub("", words.strip()).strip()
    for pattern in _ASKS:
        found = pattern.fullmatch(said)
        asked = _asked(found["name"], found["at"], found["whole"]) if found else None
        if asked is not None:
            return asked
    return None


def name_and_place(words: str) -> Asked | None:
    """The same of a name that stands alone, as behind /who: "Anna Winter", "Anna at Acme", "anna@acme.example"."""
    found = re.fullmatch(rf"(?P<whole>{_NAME}{_AT})", _POLITE.sub("", words.strip()).strip(), re.IGNORECASE)
    return _asked(found["name"], found["at"], found["whole"]) if found else None


def read_which(words: str) -> str | None:
    """What tells the one that is meant apart from others of the name: "the one at Acme" is "Acme"."""
    said = _POLITE.sub("", words.strip()).strip()
    found = next((match for pattern in _WHICH if (match := pattern.fullmatch(said))), None)
    return " ".join(found["name"].split()) if found else None


def _asked(name: str, at: str | None, whole: str) -> Asked | None:
    words = name.split()
    if not 0 < len(words) <= WORDS_MAX or words[0].casefold() in _NOBODY:
        return None
    return Asked(" ".join(words), " ".join((at or "").split()), whole)
