"""The duty *sources*: everything is kept once, trouble is told once, and nobody's trouble is another's."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from jobs.sources import LOOK_EVERY_FOR, SLOW_MOST_FOR, Opened, Sources
from memory.account import FAILURES_TOLD, Account
from memory.errors import BadInput, NotFound
from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions, read_exclusions
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import rows
from tests.doubles.played_source import Look, PlayedSource, arrived
from tests.doubles.stumbling import StumblingLedger
from tests.tools.test_judge import Posted
from tools.alarm import Alarm
from tools.calendar import CalendarBatch, CalendarItem
from tools.incoming import Incoming
from tools.mail import Changed, MailBatch
from tools.source import SignInRefused, SlowDown, SourceDown

DOWN = SourceDown("imap.baker.example doesn't answer")

NOTHING_NEW: Look = ()


def batch(*names: str, cursor: str = "1", **given: Any) -> MailBatch:
    return MailBatch(arrived=tuple(arrived(name) for name in names), cursor=cursor, **given)


class House:
    """A ledger with accounts, and the duty over them. `paused`: how long it waited each time it was in trouble."""

    def __init__(self, ledger: SqlLedger, database: Path, listed: list[Exclusions | None]) -> None:
        self.ledger = StumblingLedger(ledger)
        self.database = database
        self.listed = listed
        self.clock = FakeClock(step_for=timedelta(milliseconds=1))
        self.posted = Posted()
        self.opened: dict[str, Opened] = {}
        self.opens: Callable[[Account], Opened] = lambda account: self.opened[account.name]
        self.paused: list[timedelta] = []
        self.during_pause: Callable[[], None] = lambda: None
        alarm = Alarm(self.ledger, self.posted, self.clock, 1)
        self.sources = Sources(
            self.ledger,
            Incoming(self.ledger, self.clock),
            alarm,
            self.clock,
            opens=self._open,
            pause=self.pause,
        )

    def _open(self, account: Account) -> Opened:
        return self.opens(account)

    async def pause(self, wait_for: timedelta) -> None:
        self.paused.append(wait_for)
        self.during_pause()
        await asyncio.sleep(0)

    async def add(self, name: str = "home", **settings: str) -> Account:
        return await self.ledger.write(
            lambda t: t.accounts.add(
                owner_id=1, name=name, kind="imap", identity="jo@baker.example", aliases=(), settings=settings, now=NOW
            )
        )

    async def account(self, name: str = "home") -> Account:
        found = await self.ledger.read(lambda t: t.accounts.named(1, name))
        assert found is not None
        return found

    @property
    def told(self) -> list[str]:
        """What the owner was told of trouble."""
        return [piece.text for piece in self.posted.pieces]

    def subjects(self) -> list[str]:
        return [
            subject.removeprefix("About ")
            for (subject,) in rows(self.database, "SELECT subject FROM mails ORDER BY id")
        ]

    def signals(self) -> list[tuple[str, str]]:
        return rows(self.database, "SELECT source, kind FROM signal_heads ORDER BY id")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[asyncio.Task[None]]:
        task = asyncio.create_task(self.sources.run())
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def read_out(self, *sources: PlayedSource) -> None:
        """Run until these have given all that they have."""
        async with self.running() as task:
            await rest(task, *sources)


async def rest(task: asyncio.Task[None], *sources: PlayedSource) -> None:
    resting = asyncio.gather(*(source.rested.wait() for source in sources))
    async with asyncio.timeout(10):
        await asyncio.wait([task, resting], return_when=asyncio.FIRST_COMPLETED)
    resting.cancel()
    if task.done():
        await task


async def until(holds: Callable[[], Any]) -> None:
    """Let others run until this holds: what is waited for happens in this very loop and the writer's thread."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110  neither a row nor a list has an event
            await asyncio.sleep(0.001)


@pytest.fixture
async def house(database: Path) -> AsyncIterator[House]:
    listed: list[Exclusions | None] = [NOTHING]

    def in_force() -> Exclusions:
        if listed[0] is None:
            raise UnreadableExclusions("line 2 of the exclusions is no rule")
        return listed[0]

    async with SqlLedger(database, in_force) as ledger:
        yield House(ledger, database, listed)


# What is kept, and told as news


