"""Passages of every corpus, cut to size, with what filters look for; vectors beside them.

What was kept stays findable: mails learn who they went to and where they lie, and long texts are cut into passages.
"""

from alembic import op
from memory.search.chunking import LENGTH_MAX, spans

revision = "0005"
down_revision = "0004"

ASIDE = (
    "DROP TRIGGER passages_in",
    "DROP TRIGGER passages_out",
    "DROP TRIGGER passages_changed",
    "DROP TABLE passages_words",
    "DROP TABLE passages_fts",
    "ALTER TABLE passages RENAME TO passages_before",
)

TABLES = (
    """
CREATE TABLE passages (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    corpus VARCHAR(10) NOT NULL,
    ref VARCHAR(200) NOT NULL,
    part INTEGER DEFAULT 0 NOT NULL,
    start INTEGER DEFAULT 0 NOT NULL,
    who TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    at VARCHAR(24),
    people TEXT DEFAULT '' NOT NULL,
    place TEXT DEFAULT '' NOT NULL,
    tags TEXT DEFAULT '' NOT NULL,
    by_owner BOOLEAN DEFAULT 0 NOT NULL,
    fingerprint VARCHAR(64) DEFAULT '' NOT NULL,
    keys TEXT GENERATED ALWAYS AS ('c' || corpus || coalesce(' y' || substr(at, 1, 4) || ' m' || substr(at, 1, 4) || substr(at, 6, 2), '') || CASE WHEN tags = '' THEN '' ELSE replace(' ' || tags, ' ', ' x') END || CASE WHEN by_owner THEN ' mine' ELSE '' END) VIRTUAL,
    CONSTRAINT pk_passages PRIMARY KEY (id),
    CONSTRAINT uq_passages_owner_id_ref_part UNIQUE (owner_id, ref, part),
    CONSTRAINT fk_passages_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_passages_owner_id_at ON passages (owner_id, at)""",
    """CREATE INDEX ix_passages_talk ON passages (owner_id, place, at) WHERE corpus IN ('chat', 'imessage', 'telegram', 'whatsapp')""",
    """
CREATE TABLE passage_vectors (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    passage_id INTEGER NOT NULL,
    model VARCHAR(80) NOT NULL,
    weights BLOB NOT NULL,
    CONSTRAINT fk_passage_vectors_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_passage_vectors_passage_id UNIQUE (passage_id),
    CONSTRAINT fk_passage_vectors_passage_id FOREIGN KEY(passage_id) REFERENCES passages (id)
)
""",
    """
CREATE TABLE vector_blocks (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    number INTEGER NOT NULL,
    model VARCHAR(80) NOT NULL,
    ids BLOB NOT NULL,
    kinds BLOB NOT NULL,
    signs BLOB NOT NULL,
    CONSTRAINT pk_vector_blocks PRIMARY KEY (number),
    CONSTRAINT fk_vector_blocks_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE passage_uses (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    passage_id INTEGER NOT NULL,
    uses BIGINT NOT NULL,
    CONSTRAINT pk_passage_uses PRIMARY KEY (passage_id),
    CONSTRAINT fk_passage_uses_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_passage_uses_passage_id FOREIGN KEY(passage_id) REFERENCES passages (id)
)
""",
)

_PEOPLE = """(SELECT group_concat(CASE WHEN p.address LIKE '%@%' THEN trim(p.name || ' <' || p.address || '>') ELSE p.name END, char(10))
    FROM mail_people p WHERE p.mail_id = m.id AND p.role IN ('to', 'cc', 'bcc'))"""
_PLACE = """trim(coalesce((SELECT a.name FROM accounts a WHERE a.id = m.account_id), '') || '/' || m.folder, '/')"""
_TAGS = """trim(CASE WHEN m.attachments <> '[]' THEN 'attachment' ELSE '' END
    || CASE WHEN m.attachments LIKE '%application/pdf%' THEN ' pdf' ELSE '' END
    || CASE WHEN m.attachments LIKE '%"image/%' THEN ' photo' ELSE '' END
    || CASE WHEN b.text LIKE '%://%' THEN ' link' ELSE '' END)"""

