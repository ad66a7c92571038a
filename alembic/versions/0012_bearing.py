"""Bearing: which addresses bear the name of somebody who is excluded, as hashes alone."""

from alembic import op

revision = "0012"
down_revision = "0011"

STATEMENTS = (
    """
CREATE TABLE bearing (
    owner_id INTEGER NOT NULL,
    rule VARCHAR(64) NOT NULL,
    mark VARCHAR(64) NOT NULL,
    CONSTRAINT pk_bearing PRIMARY KEY (owner_id, rule, mark),
    CONSTRAINT fk_bearing_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
