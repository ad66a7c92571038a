"""The declared tables of facts: what is known of whom, with the words that say so; and what was read for it."""

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from memory.search.document import REF_MAX
from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

facts = Table(
    "facts",
    metadata,
    id_column(),
    owner_column(),
    Column("identity_id", Integer, ForeignKey("identities.id"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("value", Text, nullable=False),
    # By what the same value is known again, also when the owner asked to forget it.
    Column("key", String(40), nullable=False),
    Column("quote", Text, CheckConstraint("length(quote) <= 200", name="quote"), nullable=False),
    Column("corpus", String(10), nullable=False),
    Column("ref", String(REF_MAX), nullable=False),
    Column("who", Text, nullable=False),
    Column("found_by", String(10), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("said_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("noted_at", UtcDateTime, nullable=False),
    Column("until_at", UtcDateTime),
    Column("superseded_at", UtcDateTime),
    Column("superseded_by", Integer, ForeignKey("facts.id"), index=True),
    Column("ended_by", String(8), CheckConstraint("ended_by IN ('owner', 'evidence')", name="ended_by")),
    Column("because", Text, nullable=False),
    UniqueConstraint("owner_id", "identity_id", "kind", "key", "ref"),
    Index(None, "owner_id", "ref"),
    # No id is given twice: history, which keeps ids, must never come to mean another fact.
    sqlite_autoincrement=True,
)

# Which document was read for which identity, by which rules or model: it is not read again.
fact_readings = Table(
    "fact_readings",
    metadata,
    owner_column(),
    Column("identity_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("ref", String(REF_MAX), primary_key=True),
    Column("reader", String(20), primary_key=True),
    Column("read_at", UtcDateTime, nullable=False),
    Index(None, "owner_id", "ref"),
)

_OF_REF = "owner_id = OLD.owner_id AND ref = OLD.ref"
_KEPT = f"{_OF_REF} AND value <> ''"
"""What was forgotten has lost its words already; that it was, stays."""

_OLD, _NEW = ("OLD.title || char(10) || OLD.text", "NEW.title || char(10) || NEW.text")
_MOVED = f"{_KEPT} AND instr({_OLD}, quote) > 0 AND instr({_NEW}, quote) = 0"


_GONE = f"DELETE FROM facts WHERE {_KEPT};"
_AGAIN = "superseded_by = NULL, superseded_at = NULL, until_at = NULL, ended_by = NULL"

_PERSON = "(SELECT person_id FROM identities WHERE id = OLD.identity_id)"
_UNTOLD = (
    f"DELETE FROM passages WHERE owner_id = OLD.owner_id AND ref = 'person:' || {_PERSON}; "
    f"INSERT INTO people_due (owner_id, what, about) SELECT OLD.owner_id, 'person', {_PERSON} "
    f"WHERE {_PERSON} IS NOT NULL ON CONFLICT DO NOTHING;"
)

EXTRAS: tuple[str, ...] = (
    # What a fact superseded holds again when it goes, unless something later had taken its own place.
    "CREATE TRIGGER facts_going BEFORE DELETE ON facts BEGIN "
    "UPDATE facts SET superseded_by = OLD.superseded_by WHERE superseded_by = OLD.id AND OLD.superseded_by IS NOT NULL; "
    f"UPDATE facts SET {_AGAIN}, because = 'what superseded it is gone' WHERE superseded_by = OLD.id AND value <> ''; "
    "UPDATE facts SET superseded_by = NULL WHERE superseded_by = OLD.id; END",
    # Search finds a person by what is known of them: what holds no longer is not found a moment longer, and what is left
    # is written anew.
    "CREATE TRIGGER facts_told AFTER INSERT ON facts BEGIN INSERT INTO people_due (owner_id, what, about) "
    "SELECT NEW.owner_id, 'person', person_id FROM identities WHERE id = NEW.identity_id ON CONFLICT DO NOTHING; END",
    f"CREATE TRIGGER facts_ended AFTER UPDATE OF value, until_at ON facts BEGIN {_UNTOLD} END",
    f"CREATE TRIGGER facts_gone AFTER DELETE ON facts BEGIN {_UNTOLD} END",
    # Evidence or nothing: a fact goes with the document that it stands in, whoever drops that. What else was read for
    # the same people is then read again: it may say the same.
    "CREATE TRIGGER passages_prove_nothing BEFORE DELETE ON passages WHEN OLD.part = 0 AND EXISTS "
    f"(SELECT 1 FROM fact_readings WHERE {_OF_REF} UNION ALL SELECT 1 FROM facts WHERE {_OF_REF}) BEGIN "
    "DELETE FROM fact_readings WHERE owner_id = OLD.owner_id AND (ref = OLD.ref OR identity_id IN "
    f"(SELECT identity_id FROM facts WHERE {_KEPT})); {_GONE} END",
    # So it does when the document no longer says it; what it says now is read anew.
    "CREATE TRIGGER passages_say_otherwise AFTER UPDATE OF title, text ON passages "
    f"WHEN {_OLD} <> {_NEW} BEGIN DELETE FROM facts WHERE {_MOVED}; DELETE FROM fact_readings WHERE {_OF_REF}; END",
)
"""What keeps facts in step with what they stand in."""