async def test_each_new_mail_is_one_signal_and_never_a_second(house: House) -> None:
    source = PlayedSource([batch("a", "b")], [batch("b", "c", cursor="2")], [batch("c", cursor="3")])
    await house.add()
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert house.subjects() == ["a", "b", "c"]
    assert house.signals() == [("imap:home", "mail")] * 3
    assert source.cursors == [None, "1", "2"]
    assert source.waited == [LOOK_EVERY_FOR] * 3
    payloads = rows(house.database, "SELECT payload FROM signal_payloads ORDER BY signal_id")
    assert payloads == [('{"mail": 1}',), ('{"mail": 2}',), ('{"mail": 3}',)]


@pytest.mark.parametrize("why", ["backfill", "gap"])
async def test_the_past_is_no_news_and_ends_in_one_review(house: House, why: Any) -> None:
    await house.add(since_days="30")
    past = [batch("a", why=why, done=1, total=2), batch("b", why=why, cursor="2", done=2, total=2)]
    source = PlayedSource([*past, batch("c", cursor="3")], [batch("a", why=why, cursor="4")])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert house.subjects() == ["a", "b", "c"]
    assert house.signals() == [("imap:home", "mail"), ("imap:home", "review")]
    [(payload,)] = rows(house.database, "SELECT payload FROM signal_payloads WHERE payload LIKE '%why%'")
    assert payload == f'{{"why": "{why}", "days": 30}}'
    assert NOW - source.since[0] < timedelta(days=30) < NOW - source.since[0] + timedelta(seconds=1)
    assert house.told == []


async def test_how_far_a_backfill_is_can_be_asked(house: House) -> None:
    account = await house.add()
    seen: list[tuple[str, int, int]] = []
    house.ledger.on_commit(  # type: ignore[attr-defined]
        lambda: seen.extend((one.why, one.done, one.total) for one in house.sources.progress.values())
    )
    past = [batch(name, why="backfill", cursor=name, done=number, total=3) for number, name in enumerate("abc", 1)]
    source = PlayedSource(past)
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert [*dict.fromkeys(seen)] == [("backfill", done, 3) for done in (1, 2, 3)]
    assert set(house.sources.progress) == {(account.id, "mail")}


async def test_a_crash_between_batches_reads_a_batch_again_and_keeps_nothing_twice(house: House) -> None:
    """The disk is full for one commit: the batch and its cursor are not there, and come again."""
    await house.add()

    def disk_is_full() -> None:
        house.ledger.fails = 1

    source = PlayedSource(
        [batch("a", "b"), disk_is_full, batch("c", "d", cursor="2")], [batch("b", "c", "d", cursor="2")]
    )
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert source.cursors == [None, "1"]
    assert house.subjects() == ["a", "b", "c", "d"]
    assert house.signals() == [("imap:home", "mail")] * 4
    assert (house.told, len(house.paused)) == ([], 1)
    assert (await house.account()).failures == 0


async def test_a_batch_is_kept_with_its_cursor_or_not_at_all(house: House) -> None:
    await house.add()
    bad = MailBatch(arrived=(arrived("a"),), cursor="2")
    object.__setattr__(bad, "cursor", object())  # what no column takes
    source = PlayedSource([bad])
    house.opened["home"] = Opened(mail=source)
    with pytest.raises(ExceptionGroup):
        await house.read_out(source)
    assert house.subjects() == []
    assert rows(house.database, "SELECT count(*) FROM cursors WHERE name LIKE 'mail@%'") == [(0,)]


async def test_what_was_read_moved_or_deleted_there_is_so_here_and_nothing_is_erased(house: House) -> None:
    await house.add()
    changes = MailBatch(
        changed=(Changed(uid="imap:INBOX:1:a", folder="Work", labels=("red",), is_read=True),),
        gone=("imap:INBOX:1:b", "imap:INBOX:1:never"),
        cursor="2",
    )
    source = PlayedSource([batch("a", "b")], [changes])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    kept = rows(house.database, "SELECT folder, labels, is_read, gone_at IS NOT NULL FROM mails ORDER BY id")
    assert kept == [("Work", '["red"]', 1, 0), ("INBOX", "[]", 0, 1)]


async def test_what_is_no_mail_is_counted_and_the_next_one_is_read(house: House) -> None:
    await house.add()
    broken = arrived("broken")
    object.__setattr__(broken, "raw", b"\0" * 100)
    source = PlayedSource([MailBatch(arrived=(broken, arrived("a")), cursor="1")])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert house.subjects() == ["a"]
    assert rows(house.database, "SELECT name, n FROM counts WHERE name LIKE 'unreadable%'") == [("unreadable mail", 1)]


# Whose mail it is


