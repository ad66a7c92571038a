"""A chart: every stretch of tokens that the rules can make something of, built left to right within fixed bounds.

An item that ends at a token is tried as the last part of every rule that may end so; the parts before it are already
complete. Every stretch is at most REACH tokens long and every end holds at most ITEMS_AT_MOST items, so the work grows
with the length of the text and no faster, whatever the text.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, TypeVar

from memory.when.node import Node, Scene
from memory.when.tokens import Token

Make = TypeVar("Make", bound=Callable[..., Node | None])
REACH = 18
ITEMS_AT_MOST = 240
ITEMS_PER_STRETCH = 6
WORK_AT_MOST = 20_000
"""Attempts to extend a rule, per token; a sentence of ordinary speech stays under a tenth of it."""


@dataclass(frozen=True, slots=True)
class Item:
    """Tokens start up to end, understood as a node. `cost` is lower for the better of two understandings."""

    start: int
    end: int
    node: Node
    cost: float


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a rule: some words, or a node of a kind that fits."""

    words: frozenset[str] = frozenset()
    kind: type | None = None
    fits: Callable[[Any], bool] | None = None
    optional: bool = False
    glued: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """Parts in order, and what they make together; None when they don't go together after all."""

    name: str
    parts: tuple[Part, ...]
    make: Callable[..., Node | None]
    cost: float = 0.0


def words(text: str, *, glued: bool = False) -> Part:
    """Any of the words in `text`, which are set apart by spaces; a "?" at the end makes the part optional."""
    optional = text.endswith("?")
    return Part(words=frozenset(text.rstrip("?").split()), optional=optional, glued=glued)


def a(kind: type, fits: Callable[[Any], bool] | None = None, *, glued: bool = False) -> Part:
    """A node of a kind; glued: no space before it."""
    return Part(kind=kind, fits=fits, glued=glued)


@dataclass(eq=False)
class Grammar:
    """The rules of one language, found by how they end."""

    rules: list[Rule] = field(default_factory=list)

    def rule(self, *parts: Part | str, cost: float = 0.0) -> Callable[[Make], Make]:
        """Declare a rule; a plain string is `words`. Optional parts make a rule for each way to leave them out."""
        whole = [words(part) if isinstance(part, str) else part for part in parts]

        def declare(make: Make) -> Make:
            for kept in product(*([True, False] if part.optional else [True] for part in whole)):
                left = tuple(part for part, keep in zip(whole, kept, strict=True) if keep)
                self.rules.append(Rule(make.__name__, left, make, cost))
            return make

        return declare

    @cached_property
    def by_word(self) -> dict[str, list[Rule]]:
        """Rules that end with a word."""
        found: dict[str, list[Rule]] = defaultdict(list)
        for rule in self.rules:
            for word in rule.parts[-1].words:
                found[word].append(rule)
        return dict(found)

    @cached_property
    def by_kind(self) -> dict[type, list[Rule]]:
        """Rules that end with a node."""
        found: dict[type, list[Rule]] = defaultdict(list)
        for rule in self.rules:
            if rule.parts[-1].kind:
                found[rule.parts[-1].kind].append(rule)
        return dict(found)


class Chart:
    """The items over one sentence. `work` counts every attempt, for those who want to see that it stays linear."""

    def __init__(self, tokens: Sequence[Token], grammar: Grammar, scene: Scene) -> None:
        self.tokens = tokens
        self.work = 0
        self._grammar = grammar
        self._scene = scene
        self._ending: list[list[Item]] = [[] for _ in range(len(tokens) + 1)]
        self._seen: set[tuple[int, int, Node]] = set()
        self._held: dict[tuple[int, int], int] = defaultdict(int)
        self._limit = 0

    def fill(self, seeds: Sequence[Item]) -> list[Item]:
        """Everything that can be made of the seeds, which are what single words and phrases mean."""
        by_end: dict[int, list[Item]] = defaultdict(list)
        for seed in seeds:
            by_end[seed.end].append(seed)
        for end in range(1, len(self.tokens) + 1):
            self._limit = self.work + WORK_AT_MOST
            agenda = by_end[end]
            agenda += [
                item
                for rule in self._grammar.by_word.get(self.tokens[end - 1].word, ())
                for item in self._made(rule, end, None)
            ]
            self._settle(agenda, end)
        return [item for items in self._ending for item in items]

    def _settle(self, agenda: list[Item], end: int) -> None:
        """Work off what ends at one token, breadth first so that plain readings come before contrived ones."""
        for item in agenda:
            if not self._add(item):
                continue
            for rule in self._grammar.by_kind.get(type(item.node), ()):
                agenda += self._made(rule, end, item)

    def _add(self, item: Item) -> bool:
        key = (item.start, item.end, item.node)
        stretch = (item.start, item.end)
        full = len(self._ending[item.end]) >= ITEMS_AT_MOST or self._held[stretch] >= ITEMS_PER_STRETCH
        if full or key in self._seen or item.end - item.start > REACH:
            return False
        self._seen.add(key)
        self._held[stretch] += 1
        self._ending[item.end].append(item)
        return True

    def _made(self, rule: Rule, end: int, last: Item | None) -> Iterator[Item]:
        part = rule.parts[-1]
        start = last.start if last else end - 1
        if not self._fits(part, last, start):
            return
        for first, taken in self._before(rule.parts[:-1], start):
            nodes = [*taken, *([last] if last else [])]
            try:
                node = rule.make(self._scene, *(item.node for item in nodes))
            except OverflowError:
                continue
            if node is not None:
                yield Item(first, end, node, sum(item.cost for item in nodes) + rule.cost + 0.01)

    def _before(self, parts: tuple[Part, ...], end: int) -> Iterator[tuple[int, list[Item]]]:
        """Every way to lay the parts so that they end at `end`."""
        if not parts:
            yield end, []
            return
        for start, item in self._laid(parts[-1], end):
            for first, taken in self._before(parts[:-1], start):
                yield first, [*taken, item] if item else taken

    def _laid(self, part: Part, end: int) -> Iterator[tuple[int, Item | None]]:
        if part.words:
            self.work += 1
            if end > 0 and self.tokens[end - 1].word in part.words and self._fits(part, None, end - 1):
                yield end - 1, None
            return
        for item in self._ending[end]:
            self.work += 1
            if self.work > self._limit:
                return
            if self._fits(part, item, item.start):
                yield item.start, item

    def _fits(self, part: Part, item: Item | None, start: int) -> bool:
        if part.glued and not self.tokens[start].glued:
            return False
        if part.kind is None:
            return True
        return item is not None and type(item.node) is part.kind and (part.fits is None or bool(part.fits(item.node)))
