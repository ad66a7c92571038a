"""Plain words out of calendar text: what others wrote, without what could change how it looks."""

import re

from memory.legible import legible

_HIDDEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_ADDRESS = re.compile(r"[^\s@<>\"',;:\\]{1,64}@[^\s@<>\"',;:\\]{1,190}")


def one_line(text: str, most: int) -> str:
    """At most so many characters on one line, without control, direction and invisible characters."""
    flat = " ".join(_HIDDEN.sub("", legible(text[: most * 4])).split())
    return flat if len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


def paragraph(text: str, most: int) -> str:
    """The same for longer text, whose line ends stay."""
    clean = _HIDDEN.sub("", legible(text[: most * 2])).strip()
    return clean if len(clean) <= most else f"{clean[: most - 1].rstrip()}…"


def address(*written: str) -> str:
    """The first of these that is a mail address, in lower case and without "mailto:"; "" when none is."""
    for text in written:
        bare = text.strip()
        bare = bare[7:] if bare[:7].lower() == "mailto:" else bare
        if _ADDRESS.fullmatch(bare):
            return _HIDDEN.sub("", bare).lower()
    return ""
