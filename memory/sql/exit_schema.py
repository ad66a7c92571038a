"""The declared tables of what leaves: contacts, drafts, approvals, dispatches, introductions, and the chain that shows a
missing row."""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    text,
)

from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

contacts = Table(
    "contacts",
    metadata,
    id_column(),
    owner_column(),
    Column("name", Text, nullable=False),
    Column("addresses", JSON, nullable=False),
    Column("source", String(10), nullable=False),
    Column("key", Text, nullable=False),
    Column("added_at", UtcDateTime, nullable=False),
    Index(None, "owner_id", "source", "key", unique=True),
)

drafts = Table(
    "drafts",
    metadata,
    id_column(),
    owner_column(),
    # The canonical spelling, byte for byte: what is hashed is what is kept.
    Column("envelope", Text, nullable=False),
    Column("because", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("answers_id", Integer),
    Column("event_id", Integer),
    Column("chosen", JSON, nullable=False),
    Column("doubts", JSON, nullable=False),
    Column("playbook", String(64), nullable=False),
)

approvals = Table(
    "approvals",
    metadata,
    id_column(),
    owner_column(),
    # No foreign key: an approval outlives the words it was given for.
    Column("draft_id", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("matter", String(64), nullable=False),
    Column("state", String(10), nullable=False),
    Column("because", Text, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    Column("needs_two", Boolean, nullable=False),
    Column("card_id", Integer),
    Column("card_digest", String(64), nullable=False),
    Column("changed_at", UtcDateTime),
    Column("tapped_by", Integer),
    CheckConstraint(
        "state IN ('asked', 'confirming', 'approved', 'spent', 'rejected', 'expired', 'void')", name="state"
    ),
    Index(None, "owner_id", "digest"),
    Index(None, "owner_id", "matter"),
    Index(None, "owner_id", "asked_at"),
)
WAITING = text("state IN ('asked', 'confirming', 'approved')")
Index("ix_approvals_waiting", approvals.c.owner_id, sqlite_where=WAITING)

dispatches = Table(
    "dispatches",
    metadata,
    id_column(),
    owner_column(),
    Column("approval_id", Integer, ForeignKey("approvals.id"), nullable=False, unique=True),
    Column("digest", String(64), nullable=False),
    Column("transport", String(16), nullable=False),
    Column("state", String(10), nullable=False),
    Column("because", Text, nullable=False),
    Column("taken_at", UtcDateTime, nullable=False),
    Column("changed_at", UtcDateTime, nullable=False),
    Column("handle", Text, nullable=False),
    Column("witness", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("settled_by", String(8), nullable=False),
    CheckConstraint("state IN ('taken', 'handed', 'sent', 'failed', 'unknown')", name="state"),
)
OPEN = text("state IN ('taken', 'handed', 'unknown')")
Index("ix_dispatches_open", dispatches.c.owner_id, sqlite_where=OPEN)

dispatch_steps = Table(
    "dispatch_steps",
    metadata,
    id_column(),
    owner_column(),
    Column("dispatch_id", Integer, nullable=False, index=True),
    Column("approval_id", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("transport", String(16), nullable=False),
    Column("state", String(10), nullable=False),
    Column("because", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("tapped_by", Integer),
    Column("at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)

introductions = Table(
    "introductions",
    metadata,
    id_column(),
    owner_column(),
    Column("asker", JSON, nullable=False),
    Column("target", JSON, nullable=False),
    Column("stage", String(16), nullable=False),
    Column("because", Text, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False),
    Column("asked_at", UtcDateTime),
    Column("asked_id", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("agreement", JSON(none_as_null=True)),
    CheckConstraint("stage IN ('to ask', 'to answer', 'waiting', 'to introduce', 'done', 'ended')", name="stage"),
    Index(None, "owner_id", "stage"),
)

chain = Table(
    "chain",
    metadata,
    id_column(),
    owner_column(),
    Column("kind", String(16), nullable=False),
    Column("row_id", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
    Index(None, "kind", "row_id", unique=True),
    sqlite_autoincrement=True,
)
