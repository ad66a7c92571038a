"""What runs with every message and every second looks rows up; it never reads a growing table from end to end."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from memory.card import Card, Choice
from memory.job import Finished
from memory.ledger import Tables
from memory.mail_thread import subject_of
from memory.search.document import Document
from memory.sql.engine import writing_engine
from memory.sql.tables import SqlTables
from tests.doubles.clock import NOW
from tests.doubles.judged import a_judged, judge, plan
from tests.doubles.letters import a_letter
from tests.doubles.planned import an_event
from tests.doubles.spoken import a_piece, hear, publish

SMALL = ("ix_jobs_unfinished", "ix_jobs_parked", "ix_turns_live", "ix_pieces_on_their_way", "ix_pieces_unsettled",
         "ix_notices_untold", "ix_files_wanted", "ix_mails_unsaid")  # fmt: skip
"""Partial indexes over the few rows that are not settled: to read one from end to end is to read little."""

GROWING = frozenset({
    "signal_heads", "signal_payloads", "jobs", "turns", "messages", "message_ids", "pieces", "cards", "loops", "reminders",
    "notices", "decisions", "audit", "usage", "files", "mails", "mail_people", "mail_threads", "mail_thread_ids", "verdicts",
    "verdict_reasons", "links", "calendar_items", "events", "passages",
    "people", "identities", "identity_names", "identity_marks", "sightings", "person_changes",
})  # fmt: skip


def a_life(t: Tables) -> None:
    """Enough that every query has something to find."""
    _, turn, _ = hear(t, "one", said_as="1")
    card = Card(kind="k", subject="loop:1", text="Pay?", choices=(Choice("done", "Done"),), because="it is due")
    card_id = t.cards.put(card, owner_id=1, now=NOW).id
    t.pieces.say(a_piece("p", turn_id=turn.id, card_id=card_id), now=NOW)
    t.loops.open(owner_id=1, kind="task", title="rent", because="b", now=NOW)
    kept = a_judged(t, "hold", now=NOW, message_id="first@winter.example")
    account = plan(t, an_event("sync", NOW))
    t.mails.met_again(
        1, kept.mail.fingerprint, account_id=account, uid="7", folder="INBOX", labels=(), by_owner=False, is_read=False
    )
    t.links.tie(1, subject_of(kept.thread_id), "notice:1")
    t.search.put(1, [a_note_of_a_meeting()], now=NOW)


def a_note_of_a_meeting() -> Document:
    people = (("Anna Winter", "anna@winter.example"), ("Bo", ""))
    return Document(
        corpus="meeting", ref="meeting:a", who="you", title="A", text="Ask Bo Li.", at=NOW, place="a", people=people
    )


ANNA = ["anna@winter.example", "anna@home.example"]


def keep(t: Tables, **given: Any) -> Any:
    return t.mails.keep(1, a_letter("Will you?", **given).mail, now=NOW, account_id=1, uid="8", folder="INBOX")


def judge_again(t: Tables) -> Any:
    return judge(t, t.mails.get(1), "loop", now=NOW)


HOT: dict[str, Callable[[Tables], Any]] = {
    "publish": lambda t: publish(t, "new"),
    "take": lambda t: t.jobs.round((Finished(1),), take={"inline": 8, "background": 8}, now=NOW),
    "next time": lambda t: t.jobs.next_run_at(now=NOW),
    "busy": lambda t: t.jobs.busy("owner:1", ("message",)),
    "clamp": lambda t: t.jobs.clamp(now=NOW),
    "hear": lambda t: hear(t, "two", said_as="2"),
    "join": lambda t: t.thread.join(turn_id=1, text="x", signal_id=1, channel_message_id="7", reply_to="1", now=NOW),
    "parts": lambda t: t.thread.parts(1),
    "newest turn": lambda t: t.thread.newest_turn(1),
    "stop": lambda t: t.thread.stop(1, because="b", now=NOW),
    "history": lambda t: t.thread.history(1, limit=12),
    "after": lambda t: t.thread.after(1, 1, limit=500),
    "say": lambda t: t.pieces.say(a_piece("later", card_id=1), now=NOW),
    "amend": lambda t: t.pieces.say(a_piece("amendment", amends_key="p"), now=NOW),
    "hand": lambda t: t.pieces.hand(1, now=NOW),
    "part shown": lambda t: t.pieces.part_shown(1, "71"),
    "end": lambda t: t.pieces.end(1, "shown", because="b", now=NOW),
    "of card": lambda t: t.pieces.of_card(1),
    "undelivered": lambda t: t.pieces.undelivered(),
    "unsettled": lambda t: t.pieces.unsettled(1),
    "revive": lambda t: t.pieces.revive(1, "telegram", since=NOW),
    "outdate": lambda t: t.cards.outdate("loop:1", "loops", owner_id=1, now=NOW),
    "cards": lambda t: t.cards.of((1, 2)),
    "notices": lambda t: (t.notices.due(1, NOW), t.notices.held(1, NOW)),
    "reminders": lambda t: t.reminders.active(1),
    "open loops": lambda t: t.loops.list_open(1),
    "close a loop": lambda t: t.loops.close(1, state="done", because="b", now=NOW),
    "decisions": lambda t: (t.decisions.latest(1, 20), t.decisions.about(1, "loop:1")),
    "deeds": lambda t: t.audit.deeds(1),
    "spent": lambda t: t.spendings.spent_usd(1, NOW - timedelta(days=1)),
    "keep a mail": lambda t: keep(t, in_reply_to="first@winter.example", references=("first@winter.example",)),
    "keep an answer without ids": lambda t: keep(t, subject="Re: Hello", message_id=None),
    "meet a mail again": lambda t: t.mails.met_again(
        1, t.mails.get(1).mail.fingerprint, account_id=1, uid="9", folder="Old", labels=(), by_owner=True, is_read=True
    ),
    "by uid": lambda t: t.mails.by_uid(1, "7"),
    "by fingerprint": lambda t: t.mails.by_fingerprint(1, "0" * 64),
    "a mail was read": lambda t: t.mails.change(1, "7", folder="INBOX", labels=(), is_read=True, now=NOW),
    "mails are gone": lambda t: t.mails.gone(1, ["7", "8"], now=NOW),
    "a mail": lambda t: (t.mails.get(1), t.mails.some([1, 2])),
    "a thread": lambda t: t.mails.thread(1),
    "threads of late": lambda t: t.mails.threads_since(1, NOW - timedelta(days=9)),
    "unsaid": lambda t: (t.mails.unsaid(1, limit=9), t.mails.say(1, "said")),
    "relation": lambda t: t.mails.relation(1, ANNA),
    "of a person": lambda t: (
        t.mails.latest_from(1, ANNA, limit=9),
        t.mails.sent_to(1, ANNA, limit=9),
        t.mails.written_at(1, ANNA),
    ),
    "the owner's names": lambda t: t.mails.own_names(1),
    "page of mails": lambda t: (t.mails.page(1, after=(NOW, 1), limit=9), t.mails.before(1, NOW, limit=9)),
    "find a verdict": lambda t: (t.verdicts.find(1, "0" * 64, "1"), t.verdicts.get(1)),
    "judge": judge_again,
    "verdicts of a thread": lambda t: (t.verdicts.of_thread(1, 1), t.verdicts.of_mail(1, 1)),
    "verdicts of late": lambda t: (t.verdicts.since(1, NOW), t.verdicts.standing(1, NOW)),
    "what waits on a thread": lambda t: (t.links.rows(1, "mail-thread:1"), t.links.subjects(1, "notice:1")),
    "the card of a thread": lambda t: t.cards.open_about(1, "mail-thread:1"),
    "events": lambda t: (t.calendars.between(1, NOW, NOW + timedelta(days=1)), t.calendars.of_uid(1, "sync")),
    "keep events": lambda t: plan(t, an_event("sync", NOW), an_event("other", NOW), account_id=1),
    "objects of a calendar": lambda t: (
        t.calendars.refs(1, "work"),
        t.calendars.etags(1, "work"),
        t.calendars.items(1, after_id=0, limit=9),
    ),
    "a calendar is gone": lambda t: t.calendars.leave(1, "work"),
    "drop events": lambda t: t.calendars.drop(1, "work", ["sync.ics"]),
    "audit": lambda t: t.audit.record(
        owner_id=1, agent="a", tool="t", permission="ALLOW", outcome="done", because="b", arguments_digest="0", now=NOW
    ),
    "find": lambda t: (
        t.search.find(1, "hello"),
        t.search.find(1, "will you pay the rent", now=NOW),
        t.search.grouped(1, '"will you" in:mail after:2020-01-01', now=NOW),
        t.search.grouped(1, "from:anna", now=NOW),
    ),
    "who is new": lambda t: [t.people.take(1, limit=9, now=NOW) for _ in range(3)],
    "who is behind an address": lambda t: (
        t.people.take(1, limit=9, now=NOW),
        t.people.of(1, "anna@winter.example"),
        t.people.sightings(1, 1, limit=9),
        t.people.last_contacts(1, 1),
        t.people.is_due(1),
    ),
    "what is left of people": lambda t: (t.people.unsigned(1, limit=9), t.people.unread(1, limit=9)),
    "who is called so": lambda t: (t.people.take(1, limit=9, now=NOW), t.people.named(1, "Anna Winter")),
    "what was read for facts": lambda t: t.facts.unread(1, [1], ["mail:1"], reader="rules"),
    "what came": lambda t: t.signals.counts_since(1, NOW - timedelta(days=1)),
}


@contextmanager
def asked(database: Path, work: Callable[[Tables], Any]) -> Iterator[list[tuple[str, Any]]]:
    """The statements of `work`, with their parameters."""
    statements: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, parameters: Any, ___: Any, many: bool) -> None:
        statements.append((statement, parameters[0] if many else parameters))

    engine = writing_engine(database)
    with engine.connect() as connection:
        tables: Any = SqlTables(connection)
        a_life(tables)
        event.listen(engine, "before_cursor_execute", note)
        work(tables)
        event.remove(engine, "before_cursor_execute", note)
    engine.dispose()
    yield statements


@pytest.mark.parametrize("name", HOT)
def test_no_hot_query_reads_a_growing_table_from_end_to_end(database: Path, name: str) -> None:
    with asked(database, HOT[name]) as statements, closing(sqlite3.connect(database)) as looking:
        assert statements
        for statement, parameters in statements:
            for *_, step in looking.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall():
                words = step.split()
                reads_all = words[0] == "SCAN" and words[1] in GROWING and not any(small in step for small in SMALL)
                assert not reads_all, f"{step}\n{statement}"


def test_a_search_reads_only_the_passages_that_it_weighs(database: Path) -> None:
    with asked(database, HOT["find"]) as statements, closing(sqlite3.connect(database)) as looking:
        for statement, given in statements:
            for *_, step in looking.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall():
                assert "passages" not in step or not step.endswith("(owner_id=?)"), f"{step}\n{statement}"


@pytest.mark.parametrize("name", ["who is new", "what is left of people", "what was read for facts"])
def test_people_are_not_looked_up_by_the_owner_alone_which_is_everybody(database: Path, name: str) -> None:
    growing = GROWING | {"person_evidence", "fact_readings"}
    with asked(database, HOT[name]) as statements, closing(sqlite3.connect(database)) as looking:
        for statement, given in statements:
            for *_, step in looking.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall():
                is_everybody = step.endswith("(owner_id=?)") and step.split()[1] in growing
                assert not is_everybody, f"{step}\n{statement}"


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("hear", "ix_turns_live"),
        ("of card", "ix_pieces_of_card"),
        ("decisions", "ix_decisions_owner_id_id"),
        ("by uid", "ix_mails_of_account"),
        ("a mail was read", "ix_mails_of_account"),
        ("mails are gone", "ix_mails_of_account"),
        ("by fingerprint", "owner_id=? AND fingerprint=?"),
        ("keep a mail", "owner_id=? AND message_id=?"),
        ("keep an answer without ids", "ix_mail_threads_owner_id_subject_key_last_at"),
        ("a thread", "ix_mails_thread_id_date_at"),
        ("threads of late", "ix_mails_owner_id_date_at"),
        ("unsaid", "ix_mails_unsaid"),
        ("relation", "owner_id=? AND address=?"),
        ("of a person", "owner_id=? AND address=?"),
        ("the owner's names", "ix_mails_by_owner"),
        ("find a verdict", "owner_id=? AND evidence=? AND judge=?"),
        ("verdicts of a thread", "ix_verdicts_owner_id_thread_id"),
        ("verdicts of a thread", "ix_verdicts_owner_id_mail_id"),
        ("verdicts of late", "ix_verdicts_owner_id_at"),
        ("events", "ix_events_owner_id_start_at"),
        ("events", "ix_events_owner_id_uid"),
        ("keep events", "ix_events_item_id"),
    ],
)
def test_a_query_that_an_index_was_made_for_uses_it(database: Path, name: str, index: str) -> None:
    with asked(database, HOT[name]) as statements, closing(sqlite3.connect(database)) as looking:
        plans = [
            looking.execute(f"EXPLAIN QUERY PLAN {statement}", given).fetchall() for statement, given in statements
        ]
    assert any(index in step for plan in plans for *_, step in plan)
