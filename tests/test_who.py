"""The card of a person in the whole product: asked for by name, told before a meeting, and never of whom is excluded."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.event import Attendee, Event, to_plain
from memory.ledger import Tables
from memory.portrait import Portrait
from memory.search.document import Document
from memory.signal import NewSignal
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.familiar import ANNA, BEN, JO, JONAS, acquainted, before, know, know_namesake, wrote
from tests.doubles.judged import plan
from tests.doubles.planned import an_event
from tests.product_room import Product, open_product
from tools import portrait_card
from tools.incoming import erase_covered

SOON = NOW + timedelta(minutes=10)
"""Ten past ten in Berlin."""


@asynccontextmanager
async def knowing(database: Path, clock: FakeClock, **given: Any) -> AsyncIterator[Product]:
    async with open_product(database, clock, **given) as product:
        await product.house.ledger.write(know)
        yield product


async def keeps(product: Product, *events: Event) -> None:
    await product.house.ledger.write(lambda t: plan(t, *events, account_id=t.accounts.present(1)[0].id))


def meeting(*guests: tuple[str, str], at: datetime = SOON, uid: str = "review", **given: Any) -> Event:
    asked = tuple(Attendee(name=name, address=address) for name, address in (JO, *guests))
    return an_event(uid, at, 60, attendees=asked, **given)


# ── asked for ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_card_says_what_one_needs_before_a_call_and_its_sources_stand_behind_a_button(
    database: Path, clock: FakeClock
) -> None:
    async with knowing(database, clock) as product:
        (card,) = await product.says("/who anna winter")
        assert card.splitlines() == [
            "Anna Winter (anna@acme.example)¹",
            "Last: Anna 2 days ago, you 12 days ago (mail)²",
            "Open: reply to Anna Winter: Figures (3 days ago)³",
            "Anna asked: “Would you like to come to Berlin?” (2 days ago)⁴",
            "First seen: Sunday, 26 January 2025, mail “Intro: Anna”, introduced by Ben Ahn⁵",
        ]
        opened = await product.taps("Sources")
        assert opened.startswith(card)
        assert "⁴ mail, Anna Winter, Saturday, 28 February: “Would you like to come to Berlin?”" in opened
        assert await product.taps("Hide sources") == card


@pytest.mark.parametrize("words", ["who is Anna Winter?", "what do you know about Anna?", "wer ist Anna", "/who anna"])
async def test_plain_words_bring_it_too(database: Path, clock: FakeClock, words: str) -> None:
    async with knowing(database, clock) as product:
        (card,) = await product.says(words)
        assert card.startswith("Anna Winter (anna@acme.example)")


async def test_words_about_somebody_unknown_are_no_command(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        (said,) = await product.says("who is Ada Lovelace?")
        assert "no model is connected" in said.lower()


async def test_two_people_of_that_name_it_asks_and_a_button_says_which(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.house.ledger.write(know_namesake)
        assert await product.says("/who Anna Winter") == ["Which Anna Winter?"]
        assert product.labels() == [
            "Anna Winter, anna@acme.example",
            "Anna Winter, winter@bank.example",
            "They are one",
        ]
        card = await product.taps("Anna Winter, winter@bank.example")
        assert card.startswith("Anna Winter (winter@bank.example)")


async def test_two_of_one_name_are_made_one_by_a_tap_and_two_again_by_another(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.house.ledger.write(know_namesake)
        await product.says("/who Anna Winter")
        assert "anna@acme.example, winter@bank.example" in await product.taps("They are one")
        assert (await product.says("/who Anna Winter"))[0].startswith("Anna Winter (anna@acme.example")
        await product.says("undo")
        assert await product.says("/who Anna Winter") == ["Which Anna Winter?"]


@pytest.mark.parametrize("words", ["the one at Bank", "winter@bank.example", "die bei der Bank"])
async def test_two_people_of_that_name_words_say_which(database: Path, clock: FakeClock, words: str) -> None:
    async with knowing(database, clock) as product:
        await product.house.ledger.write(know_namesake)
        await product.says("who is Anna Winter?")
        (card,) = await product.says(words)
        assert card.startswith("Anna Winter (winter@bank.example)")


async def test_a_question_is_answered_once(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.house.ledger.write(know_namesake)
        await product.says("who is Anna Winter?")
        await product.says("the one at Bank")
        assert "Anna Winter (" not in (await product.says("the one at Acme"))[0]


async def test_a_name_with_a_place_needs_no_question(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.house.ledger.write(know_namesake)
        (card,) = await product.says("/who Anna at Acme")
        assert card.startswith("Anna Winter (anna@acme.example)")


async def test_every_line_of_the_card_names_a_row_that_exists(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await keeps(product, meeting(ANNA), meeting(ANNA, at=before(days=20), uid="lunch"))
        await product.says("waiting on Anna Winter for the contract")
        await product.says("Anna Winter is vegetarian")
        drawn = await product.house.ledger.read(drawn_of_anna)
        assert {line.kind for line in drawn.lines} >= {
            "who",
            "exchange",
            "owed",
            "asked",
            "awaited",
            "meeting",
            "taste",
            "met",
        }
        tables = {"person": "people", "mail": "mails", "loop": "loops", "event": "events", "fact": "facts"}
        for line in drawn.lines:
            assert line.sources, line
            for source in line.sources:
                kind, _, number = source.ref.partition(":")
                assert product.value(f"SELECT count(*) FROM {tables[kind]} WHERE id = ?", number) == 1, source


def drawn_of_anna(t: Tables) -> Portrait:
    person = t.people.of(1, ANNA[1])
    assert person is not None
    return portrait_card.drawn(t, t.owners.get(1), person, NOW)


async def test_what_the_owner_said_of_somebody_stands_on_the_card_with_their_words(
    database: Path, clock: FakeClock
) -> None:
    async with knowing(database, clock) as product:
        await product.says("/who anna")
        await product.says("Anna Winter is vegetarian")
        await product.says("Anna Winter works at Acme")
        (card,) = await product.says("/who anna")
        assert card.startswith("Anna Winter – Acme (anna@acme.example)¹")
        assert "Tastes: eats vegetarian⁵" in card
        opened = await product.taps("Sources")
        assert "⁵ fact #1, chat, you, today: “Anna Winter is vegetarian”" in opened


async def test_last_contact_is_told_channel_by_channel(database: Path, clock: FakeClock) -> None:
    def message(number: int, who: str, text: str, at: datetime, **given: Any) -> Document:
        return Document(corpus="whatsapp", ref=f"whatsapp:pia/{number}", who=who, title="", text=text, at=at, **given)

    def chat(t: Tables) -> None:
        pia = ("Pia Sommer", "+49 151 23456789")
        theirs = message(1, f"{pia[0]} <{pia[1]}>", "See you at the lake", before(days=2))
        mine = message(2, "you", "Yes!", before(days=1), people=[pia], by_owner=True)
        t.search.put(1, [theirs, mine], now=NOW)
        acquainted(t)

    async with knowing(database, clock) as product:
        await product.house.ledger.write(chat)
        (card,) = await product.says("/who pia")
        assert "Last: Pia 2 days ago, you yesterday (WhatsApp)" in card
        assert "WhatsApp, Pia Sommer, Saturday, 28 February: “See you at the lake”" in await product.taps("Sources")


async def test_namesakes_are_told_apart_by_where_they_work(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.says("Anna Winter works at Acme Design")
        await product.house.ledger.write(know_namesake)
        await product.says("/who Anna Winter")
        assert product.labels()[:2] == ["Anna Winter, Acme Design", "Anna Winter, winter@bank.example"]
        (card,) = await product.says("the one at Acme Design")
        assert card.startswith("Anna Winter – Acme Design")


async def test_a_loop_that_is_done_is_on_the_card_no_more(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.says("waiting on Anna for the contract")
        assert "You wait for: Anna for the contract" in (await product.says("/who anna"))[0]
        await product.says("done")
        assert "You wait for" not in (await product.says("/who anna"))[0]


# ── excluded ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rule", ["person Anna Winter", "address anna@acme.example", "domain acme.example"])
async def test_an_excluded_person_has_no_card_and_is_answered_as_one_unknown(
    database: Path, clock: FakeClock, rule: str
) -> None:
    async with knowing(database, clock) as product:
        (unknown,) = await product.says("/who Nina Sommer")
        product.settings.exclusions.write_text(f"{rule}\n")
        (said,) = await product.says("/who Anna Winter")
        assert said == unknown.replace("Nina Sommer", "Anna Winter")
        assert await product.says("/who anna@acme.example") == [unknown.replace("Nina Sommer", "anna@acme.example")]


async def test_a_card_of_who_is_excluded_later_opens_no_more_and_is_erased(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await product.says("/who anna")
        product.settings.exclusions.write_text("domain acme.example\n")
        assert await product.taps("Sources") == "This card is no longer known."
        await product.house.ledger.write(lambda t: erase_covered(t, 1, NOW))
        assert "Would you like to come to Berlin" not in product.everything_kept()


# ── before a meeting ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_card_before_a_meeting_comes_once_ten_minutes_before(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        event = meeting(ANNA, at=NOW + timedelta(minutes=15))
        await keeps(product, event, replace(event, uid="copy", ref="copy.ics"))
        assert await product.after_a_look() == ["Heads up: 10:15–11:15 Review"]
        clock.advance(timedelta(minutes=4, seconds=59))
        assert await product.after_a_look() == []
        clock.advance(timedelta(seconds=1))
        (card,) = await product.after_a_look()
        assert card.startswith("In 10 minutes: Review\nAnna Winter (anna@acme.example)")
        assert "In the calendar" not in card
        assert product.server.bot_messages()[-1].get("disable_notification", True)
        clock.advance(timedelta(minutes=1))
        assert await product.after_a_look() == []
        assert await product.taps("Sources") != card


async def test_the_heads_up_and_the_card_are_one_where_they_fall_together(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        event = meeting(ANNA, at=NOW + timedelta(minutes=9))
        await keeps(product, event)
        (card,) = await product.after_a_look()
        assert card.startswith("Heads up: 10:09–11:09 Review\nAnna Winter")
        later = replace(event, start_at=event.start_at + timedelta(hours=3), end_at=event.end_at + timedelta(hours=3))
        assert await changed(product, event, later) == ["Moved: Review is now 13:09–14:09."]


async def test_a_card_is_not_sent_for_colleagues_nor_for_nobody(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await keeps(product, meeting(BEN), an_event("focus", SOON, 60))
        assert len(await product.after_a_look()) == 2
        assert all(text.startswith("Heads up:") for text in all_texts(product))
        assert product.rows("SELECT decided, because FROM decisions WHERE subject LIKE 'company:%'") == [
            ("silent", "nobody from outside is asked to it")
        ]


def all_texts(product: Product) -> list[str]:
    return [str(message["text"]) for message in product.server.bot_messages()]


async def test_a_cancelled_meeting_brings_none(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        event = meeting(ANNA, at=NOW + timedelta(minutes=15))
        await keeps(product, event)
        await product.after_a_look()
        await changed(product, event, replace(event, status="cancelled"))
        clock.advance(timedelta(minutes=5))
        assert await product.after_a_look() == []


async def test_a_meeting_that_moves_by_an_hour_brings_no_second_card(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        event = meeting(ANNA)
        await keeps(product, event)
        assert len(await product.after_a_look()) == 1
        later = replace(event, start_at=event.start_at + timedelta(hours=1), end_at=event.end_at + timedelta(hours=1))
        await changed(product, event, later)
        clock.advance(timedelta(hours=1))
        assert await product.after_a_look() == ["Heads up: 11:10–12:10 Review"]


async def changed(product: Product, event: Event, after: Event) -> list[str]:
    """A source brings the event anew; what is said."""
    earlier = {message["message_id"] for message in product.server.bot_messages()}
    await keeps(product, after)
    payload = {"uid": event.uid, "before": [to_plain(event)]}
    new = NewSignal(source="made", kind="calendar_event", source_id=after.start_at.isoformat(), payload=payload)
    await product.house.ledger.write(lambda t: t.signals.publish(new, now=product.clock.now()))
    await product.settled()
    return [str(m["text"]) for m in product.server.bot_messages() if m["message_id"] not in earlier]


async def test_of_a_weekly_talk_only_what_is_new_is_told_and_else_nothing(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        weekly = [
            replace(meeting(ANNA, at=SOON - timedelta(days=days), uid="weekly"), occurrence=str(days))
            for days in (1, 0)
        ]
        await keeps(product, *weekly)
        assert await product.after_a_look() == ["Heads up: 10:10–11:10 Weekly"]


async def test_of_a_weekly_talk_what_was_asked_since_is_told(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        weekly = [
            replace(meeting(ANNA, at=SOON - timedelta(days=days), uid="weekly"), occurrence=str(days))
            for days in (7, 0)
        ]
        await keeps(product, *weekly)
        (card,) = await product.after_a_look()
        assert "New since last time:" in card
        assert "Anna asked: “Would you like to come to Berlin?”" in card
        assert "First seen" not in card


async def test_in_quiet_hours_no_card_comes(database: Path, clock: FakeClock) -> None:
    clock.advance(timedelta(hours=-4))
    async with knowing(database, clock) as product:
        await keeps(product, meeting(ANNA, at=clock.now() + timedelta(minutes=10)))
        assert await product.after_a_look() == ["Heads up: 06:10–07:10 Review"]


async def test_whom_the_owner_writes_with_daily_needs_no_card(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:

        def daily(t: Tables) -> None:
            for days in range(1, 10):
                wrote(t, ANNA, "Could you look at this?", before(days=days), subject=f"Day {days}")
            acquainted(t)

        await product.house.ledger.write(daily)
        await keeps(product, meeting(ANNA))
        assert await product.after_a_look() == ["Heads up: 10:10–11:10 Review"]


async def test_of_several_guests_those_worth_knowing_have_lines_and_the_rest_are_named(
    database: Path, clock: FakeClock
) -> None:
    async with knowing(database, clock) as product:
        await keeps(product, meeting(JONAS, ANNA, ("Kim Lee", "kim@new.example"), BEN))
        (card,) = await product.after_a_look()
        first, second, third, last = card.split("\n\n")
        assert first == "Heads up: 10:10–11:10 Review"
        assert second.startswith("Anna Winter (anna@acme.example)\nLast: Anna 2 days ago")
        assert third.startswith("Jonas Weber (jonas@acme.example)\nLast: Jonas 3 months ago")
        assert last == "Also there: Kim Lee"
        assert product.labels() == ["› Anna Winter", "› Jonas Weber"]
        where = product.newest
        await product.taps("› Jonas Weber")
        assert all_texts(product)[-1].startswith("Jonas Weber (jonas@acme.example)¹")
        assert product.text_of(where) == card


async def test_a_stranger_of_whom_nothing_is_known_brings_none(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await keeps(product, meeting(("Kim Lee", "kim@new.example")))
        assert await product.after_a_look() == ["Heads up: 10:10–11:10 Review"]


async def test_an_excluded_guest_brings_no_card(database: Path, clock: FakeClock) -> None:
    async with knowing(database, clock) as product:
        await keeps(product, meeting(ANNA, JONAS))
        product.settings.exclusions.write_text("person Anna Winter\n")
        said = await product.after_a_look()
        assert all("Anna" not in text for text in said)
