"""The timetable: what is due, worked out from the ledger in the owner's zone. No scheduler remembers anything.

Each firing has a `source_id` of its own (brief:2026-10-25), so that firing twice is harmless, and a date in the owner's
zone, so that an hour that comes twice in autumn, or not at all in spring, changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any

from memory.owner import Owner
from memory.reminder import Reminder

BACKUP_AT = time(3, 30)
"""When the daily backup is made, in the owner's zone: the hour in which the least happens."""

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
    backup_at: time | None = None,
) -> list[Firing]:
    """Everything whose time has come at `now`, done before or not; the signal's `source_id` sorts that out.

    `notice_due_at` is when the earliest held notice that waits for its own time may be said, `backup_at` the time of day
    in the owner's zone at which the daily backup is made (None: none is).
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
    if backup_at is not None and (backup := _backup(owner, backup_at, now)) is not None:
        firings.append(backup)
    return firings


def _tick(now: datetime) -> Firing:
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return Firing(kind="tick", source_id=f"tick:{hour:%Y-%m-%dT%H}Z", planned_at=hour)


def _backup(owner: Owner, backup_at: time, now: datetime) -> Firing | None:
    """Today's backup or, before its time, yesterday's, however late; none for a day before the owner was here."""
    planned_at = _latest(owner, backup_at, now)
    if planned_at is None or planned_at < owner.created_at:
        return None
    on = owner.zones.wall_at(planned_at).date()
    return Firing(kind="backup", source_id=f"backup:{on.isoformat()}", planned_at=planned_at)


def _latest(owner: Owner, wall: time, now: datetime) -> datetime | None:
    """When it was last this time of day on the owner's clock."""
    today = owner.zones.wall_at(now).date()
    planned = (owner.zones.wall_to_utc(datetime.combine(on, wall)) for on in (today, today - timedelta(days=1)))
    return next((at for at in planned if at <= now), None)


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


def _reminder(reminder: Reminder, owner: Owner) -> Firing:
    return Firing(
        kind="reminder",
        source_id=f"reminder:{reminder.id}:{reminder.wall.isoformat()}",
        planned_at=reminder.due_at(owner.zones),
        payload={"reminder": reminder.id, "wall": reminder.wall.isoformat()},
    )
