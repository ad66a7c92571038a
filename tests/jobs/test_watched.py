"""The duty *watched*: what changes is read within a minute, what is the same is not, and trouble drops nothing."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.terminal import watch_asks
from jobs import watched
from jobs.watched import LOOK_EVERY_FOR, RARELY_FOR, WatchedPlaces, cursor_of, watched_by
from memory.errors import BadInput, NotFound
from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from memory.watched import PREFERENCE, WATCHED_MAX, Watched, as_kept, read_watched, with_one, without
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.stumbling import StumblingLedger
from tests.tools.test_imessage import TABLES, say
from tests.tools.test_judge import Posted
from tools.alarm import Alarm
from tools.corpora import folder
from tools.corpora.following import LOSS_MIN
from tools.corpora.place import Item, Survey
from tools.corpora.reading import Circumstance, Reading


class Room:
    """A ledger and the duty over it."""

    def __init__(self, ledger: SqlLedger, listed: list[Exclusions | None]) -> None:
        self.ledger = StumblingLedger(ledger)
        self.listed = listed
        self.clock = FakeClock()
        self.posted = Posted()
        self.paused: list[timedelta] = []
        self.duty = self.make()

    def make(self) -> WatchedPlaces:
        alarm = Alarm(self.ledger, self.posted, self.clock, 1)  # type: ignore[arg-type]
        return WatchedPlaces(self.ledger, alarm, self.clock, pause=self._pause)  # type: ignore[arg-type]

    async def _pause(self, wait_for: timedelta) -> None:
        self.paused.append(wait_for)
        await asyncio.sleep(0)

    async def watch(self, kind: str, path: Path) -> Watched:
        one = Watched(kind, str(path))
        await self.ledger.write(lambda t: t.preferences.set(1, PREFERENCE, as_kept(with_one(watched_by(t, 1), one))))
        return one

    async def found(self, query: str) -> list[str]:
        return [hit.line for hit in await self.ledger.read(lambda t: t.search.find(1, query))]


@pytest.fixture
async def room(database: Path) -> AsyncIterator[Room]:
    listed: list[Exclusions | None] = [NOTHING]

    def rules() -> Exclusions:
        if listed[0] is None:
            raise UnreadableExclusions("line 1 of the exclusions is no rule")
        return listed[0]

    async with SqlLedger(database, rules) as ledger:
        yield Room(ledger, listed)


def write(path: Path, text: str, *, hours_ago: int = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    at = NOW.timestamp() - 3600 * hours_ago
    os.utime(path, (at, at))
    return path


async def ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_written_is_found_at_the_next_look_and_what_is_erased_is_not(room: Room, tmp_path: Path) -> None:
    one = await room.watch("notes", tmp_path / "notes")
    path = write(tmp_path / "notes" / "a.md", "The heron lands.")
    await room.duty.look()
    assert await room.found("heron") == ["The heron lands."]
    write(path, "The heron stays.", hours_ago=1)
    await room.duty.look()
    assert await room.found("heron") == ["The heron stays."]
    path.unlink()
    write(tmp_path / "notes" / "b.md", "swift")
    await room.duty.look()
    assert (await room.found("heron"), await room.found("swift")) == ([], ["swift"])
    state = room.duty.looks[one]
    assert (state.trouble, state.looked_at) == ("", NOW)


async def test_a_new_process_reads_nothing_again_that_it_has_read(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await room.watch("notes", tmp_path / "notes")
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    await room.duty.look()
    read: list[Path] = []
    monkeypatch.setattr(folder, "text_in", lambda path: read.append(path) or "x")
    await room.make().look()
    assert read == []
    write(tmp_path / "notes" / "b.md", "x")
    await room.make().look()
    assert [path.name for path in read] == ["b.md"]


async def test_what_can_not_be_read_stays_in_the_list_until_it_is_mended(room: Room, tmp_path: Path) -> None:
    one = await room.watch("notes", tmp_path / "notes")
    path = write(tmp_path / "notes" / "a.md", "\0\0\0")

    def listed(duty: WatchedPlaces) -> list[str]:
        return [fault.because for several in duty.looks[one].faults.values() for fault in several]

    for duty in (room.duty, room.duty, room.make()):
        await duty.look()
        assert listed(duty) == ["it is no text"]
    write(path, "The heron lands.")
    await room.duty.look()
    assert listed(room.duty) == []


async def test_an_idle_look_writes_nothing(room: Room, tmp_path: Path) -> None:
    await room.watch("notes", tmp_path / "notes")
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    await room.duty.look()
    room.ledger.fails = 1
    await room.duty.look()
    assert room.ledger.fails == 1


async def test_it_looks_every_minute_and_at_once_when_the_list_has_changed(room: Room, tmp_path: Path) -> None:
    running = asyncio.create_task(room.duty.run())
    while len(room.paused) < 3:
        await room.ledger.read(lambda t: None)
    await ended(running)
    assert set(room.paused) == {LOOK_EVERY_FOR}
    impatient = WatchedPlaces(room.ledger, Alarm(room.ledger, room.posted, room.clock, 1), room.clock)  # type: ignore[arg-type]
    running = asyncio.create_task(impatient.run())
    await asyncio.sleep(0)
    one = await room.watch("notes", tmp_path)
    impatient.changed()
    async with asyncio.timeout(10):
        while one not in impatient.looks:
            await room.ledger.read(lambda t: None)
    await ended(running)


async def test_a_disk_that_is_away_is_told_in_the_list_and_once_in_the_log(room: Room, tmp_path: Path) -> None:
    one = await room.watch("notes", tmp_path / "notes")
    for number in range(LOSS_MIN):
        write(tmp_path / "notes" / f"{number}.md", f"heron {number}")
    await room.duty.look()
    (tmp_path / "notes").rename(tmp_path / "away")
    with capture_logs() as logged:
        await room.duty.look()
        await room.duty.look()
    assert [entry["action"] for entry in logged] == ["watched.failed"]
    assert "not there" in room.duty.looks[one].trouble
    (tmp_path / "notes").mkdir()
    await room.duty.look()
    assert "nothing was dropped" in room.duty.looks[one].trouble
    assert len(await room.found("heron")) == LOSS_MIN
    (tmp_path / "notes").rmdir()
    (tmp_path / "away").rename(tmp_path / "notes")
    await room.duty.look()
    assert room.duty.looks[one].trouble == ""
    assert room.posted.pieces == []


async def test_one_in_trouble_holds_up_no_other(room: Room, tmp_path: Path) -> None:
    await room.watch("notes", tmp_path / "nowhere")
    await room.watch("notes", tmp_path / "notes")
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    await room.duty.look()
    assert await room.found("heron") == ["The heron lands."]


async def test_a_full_disk_of_ours_ends_nothing_and_what_was_not_kept_is_read_again(room: Room, tmp_path: Path) -> None:
    one = await room.watch("notes", tmp_path / "notes")
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    room.ledger.fails = 1
    await room.duty.look()
    assert "full" in room.duty.looks[one].trouble
    await room.duty.look()
    assert (await room.found("heron"), room.duty.looks[one].trouble) == (["The heron lands."], "")


async def test_an_unreadable_list_stops_it_and_is_told(room: Room, tmp_path: Path) -> None:
    one = await room.watch("notes", tmp_path / "notes")
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    room.listed[0] = None
    await room.duty.look()
    room.listed[0] = NOTHING
    assert await room.found("heron") == []
    assert len(room.posted.pieces) == 1
    assert "line 1" in room.duty.looks[one].trouble


async def test_messages_are_looked_at_rarely_and_only_chats_with_something_new_are_read(
    room: Room, tmp_path: Path
) -> None:
    one = await room.watch("imessage", tmp_path / "chat.db")
    with closing(sqlite3.connect(tmp_path / "chat.db")) as connection:
        connection.executescript(TABLES)
        say(connection, 1, "The heron lands")
        say(connection, 2, "The swift left", chat=2)
        await room.duty.look()
        assert await room.found("heron lands") == ["The heron lands"]
        say(connection, 3, "The heron stays")
    await room.duty.look()
    assert "The heron stays" not in await room.found("heron")
    room.clock.advance(RARELY_FOR["imessage"])
    await room.duty.look()
    assert "The heron stays" in await room.found("heron")
    followed = room.duty.looks[one].followed
    assert followed is not None
    assert (followed.progress.new, followed.progress.same) == (1, 1)
    marks = await room.ledger.read(lambda t: json.loads(t.cursors.get(cursor_of(one), owner_id=1) or ""))
    assert len(marks) == 4  # the database, its two chats, and the exclusions


class Waiting:
    """A place of two readings: the first is given at once, the second when it is told to."""

    under = "note:waiting/"

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.goes_on = asyncio.Event()

    def survey(self, _: Circumstance) -> Survey:
        return Survey((Item(key="a", shown="a", mark="1", size_bytes=1, path=Path("/a"), under=self.under),))

    async def read(self, item: Item, about: Circumstance, _: object) -> AsyncIterator[Reading]:
        for number, text in enumerate(("The heron lands.", "The swift lands.")):
            document = Document(
                corpus="note", ref=f"{self.under}{number}", who="you", title="", text=text, at=about.now
            )
            yield Reading(under=f"{self.under}{number}", documents=[document])
            self.began.set()
            await self.goes_on.wait()


async def test_unwatching_ends_a_look_that_is_under_way_and_nothing_comes_after_it(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Waiting()
    for module in (watched, watch_asks):
        monkeypatch.setattr(module, "place_of", lambda kind, path: place)
    one = await room.watch("notes", tmp_path)
    removes = watch_asks.watch_asks(room.ledger, clock=room.clock, let_go=room.duty.let_go)["watch.remove"]  # type: ignore[arg-type]
    async with asyncio.timeout(10):
        looking = asyncio.create_task(room.duty.look())
        await place.began.wait()
        assert await room.found("lands") == ["The heron lands."]
        await room.duty.let_go(str(tmp_path / "another"))
        assert room.duty.looks[one].progress is not None, "letting go of another place ends no look"
        (done,) = [step async for step in removes({"path": str(tmp_path)})]
        place.goes_on.set()
        await looking
        await room.duty.look()
    assert done.data["dropped"] == 1
    assert await room.found("lands") == []
    assert room.duty.looks == {}


def test_the_list_is_kept_and_read() -> None:
    one, two = Watched("notes", "/home/jo/Nötes"), Watched("files", "/home/jo/x")
    assert read_watched(as_kept(with_one(with_one((), one), two))) == (one, two)
    assert read_watched(None) == ()
    assert without((one, two), "/home/jo/x") == ((one,), (two,))
    with pytest.raises(BadInput, match="already"):
        with_one((one,), one)
    with pytest.raises(NotFound):
        without((one,), "/nowhere")
    with pytest.raises(BadInput, match="most"):
        with_one([Watched("notes", str(n)) for n in range(WATCHED_MAX)], one)


def test_a_cursor_does_not_say_what_the_place_is_called() -> None:
    assert "jo" not in cursor_of(Watched("notes", "/home/jo/diary")).removeprefix("watched:")
