"""Files: what is sent that is more than text."""

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = (
    """
CREATE TABLE files (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    message_id INTEGER NOT NULL,
    channel VARCHAR(20) NOT NULL,
    channel_file_id TEXT NOT NULL,
    kind VARCHAR(16) NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size_bytes BIGINT,
    is_forwarded BOOLEAN NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('wanted', 'kept', 'failed', 'refused')),
    sha256 VARCHAR(64),
    pages INTEGER,
    text_state VARCHAR(10) NOT NULL CONSTRAINT text_state CHECK (text_state IN ('none', 'read', 'unreadable')),
    because TEXT,
    then_do VARCHAR(10),
    received_at VARCHAR(24) NOT NULL,
    settled_at VARCHAR(24),
    CONSTRAINT pk_files PRIMARY KEY (id),
    CONSTRAINT fk_files_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_files_message_id UNIQUE (message_id),
    CONSTRAINT fk_files_message_id FOREIGN KEY(message_id) REFERENCES messages (id)
)
""",
    """CREATE INDEX ix_files_owner_id_sha256 ON files (owner_id, sha256)""",
    """CREATE INDEX ix_files_wanted ON files (owner_id, received_at) WHERE settled_at IS NULL""",
    # A turn may have several messages: its parts are looked up by it.
    """CREATE INDEX ix_messages_turn_id ON messages (turn_id)""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
