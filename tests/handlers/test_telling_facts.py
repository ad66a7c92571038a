"""What the owner says of somebody is known at once, carries full confidence, and can be taken back; talk stays talk."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.command.fact import read_fact
from memory.mail import Address
from tests.doubles.acquainted import ANNA, JONAS, ME, acquaint, found, keep, known, mail, values
from tests.doubles.clock import FakeClock
from tests.doubles.letters import NOW
from tests.product_room import Product, open_product
from tools.incoming import erase_covered

OTHER_JONAS = Address("Jonas Frei", "jonas@frei.example")


@pytest.fixture
async def product(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as opened:
        mails = [mail("hello", ANNA), mail("hello", JONAS), mail("hi", ME, ANNA), mail("hi", ME, JONAS)]
        await keep(opened.house.ledger, *mails)
        yield opened


async def facts_of(product: Product, address: Address) -> list[tuple[str, str]]:
    return await values(product.house.ledger, await known(product.house.ledger, str(address.address)))


async def test_it_is_noted_at_once_with_the_owners_own_message_as_the_quote(product: Product) -> None:
    assert await product.says("Jonas is vegetarian") == ["Noted. Jonas Berg – eats: vegetarian."]
    assert await facts_of(product, JONAS) == [("diet", "vegetarian")]
    told = product.rows("SELECT quote, found_by, confidence, corpus, who FROM facts")
    assert told == [("Jonas is vegetarian", "owner", 1.0, "chat", "you")]


async def test_a_tap_takes_it_back(product: Product) -> None:
    await product.says("Jonas is vegetarian")
    assert await product.taps("Undo") == "Taken back: Jonas Berg – eats: vegetarian"
    assert await facts_of(product, JONAS) == []


async def test_a_year_that_the_owner_adds_or_corrects_counts_and_the_same_day_without_one_takes_none_away(
    product: Product,
) -> None:
    await product.says("Jonas's birthday is 29 February")
    (said,) = await product.says("Jonas was born on 29.02.1984")
    assert said == "Noted. Jonas Berg – birthday: 29 February 1984 (before: birthday: 29 February)."
    assert await facts_of(product, JONAS) == [("birthday", "1984-02-29")]
    await product.says("Jonas was born on 29.02.1988")
    assert await facts_of(product, JONAS) == [("birthday", "1988-02-29")]
    assert await product.taps("Undo") == "Taken back: Jonas Berg – birthday: 29 February 1988"
    assert await facts_of(product, JONAS) == [("birthday", "1984-02-29")]
    assert (await product.says("Jonas's birthday is 29 February"))[0].startswith("I know")
    assert await facts_of(product, JONAS) == [("birthday", "1984-02-29")]


@pytest.fixture
def quickly_acquainted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is new is looked at at once."""
    monkeypatch.setattr("jobs.acquaint.REST_S", 0.0)


@pytest.mark.usefixtures("quickly_acquainted")
async def test_search_finds_somebody_by_what_is_known_of_them_and_no_longer(product: Product) -> None:
    ledger = product.house.ledger

    async def people(words: str) -> list[str]:
        return [hit.title for hit in await ledger.read(lambda t: t.search.find(1, words, corpora=("person",)))]

    async def comes(words: str) -> None:
        while product.committed.clear() or not await people(words):
            await product.committed.wait()

    await product.says("Jonas is vegetarian")
    await comes("vegetarian")
    assert await people("vegetarian") == ["Jonas Berg"]
    await product.taps("Undo")
    assert await people("vegetarian") == []
    await comes("Jonas")


async def test_a_word_takes_it_back(product: Product) -> None:
    await product.says("Anna ist jetzt CFO bei Heron")
    assert await facts_of(product, ANNA) == [("role", "CFO"), ("employer", "Heron")]
    await product.says("undo")
    assert await facts_of(product, ANNA) == []