async def test_only_what_lies_where_sent_mail_lies_is_the_owners(house: House) -> None:
    """Anybody can write the owner's address into From."""
    await house.add()
    mine = {"sender": "Jo Baker <jo@baker.example>", "to": "anna@winter.example"}
    sent = arrived("sent", folder="Sent", is_sent=True, **mine)
    source = PlayedSource([MailBatch(arrived=(arrived("spoofed", **mine), sent), cursor="1")])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    by_owner = rows(house.database, "SELECT subject, by_owner, is_read FROM mails ORDER BY id")
    assert by_owner == [("About spoofed", 0, 0), ("About sent", 1, 1)]


async def test_a_copy_to_oneself_that_came_first_turns_out_to_be_ones_own(house: House) -> None:
    await house.add()
    mine = {"sender": "Jo Baker <jo@baker.example>"}
    inbox, sent = arrived("note", **mine), arrived("note", folder="Sent", is_sent=True, **mine)
    source = PlayedSource([MailBatch(arrived=(inbox, sent), cursor="1")], [MailBatch(arrived=(sent,), cursor="2")])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert rows(house.database, "SELECT by_owner, folder FROM mails") == [(1, "Sent")]
    # The second time as the owner's: it is judged as such.
    assert house.signals() == [("imap:home", "mail")] * 2


async def test_a_mail_by_two_accounts_is_kept_and_told_once(house: House) -> None:
    sources = [PlayedSource([batch("a")]), PlayedSource([batch("a")])]
    for name, source in zip(("home", "work"), sources, strict=True):
        await house.add(name)
        house.opened[name] = Opened(mail=source)
    await house.read_out(*sources)
    assert house.subjects() == ["a"]
    assert len(house.signals()) == 1


# Trouble


async def test_five_failures_in_a_row_are_told_once_and_a_recovery_starts_anew(house: House) -> None:
    await house.add()
    source = PlayedSource(*[[DOWN]] * 4, NOTHING_NEW, *[[DOWN]] * 7, [batch("a")], *[[DOWN]] * 5, NOTHING_NEW)
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert len(house.told) == 2
    assert f"home can't be read ({FAILURES_TOLD} times in a row): {DOWN}" in house.told[0]
    seconds = [int(one.total_seconds()) for one in house.paused]
    assert seconds == [30, 60, 120, 240, *[30, 60, 120, 240, 480, 900, 900], *[30, 60, 120, 240, 480]]
    account = await house.account()
    assert (account.failures, account.trouble, account.state) == (0, None, "on")
    assert account.seen_at is not None


async def test_what_fails_is_on_record_while_it_lasts(house: House) -> None:
    await house.add()
    source = PlayedSource(*[[DOWN]] * 3)
    house.opened["home"] = Opened(mail=source)
    found: list[Any] = []
    house.during_pause = lambda: found.append(rows(house.database, "SELECT failures, trouble, state FROM accounts")[0])
    await house.read_out(source)
    assert found == [(times, str(DOWN), "on") for times in (1, 2, 3)]


@pytest.mark.parametrize(
    ("asks", "waits"),
    [(timedelta(seconds=7), timedelta(seconds=7)), (timedelta(days=3), SLOW_MOST_FOR)],
    ids=["as long as it says", "no longer than an hour"],
)
async def test_a_source_that_asks_for_patience_gets_it_and_that_is_no_failure(
    house: House, asks: timedelta, waits: timedelta
) -> None:
    await house.add()
    source = PlayedSource(*[[SlowDown("too many requests", asks)]] * 6, [batch("a")])
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert house.paused == [waits] * 6
    assert (house.told, house.subjects()) == ([], ["a"])


async def test_a_refused_sign_in_asks_nothing_more_until_it_is_renewed(house: House) -> None:
    account = await house.add()
    first, second = (
        PlayedSource([batch("a"), SignInRefused("the password is refused")]),
        PlayedSource([batch("b", cursor="2")]),
    )
    house.opened["home"] = Opened(mail=first)
    async with house.running() as task:
        await until(lambda: first.closed)
        await until(lambda: house.told)
        house.sources.changed()
        house.sources.changed()
        await asyncio.sleep(0.01)
        assert first.cursors == [None]
        assert (await house.account()).state == "refused"
        assert len(house.told) == 1
        assert "home refuses the sign-in: the password is refused" in house.told[0]
        house.opened["home"] = Opened(mail=second)
        await house.ledger.write(lambda t: t.accounts.seen(account.id, now=NOW))
        house.sources.changed()
        await rest(task, second)
    assert second.cursors == ["1"]
    assert house.subjects() == ["a", "b"]
    assert (await house.account()).state == "on"


