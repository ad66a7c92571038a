"""A calendar that is a file, or an address one can subscribe to. It is read whole, and only when it has changed."""

import asyncio
import json
import os
import stat
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import httpx

from tools.calendar import CalendarBatch, CalendarItem
from tools.ics.lines import EVERYTHING, scan, single_items
from tools.ics.plain import one_line
from tools.mail import Checked
from tools.source import SignInRefused, SourceDown
from tools.webline import Answer, Manners, WebLine, judge, read_address

MOST_BYTES = 20_000_000
CALENDAR = "calendar"
"""The id of the one calendar that there is."""
LOOK_EVERY = timedelta(seconds=2)
"""How often a file is looked at while one waits for it to change."""

_NAME_MOST = 120
_REF_MOST = 300
_WEB = ("http://", "https://", "webcal://", "webcals://")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the cursor keeps: the text's hash, and what the server calls this state of it."""

    hash: str = ""
    etag: str = ""
    modified: str = ""


class IcsCalendar:
    """One calendar, at a path or an address (https, webcal; http only on this machine unless `allow_plain`).

    Raises BadInput for an address that is not asked. An address may hold a secret: no message or log repeats it.
    """

    def __init__(
        self,
        where: Path | str,
        *,
        name: str = "",
        allow_plain: bool = False,
        silence_for: timedelta = timedelta(seconds=30),
        look_every: timedelta = LOOK_EVERY,
    ) -> None:
        if isinstance(where, str) and where.strip().lower().startswith(_WEB):
            self._url: httpx.URL | None = read_address(where, allow_plain=allow_plain)
            self._path = Path()
        else:
            self._url, self._path = None, Path(where).expanduser()
        self._name = name
        self._look_every = look_every
        self._mark: tuple[int, ...] | None = None
        self._line = WebLine(Manners(most_bytes=MOST_BYTES, silence_for=silence_for, allow_plain=allow_plain))

    async def batches(self, cursor: str | None, *, skips: Callable[[str], bool]) -> AsyncIterator[CalendarBatch]:
        """Everything that is in it, if it is another text than at `cursor`; nothing else."""
        before = _read_cursor(cursor)
        if skips(self._given_name):
            return
        found = await self._text(before)
        if found is None:
            return
        text, seen = found
        if seen.hash == before.hash:
            if seen != before:
                yield CalendarBatch(cursor=_cursor(seen))
            return
        read = await asyncio.to_thread(_whole, text)
        name = self._name or read.name or self._given_name
        if not skips(name):
            yield CalendarBatch(items=read.items, whole=(CALENDAR,), names={CALENDAR: name}, cursor=_cursor(seen))

    async def wait(self, at_most: timedelta) -> None:
        """Return when the file has changed; for an address, when the time is over."""
        if self._url is not None:
            await asyncio.sleep(at_most.total_seconds())
            return
        try:
            async with asyncio.timeout(at_most.total_seconds()):
                # A file has no event to wait for, short of another dependency.
                while await asyncio.to_thread(_mark_of, self._path) == self._mark:  # noqa: ASYNC110
                    await asyncio.sleep(self._look_every.total_seconds())
        except TimeoutError:
            return

    async def check(self) -> Checked:
        """Read it once."""
        found = await self._text(_Seen())
        if found is None:
            raise SourceDown(f"{self._given_name} answers that nothing has changed since never")
        read = await asyncio.to_thread(_whole, found[0])
        notes = [f"{len(read.items)} events and series"]
        if self._url is not None and self._url.scheme == "http":
            notes.append("it is read without encryption")
        return Checked(identity="", folders=(self._name or read.name or self._given_name,), notes=tuple(notes))

    async def close(self) -> None:
        """Let go of the connection."""
        await self._line.close()

    @property
    def _given_name(self) -> str:
        """What it is called when it does not say so itself."""
        return self._name or (self._url.host if self._url is not None else self._path.stem)

    async def _text(self, before: _Seen) -> tuple[str, _Seen] | None:
        """The text and its state; None when the server says that it is still the same."""
        if self._url is None:
            self._mark, raw = await asyncio.to_thread(_read_file, self._path)
            return _decoded(raw), _Seen(hash=_hash(raw))
        asked = {"If-None-Match": before.etag, "If-Modified-Since": before.modified}
        accept = {"Accept": "text/calendar, */*;q=0.1"}
        answer = await self._line.ask(
            "GET", self._url, headers=accept | {key: value for key, value in asked.items() if value}
        )
        if answer.status == 304 and before.hash:
            return None
        _check(answer)
        seen = _Seen(_hash(answer.body), _header(answer, "etag"), _header(answer, "last-modified"))
        return _decoded(answer.body, answer.headers.get("content-type", "")), seen


