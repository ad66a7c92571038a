"""The declared schema. The migrations in `alembic/` are proven equal to it by a test.

Three kinds of table:

- append-only (`APPEND_ONLY`): ids, hashes and reasons, no content. Triggers refuse UPDATE, DELETE and INSERT OR REPLACE.
- content (`signal_payloads`, `messages`, `files`, `passages`, `mails`, `cards`, `loops`, `reminders`, `notices`,
  `recollections`): may be erased.
- state (`jobs`, `pieces`, `turns`, `usage`, …): where things stand.

`signals` is a view, so that an INSERT by hand is enough to publish while head and payload live apart.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
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

from memory.job import INLINE_KINDS
from memory.sql import (
    bearing_schema,
    calendar_schema,
    exit_schema,
    facts_schema,
    mail_schema,
    people_schema,
    quote_schema,
    recollection_schema,
    search_schema,
)
from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import NOW_SQL, UtcDateTime, WallDateTime, WallTime

APPLICATION_ID = 0x5374426C
"""`StBl` in the file's header: a file without it is not ours."""

identity = Table(
    "identity",
    metadata,
    Column("id", Integer, CheckConstraint("id = 1", name="one_row"), primary_key=True),
    Column("instance", String(32), nullable=False),
    Column("host", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("adopted_at", UtcDateTime, nullable=False),
)

owners = Table(
    "owners",
    metadata,
    id_column(),
    Column("created_at", UtcDateTime, nullable=False),
    Column("language", String(2), nullable=False),
    Column("quiet_from", WallTime, nullable=False),
    Column("quiet_to", WallTime, nullable=False),
    Column("brief_at", WallTime, nullable=False),
    Column("cap_usd", Float, nullable=False),
    Column("telegram_id", BigInteger, unique=True),
)

zone_moves = Table(
    "zone_moves",
    metadata,
    id_column(),
    owner_column(),
    Column("zone", String(64), nullable=False),
    Column("from_at", UtcDateTime, nullable=False),
    Column("because", Text, nullable=False),
    UniqueConstraint("owner_id", "from_at"),
)

signal_heads = Table(
    "signal_heads",
    metadata,
    id_column(),
    owner_column(),
    Column("source", String(64), nullable=False),
    Column("kind", String(64), nullable=False),
    Column("source_id", String(200), nullable=False),
    Column("received_at", UtcDateTime, nullable=False, server_default=text(f"({NOW_SQL})")),
    UniqueConstraint("source", "source_id"),
    Index(None, "owner_id", "received_at"),
    sqlite_autoincrement=True,
)

signal_payloads = Table(
    "signal_payloads",
    metadata,
    Column("signal_id", Integer, ForeignKey("signal_heads.id"), primary_key=True),
    Column("payload", Text, CheckConstraint("payload IS NULL OR json_valid(payload)", name="payload_is_json")),
)

jobs = Table(
    "jobs",
    metadata,
    id_column(),
    owner_column(),
    Column("signal_id", Integer, ForeignKey("signal_heads.id")),
    Column("kind", String(64), nullable=False),
    Column("lane", String(10), CheckConstraint("lane IN ('inline', 'background')", name="lane"), nullable=False),
    Column("thread", String(64), nullable=False),
    Column("state", String(10), nullable=False, server_default="pending"),
    Column("payload", Text, nullable=False, server_default="{}"),
    # Only a retry waits for a time: a clock that is set back holds nothing else up.
    Column("run_at", UtcDateTime),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("interruptions", Integer, nullable=False, server_default=text("0")),
    Column("last_error", Text),
    Column("created_at", UtcDateTime, nullable=False, server_default=text(f"({NOW_SQL})")),
    Column("finished_at", UtcDateTime),
    CheckConstraint("state IN ('pending', 'running', 'done', 'parked', 'cancelled')", name="state"),
)
# Only the unfinished are looked for, and they are few. The condition has no parameter: SQLite uses a partial index only
# for a query that repeats its condition to the letter.
for _name, _columns in {"in_lane": (jobs.c.lane, jobs.c.id), "in_thread": (jobs.c.thread, jobs.c.id)}.items():
    Index(f"ix_jobs_unfinished_{_name}", *_columns, sqlite_where=jobs.c.finished_at.is_(None))
PARKED = text("state = 'parked'")
Index("ix_jobs_parked", jobs.c.owner_id, sqlite_where=PARKED)

turns = Table(
    "turns",
    metadata,
    id_column(),
    owner_column(),
    Column("signal_id", Integer, ForeignKey("signal_heads.id"), nullable=False, unique=True),
    Column("question_id", Integer, ForeignKey("messages.id"), nullable=False),
    Column("channel", String(20), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("stopped_at", UtcDateTime),
    Column("stopped_because", Text),
    Index(None, "owner_id", "id"),
)
# All but one of an owner's turns are stopped, and every message asks for the one that isn't.
Index("ix_turns_live", turns.c.owner_id, sqlite_where=turns.c.stopped_at.is_(None))

messages = Table(
    "messages",
    metadata,
    id_column(),
    owner_column(),
    Column("turn_id", Integer),
    Column("role", String(10), CheckConstraint("role IN ('owner', 'stillbell')", name="role"), nullable=False),
    Column("channel", String(20), nullable=False),
    Column("text", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("reply_to_id", Integer),
    Column("edited_at", UtcDateTime),
    Column("card_id", Integer),
    Column("signal_id", Integer, ForeignKey("signal_heads.id"), unique=True),
    Index(None, "owner_id", "id"),
    Index(None, "turn_id"),
)

message_ids = Table(
    "message_ids",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("channel", String(20), primary_key=True),
    Column("channel_message_id", String(64), primary_key=True),
    Column("message_id", Integer, ForeignKey("messages.id"), nullable=False, index=True),
)

pieces = Table(
    "pieces",
    metadata,
    id_column(),
    owner_column(),
    Column("key", String(120), nullable=False, unique=True),
    Column("channel", String(20), nullable=False),
    Column("message_id", Integer, ForeignKey("messages.id"), nullable=False),
    Column("turn_id", Integer, ForeignKey("turns.id")),
    Column("card_id", Integer, ForeignKey("cards.id")),
    Column("silent", Boolean, nullable=False),
    Column("state", String(10), nullable=False),
    Column("parts", JSON, nullable=False),
    Column("amends_key", String(120)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("because", Text),
    CheckConstraint("state IN ('ready', 'handing', 'shown', 'unknown', 'failed', 'dropped')", name="state"),
)
Index("ix_pieces_on_their_way", pieces.c.id, sqlite_where=pieces.c.ended_at.is_(None))
Index("ix_pieces_of_card", pieces.c.card_id, sqlite_where=pieces.c.card_id.is_not(None))
UNSETTLED = text("state IN ('unknown', 'failed')")
Index("ix_pieces_unsettled", pieces.c.owner_id, sqlite_where=UNSETTLED)

files = Table(
    "files",
    metadata,
    id_column(),
    owner_column(),
    Column("message_id", Integer, ForeignKey("messages.id"), nullable=False, unique=True),
    Column("channel", String(20), nullable=False),
    Column("channel_file_id", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("size_bytes", BigInteger),
    Column("is_forwarded", Boolean, nullable=False),
    Column(
        "state",
        String(10),
        CheckConstraint("state IN ('wanted', 'kept', 'failed', 'refused')", name="state"),
        nullable=False,
    ),
    Column("sha256", String(64)),
    Column("pages", Integer),
    Column(
        "text_state",
        String(10),
        CheckConstraint("text_state IN ('none', 'read', 'unreadable')", name="text_state"),
        nullable=False,
    ),
    Column("because", Text),
    Column("then_do", String(10)),
    Column("received_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime),
    Index(None, "owner_id", "sha256"),
)
Index("ix_files_wanted", files.c.owner_id, files.c.received_at, sqlite_where=text("settled_at IS NULL"))

cards = Table(
    "cards",
    metadata,
    id_column(),
    owner_column(),
    Column("kind", String(32), nullable=False),
    Column("subject", String(64), nullable=False),
    Column("value", JSON, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("state", String(10), CheckConstraint("state IN ('open', 'decided', 'stale')", name="state"), nullable=False),
    Column("decided_as", String(24)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("decided_at", UtcDateTime),
    Index(None, "owner_id", "subject", "state"),
)

loops = Table(
    "loops",
    metadata,
    id_column(),
    owner_column(),
    Column("kind", String(10), nullable=False),
    Column("title", Text, nullable=False),
    Column("state", String(10), CheckConstraint("state IN ('open', 'done', 'dropped')", name="state"), nullable=False),
    Column("snoozed", Boolean, nullable=False),
    Column("because", Text, nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("closed_at", UtcDateTime),
    Index(None, "owner_id", "state", "id"),
)

reminders = Table(
    "reminders",
    metadata,
    id_column(),
    owner_column(),
    Column("loop_id", Integer, ForeignKey("loops.id"), index=True),
    Column("text", Text, nullable=False),
    Column("wall", WallDateTime, nullable=False),
    Column("exact_at", UtcDateTime),
    Column("rule", String(200)),
    Column(
        "state", String(10), CheckConstraint("state IN ('set', 'fired', 'cancelled')", name="state"), nullable=False
    ),
    Column("created_at", UtcDateTime, nullable=False),
    Index(None, "owner_id", "state", "wall"),
)

notices = Table(
    "notices",
    metadata,
    id_column(),
    owner_column(),
    Column("signal_id", Integer, ForeignKey("signal_heads.id"), unique=True),
    Column("source", String(64), nullable=False),
    Column("summary", Text, nullable=False),
    Column("urgency", String(5), CheckConstraint("urgency IN ('now', 'soon', 'hold')", name="urgency"), nullable=False),
    Column("because", Text, nullable=False),
    Column("noticed_at", UtcDateTime, nullable=False),
    Column("deliver_after", UtcDateTime, nullable=False),
    Column("delivered_at", UtcDateTime),
    Column("told_in", String(120)),
)
Index("ix_notices_untold", notices.c.owner_id, notices.c.deliver_after, sqlite_where=text("told_in IS NULL"))

decisions = Table(
    "decisions",
    metadata,
    id_column(),
    owner_column(),
    Column("subject", String(64), nullable=False),
    Column("decided", String(32), nullable=False),
    Column("because", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("signal_id", Integer, ForeignKey("signal_heads.id")),
    Index(None, "owner_id", "subject"),
    Index(None, "owner_id", "id"),
    sqlite_autoincrement=True,
)

audit = Table(
    "audit",
    metadata,
    id_column(),
    owner_column(),
    Column("agent", String(32), nullable=False),
    Column("tool", String(64), nullable=False),
    Column(
        "permission",
        String(5),
        CheckConstraint("permission IN ('ALLOW', 'ASK', 'DENY')", name="permission"),
        nullable=False,
    ),
    Column("outcome", String(10), nullable=False),
    Column("because", Text, nullable=False),
    Column("arguments_digest", String(64), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("turn_id", Integer),
    Column("subject", String(64)),
    Index(None, "turn_id"),
    sqlite_autoincrement=True,
)

usage = Table(
    "usage",
    metadata,
    id_column(),
    owner_column(),
    Column("label", String(10), nullable=False),
    Column("model", String(120), nullable=False),
    Column(
        "state",
        String(10),
        CheckConstraint("state IN ('reserved', 'settled', 'unknown')", name="state"),
        nullable=False,
    ),
    Column("cost_usd", Float, nullable=False),
    Column("input_tokens", Integer, nullable=False),
    Column("output_tokens", Integer, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("error", Text),
    Index(None, "owner_id", "at"),
)

imports = Table(
    "imports",
    metadata,
    id_column(),
    owner_column(),
    Column("path", Text, nullable=False),
    Column("state", String(10), CheckConstraint("state IN ('running', 'done')", name="state"), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("new", Integer, nullable=False),
    Column("repeated", Integer, nullable=False),
    Column("bad", Integer, nullable=False),
    UniqueConstraint("owner_id", "path"),
)

import_files = Table(
    "import_files",
    metadata,
    Column("import_id", Integer, ForeignKey("imports.id"), primary_key=True),
    Column("file", Text, primary_key=True),
    Column("size_bytes", BigInteger, nullable=False),
    Column("position", BigInteger, nullable=False),
)

import_faults = Table(
    "import_faults",
    metadata,
    Column("import_id", Integer, ForeignKey("imports.id"), primary_key=True),
    Column("file", Text, primary_key=True),
    Column("byte", BigInteger, primary_key=True),
    Column("reason", Text, nullable=False),
)

counts = Table(
    "counts",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("n", Integer, nullable=False),
)

cursors = Table(
    "cursors",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("name", String(120), primary_key=True),
    Column("value", Text, nullable=False),
    Column("moved_at", UtcDateTime, nullable=False),
)

DECLARED_ELSEWHERE = (
    bearing_schema,
    mail_schema,
    calendar_schema,
    exit_schema,
    search_schema,
    people_schema,
    quote_schema,
    recollection_schema,
)
"""They declare their tables on the same metadata."""

links = Table(
    "links",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("subject", String(64), primary_key=True),
    Column("row", String(64), primary_key=True),
    Index(None, "owner_id", "row"),
)

preferences = Table(
    "preferences",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)


APPEND_ONLY = {
    "dispatch_steps": "id = NEW.id",
    "chain": "id = NEW.id OR (kind = NEW.kind AND row_id = NEW.row_id)",
    # table: when a row that is already there would be written over
    "signal_heads": "id = NEW.id OR (source = NEW.source AND source_id = NEW.source_id)",
    "decisions": "id = NEW.id",
    "audit": "id = NEW.id",
    "verdicts": "id = NEW.id OR (owner_id = NEW.owner_id AND evidence = NEW.evidence AND judge = NEW.judge)",
    "person_changes": "id = NEW.id",
}


def _append_only(table: str, same_row: str) -> list[str]:
    # INSERT OR REPLACE deletes without firing the delete trigger unless a per-connection pragma is on: hence the third.
    refuse = f"SELECT RAISE(ABORT, '{table} is append-only')"
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse}; END",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
        f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same_row}) BEGIN {refuse}; END",
    ]


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _by_hand(moment: str) -> str:
    """A date and time that a hand has written, spelled as `UtcDateTime` spells it; NULL for what is none."""
    # Without the look at its beginning SQLite would take a plain number for a day of the Julian calendar.
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN {moment} GLOB '[12][0-9][0-9][0-9]-*' THEN {moment} END)"


EXTRAS: tuple[str, ...] = (
    *(statement for table, same in APPEND_ONLY.items() for statement in _append_only(table, same)),
    # The job of a signal: made by the database, whoever inserted the signal.
    "CREATE TRIGGER signal_makes_job AFTER INSERT ON signal_heads BEGIN "
    "INSERT INTO jobs (owner_id, signal_id, kind, lane, thread, created_at) VALUES (NEW.owner_id, NEW.id, NEW.kind, "
    f"CASE WHEN NEW.kind IN ({_list(INLINE_KINDS)}) THEN 'inline' ELSE 'background' END, "
    # A tap must not wait behind a message that a model is answering.
    "CASE NEW.kind WHEN 'tap' THEN 'taps:' ELSE 'owner:' END || NEW.owner_id, NEW.received_at); END",
    # The publish API for hands: INSERT INTO signals (source, kind, payload) VALUES (…).
    "CREATE VIEW signals AS SELECT h.id, h.owner_id, h.source, h.kind, h.source_id, p.payload, h.received_at "
    "FROM signal_heads h LEFT JOIN signal_payloads p ON p.signal_id = h.id",
    "CREATE TRIGGER signals_publish INSTEAD OF INSERT ON signals BEGIN "
    'SELECT RAISE(ABORT, \'a signal needs a source, a kind and a payload in JSON, such as {"text": "hello"}\') '
    "WHERE NEW.source IS NULL OR NEW.kind IS NULL OR NEW.payload IS NULL OR NOT json_valid(NEW.payload); "
    "INSERT INTO signal_heads (owner_id, source, kind, source_id, received_at) VALUES (coalesce(NEW.owner_id, 1), NEW.source, "
    f"NEW.kind, coalesce(NEW.source_id, lower(hex(randomblob(16)))), coalesce({_by_hand('NEW.received_at')}, {NOW_SQL})); "
    "INSERT INTO signal_payloads (signal_id, payload) VALUES (last_insert_rowid(), NEW.payload); END",
    *search_schema.EXTRAS,
    *people_schema.EXTRAS,
    *facts_schema.EXTRAS,
)
"""What a table declaration can't say: triggers, the view, full text."""
