"""The declared tables of what is remembered: recollections, the words they rest on, and where they were recalled."""

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
    text,
)

from memory.recollection import ABOUT_MAX, KINDS, OBSERVATION
from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

LIVE = text("superseded_by IS NULL AND forgotten_at IS NULL")

recollections = Table(
    "recollections",
    metadata,
    id_column(),
    owner_column(),
    Column("key", String(120), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("by_owner", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("about", String(ABOUT_MAX), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("superseded_by", Integer, ForeignKey("recollections.id"), index=True),
    Column("forgotten_at", UtcDateTime),
    UniqueConstraint("owner_id", "key"),
    CheckConstraint(f"kind IN ({', '.join(repr(kind) for kind in KINDS)})", name="kind"),
    # The last line: whatever code writes, another's words are no rule and no preference of the owner's.
    CheckConstraint(f"by_owner = (kind <> '{OBSERVATION}')", name="others_only_observe"),
)
Index("ix_recollections_live", recollections.c.owner_id, recollections.c.id, sqlite_where=LIVE)

recollection_sources = Table(
    "recollection_sources",
    metadata,
    owner_column(),
    Column("recollection_id", Integer, ForeignKey("recollections.id"), primary_key=True),
    Column("ref", String(64), primary_key=True),
    Column("quote", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index(None, "owner_id", "ref"),
)
"""The words, and in which row they stand. An erased one has no words."""

recalls = Table(
    "recalls",
    metadata,
    owner_column(),
    Column("turn_id", Integer, ForeignKey("turns.id"), primary_key=True),
    Column("label", String(10), primary_key=True),
    Column("recollection_id", Integer, ForeignKey("recollections.id"), primary_key=True, index=True),
    Column("at", UtcDateTime, nullable=False),
)
"""What stood in which prompt: numbers alone."""

recollection_people = Table(
    "recollection_people",
    metadata,
    owner_column(),
    Column("recollection_id", Integer, ForeignKey("recollections.id"), primary_key=True),
    Column("identity_id", Integer, ForeignKey("identities.id", ondelete="CASCADE"), nullable=False, index=True),
)
"""Whom it is about, as the directory knows them: joins and splits move it by themselves."""
