"""The audit read back: what left, when, under which approval and tap; what was refused and why; what a model was called for.

audit rows ──────┐
dispatch steps ──┼─► entries, newest first ─► those that were asked for
model calls ─────┘
approvals, drafts, signals: who it went to and when the owner tapped, as far as that is still kept
"""

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cache
from typing import Literal

from memory.audit import AuditRow
from memory.dispatch import DispatchStep
from memory.errors import BadInput, NotFound
from memory.ledger import Tables
from memory.owner import Owner
from memory.recipient import among
from memory.spending import Call

EXIT = "exit"
"""The agent whose deeds are what leaves."""

REFUSED = frozenset({"refused", "failed", "rejected", "unknown"})
"""The ends that are looked for where somebody asks what did not happen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which entries. Everything that is None, or False, asks for all.

    agent, tool: exactly this name; a tool also by what stands before its first dot ("send"). person: an address. since,
    until: aware UTC. outward: what left or was to leave, and what was refused, without the calls that only read.
    """

    agent: str | None = None
    tool: str | None = None
    person: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    refused: bool = False
    outward: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened.

    kind: *call* (of a tool, or a question put to the owner), *leaving* (a step of something that leaves), *model* (a call
    of a model). outcome: how it ended. digest: of the envelope, or of a call's arguments; "" for a model's. to: whom it
    goes to; None where that was never known, or was erased. became: what stands of the question that was put. tapped_at:
    when the owner tapped.
    """

    kind: Literal["call", "leaving", "model"]
    id: int
    at: datetime
    agent: str
    tool: str
    outcome: str
    because: str
    subject: str | None = None
    digest: str = ""
    to: tuple[str, ...] | None = None
    approval: int | None = None
    became: str | None = None
    tapped_at: datetime | None = None
    turn: int | None = None
    dispatch: int | None = None
    cost_usd: float | None = None
    tokens: tuple[int, int] | None = field(default=None)

    @property
    def is_outward(self) -> bool:
        """Whether it is about something that leaves, or was refused."""
        return self.kind == "leaving" or self.agent == EXIT or self.is_refused

    @property
    def is_refused(self) -> bool:
        """Whether it did not happen: a rule, the owner or the other side said no, or nobody can say."""
        return self.outcome in REFUSED or self.became in REFUSED


def entries(t: Tables, owner_id: int, wanted: Wanted) -> Iterator[Entry]:
    """The entries that are wanted, newest first. To be used up within the unit of work."""
    known = _Known(t)
    every = heapq.merge(
        (known.call(row) for row in t.audit.between(owner_id, wanted.since, wanted.until)),
        (known.leaving(step) for step in t.dispatches.steps(owner_id, wanted.since, wanted.until)),
        (_model(call) for call in t.spendings.between(owner_id, wanted.since, wanted.until)),
        key=lambda entry: (entry.at, entry.id),
        reverse=True,
    )
    return (entry for entry in every if is_wanted(entry, wanted))


def newest_steps(found: Iterable[Entry]) -> Iterator[Entry]:
    """Of each thing that leaves its newest step alone."""
    seen: set[int] = set()
    for entry in found:
        if entry.dispatch is None or entry.dispatch not in seen:
            yield entry
        if entry.dispatch is not None:
            seen.add(entry.dispatch)


def is_wanted(entry: Entry, wanted: Wanted) -> bool:
    """Whether it is one of those."""
    if wanted.refused and not entry.is_refused:
        return False
    if wanted.outward and not entry.is_outward:
        return False
    if wanted.agent is not None and entry.agent != wanted.agent:
        return False
    if wanted.tool is not None and wanted.tool not in (entry.tool, entry.tool.partition(".")[0]):
        return False
    return wanted.person is None or (entry.to is not None and among(wanted.person, entry.to))


def of_day(owner: Owner, day: date) -> tuple[datetime, datetime]:
    """From when until when a day of the owner's lasts, aware UTC."""
    start, end = (datetime.combine(on, datetime.min.time()) for on in (day, day + timedelta(days=1)))
    return owner.zones.wall_to_utc(start), owner.zones.wall_to_utc(end)


def day_named(text: str, today: date) -> date | None:
    """The day that a word or an ISO date means; None for anything else."""
    days = {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1}
    if text.lower() in days:
        return today - timedelta(days=days[text.lower()])
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


class _Known:
    """What is still kept beside the rows, looked up once each."""

    def __init__(self, t: Tables) -> None:
        self._t = t
        self._recipients = cache(self._of_draft)
        self._asked = cache(self._of_approval)
        self._tapped = cache(self._of_signal)

    def call(self, row: AuditRow) -> Entry:
        approval = _number(row.subject, "approval:")
        to, tapped_at, became = self._asked(approval) if approval is not None else (None, None, None)
        return Entry(
            kind="call",
            id=row.id,
            at=row.at,
            agent=row.agent,
            tool=row.tool,
            outcome=row.outcome,
            because=row.because,
            subject=row.subject,
            digest=row.arguments_digest,
            to=to,
            approval=approval,
            became=became if row.outcome == "asked" else None,
            tapped_at=tapped_at,
            turn=row.turn_id,
        )

    def leaving(self, step: DispatchStep) -> Entry:
        to, tapped_at, _ = self._asked(step.approval_id)
        return Entry(
            kind="leaving",
            id=step.id,
            at=step.at,
            agent=EXIT,
            tool=step.transport,
            outcome=step.state,
            because=step.because,
            subject=f"dispatch:{step.dispatch_id}",
            digest=step.digest,
            to=to,
            approval=step.approval_id,
            tapped_at=tapped_at,
            dispatch=step.dispatch_id,
        )

    def _of_approval(self, approval_id: int) -> tuple[tuple[str, ...] | None, datetime | None, str | None]:
        approval = self._t.approvals.get(approval_id)
        if approval is None:
            return None, None, None
        return self._recipients(approval.draft_id), self._tapped(approval.tapped_by), approval.state

    def _of_draft(self, draft_id: int) -> tuple[str, ...] | None:
        try:
            return tuple(one.address for one in self._t.drafts.get(draft_id).envelope.recipients)
        except (NotFound, BadInput):
            return None

    def _of_signal(self, signal_id: int | None) -> datetime | None:
        return self._t.signals.get(signal_id).received_at if signal_id is not None else None


def _model(call: Call) -> Entry:
    return Entry(
        kind="model",
        id=call.id,
        at=call.at,
        agent=call.label,
        tool=call.model,
        outcome=call.state,
        because=f"{call.input_tokens:,} tokens in, {call.output_tokens:,} out",
        cost_usd=call.cost_usd,
        tokens=(call.input_tokens, call.output_tokens),
    )


def _number(subject: str | None, prefix: str) -> int | None:
    number = (subject or "").removeprefix(prefix)
    return int(number) if subject and subject.startswith(prefix) and number.isdigit() else None
