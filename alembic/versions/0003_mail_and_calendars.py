"""Accounts, mail with its threads and verdicts, calendars, preferences.

Mails that were imported before get threads by the ids that they bear and refer to.
"""

import json
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from alembic import op

revision = "0003"
down_revision = "0002"

ASIDE = "ALTER TABLE mails RENAME TO mails_before"

STATEMENTS = (
    """
CREATE TABLE accounts (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    name VARCHAR(40) NOT NULL,
    kind VARCHAR(10) NOT NULL,
    identity TEXT NOT NULL,
    aliases JSON NOT NULL,
    settings JSON NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('on', 'refused')),
    failures INTEGER NOT NULL,
    trouble TEXT,
    added_at VARCHAR(24) NOT NULL,
    seen_at VARCHAR(24),
    removed_at VARCHAR(24),
    CONSTRAINT pk_accounts PRIMARY KEY (id),
    CONSTRAINT fk_accounts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE UNIQUE INDEX uq_accounts_present_name ON accounts (owner_id, name) WHERE removed_at IS NULL""",
    """
CREATE TABLE mail_threads (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    root TEXT NOT NULL,
    subject_key TEXT NOT NULL,
    last_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_mail_threads PRIMARY KEY (id),
    CONSTRAINT fk_mail_threads_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_mail_threads_owner_id_last_at ON mail_threads (owner_id, last_at)""",
    """CREATE INDEX ix_mail_threads_owner_id_subject_key_last_at ON mail_threads (owner_id, subject_key, last_at)""",
    """
CREATE TABLE mail_thread_ids (
    owner_id INTEGER NOT NULL,
    message_id TEXT NOT NULL,
    thread_id INTEGER NOT NULL,
    CONSTRAINT pk_mail_thread_ids PRIMARY KEY (owner_id, message_id),
    CONSTRAINT fk_mail_thread_ids_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_mail_thread_ids_thread_id FOREIGN KEY(thread_id) REFERENCES mail_threads (id)
)
""",
    """CREATE INDEX ix_mail_thread_ids_thread_id ON mail_thread_ids (thread_id)""",
    """
CREATE TABLE mails (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    import_id INTEGER,
    account_id INTEGER,
    uid TEXT NOT NULL,
    thread_id INTEGER NOT NULL,
    fingerprint VARCHAR(64) NOT NULL,
    message_id TEXT,
    sender_name TEXT NOT NULL,
    sender_address TEXT NOT NULL,
    recipients JSON NOT NULL,
    reply_to JSON NOT NULL,
    subject TEXT NOT NULL,
    date_at VARCHAR(24),
    arrived_at VARCHAR(24) NOT NULL,
    in_reply_to TEXT,
    reference_ids JSON NOT NULL,
    attachments JSON NOT NULL,
    calendars JSON NOT NULL,
    list_id TEXT,
    is_automated BOOLEAN NOT NULL,
    headers JSON NOT NULL,
    marks JSON NOT NULL,
    folder TEXT NOT NULL,
    labels JSON NOT NULL,
    by_owner BOOLEAN NOT NULL,
    is_read BOOLEAN NOT NULL,
    said TEXT,
    gone_at VARCHAR(24),
    CONSTRAINT pk_mails PRIMARY KEY (id),
    CONSTRAINT uq_mails_owner_id_fingerprint UNIQUE (owner_id, fingerprint),
    CONSTRAINT fk_mails_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_mails_import_id FOREIGN KEY(import_id) REFERENCES imports (id),
    CONSTRAINT fk_mails_account_id FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT fk_mails_thread_id FOREIGN KEY(thread_id) REFERENCES mail_threads (id)
)
""",
    """CREATE INDEX ix_mails_by_owner ON mails (owner_id, sender_name) WHERE by_owner = 1""",
    """CREATE INDEX ix_mails_of_account ON mails (account_id, uid) WHERE account_id IS NOT NULL""",
    """CREATE INDEX ix_mails_owner_id_date_at ON mails (owner_id, date_at)""",
    """CREATE INDEX ix_mails_owner_id_message_id ON mails (owner_id, message_id)""",
    """CREATE INDEX ix_mails_owner_id_sender_address_date_at ON mails (owner_id, sender_address, date_at)""",
    """CREATE INDEX ix_mails_thread_id_date_at ON mails (thread_id, date_at)""",
    """CREATE INDEX ix_mails_unsaid ON mails (owner_id, id) WHERE said IS NULL""",
    """
CREATE TABLE mail_people (
    owner_id INTEGER NOT NULL,
    address TEXT NOT NULL,
    mail_id INTEGER NOT NULL,
    role VARCHAR(8) NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_mail_people PRIMARY KEY (owner_id, address, mail_id, role),
    CONSTRAINT fk_mail_people_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_mail_people_mail_id FOREIGN KEY(mail_id) REFERENCES mails (id)
)
""",
    """CREATE INDEX ix_mail_people_mail_id ON mail_people (mail_id)""",
    """
CREATE TABLE verdicts (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    mail_id INTEGER NOT NULL,
    thread_id INTEGER NOT NULL,
    evidence VARCHAR(64) NOT NULL,
    judge VARCHAR(16) NOT NULL,
    what VARCHAR(8) NOT NULL,
    consequence FLOAT NOT NULL,
    stage VARCHAR(16) NOT NULL,
    probability FLOAT,
    code VARCHAR(40) NOT NULL,
    at VARCHAR(24) NOT NULL,
    CONSTRAINT uq_verdicts_owner_id_evidence_judge UNIQUE (owner_id, evidence, judge),
    CONSTRAINT what CHECK (what IN ('notify', 'hold', 'loop', 'log', 'ignore')),
    CONSTRAINT consequence CHECK (consequence BETWEEN 0 AND 1),
    CONSTRAINT fk_verdicts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_verdicts_owner_id_at ON verdicts (owner_id, at)""",
    """CREATE INDEX ix_verdicts_owner_id_mail_id ON verdicts (owner_id, mail_id)""",
    """CREATE INDEX ix_verdicts_owner_id_thread_id ON verdicts (owner_id, thread_id)""",
    """
CREATE TABLE verdict_reasons (
    verdict_id INTEGER NOT NULL,
    reason TEXT NOT NULL,
    findings JSON NOT NULL,
    CONSTRAINT pk_verdict_reasons PRIMARY KEY (verdict_id),
    CONSTRAINT fk_verdict_reasons_verdict_id FOREIGN KEY(verdict_id) REFERENCES verdicts (id)
)
""",
    """
CREATE TABLE sender_wishes (
    owner_id INTEGER NOT NULL,
    address TEXT NOT NULL,
    wish VARCHAR(8) NOT NULL CONSTRAINT wish CHECK (wish IN ('urgent', 'less')),
    set_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_sender_wishes PRIMARY KEY (owner_id, address, wish),
    CONSTRAINT fk_sender_wishes_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE calendars (
    owner_id INTEGER DEFAULT 1 NOT NULL,
    account_id INTEGER NOT NULL,
    calendar TEXT NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_calendars PRIMARY KEY (account_id, calendar),
    CONSTRAINT fk_calendars_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_calendars_account_id FOREIGN KEY(account_id) REFERENCES accounts (id)
)
""",
    """
CREATE TABLE calendar_items (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    account_id INTEGER NOT NULL,
    calendar TEXT NOT NULL,
    ref TEXT NOT NULL,
    etag TEXT NOT NULL,
    ics TEXT NOT NULL,
    CONSTRAINT pk_calendar_items PRIMARY KEY (id),
    CONSTRAINT uq_calendar_items_account_id_calendar_ref UNIQUE (account_id, calendar, ref),
    CONSTRAINT fk_calendar_items_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_calendar_items_account_id FOREIGN KEY(account_id) REFERENCES accounts (id)
)
""",
    """
CREATE TABLE events (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    account_id INTEGER NOT NULL,
    item_id INTEGER NOT NULL,
    calendar TEXT NOT NULL,
    ref TEXT NOT NULL,
    uid TEXT NOT NULL,
    occurrence TEXT NOT NULL,
    title TEXT NOT NULL,
    place TEXT NOT NULL,
    notes TEXT NOT NULL,
    start_at VARCHAR(24) NOT NULL,
    end_at VARCHAR(24) NOT NULL,
    starts_on VARCHAR(10),
    ends_on VARCHAR(10),
    zone VARCHAR(64) NOT NULL,
    status VARCHAR(10) NOT NULL CONSTRAINT status CHECK (status IN ('confirmed', 'tentative', 'cancelled')),
    organizer JSON,
    attendees JSON NOT NULL,
    my_answer VARCHAR(12) NOT NULL,
    is_busy BOOLEAN NOT NULL,
    sequence INTEGER NOT NULL,
    faults JSON NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (id),
    CONSTRAINT fk_events_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_events_account_id FOREIGN KEY(account_id) REFERENCES accounts (id),
    CONSTRAINT fk_events_item_id FOREIGN KEY(item_id) REFERENCES calendar_items (id)
)
""",
    """CREATE INDEX ix_events_item_id ON events (item_id)""",
    """CREATE INDEX ix_events_owner_id_start_at ON events (owner_id, start_at)""",
    """CREATE INDEX ix_events_owner_id_uid_start_at ON events (owner_id, uid, start_at)""",
    """
CREATE TABLE links (
    owner_id INTEGER NOT NULL,
    subject VARCHAR(64) NOT NULL,
    "row" VARCHAR(64) NOT NULL,
    CONSTRAINT pk_links PRIMARY KEY (owner_id, subject, "row"),
    CONSTRAINT fk_links_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_links_owner_id_row ON links (owner_id, "row")""",
    """
CREATE TABLE preferences (
    owner_id INTEGER NOT NULL,
    name VARCHAR(40) NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_preferences PRIMARY KEY (owner_id, name),
    CONSTRAINT fk_preferences_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE TRIGGER verdicts_no_update BEFORE UPDATE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts is append-only'); END""",
    """CREATE TRIGGER verdicts_no_delete BEFORE DELETE ON verdicts BEGIN SELECT RAISE(ABORT, 'verdicts is append-only'); END""",
    """CREATE TRIGGER verdicts_no_replace BEFORE INSERT ON verdicts WHEN EXISTS (SELECT 1 FROM verdicts WHERE id = NEW.id OR (owner_id = NEW.owner_id AND evidence = NEW.evidence AND judge = NEW.judge)) BEGIN SELECT RAISE(ABORT, 'verdicts is append-only'); END""",
)

