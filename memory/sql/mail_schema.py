"""The declared tables of mail: accounts, mails and their threads, verdicts, and what the owner wishes of a sender."""

from sqlalchemy import (
    JSON,
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

from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

accounts = Table(
    "accounts",
    metadata,
    id_column(),
    owner_column(),
    Column("name", String(40), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("identity", Text, nullable=False),
    Column("aliases", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("state", String(10), CheckConstraint("state IN ('on', 'refused')", name="state"), nullable=False),
    Column("failures", Integer, nullable=False),
    Column("trouble", Text),
    Column("added_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime),
    Column("removed_at", UtcDateTime),
)
# A removed account keeps its row, since mails name it, and gives its name free.
PRESENT = text("removed_at IS NULL")
Index("uq_accounts_present_name", accounts.c.owner_id, accounts.c.name, unique=True, sqlite_where=PRESENT)

mail_threads = Table(
    "mail_threads",
    metadata,
    id_column(),
    owner_column(),
    Column("root", Text, nullable=False),
    Column("subject_key", Text, nullable=False),
    Column("last_at", UtcDateTime, nullable=False),
    Index(None, "owner_id", "subject_key", "last_at"),
    Index(None, "owner_id", "last_at"),
)

mail_thread_ids = Table(
    "mail_thread_ids",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("thread_id", Integer, ForeignKey("mail_threads.id"), nullable=False, index=True),
)

mails = Table(
    "mails",
    metadata,
    id_column(),
    owner_column(),
    Column("import_id", Integer, ForeignKey("imports.id")),
    Column("account_id", Integer, ForeignKey("accounts.id")),
    Column("uid", Text, nullable=False),
    Column("thread_id", Integer, ForeignKey("mail_threads.id"), nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("message_id", Text),
    Column("sender_name", Text, nullable=False),
    Column("sender_address", Text, nullable=False),
    Column("recipients", JSON, nullable=False),
    Column("reply_to", JSON, nullable=False),
    Column("subject", Text, nullable=False),
    Column("date_at", UtcDateTime),
    Column("arrived_at", UtcDateTime, nullable=False),
    Column("in_reply_to", Text),
    Column("reference_ids", JSON, nullable=False),
    Column("attachments", JSON, nullable=False),
    Column("calendars", JSON, nullable=False),
    Column("list_id", Text),
    Column("is_automated", Boolean, nullable=False),
    Column("headers", JSON, nullable=False),
    Column("marks", JSON, nullable=False),
    Column("folder", Text, nullable=False),
    Column("labels", JSON, nullable=False),
    Column("by_owner", Boolean, nullable=False),
    Column("is_read", Boolean, nullable=False),
    Column("said", Text),
    Column("gone_at", UtcDateTime),
    UniqueConstraint("owner_id", "fingerprint"),
    Index(None, "owner_id", "message_id"),
    Index(None, "thread_id", "date_at"),
    Index(None, "owner_id", "sender_address", "date_at"),
    Index(None, "owner_id", "date_at"),
)
Index("ix_mails_of_account", mails.c.account_id, mails.c.uid, sqlite_where=mails.c.account_id.is_not(None))
# What the owner calls themselves is asked at every judgement; what is left to be split, at every review.
Index("ix_mails_by_owner", mails.c.owner_id, mails.c.sender_name, sqlite_where=text("by_owner = 1"))
Index("ix_mails_unsaid", mails.c.owner_id, mails.c.id, sqlite_where=text("said IS NULL"))

# Who had to do with a mail, by mailbox (memory/people/mailbox): what relations and the search for a person look up.
mail_people = Table(
    "mail_people",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("address", Text, primary_key=True),
    Column("mail_id", Integer, ForeignKey("mails.id"), primary_key=True),
    Column("role", String(8), primary_key=True),
    Column("name", Text, nullable=False),
    Index(None, "mail_id"),
)

verdicts = Table(
    "verdicts",
    metadata,
    id_column(),
    owner_column(),
    # No foreign keys: a verdict outlives the mail it was about.
    Column("mail_id", Integer, nullable=False),
    Column("thread_id", Integer, nullable=False),
    Column("evidence", String(64), nullable=False),
    Column("judge", String(16), nullable=False),
    Column("what", String(8), nullable=False),
    Column("consequence", Float, nullable=False),
    Column("stage", String(16), nullable=False),
    Column("probability", Float),
    Column("code", String(40), nullable=False),
    Column("at", UtcDateTime, nullable=False),
    UniqueConstraint("owner_id", "evidence", "judge"),
    Index(None, "owner_id", "thread_id"),
    Index(None, "owner_id", "mail_id"),
    Index(None, "owner_id", "at"),
    CheckConstraint("what IN ('notify', 'hold', 'loop', 'log', 'ignore')", name="what"),
    CheckConstraint("consequence BETWEEN 0 AND 1", name="consequence"),
    sqlite_autoincrement=True,
)

verdict_reasons = Table(
    "verdict_reasons",
    metadata,
    Column("verdict_id", Integer, ForeignKey("verdicts.id"), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("findings", JSON, nullable=False),
)

sender_wishes = Table(
    "sender_wishes",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("address", Text, primary_key=True),
    Column("wish", String(8), CheckConstraint("wish IN ('urgent', 'less')", name="wish"), primary_key=True),
    Column("set_at", UtcDateTime, nullable=False),
)
