"""Which English verb is a deed, after "I will": not a state, a journey, a wish, or what both do together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from memory.promises import english_words as lists
from memory.promises.words import Words, followed, has, says

Who = Literal["I", "we", "I and another"]

_DEEPEST = 4
"""So many verbs may stand before the one that counts: "will start trying to find"."""


@dataclass(frozen=True, slots=True)
class Do:
    """`first` is where the action begins, `verb` where the verb stands that tells what sort of deed it is."""

    first: int
    verb: int
    is_hedged: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """A verb in its sentence, and who does it."""

    words: Words
    at: int
    who: Who
    depth: int

    def __post_init__(self) -> None:
        assert self.at < len(self.words)  # noqa: S101  nobody asks about a verb behind the end

    @property
    def low(self) -> str:
        return self.words[self.at].low

    @property
    def here(self) -> Do:
        return Do(self.at, self.at)

    def near(self, upto: int) -> Words:
        return self.words[self.at + 1 : self.at + upto]

    def next(self, *wanted: str) -> bool:
        return followed(self.words, self.at, *wanted)

    def ends(self) -> bool:
        """Whether nothing belongs to it any more."""
        following = self.near(2)
        return not following or following[0].is_stop or following[0].low in (",", "and", "but")

    def inner(self, at: int) -> Do | None:
        """The deed that this verb only leads to."""
        return deed(self.words, at, self.who, self.depth + 1)


def deed(words: Words, at: int, who: Who, depth: int = 0) -> Do | None:
    """The deed whose verb stands at `at`; None when it is none."""
    if at >= len(words) or depth > _DEEPEST:
        return None
    base = words[at].low if depth == 0 else base_of(words[at].low)
    place = _Place(words, at, who, depth)
    if base in _RULES:
        return _RULES[base](place)
    if base in lists.TOGETHER:
        return place.here if _has_partner(place) else None
    if who == "we" and base not in lists.OURS and not has(place.near(5), {"you", "your"}):
        return None
    return place.here if base in lists.DEEDS else None


def base_of(low: str) -> str:
    """The verb of a form in -ing."""
    if not low.endswith("ing"):
        return low
    bare = low.removesuffix("ing")
    undoubled = bare[:-1] if bare[-2:-1] == bare[-1:] else bare
    known = (one for one in (bare, f"{bare}e", undoubled) if one in lists.DEEDS or one in _RULES or one in lists.TOGETHER)
    return next(known, bare)


def _has_partner(place: _Place) -> bool:
    """Whether it is said with whom: "talk to Dennis", "discuss it with Mike". "Talk to you soon" is a farewell."""
    if place.who == "I and another":
        return True
    near = place.near(9)
    if place.who == "we":
        return has(near, {"with"}) and has(near, {"you"})
    parting = has(near, {"you"}) and has(near, {"soon", "later", "then"})
    return (has(near, {"to", "with", "w", "thru"}) or place.next("you")) and not parting


def hands_reader(words: Words, at: int) -> bool:
    """ "Have it for you", "get the dues to you"."""
    return any(words[k].low in ("to", "for") and followed(words, k, "you") for k in range(at + 1, min(at + 16, len(words))))


# Verbs of which it depends on what follows


def _try(place: _Place) -> Do | None:
    if place.ends() or place.next("again", "it", "that", "this"):
        return place.here
    following = place.at + (2 if place.next("to", "and") else 1)
    if place.next("to") and has(place.words[following : following + 1], {"explain", "help", "hit", "be", "remember", "avoid"}):
        return None
    inner = place.inner(following)
    return inner and Do(inner.first, inner.verb, is_hedged=True)


def _go_on(place: _Place) -> Do | None:
    """start, begin, continue: what is done is said behind. "Continue" goes without saying, "start" does not."""
    to = place.next("to")
    inner = place.inner(place.at + (2 if to else 1)) if to or has(place.near(2), _gerunds(place)) else None
    if inner is None:
        return None
    stays = not to and not inner.is_hedged
    return Do(place.at if stays else inner.first, inner.verb, inner.is_hedged)


def _gerunds(place: _Place) -> frozenset[str]:
    return frozenset(word.low for word in place.near(2) if word.low.endswith("ing"))


def _keep(place: _Place) -> Do | None:
    informed = has(place.near(8), {"posted", "updated", "informed", "apprised", "advised", "abreast"})
    goes_on = place.next("trying", "pushing", "looking", "checking", "working", "digging", "asking", "calling")
    return place.here if informed or goes_on or says(place.words, place.at + 1, "an", "eye") else None


_NO_DEEDS_YET = frozenset(
    "work join leave move visit host present speak announce look report start stop run open take ask show read".split()
)
"""In -ing after "will be": a plan, or what is so by itself."""


def _be(place: _Place) -> Do | None:
    at = place.at + 1
    while at < len(place.words) and place.words[at].low in lists.BEFORE_VERB:
        at += 1
    if at >= len(place.words) or not place.words[at].low.endswith("ing") or base_of(place.words[at].low) in _NO_DEEDS_YET:
        return None
    return place.inner(at)


def _have(place: _Place) -> Do | None:
    if says(place.words, place.at + 1, "a", "look") or says(place.words, place.at + 1, "a", "word"):
        return place.here
    near = place.near(6)
    somebody = near and (near[0].is_capital or near[0].low in ("someone", "somebody", "him", "her", "them", "my", "our"))
    if somebody and has(near[1:], lists.DEEDS):
        return place.here
    return place.here if hands_reader(place.words, place.at) else None


_GET = frozenset("back with it that this these those any someone somebody you him them on in to".split())
_NO_GETTING = (("in", "about"), ("in", "at"), ("in", "on"), ("back", "in"), ("back", "on"), ("back", "from"), ("to", "the"), ("on", "the"), ("to", "work"), ("back", "home"))  # fmt: skip


def _get(place: _Place) -> Do | None:
    if any(says(place.words, place.at + 1, *phrase) for phrase in _NO_GETTING) or place.next("there", "home", "here"):
        return None
    if place.next(*_GET) or hands_reader(place.words, place.at):
        return place.here
    return place.here if has(place.near(10), {"done", "sent", "fixed", "going", "ready", "signed", "started", "out"}) else None


def _see(place: _Place) -> Do | None:
    wonders = place.next("if", "what", "whether", "about", "that", "to", "how")
    return place.here if wonders and place.who != "we" else None


def _do(place: _Place) -> Do | None:
    if says(place.words, place.at + 1, "my", "best", "to") or says(place.words, place.at + 1, "our", "best", "to"):
        inner = place.inner(place.at + 4)
        return inner and Do(inner.first, inner.verb, is_hedged=True)
    vague = "my our all everything better anything whatever well great fine ok without away in what".split()
    if place.next(*vague) or (place.who == "we" and not place.next("that", "so", "this", "it")):
        return None
    return place.here


def _make(place: _Place) -> Do | None:
    if says(place.words, place.at + 1, "every", "effort", "to"):
        inner = place.inner(place.at + 4)
        return inner and Do(inner.first, inner.verb, is_hedged=True)
    return None if says(place.words, place.at + 1, "a", "speech") or place.next("mine", "sense", "money", "sure", "do") else place.here


def _take(place: _Place) -> Do | None:
    about = {"care", "look", "up", "over", "on", "note", "down", "off", "out", "it", "this", "that"}
    return place.here if has(place.near(6), about) and place.who != "we" or place.next("care") else None


def _let(place: _Place) -> Do | None:
    return place.here if has(place.near(5)[1:], {"know"}) else None


def _work(place: _Place) -> Do | None:
    mine = place.who != "we" and place.next("with", "out")
    return place.here if place.next("on", "off", "up") or mine else None


def _go(place: _Place) -> Do | None:
    if place.next("ahead", "and") and len(place.near(4)) > 1:
        inner = place.inner(place.at + (3 if place.next("ahead") else 2))
        return inner and Do(place.at, inner.verb)
    accepts = place.ends() and place.at <= 4 and has(place.words[:1], lists.ASIDE)
    return place.here if (place.next("through", "thru", "over") or accepts) and place.who == "I" else None


def _come(place: _Place) -> Do | None:
    return place.here if place.next("back", "up") and has(place.near(5), {"you", "with"}) else None


def _spoken(place: _Place) -> Do | None:
    """What the mail itself does: "I'll add a few details below", "I'll confirm that this happens"."""
    if has(place.near(10), {"below", "here", "above"}) or place.next("that", "again"):
        return None
    return place.here if place.who != "we" or place.low in lists.OURS else None


def _add(place: _Place) -> Do | None:
    then = place.at and place.words[place.at - 1].low == "then"
    return None if then else _spoken(place)


def _tell(place: _Place) -> Do | None:
    rhetoric = place.next("you") and has(place.near(4)[1:], {"why", "what", "how", "that", "this", "something", "one"})
    return None if rhetoric else place.here


def _only(*following: str) -> "_Rule":
    """A deed only before one of these words."""

    def rule(place: _Place) -> Do | None:
        ours = place.who != "we" or base_of(place.low) in lists.OURS
        return place.here if place.next(*following) and ours else None

    return rule


def _never(_: _Place) -> Do | None:
    return None


_Rule = Callable[[_Place], Do | None]
_IT = ("it", "that", "this", "them", "these", "those")
_ONE = ("you", "him", "her", *_IT)

_RULES: Mapping[str, _Rule] = {
    **dict.fromkeys(("try", "attempt", "endeavor", "endeavour"), _try),
    **dict.fromkeys(("start", "begin", "continue"), _go_on),
    **dict.fromkeys(("confirm", "mention", "note", "describe", "suggest", "list", "propose", "summarize"), _spoken),
    **dict.fromkeys(("support", "manage", "encourage", "offer", "explain", "help", "use", "attend", "decide"), _never),
    "keep": _keep,
    "be": _be,
    "have": _have,
    "get": _get,
    "see": _see,
    "do": _do,
    "make": _make,
    "take": _take,
    "let": _let,
    "work": _work,
    "go": _go,
    "come": _come,
    "add": _add,
    "tell": _tell,
    "join": _only("you"),
    "look": _only("at", "into", "over", "up", "through", "thru", *_IT),
    "leave": _only("a", *_ONE),
    "say": _only("something"),
    "spend": _only("more", "some", "time"),
    "move": _only("ahead", "forward", "the", *_IT),
    "switch": _only("to", "the", *_IT),
    "stop": _only("by", "emailing", "sending", "calling", *_IT),
    "report": _only("back", "on"),
    "return": _only("your", "his", "her", "their", *_IT),
    "run": _only("the", "a", "some", "your", "through", "by", "another", *_IT),
    "turn": _only("on", "off", "in", *_IT),
    "throw": _only("in", "together"),
    "drop": _only("off", "by", "a", *_ONE),
    "show": _only(*_ONE),
    "pass": _only("on", "along", "your", "the", *_ONE),
    "present": _only("the", *_ONE),
    "open": _only("a", "the", "an", *_IT),
    "raise": _only("and", "the", "both", "a", "your", "with", *_IT),
}
