"""Words that say who is one person, or two: "Anna Winter and aw77@web.de are the same person", "trenne Anna Winter"."""

import re
from dataclasses import dataclass

NAME_MAX = 80

_ONE = rf"(?P<one>[^?:;]{{1,{NAME_MAX}}}?)"
_OTHER = rf"(?P<other>[^?:;]{{1,{NAME_MAX}}}?)"
_AND = r"\s+(?:and|und|&)\s+"
_SAME = r"(?:(?:one\s+and\s+)?the\s+same(?:\s+(?:person|one|human))?|one\s+person|(?:ein\s+und\s+)?die\s?selbe(?:\s+person)?|eine\s+person|ein\s+und\s+derselbe|derselbe)"
_POLITE = re.compile(
    r"^(?:(?:please|bitte|ok|okay|hey|no|nein|that['’]s not the same person|das ist nicht dieselbe person)[,:!. ]+)+|[!. ]*$",
    re.IGNORECASE,
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_JOIN = (
    _pattern(rf"{_ONE}{_AND}{_OTHER}\s+(?:are|is|sind|ist)\s+{_SAME}"),
    _pattern(rf"{_ONE}\s+(?:is|ist)\s+{_SAME}\s+(?:as|wie)\s+{_OTHER}"),
    _pattern(rf"(?:merge|join)\s+{_ONE}\s+(?:and|with|&)\s+{_OTHER}"),
    _pattern(rf"(?:lege?|führe?)\s+{_ONE}{_AND}{_OTHER}\s+zusammen"),
)
_APART = (
    _pattern(rf"{_ONE}{_AND}{_OTHER}\s+(?:are\s+not|aren['’]t|sind\s+nicht)\s+{_SAME}"),
    _pattern(rf"{_ONE}\s+(?:is\s+not|isn['’]t|ist\s+nicht)\s+{_SAME}\s+(?:as|wie)\s+{_OTHER}"),
    _pattern(
        rf"{_ONE}{_AND}{_OTHER}\s+(?:are|sind)\s+(?:two|different|two\s+different|zwei|verschiedene|zwei\s+verschiedene)"
        r"\s+(?:people|persons|personen|leute|menschen)"
    ),
)
_SPLIT = (
    _pattern(rf"split(?:\s+up)?\s+{_ONE}(?:\s+(?:again|up|apart))?"),
    _pattern(rf"(?:trenne?|teile?)\s+{_ONE}(?:\s+(?:wieder|auf))?"),
)


@dataclass(frozen=True, slots=True)
class SameOrNot:
    """What was said of two names, or of one: are they one person? other: "" when one is to be split."""

    one: str
    other: str
    is_one: bool


def read_same(words: str) -> SameOrNot | None:
    """What the words say of who is one person; None for other words."""
    said = " ".join(_POLITE.sub("", words.strip()).split())
    for patterns, is_one in ((_APART, False), (_JOIN, True)):
        for pattern in patterns:
            if found := pattern.fullmatch(said):
                return SameOrNot(found["one"].strip(), found["other"].strip(), is_one)
    found = next((match for pattern in _SPLIT if (match := pattern.fullmatch(said))), None)
    return SameOrNot(found["one"].strip(), "", is_one=False) if found else None
