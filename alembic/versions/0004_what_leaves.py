"""What leaves: contacts, drafts, approvals and dispatches."""

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = (
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
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
