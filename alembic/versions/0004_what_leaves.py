"""What leaves: contacts, drafts, approvals and dispatches."""

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
    """
CREATE TABLE approvals (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    draft_id INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    matter VARCHAR(64) NOT NULL,
    state VARCHAR(10) NOT NULL,
    because TEXT NOT NULL,
    asked_at VARCHAR(24) NOT NULL,
    expires_at VARCHAR(24) NOT NULL,
    needs_two BOOLEAN NOT NULL,
    card_id INTEGER,
    card_digest VARCHAR(64) NOT NULL,
    changed_at VARCHAR(24),
    tapped_by INTEGER,
    CONSTRAINT pk_approvals PRIMARY KEY (id),
    CONSTRAINT state CHECK (state IN ('asked', 'confirming', 'approved', 'spent', 'rejected', 'expired', 'void')),
    CONSTRAINT fk_approvals_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_approvals_owner_id_asked_at ON approvals (owner_id, asked_at)""",
    """CREATE INDEX ix_approvals_owner_id_digest ON approvals (owner_id, digest)""",
    """CREATE INDEX ix_approvals_owner_id_matter ON approvals (owner_id, matter)""",
    """CREATE INDEX ix_approvals_waiting ON approvals (owner_id) WHERE state IN ('asked', 'confirming', 'approved')""",
    """
CREATE TABLE chain (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    kind VARCHAR(16) NOT NULL,
    row_id INTEGER NOT NULL,
    hash VARCHAR(64) NOT NULL,
    CONSTRAINT fk_chain_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE UNIQUE INDEX ix_chain_kind_row_id ON chain (kind, row_id)""",
    """
CREATE TABLE contacts (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    name TEXT NOT NULL,
    addresses JSON NOT NULL,
    source VARCHAR(10) NOT NULL,
    "key" TEXT NOT NULL,
    added_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_contacts PRIMARY KEY (id),
    CONSTRAINT fk_contacts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE UNIQUE INDEX ix_contacts_owner_id_source_key ON contacts (owner_id, source, "key")""",
    """
CREATE TABLE dispatch_steps (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    dispatch_id INTEGER NOT NULL,
    approval_id INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    transport VARCHAR(16) NOT NULL,
    state VARCHAR(10) NOT NULL,
    because TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    tapped_by INTEGER,
    at VARCHAR(24) NOT NULL,
    CONSTRAINT fk_dispatch_steps_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_dispatch_steps_dispatch_id ON dispatch_steps (dispatch_id)""",
    """
CREATE TABLE drafts (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    envelope TEXT NOT NULL,
    because TEXT NOT NULL,
    created_at VARCHAR(24) NOT NULL,
    answers_id INTEGER,
    event_id INTEGER,
    chosen JSON NOT NULL,
    doubts JSON NOT NULL,
    playbook VARCHAR(64) NOT NULL,
    CONSTRAINT pk_drafts PRIMARY KEY (id),
    CONSTRAINT fk_drafts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE introductions (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    asker JSON NOT NULL,
    target JSON NOT NULL,
    stage VARCHAR(16) NOT NULL,
    because TEXT NOT NULL,
    begun_at VARCHAR(24) NOT NULL,
    asked_at VARCHAR(24),
    asked_id TEXT NOT NULL,
    question TEXT NOT NULL,
    agreement JSON,
    CONSTRAINT pk_introductions PRIMARY KEY (id),
    CONSTRAINT stage CHECK (stage IN ('to ask', 'to answer', 'waiting', 'to introduce', 'done', 'ended')),
    CONSTRAINT fk_introductions_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_introductions_owner_id_stage ON introductions (owner_id, stage)""",
    """
CREATE TABLE dispatches (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    approval_id INTEGER NOT NULL,
    digest VARCHAR(64) NOT NULL,
    transport VARCHAR(16) NOT NULL,
    state VARCHAR(10) NOT NULL,
    because TEXT NOT NULL,
    taken_at VARCHAR(24) NOT NULL,
    changed_at VARCHAR(24) NOT NULL,
    handle TEXT NOT NULL,
    witness TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    settled_by VARCHAR(8) NOT NULL,
    CONSTRAINT pk_dispatches PRIMARY KEY (id),
    CONSTRAINT state CHECK (state IN ('taken', 'handed', 'sent', 'failed', 'unknown')),
    CONSTRAINT fk_dispatches_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_dispatches_approval_id UNIQUE (approval_id),
    CONSTRAINT fk_dispatches_approval_id FOREIGN KEY(approval_id) REFERENCES approvals (id)
)
""",
    """CREATE INDEX ix_dispatches_open ON dispatches (owner_id) WHERE state IN ('taken', 'handed', 'unknown')""",
    """CREATE TRIGGER dispatch_steps_no_update BEFORE UPDATE ON dispatch_steps BEGIN SELECT RAISE(ABORT, 'dispatch_steps is append-only'); END""",
    """CREATE TRIGGER dispatch_steps_no_delete BEFORE DELETE ON dispatch_steps BEGIN SELECT RAISE(ABORT, 'dispatch_steps is append-only'); END""",
    """CREATE TRIGGER dispatch_steps_no_replace BEFORE INSERT ON dispatch_steps WHEN EXISTS (SELECT 1 FROM dispatch_steps WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'dispatch_steps is append-only'); END""",
    """CREATE TRIGGER chain_no_update BEFORE UPDATE ON chain BEGIN SELECT RAISE(ABORT, 'chain is append-only'); END""",
    """CREATE TRIGGER chain_no_delete BEFORE DELETE ON chain BEGIN SELECT RAISE(ABORT, 'chain is append-only'); END""",
    """CREATE TRIGGER chain_no_replace BEFORE INSERT ON chain WHEN EXISTS (SELECT 1 FROM chain WHERE id = NEW.id OR (kind = NEW.kind AND row_id = NEW.row_id)) BEGIN SELECT RAISE(ABORT, 'chain is append-only'); END""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