_AT = "coalesce(date_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))"

MOVED = (
    f"""INSERT INTO mails (id, owner_id, import_id, account_id, uid, thread_id, fingerprint, message_id, sender_name,
    sender_address, recipients, reply_to, subject, date_at, arrived_at, in_reply_to, reference_ids, attachments,
    calendars, list_id, is_automated, headers, marks, folder, labels, by_owner, is_read, said, gone_at)
SELECT b.id, b.owner_id, b.import_id, NULL, '', p.thread_id,
    b.fingerprint, b.message_id, b.sender_name, b.sender_address, b.recipients, '[]', b.subject, b.date_at, {_AT},
    b.in_reply_to, b.reference_ids, b.attachments, '[]', b.list_id, b.is_automated, '{{}}', b.marks, '', '[]', 0, 1,
    NULL, NULL
FROM mails_before b JOIN mail_places p ON p.mail_id = b.id""",
    "DROP TABLE mail_places",
    "DROP TABLE mails_before",
)

_THREAD = "INSERT INTO mail_threads (id, owner_id, root, subject_key, last_at) VALUES (?, ?, ?, '', ?)"
_ID = "INSERT INTO mail_thread_ids (owner_id, message_id, thread_id) VALUES (?, ?, ?)"
_PLACE = "INSERT INTO mail_places (mail_id, thread_id) VALUES (?, ?)"


