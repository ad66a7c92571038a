"""The declared tables of what leaves: contacts, drafts, approvals, dispatches."""

from sqlalchemy import JSON, Column, Index, String, Table, Text

from memory.sql.base import id_column, metadata, owner_column
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