async def test_a_sign_in_that_is_refused_twice_over_is_told_each_time(house: House) -> None:
    account = await house.add()
    house.opened["home"] = Opened(mail=PlayedSource([SignInRefused("no")]))
    async with house.running():
        for times in (1, 2):
            await until(lambda times=times: len(house.told) == times)  # type: ignore[misc]
            house.opened["home"] = Opened(mail=PlayedSource([SignInRefused("no")]))
            await house.ledger.write(lambda t: t.accounts.seen(account.id, now=NOW))
            house.sources.changed()


async def test_mail_that_is_refused_takes_the_calendar_of_the_same_sign_in_along(house: House) -> None:
    await house.add()
    mail, calendar = PlayedSource([SignInRefused("revoked")]), PlayedSource()
    house.opened["home"] = Opened(mail=mail, calendar=calendar)
    async with house.running():
        await until(lambda: house.told)
        await until(lambda: mail.closed and calendar.closed)
    assert len(house.told) == 1
    assert (await house.account()).state == "refused"


async def test_a_secret_that_is_gone_is_a_sign_in_that_is_refused(house: House) -> None:
    await house.add()
    house.opened["home"] = Opened(mail=PlayedSource([NotFound("there is no secret of home: renew it")]))
    async with house.running() as task:
        await until(lambda: house.told)
        assert not task.done()
    assert "renew it" in house.told[0]


async def test_an_account_that_cant_be_opened_is_told_and_holds_up_no_other(house: House) -> None:
    await house.add("broken")
    await house.add("home")
    source = PlayedSource([batch("a")])

    def opens(account: Account) -> Opened:
        if account.name == "broken":
            raise BadInput("the account broken has no host")
        return Opened(mail=source)

    house.opens = opens
    async with house.running() as task:
        await rest(task, source)
        await until(lambda: house.told)
    assert house.subjects() == ["a"]
    assert len(house.told) == 1
    assert (await house.account("broken")).state == "refused"


async def test_one_account_in_trouble_holds_up_no_other(house: House) -> None:
    down = PlayedSource(*[[DOWN]] * 500)
    refused = PlayedSource([SignInRefused("no")])
    well = PlayedSource([batch("a")])
    for name, source in (("down", down), ("refused", refused), ("well", well)):
        await house.add(name)
        house.opened[name] = Opened(mail=source)
    async with house.running() as task:
        await rest(task, well)
        well.add([batch("b", cursor="2")])
        await rest(task, well)
    assert house.subjects() == ["a", "b"]


async def test_a_fault_is_put_on_record_however_long_the_disk_is_full(house: House) -> None:
    await house.add()

    def disk_is_full() -> None:
        house.ledger.fails = 2

    source = PlayedSource([disk_is_full, DOWN], [batch("a")])
    house.opened["home"] = Opened(mail=source)
    found: list[Any] = []
    house.during_pause = lambda: found.extend(rows(house.database, "SELECT failures FROM accounts"))
    await house.read_out(source)
    assert found == [(0,), (0,), (1,)]
    assert house.subjects() == ["a"]


async def test_a_bug_in_a_source_is_loud(house: House) -> None:
    for name in ("home", "work"):
        await house.add(name)
    well = PlayedSource()
    house.opened |= {"home": Opened(mail=PlayedSource([ZeroDivisionError("a bug")])), "work": Opened(mail=well)}
    with pytest.raises(ExceptionGroup) as raised:
        async with asyncio.timeout(10):
            await house.sources.run()
    assert raised.group_contains(ZeroDivisionError)
    assert well.closed == 1
    assert house.told == []


# Accounts come and go


async def test_an_account_that_is_added_is_read_and_one_that_is_removed_stops(house: House) -> None:
    source, more = PlayedSource([batch("a")]), PlayedSource([batch("b")])
    house.opened |= {"home": Opened(mail=source), "work": Opened(mail=more)}
    async with house.running() as task:
        account = await house.add()
        house.sources.changed()
        await rest(task, source)
        await house.add("work")
        await house.ledger.write(lambda t: t.accounts.remove(account.id, now=NOW))
        house.sources.changed()
        await rest(task, more)
        await until(lambda: source.closed)
        source.add([batch("c", cursor="2")])
        more.add(NOTHING_NEW)
        await rest(task, more)
    assert house.subjects() == ["a", "b"]
    assert len(source.cursors) == 1


async def test_stopping_lets_go_of_every_source(house: House) -> None:
    sources = [PlayedSource(), PlayedSource()]
    for name, source in zip(("home", "work"), sources, strict=True):
        await house.add(name)
        house.opened[name] = Opened(mail=source)
    await house.read_out(*sources)
    assert [source.closed for source in sources] == [1, 1]


