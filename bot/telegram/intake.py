"""Intake: one batch of updates, in one unit of work.

The signals, the counts of what was dropped, the pairing and the cursor are committed together. So a batch is either on
record with the offset moved past it, or not on record and Telegram hands it over again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.telegram.pairing import Asker, Pairing, asker, new_code, paired_signal
from bot.telegram.reading import Dropped, Heard, admit, count_name
from memory.errors import OutOfReach
from memory.ledger import Tables

OWNER_ID = 1
"""The person whom this bot serves."""

SPOKEN = frozenset({"message", "tap"})
"""The kinds of signal by which the owner shows where in the chat they are."""


def cursor_name(bot_id: int) -> str:
    """Where the offset of this bot is kept: another bot's updates are numbered otherwise."""
    return f"telegram:{bot_id}"


def topic_name(bot_id: int) -> str:
    """Where the topic is kept in which the owner spoke last (empty: outside any)."""
    return f"telegram:{bot_id}:topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What a batch came to. `pairing` is the code awaited from now on; `paired` who became the owner in it."""

    offset: int
    heard: tuple[Heard, ...]
    new: int
    dropped: int
    pairing: Pairing | None
    paired: Asker | None = None


def offset_after(updates: Sequence[Any]) -> int:
    """What to ask for next. Raises OutOfReach when no update has a number.

    It follows the answer even when that leads back: after a week without updates, or when the Bot API server is
    another one, the numbering starts anew, and an offset from the old one would be answered with the same batch for ever.
    """
    for update in reversed(updates):
        number = update.get("update_id") if isinstance(update, dict) else None
        if isinstance(number, int):
            return number + 1
    raise OutOfReach("Telegram's updates bear no numbers, so they can't be acknowledged; is that a Bot API server?")


def take_in(
    t: Tables,
    updates: Sequence[Any],
    *,
    bot_id: int,
    pairing: Pairing | None,
    now: datetime,
    fresh: Callable[[], str] = new_code,
) -> Taken:
    """Put one batch on record and move the cursor past it: a unit of work."""
    offset = offset_after(updates)
    owner_telegram_id = t.owners.get(OWNER_ID).telegram_id
    person: Asker | None = None
    heard: list[Heard] = []
    dropped: Counter[str] = Counter()
    for update in updates:
        if owner_telegram_id is None and pairing is not None and (candidate := asker(update)):
            pairing = pairing.try_code(candidate.said, fresh=fresh)
            if pairing is None:
                person, owner_telegram_id = candidate, candidate.telegram_id
                _pair(t, candidate, now)
                continue
        match admit(update, owner_telegram_id=owner_telegram_id, bot_id=bot_id):
            case Heard() as found:
                heard.append(found)
            case Dropped() as found:
                dropped[count_name(found)] += 1
    new = sum(t.signals.publish(found.signal, now=now) is not None for found in heard)
    _record(t, heard, dropped, offset=offset, bot_id=bot_id, now=now)
    return Taken(offset=offset, heard=tuple(heard), new=new, dropped=dropped.total(), pairing=pairing, paired=person)


def _pair(t: Tables, person: Asker, now: datetime) -> None:
    t.owners.pair(OWNER_ID, telegram_id=person.telegram_id, language=person.language, now=now)
    t.signals.publish(paired_signal(person), now=now)


def _record(
    t: Tables, heard: Sequence[Heard], dropped: Counter[str], *, offset: int, bot_id: int, now: datetime
) -> None:
    for name, by in dropped.items():
        t.counts.add(name, now=now, by=by, owner_id=OWNER_ID)
    spoken = [found for found in heard if found.signal.kind in SPOKEN]
    topic = str(spoken[-1].topic_id or "") if spoken else None
    if topic is not None and topic != (t.cursors.get(topic_name(bot_id), owner_id=OWNER_ID) or ""):
        t.cursors.set(topic_name(bot_id), topic, owner_id=OWNER_ID, now=now)
    t.cursors.set(cursor_name(bot_id), str(offset), owner_id=OWNER_ID, now=now)
