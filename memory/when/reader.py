"""Finds the times that a text mentions, in English and German, and says what they mean.

    mentions = read("remind me on the 3rd at noon", now=now, zone=ZoneInfo("Europe/Berlin"))

A text is cut into tokens; words and phrases seed a chart, rules combine what lies side by side, and of what remains the
longest complete understandings are resolved against the owner's wall clock.
"""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo

from memory.when.chart import Chart, Grammar, Item
from memory.when.lexicon import PHRASE_AT_MOST, lexicon
from memory.when.node import Every, Node, Number, Scene, Time
from memory.when.reading import Mention
from memory.when.resolve import readings_of
from memory.when.rules import (
    bounds,
    dates,
    days,
    edges,
    figures,
    hours,
    joins,
    monthly,
    numbers,
    offsets,
    ordinals,
    pointers,
    quarters,
    ranges,
    returns,
    weekly,
)
from memory.when.rules.dialect import ENGLISH, GERMAN
from memory.when.tokens import Token, tokens_of
from memory.when.words import TELLING, word_set

LANGUAGES = ("en", "de")
DIGITS_AT_MOST = 4
TRIES_AT_MOST = 300
"""Understandings that are resolved before the rest is left alone."""

_FILES = (
    bounds,
    dates,
    days,
    edges,
    figures,
    hours,
    joins,
    monthly,
    numbers,
    offsets,
    ordinals,
    pointers,
    quarters,
    ranges,
    returns,
    weekly,
)
_GREETINGS = word_set("good guten gute schoenen schoene")
"""Good morning is not a time."""
_COUNTS = word_set("twice thrice times mal zweimal dreimal viermal fuenfmal")
"""Twice a week is not one either, and no rule of return that could be kept."""
_EVERY = word_set("every each jede jeden jedes jeder jedem")
"""What returns in a way that no rule understood must not be taken for one time."""


def read(text: str, *, now: datetime, zone: ZoneInfo, language: str | None = None) -> list[Mention]:
    """Every mention of a time in `text`, in order, each with its readings, likeliest first.

    now: aware. zone: the owner's. language: "en" or "de"; None tries both and keeps the one that understands more.
    Never raises on any text; what lies beyond 2,000 characters or 200 tokens is not looked at.
    """
    tokens = tokens_of(text)
    tried = [language] if language in LANGUAGES else sorted(LANGUAGES, key=lambda each: -_telling(tokens, each))
    found = [mentions_in(tokens, text, scene_at(now, zone, each)) for each in tried]
    if len(tried) > 1 and found[0] and _telling(tokens, tried[0]) > _telling(tokens, tried[1]):
        return found[0]
    return max(found, key=_covered)


def scene_at(now: datetime, zone: ZoneInfo, language: str) -> Scene:
    """The wall clock as it stands."""
    return Scene(
        wall=now.astimezone(zone).replace(tzinfo=None, fold=0), now_at=now.astimezone(UTC), zone=zone, language=language
    )


def mentions_in(tokens: list[Token], text: str, scene: Scene) -> list[Mention]:
    """The mentions that one language finds."""
    return _chosen(chart_of(tokens, scene)[1], tokens, text, scene)


def chart_of(tokens: list[Token], scene: Scene) -> tuple[Chart, list[Item]]:
    """The filled chart of one language, and its items."""
    chart = Chart(tokens, grammar(scene.language), scene)
    return chart, chart.fill(_seeds(tokens, scene.language))


@cache
def grammar(language: str) -> Grammar:
    """The rules of a language, complete once the files that declare them are imported."""
    assert _FILES  # noqa: S101  imported for what they declare
    return ENGLISH if language == "en" else GERMAN


def _telling(tokens: list[Token], language: str) -> int:
    return sum(token.word in TELLING[language] for token in tokens)


def _covered(mentions: list[Mention]) -> int:
    return sum(mention.span[1] - mention.span[0] for mention in mentions)


