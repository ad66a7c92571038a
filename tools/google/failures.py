"""What can go wrong with Google, finer than a source has to know: whether the call can have had an effect.

SourceDown
├── Unreached      the call never arrived
├── Lost           it may have arrived, and no answer that is one came back
├── NotThere       404 or 410: no such thing, or not any more
└── Declined       any other 4xx: nothing was done
SlowDown
├── Throttled      429 or a 403 for the rate: nothing was done
└── Overloaded     5xx with a Retry-After: it may have been done
SignInRefused
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from tools.source import SignInRefused, SlowDown, SourceDown

WAIT_FOR = timedelta(minutes=1)
"""How long to wait where Google asks for patience and doesn't say how much: its quotas count by the minute."""

WAIT_FOR_THE_DAY = timedelta(hours=1)
"""The same when the day's quota is used up."""

WAIT_MOST_FOR = timedelta(days=1)

_RATES = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED"})
_DAYS = frozenset({"dailyLimitExceeded"})
_SCOPES = frozenset({"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})
_OFF = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})
_UNTIL = re.compile(r"[Rr]etry after (\d{4}-\d\d-\d\dT[\d:.]+Z)")


class Unreached(SourceDown):
    """Nobody answers there; the call never arrived."""


class Lost(SourceDown):
    """The call may have arrived, and what came back, if anything, is no answer to it."""


class NotThere(SourceDown):
    """There is no such thing, or not any more (404, 410)."""


class Declined(SourceDown):
    """The call is refused as it stands (4xx), and nothing was done. `reason` is Google's word for why."""

    def __init__(self, message: str, *, status: int, reason: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class Throttled(SlowDown):
    """Too many calls; this one was not done."""


class Overloaded(SlowDown):
    """Google asks for patience in the middle of a fault; the call may have been done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer that is a refusal. `headers` have their names in lower case; `renewal` is the command that signs in anew."""

    service: str
    status: int
    headers: Mapping[str, str]
    content: bytes
    renewal: str

    @property
    def reasons(self) -> frozenset[str]:
        """Google's words for why; they stand in two places, by the age of the service."""
        error = self._error()
        entries = [*_listed(error.get("errors")), *_listed(error.get("details"))]
        return frozenset(str(entry["reason"]) for entry in entries if "reason" in entry)

    @property
    def message(self) -> str:
        """What Google says about it, for recognising a date in it; never shown, for it may quote what was sent."""
        return str(self._error().get("message", ""))

    def _error(self) -> Mapping[str, object]:
        try:
            error = json.loads(self.content)["error"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {}
        return error if isinstance(error, dict) else {}


def failure_of(refusal: Refusal, now: datetime) -> SourceDown | SlowDown | SignInRefused:
    """The error that `refusal` means. `now` counts for a Retry-After that is a date."""
    status, service = refusal.status, refusal.service
    if _is_about_pace(refusal):
        return _throttled(refusal, now)
    if status >= 500:
        wait_for = asked_for(refusal.headers, "", now)
        if wait_for is not None:
            return Overloaded(f"{service} is overloaded ({status})", wait_for)
        return Lost(f"{service} has a fault ({status})")
    if status in (404, 410):
        return NotThere(f"{service} knows no such thing ({status})")
    return _about_permission(refusal) or _declined(refusal)


def _is_about_pace(refusal: Refusal) -> bool:
    return refusal.status == 429 or (refusal.status == 403 and bool(refusal.reasons & (_RATES | _DAYS)))


def _throttled(refusal: Refusal, now: datetime) -> Throttled:
    usual = WAIT_FOR_THE_DAY if refusal.reasons & _DAYS else WAIT_FOR
    wait_for = asked_for(refusal.headers, refusal.message, now)
    return Throttled(f"{refusal.service} asks for patience ({refusal.status})", wait_for or usual)


def _about_permission(refusal: Refusal) -> SignInRefused | None:
    service, reasons = refusal.service, refusal.reasons
    if refusal.status == 401:
        return SignInRefused(f"Google no longer accepts the sign-in. Run: {refusal.renewal}")
    if refusal.status == 403 and reasons & _SCOPES:
        return SignInRefused(f"the permission for this was not given or was taken back. Run: {refusal.renewal}")
    if refusal.status == 403 and reasons & _OFF:
        return SignInRefused(f"{service} is not switched on in your Google project: enable its API there and try again")
    return None


def _declined(refusal: Refusal) -> Declined:
    reason = next(iter(sorted(refusal.reasons)), "no reason given")
    said = f"{refusal.service} refuses the call ({refusal.status}, {reason})"
    return Declined(said, status=refusal.status, reason=reason)


def asked_for(headers: Mapping[str, str], message: str, now: datetime) -> timedelta | None:
    """How long the server asks to be left alone: seconds or a date in Retry-After, or Gmail's date in the message."""
    told = headers.get("retry-after", "").strip()
    if told.isascii() and told.isdigit() and len(told) < 9:
        return min(timedelta(seconds=int(told)), WAIT_MOST_FOR)
    until = _date(told) or _until(message)
    return min(max(until - now, timedelta(0)), WAIT_MOST_FOR) if until is not None else None


def _date(told: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(told)
    except (ValueError, IndexError, TypeError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _until(message: str) -> datetime | None:
    found = _UNTIL.search(message)
    try:
        return datetime.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def _listed(entries: object) -> list[Mapping[str, object]]:
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
