"""The declared tables of calendars: what each source calls its calendars, their objects, and the occurrences read in them."""

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
    UniqueConstraint,
)

from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

calendars = Table(
    "calendars",
    metadata,
    owner_column(),
    Column("account_id", Integer, ForeignKey("accounts.id"), primary_key=True),
    Column("calendar", Text, primary_key=True),
    Column("name", Text, nullable=False),
)

calendar_items = Table(
    "calendar_items",
    metadata,
    id_column(),
    owner_column(),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("calendar", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("etag", Text, nullable=False),
    Column("ics", Text, nullable=False),
    UniqueConstraint("account_id", "calendar", "ref"),
)

events = Table(
    "events",
    metadata,
    id_column(),
    owner_column(),
    Column("account_id", Integer, ForeignKey("accounts.id"), nullable=False),
    Column("item_id", Integer, ForeignKey("calendar_items.id"), nullable=False, index=True),
    Column("calendar", Text, nullable=False),
    Column("ref", Text, nullable=False),
    Column("uid", Text, nullable=False),
    Column("occurrence", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("notes", Text, nullable=False),
    Column("start_at", UtcDateTime, nullable=False),
    Column("end_at", UtcDateTime, nullable=False),
    Column("starts_on", String(10)),
    Column("ends_on", String(10)),
    Column("zone", String(64), nullable=False),
    Column(
        "status",
        String(10),
        CheckConstraint("status IN ('confirmed', 'tentative', 'cancelled')", name="status"),
        nullable=False,
    ),
    Column("organizer", JSON),
    Column("attendees", JSON, nullable=False),
    Column("my_answer", String(12), nullable=False),
    Column("is_busy", Boolean, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("faults", JSON, nullable=False),
    Index(None, "owner_id", "start_at"),
    Index(None, "owner_id", "uid", "start_at"),
)
