"""A card: something shown to the owner with buttons, bound to the hash of what it shows."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.canonical import digest

Style = Literal["plain", "good", "danger"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One button. `key` is what a tap says (letters, digits, dots and dashes, at most 24); `label` what the owner reads."""

    key: str
    label: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What is shown: the text, the buttons, and what they are about.

    `subject` names the row that a tap acts on ("loop:12"); `because` says why the owner is asked. A card without a
    reason is not written. `state_of_subject` is whatever of the subject a tap relies on, so that a change makes it stale.
    """

    kind: str
    subject: str
    text: str
    choices: tuple[Choice, ...]
    because: str
    state_of_subject: str = ""

    def __post_init__(self) -> None:
        if not self.because:
            raise ValueError(f"a card about {self.subject} without a reason")

    @property
    def digest(self) -> str:
        """sha-256 over the value: never over a drawing of it."""
        return digest(
            {
                "kind": self.kind,
                "subject": self.subject,
                "text": self.text,
                "choices": [[c.key, c.label] for c in self.choices],
                "state": self.state_of_subject,
            }
        )


CardState = Literal["open", "decided", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """A card in the ledger. A tap counts once, while it is `open`."""

    id: int
    owner_id: int
    card: Card
    digest: str
    state: CardState
    created_at: datetime
    decided_as: str | None = None


@dataclass(frozen=True, slots=True)
class Tap:
    """What a pressed button says: which card, which content of it, which choice."""

    card_id: int
    digest_prefix: str
    choice: str


DIGEST_PREFIX = 12
"""Hex digits of the digest that a button carries: 48 bits, and callback data must stay within 64 bytes."""

_CALLBACK = re.compile(r"c:([0-9]{1,15}):([0-9a-f]{12}):([A-Za-z0-9.\-]{1,24})")


def callback(stored: StoredCard, choice: Choice) -> str:
    """The text behind a button, at most 64 bytes of ASCII."""
    return f"c:{stored.id}:{stored.digest[:DIGEST_PREFIX]}:{choice.key}"


def read_callback(data: str) -> Tap | None:
    """The tap that `data` stands for; None when no button of ours says that."""
    found = _CALLBACK.fullmatch(data)
    return Tap(int(found[1]), found[2], found[3]) if found else None


@dataclass(frozen=True, slots=True)
class Counts:
    """The tap counts, on this card, for this choice."""

    stored: StoredCard
    choice: str


@dataclass(frozen=True, slots=True)
class Stale:
    """The tap counts for nothing, and this is why."""

    because: Literal["gone", "changed", "decided", "no such choice"]


def weigh(tap: Tap, stored: StoredCard | None) -> Counts | Stale:
    """Whether a tap counts: the card is there, shows what it showed then, is still open, and has that button."""
    if stored is None:
        return Stale("gone")
    if not stored.digest.startswith(tap.digest_prefix) or stored.state == "stale":
        return Stale("changed")
    if stored.state == "decided":
        return Stale("decided")
    if tap.choice not in {choice.key for choice in stored.card.choices}:
        return Stale("no such choice")
    return Counts(stored, tap.choice)
