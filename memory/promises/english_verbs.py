"""English verbs of which it depends on what follows whether they are a deed: "take care of it", "take the train"."""

from collections.abc import Mapping

from memory.promises import english_words as lists
from memory.promises.english_place import Do, Place, Rule, hands_reader
from memory.promises.words import has
from memory.when.words import word_set

_IT = ("it", "that", "this", "them", "these", "those")
_PERSON = ("you", "him", "her", "them")
_ONE = (*_PERSON, *_IT)


def _only(*following: str) -> Rule:
    """A deed only before one of these words."""

    def rule(place: Place) -> Do | None:
        ours = place.who != "we" or place.base in lists.OURS
        return place.here if place.next(*following) and ours else None

    return rule


def _never(_: Place) -> Do | None:
    return None


# What only leads to a deed


def _try(place: Place) -> Do | None:
    if place.ends() or place.next("again", "it", "that", "this"):
        return place.here
    following = 2 if place.next("to", "and") else 1
    here = ("explain", "help", "hit", "be", "remember", "avoid")
    if place.next("to") and has(place.near(3)[1:], here):
        return None
    return place.leads_to(place.at + following, is_hedged=True)


def _go_on(place: Place) -> Do | None:
    """start, begin, continue: "start working" is the action, of "continue to update" only the update is."""
    if place.next("to"):
        return place.leads_to(place.at + 2)
    if not any(word.low.endswith("ing") for word in place.near(2)):
        return None
    inner = place.leads_to(place.at + 1)
    return inner if inner is None or inner.is_hedged else Do(place.at, inner.verb)


_PLANS = word_set(
    """
    working doing joining leaving moving visiting hosting presenting speaking announcing looking reporting starting stopping
    running opening taking asking showing reading
    """
)
"""After "will be": a plan, or what is so by itself."""


def _be(place: Place) -> Do | None:
    if place.reads("sure", "to"):
        return place.leads_to(place.at + 3)
    adverbs = next((k for k, word in enumerate(place.near(5)) if word.low not in lists.BEFORE_VERB), 0)
    following = place.near(adverbs + 2)[adverbs:]
    plans = not following or not following[0].low.endswith("ing") or following[0].low in _PLANS
    return None if plans else place.leads_to(place.at + 1 + adverbs)


def _do(place: Place) -> Do | None:
    if place.reads("my", "best", "to") or place.reads("our", "best", "to"):
        return place.leads_to(place.at + 4, is_hedged=True)
    if place.next(*_VAGUE) or (place.who == "we" and not place.next(*_IT, "so")):
        return None
    return place.here


_VAGUE = word_set(
    """
    my our all everything better anything whatever well great fine ok without away in what some lunch dinner the business
    """
)


def _make(place: Place) -> Do | None:
    if place.reads("every", "effort", "to"):
        return place.leads_to(place.at + 4, is_hedged=True)
    arrives = place.next("it") and has(place.near(4)[1:], _ARRIVING)
    return None if arrives or place.reads("a", "speech") or place.next(*_NO_MAKING) else place.here


_ARRIVING = word_set("to there home in on for by back out up")
_NO_MAKING = word_set("mine sense money do dinner lunch love fun")


def _work(place: Place) -> Do | None:
    if place.next("to"):
        return place.leads_to(place.at + 2, is_hedged=True)
    mine = place.who != "we" and place.next("with", "out")
    return place.here if place.next("on", "off", "up") or mine else None


def _go(place: Place) -> Do | None:
    if place.next("ahead", "and"):
        return place.leads_to(place.at + (3 if place.next("ahead") else 2), first=place.at)
    accepts = place.ends() and place.at <= 4 and has(place.words[:1], lists.ASIDE)
    return place.here if (place.next("through", "thru", "over") or accepts) and place.who == "I" else None


# What is a deed with the right things


def _keep(place: Place) -> Do | None:
    goes_on = place.next("trying", "pushing", "looking", "checking", "working", "digging", "asking", "calling")
    return place.here if goes_on or has(place.near(8), _INFORMED) or place.reads("an", "eye") else None


_INFORMED = word_set("posted updated informed apprised advised abreast date loop")


def _have(place: Place) -> Do | None:
    near = place.near(6)
    somebody = near and (near[0].is_capital or near[0].low in ("someone", "somebody", "my", "our", *_PERSON))
    does = place.reads("a", "look") or place.reads("a", "word") or (somebody and has(near[1:], lists.DEEDS))
    return place.here if does or hands_reader(place.words, place.at) else None