@dataclass(frozen=True, slots=True)
class _Read:
    items: tuple[CalendarItem, ...]
    name: str


def _whole(text: str) -> _Read:
    """Every object of a calendar. Raises SourceDown for text that is none, or only half of one."""
    scanned = scan(text, most_characters=EVERYTHING, most_events=EVERYTHING)
    if not scanned.is_calendar:
        kind = "a web page" if "<html" in text[:2_000].lower() else "no calendar"
        raise SourceDown(f"what is there is {kind}: nothing of it is taken, and what was known stays")
    if not scanned.is_whole:
        raise SourceDown("the calendar breaks off before its end: nothing of it is taken, and what was known stays")
    items = tuple(
        CalendarItem(calendar=CALENDAR, ref=_ref(uid), ics=ics, etag=_hash(ics.encode(errors="replace"))[:32])
        for uid, ics in single_items(scanned)
    )
    return _Read(
        items, one_line(scanned.head.value("X-WR-CALNAME").replace("\\,", ",").replace("\\;", ";"), _NAME_MOST)
    )


def _ref(uid: str) -> str:
    """The object's name: its UID, or what stands for one that is missing or endless."""
    if not uid:
        return "without-uid"
    return uid if len(uid) <= _REF_MOST else f"sha256:{_hash(uid.encode(errors='replace'))}"


def _check(answer: Answer) -> None:
    judge(answer)
    host = answer.url.host
    if answer.status == 403:
        raise SignInRefused(f"{host} no longer lets this address in: get a new one there, and add the calendar again")
    if answer.status in (404, 410):
        raise SourceDown(f"{host} has no calendar at this address any more")
    if answer.status != 200:
        raise SourceDown(f"{host} answers with {answer.status}")


def _header(answer: Answer, name: str) -> str:
    return str(answer.headers.get(name, ""))[:400]


def _decoded(raw: bytes, content_type: str = "") -> str:
    """The text. Calendars are UTF-8; old programs write what their machine used."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16", "replace")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        says_utf8 = "utf-8" in content_type.lower()
        return raw.decode("utf-8" if says_utf8 else "cp1252", "replace")


def _read_file(path: Path) -> tuple[tuple[int, ...], bytes]:
    """Its mark and its bytes. Raises SourceDown."""
    try:
        # Without waiting for whoever writes into a pipe.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise SourceDown(f"{path.name} is no file")
            with os.fdopen(handle, "rb", closefd=False) as file:
                raw = file.read(MOST_BYTES + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise SourceDown(f"{path.name} can't be read: {error.strerror}") from error
    if len(raw) > MOST_BYTES:
        raise SourceDown(f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB")
    return _mark(status), raw


def _mark_of(path: Path) -> tuple[int, ...] | None:
    try:
        return _mark(path.stat())
    except OSError:
        return None


def _mark(status: os.stat_result) -> tuple[int, ...]:
    """What changes when the file does."""
    return status.st_mtime_ns, status.st_size, status.st_ino


def _hash(raw: bytes) -> str:
    return sha256(raw).hexdigest()


def _cursor(seen: _Seen) -> str:
    return json.dumps(asdict(seen), sort_keys=True)


def _read_cursor(cursor: str | None) -> _Seen:
    """What a cursor says; nothing, when it can't be read: then all is read again."""
    try:
        found = json.loads(cursor or "{}")
        return _Seen(**{key: str(value) for key, value in found.items() if key in ("hash", "etag", "modified")})
    except (ValueError, AttributeError):
        return _Seen()
