"""Following: what in the thread is new or reads otherwise since somebody last looked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bot.terminal.wire import TEXT_MAX, Button, Said, clean
from memory.card import StoredCard, callback
from memory.ledger import Tables
from memory.thread import Message
from memory.zones import Timeline

WINDOW = 50
"""How many of the newest messages are compared for edits and decided cards. An older one is left as it was shown."""

AFTER_MAX = 500
"""The most that is told at once to somebody who was away; what is earlier can be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen: the newest messages by id as they read then, and the latest id of all."""

    messages: Mapping[int, Said]
    last_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What is new, what reads otherwise, and what is seen from now on."""

    new: tuple[Said, ...]
    amended: tuple[Said, ...]
    seen: Seen


def look(tables: Tables, owner_id: int, seen: Seen | None) -> News:
    """What happened in the thread since `seen`; nothing is news to who has seen nothing. A unit of work; reads only."""
    newest = tables.thread.history(owner_id, limit=WINDOW)
    window = {said.id: said for said in _said(tables, owner_id, newest)}
    if seen is None:
        return News(new=(), amended=(), seen=Seen(messages=window, last_id=max(window, default=0)))
    after = [m for m in tables.thread.after(owner_id, seen.last_id, limit=AFTER_MAX) if m.id not in window]
    later = (said for said in window.values() if said.id > seen.last_id)
    new = (*_said(tables, owner_id, after), *later)
    amended = tuple(replace(m, is_="amended") for m in window.values() if seen.messages.get(m.id, m) != m)
    return News(new=new, amended=amended, seen=Seen(messages=window, last_id=max([seen.last_id, *window])))


def history(
    tables: Tables,
    owner_id: int,
    *,
    limit: int,
    after_id: int | None,
    before_id: int | None = None,
    is_: Literal["message", "amended"] = "message",
) -> list[Said]:
    """What a newcomer is shown: everything after `after_id`, else the newest `limit` (before `before_id`); oldest first.

    After `after_id` the newest AFTER_MAX at most: the first of them then says that it is `cut` off from what is before it.
    With `is_` "amended" it is told as something that was shown before.
    """
    if after_id is None:
        found, cut = tables.thread.history(owner_id, limit=limit, before_id=before_id) if limit else [], False
    else:
        found = tables.thread.after(owner_id, after_id, limit=AFTER_MAX + 1)
        found, cut = found[-AFTER_MAX:], len(found) > AFTER_MAX
    told = [replace(said, is_=is_) for said in _said(tables, owner_id, found)]
    return [replace(told[0], cut=True), *told[1:]] if cut else told


def _said(tables: Tables, owner_id: int, found: Sequence[Message]) -> list[Said]:
    """The messages as they go over the wire, with the buttons that their cards have now, and the owner's own clock."""
    zones = tables.owners.get(owner_id).zones
    cards = tables.cards.of({message.card_id for message in found if message.card_id is not None})
    return [_one(message, cards.get(message.card_id or 0), zones) for message in found]


def _one(message: Message, card: StoredCard | None, zones: Timeline) -> Said:
    return Said(
        id=message.id,
        role=message.role,
        channel=message.channel,
        text=clean(message.text)[:TEXT_MAX],
        at=message.at.astimezone(zones.zone_at(message.at)),
        buttons=_buttons(card),
        decided=_decided(card),
        edited=message.edited_at is not None,
    )


def _buttons(card: StoredCard | None) -> tuple[Button, ...]:
    if card is None or card.state != "open":
        return ()
    return tuple(Button(label=choice.label, data=callback(card, choice)) for choice in card.card.choices)


def _decided(card: StoredCard | None) -> str | None:
    if card is None or card.state != "decided":
        return None
    labels = {choice.key: choice.label for choice in card.card.choices}
    return labels.get(card.decided_as or "", card.decided_as)