class _Threads:
    """Ids that some mail bears or refers to, in one heap for each thread."""

    def __init__(self) -> None:
        self._above: dict[Any, Any] = {}

    def top(self, one: Any) -> Any:
        """What all of a heap have in common."""
        above = self._above.setdefault(one, one)
        while above != one:
            self._above[one] = self._above[above]
            one, above = above, self._above[above]
        return one

    def join(self, ids: list[Any]) -> None:
        """They belong together, with whatever belongs to one of them."""
        for one in ids:
            self._above[self.top(one)] = self.top(ids[-1])

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._above))


def _ids(row: Any) -> list[tuple[int, str]]:
    """The first of them is what the thread began with, as far as this mail tells."""
    named = [*json.loads(row.reference_ids), row.in_reply_to, row.message_id]
    ids = [(row.owner_id, one) for one in dict.fromkeys(named) if one]
    return ids or [(row.owner_id, f"fingerprint:{row.fingerprint}")]


def _thread(connection: Connection) -> None:
    """Every mail's place in a thread, in a table of its own until the mails are moved."""
    rows = connection.exec_driver_sql(
        f"SELECT id, owner_id, fingerprint, message_id, in_reply_to, reference_ids, {_AT} AS at FROM mails_before ORDER BY at, id"
    ).all()
    threads, numbers, last, roots = _Threads(), {}, {}, {}
    for row in rows:
        threads.join(_ids(row))
    for row in rows:
        top = threads.top(_ids(row)[0])
        number = numbers.setdefault(top, len(numbers) + 1)
        roots.setdefault(number, _ids(row)[0])
        last[number] = row.at
    places = [(row.id, numbers[threads.top(_ids(row)[0])]) for row in rows]
    ids = [(*one, numbers[threads.top(one)]) for one in threads if not one[1].startswith("fingerprint:")]
    connection.exec_driver_sql("CREATE TABLE mail_places (mail_id INTEGER PRIMARY KEY, thread_id INTEGER NOT NULL)")
    for statement, values in (
        (_THREAD, [(number, *roots[number], last[number]) for number in roots]),
        (_ID, ids),
        (_PLACE, places),
    ):
        if values:
            connection.exec_driver_sql(statement, values)


