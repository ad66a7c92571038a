"""What is remembered of the conversation: recollections, the words they rest on, and in which prompts they stood."""

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    """

""",
    """
CREATE TABLE recollections (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    "key" VARCHAR(120) NOT NULL,
    kind VARCHAR(12) NOT NULL,
    by_owner INTEGER NOT NULL,
    text TEXT NOT NULL,
    about VARCHAR(80) NOT NULL,
    confidence FLOAT NOT NULL,
    made_at VARCHAR(24) NOT NULL,
    superseded_by INTEGER,
    forgotten_at VARCHAR(24),
    CONSTRAINT pk_recollections PRIMARY KEY (id),
    CONSTRAINT uq_recollections_owner_id_key UNIQUE (owner_id, "key"),
    CONSTRAINT kind CHECK (kind IN ('instruction', 'preference', 'relation', 'project', 'routine', 'fact', 'observation')),
    CONSTRAINT others_only_observe CHECK (by_owner = (kind <> 'observation')),
    CONSTRAINT fk_recollections_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_recollections_superseded_by FOREIGN KEY(superseded_by) REFERENCES recollections (id)
)
""",
    """
CREATE INDEX ix_recollections_live ON recollections (owner_id, id) WHERE superseded_by IS NULL AND forgotten_at IS NULL
""",
    """
CREATE INDEX ix_recollections_superseded_by ON recollections (superseded_by)
""",
    """
CREATE TABLE recollection_sources (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    recollection_id INTEGER NOT NULL,
    ref VARCHAR(64) NOT NULL,
    quote TEXT NOT NULL,
    who TEXT NOT NULL,
    at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_recollection_sources PRIMARY KEY (recollection_id, ref),
    CONSTRAINT fk_recollection_sources_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_recollection_sources_recollection_id FOREIGN KEY(recollection_id) REFERENCES recollections (id)
)
""",
    """
CREATE INDEX ix_recollection_sources_owner_id_ref ON recollection_sources (owner_id, ref)
""",
    """
CREATE TABLE recalls (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    turn_id INTEGER NOT NULL,
    label VARCHAR(10) NOT NULL,
    recollection_id INTEGER NOT NULL,
    at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_recalls PRIMARY KEY (turn_id, label, recollection_id),
    CONSTRAINT fk_recalls_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_recalls_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id),
    CONSTRAINT fk_recalls_recollection_id FOREIGN KEY(recollection_id) REFERENCES recollections (id)
)
""",
    """
CREATE INDEX ix_recalls_recollection_id ON recalls (recollection_id)
""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
