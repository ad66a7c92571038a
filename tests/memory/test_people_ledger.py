"""Everybody the owner exchanged something with, from what is kept: who they are, where they were seen, what joined them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.contact import make
from memory.errors import BadInput, NotFound
from memory.exclusion import Exclusions, read_exclusions
from memory.ledger import Tables
from memory.mail import Address, Mail
from memory.people.person import Person
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from tests.doubles.hand import rows
from tests.doubles.letters import NOW, a_letter

DAY = timedelta(days=1)
ME = Address("Jo Baker", "me@home.example")
ANNA = Address("Anna Winter", "anna.winter@acme.example")
PRIVATE = Address("Anna Winter", "aw77@web.de")
NAMESAKE = Address("Anna Winter", "a.winter@other.example")

_numbers = iter(range(1, 10_000))


def mail(sender: Address, *to: Address, at: datetime = NOW, **given: Any) -> Mail:
    number = next(_numbers)
    return a_letter(
        "hello",
        message_id=f"{number}@test.example",
        sender=sender,
        to=to or (ME,),
        date_at=at,
        subject=f"Plans {number}",
        **given,
    ).mail


async def keep(ledger: SqlLedger, *mails: Mail) -> list[int]:
    def put(t: Tables) -> list[int]:
        return [
            t.mails.keep(1, one, now=NOW, by_owner=one.sender == ME)  # type: ignore[misc]
            for one in mails
        ]

    return await ledger.write(put)


async def acquaint(ledger: SqlLedger) -> int:
    done = 0
    while taken := await ledger.write(lambda t: t.people.take(1, limit=100, now=NOW)):
        done += taken
    return done


async def of(ledger: SqlLedger, value: str) -> Person | None:
    return await ledger.read(lambda t: t.people.of(1, value))


async def known(ledger: SqlLedger, value: str) -> Person:
    found = await of(ledger, value)
    assert found is not None, value
    return found


def said(number: int, who: str, *, place: str = "Anna Winter", at: datetime = NOW, **given: object) -> Document:
    values: dict[str, object] = {
        "corpus": "whatsapp",
        "ref": f"whatsapp:abc/{number:04}",
        "who": who,
        "title": "",
        "text": "see you",
        "at": at,
        "place": place,
        **given,
    }
    return Document(**values)  # type: ignore[arg-type]


async def put(ledger: SqlLedger, *documents: Document) -> None:
    await ledger.write(lambda t: t.search.put(1, documents, now=NOW))


async def test_whoever_writes_is_somebody_and_their_answers_join_them(ledger: SqlLedger) -> None:
    first = mail(ANNA)
    threaded: dict[str, Any] = {"in_reply_to": first.message_id, "references": (str(first.message_id),)}
    await keep(ledger, first, mail(PRIVATE, **threaded), mail(ME, ANNA), mail(ME, PRIVATE))
    assert await acquaint(ledger) > 0
    person = await known(ledger, "Anna.Winter+shop@acme.example")
    assert set(person.addresses) == {ANNA.address, PRIVATE.address}
    assert person.name == "Anna Winter"
    assert "and you wrote to both" in person.because
    assert await acquaint(ledger) == 0


async def test_two_people_of_one_name_are_never_joined_by_it(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA), mail(NAMESAKE), mail(ME, ANNA), mail(ME, NAMESAKE))
    await acquaint(ledger)
    found = await ledger.read(lambda t: t.people.named(1, "Anna Winter"))
    assert len(found) == 2
    assert await ledger.read(lambda t: t.people.changes(1)) == []


async def test_a_name_finds_first_whom_the_owner_exchanges_most_with(ledger: SqlLedger) -> None:
    await keep(ledger, mail(NAMESAKE), mail(ANNA), mail(ME, ANNA), mail(Address("Bo Anna", "bo@x.example")))
    await acquaint(ledger)
    found = await ledger.read(lambda t: t.people.named(1, "winter"))
    assert [one.addresses[0] for one in found] == [ANNA.address, NAMESAKE.address]
    assert len(await ledger.read(lambda t: t.people.named(1, "Anna"))) == 3
    assert await ledger.read(lambda t: t.people.named(1, "Ann")) == ()


async def test_the_owner_is_nobody_the_owner_knows(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA), mail(ME, ANNA))
    await acquaint(ledger)
    assert await of(ledger, "me@home.example") is None
    assert await ledger.read(lambda t: t.people.named(1, "Jo Baker")) == ()


async def test_recurring_are_those_with_whom_something_is_exchanged(ledger: SqlLedger) -> None:
    bob, list_ = Address("Bob Ray", "bob@x.example"), Address("News", "news@shop.example")
    await keep(
        ledger,
        mail(bob),
        mail(ANNA),
        mail(ME, ANNA),
        *(mail(list_, is_automated=True) for _ in range(5)),
        mail(Address("Old One", "old@x.example"), at=NOW - 400 * DAY),
    )
    await acquaint(ledger)
    found = await ledger.read(lambda t: t.people.recurring(1, since=NOW - 30 * DAY, limit=5))
    assert [one.name for one in found] == ["Anna Winter", "Bob Ray"]
    assert len(await ledger.read(lambda t: t.people.recurring(1, since=NOW - 30 * DAY, limit=1))) == 1


async def test_sightings_and_last_contacts_stand_by_channel(ledger: SqlLedger) -> None:
    (first, second) = await keep(ledger, mail(ANNA, at=NOW - 3 * DAY), mail(ME, ANNA, at=NOW - 2 * DAY))
    await put(
        ledger,
        Document(
            corpus="calendar",
            ref="event:1/a/0",
            who="you",
            title="Lunch",
            text="",
            at=NOW + DAY,
            people=[("Anna Winter", "anna.winter@acme.example")],
            by_owner=True,
        ),
    )
    await acquaint(ledger)
    anna = await known(ledger, "anna.winter@acme.example")
    seen = await ledger.read(lambda t: t.people.sightings(1, anna.id, limit=10))
    assert [(one.ref, one.role) for one in seen] == [
        ("event:1/a/0", "attended"),
        (f"mail:{second}", "received"),
        (f"mail:{first}", "wrote"),
    ]
    contacts = await ledger.read(lambda t: t.people.last_contacts(1, anna.id, now=NOW))
    assert set(contacts) == {"mail"}
    assert (contacts["mail"].by_them_at, contacts["mail"].by_owner_at) == (NOW - 3 * DAY, NOW - 2 * DAY)
    assert (contacts["mail"].from_them, contacts["mail"].from_owner, contacts["mail"].ref) == (1, 1, f"mail:{second}")
    assert set(await ledger.read(lambda t: t.people.last_contacts(1, anna.id))) == {"mail", "calendar"}


async def test_who_speaks_in_a_chat_is_somebody(ledger: SqlLedger) -> None:
    await put(
        ledger,
        said(1, "Anna Winter"),
        said(2, "you", by_owner=True, people=[("Anna Winter", "")]),
        said(3, "+49 170 1234567"),
    )
    (anna,) = await ledger.read(lambda t: t.people.named(1, "Anna Winter")) or await _named_after(ledger)
    contacts = await ledger.read(lambda t: t.people.last_contacts(1, anna.id))
    assert (contacts["whatsapp"].from_them, contacts["whatsapp"].from_owner) == (1, 1)
    assert (await known(ledger, "0170/1234567")).identities[0].value == "+491701234567"


async def _named_after(ledger: SqlLedger) -> tuple[Person, ...]:
    await acquaint(ledger)
    return await ledger.read(lambda t: t.people.named(1, "Anna Winter"))


async def test_a_dropped_chat_takes_its_sightings_along(ledger: SqlLedger) -> None:
    await put(ledger, said(1, "Anna Winter"), said(2, "Bo Ray"))
    await acquaint(ledger)
    (anna,) = await ledger.read(lambda t: t.people.named(1, "Anna Winter"))
    await ledger.write(lambda t: t.search.replace(1, "whatsapp:abc/", [said(2, "Bo Ray")], now=NOW))
    await acquaint(ledger)
    assert await ledger.read(lambda t: t.people.named(1, "Anna Winter")) == ()
    with pytest.raises(NotFound):
        await ledger.read(lambda t: t.people.get(1, anna.id))
    assert len(await ledger.read(lambda t: t.people.named(1, "Bo Ray"))) == 1


async def test_a_changed_document_names_others(ledger: SqlLedger) -> None:
    await put(ledger, said(1, "Anna Winter"))
    await acquaint(ledger)
    await put(ledger, said(1, "Bo Ray"))
    await acquaint(ledger)
    assert await ledger.read(lambda t: t.people.named(1, "Anna Winter")) == ()
    assert len(await ledger.read(lambda t: t.people.named(1, "Bo Ray"))) == 1


async def test_an_undone_join_stands_as_three_rows(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA), mail(NAMESAKE))
    await acquaint(ledger)
    one, other = await known(ledger, ANNA.address), await known(ledger, NAMESAKE.address)
    joined = await ledger.write(lambda t: t.people.join(1, one.id, other.id, because="you said so", now=NOW))
    await acquaint(ledger)
    assert len((await known(ledger, ANNA.address)).identities) == 2
    undone = await ledger.write(lambda t: t.people.undo(1, joined.id, because="taken back", now=NOW))
    await acquaint(ledger)
    assert await known(ledger, ANNA.address) == one
    assert await known(ledger, NAMESAKE.address) == other
    with pytest.raises(BadInput):
        await ledger.write(lambda t: t.people.undo(1, joined.id, because="again", now=NOW))
    again = await ledger.write(lambda t: t.people.undo(1, undone.id, because="after all", now=NOW))
    await acquaint(ledger)
    assert len((await known(ledger, ANNA.address)).identities) == 2
    rows = await ledger.read(lambda t: t.people.changes(1))
    assert [(row.id, row.what, row.undoes, row.by) for row in rows] == [
        (again.id, "joined", undone.id, "owner"),
        (undone.id, "split", joined.id, "owner"),
        (joined.id, "joined", None, "owner"),
    ]


async def test_an_owners_split_is_never_undone_by_evidence(ledger: SqlLedger) -> None:
    first = mail(ANNA)
    threaded: dict[str, Any] = {"in_reply_to": first.message_id, "references": (str(first.message_id),)}
    await keep(ledger, first, mail(PRIVATE, **threaded), mail(ME, ANNA), mail(ME, PRIVATE))
    await acquaint(ledger)
    person = await known(ledger, ANNA.address)
    leaves = [one.id for one in person.identities if one.value == PRIVATE.address]
    await ledger.write(lambda t: t.people.split(1, person.id, leaves, because="you said so", now=NOW))
    await acquaint(ledger)
    await keep(ledger, mail(PRIVATE, **threaded))
    record = make("Anna Winter", [ANNA.address, PRIVATE.address], "vcard")
    await ledger.write(lambda t: t.contacts.keep(1, record, key="k", now=NOW))
    await acquaint(ledger)
    assert (await known(ledger, ANNA.address)).addresses == (ANNA.address,)
    assert (await known(ledger, PRIVATE.address)).addresses == (PRIVATE.address,)


async def test_a_record_of_the_owners_joins_what_it_names(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA), mail(Address("", "x1@web.de")))
    record = make("Anna Winter", [ANNA.address, "x1@web.de"], "vcard")
    number = await ledger.write(lambda t: t.contacts.keep(1, record, key="k", now=NOW))
    await acquaint(ledger)
    assert set((await known(ledger, "x1@web.de")).addresses) == {ANNA.address, "x1@web.de"}
    await ledger.write(lambda t: t.contacts.drop(1, number))
    await acquaint(ledger)
    assert (await known(ledger, "x1@web.de")).addresses == ("x1@web.de",)
    assert [one.what for one in await ledger.read(lambda t: t.people.changes(1))] == ["split", "joined"]


def _excluding(rules: str) -> Callable[[], Exclusions]:
    return lambda: read_exclusions(rules)


@pytest.mark.parametrize("rules", ["address anna.winter@acme.example", "person Anna Winter", "domain acme.example"])
async def test_a_person_whom_the_exclusions_cover_is_not_found(database: Path, rules: str) -> None:
    async with SqlLedger(database) as ledger:
        await keep(ledger, mail(ANNA), mail(Address("Bob Ray", "bob@x.example")))
        await acquaint(ledger)
        anna = await known(ledger, ANNA.address)
    async with SqlLedger(database, _excluding(rules)) as ledger:
        assert await of(ledger, ANNA.address) is None
        assert await ledger.read(lambda t: t.people.named(1, "Anna")) == ()
        assert await ledger.read(lambda t: t.people.of_identity(1, anna.identities[0].id)) is None
        found = await ledger.read(lambda t: t.people.recurring(1, since=NOW - DAY, limit=5))
        assert [one.name for one in found] == ["Bob Ray"]
        for read in (t_get, t_sightings, t_contacts):
            with pytest.raises(NotFound):
                await ledger.read(lambda t, read=read: read(t, anna.id))
        await ledger.write(lambda t: (t.mails.erase_covered(1, now=NOW), t.people.erase_covered(1)))
        await acquaint(ledger)
    assert b"Anna Winter" not in _rows(database)


def t_get(t: Tables, number: int) -> object:
    return t.people.get(1, number)


def t_sightings(t: Tables, number: int) -> object:
    return t.people.sightings(1, number, limit=5)


def t_contacts(t: Tables, number: int) -> object:
    return t.people.last_contacts(1, number)


def _rows(database: Path) -> bytes:
    told = [rows(database, f"SELECT * FROM {name}") for name in ("people", "identities", "identity_names", "sightings")]
    return repr(told).encode()