# Exclusions


async def test_a_folder_that_is_excluded_is_not_looked_into(house: House) -> None:
    await house.add()
    house.listed[0] = read_exclusions("folder Private")
    source = PlayedSource()
    house.opened["home"] = Opened(mail=source)
    await house.read_out(source)
    assert [source.skips(folder) for folder in ("Private/Diary", "INBOX")] == [True, False]


async def test_a_list_made_longer_is_in_force_at_the_next_look_and_erases_what_it_covers(house: House) -> None:
    await house.add()
    source = PlayedSource([batch("a")])
    house.opened["home"] = Opened(mail=source)
    async with house.running() as task:
        await rest(task, source)
        assert house.subjects() == ["a"]
        house.listed[0] = read_exclusions("address anna@winter.example")
        with capture_logs() as logs:
            source.add([batch("b", cursor="2")])
            await rest(task, source)
    assert house.subjects() == []
    assert "winter" not in str(logs).lower()
    assert rows(house.database, "SELECT sum(n) FROM counts WHERE name = 'excluded'") == [(1,)]


async def test_an_unreadable_list_stops_every_look_is_told_once_a_day_and_heals(house: House) -> None:
    await house.add()
    house.listed[0] = None
    source = PlayedSource([batch("a")])
    house.opened["home"] = Opened(mail=source)

    def mended() -> None:
        assert source.cursors == []
        if len(house.paused) == 3:
            house.listed[0] = NOTHING

    house.during_pause = mended
    await house.read_out(source)
    assert (len(house.paused), len(house.told)) == (3, 1)
    assert "line 2 of the exclusions" in house.told[0]
    assert house.subjects() == ["a"]


# Calendars


def item(name: str, start: str = "20260302T140000Z", calendar: str = "work") -> CalendarItem:
    ics = (
        f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:{name}\r\nSUMMARY:{name}\r\n"
        f"DTSTAMP:20260301T000000Z\r\nDTSTART:{start}\r\nDURATION:PT1H\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    return CalendarItem(calendar=calendar, ref=f"{name}.ics", ics=ics)


def whole(*items: CalendarItem, calendar: str = "work", cursor: str = "1") -> CalendarBatch:
    return CalendarBatch(items=items, whole=(calendar,), names={calendar: calendar.title()}, cursor=cursor)


async def calendar_read(house: House, *looks: Look) -> list[str]:
    """The uids that changed, as signals tell of them."""
    await house.add()
    source = PlayedSource(*looks)
    house.opened["home"] = Opened(calendar=source)
    await house.read_out(source)
    told = rows(
        house.database,
        "SELECT json_extract(payload, '$.uid') FROM signals WHERE kind = 'calendar_event' ORDER BY id",
    )
    return [uid for (uid,) in told]


async def test_of_calendars_that_are_read_for_the_first_time_nothing_is_news(house: House) -> None:
    """However many batches that takes, and also of a calendar that comes to the account later."""
    names = CalendarBatch(names={"work": "Work"}, cursor="0")
    first = [names, whole(item("a")), whole(item("b", calendar="home"), calendar="home", cursor="2")]
    assert await calendar_read(house, first, [whole(item("c", calendar="club"), calendar="club", cursor="3")]) == []
    assert [title for (title,) in rows(house.database, "SELECT title FROM events ORDER BY id")] == ["a", "b", "c"]


async def test_what_is_moved_added_or_gone_in_a_calendar_is_one_signal_each(house: House) -> None:
    first = [whole(item("a"), item("b"), item("c"), item("d"))]
    moved = CalendarBatch(
        items=(item("a", "20260302T150000Z"), item("b"), item("e")), gone=(("work", "c.ics"),), cursor="2"
    )
    assert sorted(await calendar_read(house, first, [moved], [moved])) == ["a", "c", "e"]
    told = rows(
        house.database,
        "SELECT json_extract(payload, '$.before[0].start_at') FROM signals WHERE json_extract(payload, '$.uid') = 'a'",
    )
    assert told == [("2026-03-02T14:00:00+00:00",)]


async def test_a_calendar_that_is_read_whole_again_tells_only_what_differs(house: House) -> None:
    first, again = whole(item("a"), item("b"), item("c")), whole(item("a"), item("b", "20260302T170000Z"), cursor="2")
    assert sorted(await calendar_read(house, [first], [again])) == ["b", "c"]
    assert rows(house.database, "SELECT count(*) FROM calendar_items") == [(2,)]
