"""Fact lines: what is known of somebody, as the lines by which search finds them."""

from collections.abc import Sequence

from memory.factwords import line_of
from memory.ledger import Tables
from memory.people.person import Person


def fact_lines(t: Tables, owner_id: int, person: Person) -> Sequence[str]:
    """What holds now, a line each, in the owner's language."""
    language = t.owners.get(owner_id).language
    known = t.facts.current(owner_id, person.identity_ids)
    return [line_of(one, language) for one in known]
