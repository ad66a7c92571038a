"""Mails in the ledger with a judgement on them, as a source and the judge leave them."""

from datetime import datetime, timedelta
from typing import Any

from memory.event import Event
from memory.judgement import Judgement
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.verdict import Verdict
from tests.doubles.letters import a_letter


def keep(t: Tables, letter: KeptMail, *, now: datetime) -> KeptMail:
    """A letter, kept; as it is read from the ledger."""
    mail_id = t.mails.keep(1, letter.mail, now=now, by_owner=letter.by_owner, is_read=letter.is_read)
    assert isinstance(mail_id, int)
    if letter.said is not None:
        t.mails.say(mail_id, letter.said)
    return t.mails.get(mail_id)


def judge(t: Tables, kept: KeptMail, what: str, *, now: datetime, code: str = "asked", **given: Any) -> Judgement:
    """A judgement on the thread whose latest mail is `kept`."""
    verdict = Verdict(
        what=what,  # type: ignore[arg-type]
        consequence=given.get("consequence", 0.5),
        reason=given.get("reason", "somebody asks"),
        stage="rule",
    )
    judgement = t.verdicts.record(
        owner_id=1,
        mail_id=kept.id,
        thread_id=kept.thread_id,
        evidence=f"{kept.mail.fingerprint[-50:]}{what:_>14}",
        judge="1",
        verdict=verdict,
        code=code,
        probability=None,
        findings=given.get("findings", ()),
        now=now,
    )
    assert judgement is not None
    return judgement


def a_judged(t: Tables, what: str, *, now: datetime, code: str = "asked", said: str = "", **mail: Any) -> KeptMail:
    """A new letter with its judgement."""
    date_at = mail.pop("date_at", now - timedelta(minutes=5))
    kept = keep(t, a_letter(said or f"about {what}", date_at=date_at, **mail), now=now)
    judge(t, kept, what, now=now, code=code)
    return kept


def plan(t: Tables, *events: Event, account_id: int | None = None) -> int:
    """Events in a calendar of an account, one object for each uid; the account."""
    account_id = account_id or an_account(t)
    for uid in dict.fromkeys(event.uid for event in events):
        own = [event for event in events if event.uid == uid]
        first = own[0]
        t.calendars.keep(
            1, account_id, calendar=first.calendar, ref=first.ref, etag="1", ics=f"BEGIN {uid}", events=own
        )
    t.calendars.name(1, account_id, {event.calendar: event.calendar.title() for event in events})
    return account_id


def an_account(t: Tables, name: str = "work") -> int:
    """An account of the owner's, of which nothing is asked."""
    now = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    account = t.accounts.add(
        owner_id=1, name=name, kind="ics", identity="jo@baker.example", aliases=(), settings={}, now=now
    )
    t.accounts.refused(account.id, "a test")
    return account.id
