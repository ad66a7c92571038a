"""A sender gone quiet, against that person's own rhythm.

Silent means a gap of more than QUIET_TIMES the median gap (eight times: the tie most likely decays; Navarro, Miritello,
Canales, Moro: Temporal patterns behind the strength of persistent ties, EPJ Data Science 6:31, 2017). Somebody who writes
daily is not missed after a week of holidays, and one who has been silent for years is history: hence the two bounds.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from memory.detectors.finding import Finding
from memory.people.joining import Joined
from memory.people.rhythm import rhythm

QUIET_TIMES = 8
MESSAGES_MIN = 5
SITTINGS_MIN = 4
"""Five mails on two days are a conversation, no rhythm."""
QUIET_MIN_FOR = timedelta(days=14)
QUIET_MAX_FOR = timedelta(days=400)


def quiet_sender(person: Joined | None, written_at: Iterable[datetime], *, now: datetime) -> Finding | None:
    """Whether a person who used to write has stopped; due_at is when the silence became one.

    person: None for a robot, a role or a shared mailbox: they are never missed. written_at: every mail that came from
    any of the person's addresses, aware UTC. detail: "8 of 23": the median gap in days, and the mails counted.
    """
    if person is None:
        return None
    found = rhythm(written_at, now=now)
    if found is None or found.messages < MESSAGES_MIN or found.sittings < SITTINGS_MIN:
        return None
    allowed_for = max(found.median_gap_for * QUIET_TIMES, QUIET_MIN_FOR)
    if not allowed_for < found.silent_for <= QUIET_MAX_FOR:
        return None
    median_days = max(1, round(found.median_gap_for / timedelta(days=1)))
    return Finding(
        kind="quiet",
        detail=f"{median_days} of {found.messages}",
        due_at=found.last_at + allowed_for,
        is_past=True,
    )
