"""Blanking: words that are to be forgotten are taken out of everything that was said in the thread, word for word."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, String, cast, func, or_, select, update

from memory.markdown import escaped
from memory.search.query import words_of
from memory.sql.forgetting import GONE, empty_signals
from memory.sql.passages import forget_passage
from memory.sql.schema import cards, messages
from memory.sql.thread import SqlThread, make_findable

LETTERS_MIN = 6
"""Shorter words stand in too much else."""


def blank(connection: Connection, owner_id: int, words: Collection[str], *, now: datetime) -> None:
    """Every message of either side, and every card, that holds these words reads "…" in their place."""
    spelled = _spellings(words)
    if not spelled:
        return
    holds = or_(*(func.instr(messages.c.text, each) > 0 for each in spelled))
    rows = connection.execute(select(messages).where(messages.c.owner_id == owner_id, holds)).all()
    for row in rows:
        _reword(connection, row, _without(row.text, spelled), now)
    value = cast(cards.c.value, String)
    # A card is kept as JSON, in which quotation marks and what is no ASCII are spelled otherwise.
    held = [each for word in spelled for each in {word, _as_json(word)}]
    found = or_(*(func.instr(value, each) > 0 for each in held))
    for card_id, plain in connection.execute(
        select(cards.c.id, cards.c.value).where(cards.c.owner_id == owner_id, found)
    ).all():
        emptied = {name: _deep(part, spelled) for name, part in plain.items()}
        connection.execute(update(cards).where(cards.c.id == card_id).values(value=emptied))
        connection.execute(
            update(cards).where(cards.c.id == card_id, cards.c.state == "open").values(state="stale", decided_at=now)
        )


def _reword(connection: Connection, row: Any, text: str, now: datetime) -> None:
    connection.execute(update(messages).where(messages.c.id == row.id).values(text=text, edited_at=now))
    ref = f"message:{row.id}"
    was_findable = forget_passage(connection, row.owner_id, ref) > 0
    if was_findable and words_of(text, is_alone=False):
        make_findable(connection, row.id, owner_id=row.owner_id, role=row.role, text=text, at=row.at)
    if row.role == "owner":
        empty_signals(connection, SqlThread(connection, set()).get(row.id))


def _spellings(words: Collection[str]) -> list[str]:
    found = {each for word in words for each in (word, escaped(word)) if len(word) >= LETTERS_MIN}
    return sorted(found, key=len, reverse=True)


def _as_json(word: str) -> str:
    return json.dumps(word)[1:-1]


def _without(text: str, spelled: Sequence[str]) -> str:
    for each in spelled:
        text = text.replace(each, GONE)
    return text


def _deep(part: Any, spelled: Sequence[str]) -> Any:
    if isinstance(part, str):
        return _without(part, spelled)
    return [_deep(each, spelled) for each in part] if isinstance(part, list) else part
