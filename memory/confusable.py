"""Confusables: letters that are taken for one another.

A skeleton is what a hasty eye reads. Two texts with one skeleton look alike; that never makes them the same.
"""

import unicodedata

import regex

# Letters of other scripts that are drawn like Latin ones, after case folding. The common ones; the rest of the trouble
# is caught by showing every foreign domain as punycode with its script named.
_PAIRED = """
    аa вb сc ԁd еe һh іi јj ӏl кk мm оo ԛq рp ѕs тt гr уy хx ԝw пn ьb ѵv
    αa βb εe γy ηn ιi κk νv οo ρp τt υu χx ωw ϲc ϳj
    օo ոn սu հh գq զq ցg քp յj
    ıi łl øo đd ħh ŧt ɑa ɩi ɡg ƅb ƽs ʋv
"""
_LIKE = str.maketrans({pair[0]: pair[1] for pair in _PAIRED.split()})
# What is mixed up within Latin, in most typefaces.
_WITHIN = str.maketrans({"0": "o", "1": "l", "|": "l", "i": "l", "5": "s", "8": "b"})
_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
_IGNORED = regex.compile(r"[[\p{Default_Ignorable_Code_Point}\p{C}\p{M}]--[\s]]", regex.V1)


def folded(text: str) -> str:
    """The text in lower case Latin as far as it looks like that: compatibility forms, foreign look-alikes, marks undone."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return str(_IGNORED.sub("", plain)).translate(_LIKE)


def skeleton(text: str) -> str:
    """What a hasty eye reads: `folded`, with digits and pairs taken for the letters that they resemble."""
    seen = folded(text).translate(_WITHIN)
    for pair, single in _PAIRS:
        seen = seen.replace(pair, single)
    return seen


def scripts(text: str) -> tuple[str, ...]:
    """The scripts of the letters in `text` by their English names, sorted: ("Cyrillic", "Latin")."""
    letters = (letter for letter in text if letter.isalpha())
    return tuple(sorted({unicodedata.name(letter, "Unknown").split()[0].capitalize() for letter in letters}))


def is_one_slip_away(one: str, other: str) -> bool:
    """Whether one letter added, left out, changed, or two neighbours swapped make the one text of the other."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    return (
        left[1:] == right[1:]
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:] and len(left) > 1)
    )