_PERSON = "INSERT OR IGNORE INTO mail_people (owner_id, address, mail_id, role, name) VALUES (?, ?, ?, ?, ?)"


def _people(connection: Connection) -> None:
    """Who had to do with each mail, by mailbox."""
    rows = connection.exec_driver_sql("SELECT id, owner_id, sender_name, sender_address, recipients FROM mails").all()
    people = [
        (row.owner_id, _mailbox(address), row.id, role, name or "")
        for row in rows
        for role, name, address in (("from", row.sender_name, row.sender_address), *json.loads(row.recipients))
        if address
    ]
    if people:
        connection.exec_driver_sql(_PERSON, people)


def _mailbox(address: str) -> str:
    local, _, domain = address.strip().casefold().rpartition("@")
    plain = local.partition("+")[0] or local
    if domain in ("gmail.com", "googlemail.com"):
        return f"{plain.replace('.', '')}@gmail.com"
    return f"{plain}@{domain.rstrip('.')}"


def upgrade() -> None:
    connection = op.get_bind()
    # The names of indexes belong to the file: the old ones go before the new ones come.
    connection.exec_driver_sql(ASIDE)
    connection.exec_driver_sql("DROP INDEX ix_mails_owner_id_message_id")
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement.strip())
    _thread(connection)
    for statement in MOVED:
        connection.exec_driver_sql(statement.strip())
    _people(connection)
