"""Words that tell an address: "Anna's address is anna@example.org". What is told so is the owner's own record."""

import re
from dataclasses import dataclass

NAME_MAX = 80

_POLITE = re.compile(r"^(?:(?:please|bitte|ok|okay|note|notier(?:e)?|merk dir)[,:!. ]+)+|[.! ]*$", re.IGNORECASE)
_ADDRESS = r"<?(?:mailto:)?(?P<address>[^\s<>@]{1,64}@[^\s<>@]{1,253}?)>?"
_WHAT = r"(?:(?:new|neue)\s+)?(?:e-?mail[\s-]?|mail[\s-]?)?(?:address|adresse)|e-?mail|mail"
_NAME = rf"(?P<name>[^@:,;]{{1,{NAME_MAX}}}?)"
_PATTERNS = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        rf"{_NAME}['’]s?\s+(?:{_WHAT})\s+(?:is|=)\s+{_ADDRESS}",
        rf"the\s+(?:{_WHAT})\s+of\s+{_NAME}\s+is\s+{_ADDRESS}",
        rf"die\s+(?:{_WHAT})\s+von\s+{_NAME}\s+(?:ist|lautet)\s+{_ADDRESS}",
        rf"{_NAME}s\s+(?:{_WHAT})\s+(?:ist|lautet)\s+{_ADDRESS}",
    )
)
_NOBODY = frozenset({"what", "it", "my", "your", "his", "her", "their", "who", "was", "mein", "dein", "sein", "ihr"})


@dataclass(frozen=True, slots=True)
class Told:
    """Whose address it is, and the address as it was typed."""

    name: str
    address: str


def read_contact(text: str) -> Told | None:
    """What the words tell; None when they are about something else."""
    said = _POLITE.sub("", text.strip()).strip()
    for pattern in _PATTERNS:
        found = pattern.fullmatch(said)
        name = " ".join(found["name"].split()) if found else ""
        if found and name and name.lower() not in _NOBODY:
            # "anna's" begins small on a phone; a name that has capitals anywhere is left as it is.
            return Told(name.title() if name.islower() else name, found["address"])
    return None
