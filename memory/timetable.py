"""The timetable: what is due, worked out from the ledger in the owner's zone. No scheduler remembers anything.

Each firing has a `source_id` of its own (brief:2026-10-25), so that firing twice is harmless, and a date in the owner's
zone, so that an hour that comes twice in autumn, or not at all in spring, changes nothing.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from memory import company, heads_up
from memory.approval import Approval, is_unspent
from memory.dispatch import LOOK_FOR, Dispatch, is_unsettled
from memory.event import Event
from memory.heads_up import LEAD_FOR, HeadsUp
from memory.owner import Owner
from memory.reminder import Reminder

DAILY: Mapping[str, time] = {"backup": time(3, 30), "unroll": time(3, 45), "facts": time(4, 15), "review": time(7, 10)}
"""When the daily duties of the house come round, in the owner's zone: in the hours in which the least happens, and the
review before the usual brief."""

WEEKLY: Mapping[str, tuple[int, time]] = {"train": (6, time(4, 0))}
"""The same for what comes once a week: the weekday (0 is Monday) and the time."""

BRIEF_LATEST_FOR = timedelta(hours=14)
"""A brief that is later than this waits for the next morning: nobody wants the morning told at night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """A duty that is due: it becomes a signal of the source "timetable"."""

    kind: str
    source_id: str
    planned_at: datetime
    payload: dict[str, Any] = field(default_factory=dict)


def due(
    *,
    owner: Owner,
    reminders: Sequence[Reminder],
    notice_due_at: datetime | None,
    now: datetime,
    daily: Mapping[str, time] | None = None,
    weekly: Mapping[str, tuple[int, time]] | None = None,
    events: Sequence[Event] = (),
    approvals: Sequence[Approval] = (),
    dispatches: Sequence[Dispatch] = (),
) -> list[Firing]:
    """Everything whose time has come at `now`, done before or not; the signal's `source_id` sorts that out.

    `notice_due_at` is when the earliest held notice that waits for its own time may be said. `daily` and `weekly` say in
    the owner's zone when duties come round. `events` are those that may begin within memory.heads_up.LEAD_FOR;
    `approvals` and `dispatches` those that are not final.
    """
    firings = [_tick(now)]
    brief = _brief(owner, now)
    if brief is not None:
        firings.append(brief)
    firings += [_reminder(reminder, owner) for reminder in reminders if reminder.due_at(owner.zones) <= now]
    if notice_due_at is not None and notice_due_at <= now:
        firings.append(
            Firing(kind="notices", source_id=f"notices:{notice_due_at.isoformat()}", planned_at=notice_due_at)
        )
    rounds = [_round(owner, kind, at, range(7), now) for kind, at in (daily or {}).items()]
    rounds += [_round(owner, kind, at, (weekday,), now) for kind, (weekday, at) in (weekly or {}).items()]
    firings += [firing for firing in rounds if firing is not None]
    firings += [_heads_up(told) for told in heads_up.due(events, (), now)]
    firings += [_company(copies[0]) for copies in company.due(events, now)]
    firings += [firing for one in approvals for firing in _of_approval(one, now)]
    firings += [_unsettled(one) for one in dispatches if is_unsettled(one, now)]
    return firings


def _of_approval(approval: Approval, now: datetime) -> Iterator[Firing]:
    """What its time brings: the end of waiting; the alarm that a yes has come to nothing."""
    payload = {"approval": approval.id}
    if now >= approval.expires_at:
        yield Firing(kind="lapse", source_id=f"lapse:{approval.id}", planned_at=approval.expires_at, payload=payload)
    elif is_unspent(approval, now):
        yield Firing(kind="exit_late", source_id=f"unspent:{approval.id}", planned_at=now, payload=payload)


def _unsettled(dispatch: Dispatch) -> Firing:
    return Firing(
        kind="exit_late",
        source_id=f"unsettled:{dispatch.id}",
        planned_at=dispatch.taken_at + LOOK_FOR,
        payload={"dispatch": dispatch.id},
    )


def _tick(now: datetime) -> Firing:
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return Firing(kind="tick", source_id=f"tick:{hour:%Y-%m-%dT%H}Z", planned_at=hour)


def _round(owner: Owner, kind: str, wall: time, weekdays: Container[int], now: datetime) -> Firing | None:
    """The latest time that it came round, however late it is now; none for a day before the owner was here."""
    today = owner.zones.wall_at(now).date()
    days = (today - timedelta(days=back) for back in range(8))
    planned = (owner.zones.wall_to_utc(datetime.combine(on, wall)) for on in days if on.weekday() in weekdays)
    planned_at = next((at for at in planned if at <= now), None)
    if planned_at is None or planned_at < owner.created_at:
        return None
    on = owner.zones.wall_at(planned_at).date()
    return Firing(kind=kind, source_id=f"{kind}:{on.isoformat()}", planned_at=planned_at)


def _brief(owner: Owner, now: datetime) -> Firing | None:
    """The latest brief whose time has come, unless the owner was not yet here then, or it is too late for it."""
    today = owner.zones.wall_at(now).date()
    for on in (today, today - timedelta(days=1)):
        planned_at = owner.zones.wall_to_utc(datetime.combine(on, owner.brief_at))
        if planned_at <= now:
            stale = now - planned_at > BRIEF_LATEST_FOR or planned_at < owner.created_at
            source_id = f"brief:{on.isoformat()}"
            return (
                None
                if stale
                else Firing(kind="brief", source_id=source_id, planned_at=planned_at, payload={"on": on.isoformat()})
            )
    return None


def _heads_up(told: HeadsUp) -> Firing:
    event = told.event
    return Firing(
        kind="heads_up",
        source_id=told.keys[0],
        planned_at=event.start_at - LEAD_FOR,
        payload=_which(event),
    )


def _company(event: Event) -> Firing:
    return Firing(
        kind=company.KIND,
        source_id=company.firing_of(event),
        planned_at=event.start_at - company.LEAD_FOR,
        payload=_which(event),
    )


def _which(event: Event) -> dict[str, Any]:
    """Which occurrence, at which start: if it begins at another time by then, it is not meant any more."""
    return {"uid": event.uid, "occurrence": event.occurrence, "start_at": event.start_at.isoformat()}


def _reminder(reminder: Reminder, owner: Owner) -> Firing:
    return Firing(
        kind="reminder",
        source_id=f"reminder:{reminder.id}:{reminder.wall.isoformat()}",
        planned_at=reminder.due_at(owner.zones),
        payload={"reminder": reminder.id, "wall": reminder.wall.isoformat()},
    )
