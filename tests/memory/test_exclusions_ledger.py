"""The one lookup that every read passes: what the exclusions cover is not there, and without a list nothing is."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import NotFound
from memory.event import Attendee
from memory.exclusion import UnreadableExclusions
from memory.ledger import Tables
from memory.mail import Address, Mail
from memory.mail_thread import subject_of
from memory.sql.ledger import SqlLedger
from memory.tables.counters import PASSED_OVER
from tests.doubles.hand import hand
from tests.doubles.judged import a_judged, an_account, plan
from tests.doubles.letters import ANNA, JO, NOW, SARAH, a_letter
from tests.doubles.listed import Listed
from tests.doubles.planned import an_event
from tools import delivering, mail_card
from tools.brief import write_brief

HIDDEN = Address("Dr. Mira Secret", "mira+office@mail.clinic.example")
WORDS = "xylophone"
"""What nobody but the hidden says."""


@pytest.fixture
def listed() -> Listed:
    return Listed()


@pytest.fixture
async def ledger(database: Path, listed: Listed) -> AsyncIterator[SqlLedger]:
    async with SqlLedger(database, listed) as opened:
        yield opened


def hidden(**given: Any) -> Mail:
    return a_letter(f"A {WORDS}.", **({"sender": HIDDEN, "subject": f"The {WORDS}"} | given)).mail


RULES = [
    pytest.param("address mira@mail.clinic.example", {}, id="address, whatever its tag"),
    pytest.param("domain mail.clinic.example", {}, id="domain"),
    pytest.param("domain clinic.example", {}, id="domain above"),
    pytest.param("person Mira Secret", {}, id="person"),
    pytest.param("person Mira Secret", {"sender": Address("Secret, Mira", None)}, id="person without an address"),
    pytest.param("person Mira Secret", {"sender": ANNA, "to": (JO, HIDDEN)}, id="recipient"),
    pytest.param("domain clinic.example", {"sender": ANNA, "cc": (HIDDEN,)}, id="copied in"),
    pytest.param("domain clinic.example", {"sender": ANNA, "bcc": (HIDDEN,)}, id="blind copy"),
    pytest.param("domain clinic.example", {"sender": ANNA, "reply_to": (HIDDEN,)}, id="answers go there"),
    pytest.param("folder Private", {"folder": "Private/Diary"}, id="folder"),
    pytest.param("folder Private", {"labels": ("red", "Private/Diary")}, id="label"),
]


def everything_of(database: Path) -> str:
    """The whole file, as text; and its bytes may not hold more than a deleted row leaves in them."""
    with hand(database) as connection:
        return "\n".join(connection.iterdump())


@pytest.mark.parametrize(("rule", "given"), RULES)
async def test_what_is_covered_is_counted_and_leaves_nothing_else(
    ledger: SqlLedger, database: Path, listed: Listed, rule: str, given: dict[str, Any]
) -> None:
    listed.becomes(rule)
    place = {name: given[name] for name in ("folder", "labels") if name in given}
    mail = hidden(**{name: value for name, value in given.items() if name not in place})
    assert await ledger.write(lambda t: t.mails.keep(1, mail, now=NOW, **place)) == "excluded"
    kept = everything_of(database)
    assert WORDS not in kept.lower()
    assert "clinic.example" not in kept
    assert "Secret" not in kept
    assert await ledger.read(lambda t: t.counts.total(PASSED_OVER, owner_id=1)) == 1


@pytest.mark.parametrize(("rule", "given"), RULES)
async def test_a_list_made_longer_hides_at_once_what_it_covers(
    ledger: SqlLedger, listed: Listed, rule: str, given: dict[str, Any]
) -> None:
    place = {name: given[name] for name in ("folder", "labels") if name in given}
    mail = hidden(**{name: value for name, value in given.items() if name not in place})
    other = a_letter("Something else.", sender=SARAH).mail

    def work(t: Tables) -> tuple[Any, Any]:
        return t.mails.keep(1, mail, now=NOW, **place), t.mails.keep(1, other, now=NOW)

    number, left = await ledger.write(work)
    thread_id = await ledger.read(lambda t: t.mails.get(number).thread_id)
    people = [str(one.address) for one in (HIDDEN, ANNA, JO) if one.address]
    reads: list[Callable[[Tables], Any]] = [
        lambda t: t.mails.thread(thread_id),
        lambda t: [one for one in t.mails.page(1, after=None, limit=9) if one.id != left],
        lambda t: [one for one in t.mails.before(1, NOW, limit=9) if one.id != left],
        lambda t: t.mails.some([number]),
        lambda t: [one for one in t.mails.latest_from(1, people, limit=9) if one.id != left],
        lambda t: t.search.find(1, WORDS),
        lambda t: t.search.find(1, WORDS, corpora=("mail",)),
        lambda t: [
            one for one in t.mails.sightings(1, limit=9) if WORDS in one.name or one.address.endswith("clinic.example")
        ],
    ]
    listed.becomes(rule)
    assert [await ledger.read(read) for read in reads] == [[]] * len(reads)
    with pytest.raises(NotFound):
        await ledger.read(lambda t: t.mails.get(number))
    assert [kept.id for kept in await ledger.read(lambda t: t.mails.page(1, after=None, limit=9))] == [left]


@pytest.mark.parametrize(("rule", "given"), RULES)
async def test_a_list_made_longer_erases_what_it_covers(
    ledger: SqlLedger, database: Path, listed: Listed, rule: str, given: dict[str, Any]
) -> None:
    place = {name: given[name] for name in ("folder", "labels") if name in given}
    mail = hidden(**{name: value for name, value in given.items() if name not in place})
    await ledger.write(lambda t: (t.mails.keep(1, mail, now=NOW, **place), a_judged(t, "log", now=NOW, said="Stays.")))
    assert await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW)) == 0
    listed.becomes(rule)
    assert await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW)) == 1
    assert await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW)) == 0
    kept = everything_of(database)
    assert WORDS not in kept.lower()
    assert "clinic.example" not in kept
    assert "Secret" not in kept
    assert await ledger.read(lambda t: t.mails.count(1)) == 1


async def test_what_was_said_of_an_erased_mail_is_erased_with_it(
    ledger: SqlLedger, database: Path, listed: Listed
) -> None:
    """Reasons, findings, the card, its message in the chat, the line for the brief and the loop."""

    def work(t: Tables) -> None:
        owner = t.owners.get()
        for what in ("notify", "loop", "hold"):
            kept = a_judged(
                t, what, now=NOW, sender=HIDDEN, subject=f"{WORDS} {what}", said=f"Will you {what} the {WORDS}?"
            )
            [judgement] = t.verdicts.of_mail(1, kept.id)
            pieces = delivering.tell(
                t, kept, judgement, channel="terminal", now=NOW + timedelta(hours=3), from_past=False, signal_id=None
            )
            assert len(pieces) == (what == "notify")
        assert [WORDS in loop.title for loop in t.loops.list_open(owner.id)] == [True]

    await ledger.write(work)
    assert everything_of(database).lower().count(WORDS) > 10
    listed.becomes("person Mira Secret")
    await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW))
    kept = everything_of(database)
    assert WORDS not in kept.lower()
    assert "Secret" not in kept
    assert "clinic.example" not in kept

    def left(t: Tables) -> tuple[Any, ...]:
        judged = t.verdicts.since(1, NOW - timedelta(days=1))
        return (
            [one.verdict.reason for one in judged],
            [one.findings for one in judged],
            t.loops.list_open(1),
            t.notices.held(1, NOW),
            t.cards.open_about(1, subject_of(judged[0].thread_id)),
        )

    assert await ledger.read(left) == ([""] * 3, [()] * 3, [], [], None)


async def test_a_line_is_taken_out_of_the_brief_that_told_it(ledger: SqlLedger, database: Path, listed: Listed) -> None:
    def work(t: Tables) -> None:
        owner = t.owners.get()
        for sender, subject in ((HIDDEN, f"The {WORDS}"), (SARAH, "The boat")):
            kept = a_judged(t, "hold", now=NOW, sender=sender, subject=subject)
            [judgement] = t.verdicts.of_mail(1, kept.id)
            delivering.tell(t, kept, judgement, channel="terminal", now=NOW, from_past=False, signal_id=None)
        at = NOW + timedelta(days=1)
        write_brief(t, owner, at, planned_at=at, key="brief:2026-09-08", channel="terminal")

    await ledger.write(work)
    assert everything_of(database).count(f"The {WORDS}") >= 2
    listed.becomes("domain clinic.example")
    await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW))
    kept = everything_of(database)
    assert WORDS not in kept
    assert "Secret" not in kept
    assert "Sarah Stone" in kept


async def test_the_rest_of_a_thread_stays_when_one_of_its_mails_is_erased(ledger: SqlLedger, listed: Listed) -> None:
    first = a_letter("The beginning.", sender=SARAH).mail
    answer = hidden(in_reply_to=first.message_id, references=(first.message_id,))

    def work(t: Tables) -> int:
        number = t.mails.keep(1, first, now=NOW)
        assert isinstance(number, int)
        t.mails.keep(1, answer, now=NOW)
        return t.mails.get(number).thread_id

    thread_id = await ledger.write(work)
    listed.becomes("domain clinic.example")
    await ledger.write(lambda t: t.mails.erase_covered(1, now=NOW))
    assert [kept.mail for kept in await ledger.read(lambda t: t.mails.thread(thread_id))] == [first]


async def test_a_mail_that_is_moved_into_an_excluded_folder_is_erased(
    ledger: SqlLedger, database: Path, listed: Listed
) -> None:
    listed.becomes("folder Private")

    def work(t: Tables) -> tuple[Any, ...]:
        account = an_account(t)
        for uid in ("one", "two"):
            t.mails.keep(1, hidden(), now=NOW, account_id=account, uid=uid, folder="INBOX")
        return (
            t.mails.change(account, "one", folder="Private/Diary", labels=(), is_read=True, now=NOW),
            t.mails.change(account, "two", folder="Archive", labels=("Private",), is_read=True, now=NOW),
            t.mails.change(account, "three", folder="Private", labels=(), is_read=True, now=NOW),
        )

    assert await ledger.write(work) == (True, True, False)
    assert WORDS not in everything_of(database).lower()
    assert await ledger.read(lambda t: t.counts.total(PASSED_OVER, owner_id=1)) == 2


# Events


def seen_by(t: Tables) -> list[str]:
    found = t.calendars.between(1, NOW, NOW + timedelta(days=9))
    return [one.event.title for one in (*found, *t.calendars.of_uid(1, "visit"))]


VISIT = an_event(
    "visit",
    NOW + timedelta(days=1),
    title=f"The {WORDS}",
    organizer=Attendee(name="Mira Secret", address="mira@mail.clinic.example"),
)
GUEST = an_event(
    "visit",
    NOW + timedelta(days=1),
    title=f"The {WORDS}",
    attendees=(Attendee(name="", address="jo@baker.example"), Attendee(name="", address="mira@mail.clinic.example")),
)
ICS = """BEGIN:VEVENT
UID:visit
SUMMARY:The xylophone
ORGANIZER;CN="Secret, Mira":mailto:mira@mail.cli
 nic.example
