"""The first schema."""

from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    """
CREATE TABLE identity (
    id INTEGER NOT NULL CONSTRAINT one_row CHECK (id = 1),
    instance VARCHAR(32) NOT NULL,
    host TEXT NOT NULL,
    created_at VARCHAR(24) NOT NULL,
    adopted_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_identity PRIMARY KEY (id)
)
""",
    """
CREATE TABLE owners (
    id INTEGER NOT NULL,
    created_at VARCHAR(24) NOT NULL,
    language VARCHAR(2) NOT NULL,
    quiet_from VARCHAR(5) NOT NULL,
    quiet_to VARCHAR(5) NOT NULL,
    brief_at VARCHAR(5) NOT NULL,
    cap_usd FLOAT NOT NULL,
    telegram_id BIGINT,
    CONSTRAINT pk_owners PRIMARY KEY (id),
    CONSTRAINT uq_owners_telegram_id UNIQUE (telegram_id)
)
""",
    """
CREATE TABLE audit (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    agent VARCHAR(32) NOT NULL,
    tool VARCHAR(64) NOT NULL,
    permission VARCHAR(5) NOT NULL CONSTRAINT permission CHECK (permission IN ('ALLOW', 'ASK', 'DENY')),
    outcome VARCHAR(10) NOT NULL,
    because TEXT NOT NULL,
    arguments_digest VARCHAR(64) NOT NULL,
    at VARCHAR(24) NOT NULL,
    turn_id INTEGER,
    subject VARCHAR(64),
    CONSTRAINT fk_audit_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_audit_turn_id ON audit (turn_id)""",
    """
CREATE TABLE cards (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    kind VARCHAR(32) NOT NULL,
    subject VARCHAR(64) NOT NULL,
    value JSON NOT NULL,
    digest VARCHAR(64) NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('open', 'decided', 'stale')),
    decided_as VARCHAR(24),
    created_at VARCHAR(24) NOT NULL,
    decided_at VARCHAR(24),
    CONSTRAINT pk_cards PRIMARY KEY (id),
    CONSTRAINT fk_cards_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_cards_owner_id_subject_state ON cards (owner_id, subject, state)""",
    """
CREATE TABLE counts (
    owner_id INTEGER NOT NULL,
    name VARCHAR(64) NOT NULL,
    day VARCHAR(10) NOT NULL,
    n INTEGER NOT NULL,
    CONSTRAINT pk_counts PRIMARY KEY (owner_id, name, day),
    CONSTRAINT fk_counts_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE cursors (
    owner_id INTEGER NOT NULL,
    name VARCHAR(120) NOT NULL,
    value TEXT NOT NULL,
    moved_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_cursors PRIMARY KEY (owner_id, name),
    CONSTRAINT fk_cursors_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE imports (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    path TEXT NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('running', 'done')),
    started_at VARCHAR(24) NOT NULL,
    finished_at VARCHAR(24),
    new INTEGER NOT NULL,
    repeated INTEGER NOT NULL,
    bad INTEGER NOT NULL,
    CONSTRAINT pk_imports PRIMARY KEY (id),
    CONSTRAINT uq_imports_owner_id_path UNIQUE (owner_id, path),
    CONSTRAINT fk_imports_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE loops (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    kind VARCHAR(10) NOT NULL,
    title TEXT NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('open', 'done', 'dropped')),
    snoozed BOOLEAN NOT NULL,
    because TEXT NOT NULL,
    opened_at VARCHAR(24) NOT NULL,
    closed_at VARCHAR(24),
    CONSTRAINT pk_loops PRIMARY KEY (id),
    CONSTRAINT fk_loops_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_loops_owner_id_state_id ON loops (owner_id, state, id)""",
    """
CREATE TABLE passages (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    corpus VARCHAR(10) NOT NULL,
    ref VARCHAR(64) NOT NULL,
    who TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    at VARCHAR(24),
    CONSTRAINT pk_passages PRIMARY KEY (id),
    CONSTRAINT uq_passages_owner_id_ref UNIQUE (owner_id, ref),
    CONSTRAINT fk_passages_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE signal_heads (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    source VARCHAR(64) NOT NULL,
    kind VARCHAR(64) NOT NULL,
    source_id VARCHAR(200) NOT NULL,
    received_at VARCHAR(24) DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
    CONSTRAINT uq_signal_heads_source_source_id UNIQUE (source, source_id),
    CONSTRAINT fk_signal_heads_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_signal_heads_owner_id_received_at ON signal_heads (owner_id, received_at)""",
    """
CREATE TABLE usage (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    label VARCHAR(10) NOT NULL,
    model VARCHAR(120) NOT NULL,
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('reserved', 'settled', 'unknown')),
    cost_usd FLOAT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    at VARCHAR(24) NOT NULL,
    error TEXT,
    CONSTRAINT pk_usage PRIMARY KEY (id),
    CONSTRAINT fk_usage_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """CREATE INDEX ix_usage_owner_id_at ON usage (owner_id, at)""",
    """
