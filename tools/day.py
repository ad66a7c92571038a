"""The day from the ledger: reads the rows that it is made from, all through tables that know the exclusions."""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from memory.approval import WAITING
from memory.conflict import Conflict, conflicts
from memory.day import (
    CLASHES_WITHIN_FOR,
    KNOWN_FOR,
    STANDS_FOR,
    Day,
    Letter,
    Sources,
    Tally,
    Thread,
    clash_subject,
    compose,
    mails_judged,
    mark_of,
    today_of,
)
from memory.detectors.hanging import REPLIES_MAX, spoken
from memory.draft import Draft
from memory.errors import BadInput, NotFound
from memory.judgement import Judgement
from memory.ledger import Tables
from memory.loop import Loop
from memory.mail import KeptMail
from memory.mail_thread import subject_of
from memory.owner import Owner
from tools import mail_card

LAST_BRIEF = "brief told"
"""The cursor that holds when the last brief was told."""

EVENTS_TOLD = "events told"
"""The cursor that holds how the coming days' events stood at the last brief."""

LOOKS_BACK_FOR = timedelta(hours=24)
MISSED_MAX_FOR = timedelta(days=7)
"""So far back what landed in silence is counted when no brief was told for long."""

THREADS_MAX = 100
IN_PROMPTS, PROMPTS_AHEAD_FOR = 12, timedelta(days=2)
"""Of so many threads, and so far ahead, a prompt is made: it shows no more, and a reply does not wait for the rest."""

EVENTS_MAX = 1000

SETTLED = frozenset({"done", "less"})
"""What the owner decided about a thread after which it waits for nothing."""

SEEN = "seen"
"""How a conflict stands on record that the owner has seen to."""


def of_now(t: Tables, owner: Owner, now: datetime) -> Day:
    """The day on request: what landed in silence is that of the last 24 hours, or since the last brief if it is older."""
    since = last_brief(t, owner)
    return gather(t, owner, now, silent_since=max(min(since or now, now - LOOKS_BACK_FOR), now - MISSED_MAX_FOR))


def of_brief(t: Tables, owner: Owner, now: datetime) -> Day:
    """The day of a brief: what landed in silence is that since the last one."""
    since = last_brief(t, owner) or now - LOOKS_BACK_FOR
    return gather(t, owner, now, silent_since=max(since, now - MISSED_MAX_FOR))


def of_prompt(t: Tables, owner: Owner, now: datetime) -> Day:
    """The day as a prompt needs it: without what landed in silence, and of the newest threads only."""
    return gather(t, owner, now, silent_since=None, most=IN_PROMPTS, ahead_for=PROMPTS_AHEAD_FOR)


def gather(
    t: Tables,
    owner: Owner,
    now: datetime,
    *,
    silent_since: datetime | None,
    most: int = THREADS_MAX,
    ahead_for: timedelta = CLASHES_WITHIN_FOR,
) -> Day:
    """The day. Without `silent_since` nothing is counted of what landed."""
    start, _ = today_of(owner, now)
    stored = t.calendars.between(owner.id, start, now + ahead_for, limit=EVENTS_MAX)
    events = [one.event for one in stored]
    clashes = conflicts(events, now=now, horizon=ahead_for)
    raised = {clash.key: t.decisions.about(owner.id, clash_subject(clash)) for clash in clashes}
    judged = t.verdicts.since(owner.id, silent_since) if silent_since else []
    known = t.cursors.get(EVENTS_TOLD, owner_id=owner.id)
    sources = Sources(
        owner=owner,
        now=now,
        since=last_brief(t, owner),
        threads=list(_threads(t, owner, now, most)),
        loops=t.loops.list_open(owner.id, with_snoozed=True),
        reminders=t.reminders.active(owner.id),
        events=events,
        conflicts=clashes,
        raised_at={key: about[0].at for key, about in raised.items() if about},
        dismissed={key for key, about in raised.items() if any(one.decided == SEEN for one in about)},
        known=frozenset(json.loads(known)) if known else None,
        judged=judged,
        letters=list(_letters(t, owner)),
        tally=_tally(t, owner, silent_since or now, judged),
        has_calendar=bool(t.calendars.names(owner.id)) or t.calendars.count(owner.id) > 0,
    )
    return compose(sources)


def last_brief(t: Tables, owner: Owner) -> datetime | None:
    """When the last brief was told."""
    told = t.cursors.get(LAST_BRIEF, owner_id=owner.id)
    return datetime.fromisoformat(told) if told else None


