"""Quotes: whose words stand in what was said here, so that they can be erased when their source is excluded later."""

from alembic import op

revision = "0009"
down_revision = "0008"

STATEMENTS = (
    """
CREATE TABLE quotes (
    owner_id INTEGER NOT NULL,
    ref TEXT NOT NULL,
    "row" VARCHAR(64) NOT NULL,
    CONSTRAINT pk_quotes PRIMARY KEY (owner_id, ref, "row"),
    CONSTRAINT fk_quotes_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_quotes_owner_id_row ON quotes (owner_id, "row")""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