CREATE TABLE zone_moves (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    zone VARCHAR(64) NOT NULL,
    from_at VARCHAR(24) NOT NULL,
    because TEXT NOT NULL,
    CONSTRAINT pk_zone_moves PRIMARY KEY (id),
    CONSTRAINT uq_zone_moves_owner_id_from_at UNIQUE (owner_id, from_at),
    CONSTRAINT fk_zone_moves_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id)
)
""",
    """
CREATE TABLE decisions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    subject VARCHAR(64) NOT NULL,
    decided VARCHAR(32) NOT NULL,
    because TEXT NOT NULL,
    at VARCHAR(24) NOT NULL,
    signal_id INTEGER,
    CONSTRAINT fk_decisions_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_decisions_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id)
)
""",
    """CREATE INDEX ix_decisions_owner_id_id ON decisions (owner_id, id)""",
    """CREATE INDEX ix_decisions_owner_id_subject ON decisions (owner_id, subject)""",
    """
CREATE TABLE import_faults (
    import_id INTEGER NOT NULL,
    file TEXT NOT NULL,
    byte BIGINT NOT NULL,
    reason TEXT NOT NULL,
    CONSTRAINT pk_import_faults PRIMARY KEY (import_id, file, byte),
    CONSTRAINT fk_import_faults_import_id FOREIGN KEY(import_id) REFERENCES imports (id)
)
""",
    """
CREATE TABLE import_files (
    import_id INTEGER NOT NULL,
    file TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    position BIGINT NOT NULL,
    CONSTRAINT pk_import_files PRIMARY KEY (import_id, file),
    CONSTRAINT fk_import_files_import_id FOREIGN KEY(import_id) REFERENCES imports (id)
)
""",
    """
CREATE TABLE jobs (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    signal_id INTEGER,
    kind VARCHAR(64) NOT NULL,
    lane VARCHAR(10) NOT NULL CONSTRAINT lane CHECK (lane IN ('inline', 'background')),
    thread VARCHAR(64) NOT NULL,
    state VARCHAR(10) DEFAULT 'pending' NOT NULL,
    payload TEXT DEFAULT '{}' NOT NULL,
    run_at VARCHAR(24),
    attempts INTEGER DEFAULT 0 NOT NULL,
    interruptions INTEGER DEFAULT 0 NOT NULL,
    last_error TEXT,
    created_at VARCHAR(24) DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) NOT NULL,
    finished_at VARCHAR(24),
    CONSTRAINT pk_jobs PRIMARY KEY (id),
    CONSTRAINT state CHECK (state IN ('pending', 'running', 'done', 'parked', 'cancelled')),
    CONSTRAINT fk_jobs_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_jobs_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id)
)
""",
    """CREATE INDEX ix_jobs_parked ON jobs (owner_id) WHERE state = 'parked'""",
    """CREATE INDEX ix_jobs_unfinished_in_lane ON jobs (lane, id) WHERE finished_at IS NULL""",
    """CREATE INDEX ix_jobs_unfinished_in_thread ON jobs (thread, id) WHERE finished_at IS NULL""",
    """
CREATE TABLE mails (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    import_id INTEGER,
    fingerprint VARCHAR(64) NOT NULL,
    message_id TEXT,
    sender_name TEXT NOT NULL,
    sender_address TEXT NOT NULL,
    recipients JSON NOT NULL,
    subject TEXT NOT NULL,
    date_at VARCHAR(24),
    in_reply_to TEXT,
    reference_ids JSON NOT NULL,
    attachments JSON NOT NULL,
    list_id TEXT,
    is_automated BOOLEAN NOT NULL,
    marks JSON NOT NULL,
    CONSTRAINT pk_mails PRIMARY KEY (id),
    CONSTRAINT uq_mails_owner_id_fingerprint UNIQUE (owner_id, fingerprint),
    CONSTRAINT fk_mails_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_mails_import_id FOREIGN KEY(import_id) REFERENCES imports (id)
)
""",
    """CREATE INDEX ix_mails_owner_id_message_id ON mails (owner_id, message_id)""",
    """
CREATE TABLE messages (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    turn_id INTEGER,
    role VARCHAR(10) NOT NULL CONSTRAINT role CHECK (role IN ('owner', 'stillbell')),
    channel VARCHAR(20) NOT NULL,
    text TEXT NOT NULL,
    at VARCHAR(24) NOT NULL,
    reply_to_id INTEGER,
    edited_at VARCHAR(24),
    card_id INTEGER,
    signal_id INTEGER,
    CONSTRAINT pk_messages PRIMARY KEY (id),
    CONSTRAINT fk_messages_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_messages_signal_id UNIQUE (signal_id),
    CONSTRAINT fk_messages_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id)
)
""",
    """CREATE INDEX ix_messages_owner_id_id ON messages (owner_id, id)""",
    """
