"""Kill -9 at every labelled point: nothing is lost, and nothing is doubled but what says that it may be a repeat.

What happened is read from the Bot API server's own record and from the database. `pytest -s` shows the table.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory.errors import OutOfReach
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.daemon import LATER, OWNER, TOKEN, Daemon
from tests.doubles.hand import hand
from tests.doubles.mortal import Point
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import MessagesServer
from tests.tools.test_importing import mail, mbox

MARK = "(may be a repeat) "
TOMORROW = datetime.fromisoformat("2026-03-03T06:31:00+00:00")
"""A minute past half past seven in Berlin."""

FIRST = "Let me look."
SECOND = "The rent is due on the third. " * 8
THIRD = "Last month it was paid on the second. " * 8

MAILS = 120
"""Three batches of an import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What happens around a kill: what was there before, what sets it off, and what has to have come of it.

    `says` are the messages that the owner has to have, each once; `rows` are queries with what they have to find.
    """

    sets_off: Callable[[Daemon], Awaitable[object]]
    says: tuple[str, ...] = ()
    rows: tuple[tuple[str, object], ...] = ()
    begins: Callable[[Path], Awaitable[object]] | None = None
    starts_at: datetime = LATER
    shows: tuple[str, ...] = ()
    again: Callable[[Daemon], Awaitable[object]] | None = None


async def nothing(daemon: Daemon) -> None:
    """It comes by itself."""


async def a_task(daemon: Daemon) -> None:
    daemon.server.owner_sends("todo: call Anna")


async def a_signal_by_hand(daemon: Daemon) -> None:
    said = json.dumps({"channel": "telegram", "text": "todo: call Anna"})
    with hand(daemon.database) as connection:
        connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('hand', 'message', ?)", (said,))


async def a_question(daemon: Daemon) -> None:
    daemon.server.owner_sends("When is the rent due?")


async def a_tap(daemon: Daemon) -> None:
    daemon.server.owner_sends("todo: call Anna")
    await daemon.until(lambda: daemon.rows("SELECT 1 FROM pieces WHERE state = 'shown'"))
    daemon.server.taps(daemon.server.bot_messages()[0]["message_id"], label="Undo")


async def mail_to_read(database: Path) -> None:
    mails = [mail(number) for number in range(MAILS)]
    await asyncio.to_thread(mbox, database.with_name("all.mbox"), *mails, mails[0], mails[1])


async def an_import(daemon: Daemon) -> None:
    with pytest.raises(OutOfReach):
        await daemon.ask("import", path=str(daemon.home / "all.mbox"))


async def the_import_again(daemon: Daemon) -> None:
    await daemon.ask("import", path=str(daemon.home / "all.mbox"))


async def what_waits_for_the_morning(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        for summary in ("Anna: the lease", "Tom: the boat"):
            await ledger.write(
                lambda t, summary=summary: t.notices.hold(
                    owner_id=1,
                    source="mail",
                    summary=summary,
                    urgency="hold",
                    because="from a person",
                    deliver_after_at=NOW + timedelta(hours=1),
                    now=NOW,
                )
            )
        await ledger.write(lambda t: t.loops.open(owner_id=1, kind="task", title="pay", because="asked", now=NOW))


async def a_wish(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        await ledger.write(
            lambda t: t.reminders.set(
                owner_id=1,
                text="the pills",
                wall=datetime(2026, 3, 2, 10, 4),
                rule="FREQ=DAILY 10:04",
                loop_id=None,
                because="asked",
                now=NOW,
            )
        )


TASK = Story(
    sets_off=a_task,
    says=("Kept open: call Anna",),
    rows=(
        ("SELECT title, state FROM loops", [("call Anna", "open")]),
        ("SELECT decided FROM decisions", [("opened",)]),
        ("SELECT text FROM messages WHERE role = 'owner'", [("todo: call Anna",)]),
        ("SELECT count(*) FROM signal_heads WHERE kind = 'message'", [(1,)]),
    ),
)
BY_HAND = Story(sets_off=a_signal_by_hand, says=TASK.says, rows=TASK.rows)
QUESTION = Story(
    sets_off=a_question,
    says=(FIRST, SECOND.strip(), THIRD.strip()),
    rows=(
        ("SELECT key, state FROM pieces ORDER BY id", [(f"turn:1:{number}", "shown") for number in (1, 2, 3)]),
        ("SELECT kind, state FROM jobs WHERE kind <> 'tick' ORDER BY id", [("message", "done"), ("thinker", "done")]),
        ("SELECT count(*) FROM usage WHERE state = 'reserved'", [(0,)]),
    ),
)
BRIEF = Story(
    begins=what_waits_for_the_morning,
    sets_off=nothing,
    starts_at=TOMORROW,
    says=("Good morning. Overnight: 2.", "Landed\n• Anna: the lease\n• Tom: the boat", "Open (1)\n• pay"),
    rows=(
        ("SELECT told_in FROM notices", [("brief:2026-03-03",)] * 2),
        ("SELECT key FROM pieces ORDER BY id", [(f"brief:2026-03-03:{number}",) for number in (1, 2, 3)]),
        ("SELECT count(*) FROM signal_heads WHERE kind = 'brief'", [(1,)]),
    ),
)
REMINDER = Story(
    begins=a_wish,
    sets_off=nothing,
    says=("⏰ the pills",),
    rows=(
        ("SELECT wall, state FROM reminders", [("2026-03-03T10:04:00", "set")]),
        ("SELECT title, state FROM loops", [("the pills", "open")]),
    ),
)
TAP = Story(
    sets_off=a_tap,
    says=("Kept open: call Anna",),
    shows=("Taken back: call Anna",),
    rows=(
        ("SELECT title, state FROM loops", [("call Anna", "dropped")]),
        ("SELECT decided FROM decisions ORDER BY id", [("opened",), ("dropped",), ("undone",)]),
        ("SELECT count(*) FROM pieces WHERE state = 'shown'", [(2,)]),
    ),
)
IMPORT = Story(
    begins=mail_to_read,
    sets_off=an_import,
    again=the_import_again,
    rows=(
        ("SELECT state, new, repeated, bad FROM imports", [("done", MAILS, 2, 0)]),
        ("SELECT count(*), count(DISTINCT message_id) FROM mails", [(MAILS, MAILS)]),
        ("SELECT count(*) FROM passages WHERE corpus = 'mail'", [(MAILS,)]),
    ),
)

PLAIN = "SELECT 1 FROM pieces WHERE key = 'turn:1:1'"
THOUGHT = "SELECT 1 FROM pieces WHERE key = 'turn:1:2'"
POINTS: tuple[tuple[str, Story, str, str], ...] = (
    # label, story, the query that finds the commit, the request that shows it
    ("receive", TASK, "SELECT 1 FROM signal_heads WHERE kind = 'message'", "getUpdates"),
    ("take", BY_HAND, "SELECT 1 FROM jobs WHERE kind = 'message' AND state = 'running'", ""),
    ("hear", QUESTION, "SELECT 1 FROM turns", ""),
    ("reply", TASK, PLAIN, "sendMessage.*Kept open"),
    ("first reply", QUESTION, PLAIN, "sendMessage.*Let me look"),
    ("hand over", QUESTION, f"{THOUGHT} AND state = 'handing'", ""),
    ("piece", QUESTION, THOUGHT, "sendMessage.*The rent"),
    ("part shown", TASK, f"{PLAIN} AND parts <> '[]'", ""),
    ("piece's end", TASK, f"{PLAIN} AND state = 'shown'", ""),
    ("job's end", TASK, "SELECT 1 FROM jobs WHERE kind = 'message' AND state = 'done'", ""),
    ("brief", BRIEF, "SELECT 1 FROM pieces WHERE key LIKE 'brief:%'", "sendMessage.*Landed"),
    ("reminder", REMINDER, "SELECT 1 FROM pieces WHERE key LIKE 'reminder:%'", "sendMessage.*the pills"),
    ("tap", TAP, "SELECT 1 FROM cards WHERE state = 'decided'", "editMessageText.*Taken back"),
    ("import", IMPORT, "SELECT 1 FROM mails LIMIT 1 OFFSET 60", ""),
    ("import's end", IMPORT, "SELECT 1 FROM imports WHERE state = 'done'", ""),
)

BEFORE_IT_MATTERS = {("receive", "before request")}
"""Nothing has come yet, so there is nothing to lose."""


NO_DOUBT = {
    *(
        (label, f"{when} {what}")
        for label in ("receive", "take", "hear", "tap", "piece's end")
        for when in ("before", "after")
        for what in ("commit", "request")
    ),
    *((label, "before commit") for label in ("reply", "first reply", "hand over", "brief", "reminder")),
    ("part shown", "after commit"),
}
"""Killed here, Stillbell knows for certain whether a message was on its way, and nothing is marked as a repeat."""


def _cases() -> Iterator[object]:
    for label, story, commit, request in POINTS:
        for what, holds in (("commit", commit), ("request", request)):
            for when in ("before", "after"):
                point = Point(what=what, when=when, holds=holds)  # type: ignore[arg-type]
                if holds and (label, str(point)) not in BEFORE_IT_MATTERS:
                    yield pytest.param(label, story, point, id=f"{label}, {point}")


@dataclass
class Table:
    """What came of each kill, for who looks."""

    lines: list[str] = field(default_factory=list)

    def add(self, label: str, point: Point, outcome: str) -> None:
        self.lines.append(f"{label:<12} {point!s:<15} {outcome}")


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    made = Table()
    yield made
    print("\n\nkilled at                    what the owner has\n" + "\n".join(made.lines))  # noqa: T201


@pytest.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def provider() -> AsyncIterator[MessagesServer]:
    async with MessagesServer() as running:
        running.always("You are the instinct", json.dumps({"reply": FIRST, "needs_thought": True}))
        running.always("You are the thinker", f"{SECOND}\n\n{THIRD}")
        yield running
        assert running.refused == []


@pytest.fixture
async def daemon(database: Path, server: BotApiServer, provider: MessagesServer, story: Story) -> AsyncIterator[Daemon]:
    made = Daemon(database, server, provider=provider if story is QUESTION else None)
    yield made
    await made.gone()


@pytest.mark.parametrize(("label", "story", "point"), tuple(_cases()))
async def test_nothing_is_lost_and_nothing_doubled(
    label: str,
    story: Story,
    point: Point,
    database: Path,
    daemon: Daemon,
    table: Table,
) -> None:
    if story.begins is not None:
        await story.begins(database)
    await daemon.start(dies_at=point, starts_at=story.starts_at)
    await story.sets_off(daemon)
    assert await daemon.died() == -9, "it never came to the point"

    await daemon.start(starts_at=story.starts_at + timedelta(seconds=20))
    if story.again is not None:
        await story.again(daemon)
    await daemon.until(lambda: len({text.removeprefix(MARK) for text in daemon.texts()}) >= len(story.says))
    await daemon.settled()

    table.add(label, point, _judged(label, daemon.texts(), story.says, point))
    for query, found in story.rows:
        assert daemon.rows(query) == found, query
    standing = [message["text"] for message in daemon.server.bot_messages()]
    assert all(text in standing for text in story.shows)
    assert daemon.rows("SELECT kind, last_error FROM jobs WHERE state = 'parked'") == []
    assert await daemon.end() == 0
    assert daemon.server.breaches == []


def _judged(label: str, texts: list[str], expected: tuple[str, ...], point: Point) -> str:
    """How often each message came: once, and a second time only where the first may not have arrived, and marked as such."""
    assert sorted({text.removeprefix(MARK) for text in texts}) == sorted(expected)
    allowed = {(1, 0)} if (label, str(point)) in NO_DOUBT else {(1, 0), (0, 1), (1, 1)}
    found = []
    for text in expected:
        plain, marked = texts.count(text), texts.count(MARK + text)
        assert (plain, marked) in allowed, f"{text!r} came {plain} times, and {marked} times marked"
        found.append({(1, 0): "once", (0, 1): "once, marked", (1, 1): "twice, the second marked"}[plain, marked])
    return "; ".join(found) or "as if it had not been killed"
