"""The declared tables of search: passages, their words, their vectors, and how often each was found."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Computed,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from memory.search.document import REF_MAX
from memory.search.passage import TALK
from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

# What filters look for stands in the index as words of its own, so that a filter costs what a word costs:
# cmail y2026 m202603 xpdf mine.
KEYS = (
    "'c' || corpus || coalesce(' y' || substr(at, 1, 4) || ' m' || substr(at, 1, 4) || substr(at, 6, 2), '') "
    "|| CASE WHEN tags = '' THEN '' ELSE replace(' ' || tags, ' ', ' x') END || CASE WHEN by_owner THEN ' mine' ELSE '' END"
)

_EMPTY = text("''")

passages = Table(
    "passages",
    metadata,
    id_column(),
    owner_column(),
    Column("corpus", String(10), nullable=False),
    Column("ref", String(REF_MAX), nullable=False),
    Column("part", Integer, nullable=False, server_default=text("0")),
    Column("start", Integer, nullable=False, server_default=text("0")),
    Column("who", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", UtcDateTime),
    Column("people", Text, nullable=False, server_default=_EMPTY),
    Column("place", Text, nullable=False, server_default=_EMPTY),
    Column("tags", Text, nullable=False, server_default=_EMPTY),
    Column("by_owner", Boolean, nullable=False, server_default=text("0")),
    Column("fingerprint", String(64), nullable=False, server_default=_EMPTY),
    Column("keys", Text, Computed(KEYS, persisted=False)),
    UniqueConstraint("owner_id", "ref", "part"),
    Index(None, "owner_id", "at"),
)
# What was said before and after a turn: only where there are turns.
Index(
    "ix_passages_talk",
    passages.c.owner_id,
    passages.c.place,
    passages.c.at,
    sqlite_where=text(f"corpus IN ({', '.join(repr(each) for each in sorted(TALK))})"),
)

passage_vectors = Table(
    "passage_vectors",
    metadata,
    id_column(),
    owner_column(),
    Column("passage_id", Integer, ForeignKey("passages.id"), nullable=False, unique=True),
    Column("model", String(80), nullable=False),
    Column("weights", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
"""A vector in eight bits a number. Its signs are what a search looks at first."""

vector_blocks = Table(
    "vector_blocks",
    metadata,
    owner_column(),
    Column("number", Integer, primary_key=True),
    Column("model", String(80), nullable=False),
    Column("ids", LargeBinary, nullable=False),
    Column("kinds", LargeBinary, nullable=False),
    Column("signs", LargeBinary, nullable=False),
)
"""The signs of 1,024 vectors at a time, so that opening takes a moment: number n holds the rows n*1024 and on."""

passage_uses = Table(
    "passage_uses",
    metadata,
    owner_column(),
    Column("passage_id", Integer, ForeignKey("passages.id"), primary_key=True),
    Column("uses", BigInteger, nullable=False),
)
"""How often a passage was found: what is found often gets its vector first."""

FOUND_IN = ("who", "title", "text", "people", "place", "keys")
"""The columns whose words are indexed, in their order."""

BLOCK_ROWS = 1024


def _values(row: str) -> str:
    return ", ".join(f"{row}.{name}" for name in FOUND_IN)


_COLUMNS = ", ".join(FOUND_IN)
_INDEXED = f"INSERT INTO passages_fts (rowid, {_COLUMNS}) VALUES (NEW.id, {_values('NEW')})"
_UNINDEXED = f"INSERT INTO passages_fts (passages_fts, rowid, {_COLUMNS}) VALUES ('delete', OLD.id, {_values('OLD')})"

EXTRAS: tuple[str, ...] = (
    # Full text: external content, so that the words stand once; measured against the alternatives (docs/decisions).
    f"CREATE VIRTUAL TABLE passages_fts USING fts5({_COLUMNS}, content='passages', content_rowid='id', "
    "tokenize='unicode61 remove_diacritics 2')",
    # An import writes some thousand passages at a time: they become one segment (8 MB are more than their words take), and
    # eight of a size are merged into one, a little with every write. Only at 32 of a size all of it is done at once.
    *(
        f"INSERT INTO passages_fts (passages_fts, rank) VALUES ('{name}', {value})"
        for name, value in (("hashsize", 8 * 1024 * 1024), ("automerge", 8), ("usermerge", 8), ("crisismerge", 32))
    ),
    "CREATE VIRTUAL TABLE passages_words USING fts5vocab('passages_fts', 'row')",
    f"CREATE TRIGGER passages_in AFTER INSERT ON passages BEGIN {_INDEXED}; END",
    # What hangs on a passage goes before it, whoever deletes it.
    "CREATE TRIGGER passages_going BEFORE DELETE ON passages BEGIN "
    "DELETE FROM passage_vectors WHERE passage_id = OLD.id; DELETE FROM passage_uses WHERE passage_id = OLD.id; END",
    f"CREATE TRIGGER passages_out AFTER DELETE ON passages BEGIN {_UNINDEXED}; END",
    f"CREATE TRIGGER passages_changed AFTER UPDATE ON passages BEGIN {_UNINDEXED}; {_INDEXED}; END",
    "CREATE TRIGGER passages_reworded AFTER UPDATE OF title, text ON passages "
    "WHEN OLD.title <> NEW.title OR OLD.text <> NEW.text BEGIN "
    "DELETE FROM passage_vectors WHERE passage_id = OLD.id; END",
    # A block that holds the signs of what is gone goes, too; it is made anew from the rows.
    "CREATE TRIGGER passage_vectors_out AFTER DELETE ON passage_vectors BEGIN "
    f"DELETE FROM vector_blocks WHERE number = OLD.id / {BLOCK_ROWS}; END",
)
"""Full text and what keeps it, the vectors and the passages in step."""
