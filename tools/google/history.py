"""Gmail's history read for what it means: which mails came, which lie elsewhere now, which are gone. Judges, calls nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tools.google.answers import Record, Touched
from tools.google.labels import LabelBook

Fate = Literal["came", "moved", "gone"]


@dataclass(slots=True)
class News:
    """What a stretch of the history comes to, in the order in which it happened. `upto`: the last record of it."""

    upto: str = ""
    fates: dict[str, Fate] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def with_fate(self, fate: Fate) -> list[str]:
        """The ids of the mails that had it."""
        return [each for each, had in self.fates.items() if had == fate]

    def touch(self, mail: str, fate: Fate, labels: tuple[str, ...] = ()) -> None:
        """Put down what happened to `mail`. What came in this stretch is fetched as it is by then, so it stays so."""
        had = self.fates.get(mail)
        if fate == "gone":
            self.fates.pop(mail, None)
            if had != "came":
                self.fates[mail] = "gone"
        elif had != "came":
            self.fates.pop(mail, None)
            self.fates[mail] = fate
        self.labels[mail] = labels


def news_of(records: Iterable[Record], book: LabelBook) -> News:
    """What `records` come to for a reader who does not see what `book` hides."""
    news = News()
    for record in records:
        news.upto = record.id
        for touched in record.messages_added:
            news.touch(touched.message.id, "came", touched.message.label_ids)
        for touched in record.labels_added:
            _relabelled(news, touched, frozenset(touched.message.label_ids) - frozenset(touched.label_ids), book)
        for touched in record.labels_removed:
            _relabelled(news, touched, frozenset(touched.message.label_ids) | frozenset(touched.label_ids), book)
        for touched in record.messages_deleted:
            news.touch(touched.message.id, "gone")
    return news


def _relabelled(news: News, touched: Touched, before: frozenset[str], book: LabelBook) -> None:
    """`before`: the labels that it bore until then; a mail that was hidden by them comes as if it were new."""
    labels = touched.message.label_ids
    if book.hides(labels):
        news.touch(touched.message.id, "gone")
    else:
        news.touch(touched.message.id, "came" if book.hides(before) else "moved", labels)


def portions(records: Sequence[Record], most: int) -> Iterator[list[Record]]:
    """`records` in order, in portions in which at most `most` mails come, if no single record brings more."""
    portion: list[Record] = []
    coming = 0
    for record in records:
        brings = len(record.messages_added) + len(record.labels_removed)
        if portion and coming + brings > most:
            yield portion
            portion, coming = [], 0
        portion.append(record)
        coming += brings
    if portion:
        yield portion


def labels_in(records: Iterable[Record]) -> frozenset[str]:
    """Every label that is named in `records`."""
    return frozenset(
        label
        for record in records
        for touched in (*record.messages_added, *record.labels_added, *record.labels_removed)
        for label in (*touched.message.label_ids, *touched.label_ids)
    )
