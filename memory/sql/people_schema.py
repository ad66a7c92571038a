"""The declared tables of people: who there is, by what they are known, where they were seen, and what joined or split them."""

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from memory.sql.columns import id_column, metadata, owner_column
from memory.sql.types import UtcDateTime

people = Table(
    "people",
    metadata,
    id_column(),
    owner_column(),
    Column(
        "kind",
        String(9),
        CheckConstraint("kind IN ('person', 'role', 'shared', 'automated', 'owner')", name="kind"),
        nullable=False,
    ),
    Column("name", Text, nullable=False),
    # No id is given twice: history, which keeps ids, must never come to mean somebody else.
    sqlite_autoincrement=True,
)

identities = Table(
    "identities",
    metadata,
    id_column(),
    owner_column(),
    Column(
        "kind",
        String(7),
        CheckConstraint("kind IN ('address', 'phone', 'handle', 'name')", name="kind"),
        nullable=False,
    ),
    Column("value", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("person_id", Integer, ForeignKey("people.id"), nullable=False, index=True),
    Column("first_at", UtcDateTime),
    Column("last_at", UtcDateTime),
    UniqueConstraint("owner_id", "kind", "value"),
    sqlite_autoincrement=True,
)

# Every name under which an identity was seen. words: folded, in order. key: the first and the last of two or more, by
# which those who may be one person are looked up; several for a first name that is used for others.
identity_names = Table(
    "identity_names",
    metadata,
    owner_column(),
    Column("identity_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("words", Text, nullable=False),
    Column("times", Integer, nullable=False),
    Index(None, "owner_id", "key"),
    Index(None, "owner_id", "words"),
)

# What stands below somebody's mails now, and by what numbers and handles are looked up. ending: the last digits of a number,
# the handle without its program; "" for a name.
identity_marks = Table(
    "identity_marks",
    metadata,
    owner_column(),
    Column("identity_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("kind", String(6), primary_key=True),
    Column("value", Text, primary_key=True),
    Column("ending", Text, nullable=False),
    Column("is_mobile", Boolean, nullable=False),
    Index(None, "owner_id", "kind", "ending"),
)

# Where an identity stands, for every corpus but mail, whose own rows (mail_people) tell it.
sightings = Table(
    "sightings",
    metadata,
    owner_column(),
    Column("passage_id", Integer, ForeignKey("passages.id"), primary_key=True),
    Column("identity_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("role", String(8), primary_key=True),
    Column("name", Text, nullable=False),
    Column("corpus", String(10), nullable=False),
    Column("at", UtcDateTime),
    Column("by_owner", Boolean, nullable=False),
    Index(None, "identity_id", "at"),
    Index(None, "owner_id", "at"),
)

# What says, beyond names and mail, that two identities are one person's: a record of the owner's, which ref names.
person_evidence = Table(
    "person_evidence",
    metadata,
    owner_column(),
    Column("one_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("other_id", Integer, ForeignKey("identities.id"), primary_key=True, index=True),
    Column("what", String(16), primary_key=True),
    Column("ref", Text, primary_key=True),
    Index(None, "owner_id", "ref"),
)

# What the owner said of two identities; evidence never goes against it.
person_rulings = Table(
    "person_rulings",
    metadata,
    owner_column(),
    Column("one_id", Integer, ForeignKey("identities.id"), primary_key=True),
    Column("other_id", Integer, ForeignKey("identities.id"), primary_key=True, index=True),
    Column("ruling", String(8), CheckConstraint("ruling IN ('together', 'apart')", name="ruling"), nullable=False),
    Column("change_id", Integer, nullable=False),
)

person_changes = Table(
    "person_changes",
    metadata,
    id_column(),
    owner_column(),
    Column("what", String(6), CheckConstraint("what IN ('joined', 'split')", name="what"), nullable=False),
    # No foreign keys: a change outlives those whom it was about.
    Column("identities", JSON, nullable=False),
    Column("from_person", Integer, nullable=False),
    Column("to_person", Integer, nullable=False),
    Column("score", Float),
    Column("because", Text, nullable=False),
    Column(
        "decided_by",
        String(8),
        CheckConstraint("decided_by IN ('evidence', 'owner')", name="decided_by"),
        nullable=False,
    ),
    Column("at", UtcDateTime, nullable=False),
    Column("undoes", Integer),
    Index(None, "owner_id", "to_person"),
    Index(None, "owner_id", "from_person"),
    sqlite_autoincrement=True,
)

# What the owner's own records say of somebody besides addresses: numbers, handles, other names, a birthday.
contact_details = Table(
    "contact_details",
    metadata,
    owner_column(),
    Column("contact_id", Integer, ForeignKey("contacts.id"), primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("value", Text, primary_key=True),
)

# What is still to be looked at: mails whose people are not known yet, identities whose joins may be others now, texts
# that may name somebody, persons whose document in the search is to be made anew.
people_due = Table(
    "people_due",
    metadata,
    Column("owner_id", Integer, ForeignKey("owners.id"), primary_key=True),
    Column("what", String(8), primary_key=True),
    Column("about", Integer, primary_key=True),
)

_DUE = "INSERT INTO people_due (owner_id, what, about)"
# Not OR IGNORE: what set the trigger off would overrule it.
_ONCE = "ON CONFLICT DO NOTHING"

EXTRAS: tuple[str, ...] = (
    # Whoever keeps a mail, its people become due; whoever erases one, those who stood in it are looked at again.
    f"CREATE TRIGGER mails_show_people AFTER INSERT ON mails BEGIN {_DUE} VALUES (NEW.owner_id, 'mail', NEW.id) {_ONCE}; END",
    "CREATE TRIGGER mails_were_the_owners AFTER UPDATE OF by_owner ON mails WHEN OLD.by_owner <> NEW.by_owner BEGIN "
    f"{_DUE} VALUES (NEW.owner_id, 'mail', NEW.id) {_ONCE}; END",
    "CREATE TRIGGER mail_people_out AFTER DELETE ON mail_people BEGIN "
    f"{_DUE} SELECT owner_id, 'identity', id FROM identities "
    f"WHERE owner_id = OLD.owner_id AND kind = 'address' AND value = OLD.address {_ONCE}; "
    f"{_DUE} SELECT owner_id, 'signed', id FROM identities WHERE OLD.role = 'from' "
    f"AND owner_id = OLD.owner_id AND kind = 'address' AND value = OLD.address {_ONCE}; END",
    # A document takes its sightings along, whoever drops it.
    "CREATE TRIGGER passages_show_nobody BEFORE DELETE ON passages WHEN OLD.corpus <> 'mail' BEGIN "
    f"{_DUE} SELECT owner_id, 'identity', identity_id FROM sightings WHERE passage_id = OLD.id {_ONCE}; "
    "DELETE FROM sightings WHERE passage_id = OLD.id; END",
    f"CREATE TRIGGER contacts_are_people AFTER INSERT ON contacts BEGIN {_DUE} VALUES (NEW.owner_id, 'contact', NEW.id) {_ONCE}; END",
    f"CREATE TRIGGER contacts_changed AFTER UPDATE ON contacts BEGIN {_DUE} VALUES (NEW.owner_id, 'contact', NEW.id) {_ONCE}; END",
    "CREATE TRIGGER contacts_going BEFORE DELETE ON contacts BEGIN "
    "DELETE FROM contact_details WHERE contact_id = OLD.id; END",
    f"CREATE TRIGGER contacts_out AFTER DELETE ON contacts BEGIN {_DUE} VALUES (OLD.owner_id, 'contact', OLD.id) {_ONCE}; END",
)
"""What keeps people in step with what they stand in."""