async def test_she_is_who_was_talked_of_last(product: Product) -> None:
    await product.says("Anna works at Acme")
    said = await product.says("no, she left Acme")
    assert said == ["Noted, no longer: Anna Winter – works at: Acme."]
    assert await facts_of(product, ANNA) == []
    assert await product.taps("Undo") == "Holds again: Anna Winter – works at: Acme"
    assert await facts_of(product, ANNA) == [("employer", "Acme")]


async def test_undo_by_words_tells_what_ended_from_what_was_said(product: Product) -> None:
    await product.says("Anna works at Acme")
    await product.says("no, she left Acme")
    assert await product.says("undo") == ["Holds again: Anna Winter – works at: Acme"]
    assert await product.says("undo") == ["Taken back: Anna Winter – works at: Acme"]


async def test_a_note_that_a_later_one_took_the_place_of_is_taken_back_and_not_told_to_hold_again(
    product: Product,
) -> None:
    await product.says("Jonas has 3 kids")
    first = product.message_with("Undo")
    await product.says("Jonas has no kids")
    assert await product.taps("Undo", first) == "Taken back: Jonas Berg – children: 3 kids"


async def test_what_was_to_be_remembered_of_somebody_stands_among_what_is_remembered(product: Product) -> None:
    assert await product.says("remember that Jonas prefers calls") == ["Noted. Jonas Berg – prefers: calls."]
    for question in ("/memory", "/memory jonas", "what do you remember about Jonas?"):
        (said,) = await product.says(question)
        assert "Jonas Berg – prefers: calls" in said, question
    assert await product.says("what do you remember about Anna?") == ["I remember nothing about “Anna”."]
    await product.says("forget that Jonas prefers calls")
    assert "Jonas" not in (await product.says("/memory"))[0].partition("Say:")[0]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("merk dir, dass Jonas lieber telefoniert", "Anrufe"),
        ("Kannst du dir merken, dass Jonas lieber telefoniert?", "Anrufe"),
        ("vergiss nicht, dass Jonas lieber telefoniert", "Anrufe"),
        ("merk dir für später, dass Jonas lieber telefoniert", "Anrufe"),
        ("can you remember that Jonas prefers calls?", "calls"),
        ("don't forget that Jonas prefers calls", "calls"),
        ("ok, make a note that Jonas prefers calls", "calls"),
    ],
)
async def test_however_it_is_to_be_remembered_of_somebody_known_it_is_a_fact(
    product: Product, words: str, value: str
) -> None:
    assert await product.says(words) == [f"Noted. Jonas Berg – prefers: {value}."]
    assert await facts_of(product, JONAS) == [("channel", value)]
    assert product.rows("SELECT 1 FROM recollections") == []


async def test_whether_it_is_remembered_is_a_question(product: Product) -> None:
    await product.says("do you remember that Jonas prefers calls?")
    await product.says("remember that Jonas prefers calls?")
    assert await facts_of(product, JONAS) == []


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("Jonas hat am 31. Februar Geburtstag", "31. Februar"),
        ("Jonas's birthday is February 30", "February 30"),
        ("Jonas was born on 29.02.1983", "29.02.1983"),
        ("Jonas was born on 32/5/1983", "32/5/1983"),
    ],
)
async def test_a_day_that_does_not_exist_is_told(product: Product, words: str, day: str) -> None:
    assert await product.says(words) == [f"There is no “{day}”. Say it again with the right day."]
    assert await facts_of(product, JONAS) == []


async def test_she_is_asked_about_when_several_were_named(product: Product) -> None:
    await product.says("Anna and Jonas will come on Friday")
    assert await product.says("she left Acme") == ["Whom do you mean?"]
    await product.taps("Anna Winter, anna.winter@acme.example")
    assert product.rows("SELECT value, ended_by FROM facts") == [("Acme", "owner")]


async def test_she_is_nobody_when_nobody_was_named(product: Product) -> None:
    await product.says("she left Acme")
    assert product.rows("SELECT * FROM facts") == []


