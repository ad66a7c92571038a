"""Whom a recollection is about, as the directory knows them."""

from alembic import op

revision = "0011"
down_revision = "0010"

STATEMENTS = (
    """
CREATE TABLE recollection_people (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    recollection_id INTEGER NOT NULL,
    identity_id INTEGER NOT NULL,
    CONSTRAINT pk_recollection_people PRIMARY KEY (recollection_id),
    CONSTRAINT fk_recollection_people_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_recollection_people_recollection_id FOREIGN KEY(recollection_id) REFERENCES recollections (id),
    CONSTRAINT fk_recollection_people_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id) ON DELETE CASCADE
)
""",
    """CREATE INDEX ix_recollection_people_identity_id ON recollection_people (identity_id)""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
