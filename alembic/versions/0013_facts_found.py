"""Search finds a person by what is known of them."""

from alembic import op

revision = "0013"
down_revision = "0012"

STATEMENTS = (
    """CREATE TRIGGER facts_told AFTER INSERT ON facts BEGIN INSERT INTO people_due (owner_id, what, about) SELECT NEW.owner_id, 'person', person_id FROM identities WHERE id = NEW.identity_id ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER facts_ended AFTER UPDATE OF value, until_at ON facts BEGIN DELETE FROM passages WHERE owner_id = OLD.owner_id AND ref = 'person:' || (SELECT person_id FROM identities WHERE id = OLD.identity_id); INSERT INTO people_due (owner_id, what, about) SELECT OLD.owner_id, 'person', (SELECT person_id FROM identities WHERE id = OLD.identity_id) WHERE (SELECT person_id FROM identities WHERE id = OLD.identity_id) IS NOT NULL ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER facts_gone AFTER DELETE ON facts BEGIN DELETE FROM passages WHERE owner_id = OLD.owner_id AND ref = 'person:' || (SELECT person_id FROM identities WHERE id = OLD.identity_id); INSERT INTO people_due (owner_id, what, about) SELECT OLD.owner_id, 'person', (SELECT person_id FROM identities WHERE id = OLD.identity_id) WHERE (SELECT person_id FROM identities WHERE id = OLD.identity_id) IS NOT NULL ON CONFLICT DO NOTHING; END""",
    # Whoever something is known of already is written anew.
    "INSERT INTO people_due (owner_id, what, about) SELECT DISTINCT f.owner_id, 'person', i.person_id FROM facts f "
    "JOIN identities i ON i.id = f.identity_id WHERE i.person_id IS NOT NULL ON CONFLICT DO NOTHING",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
