"""The declared table of bearing: which addresses bear the name of somebody who is excluded, as hashes alone."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table

from memory.sql.columns import metadata

bearing = Table(
    "bearing",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    # Of the name in the rule, and of the mailbox (memory/exclusion.mark_of).
    Column("rule", String(64), primary_key=True),
    Column("mark", String(64), primary_key=True),
)
