"""Facts: what is known of people, with the words that say so; and what was read for it."""

from alembic import op

revision = "0008"
down_revision = "0007"

TABLES = (
    """
CREATE TABLE facts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    identity_id INTEGER NOT NULL,
    kind VARCHAR(20) NOT NULL,
    value TEXT NOT NULL,
    "key" VARCHAR(40) NOT NULL,
    quote TEXT NOT NULL CONSTRAINT quote CHECK (length(quote) <= 200),
    corpus VARCHAR(10) NOT NULL,
    ref VARCHAR(200) NOT NULL,
    who TEXT NOT NULL,
    found_by VARCHAR(10) NOT NULL,
    confidence FLOAT NOT NULL,
    said_at VARCHAR(24) NOT NULL,
    seen_at VARCHAR(24) NOT NULL,
    noted_at VARCHAR(24) NOT NULL,
    until_at VARCHAR(24),
    superseded_at VARCHAR(24),
    superseded_by INTEGER,
    ended_by VARCHAR(8) CONSTRAINT ended_by CHECK (ended_by IN ('owner', 'evidence')),
    because TEXT NOT NULL,
    CONSTRAINT uq_facts_owner_id_identity_id_kind_key_ref UNIQUE (owner_id, identity_id, kind, "key", ref),
    CONSTRAINT fk_facts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_facts_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id),
    CONSTRAINT fk_facts_superseded_by FOREIGN KEY(superseded_by) REFERENCES facts (id)
)
""",
    """CREATE INDEX ix_facts_owner_id_ref ON facts (owner_id, ref)""",
    """CREATE INDEX ix_facts_superseded_by ON facts (superseded_by)""",
    """
CREATE TABLE fact_readings (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    identity_id INTEGER NOT NULL,
    ref VARCHAR(200) NOT NULL,
    reader VARCHAR(20) NOT NULL,
    read_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_fact_readings PRIMARY KEY (identity_id, ref, reader),
    CONSTRAINT fk_fact_readings_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_fact_readings_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_fact_readings_owner_id_ref ON fact_readings (owner_id, ref)""",
)

TRIGGERS = (
    """CREATE TRIGGER facts_going BEFORE DELETE ON facts BEGIN UPDATE facts SET superseded_by = OLD.superseded_by WHERE superseded_by = OLD.id AND OLD.superseded_by IS NOT NULL; UPDATE facts SET superseded_by = NULL, superseded_at = NULL, until_at = NULL, ended_by = NULL, because = 'what superseded it is gone' WHERE superseded_by = OLD.id AND value <> ''; UPDATE facts SET superseded_by = NULL WHERE superseded_by = OLD.id; END""",
    """CREATE TRIGGER passages_prove_nothing BEFORE DELETE ON passages WHEN OLD.part = 0 AND EXISTS (SELECT 1 FROM fact_readings WHERE owner_id = OLD.owner_id AND ref = OLD.ref UNION ALL SELECT 1 FROM facts WHERE owner_id = OLD.owner_id AND ref = OLD.ref) BEGIN DELETE FROM fact_readings WHERE owner_id = OLD.owner_id AND (ref = OLD.ref OR identity_id IN (SELECT identity_id FROM facts WHERE owner_id = OLD.owner_id AND ref = OLD.ref AND value <> '')); DELETE FROM facts WHERE owner_id = OLD.owner_id AND ref = OLD.ref AND value <> ''; END""",
    """CREATE TRIGGER passages_say_otherwise AFTER UPDATE OF title, text ON passages WHEN OLD.title || char(10) || OLD.text <> NEW.title || char(10) || NEW.text BEGIN DELETE FROM facts WHERE owner_id = OLD.owner_id AND ref = OLD.ref AND value <> '' AND instr(OLD.title || char(10) || OLD.text, quote) > 0 AND instr(NEW.title || char(10) || NEW.text, quote) = 0; DELETE FROM fact_readings WHERE owner_id = OLD.owner_id AND ref = OLD.ref; END""",
)


def upgrade() -> None:
    for statement in (*TABLES, *TRIGGERS):
        op.get_bind().exec_driver_sql(statement.strip())
