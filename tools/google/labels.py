"""Gmail's labels, read as the folder in which a mail lies and the labels that it bears."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tools.google.answers import Label

INBOX, SENT, ARCHIVE = "INBOX", "Sent", "Archive"
"""The folders that Gmail doesn't have, as its owner reads them."""

HIDDEN = frozenset({"DRAFT", "SPAM", "TRASH", "CHAT"})
"""A mail that bears one of these is not read at all."""

_TOLD_ELSEWHERE = frozenset({"INBOX", "SENT", "UNREAD"})


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a mail lies."""

    folder: str
    labels: tuple[str, ...]
    is_sent: bool
    is_read: bool


@dataclass(frozen=True, slots=True)
class LabelBook:
    """The labels of a mailbox by id, and which of them, and which folders, are not looked into."""

    names: dict[str, str]
    skipped: frozenset[str] = field(default_factory=frozenset)
    skipped_folders: frozenset[str] = field(default_factory=frozenset)

    @property
    def skips_any(self) -> bool:
        """Whether a mail's labels have to be known before it may be fetched."""
        return bool(self.skipped or self.skipped_folders)

    def knows(self, ids: Iterable[str]) -> bool:
        """Whether every one of `ids` is in the book."""
        return all(each in self.names for each in ids)

    def hides(self, ids: Iterable[str]) -> bool:
        """Whether a mail with these labels is not to be read."""
        held = frozenset(ids)
        return bool(held & (HIDDEN | self.skipped)) or _folder(held) in self.skipped_folders

    def shelf(self, ids: Iterable[str]) -> Shelf:
        """Where a mail with these labels lies."""
        held = list(dict.fromkeys(ids))
        names = tuple(self.names.get(each, each) for each in held if each not in _TOLD_ELSEWHERE)
        return Shelf(_folder(frozenset(held)), names, is_sent="SENT" in held, is_read="UNREAD" not in held)


def label_book(labels: Iterable[Label], skips: Callable[[str], bool]) -> LabelBook:
    """The book of `labels`; what is skipped is asked by name, for folders and labels alike."""
    names = {label.id: label.name for label in labels}
    return LabelBook(
        names,
        frozenset(each for each, name in names.items() if each not in _TOLD_ELSEWHERE and skips(name)),
        frozenset(folder for folder in (INBOX, SENT, ARCHIVE) if skips(folder)),
    )


def _folder(ids: frozenset[str]) -> str:
    if "INBOX" in ids:
        return INBOX
    return SENT if "SENT" in ids else ARCHIVE