CREATE TABLE notices (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    signal_id INTEGER,
    source VARCHAR(64) NOT NULL,
    summary TEXT NOT NULL,
    urgency VARCHAR(5) NOT NULL CONSTRAINT urgency CHECK (urgency IN ('now', 'soon', 'hold')),
    because TEXT NOT NULL,
    noticed_at VARCHAR(24) NOT NULL,
    deliver_after VARCHAR(24) NOT NULL,
    delivered_at VARCHAR(24),
    told_in VARCHAR(120),
    CONSTRAINT pk_notices PRIMARY KEY (id),
    CONSTRAINT fk_notices_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_notices_signal_id UNIQUE (signal_id),
    CONSTRAINT fk_notices_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id)
)
""",
    """CREATE INDEX ix_notices_untold ON notices (owner_id, deliver_after) WHERE told_in IS NULL""",
    """
CREATE TABLE reminders (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    loop_id INTEGER,
    text TEXT NOT NULL,
    wall VARCHAR(19) NOT NULL,
    exact_at VARCHAR(24),
    rule VARCHAR(200),
    state VARCHAR(10) NOT NULL CONSTRAINT state CHECK (state IN ('set', 'fired', 'cancelled')),
    created_at VARCHAR(24) NOT NULL,
    CONSTRAINT pk_reminders PRIMARY KEY (id),
    CONSTRAINT fk_reminders_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_reminders_loop_id FOREIGN KEY(loop_id) REFERENCES loops (id)
)
""",
    """CREATE INDEX ix_reminders_loop_id ON reminders (loop_id)""",
    """CREATE INDEX ix_reminders_owner_id_state_wall ON reminders (owner_id, state, wall)""",
    """
CREATE TABLE signal_payloads (
    signal_id INTEGER NOT NULL,
    payload TEXT CONSTRAINT payload_is_json CHECK (payload IS NULL OR json_valid(payload)),
    CONSTRAINT pk_signal_payloads PRIMARY KEY (signal_id),
    CONSTRAINT fk_signal_payloads_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id)
)
""",
    """
CREATE TABLE message_ids (
    owner_id INTEGER NOT NULL,
    channel VARCHAR(20) NOT NULL,
    channel_message_id VARCHAR(64) NOT NULL,
    message_id INTEGER NOT NULL,
    CONSTRAINT pk_message_ids PRIMARY KEY (owner_id, channel, channel_message_id),
    CONSTRAINT fk_message_ids_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT fk_message_ids_message_id FOREIGN KEY(message_id) REFERENCES messages (id)
)
""",
    """CREATE INDEX ix_message_ids_message_id ON message_ids (message_id)""",
    """
CREATE TABLE turns (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    signal_id INTEGER NOT NULL,
    question_id INTEGER NOT NULL,
    channel VARCHAR(20) NOT NULL,
    opened_at VARCHAR(24) NOT NULL,
    stopped_at VARCHAR(24),
    stopped_because TEXT,
    CONSTRAINT pk_turns PRIMARY KEY (id),
    CONSTRAINT fk_turns_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_turns_signal_id UNIQUE (signal_id),
    CONSTRAINT fk_turns_signal_id FOREIGN KEY(signal_id) REFERENCES signal_heads (id),
    CONSTRAINT fk_turns_question_id FOREIGN KEY(question_id) REFERENCES messages (id)
)
""",
    """CREATE INDEX ix_turns_owner_id_id ON turns (owner_id, id)""",
    """CREATE INDEX ix_turns_live ON turns (owner_id) WHERE stopped_at IS NULL""",
    """
