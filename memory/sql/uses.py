"""How often each passage was found."""

from collections import Counter

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.sql.search_schema import passage_uses, passages
from memory.sql.warm import Warm

_ONCE_MORE = upsert(passage_uses)
_ONCE_MORE = _ONCE_MORE.on_conflict_do_update(
    index_elements=["passage_id"], set_={"uses": passage_uses.c.uses + _ONCE_MORE.excluded.uses}
)


def note_uses(connection: Connection, owner_id: int, warm: Warm) -> None:
    """Put on record what was found since this was last called: a search itself only reads."""
    with warm.lock:
        uses, warm.uses = warm.uses, Counter()
    there = connection.execute(select(passages.c.id).where(passages.c.id.in_(sorted(uses)))).scalars()
    rows = [{"owner_id": owner_id, "passage_id": one, "uses": uses[one]} for one in there]
    if rows:
        connection.execute(_ONCE_MORE, rows)
