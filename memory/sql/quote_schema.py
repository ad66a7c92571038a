"""The declared table of quotes: whose words stand in what was said here."""

from sqlalchemy import Column, ForeignKey, Index, Integer, String, Table, Text

from memory.sql.columns import metadata

quotes = Table(
    "quotes",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    # mail:7, event:UID, or the ref of any other document.
    Column("ref", Text, primary_key=True),
    # message:12 bears its words itself; turn:3 is everything that was answered in that turn.
    Column("row", String(64), primary_key=True),
    Index(None, "owner_id", "row"),
)
