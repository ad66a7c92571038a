"""A clock that a test turns by hand."""

from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""A Monday morning in winter: ten o'clock in Berlin, four at night in New York."""


class FakeClock:
    """Stands still until `advance`, or moves by `step_for` at every look, so that whatever was to come later has come."""

    def __init__(self, at: datetime = NOW, *, step_for: timedelta = timedelta(0)) -> None:
        self._at = at
        self._step_for = step_for

    def now(self) -> datetime:
        """The present (aware, UTC)."""
        self._at += self._step_for
        return self._at

    def advance(self, by: timedelta) -> datetime:
        """Turn it, back too if `by` is negative; the new present."""
        self._at += by
        return self._at
