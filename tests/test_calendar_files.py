"""A calendar file without any account: its events are on cards and in the day, follow the file, and ring nothing."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory.event import StoredEvent
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.familiar import ANNA, know
from tests.doubles.judged import plan
from tests.doubles.planned import an_event
from tests.product_room import Product, open_product
from tools.corpora.following import Following, forget
from tools.corpora.kind import place_of
from tools.fact_rules import birthdays
from tools.incoming import erase_covered

DAY = timedelta(days=1)


@pytest.fixture
async def product(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as product:
        await product.house.ledger.write(know)
        yield product


def vevent(uid: str, title: str, start: str, *more: str) -> str:
    return "\n".join(("BEGIN:VEVENT", f"UID:{uid}", f"DTSTART{start}", f"SUMMARY:{title}", *more, "END:VEVENT", ""))


def review(title: str = "Review", *, in_for: timedelta = DAY, more: Sequence[str] = ()) -> str:
    start = f":{NOW + in_for:%Y%m%dT%H%M%SZ}"
    return vevent("review", title, start, "DURATION:PT1H", f"ATTENDEE;CN={ANNA[0]}:mailto:{ANNA[1]}", *more)


def calendar(path: Path, *events: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:Work\n" + "".join(events) + "END:VCALENDAR\n")
    return path


async def read(product: Product, path: Path) -> None:
    await Following(place_of("calendar", path), ledger=product.house.ledger, owner_id=1, clock=product.clock).look()


async def events(product: Product) -> list[StoredEvent]:
    return await product.house.ledger.read(lambda t: t.calendars.between(1, NOW - 50 * DAY, NOW + 50 * DAY))


async def titles(product: Product) -> list[str]:
    return [one.event.title for one in await events(product)]


async def test_its_meetings_stand_on_the_card_and_in_the_day(product: Product, tmp_path: Path) -> None:
    held = vevent("held", "Kick-off", f":{NOW - 3 * DAY:%Y%m%dT%H%M%SZ}", f"ATTENDEE:mailto:{ANNA[1]}")
    await read(product, calendar(tmp_path / "work.ics", review(in_for=timedelta(hours=4)), held))
    (card,) = await product.says("/who anna winter")
    assert "Review" in card
    assert "Kick-off" in card
    assert "Review" in (await product.says("/today"))[0]


async def test_it_is_followed_when_it_is_imported_again(product: Product, tmp_path: Path) -> None:
    lunch = vevent("lunch", "Lunch", f":{NOW + DAY:%Y%m%dT%H%M%SZ}")
    path = calendar(tmp_path / "work.ics", review(), lunch)
    await read(product, path)
    before = await events(product)
    await read(product, path)
    assert await events(product) == before
    await read(product, calendar(path, review("Review of herons")))
    assert await titles(product) == ["Review of herons"]


async def test_an_exception_of_a_series_takes_the_place_of_its_time(product: Product, tmp_path: Path) -> None:
    at = NOW + DAY
    moved = review("Moved", in_for=timedelta(days=8, hours=2), more=(f"RECURRENCE-ID:{at + 7 * DAY:%Y%m%dT%H%M%SZ}",))
    await read(product, calendar(tmp_path / "work.ics", review(more=("RRULE:FREQ=WEEKLY;COUNT=3",)), moved))
    assert await titles(product) == ["Review", "Moved", "Review"]


@pytest.mark.parametrize("start", ["00010101T000000Z", "99991231T000000Z"])
async def test_an_event_at_an_end_of_time_keeps_no_other_from_being_read(
    product: Product, tmp_path: Path, start: str
) -> None:
    await read(product, calendar(tmp_path / "a.ics", vevent("old", "Forever", f":{start}"), review()))
    assert await titles(product) == ["Review"]


async def test_it_goes_with_its_file_and_with_its_folder(product: Product, tmp_path: Path) -> None:
    folder = tmp_path / "calendars"
    path = calendar(folder / "work.ics", review())
    calendar(folder / "home.ics", vevent("lunch", "Lunch", f":{NOW + DAY:%Y%m%dT%H%M%SZ}"))
    await read(product, folder)
    path.unlink()
    await read(product, folder)
    assert await titles(product) == ["Lunch"]
    await product.house.ledger.write(lambda t: forget(t, 1, place_of("calendar", folder), NOW))
    assert await titles(product) == []
    assert product.rows("SELECT * FROM calendars") == []


async def test_a_file_may_be_old_so_nothing_rings(product: Product, tmp_path: Path) -> None:
    clash = vevent("other", "Other", f":{NOW + timedelta(minutes=10):%Y%m%dT%H%M%SZ}", "DURATION:PT1H")
    await read(product, calendar(tmp_path / "work.ics", review(in_for=timedelta(minutes=10)), clash))
    assert await product.after_a_look() == []


async def test_what_an_account_says_of_an_event_goes_before_what_a_file_says(product: Product, tmp_path: Path) -> None:
    await read(product, calendar(tmp_path / "work.ics", review()))
    kept = an_event("review", NOW + 2 * DAY, 60, title="Review, moved")
    await product.house.ledger.write(lambda t: plan(t, kept, account_id=1))
    assert await titles(product) == ["Review, moved"]


async def test_its_birthdays_become_facts_that_name_their_source(product: Product, tmp_path: Path) -> None:
    on = NOW.date() + 100 * DAY
    wish = vevent("b", f"{ANNA[0]}'s birthday", f";VALUE=DATE:{on:%Y%m%d}", "RRULE:FREQ=YEARLY")
    await read(product, calendar(tmp_path / "days.ics", wish))
    (found,) = await product.house.ledger.read(lambda t: birthdays(t, t.owners.get(1), NOW))
    assert found.value.endswith(f"-{on.month:02}-{on.day:02}")
    (kept,) = await product.house.ledger.read(lambda t: t.search.refs(1, "calendar:"))
    assert found.ref == kept


async def test_whom_the_exclusions_cover_is_not_in_it(product: Product, tmp_path: Path) -> None:
    path = calendar(tmp_path / "work.ics", review())
    await read(product, path)
    product.settings.exclusions.write_text("domain acme.example\n")
    await product.house.ledger.write(lambda t: erase_covered(t, 1, NOW))
    await read(product, path)
    assert product.rows("SELECT title FROM events") == product.rows("SELECT ics FROM calendar_items") == []
    product.settings.exclusions.write_text("")
    await read(product, path)
    assert await titles(product) == ["Review"]