MOVED = f"""INSERT INTO passages (id, owner_id, corpus, ref, who, title, text, at, people, place, tags, by_owner)
SELECT b.id, b.owner_id, b.corpus, b.ref, b.who, b.title, b.text, b.at,
    coalesce({_PEOPLE}, ''), coalesce({_PLACE}, ''), coalesce({_TAGS}, ''),
    coalesce(m.by_owner, b.corpus = 'chat' AND b.who = 'you')
FROM passages_before b
LEFT JOIN mails m ON b.corpus = 'mail' AND m.id = CAST(substr(b.ref, 6) AS INTEGER)"""

_COLUMNS = "owner_id, corpus, ref, who, title, at, people, place, tags, by_owner"
LONG = f"SELECT id FROM passages WHERE length(text) > {LENGTH_MAX // 2}"
PART = f"""INSERT INTO passages ({_COLUMNS}, part, start, text)
SELECT {_COLUMNS}, ?, ?, ? FROM passages WHERE id = ?"""

WORDS = (
    """CREATE VIRTUAL TABLE passages_fts USING fts5(who, title, text, people, place, keys, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2')""",
    """CREATE VIRTUAL TABLE passages_words USING fts5vocab('passages_fts', 'row')""",
    """INSERT INTO passages_fts (passages_fts) VALUES ('rebuild')""",
    """CREATE TRIGGER passages_in AFTER INSERT ON passages BEGIN INSERT INTO passages_fts (rowid, who, title, text, people, place, keys) VALUES (NEW.id, NEW.who, NEW.title, NEW.text, NEW.people, NEW.place, NEW.keys); END""",
    """CREATE TRIGGER passages_going BEFORE DELETE ON passages BEGIN DELETE FROM passage_vectors WHERE passage_id = OLD.id; DELETE FROM passage_uses WHERE passage_id = OLD.id; END""",
    """CREATE TRIGGER passages_out AFTER DELETE ON passages BEGIN INSERT INTO passages_fts (passages_fts, rowid, who, title, text, people, place, keys) VALUES ('delete', OLD.id, OLD.who, OLD.title, OLD.text, OLD.people, OLD.place, OLD.keys); END""",
    """CREATE TRIGGER passages_changed AFTER UPDATE ON passages BEGIN INSERT INTO passages_fts (passages_fts, rowid, who, title, text, people, place, keys) VALUES ('delete', OLD.id, OLD.who, OLD.title, OLD.text, OLD.people, OLD.place, OLD.keys); INSERT INTO passages_fts (rowid, who, title, text, people, place, keys) VALUES (NEW.id, NEW.who, NEW.title, NEW.text, NEW.people, NEW.place, NEW.keys); END""",
    """CREATE TRIGGER passages_reworded AFTER UPDATE OF title, text ON passages WHEN OLD.title <> NEW.title OR OLD.text <> NEW.text BEGIN DELETE FROM passage_vectors WHERE passage_id = OLD.id; END""",
    """CREATE TRIGGER passage_vectors_out AFTER DELETE ON passage_vectors BEGIN DELETE FROM vector_blocks WHERE number = OLD.id / 1024; END""",
)


def upgrade() -> None:
    connection = op.get_bind()
    for statement in (*ASIDE, *TABLES, MOVED, "DROP TABLE passages_before"):
        connection.exec_driver_sql(statement.strip())
    for (passage_id,) in connection.exec_driver_sql(LONG).all():
        _cut(connection, passage_id)
    for statement in WORDS:
        connection.exec_driver_sql(statement)


def _cut(connection, passage_id) -> None:
    """A long text into several passages, of which the first keeps its row."""
    content = connection.exec_driver_sql("SELECT text FROM passages WHERE id = ?", (passage_id,)).scalar_one()
    first, *others = spans(content)
    for part, (start, end) in enumerate(others, 1):
        connection.exec_driver_sql(PART, (part, start, content[start:end], passage_id))
    if others:
        connection.exec_driver_sql("UPDATE passages SET text = ? WHERE id = ?", (content[: first[1]], passage_id))