CREATE TABLE pieces (
    id INTEGER NOT NULL,
    owner_id INTEGER DEFAULT 1 NOT NULL,
    "key" VARCHAR(120) NOT NULL,
    channel VARCHAR(20) NOT NULL,
    message_id INTEGER NOT NULL,
    turn_id INTEGER,
    card_id INTEGER,
    silent BOOLEAN NOT NULL,
    state VARCHAR(10) NOT NULL,
    parts JSON NOT NULL,
    amends_key VARCHAR(120),
    created_at VARCHAR(24) NOT NULL,
    ended_at VARCHAR(24),
    because TEXT,
    CONSTRAINT pk_pieces PRIMARY KEY (id),
    CONSTRAINT state CHECK (state IN ('ready', 'handing', 'shown', 'unknown', 'failed', 'dropped')),
    CONSTRAINT fk_pieces_owner_id FOREIGN KEY(owner_id) REFERENCES owners (id),
    CONSTRAINT uq_pieces_key UNIQUE ("key"),
    CONSTRAINT fk_pieces_message_id FOREIGN KEY(message_id) REFERENCES messages (id),
    CONSTRAINT fk_pieces_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id),
    CONSTRAINT fk_pieces_card_id FOREIGN KEY(card_id) REFERENCES cards (id)
)
""",
    """CREATE INDEX ix_pieces_on_their_way ON pieces (id) WHERE ended_at IS NULL""",
    """CREATE INDEX ix_pieces_of_card ON pieces (card_id) WHERE card_id IS NOT NULL""",
    """CREATE INDEX ix_pieces_unsettled ON pieces (owner_id) WHERE state IN ('unknown', 'failed')""",
)

EXTRAS = (
    """CREATE TRIGGER signal_heads_no_update BEFORE UPDATE ON signal_heads BEGIN SELECT RAISE(ABORT, 'signal_heads is append-only'); END""",
    """CREATE TRIGGER signal_heads_no_delete BEFORE DELETE ON signal_heads BEGIN SELECT RAISE(ABORT, 'signal_heads is append-only'); END""",
    """CREATE TRIGGER signal_heads_no_replace BEFORE INSERT ON signal_heads WHEN EXISTS (SELECT 1 FROM signal_heads WHERE id = NEW.id OR (source = NEW.source AND source_id = NEW.source_id)) BEGIN SELECT RAISE(ABORT, 'signal_heads is append-only'); END""",
    """CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END""",
    """CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END""",
    """CREATE TRIGGER decisions_no_replace BEFORE INSERT ON decisions WHEN EXISTS (SELECT 1 FROM decisions WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END""",
    """CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END""",
    """CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END""",
    """CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END""",
    """CREATE TRIGGER signal_makes_job AFTER INSERT ON signal_heads BEGIN INSERT INTO jobs (owner_id, signal_id, kind, lane, thread, created_at) VALUES (NEW.owner_id, NEW.id, NEW.kind, CASE WHEN NEW.kind IN ('message', 'edit', 'tap', 'paired', 'membership', 'reaction') THEN 'inline' ELSE 'background' END, CASE NEW.kind WHEN 'tap' THEN 'taps:' ELSE 'owner:' END || NEW.owner_id, NEW.received_at); END""",
    """CREATE VIEW signals AS SELECT h.id, h.owner_id, h.source, h.kind, h.source_id, p.payload, h.received_at FROM signal_heads h LEFT JOIN signal_payloads p ON p.signal_id = h.id""",
    """CREATE TRIGGER signals_publish INSTEAD OF INSERT ON signals BEGIN SELECT RAISE(ABORT, 'a signal needs a source, a kind and a payload in JSON, such as {"text": "hello"}') WHERE NEW.source IS NULL OR NEW.kind IS NULL OR NEW.payload IS NULL OR NOT json_valid(NEW.payload); INSERT INTO signal_heads (owner_id, source, kind, source_id, received_at) VALUES (coalesce(NEW.owner_id, 1), NEW.source, NEW.kind, coalesce(NEW.source_id, lower(hex(randomblob(16)))), coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', CASE WHEN NEW.received_at GLOB '[12][0-9][0-9][0-9]-*' THEN NEW.received_at END), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))); INSERT INTO signal_payloads (signal_id, payload) VALUES (last_insert_rowid(), NEW.payload); END""",
    """CREATE VIRTUAL TABLE passages_fts USING fts5(who, title, text, content='passages', content_rowid='id', tokenize='unicode61 remove_diacritics 2')""",
    """CREATE VIRTUAL TABLE passages_words USING fts5vocab('passages_fts', 'row')""",
    """CREATE TRIGGER passages_in AFTER INSERT ON passages BEGIN INSERT INTO passages_fts (rowid, who, title, text) VALUES (NEW.id, NEW.who, NEW.title, NEW.text); END""",
    """CREATE TRIGGER passages_out AFTER DELETE ON passages BEGIN INSERT INTO passages_fts (passages_fts, rowid, who, title, text) VALUES ('delete', OLD.id, OLD.who, OLD.title, OLD.text); END""",
    """CREATE TRIGGER passages_changed AFTER UPDATE ON passages BEGIN INSERT INTO passages_fts (passages_fts, rowid, who, title, text) VALUES ('delete', OLD.id, OLD.who, OLD.title, OLD.text); INSERT INTO passages_fts (rowid, who, title, text) VALUES (NEW.id, NEW.who, NEW.title, NEW.text); END""",
)


def upgrade() -> None:
    for statement in (*TABLES, *EXTRAS):
        op.get_bind().exec_driver_sql(statement.strip())
