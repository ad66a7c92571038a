"""The fields of a mail's header by name, in their order, unfolded when they are asked for."""

from collections.abc import Iterator
from email.message import Message

from tools.files.charset import clean
from tools.files.header import Report, unfold

FIELD_LIMIT_CHARS = 100_000
LIST_LIMIT = 20
LIST_VALUE_LIMIT_CHARS = 2000


class Fields:
    """The header of `message`. What is odd about a field goes to `report`."""

    def __init__(self, message: Message, report: Report) -> None:
        self._report = report
        self._raw: dict[str, list[str]] = {}
        self._order: list[str] = []
        for name, value in message.raw_items():
            known = name.rstrip().lower()
            self._order.append(known)
            self._raw.setdefault(known, []).append(str(value))

    def has_any(self, names: frozenset[str]) -> bool:
        """Whether any of these fields is there."""
        return not names.isdisjoint(self._raw)

    def starting(self, prefix: str) -> bool:
        """Whether there is a field whose name begins so."""
        return any(name.startswith(prefix) for name in self._raw)

    def all(self, name: str) -> list[str]:
        """The values of the fields of that name, without those that are empty."""
        values = [value for value in self._raw.get(name, ()) if value.strip()]
        if any(len(value) > FIELD_LIMIT_CHARS for value in values):
            self._report(f"{name} is too long, read in part")
        return [unfold(value[:FIELD_LIMIT_CHARS], self._report) for value in values]

    def first(self, name: str) -> str:
        """The first value, or ""; that there are others which say something else is reported."""
        values = self.all(name)
        if len(values) > 1 and len(set(values)) > 1:
            self._report(f"{name} stands there {len(values)} times, the first counts")
        return values[0] if values else ""

    def above(self, name: str, below: str) -> int:
        """How many fields called `name` stand above the first one called `below`; none when there is none of those."""
        if below not in self._raw:
            return 0
        return self._order[: self._order.index(below)].count(name)

    def lists(self) -> Iterator[tuple[str, str]]:
        """(name, value) of the List-* fields, the first ones, each cut to a bearable length."""
        names = [name for name in self._raw if name.startswith("list-")][:LIST_LIMIT]
        for name in names:
            for value in self.all(name)[:1]:
                yield clean(name)[:40], clean(" ".join(value[:LIST_VALUE_LIMIT_CHARS].split()))

    def word(self, name: str) -> str:
        """The value of a field that holds one word and perhaps parameters: the word, in lower case."""
        return clean(self.first(name).partition(";")[0]).strip().lower()[:40]
