"""Exclusions hold: an unreadable list stops whatever reads, and what is excluded reaches nothing, by whatever way it comes."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.opening import opened
from jobs.sources import Opened, Sources
from memory.account import Account
from memory.exclusion import UnreadableExclusions
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.bot import command_room
from tests.bot.command_room import Run, everything_kept
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import hand
from tests.product_room import INSTINCT, TRIAGE, Product, open_product, settings_for
from tests.servers import pymap_server
from tests.servers.mail_program import MailProgram
from tests.tools.test_importing import mail, mbox
from tools.alarm import Alarm
from tools.exclusions import ExclusionFile
from tools.files.importing import import_mail
from tools.files.mail import read_mail
from tools.gate import Caller, Gate
from tools.incoming import Incoming, erase_covered
from tools.mail import Checked, MailBatch
from tools.model import ToolCall
from tools.toolbox import Toolbox
from tools.vault import Vault

home, run = command_room.home, command_room.run

CANARY = "kingfisher"
"""A word that stands in nothing but what is excluded."""

NO_RULE = "nonsense\n"

RULES = "address therapist@example.org\ndomain clinic.example\nperson Dr Frey\nfolder Private\n"


# ── an unreadable list ────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_unreadable_list_stops_a_search(run: Run, home: Path, tmp_path: Path) -> None:
    run("import", str(mbox(tmp_path / "m", mail(1, "The heron landed."))))
    assert "heron" in run("find", "heron")[1]
    (home / "exclusions.txt").write_text(NO_RULE)
    code, out, err = run("find", "heron")
    assert (code, out) == (1, "")
    assert "line 1 of the exclusions" in err


def test_an_unreadable_list_stops_an_import(run: Run, home: Path, tmp_path: Path) -> None:
    run("import", str(mbox(tmp_path / "m", mail(1, "The heron landed."))))
    (home / "exclusions.txt").write_text(NO_RULE)
    code, _, err = run("import", str(mbox(tmp_path / "n", mail(2, "The swift left."))))
    assert code == 1
    assert "line 1 of the exclusions" in err
    assert "swift" not in everything_kept(home)


def test_an_unreadable_list_is_not_added_to(run: Run, home: Path) -> None:
    run("exclude", "domain", "clinic.example")
    (home / "exclusions.txt").write_text(NO_RULE)
    assert run("exclude", "domain", "other.example")[0] == 1
    assert (home / "exclusions.txt").read_text() == NO_RULE


class Listening:
    """A mailbox that must not be looked into."""

    def __init__(self) -> None:
        self.looked = 0

    async def batches(
        self, cursor: str | None, *, since: datetime, skips: Callable[[str], bool]
    ) -> AsyncIterator[MailBatch]:
        self.looked += 1
        return
        yield

    async def wait(self, at_most: timedelta) -> None:
        raise AssertionError("it was read")

    async def check(self) -> Checked:
        raise NotImplementedError

    async def close(self) -> None:
        pass


async def test_an_unreadable_list_stops_every_source_and_is_told(database: Path, clock: FakeClock) -> None:
    file = ExclusionFile(database.parent / "exclusions.txt")
    (database.parent / "exclusions.txt").write_text(NO_RULE)
    box, told = Listening(), []

    class Stopped(Exception):  # noqa: N818
        pass

    async def pause(wait_for: timedelta) -> None:
        raise Stopped

    class Told(Alarm):
        def __init__(self) -> None:
            pass

        async def daily(self, key: str, text: str) -> None:
            told.append(text)

    async with SqlLedger(database, file) as ledger:
        await ledger.write(an_account)
        sources = Sources(
            ledger, Incoming(ledger, clock), Told(), clock, opens=lambda _: Opened(mail=box), owner_id=1, pause=pause
        )
        with pytest.raises(ExceptionGroup) as ended:
            await sources.run()
    assert ended.group_contains(Stopped)
    assert box.looked == 0
    assert len(told) == 1
    assert "line 1 of the exclusions" in told[0]


@pytest.mark.parametrize("words", ["/why heron", "/find heron", "/today", "/brief", "/people", "where is the heron?"])
async def test_an_unreadable_list_stops_whatever_the_chat_would_read(
    database: Path, clock: FakeClock, tmp_path: Path, words: str
) -> None:
    async with open_product(database, clock) as product:
        await given(product, mail(1, "The heron landed."), tmp_path)
        product.settings.exclusions.write_text(NO_RULE)
        (said,) = await product.says(words)
        assert "line 1 of the exclusions" in said
        assert "heron" not in said


async def test_a_tap_that_an_unreadable_list_stops_is_answered_and_counts_once_the_list_is_mended(
    database: Path, clock: FakeClock, tmp_path: Path
) -> None:
    async with open_product(database, clock) as product:
        await given(product, mail(1, "The heron landed."), tmp_path)
        await product.says("/find heron")
        card = product.newest
        product.settings.exclusions.write_text(NO_RULE)
        lines = await product.taps("1", card)
        assert "line 1 of the exclusions" in product.thumb
        assert "line 1 of the exclusions" in product.text_of(product.newest)
        assert product.text_of(card) == lines
        assert product.labels(card) == ["1"]
        product.settings.exclusions.write_text("")
        assert "The heron landed." in await product.taps("1", card)
        assert product.labels(card) != ["1"]


async def test_an_unreadable_list_stops_a_model_from_being_asked(
    database: Path, clock: FakeClock, tmp_path: Path
) -> None:
    async with open_product(database, clock, model=True) as product:
        await given(product, mail(1, "The heron landed."), tmp_path)
        product.settings.exclusions.write_text(NO_RULE)
        (said,) = await product.says("where is the heron?")
        assert "line 1 of the exclusions" in said
        assert product.provider.requests == []


async def test_what_needs_no_reading_goes_on_without_a_readable_list(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock) as product:
        product.settings.exclusions.write_text(NO_RULE)
        assert await product.says("todo: call Anna") == ["Kept open: call Anna"]


TOOLS: dict[str, dict[str, object]] = {
    "search": {"query": "heron"},
    "search_open": {"ref": "mail:1"},
    "mail_search": {"query": "heron"},
    "mail_thread": {"mail_id": 1},
    "person": {"name": "Anna"},
    "events_list": {},
    "free_busy": {},
}


@pytest.mark.parametrize("name", list(TOOLS))
async def test_an_unreadable_list_stops_every_reading_tool_of_a_thinker(
    database: Path, clock: FakeClock, name: str
) -> None:
    async with SqlLedger(database, ExclusionFile(database.parent / "exclusions.txt")) as ledger:
        await ledger.write(lambda t: t.mails.keep(1, read_mail(mail(1, "The heron landed."), now=NOW), now=NOW))
        (database.parent / "exclusions.txt").write_text(NO_RULE)
        gate = Gate(Toolbox(ledger, clock).tools(), ledger, clock)
        caller = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
        result = await gate.attempt(caller).call(ToolCall("1", name, TOOLS[name]))
    assert result.is_error
    assert "line 1 of the exclusions" in result.content
    assert "landed" not in result.content


@pytest.mark.parametrize(
    "look",
    [
        pytest.param(lambda t: t.mails.get(1), id="a mail"),
        pytest.param(lambda t: t.mails.some([1]), id="some mails"),
        pytest.param(lambda t: t.mails.thread(1), id="a thread"),
        pytest.param(lambda t: t.mails.page(1, after=None, limit=9), id="a page"),
        pytest.param(lambda t: t.mails.before(1, NOW + timedelta(days=99), limit=9), id="what was before"),
        pytest.param(lambda t: t.mails.latest_from(1, ["anna@example.org"], limit=9), id="the newest of somebody"),
        pytest.param(lambda t: t.mails.sent_to(1, ["anna@example.org"], limit=9), id="what was sent to somebody"),
        pytest.param(lambda t: t.mails.sightings(1, limit=9), id="who people are"),
        pytest.param(lambda t: t.search.find(1, "heron"), id="a search"),
        pytest.param(lambda t: t.search.find(1, "nonesuch"), id="a search that finds nothing"),
        pytest.param(lambda t: t.search.open(1, "mail:1"), id="what was found, opened"),
        pytest.param(lambda t: t.calendars.between(1, NOW, NOW + timedelta(days=9)), id="a day"),
        pytest.param(lambda t: t.calendars.of_uid(1, "1@example.org"), id="an event"),
        pytest.param(lambda t: t.exclusions, id="the list itself"),
    ],
)
async def test_an_unreadable_list_stops_every_lookup_of_the_ledger(
    database: Path, look: Callable[[Tables], object]
) -> None:
    async with SqlLedger(database, ExclusionFile(database.parent / "exclusions.txt")) as ledger:
        await ledger.write(lambda t: t.mails.keep(1, read_mail(mail(1, "The heron landed."), now=NOW), now=NOW))
        (database.parent / "exclusions.txt").write_text(NO_RULE)
        with pytest.raises(UnreadableExclusions):
            await ledger.read(look)


# ── what is excluded ──────────────────────────────────────────────────────────────────────────────────────────────────

INVITED = f"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test
X-WR-CALNAME:Family
BEGIN:VEVENT
UID:1@example.org
DTSTAMP:20260101T000000Z
DTSTART:20260302T100000Z
DTEND:20260302T110000Z
SUMMARY:Hour with a {CANARY}
ATTENDEE;CN="A. Nurse":mailto:nurse@
 clinic.example
END:VEVENT
BEGIN:VEVENT
UID:2@example.org
DTSTAMP:20260101T000000Z
DTSTART:20260302T120000Z
SUMMARY:Lunch with a heron
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")

EXCLUDED = {
    "its sender's address": ("Anna <therapist+praxis@example.org>", "owner@example.org", "INBOX"),
    "its sender's domain": ("Anna <anna@mail.clinic.example>", "owner@example.org", "INBOX"),
    "its sender's name": ('"Frey, Dr" <other@example.net>', "owner@example.org", "INBOX"),
    "somebody it also goes to": ("Bob <bob@example.net>", "owner@example.org, x@clinic.example", "INBOX"),
    "the folder it lies in": ("Bob <bob@example.net>", "owner@example.org", "Private"),
}


def letter(number: int, sender: str, to: str, word: str) -> bytes:
    return (
        f"From: {sender}\r\nTo: {to}\r\nSubject: A {word}, could you come?\r\nMessage-ID: <{number}@example.org>\r\n"
        f"Date: Mon, 02 Mar 2026 06:0{number}:00 +0000\r\n\r\nCould you please look after the {word} by Friday?\r\n"
    ).encode()


def an_account(t: Tables, kind: str = "imap", name: str = "work", **settings: str) -> Account:
    return t.accounts.add(
        owner_id=1, name=name, kind=kind, identity="owner@example.org", aliases=(), settings=settings, now=NOW  # type: ignore[arg-type]
    )  # fmt: skip


async def given(product: Product, raw: bytes, folder: Path) -> None:
    await import_mail(
        mbox(folder / "given", raw), ledger=product.house.ledger, owner_id=1, clock=product.clock,
        on_progress=lambda _: None,
    )  # fmt: skip


@contextmanager
def everything_logged() -> Iterator[list[str]]:
    lines: list[str] = []
    with capture_logs() as captured:
        yield lines
    lines += [json.dumps(one, default=str) for one in captured]


async def test_what_is_excluded_reaches_nothing(database: Path, clock: FakeClock, tmp_path: Path) -> None:
    """By mailbox, by file and by calendar: no table, no log, no model and no chat has a word of it."""
    home = database.parent
    (home / "exclusions.txt").write_text(RULES)
    (home / "family.ics").write_text(INVITED)
    with everything_logged() as logged:
        async with pymap_server.running() as server:
            await fill(server)
            await connected(home, clock, server)
            async with open_product(database, clock, model=True) as product:
                product.provider.always(INSTINCT, json.dumps({"reply": "Look at the day.", "needs_thought": False}))
                await product.until("SELECT 1 FROM mails WHERE subject LIKE '%heron%'")
                await product.until("SELECT 1 FROM events")
                for raw in (letter(8, *EXCLUDED["its sender's name"][:2], CANARY), mail(9, "The swift left.")):
                    await given(product, raw, tmp_path)
                await product.settled()
                await product.says("what does the day hold?")
                await product.says(f"/find {CANARY[:4]} heron")
                await product.says("/brief")
                kept = product.everything_kept()
                asked = "\n".join(json.dumps(one.body, default=str) for one in product.provider.requests)
                shown = "\n".join(str(call.params) for call in product.server.calls("sendMessage"))
                passed_over = await product.house.ledger.read(lambda t: t.counts.total("excluded", owner_id=1))
    assert "heron" in kept
    assert "heron" in asked
    assert "swift" in kept
    # Four in the mailbox (of the folder nobody looks), one in a file, one in the calendar.
    assert passed_over == 6
    for told in (kept, asked, shown, "\n".join(logged)):
        assert CANARY not in told
        assert "clinic" not in told
        assert "therapist" not in told


async def fill(server: pymap_server.Pymap) -> None:
    program = MailProgram(server.port, pymap_server.USER, pymap_server.PASSWORD)
    await program.create("Private")
    for number, (sender, to, folder) in enumerate(EXCLUDED.values()):
        await program.put(folder, letter(number, sender, to, CANARY), at=NOW)
    await program.put("INBOX", letter(7, "Bob <bob@example.net>", "owner@example.org", "heron"), at=NOW)


async def connected(home: Path, clock: FakeClock, server: pymap_server.Pymap) -> None:
    """The accounts, as the command line makes them."""
    place = {"host": "127.0.0.1", "port": str(server.port), "tls": "none", "user": pymap_server.USER}
    Vault(home / "secrets").put("work", pymap_server.PASSWORD)
    async with opened(settings_for(home, "http://127.0.0.1:9"), clock) as ledger:
        await ledger.write(lambda t: an_account(t, **place))
        await ledger.write(lambda t: an_account(t, "ics", "family", path=str(home / "family.ics")))


@pytest.mark.parametrize("with_daemon", [False, True], ids=["alone", "through the daemon"])
def test_a_new_rule_erases_what_it_covers_and_what_came_of_it(
    run: Run, home: Path, tmp_path: Path, with_daemon: bool
) -> None:
    run(
        "import",
        str(mbox(tmp_path / "m", letter(1, "A <a@clinic.example>", "o@example.org", CANARY), mail(2, "A heron."))),
    )

    def exclude() -> None:
        code, out, err = run("exclude", "domain", "clinic.example")
        assert code == 0, err
        assert "1 that had been read before are erased" in out
        assert "stood there already" in run("exclude", "domain", "clinic.example")[1]

    if with_daemon:
        with command_room.running_house():
            exclude()
    else:
        exclude()
    kept = everything_kept(home)
    assert CANARY not in kept
    assert "clinic" not in kept
    assert "heron" in kept
    assert "domain clinic.example" in run("exclude", "--list")[1].splitlines()


async def test_a_rule_also_empties_cards_lines_loops_and_reasons(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, model=True) as product:
        verdict = json.dumps({"verdict": "notify", "consequence": 0.7, "reason": f"the {CANARY} can't wait"})
        product.provider.always(lambda body: TRIAGE in json.dumps(body["system"]), verdict)
        told = await product.after(lambda: published(product, number=1))
        assert CANARY in "".join(told)
        card = product.newest
        await product.taps("Reply later")
        assert CANARY in str(product.rows("SELECT title FROM loops"))
        ledger = product.house.ledger
        ExclusionFile(product.settings.exclusions).add("domain clinic.example")
        assert await ledger.write(lambda t: erase_covered(t, 1, clock.now())) == 1
        kept = product.everything_kept()
        assert CANARY not in kept
        assert "Nurse" not in kept
        assert product.rows("SELECT state FROM loops") == [("dropped",)]
        await product.taps("Why", card)
        assert CANARY not in product.everything_kept()


async def test_what_a_hand_publishes_of_somebody_excluded_is_emptied(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock) as product:
        product.settings.exclusions.write_text(RULES)
        assert await product.after(lambda: published(product, number=1)) == []
        assert CANARY not in product.everything_kept()


def published(product: Product, *, number: int) -> None:
    said = f"Could you please pay the {CANARY} today? It is the last reminder before we go to court."
    mail = {
        "from": "A Nurse <a@clinic.example>",
        "to": "owner@example.org",
        "subject": f"{CANARY} {number}",
        "snippet": said,
    }
    with hand(product.settings.database) as connection:
        connection.execute(
            "INSERT INTO signals (source, kind, payload) VALUES ('shell', 'mail', ?)", (json.dumps(mail),)
        )
