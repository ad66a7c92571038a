"""People: who there is, by what they are known, where they were seen; what is kept already is looked through once."""

from alembic import op

revision = "0006"
down_revision = "0005"

TABLES = (
    """
CREATE TABLE people (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    kind VARCHAR(9) NOT NULL CONSTRAINT kind CHECK (kind IN ('person', 'role', 'shared', 'automated', 'owner')),
    name TEXT NOT NULL,
    CONSTRAINT fk_people_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE identities (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    kind VARCHAR(7) NOT NULL CONSTRAINT kind CHECK (kind IN ('address', 'phone', 'handle', 'name')),
    value TEXT NOT NULL,
    name TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    first_at VARCHAR(24),
    last_at VARCHAR(24),
    CONSTRAINT uq_identities_owner_id_kind_value UNIQUE (owner_id, kind, value),
    CONSTRAINT fk_identities_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_identities_person_id FOREIGN KEY(person_id) REFERENCES people (id)
)
""",
    """CREATE INDEX ix_identities_person_id ON identities (person_id)""",
    """
CREATE TABLE identity_names (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    identity_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    "key" TEXT NOT NULL,
    words TEXT NOT NULL,
    times INTEGER NOT NULL,
    CONSTRAINT pk_identity_names PRIMARY KEY (identity_id, name, "key"),
    CONSTRAINT fk_identity_names_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_identity_names_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_identity_names_owner_id_key ON identity_names (owner_id, "key")""",
    """CREATE INDEX ix_identity_names_owner_id_words ON identity_names (owner_id, words)""",
    """
CREATE TABLE sightings (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    passage_id INTEGER NOT NULL,
    identity_id INTEGER NOT NULL,
    role VARCHAR(8) NOT NULL,
    name TEXT NOT NULL,
    corpus VARCHAR(10) NOT NULL,
    at VARCHAR(24),
    by_owner BOOLEAN NOT NULL,
    CONSTRAINT pk_sightings PRIMARY KEY (passage_id, identity_id, role),
    CONSTRAINT fk_sightings_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_sightings_passage_id FOREIGN KEY(passage_id) REFERENCES passages (id),
    CONSTRAINT fk_sightings_identity_id FOREIGN KEY(identity_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_sightings_identity_id_at ON sightings (identity_id, at)""",
    """CREATE INDEX ix_sightings_owner_id_at ON sightings (owner_id, at)""",
    """
CREATE TABLE person_evidence (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    one_id INTEGER NOT NULL,
    other_id INTEGER NOT NULL,
    what VARCHAR(16) NOT NULL,
    ref TEXT NOT NULL,
    CONSTRAINT pk_person_evidence PRIMARY KEY (one_id, other_id, what, ref),
    CONSTRAINT fk_person_evidence_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_person_evidence_one_id FOREIGN KEY(one_id) REFERENCES identities (id),
    CONSTRAINT fk_person_evidence_other_id FOREIGN KEY(other_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_person_evidence_other_id ON person_evidence (other_id)""",
    """CREATE INDEX ix_person_evidence_owner_id_ref ON person_evidence (owner_id, ref)""",
    """
CREATE TABLE person_rulings (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    one_id INTEGER NOT NULL,
    other_id INTEGER NOT NULL,
    ruling VARCHAR(8) NOT NULL CONSTRAINT ruling CHECK (ruling IN ('together', 'apart')),
    change_id INTEGER NOT NULL,
    CONSTRAINT pk_person_rulings PRIMARY KEY (one_id, other_id),
    CONSTRAINT fk_person_rulings_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_person_rulings_one_id FOREIGN KEY(one_id) REFERENCES identities (id),
    CONSTRAINT fk_person_rulings_other_id FOREIGN KEY(other_id) REFERENCES identities (id)
)
""",
    """CREATE INDEX ix_person_rulings_other_id ON person_rulings (other_id)""",
    """
CREATE TABLE person_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    what VARCHAR(6) NOT NULL CONSTRAINT what CHECK (what IN ('joined', 'split')),
    identities JSON NOT NULL,
    from_person INTEGER NOT NULL,
    to_person INTEGER NOT NULL,
    score FLOAT,
    because TEXT NOT NULL,
    decided_by VARCHAR(8) NOT NULL CONSTRAINT decided_by CHECK (decided_by IN ('evidence', 'owner')),
    at VARCHAR(24) NOT NULL,
    undoes INTEGER,
    CONSTRAINT fk_person_changes_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_person_changes_owner_id_from_person ON person_changes (owner_id, from_person)""",
    """CREATE INDEX ix_person_changes_owner_id_to_person ON person_changes (owner_id, to_person)""",
    """
CREATE TABLE contact_details (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    contact_id INTEGER NOT NULL,
    kind VARCHAR(8) NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_contact_details PRIMARY KEY (contact_id, kind, value),
    CONSTRAINT fk_contact_details_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_contact_details_contact_id FOREIGN KEY(contact_id) REFERENCES contacts (id)
)
""",
    """
CREATE TABLE people_due (
    owner_id INTEGER NOT NULL,
    what VARCHAR(8) NOT NULL,
    about INTEGER NOT NULL,
    CONSTRAINT pk_people_due PRIMARY KEY (owner_id, what, about),
    CONSTRAINT fk_people_due_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
)

TRIGGERS = (
    """CREATE TRIGGER person_changes_no_update BEFORE UPDATE ON person_changes BEGIN SELECT RAISE(ABORT, 'person_changes is append-only'); END""",
    """CREATE TRIGGER person_changes_no_delete BEFORE DELETE ON person_changes BEGIN SELECT RAISE(ABORT, 'person_changes is append-only'); END""",
    """CREATE TRIGGER person_changes_no_replace BEFORE INSERT ON person_changes WHEN EXISTS (SELECT 1 FROM person_changes WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'person_changes is append-only'); END""",
    """CREATE TRIGGER mails_show_people AFTER INSERT ON mails BEGIN INSERT INTO people_due (owner_id, what, about) VALUES (NEW.owner_id, 'mail', NEW.id) ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER mails_were_the_owners AFTER UPDATE OF by_owner ON mails WHEN OLD.by_owner <> NEW.by_owner BEGIN INSERT INTO people_due (owner_id, what, about) VALUES (NEW.owner_id, 'mail', NEW.id) ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER mail_people_out AFTER DELETE ON mail_people BEGIN INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'identity', id FROM identities WHERE owner_id = OLD.owner_id AND kind = 'address' AND value = OLD.address ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER passages_show_nobody BEFORE DELETE ON passages WHEN OLD.corpus <> 'mail' BEGIN INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'identity', identity_id FROM sightings WHERE passage_id = OLD.id ON CONFLICT DO NOTHING; DELETE FROM sightings WHERE passage_id = OLD.id; END""",
    """CREATE TRIGGER contacts_are_people AFTER INSERT ON contacts BEGIN INSERT INTO people_due (owner_id, what, about) VALUES (NEW.owner_id, 'contact', NEW.id) ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER contacts_changed AFTER UPDATE ON contacts BEGIN INSERT INTO people_due (owner_id, what, about) VALUES (NEW.owner_id, 'contact', NEW.id) ON CONFLICT DO NOTHING; END""",
    """CREATE TRIGGER contacts_going BEFORE DELETE ON contacts BEGIN DELETE FROM contact_details WHERE contact_id = OLD.id; END""",
    """CREATE TRIGGER contacts_out AFTER DELETE ON contacts BEGIN INSERT INTO people_due (owner_id, what, about) VALUES (OLD.owner_id, 'contact', OLD.id) ON CONFLICT DO NOTHING; END""",
)

# Looked at in the background, some at a time, once Stillbell runs.
DUE = (
    "INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'mail', id FROM mails",
    "INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'contact', id FROM contacts",
    "INSERT INTO people_due (owner_id, what, about) SELECT owner_id, 'document', id FROM passages "
    "WHERE part = 0 AND corpus IN ('note', 'whatsapp', 'imessage', 'telegram', 'calendar', 'meeting')",
)


def upgrade() -> None:
    for statement in (*TABLES, *TRIGGERS, *DUE):
        op.get_bind().exec_driver_sql(statement.strip())