END:VEVENT"""


@pytest.mark.parametrize("event", [VISIT, GUEST], ids=["organizer", "guest"])
@pytest.mark.parametrize("rule", ["domain clinic.example", "address mira@mail.clinic.example", "folder Work"])
async def test_an_event_is_not_there_once_it_is_covered(
    ledger: SqlLedger, listed: Listed, event: Any, rule: str
) -> None:
    other = an_event("other", NOW + timedelta(days=2), calendar="home")
    await ledger.write(lambda t: plan(t, event, other))
    assert await ledger.read(seen_by) == [f"The {WORDS}", "Other", f"The {WORDS}"]
    listed.becomes(rule)
    assert await ledger.read(seen_by) == ["Other"]


@pytest.mark.parametrize("rule", ["domain clinic.example", "person Mira Secret", "folder Work"])
async def test_a_covered_object_of_a_calendar_is_not_kept_and_what_was_is_erased(
    ledger: SqlLedger, database: Path, listed: Listed, rule: str
) -> None:
    def again(t: Tables) -> Any:
        return t.calendars.keep(1, account, calendar="work", ref="visit.ics", etag="2", ics=ICS, events=[VISIT])

    account = await ledger.write(an_account)
    await ledger.write(lambda t: (t.calendars.name(1, account, {"work": "Work"}), again(t)))
    assert WORDS in everything_of(database)
    listed.becomes(rule)
    before, after = await ledger.write(again)
    assert (list(before), list(after)) == ([], [])
    assert WORDS not in everything_of(database)
    listed.becomes("")
    await ledger.write(again)
    listed.becomes(rule)
    assert await ledger.write(lambda t: t.calendars.erase_covered(1, now=NOW)) == 1
    assert WORDS not in everything_of(database)
    assert "clinic" not in everything_of(database)


# No list at all


READS: dict[str, Callable[[Tables], Any]] = {
    "get": lambda t: t.mails.get(1),
    "some": lambda t: t.mails.some([1]),
    "thread": lambda t: t.mails.thread(1),
    "page": lambda t: t.mails.page(1, after=None, limit=1),
    "before": lambda t: t.mails.before(1, NOW, limit=1),
    "from somebody": lambda t: t.mails.latest_from(1, ["anna@winter.example"], limit=1),
    "to somebody": lambda t: t.mails.sent_to(1, ["anna@winter.example"], limit=1),
    "people": lambda t: t.mails.sightings(1, limit=1),
    "covered": lambda t: t.mails.covered([1]),
    "search": lambda t: t.search.find(1, "anything"),
    "search of the chat": lambda t: t.search.find(1, "anything", corpora=("chat",)),
    "events": lambda t: t.calendars.between(1, NOW, NOW),
    "one event": lambda t: t.calendars.of_uid(1, "x"),
    "the list": lambda t: t.exclusions,
}
WRITES: dict[str, Callable[[Tables], Any]] = {
    "keep": lambda t: t.mails.keep(1, a_letter("x").mail, now=NOW),
    "import": lambda t: t.imports.add(
        owner_id=1, import_id=1, file="x", mails=[a_letter("x").mail], mine=(), faults=(), end_byte=1, now=NOW
    ),
    "erase": lambda t: t.mails.erase_covered(1, now=NOW),
    "keep an event": lambda t: t.calendars.keep(1, 1, calendar="work", ref="x", etag="", ics="", events=[VISIT]),
    "erase events": lambda t: t.calendars.erase_covered(1, now=NOW),
}


@pytest.mark.parametrize("name", [*READS, *WRITES])
async def test_a_list_that_cant_be_read_stops_every_read_and_says_so(
    ledger: SqlLedger, listed: Listed, name: str
) -> None:
    await ledger.write(lambda t: (t.mails.keep(1, hidden(), now=NOW), plan(t, VISIT)))
    listed.now = None
    work = READS.get(name)
    with pytest.raises(UnreadableExclusions, match="line 1"):
        await (ledger.read(work) if work else ledger.write(WRITES[name]))
    listed.becomes("")
    assert await ledger.read(lambda t: t.mails.count(1)) == 1


async def test_the_card_of_an_excluded_mail_can_no_longer_be_made(ledger: SqlLedger, listed: Listed) -> None:
    kept = await ledger.write(lambda t: a_judged(t, "notify", now=NOW, sender=HIDDEN))
    assert "Secret" in mail_card.in_line(kept, "en")
    listed.becomes("domain clinic.example")
    assert await ledger.read(lambda t: t.mails.thread(kept.thread_id)) == []


async def test_an_import_passes_over_what_is_covered_and_goes_on_behind_it(
    ledger: SqlLedger, database: Path, listed: Listed
) -> None:
    listed.becomes("domain clinic.example")

    def work(t: Tables) -> Any:
        number = t.imports.begin(owner_id=1, path="old.mbox", files=[("old.mbox", 900)], now=NOW)
        kept = [hidden(), a_letter("Stays.", sender=SARAH).mail]
        new = t.imports.add(
            owner_id=1, import_id=number, file="old.mbox", mails=kept, mine=(), faults=(), end_byte=900, now=NOW
        )
        return new, t.imports.position(number, "old.mbox"), dict(t.imports.finish(number, now=NOW))

    assert await ledger.write(work) == (1, 900, {"read": 1, "new": 1, "repeated": 0, "bad": 0})
    assert WORDS not in everything_of(database).lower()
    assert await ledger.read(lambda t: t.counts.total(PASSED_OVER, owner_id=1)) == 1
