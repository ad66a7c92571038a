"""Mutation: small good inputs made into bad ones, and a bad one made as small as it stays bad.

Everything comes from one `random.Random`, so that a seed is a whole run.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

NASTY = (
    "", "\0", "\ud800", "\udfff", "\ufeff", "\u202e", "\u200b", "\u00ad", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a\u0301" * 40, "%s", "{}", "'", '"', "\\", "`" * 7, "*_~`[](<>)!#|", "[" * 300, "(" * 300, "<" * 300, "&#0;", "&amp;lt;",
    "http://a.example/\u202e", "javascript:alert(1)", "tg://user?id=1", "../../etc/passwd", "\r\n\r\n", "\t", "9" * 400,
    "-1", "1e999", "NaN", "0x10", "\u0661\u0662", "\u00b2", "31.2.", "25:61", "am 30. Februar um 24:00", "every 0 days",
    "in 999999999999 years", "the -1st", "Ünïcödé", "\u1e9e", "\u0130", "İ" * 20, "ﬁ", "Ａ",
)  # fmt: skip
"""What has broken parsers before: halves of characters, marks that turn the direction, numbers that are none, depth."""

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 0.5, -0.0, float("inf"), float("nan"), "", "0", [], {}, [[]],
    [None], {"": None}, "\ud800", "\0", "x" * 5000,
)  # fmt: skip

DEPTH_MAX = 3


class Mutator:
    """Makes cases from `random`."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self, seeds: Sequence[str]) -> str:
        """One of the seeds, cut, doubled, spliced with another, with something nasty in it; or only such things."""
        if self.random.random() < 0.1:
            return "".join(self.random.choice(NASTY) for _ in range(self.random.randint(0, 12)))
        found = self.random.choice(seeds)
        for _ in range(self._often()):
            found = self._changed(found, self.random.choice(seeds), self.random.choice(NASTY), _any_character)
        return found[:200_000]

    def data(self, seeds: Sequence[bytes]) -> bytes:
        """The same for bytes."""
        if self.random.random() < 0.05:
            return self.random.randbytes(self.random.randint(0, 400))
        found = self.random.choice(seeds)
        for _ in range(self._often()):
            nasty = self.random.choice(NASTY).encode("utf-8", "surrogatepass")
            found = self._changed(found, self.random.choice(seeds), nasty, lambda random: random.randbytes(1))
        return found[:200_000]

    def value(self, seeds: Sequence[Any]) -> Any:
        """One of the seeds, which are JSON, with some of its values replaced, taken out or put elsewhere."""
        if self.random.random() < 0.03:
            return self.structure()
        found = deepcopy(self.random.choice(seeds))
        for _ in range(self._often()):
            places = list(_places(found))
            if not places:
                return self._odd(found)
            holder, key = self.random.choice(places)
            self._meddle(holder, key, places)
        return found

    def structure(self, depth: int = 0) -> Any:
        """A value that nobody meant."""
        kind = self.random.random()
        if depth < DEPTH_MAX and kind < 0.25:
            return [self.structure(depth + 1) for _ in range(self.random.randint(0, 4))]
        if depth < DEPTH_MAX and kind < 0.5:
            return {self.random.choice(NASTY): self.structure(depth + 1) for _ in range(self.random.randint(0, 4))}
        return deepcopy(self.random.choice(ODD_VALUES))

    def written(self, seeds: Sequence[Any]) -> bytes:
        """A value as JSON, mostly; sometimes damaged as bytes, or deeper than anyone reads."""
        if self.random.random() < 0.02:
            return b'{"a":' * 3000 + b"[" * 3000
        line = json.dumps(self.value(seeds), ensure_ascii=self.random.random() < 0.5).encode("utf-8", "surrogatepass")
        return self.data([line]) if self.random.random() < 0.3 else line

    def _often(self) -> int:
        return self.random.choice((1, 1, 1, 2, 2, 3, 5, 8))

    def _changed(self, found: Any, other: Any, nasty: Any, character: Callable[[Random], Any]) -> Any:
        at, end = sorted(self.random.randint(0, len(found)) for _ in range(2))
        match self.random.randint(0, 6):
            case 0:
                return found[:at] + found[end:]
            case 1:
                return found[:at] + nasty + found[at:]
            case 2:
                return found[:at] + nasty + found[end:]
            case 3:
                return found[:end] + found[at:]
            case 4:
                return found[:at] + other[self.random.randint(0, len(other)) :]
            case 5:
                return found[:at] + found[at:end] * self.random.choice((2, 3, 50)) + found[end:]
            case _:
                return found[:at] + character(self.random) + found[at + 1 :]

    def _meddle(self, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
        match self.random.randint(0, 4):
            case 0:
                del holder[key]
            case 1:
                holder[key] = self.structure()
            case 2:
                there, name = self.random.choice(places)
                holder[key] = deepcopy(there[name]) if _has(there, name) else None
            case 3 if isinstance(holder[key], str):
                holder[key] = self.text([holder[key]])
            case _:
                holder[key] = self._odd(holder[key])

    def _odd(self, value: Any) -> Any:
        return deepcopy(self.random.choice([odd for odd in ODD_VALUES if type(odd) is type(value)] or ODD_VALUES))


def _any_character(random: Random) -> str:
    return chr(random.choice((random.randint(0, 0x7F), random.randint(0, 0xFFFF), random.randint(0, 0x10FFFF))))


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else isinstance(key, int) and key < len(holder)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as what holds it and its key there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def shrunk(case: Any, is_bad: Callable[[Any], bool], *, tries: int = 400) -> Any:
    """The smallest case found that is still bad, by leaving parts out."""
    for _ in range(tries):
        smaller = next((one for one in _smaller(case) if (tries := tries - 1) > 0 and is_bad(one)), None)
        if smaller is None:
            return case
        case = smaller
    return case


def _smaller(case: Any) -> Iterator[Any]:
    if isinstance(case, str | bytes):
        size = len(case)
        while size := size // 2:
            for start in range(0, len(case), size):
                yield case[:start] + case[start + size :]
    elif isinstance(case, dict):
        for key in case:
            yield {name: value for name, value in case.items() if name != key}
        for key in case:
            for smaller in _smaller(case[key]):
                yield {**case, key: smaller}
    elif isinstance(case, list):
        for place in range(len(case)):
            yield [*case[:place], *case[place + 1 :]]
        for place in range(len(case)):
            for smaller in _smaller(case[place]):
                yield [*case[:place], smaller, *case[place + 1 :]]
