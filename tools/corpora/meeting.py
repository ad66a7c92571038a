"""A meeting: the owner's notes of one, or a transcript of it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath

from memory.search.document import PEOPLE_MAX, TITLE_MAX, Document
from memory.zones import Timeline
from tools.corpora.note import clock_in, day_in, read_note
from tools.corpora.transcript import read_transcript

TRANSCRIPTS = (".vtt", ".srt")

# As Zoom names a recording: the moment it began, in Greenwich.
_RECORDED = re.compile(r"GMT(\d{8})-(\d{6})")
_OF_A_PROGRAM = re.compile(
    r"[ _.-]*(?:GMT\d{8}-\d{6}|transcript|transkript|recording|aufzeichnung|captions?)[ _.-]*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What was said or noted. at: aware UTC. by_owner: the owner wrote it down. bad_lines: as in a transcript."""

    title: str
    text: str
    at: datetime
    people: tuple[tuple[str, str], ...]
    by_owner: bool
    bad_lines: tuple[int, ...] = ()


def read_meeting(text: str, *, name: str, changed_at: datetime, zones: Timeline) -> Meeting | None:
    """The meeting in a file of this name; None when there is nothing in it. Never raises."""
    stem = PurePath(name).stem
    if PurePath(name).suffix.lower() not in TRANSCRIPTS:
        note = read_note(text, name=stem, changed_at=changed_at, zones=zones)
        if not note.text:
            return None
        return Meeting(title=note.title, text=note.text, at=note.at, people=note.people, by_owner=True)
    found = read_transcript(text)
    if not found.spoken:
        return None
    title = " ".join(_OF_A_PROGRAM.sub(" ", stem).replace("_", " ").split()) or stem
    people = tuple((who, "") for who in found.speakers)[:PEOPLE_MAX]
    return Meeting(
        title=title,
        text=found.text,
        at=_began_at(stem, changed_at, zones),
        people=people,
        by_owner=False,
        bad_lines=found.bad_lines,
    )


def document_of(meeting: Meeting, *, ref: str, place: str) -> Document:
    """The meeting as it is found."""
    return Document(
        corpus="meeting",
        ref=ref,
        who="you" if meeting.by_owner else meeting.people[0][0] if len(meeting.people) == 1 else "",
        title=meeting.title[:TITLE_MAX],
        text=meeting.text,
        at=meeting.at,
        place=place,
        people=meeting.people,
        by_owner=meeting.by_owner,
    )


def _began_at(stem: str, changed_at: datetime, zones: Timeline) -> datetime:
    """When it began, as the file's name tells; else when the file was made."""
    if found := _RECORDED.search(stem):
        try:
            return datetime.strptime("".join(found.groups()), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            pass
    day = day_in(stem)
    if day is None:
        return changed_at
    clock = clock_in(re.sub(r"\d{4}[-_.]?\d{2}[-_.]?\d{2}|\d{1,2}\.\d{1,2}\.\d{4}", " ", stem, count=1))
    return zones.wall_to_utc(datetime.combine(day, clock or datetime.min.time()))
