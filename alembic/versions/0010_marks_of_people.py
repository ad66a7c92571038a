"""What stands below somebody's mails, by which their numbers and addresses are told to be one person's."""

from alembic import op

revision = "0010"
down_revision = "0009"

STATEMENTS = (
    """
CREATE TABLE identity_marks (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    identity_id INTEGER NOT NULL,
    kind VARCHAR(6) NOT NULL,
    value TEXT NOT NULL,
    ending TEXT NOT NULL,
    is_mobile BOOLEAN NOT NULL,
    CONSTRAINT pk_identity_marks PRIMARY KEY (identity_id, kind, value),
    CONSTRAINT fk_identity_marks_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_identity_marks_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_identity_marks_owner_id_kind_ending ON identity_marks (owner_id, kind, ending)""",
    "DROP TRIGGER mail_people_out",
    """CREATE TRIGGER mail_people_out AFTER DELETE ON mail_people BEGIN INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'identity', id FROM identities WHERE owner_id = OLD.owner_id AND kind = 'address' AND value = OLD.address ON CONFLICT DO NOTHING; INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'signed', id FROM identities WHERE OLD.role = 'from' AND owner_id = OLD.owner_id AND kind = 'address' AND value = OLD.address ON CONFLICT DO NOTHING; END""",
    # Each is looked at once more: who is a person by now, and what they sign with.
    "INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'identity', id FROM identities WHERE true "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'signed', id FROM identities WHERE kind = 'address' "
    "ON CONFLICT DO NOTHING",
    "INSERT INTO identity_marks (owner_id, identity_id, kind, value, ending, is_mobile) "
    "SELECT owner_id, id, 'number', substr(value, 2), substr(value, -8), 0 FROM identities WHERE kind = 'phone'",
    "INSERT INTO identity_marks (owner_id, identity_id, kind, value, ending, is_mobile) "
    "SELECT owner_id, id, 'handle', value, substr(value, instr(value, ':') + 1), 0 FROM identities WHERE kind = 'handle'",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
