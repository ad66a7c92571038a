"""The ask about a person: who it is, line by line, with what each rests on; or who of several may be meant."""

from datetime import datetime
from typing import Any

from bot.terminal.wire import clean
from memory.command.person import Asked, name_and_place
from memory.ledger import Tables
from memory.portrait import Line, portrait
from memory.portraitwords import say
from tools import meant, portrait_card, portraying


def person(t: Tables, owner_id: int, name: str, now: datetime) -> dict[str, Any]:
    """What `stillbell who` prints, as JSON. Names of others stand in it as they are: whoever prints makes them harmless."""
    owner = t.owners.get(owner_id)
    asked = name_and_place(name) or Asked(name, whole=name)
    found = meant.people_meant(t, owner, asked)
    if len(found) != 1:
        labels = [clean(label) for label in meant.labels(t, owner.id, found)]
        nobody = clean(say(owner.language, portraying.nobody(t, owner), name=name))
        return {"several": labels, "lines": [], "more": "", "nobody": nobody}
    around = portraying.meetings_around(t, owner, now)
    known = portraying.known(t, owner, found[0], now, around=around)
    drawn = portrait(known, owner, now, shown=_plain)

    def as_json(line: Line) -> dict[str, Any]:
        told = [clean(row) for row in portrait_card.rows_of(t, line, owner, now, shown=_plain)]
        return {"label": clean(line.label), "told": clean(line.told.replace("**", "")), "sources": told}

    more = portrait_card.remark(drawn, owner, shown=_plain)
    return {"several": [], "lines": [as_json(line) for line in drawn.lines], "more": clean(more), "nobody": ""}


def _plain(words: str) -> str:
    return " ".join(words.split())
