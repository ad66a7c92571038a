"""The port for small acts on the owner's own mail: archive, mark as read, label, and each of them back. They reach nobody.

What takes an act back stands on a card, in the transaction that says that it was done; taking it back is an act as well.
Nothing here deletes, and nothing sends.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from memory.card import Card, Choice, StoredCard
from memory.ledger import Tables
from memory.owner import Language
from memory.wording import say

What = Literal["archive", "unarchive", "read", "unread", "label", "unlabel", "move"]

KIND = "mail_act"
"""The kind of the jobs that do them, and of the cards that take them back."""

SUBJECT = "mail-act"


@dataclass(frozen=True, slots=True, kw_only=True)
class MailAct:
    """One act on one mail.

    uid: its name in the account. message_id: finds it where that name is no longer good. name: of a label, or of the folder
    that it moves to.
    """

    what: What
    uid: str
    message_id: str | None = None
    name: str = ""


class MailActs(Protocol):
    """Does acts in one account. What is so already is done again without harm."""

    async def do(self, act: MailAct) -> MailAct:
        """Do it; the act that takes it back. Raises NotFound, BadInput, and what a source raises."""
        ...

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        ...


def to_plain(acts: Sequence[MailAct]) -> list[dict[str, Any]]:
    """Acts as JSON carries them."""
    return [asdict(act) for act in acts]


def from_plain(plain: Sequence[Mapping[str, Any]]) -> tuple[MailAct, ...]:
    """The acts that `to_plain` wrote."""
    return tuple(MailAct(**one) for one in plain)


def undo_card(
    text: str, back: Sequence[MailAct], language: Language, *, account_id: int, thread_id: int, title: str, number: int
) -> Card:
    """What was done to a thread, with the way back. `number` tells this deed from others."""
    return Card(
        kind=KIND,
        subject=f"{SUBJECT}:{number}",
        text=text,
        choices=(Choice("undo", say(language, "button_undo")),),
        because="the owner asked for it",
        state_of_subject=json.dumps(
            {"account": account_id, "about": thread_id, "title": title, "back": to_plain(back)}, sort_keys=True
        ),
    )


def thread_of(card: Card) -> int | None:
    """The thread of mail that such a card is about."""
    return int(json.loads(card.state_of_subject)["about"]) if card.kind == KIND else None


def take_back(t: Tables, card: Card, *, owner_id: int, now: datetime, signal_id: int | None, amends: str) -> None:
    """The job that reverses what this card tells of; its word amends the piece of that key."""
    held = json.loads(card.state_of_subject)
    t.jobs.add(
        owner_id=owner_id,
        kind=KIND,
        lane="background",
        thread=f"owner:{owner_id}",
        payload={**held, "amends": amends, "signal": signal_id},
        now=now,
    )
    t.decisions.record(
        owner_id=owner_id,
        subject=card.subject,
        decided="undone",
        because="the owner undid it",
        now=now,
        signal_id=signal_id,
    )


def take_back_latest(t: Tables, subject: str, *, owner_id: int, now: datetime, signal_id: int | None) -> bool:
    """The same for the deed of this name, by words; False when its card is no longer open."""
    stored: StoredCard | None = t.cards.open_about(owner_id, subject)
    shown = t.pieces.of_card(stored.id) if stored else None
    if stored is None or shown is None or not t.cards.decide(stored.id, "undo", now=now):
        return False
    take_back(t, stored.card, owner_id=owner_id, now=now, signal_id=signal_id, amends=shown.key)
    return True
