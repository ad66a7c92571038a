"""How our values stand in columns."""

from datetime import UTC, datetime, time
from typing import Any

from sqlalchemy import String
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from memory.clock import aware

NOW_SQL = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
"""The present, spelled as `UtcDateTime` spells it: the default of a row inserted by hand."""


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC datetime as `2026-10-25T00:59:59.123Z`: readable in a shell, and in order as text."""

    impl = String(24)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return aware(value).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value).astimezone(UTC)


class WallDateTime(TypeDecorator[datetime]):
    """A naive wall time as `2026-10-25T08:00:00`: what the owner's clock will show, in whatever zone."""

    impl = String(19)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        if value.tzinfo is not None:
            raise ValueError(f"an aware datetime where wall time is meant: {value!r}")
        return value.isoformat(timespec="seconds")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


class WallTime(TypeDecorator[time]):
    """A time of day as `07:30`."""

    impl = String(5)
    cache_ok = True

    def process_bind_param(self, value: time | None, dialect: Dialect) -> str | None:
        return None if value is None else value.strftime("%H:%M")

    def process_result_value(self, value: Any | None, dialect: Dialect) -> time | None:
        return None if value is None else time.fromisoformat(value)