async def test_two_people_of_that_name_it_asks(product: Product) -> None:
    await keep(product.house.ledger, mail("hello", OTHER_JONAS))
    assert await product.says("Jonas is vegetarian") == ["Which Jonas?"]
    assert product.rows("SELECT * FROM facts") == []
    assert set(product.labels()) == {
        "Jonas Berg, jonas@berg.example",
        "Jonas Frei, jonas@frei.example",
        "None of these",
    }
    await product.taps("Jonas Frei, jonas@frei.example")
    assert await facts_of(product, OTHER_JONAS) == [("diet", "vegetarian")]
    assert await facts_of(product, JONAS) == []
    # Of whom it is known, of them it is to be forgotten.
    assert await product.says("forget that Jonas is vegetarian") == ["Forgotten: Jonas Frei – eats: vegetarian."]


async def test_a_new_one_supersedes_the_old_one_and_says_so(product: Product) -> None:
    await product.says("Anna works at Acme")
    said = await product.says("Anna works at Heron now")
    assert said == ["Noted. Anna Winter – works at: Heron (before: works at: Acme)."]
    await product.taps("Undo")
    assert await facts_of(product, ANNA) == [("employer", "Acme")]


async def test_what_is_to_be_forgotten_is_and_the_way_back_reads_it_again(product: Product) -> None:
    await product.says("Jonas is vegetarian")
    assert await product.says("forget that Jonas is vegetarian") == ["Forgotten: Jonas Berg – eats: vegetarian."]
    assert product.rows("SELECT value, quote FROM facts") == [("", "")]
    await product.taps("Undo")
    assert await facts_of(product, JONAS) == [("diet", "vegetarian")]


async def test_what_is_remembered_in_the_same_words_is_forgotten_as_well(product: Product) -> None:
    await product.says("Jonas is vegetarian")
    await product.says("remember that Jonas plays the tuba")
    assert product.value("SELECT count(*) FROM recollections WHERE text <> ''") == 1
    await product.says("forget that Jonas plays the tuba")
    assert product.value("SELECT count(*) FROM recollections WHERE text <> ''") == 0
    assert await facts_of(product, JONAS) == [("diet", "vegetarian")]


async def test_a_forgotten_message_takes_its_fact_along(product: Product) -> None:
    await product.says("Jonas is vegetarian")
    await product.says("/forget")
    assert product.rows("SELECT * FROM facts") == []
    assert "vegetarian" not in product.everything_kept()


async def test_german_is_answered_in_german(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, language="de") as product:
        await keep(product.house.ledger, mail("hallo", ANNA))
        assert await product.says("Annas Geburtstag ist am 9. Juli") == ["Gemerkt. Anna Winter – Geburtstag: 9. Juli."]
        assert await product.says("Anna heißt jetzt Weber") == ["Gemerkt. Anna Winter – heißt jetzt: Weber."]


async def test_of_somebody_excluded_nothing_is_noted(product: Product) -> None:
    exclusions = product.settings.exclusions
    exclusions.write_text(f"address {JONAS.address}\n")
    await product.says("Jonas is vegetarian")
    assert product.rows("SELECT * FROM facts") == []


async def test_of_nobody_the_owner_knows_nothing_is_noted(product: Product) -> None:
    await product.says("Lasagne is vegetarian")
    await product.says("the meeting is vegetarian")
    await product.says("Jonas is late")
    assert product.rows("SELECT * FROM facts") == []


TALK = """the meeting is vegetarian|Jonas is late|Anna left the meeting|Anna left early|Anna joined the call
the meeting moved to Friday|Anna moved to Friday|Is Jonas vegetarian?|Anna works from home|Anna works for free
Anna is at lunch|my wife is vegetarian|lunch is vegetarian|Anna has two questions|Ben is the owner of the file
Ben is lead on this|Anna is from the tax office|call Anna|remind me to call Anna|done|Anna has a call at 3
Anna's birthday is soon|forget it|forget the slides|I met Anna at 3|Ben plays along|Anna is now in the office
who is vegetarian|Anna ist jetzt im Urlaub|Anna hat zwei Fragen|Anna ist krank|tell Anna that Jonas is vegetarian
Anna moved the meeting to Berlin|Anna left|Jonas will be vegetarian soon|Anna kommt aus dem Urlaub|Anna works on the deck
Ben knows about it|Anna's name is on the list|Anna lives in fear of Mondays and Tuesdays and of everything else. And so on
Der Termin ist vegan|Das Essen ist vegetarisch|Ist Anna vegan?|Ich bin Vegetarier|wir sind vegan|Anna kommt aus der Sitzung
if Anna is vegetarian, book another place|Anna said that Jonas is vegetarian|Anna hat am Freitag Zeit|Anna spricht mit Tom
Anna supports the proposal|Anna runs late|Anna has a dog's life|the new CFO is at Heron|Anna is on board|Anna is in"""


