"""A calendar as a file (.ics): its events and series as documents, and as objects for the calendar's rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory.event import Event
from memory.search.document import Document
from tools.corpora.events import beginning, documents_of
from tools.corpora.reading import Circumstance, FileObject
from tools.filetext import decoded
from tools.ics.lines import EVERYTHING, Scanned, scan, single_items
from tools.ics.plain import one_line
from tools.ics.reading import occurrences

MOST_BYTES = 50_000_000
OBJECTS_MAX = 50_000
FAULTS_MAX = 50

_NEAR = timedelta(days=60), timedelta(days=200)
_LONG = timedelta(days=3 * 365)
_START = re.compile(r"(\d{4})(\d{2})(\d{2})")


@dataclass(frozen=True, slots=True)
class CalendarRead:
    """What was found, under the name that the calendar gives itself. faults: what could not be read, in words."""

    documents: Sequence[Document]
    faults: tuple[str, ...]
    name: str = ""
    objects: Sequence[FileObject] = ()


def read_calendar(raw: bytes, *, under: str, name: str, about: Circumstance) -> CalendarRead:
    """What a calendar's text holds. under: what the refs of its documents begin with. Never raises."""
    if len(raw) > MOST_BYTES:
        return CalendarRead((), (f"larger than {MOST_BYTES // 1_000_000} MB",))
    scanned = scan(decoded(raw), most_characters=EVERYTHING, most_events=OBJECTS_MAX)
    if not scanned.is_calendar:
        return CalendarRead((), ("it is no calendar",))
    faults = dict.fromkeys(scanned.faults)
    called = one_line(scanned.head.value("X-WR-CALNAME").replace("\\,", ",").replace("\\;", ";"), 120) or name
    documents: list[Document] = []
    objects: list[FileObject] = []
    for uid, ics in single_items(scanned):
        events, why = _events(uid, ics, under, about)
        faults.update(dict.fromkeys(why))
        own = beginning(0, under, uid)
        documents += documents_of(events, under=own, calendar=called, mine=about.addresses, now=about.now)
        objects.append(FileObject(uid, ics, tuple(events)))
    return CalendarRead(documents, (*_whole(scanned), *faults)[:FAULTS_MAX], called, objects)


def _whole(scanned: Scanned) -> tuple[str, ...]:
    return () if scanned.is_whole else ("it breaks off before its end",)


def _events(uid: str, ics: str, calendar: str, about: Circumstance) -> tuple[Sequence[Event], Sequence[str]]:
    """The occurrences around now; where there are none, those from its first one on."""
    stretches = [(about.now - _NEAR[0], about.now + _NEAR[1])]
    if first := _from_its_start(ics):
        stretches.append(first)
    why: Sequence[str] = ()
    for from_at, to_at in stretches:
        found = occurrences(
            ics, calendar=calendar, ref=uid, owner=about.zones, me=about.addresses, from_at=from_at, to_at=to_at
        )
        why = found.faults
        if found.events:
            break
    return found.events, why


def _from_its_start(ics: str) -> tuple[datetime, datetime] | None:
    """The years after its first day; None where it tells none, or one at an end of the calendar."""
    starts = [line for line in ics.splitlines() if line.upper().startswith("DTSTART")]
    days = sorted(found.groups() for line in starts if (found := _START.search(line.rpartition(":")[2])))
    if not days:
        return None
    year, month, day = map(int, days[0])
    try:
        began = datetime(year, month, day, tzinfo=UTC)
        return began - timedelta(days=2), began + _LONG
    except (ValueError, OverflowError):
        return None
