"""The cursor: how far an account has been read, as text that the ledger keeps beside the mails.

    Mark      one folder: its UIDVALIDITY, the last uid read, and how the newest mails stood when they were last looked at
    Stretch   mails that are read by date rather than by uid: a backfill, or a gap after a folder was numbered anew.
              `after` is where it stands, so a crash in the middle goes on and does not begin again

Everything here is a pure change from one value to the next.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from memory.clock import aware
from tools.imap.answer import Fetched, Stamp
from tools.imap.uids import read_uids, spelled

KNOWN_LIMIT = 500
"""Of so many of a folder's newest mails it is known whether they are still there and read."""

GAP_SLACK_FOR = timedelta(days=1)
"""A gap begins so long before the last known moment: servers' clocks differ, and what comes twice is recognised."""

Place = tuple[datetime, str, int]
"""Where a mail stands in a stretch: when it was received, its folder, its uid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One folder. at: the newest moment known there, aware UTC. known, unread: among the KNOWN_LIMIT newest uids."""

    validity: int
    last: int
    at: datetime | None = None
    known: frozenset[int] = frozenset()
    unread: frozenset[int] = frozenset()
    stamp: Stamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """upto: by folder the last uid that belongs to it; what is newer is read as news."""

    why: Literal["backfill", "gap"]
    since: datetime
    upto: Mapping[str, int]
    after: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    marks: Mapping[str, Mark] = field(default_factory=dict)
    stretches: tuple[Stretch, ...] = ()

    def with_mark(self, name: str, mark: Mark) -> "Cursor":
        return replace(self, marks={**self.marks, name: mark})

    def without(self, name: str) -> "Cursor":
        """A folder is no longer read."""
        return replace(
            self,
            marks={other: mark for other, mark in self.marks.items() if other != name},
            stretches=_without(self.stretches, name),
        )

    def with_arrived(self, name: str, mails: Iterable[Fetched], *, last: int, now: datetime) -> "Cursor":
        """Mails of one folder were read, up to uid `last`. A moment that lies ahead of `now` is not believed."""
        mark, mails = self.marks[name], list(mails)
        moments = [mail.received_at for mail in mails if mail.received_at is not None and mail.received_at <= now]
        known = _newest(mark.known | {mail.uid for mail in mails})
        unread = (mark.unread | {mail.uid for mail in mails if not mail.is_read}) & known
        at = max([*moments, *([mark.at] if mark.at else [])], default=None)
        return self.with_mark(name, replace(mark, last=max(mark.last, last), at=at, known=known, unread=unread))


def begun(stamps: Mapping[str, Stamp], *, since: datetime) -> Cursor:
    """The cursor of an account that was never read: a backfill of everything since `since`."""
    marks = {name: _fresh(stamp) for name, stamp in stamps.items()}
    upto = {name: mark.last for name, mark in marks.items()}
    return Cursor(marks=marks, stretches=(Stretch(why="backfill", since=since, upto=upto),))


def continued(cursor: Cursor, stamps: Mapping[str, Stamp], *, since: datetime) -> Cursor:
    """A cursor held against the folders as they stand: those that are new or numbered anew get a gap of their own."""
    for name, stamp in stamps.items():
        mark = cursor.marks.get(name)
        if mark is not None and mark.validity == stamp.validity and mark.last < max(stamp.next_uid, 1):
            continue
        at = mark.at if mark else None
        fresh = replace(_fresh(stamp), at=at)
        gap = Stretch(why="gap", since=max(since, at - GAP_SLACK_FOR) if at else since, upto={name: fresh.last})
        stretches = (*_without(cursor.stretches, name), gap)
        cursor = replace(cursor.with_mark(name, fresh), stretches=stretches)
    return cursor


def read_cursor(text: str) -> Cursor:
    """What `spell_cursor` wrote. Text that is no cursor is one that knows nothing: what it stood for is a gap."""
    try:
        given = json.loads(text)
        marks = {str(name): _mark(mark) for name, mark in given["folders"].items()}
        return Cursor(marks=marks, stretches=tuple(_stretch(stretch) for stretch in given["stretches"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Cursor()


def spell_cursor(cursor: Cursor) -> str:
    """Equal cursors have equal texts."""
    given = {
        "folders": {name: _spelled_mark(mark) for name, mark in cursor.marks.items()},
        "stretches": [_spelled_stretch(stretch) for stretch in cursor.stretches],
    }
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _fresh(stamp: Stamp) -> Mark:
    return Mark(validity=stamp.validity, last=max(stamp.next_uid - 1, 0))


def _newest(uids: frozenset[int]) -> frozenset[int]:
    return frozenset(sorted(uids)[-KNOWN_LIMIT:])


def _without(stretches: Iterable[Stretch], name: str) -> tuple[Stretch, ...]:
    left = (
        replace(stretch, upto={other: uid for other, uid in stretch.upto.items() if other != name})
        for stretch in stretches
    )
    return tuple(stretch for stretch in left if stretch.upto)


def _mark(given: Any) -> Mark:
    stamp = given["stamp"]
    return Mark(
        validity=int(given["validity"]),
        last=int(given["last"]),
        at=_moment(given["at"]) if given["at"] else None,
        known=read_uids(given["known"]),
        unread=read_uids(given["unread"]),
        stamp=Stamp(
            validity=int(given["validity"]),
            next_uid=int(stamp[0]),
            mails=int(stamp[1]),
            unread=int(stamp[2]),
            modseq=int(stamp[3]),
        )
        if stamp
        else None,
    )


def _spelled_mark(mark: Mark) -> dict[str, Any]:
    stamp = mark.stamp
    return {
        "validity": mark.validity,
        "last": mark.last,
        "at": mark.at.isoformat() if mark.at else None,
        "known": spelled(mark.known),
        "unread": spelled(mark.unread),
        "stamp": [stamp.next_uid, stamp.mails, stamp.unread, stamp.modseq] if stamp else None,
    }


def _stretch(given: Any) -> Stretch:
    if (why := given["why"]) not in ("backfill", "gap"):
        raise ValueError("no stretch")
    after = given["after"]
    return Stretch(
        why=why,
        since=_moment(given["since"]),
        upto={str(name): int(uid) for name, uid in given["upto"].items()},
        after=(_moment(after[0]), str(after[1]), int(after[2])) if after else None,
    )


def _spelled_stretch(stretch: Stretch) -> dict[str, Any]:
    after = stretch.after
    return {
        "why": stretch.why,
        "since": stretch.since.isoformat(),
        "upto": dict(stretch.upto),
        "after": [after[0].isoformat(), after[1], after[2]] if after else None,
    }


def _moment(text: str) -> datetime:
    return aware(datetime.fromisoformat(text))