@pytest.mark.parametrize("words", [each for line in TALK.splitlines() for each in line.split("|")])
def test_talk_tells_no_fact(words: str) -> None:
    assert read_fact(words) is None


TOLD = {
    "Jonas is vegetarian": ("Jonas", "diet", "vegetarian", "is"),
    "jonas is vegetarian.": ("jonas", "diet", "vegetarian", "is"),
    "Jonas isst kein Fleisch": ("Jonas", "diet", "kein Fleisch", "is"),
    "Jonas is no longer vegetarian": ("Jonas", "diet", "vegetarian", "ended"),
    "Jonas ist kein Vegetarier mehr": ("Jonas", "diet", "Vegetarier", "ended"),
    "Ben is allergic to nuts": ("Ben", "allergy", "nuts", "is"),
    "Ben has a nut allergy": ("Ben", "allergy", "nut", "is"),
    "Ben trinkt keinen Alkohol": ("Ben", "drink", "kein Alkohol", "is"),
    "Anna doesn't drink": ("Anna", "drink", "no alcohol", "is"),
    "Ben is a Liverpool fan": ("Ben", "team", "Liverpool", "is"),
    "Ben ist HSV-Fan": ("Ben", "team", "HSV", "is"),
    "Ben spielt Tennis": ("Ben", "sport", "Tennis", "is"),
    "Anna is a keen runner": ("Anna", "sport", "runner", "is"),
    "Ben has a dog called Rex": ("Ben", "pet", "a dog called Rex", "is"),
    "Anna goes by Annie": ("Anna", "called", "Annie", "is"),
    "Ben prefers calls to mails": ("Ben", "channel", "calls", "is"),
    "merk dir, dass Ben lieber telefoniert": ("Ben", "channel", "Anrufe", "is"),
    "remember that Ben prefers calls": ("Ben", "channel", "calls", "is"),
    "Anna und ich duzen uns": ("Anna", "address_form", "du", "is"),
    "Ben hat zwei Kinder": ("Ben", "children", "zwei Kinder", "is"),
    "Ben's daughter is called Mia": ("Ben", "children", "daughter Mia", "is"),
    "Anna ist mit Tom verheiratet": ("Anna", "partner", "Tom", "is"),
    "Anna moved to Berlin": ("Anna", "residence", "Berlin", "is"),
    "Anna wohnt jetzt in München": ("Anna", "residence", "München", "is"),
    "Anna comes from Sweden": ("Anna", "origin", "Sweden", "is"),
    "Ben speaks German, French and Dutch": ("Ben", "language", "German, French and Dutch", "is"),
    "Anna's birthday is 9 July": ("Anna", "birthday", "--07-09", "is"),
    "Annas Geburtstag ist am 9. Juli": ("Anna", "birthday", "--07-09", "is"),
    "Anna hat am 9.7. Geburtstag": ("Anna", "birthday", "--07-09", "is"),
    "Anna was born on July 9th, 1980": ("Anna", "birthday", "1980-07-09", "is"),
    "Anna heißt jetzt Weber": ("Anna", "name", "Weber", "is"),
    "Anna works at Heron now": ("Anna", "employer", "Heron", "is"),
    "Anna arbeitet jetzt bei der Deutschen Bahn": ("Anna", "employer", "Deutschen Bahn", "is"),
    "no, Anna left Acme": ("Anna", "employer", "Acme", "ended"),
    "Ben no longer works at Acme": ("Ben", "employer", "Acme", "ended"),
    "Anna hat Acme verlassen": ("Anna", "employer", "Acme", "ended"),
    "Ben is head of sales": ("Ben", "role", "head of sales", "is"),
    "Anna Winter is now CFO at Heron": ("Anna Winter", "role", "CFO", "is"),
    "Ben sits on the board of Finch": ("Ben", "board_seat", "Finch", "is"),
    "Ben invests in Finch": ("Ben", "investment", "Finch", "is"),
    "Anna kennt sich mit Solarzellen aus": ("Anna", "expertise", "Solarzellen", "is"),
    "Anna's mobile is +49 170 1234567": ("Anna", "phone", "+49 170 1234567", "is"),
    "I know Ben from university": ("Ben", "met", "from university", "is"),
    "forget that Jonas is vegetarian": ("Jonas", "diet", "vegetarian", "forget"),
    "vergiss, dass Jonas in Bonn wohnt": ("Jonas", "residence", "Bonn", "forget"),
    "merk dir, dass Anna vegan isst": ("Anna", "diet", "vegan", "is"),
}