def _get(place: Place) -> Do | None:
    if any(place.reads(*phrase) for phrase in _ARRIVALS) or place.next("there", "home", "here"):
        return None
    gets = place.next(*_GOT) or hands_reader(place.words, place.at) or has(place.near(10), _GOT_DONE)
    return place.here if gets or (place.ends() and place.who == "I") else None


_GOT = word_set("back with it that this these those any someone somebody you him them on in to")
_GOT_DONE = word_set("done sent fixed going ready signed started out touch")
_ARRIVALS = (
    ("in", "about"),
    ("in", "at"),
    ("in", "on"),
    ("back", "in"),
    ("back", "on"),
    ("back", "from"),
    ("back", "home"),
    ("to", "the"),
    ("to", "work"),
    ("on", "the"),
)


def _see(place: Place) -> Do | None:
    wonders = place.next("if", "what", "whether", "about", "that", "to", "how")
    return place.here if wonders and place.who != "we" else None


def _take(place: Place) -> Do | None:
    means = place.next(*_IT) and has(place.near(4)[1:], ("as", "that", "from"))
    takes = has(place.near(6), _TAKEN) and place.who != "we"
    return place.here if (takes and not means) or place.next("care") else None


_TAKEN = word_set("care look up over on note down off out it this that")


def _let(place: Place) -> Do | None:
    return place.here if has(place.near(5)[1:], ("know",)) else None


def _come(place: Place) -> Do | None:
    return place.here if place.next("back", "up") and has(place.near(5), ("you", "with")) else None


def _call(place: Place) -> Do | None:
    """ "I'll call it a draft" only names it."""
    behind = place.near(3)[1:]
    names = place.next("it", "that") and behind and behind[0].is_word and behind[0].low not in ("in", "off")
    return None if names else place.here


# What the mail itself does


def _spoken(place: Place) -> Do | None:
    """ "I'll add a few details below", "I'll confirm that this happens"."""
    here = has(place.near(10), ("below", "here", "above")) or place.next("that", "again") or place.words[-1].low == ":"
    return place.here if not here and (place.who != "we" or place.base in lists.OURS) else None


def _add(place: Place) -> Do | None:
    then = place.at and place.words[place.at - 1].low == "then"
    return None if then else _spoken(place)


def _tell(place: Place) -> Do | None:
    """ "I'll tell you what"."""
    told_here = has(place.near(4)[1:], ("why", "what", "how", "that", "this", "something", "one"))
    return None if place.next("you") and told_here else place.here


def _give(place: Place) -> Do | None:
    said_here = has(place.near(6), ("example", "examples", "credit", "hint", "clue", "reason"))
    return None if said_here or place.reads("you", "that") else place.here


_SPOKEN = word_set(
    """
    confirm mention note describe suggest list propose summarize summarise outline highlight elaborate specify recommend address
    answer copy
    """
)

RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("try", "attempt", "endeavor", "endeavour"), _try),
    **dict.fromkeys(("start", "begin", "continue"), _go_on),
    **dict.fromkeys(_SPOKEN, _spoken),
    **dict.fromkeys(("support", "manage", "encourage", "offer", "explain", "help", "use", "attend", "decide"), _never),
    "add": _add,
    "be": _be,
    "call": _call,
    "come": _come,
    "do": _do,
    "double": _only("check"),
    "drop": _only("off", "by", "a", *_ONE),
    "get": _get,
    "give": _give,
    "go": _go,
    "have": _have,
    "include": _only("you", "the", "your", *_IT),
    "introduce": _only(*_PERSON),
    "join": _only("you"),
    "keep": _keep,
    "leave": _only("a", "him", "her", "them", "word"),
    "let": _let,
    "look": _only("at", "into", "over", "up", "through", "thru", *_IT),
    "make": _make,
    "move": _only("ahead", "forward", "the", *_IT),
    "open": _only("a", "the", "an", *_IT),
    "pass": _only("on", "along", "your", "the", *_ONE),
    "present": _only("the", *_ONE),
    "raise": _only("and", "the", "both", "a", "your", "with", *_IT),
    "reach": _only("out", *_ONE),
    "report": _only("back", "on"),
    "return": _only("your", "his", "her", "their", *_IT),
    "run": _only("the", "a", "some", "your", "through", "by", "another", *_IT),
    "say": _only("something"),
    "see": _see,
    "shoot": _only(*_PERSON),
    "show": _only(*_ONE),
    "spend": _only("more", "some", "time"),
    "stop": _only("by", "emailing", "sending", "calling", *_IT),
    "switch": _only("to", "the", *_IT),
    "take": _take,
    "tell": _tell,
    "throw": _only("in", "together"),
    "turn": _only("on", "off", "in", *_IT),
    "work": _work,
}
