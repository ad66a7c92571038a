"""Who is who is found out in the background, from signatures too, and comes out the same whatever came first."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from jobs import acquaint as acquaint_duty
from jobs.acquaint import Acquaint
from memory.contact import make
from memory.ledger import Tables
from memory.mail import Address, Mail
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.letters import NOW, a_letter

ME = Address("Jo Baker", "me@home.example")
TOM = Address("Tom Keller", "tom.keller@gmx.de")
SIGNED = "See you there.\n\n--\nTom Keller\nMobil 0176 / 040 690 12"


def chat(number: int, who: str, **given: Any) -> Document:
    values: dict[str, Any] = {
        "corpus": "imessage",
        "ref": f"imessage:abc/{number:04}",
        "who": who,
        "title": "",
        "text": "On my way",
        "at": NOW,
        "place": "Tom",
        **given,
    }
    return Document(**values)


def wrote(sender: Address, text: str, number: int, to: tuple[Address, ...] = (ME,), **given: Any) -> Mail:
    return a_letter(text, message_id=f"{number}@t.example", sender=sender, to=to, subject=f"Hi {number}", **given).mail


async def acquaint(ledger: SqlLedger) -> int:
    return await Acquaint(ledger, FakeClock()).all()


def _keep(mail: Mail, **given: Any) -> Any:
    return lambda t: t.mails.keep(1, mail, now=NOW, **given)


async def people(ledger: SqlLedger) -> set[frozenset[str]]:
    def read(t: Tables) -> set[frozenset[str]]:
        found = t.people.named(1, "Tom") + t.people.named(1, "Keller")
        return {frozenset(one.value for one in person.identities) for person in found}

    return await ledger.read(read)


async def test_a_number_below_somebodys_mails_joins_their_chat(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, SIGNED, 1)))
    await ledger.write(lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW))
    assert await acquaint(ledger) > 0
    assert await people(ledger) == {frozenset({"tom.keller@gmx.de", "+4917604069012"})}
    assert await acquaint(ledger) == 0


async def test_a_number_below_the_mails_of_two_is_nobodys(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, SIGNED, 1)))
    await ledger.write(_keep(wrote(Address("Ina Rau", "ina@gmx.de"), SIGNED.replace("Tom Keller", "Ina Rau"), 2)))
    await ledger.write(lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW))
    await acquaint(ledger)
    assert await people(ledger) == {frozenset({"tom.keller@gmx.de"}), frozenset({"+4917604069012"})}


async def test_a_stranger_who_copies_a_number_is_not_whom_the_owner_writes_to(ledger: SqlLedger) -> None:
    evil = Address("Tom Keller", "tom@evil.example")
    await ledger.write(_keep(wrote(TOM, SIGNED.replace("040 690 12", "555 0 555"), 1)))
    await ledger.write(_keep(wrote(ME, "Hello Tom", 2, (TOM,)), by_owner=True))
    said = [chat(1, "you", people=(("Tom", "+4917604069012"),), by_owner=True), chat(2, "Tom <+4917604069012>")]
    await ledger.write(lambda t: t.search.put(1, said, now=NOW))
    for number, copied in enumerate((SIGNED, SIGNED.replace("040 690 12", "555 0 555"), SIGNED), 3):
        await ledger.write(_keep(wrote(evil, copied, number)))
        await acquaint(ledger)
        together = {frozenset(each) for each in await people(ledger) if "tom@evil.example" in each}
        assert together == {frozenset({"tom@evil.example"})}


async def test_a_number_that_somebody_has_given_up_is_not_theirs(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, SIGNED, 1)))
    await ledger.write(lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW))
    await acquaint(ledger)
    await ledger.write(_keep(wrote(TOM, SIGNED.replace("040 690 12", "555 0 555"), 2, date_at=NOW)))
    await acquaint(ledger)
    assert await people(ledger) == {frozenset({"tom.keller@gmx.de"}), frozenset({"+4917604069012"})}
    changes = await ledger.read(lambda t: t.people.changes(1))
    assert [(one.what, one.by) for one in changes] == [("split", "evidence"), ("joined", "evidence")]


@pytest.mark.parametrize("order", list(permutations(range(4)))[::3], ids=str)
async def test_order_of_arrival_does_not_matter(ledger: SqlLedger, order: tuple[int, ...]) -> None:
    private = Address("Tom Keller", "tk81@web.de")
    record = make("Tom Keller", [str(TOM.address), str(private.address)], "vcard")
    arrives: list[Any] = [
        _keep(wrote(TOM, SIGNED, 1)),
        _keep(wrote(private, "Hi", 2)),
        lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW),
        lambda t: t.contacts.keep(1, record, key="k", now=NOW),
    ]
    for number in order:
        await ledger.write(arrives[number])
        await acquaint(ledger)
    assert await people(ledger) == {frozenset({"tom.keller@gmx.de", "tk81@web.de", "+4917604069012"})}


async def test_what_was_left_to_do_is_done_after_a_stop(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        for number in range(30):
            await ledger.write(_keep(wrote(Address("Tom Keller", f"tom{number}@x{number}.example"), "Hi", number)))
        await ledger.write(lambda t: t.people.take(1, limit=10, now=NOW))
    async with SqlLedger(database) as ledger:
        await acquaint(ledger)
        assert len(await people(ledger)) == 30


async def test_a_record_with_a_number_joins_the_chat_under_it(ledger: SqlLedger) -> None:
    record = make("Tom Keller", [str(TOM.address)], "vcard", ["0176 / 040 690 12"])
    await ledger.write(lambda t: t.contacts.keep(1, record, key="k", now=NOW))
    assert await ledger.read(lambda t: t.contacts.all(1)[0].contact) == record
    await ledger.write(lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW))
    await acquaint(ledger)
    assert await people(ledger) == {frozenset({"tom.keller@gmx.de", "+4917604069012"})}


def minutes(text: str, *people: tuple[str, str], **given: Any) -> Document:
    values: dict[str, Any] = {
        "corpus": "meeting",
        "ref": "meeting:plans.md",
        "who": "you",
        "title": "Plans",
        "text": text,
        "at": NOW,
        "place": "plans.md",
        "people": people,
        "by_owner": True,
        **given,
    }
    return Document(**values)


async def seen(ledger: SqlLedger, value: str) -> list[tuple[str, str]]:
    def read(t: Tables) -> list[tuple[str, str]]:
        person = t.people.of(1, value)
        assert person is not None
        return [(one.ref, one.role) for one in t.people.sightings(1, person.id, limit=9) if one.corpus != "mail"]

    return await ledger.read(read)


async def test_a_first_name_in_a_note_is_his_who_was_there(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, "Hi", 1)))
    await ledger.write(_keep(wrote(Address("Tom Adams", "tom@adams.example"), "Hi", 2)))
    await ledger.write(lambda t: t.search.put(1, [minutes("Tom brings the plans.", ("Tom Keller", ""))], now=NOW))
    await acquaint(ledger)
    assert await seen(ledger, "tom.keller@gmx.de") == [("meeting:plans.md", "attended")]
    assert await seen(ledger, "tom@adams.example") == []


@pytest.mark.parametrize("at_once", [acquaint_duty.CALLED_AT_ONCE, 1], ids=["read together", "read one by one"])
async def test_a_first_name_that_may_be_two_peoples_is_nobodys(
    ledger: SqlLedger, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(acquaint_duty, "CALLED_AT_ONCE", at_once)
    await ledger.write(_keep(wrote(TOM, "Hi", 1)))
    await ledger.write(_keep(wrote(Address("Tom Adams", "tom@adams.example"), "Hi", 2)))
    await ledger.write(lambda t: t.search.put(1, [minutes("We should ask Tom for the plans.")], now=NOW))
    await acquaint(ledger)
    assert await seen(ledger, "tom.keller@gmx.de") == await seen(ledger, "tom@adams.example") == []


async def test_a_first_name_means_the_one_the_owner_speaks_with(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, "Hi", 1)))
    await ledger.write(lambda t: t.search.put(1, [minutes("We should ask Tom.")], now=NOW))
    await acquaint(ledger)
    assert await seen(ledger, "tom.keller@gmx.de") == [("meeting:plans.md", "named")]
    await ledger.write(lambda t: t.search.put(1, [minutes("We should ask Kim.")], now=NOW))
    await acquaint(ledger)
    assert await seen(ledger, "tom.keller@gmx.de") == []


async def test_a_note_names_those_in_it_and_nobody_of_another_note(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, "Hi", 1)))
    other = minutes("The barn needs a roof.", ref="meeting:barn.md", title="Barn", place="barn.md")
    await ledger.write(lambda t: t.search.put(1, [minutes("We should ask Tom."), other], now=NOW))
    await acquaint(ledger)
    assert await seen(ledger, "tom.keller@gmx.de") == [("meeting:plans.md", "named")]


async def test_search_finds_people_and_no_robots(ledger: SqlLedger) -> None:
    await ledger.write(_keep(wrote(TOM, SIGNED, 1)))
    await ledger.write(_keep(wrote(Address("Tom News", "no-reply@shop.example"), "Offers", 2)))
    await acquaint(ledger)
    hits = await ledger.read(lambda t: t.search.find(1, "keller", corpora=["person"]))
    assert [hit.title for hit in hits] == ["Tom Keller"]
    assert await ledger.read(lambda t: t.search.find(1, "shop", corpora=["person"])) == []


class Interrupted:
    """A ledger in which something else is committed before the write of this number."""

    def __init__(self, ledger: SqlLedger, number: int, change: Callable[[Tables], None]) -> None:
        self._ledger, self._left, self._change = ledger, number, change

    async def read(self, work: Callable[[Tables], Any]) -> Any:
        return await self._ledger.read(work)

    async def write(self, work: Callable[[Tables], Any]) -> Any:
        if self._left == 0:
            await self._ledger.write(self._change)
        self._left -= 1
        return await self._ledger.write(work)


@pytest.mark.parametrize("number", range(5))
async def test_what_changes_while_it_is_looked_at_is_not_lost(ledger: SqlLedger, number: int) -> None:
    lines: list[str] = []

    def change(t: Tables) -> None:
        t.mails.keep(1, wrote(TOM, SIGNED, 2), now=NOW)
        t.search.put(1, [minutes("Ask Ben Adler for the plans.")], now=NOW)
        lines.append("vegetarian")
        t.people.touch(1, [one.id for person in t.people.named(1, "Keller") for one in person.identities])

    await ledger.write(_keep(wrote(TOM, "Hi", 1), by_owner=False))
    await ledger.write(_keep(wrote(Address("Ben Adler", "ben@adler.example"), "Hi", 3)))
    await ledger.write(lambda t: t.search.put(1, [chat(1, "Tom <+4917604069012>")], now=NOW))
    await ledger.write(lambda t: t.search.put(1, [minutes("Ask Tom Keller for the plans.")], now=NOW))
    between: Any = Interrupted(ledger, number, change)
    await Acquaint(between, FakeClock(), knows=lambda *_: tuple(lines)).all()
    assert lines, "there were fewer writes: nothing came between"
    assert await people(ledger) == {frozenset(("tom.keller@gmx.de", "+4917604069012"))}
    assert await seen(ledger, "ben@adler.example") == [("meeting:plans.md", "named")]
    hits = await ledger.read(lambda t: t.search.find(1, "vegetarian", corpora=["person"]))
    assert "Tom Keller" in [hit.title for hit in hits]