@pytest.mark.parametrize("words", TOLD)
def test_what_the_words_tell(words: str) -> None:
    told = read_fact(words)
    assert told is not None
    assert (told.names[0], told.kind, told.value, told.how) == TOLD[words]


async def test_nobody_is_new_by_being_told_of(product: Product) -> None:
    await product.says("Zoe is vegetarian")
    await acquaint(product.house.ledger)
    assert product.rows("SELECT * FROM identities WHERE name LIKE 'Zoe%'") == []


async def test_the_nightly_reading_is_a_duty_of_the_house_and_shows_nobody_who_is_excluded(
    database: Path, clock: FakeClock
) -> None:
    async with open_product(database, clock, model=True) as product:
        ledger = product.house.ledger
        await keep(ledger, *(mail("I am vegetarian, says the first.", ANNA) for _ in range(3)))
        await keep(ledger, *(mail("I am vegan, says xylophone.", JONAS) for _ in range(3)))
        product.settings.exclusions.write_text(f"address {JONAS.address}\n")
        proposed = {"kind": "diet", "value": "vegetarian", "quote": "I am vegetarian, says the first.", "ref": "p1"}
        product.provider.always("You read what one person", json.dumps({"facts": [proposed]}))
        clock.advance(timedelta(days=1))
        await product.after_a_look()
        asked = [request for request in product.provider.requests if "You read what one person" in str(request.body)]
        assert len(asked) == 1
        assert not any("xylophone" in str(request.body) for request in product.provider.requests)
        assert await facts_of(product, ANNA) == [("diet", "vegetarian")]
        (told,) = product.rows("SELECT because FROM decisions WHERE subject = 'facts'")
        assert "1 people passed over, being excluded" in told[0]
        await product.after_a_look()
        clock.advance(timedelta(days=1))
        await product.after_a_look()
        asked = [request for request in product.provider.requests if "You read what one person" in str(request.body)]
        assert len(asked) == 1


async def test_a_later_exclusion_takes_back_what_was_said_of_them(product: Product) -> None:
    ledger = product.house.ledger
    ids = await keep(ledger, mail("Hi\n\nBest regards\nAnna Winter\nXylophone Works GmbH", ANNA))
    anna = await known(ledger, str(ANNA.address))
    fact = found(anna, ids[0], "employer", "Xylophone Works GmbH", "Xylophone Works GmbH")
    await ledger.write(lambda t: t.facts.note(1, fact, now=NOW))
    said = await product.says("Anna works at Finch")
    assert "Xylophone Works" in said[0]
    product.settings.exclusions.write_text(f"address {ANNA.address}\n")
    await ledger.write(lambda t: erase_covered(t, 1, NOW))
    kept = product.everything_kept()
    assert "Xylophone" not in kept
    assert "Anna Winter" not in kept