def _seeds(tokens: list[Token], language: str) -> list[Item]:
    """What the words and figures mean by themselves."""
    known = lexicon(language)
    seeds = []
    for start, token in enumerate(tokens):
        if token.is_number and len(token.word) <= DIGITS_AT_MOST:
            seeds.append(Item(start, start + 1, Number(int(token.word), len(token.word)), 0.0))
        key: tuple[str, ...] = ()
        for end in range(start + 1, min(len(tokens), start + PHRASE_AT_MOST) + 1):
            key = (*key, tokens[end - 1].word)
            seeds += [Item(start, end, node, _doubt(node)) for node in known.get(key, ())]
    return seeds


def _doubt(node: Node) -> float:
    """A doubtful word is the last thing to build on."""
    return 0.6 if isinstance(node, Time) and node.doubtful and not node.facets & {"part", "season"} else 0.0


def _chosen(items: list[Item], tokens: list[Token], text: str, scene: Scene) -> list[Mention]:
    """The longest understandings that resolve to something, none over another."""
    whole = [n for n, token in enumerate(tokens) if token.is_number or token.is_word]
    bounds = (whole[0], whole[-1] + 1) if whole else (0, 0)
    complete = [item for item in items if _is_complete(item, bounds) and _stands_free(item, tokens)]
    taken: list[tuple[Item, Mention]] = []
    for item in sorted(complete, key=lambda item: (item.start - item.end, item.cost))[:TRIES_AT_MOST]:
        if any(item.start < other.end and other.start < item.end for other, _ in taken):
            continue
        mention = _mention(item, tokens, text, scene)
        if mention:
            taken.append((item, mention))
    return sorted((mention for _, mention in taken), key=lambda mention: mention.span)


def _mention(item: Item, tokens: list[Token], text: str, scene: Scene) -> Mention | None:
    node = item.node
    if not isinstance(node, Time | Every):
        return None
    try:
        readings = readings_of(scene, node)
    except OverflowError:
        return None
    start, end = tokens[item.start].start, tokens[item.end - 1].end
    return Mention(span=(start, end), text=text[start:end], readings=readings) if readings else None


def _is_complete(item: Item, bounds: tuple[int, int]) -> bool:
    """A time by itself; a doubtful word only when nothing else was said."""
    node = item.node
    if isinstance(node, Every):
        return not node.latent
    if not isinstance(node, Time):
        return False
    alone = item.start <= bounds[0] and item.end >= bounds[1]
    if node.latent:
        return alone and node.facets == {"year"}
    return alone or not node.doubtful


def _is_cut_off(tokens: list[Token], start: int) -> bool:
    """Whether a number at the start belongs to what stands before it."""
    first = tokens[start]
    if not (start and first.glued and first.is_number):
        return False
    before = tokens[start - 1]
    if before.word in "-/.:,'" and start > 1 and before.glued:
        return tokens[start - 2].is_number or before.word in "-/"
    return before.word not in "([\"'-:,;!?*~"


def _stands_free(item: Item, tokens: list[Token]) -> bool:
    """Not cut out of a number, a code or a sum: 650-650-6500, ABC-12345, 37.1."""
    first = tokens[item.start]
    before = tokens[item.start - 1].word if item.start else ""
    if _is_cut_off(tokens, item.start) or before in _GREETINGS:
        return False
    if before == "-" and first.glued and first.is_word and tokens[item.start - 1].glued and item.end - item.start > 1:
        return False
    if before in _COUNTS or (before in _EVERY and isinstance(item.node, Time)):
        return False
    after = tokens[item.end : item.end + 2]
    if not after or not after[0].glued:
        return True
    if after[0].is_number or after[0].is_word or after[0].word == "%":
        return tokens[item.end - 1].word in ".,"
    return not (after[0].word in "-/.:," and len(after) > 1 and after[1].glued and after[1].is_number)
