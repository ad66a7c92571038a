"""What is known of people: with a quote that stands in its source, superseded and never overwritten, gone with its evidence."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import NotFound
from memory.exclusion import NOTHING, UnreadableExclusions, read_exclusions
from memory.fact import FoundFact, NotedFact
from memory.people.person import Person
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from memory.sql.purge import purge
from tests.doubles.acquainted import ANNA, JONAS, ME, acquaint, found, history, keep, known, mail, values
from tests.doubles.hand import rows
from tests.doubles.letters import NOW
from tests.doubles.listed import Listed
from tools.incoming import erase_covered

DAY = timedelta(days=1)


@pytest.fixture
def listed() -> Listed:
    return Listed()


@pytest.fixture
async def ledger(database: Path, listed: Listed) -> AsyncIterator[SqlLedger]:
    async with SqlLedger(database, listed) as opened:
        yield opened


async def note(ledger: SqlLedger, fact: FoundFact) -> NotedFact:
    return await ledger.write(lambda t: t.facts.note(1, fact, now=NOW))


async def tell(ledger: SqlLedger, person: Person, kind: str, value: str, words: str, **given: bool) -> NotedFact:
    """The owner says it, in a message of that name."""
    await put(ledger, words, words)
    ref = f"message:{words}"
    return await note(
        ledger, found(person, 0, kind, value, words, corpus="chat", ref=ref, who="you", by="owner", **given)
    )


async def put(ledger: SqlLedger, name: str, words: str) -> None:
    ref = f"message:{name}"
    document = Document(corpus="chat", ref=ref, who="you", title="", text=words, at=NOW, by_owner=True)
    await ledger.write(lambda t: t.search.put(1, [document], now=NOW))


async def an_anna(ledger: SqlLedger, *texts: str) -> tuple[Person, list[int]]:
    """Anna, who wrote these, a day apart, the last one today."""
    mails = [mail(text, at=NOW - DAY * (len(texts) - number)) for number, text in enumerate(texts, 1)]
    ids = await keep(ledger, *mails)
    return await known(ledger, str(ANNA.address)), ids


@pytest.mark.parametrize(
    "quote",
    ["Head of Legal", "I am Head of Sale", "", "   ", "ead of Sales", "x" * 201, "Best, Anna Head of Sales"],
)
async def test_a_fact_without_a_verbatim_quote_is_not_written(ledger: SqlLedger, quote: str) -> None:
    person, (first, *_) = await an_anna(ledger, f"Hello\nBest\nAnna\nHead of Sales {'x' * 201}")
    noted = await note(ledger, found(person, first, "role", "Head of Sales", quote))
    assert noted.what == "refused"
    assert await values(ledger, person) == []
    refused = await ledger.read(lambda t: t.decisions.about(1, f"identity:{person.identities[0].id}"))
    assert [one.decided for one in refused] == ["fact refused"]


async def test_a_quote_may_run_over_a_line_and_is_kept_as_it_stands(ledger: SqlLedger) -> None:
    person, (first, *_) = await an_anna(ledger, "I am vegetarian\nsince 2019.")
    noted = await note(ledger, found(person, first, "diet", "vegetarian", "I am  vegetarian since 2019"))
    assert noted.fact is not None
    assert noted.fact.quote == "I am vegetarian\nsince 2019"


async def test_a_quote_from_another_source_proves_nothing(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "I am vegetarian.", "I am late.")
    assert (await note(ledger, found(person, second, "diet", "vegetarian", "I am vegetarian"))).what == "refused"
    assert (await note(ledger, found(person, 99, "diet", "vegetarian", "I am vegetarian"))).what == "refused"
    assert (await note(ledger, found(person, first, "diet", "vegetarian", "I am vegetarian"))).what == "noted"


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("rule", "vegetarian"),
        ("diet", ""),
        ("diet", "see https://evil.example"),
        ("diet", "write to a@evil.example"),
        ("diet", "a\nb"),
        ("birthday", "soon"),
        ("diet", "v" * 121),
        ("diet", "vege\u200btarian"),
    ],
)
async def test_what_is_no_kind_or_no_value_is_not_written(ledger: SqlLedger, kind: str, value: str) -> None:
    person, (first,) = await an_anna(ledger, "I am vegetarian.")
    assert (await note(ledger, found(person, first, kind, value, "I am vegetarian"))).what == "refused"
    assert await values(ledger, person) == []


async def test_a_new_role_supersedes_the_old_one_which_stays_with_its_dates(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "Anna\nHead of Sales", "Anna\nCFO")
    await note(ledger, found(person, first, "role", "Head of Sales", "Head of Sales", said_at=NOW - DAY))
    noted = await note(ledger, found(person, second, "role", "CFO", "CFO"))
    assert await values(ledger, person) == [("role", "CFO")]
    ids = [one.id for one in person.identities]
    new, old = await ledger.read(lambda t: t.facts.history(1, ids))
    assert (old.value, old.said_at, old.until_at, old.quote) == ("Head of Sales", NOW - DAY, NOW, "Head of Sales")
    assert noted.fact is not None
    assert (old.superseded_by, old.ended_by) == (noted.fact.id, "evidence")
    told = await ledger.read(lambda t: t.decisions.about(1, old.subject))
    assert [one.decided for one in told] == ["noted", "superseded"]
    assert new.is_current


async def test_another_number_of_children_takes_the_place_of_the_first_and_a_name_beside_it_stays(
    ledger: SqlLedger,
) -> None:
    person, (first, second, third) = await an_anna(ledger, "two children", "a daughter", "drei Kinder")
    await note(ledger, found(person, first, "children", "two children", "two children", said_at=NOW - DAY))
    await note(ledger, found(person, second, "children", "a daughter", "a daughter", said_at=NOW - DAY))
    await note(ledger, found(person, third, "children", "drei Kinder", "drei Kinder"))
    assert {value for _, value in await values(ledger, person)} == {"drei Kinder", "a daughter"}


async def test_no_children_and_a_child_do_not_hold_together(ledger: SqlLedger) -> None:
    person, (first, second, third) = await an_anna(ledger, "no kids", "a daughter", "keine Kinder")
    await note(ledger, found(person, first, "children", "no kids", "no kids", said_at=NOW - DAY))
    await note(ledger, found(person, second, "children", "a daughter", "a daughter"))
    assert {value for _, value in await values(ledger, person)} == {"a daughter"}
    await note(ledger, found(person, third, "children", "keine Kinder", "keine Kinder", said_at=NOW + DAY))
    assert {value for _, value in await values(ledger, person)} == {"keine Kinder"}


async def test_an_old_mail_read_late_supersedes_nothing(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "Anna\nHead of Sales", "Anna\nCFO")
    await note(ledger, found(person, second, "role", "CFO", "CFO"))
    late = await note(ledger, found(person, first, "role", "Head of Sales", "Head of Sales", said_at=NOW - DAY))
    assert late.what == "passed"
    assert await values(ledger, person) == [("role", "CFO")]
    assert await history(ledger, person) == [("role", "Head of Sales", False), ("role", "CFO", True)]


async def test_a_role_falls_with_the_employer_unless_the_same_source_tells_it(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "Anna\nCTO\nAcme", "Anna\nCTO\nHeron")
    for kind, value in (("role", "CTO"), ("employer", "Acme")):
        await note(ledger, found(person, first, kind, value, value, said_at=NOW - DAY))
    await note(ledger, found(person, second, "role", "CTO", "CTO"))
    await note(ledger, found(person, second, "employer", "Heron", "Heron"))
    assert await values(ledger, person) == [("role", "CTO"), ("employer", "Heron")]
    await tell(ledger, person, "employer", "Finch", "Anna works at Finch now")
    assert await values(ledger, person) == [("employer", "Finch")]


async def test_what_the_owner_says_is_never_superseded_by_an_extractor(ledger: SqlLedger) -> None:
    person, (first,) = await an_anna(ledger, "Anna\nCFO\nI am vegan. Heron")
    await tell(ledger, person, "employer", "Finch", "Anna works at Finch")
    await tell(ledger, person, "birthday", "--07-09", "Anna's birthday is 9 July")
    for kind, value, quote in (("employer", "Heron", "Heron"), ("birthday", "--07-08", "Anna")):
        late = await note(ledger, found(person, first, kind, value, quote, said_at=NOW + DAY, by="contact"))
        assert late.what == "passed", kind
    assert await values(ledger, person) == [("birthday", "--07-09"), ("employer", "Finch")]


async def test_what_the_owner_ended_stays_ended_whatever_is_read(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "Anna\nAcme GmbH", "Anna\nACME GmbH")
    await note(ledger, found(person, first, "employer", "Acme GmbH", "Acme GmbH", said_at=NOW - DAY))
    ended = await tell(ledger, person, "employer", "Acme", "no, she left Acme", is_over=True)
    assert len(ended.superseded) == 1
    again = await note(ledger, found(person, second, "employer", "ACME GmbH", "ACME GmbH", said_at=NOW + DAY))
    assert again.what == "passed"
    assert await values(ledger, person) == []


async def test_what_the_owner_says_takes_the_place_of_what_was_inferred_and_gives_it_back(ledger: SqlLedger) -> None:
    person, (first,) = await an_anna(ledger, "Anna\nHeron")
    await note(ledger, found(person, first, "employer", "Heron", "Heron"))
    told = await tell(ledger, person, "employer", "Finch", "Anna works at Finch")
    assert await values(ledger, person) == [("employer", "Finch")]
    assert told.fact is not None
    number = told.fact.id
    assert told.fact.confidence == 1
    await ledger.write(lambda t: t.facts.take_back(1, number, now=NOW))
    assert await values(ledger, person) == [("employer", "Heron")]


async def test_of_what_never_changes_the_more_certain_counts(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "happy birthday", "Anna's birthday")
    await note(ledger, found(person, second, "birthday", "1980-07-09", "Anna's birthday", by="calendar"))
    wish = await note(ledger, found(person, first, "birthday", "--07-10", "happy birthday", by="chat"))
    assert wish.what == "passed"
    same = await note(ledger, found(person, first, "birthday", "--07-09", "happy birthday", by="chat"))
    assert same.what == "known"
    assert await values(ledger, person) == [("birthday", "1980-07-09")]


async def test_a_year_read_later_completes_a_birthday_without_one(ledger: SqlLedger) -> None:
    person, (wish, entry) = await an_anna(ledger, "happy birthday", "Anna's birthday")
    first = await note(ledger, found(person, wish, "birthday", "--07-09", "happy birthday", by="chat"))
    with_year = found(person, entry, "birthday", "1980-07-09", "Anna's birthday", by="calendar")
    noted = await note(ledger, with_year)
    assert (noted.what, noted.superseded) == ("noted", (first.fact and first.fact.id,))
    assert noted.fact
    assert noted.fact.ref == with_year.ref
    assert (await note(ledger, found(person, wish, "birthday", "--07-09", "happy birthday", by="chat"))).what == "known"
    other = found(person, wish, "birthday", "1981-07-09", "happy birthday", by="chat")
    assert (await note(ledger, other)).what == "known"
    assert await values(ledger, person) == [("birthday", "1980-07-09")]


async def test_several_tastes_hold_at_once_and_the_same_twice_is_one(ledger: SqlLedger) -> None:
    person, (first, second) = await an_anna(ledger, "I play tennis. I play golf.", "I play Tennis!")
    for ref, value, quote in (
        (first, "tennis", "I play tennis."),
        (first, "golf", "I play golf."),
        (second, "Tennis", "I play Tennis!"),
        (second, "Tennis", "I play Tennis!"),
    ):
        await note(ledger, found(person, ref, "sport", value, quote))
    assert sorted(await values(ledger, person)) == [("sport", "golf"), ("sport", "tennis")]


async def test_what_the_owner_asked_to_forget_loses_its_words_and_is_not_learned_again(
    ledger: SqlLedger, database: Path
) -> None:
    person, (first, second) = await an_anna(ledger, "I am vegetarian, truly.", "I am Vegetarian, still.")
    noted = await note(ledger, found(person, first, "diet", "vegetarian", "I am vegetarian, truly."))
    assert noted.fact is not None
    number = noted.fact.id
    await ledger.write(lambda t: t.facts.forget(1, number, because="the owner said so", now=NOW))
    assert rows(database, "SELECT value, quote, who FROM facts") == [("", "", "")]
    again = await note(ledger, found(person, second, "diet", "Vegetarian", "I am Vegetarian, still."))
    assert again.what == "refused"
    with pytest.raises(NotFound):
        await ledger.read(lambda t: t.facts.get(1, number))
    assert (await tell(ledger, person, "diet", "vegetarian", "Anna is vegetarian")).what == "noted"


async def test_a_fact_goes_with_the_document_that_it_stands_in(ledger: SqlLedger, database: Path) -> None:
    person, (first, second) = await an_anna(ledger, "Anna\nHeron", "Anna\nFinch")
    await note(ledger, found(person, first, "employer", "Heron", "Heron", said_at=NOW - DAY))
    await note(ledger, found(person, second, "employer", "Finch", "Finch"))
    number = person.identities[0].id
    refs = [f"mail:{first}", f"mail:{second}"]
    await ledger.write(lambda t: t.facts.mark_read(1, number, refs, reader="rules", now=NOW))
    assert await ledger.read(lambda t: t.facts.unread(1, [number], refs, reader="rules")) == []
    await ledger.write(lambda t: t.search.drop(1, [f"mail:{second}"], now=NOW))
    assert await values(ledger, person) == [("employer", "Heron")]
    # What else was read may say the same: it is read again.
    assert await ledger.read(lambda t: t.facts.unread(1, [number], refs, reader="rules")) == refs
    await ledger.write(lambda t: t.search.drop(1, [f"mail:{first}"], now=NOW))
    assert rows(database, "SELECT count(*) FROM facts") == [(0,)]


async def test_a_fact_goes_when_its_document_no_longer_says_it(ledger: SqlLedger) -> None:
    person, _ = await an_anna(ledger, "hello")
    await tell(ledger, person, "sport", "tennis", "Anna plays tennis")
    for text, left in (("Anna plays tennis a lot", [("sport", "tennis")]), ("Anna plays golf", [])):
        await put(ledger, "Anna plays tennis", text)
        assert await values(ledger, person) == left


RULES = ["address anna.winter@acme.example", "domain acme.example", "person Anna Winter"]


@pytest.mark.parametrize("rule", RULES)
async def test_of_an_excluded_person_no_fact_comes_to_be(ledger: SqlLedger, listed: Listed, rule: str) -> None:
    person, (first,) = await an_anna(ledger, "Anna\nHeron")
    listed.now = read_exclusions(rule)
    assert (await note(ledger, found(person, first, "employer", "Heron", "Heron"))).because == "excluded"
    number = person.identities[0].id
    assert await ledger.read(lambda t: t.facts.is_covered(1, [number]))
    assert await ledger.read(lambda t: t.facts.passed_over(1, since=NOW - DAY)) == 1
    listed.now = NOTHING
    assert await values(ledger, person) == []


@pytest.mark.parametrize("rule", RULES)
async def test_a_later_exclusion_hides_and_then_erases_what_was_known(
    ledger: SqlLedger, database: Path, listed: Listed, rule: str
) -> None:
    person, (first,) = await an_anna(ledger, "Anna\nHeron Finance")
    await note(ledger, found(person, first, "employer", "Heron Finance", "Heron Finance"))
    listed.now = read_exclusions(rule)
    assert await values(ledger, person) == []
    await ledger.write(lambda t: erase_covered(t, 1, NOW))
    assert rows(database, "SELECT count(*) FROM facts") == [(0,)]


async def test_a_fact_in_a_document_with_somebody_excluded_is_hidden_with_it(
    ledger: SqlLedger, database: Path, listed: Listed
) -> None:
    ids = await keep(ledger, mail("Anna\nHeron", ANNA, ME, JONAS))
    person = await known(ledger, str(ANNA.address))
    await note(ledger, found(person, ids[0], "employer", "Heron", "Heron"))
    listed.now = read_exclusions(f"address {JONAS.address}")
    assert await values(ledger, person) == []
    await ledger.write(lambda t: erase_covered(t, 1, NOW))
    assert rows(database, "SELECT count(*) FROM facts") == [(0,)]


async def test_a_fact_that_names_somebody_excluded_does_not_come_to_be(ledger: SqlLedger, listed: Listed) -> None:
    person, (first,) = await an_anna(ledger, "I am married to Mira Secret.")
    listed.now = read_exclusions("person Mira Secret")
    noted = await note(ledger, found(person, first, "partner", "Mira Secret", "I am married to Mira Secret."))
    assert noted.because == "excluded"


async def test_without_a_list_that_can_be_read_nothing_is_read_or_written(ledger: SqlLedger, listed: Listed) -> None:
    person, (first,) = await an_anna(ledger, "Anna\nHeron")
    await note(ledger, found(person, first, "employer", "Heron", "Heron"))
    listed.now = None
    with pytest.raises(UnreadableExclusions):
        await values(ledger, person)
    with pytest.raises(UnreadableExclusions):
        await note(ledger, found(person, first, "role", "Heron", "Heron"))


async def test_facts_follow_a_join_and_a_split(ledger: SqlLedger) -> None:
    await keep(ledger, mail("Anna\nCFO"), mail("Jonas\nCTO", JONAS))
    anna, jonas = await known(ledger, str(ANNA.address)), await known(ledger, str(JONAS.address))
    await note(ledger, found(anna, 1, "role", "CFO", "CFO", said_at=NOW - DAY))
    await note(ledger, found(jonas, 2, "role", "CTO", "CTO"))
    change = await ledger.write(lambda t: t.people.join(1, anna.id, jonas.id, because="one", now=NOW))
    both = await known(ledger, str(ANNA.address))
    assert await values(ledger, both) == [("role", "CTO")]
    await ledger.write(lambda t: t.people.undo(1, change.id, because="two", now=NOW))
    assert await values(ledger, await known(ledger, str(ANNA.address))) == [("role", "CFO")]


async def test_an_identity_that_is_erased_takes_its_facts_along(ledger: SqlLedger, database: Path) -> None:
    ids = await keep(ledger, mail("Anna\nCFO"), mail("Jonas\nCTO", JONAS))
    anna, jonas = await known(ledger, str(ANNA.address)), await known(ledger, str(JONAS.address))
    await ledger.write(lambda t: t.people.join(1, anna.id, jonas.id, because="one", now=NOW))
    await note(ledger, found(anna, ids[0], "role", "CFO", "CFO", said_at=NOW - DAY))
    await note(ledger, found(jonas, ids[1], "role", "CTO", "CTO"))
    await ledger.write(lambda t: t.search.drop(1, [f"mail:{ids[1]}"], now=NOW))
    await acquaint(ledger)
    assert await values(ledger, await known(ledger, str(ANNA.address))) == [("role", "CFO")]


async def test_purging_leaves_no_fact(database: Path) -> None:
    async with SqlLedger(database) as ledger:
        person, (first, second) = await an_anna(ledger, "Anna\nHeron", "Anna\nFinch")
        await note(ledger, found(person, first, "employer", "Heron", "Heron", said_at=NOW - DAY))
        await note(ledger, found(person, second, "employer", "Finch", "Finch"))
    assert purge(database)["facts"] == 2
