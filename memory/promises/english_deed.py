"""Which English verb is a deed, after "I will": not a state, a journey, a wish, or what both do together."""

from memory.promises import english_words as lists
from memory.promises.english_place import Do, Place, Who
from memory.promises.english_verbs import RULES
from memory.promises.words import Words, followed, has

_DEEPEST = 4
"""So many verbs may stand before the one that counts: "will start trying to find"."""


def deed(words: Words, at: int, who: Who, depth: int = 0) -> Do | None:
    """The deed whose verb stands at `at`; None when it is none."""
    if at >= len(words) or depth > _DEEPEST:
        return None
    base = words[at].low if depth == 0 else base_of(words[at].low)
    place = Place(words, at, base, who, lambda inner: deed(words, inner, who, depth + 1))
    if base in RULES:
        return RULES[base](place)
    if base in lists.TOGETHER:
        return place.here if _has_partner(place) else None
    if who == "we" and not _is_ours(place):
        return None
    return place.here if base in lists.DEEDS else None


def base_of(low: str) -> str:
    """The verb of a form in -ing."""
    if not low.endswith("ing"):
        return low
    bare = low.removesuffix("ing")
    undoubled = bare[:-1] if bare[-2:-1] == bare[-1:] else bare
    return next((one for one in (bare, f"{bare}e", undoubled) if one in _KNOWN), bare)


_KNOWN = lists.DEEDS | lists.TOGETHER | frozenset(RULES)


def _has_partner(place: Place) -> bool:
    """Whether it is said with whom: "talk to Dennis", "discuss it with Mike". "Talk to you soon" is a farewell."""
    if place.who == "I and another":
        return True
    near = place.near(9)
    if place.who == "we":
        places = (k for k in range(len(near)) if near[k].low in ("with", "to", "w"))
        return any(followed(near, k, "you", "him", "her", "them") for k in places)
    parting = has(near, ("you",)) and has(near, ("soon", "later", "then"))
    return (has(near, ("to", "with", "w", "thru")) or place.next("you")) and not parting


def _is_ours(place: Place) -> bool:
    """Whether "we" do it without the reader."""
    for_reader = has(place.near(5), ("you", "your"))
    return for_reader or (place.base in lists.OURS and not has(place.near(12), lists.WITH_READER_AT))