def remember(t: Tables, owner: Owner, now: datetime) -> None:
    """A brief was told: from it on things are new."""
    start, _ = today_of(owner, now)
    coming = t.calendars.between(owner.id, start, now + KNOWN_FOR, limit=EVENTS_MAX)
    marks = sorted({mark_of(one.event) for one in coming})
    t.cursors.set(EVENTS_TOLD, json.dumps(marks), owner_id=owner.id, now=now)
    t.cursors.set(LAST_BRIEF, now.isoformat(), owner_id=owner.id, now=now)


def _letters(t: Tables, owner: Owner) -> Iterator[Letter]:
    """What has not left, oldest first: what waits for a tap, and what was approved and is held back."""
    held = [t.approvals.get(one.approval_id) for one in t.dispatches.open(owner.id) if one.state == "taken"]
    for approval in (*t.approvals.waiting(owner.id), *held):
        if approval is not None and (draft := _draft(t, approval.draft_id)) is not None:
            to = ", ".join(one.name or one.address for one in draft.envelope.to)
            yield Letter(to, draft.envelope.subject, is_held=approval.state not in WAITING)


def _draft(t: Tables, draft_id: int) -> Draft | None:
    """None where its words were erased, or can't be read any more."""
    try:
        return t.drafts.get(draft_id)
    except (NotFound, BadInput):
        return None


def _tally(t: Tables, owner: Owner, since: datetime, judged: Sequence[Judgement]) -> Tally:
    if not judged:
        return Tally(since=since)
    triage = [row for row in t.spendings.by_label(owner.id, since) if row[0] == "triage"]
    return Tally(
        since=since,
        mails=mails_judged(judged),
        calls=sum(row[2] for row in triage),
        cost_usd=sum(row[5] for row in triage),
    )


def _threads(t: Tables, owner: Owner, now: datetime, most: int) -> Iterator[Thread]:
    """The threads that were judged to be told or kept track of, the newest first, each as it stands now."""
    judged = t.verdicts.standing(owner.id, now - STANDS_FOR, limit=2 * most)
    mails = {kept.id: kept for kept in t.mails.some([one.mail_id for one in judged])} if judged else {}
    newest: dict[int, Judgement] = {}
    for one in judged:
        # By the mail, not by the row: threads that turned out to be one have been joined since.
        if (kept := mails.get(one.mail_id)) is not None:
            newest.setdefault(kept.thread_id, one)
    for thread_id, one in list(newest.items())[:most]:
        if latest := t.mails.thread(thread_id, limit=REPLIES_MAX):
            yield thread_of(t, owner, spoken(latest)[-1], one)


def thread_of(t: Tables, owner: Owner, latest: KeptMail, known: Judgement) -> Thread:
    """A thread by its latest mail; `known` is its judgement unless the latest mail has one of its own."""
    of_latest = t.verdicts.of_mail(owner.id, latest.id)
    subject = subject_of(latest.thread_id)
    settled = [one.at for one in t.decisions.about(owner.id, subject) if one.decided in SETTLED]
    sender = latest.mail.sender
    return Thread(
        id=latest.thread_id,
        mail_id=latest.id,
        by_owner=latest.by_owner,
        at=latest.at,
        who=f"{sender.name} ({sender.address})" if sender and sender.name else (sender and sender.address) or "",
        about=latest.mail.subject,
        line=_line(latest, owner),
        judgement=of_latest[-1] if of_latest else known,
        settled_at=max(settled, default=None),
        loops=tuple(_loops(t, t.links.rows(owner.id, subject))),
    )


def _line(latest: KeptMail, owner: Owner) -> str:
    """Who and what about; of what the owner wrote, to whom."""
    if not latest.by_owner:
        return mail_card.in_line(latest, owner.language)
    to = latest.mail.to[0] if latest.mail.to else None
    return mail_card.to_line(to, latest, owner.language)


def _loops(t: Tables, rows: Iterable[str]) -> Iterator[Loop]:
    for row in rows:
        name, _, number = row.partition(":")
        if name == "loop" and (loop := t.loops.get(int(number))) is not None:
            yield loop


def standing_clashes(t: Tables, owner: Owner, now: datetime) -> tuple[Conflict, ...]:
    """The conflicts of the coming days, as far as calendars are kept up: these are told unasked."""
    stored = t.calendars.between(owner.id, now, now + CLASHES_WITHIN_FOR, limit=EVENTS_MAX, kept_up=True)
    return conflicts([one.event for one in stored], now=now, horizon=CLASHES_WITHIN_FOR)
