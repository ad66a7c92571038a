"""Promises in the house: asked about in the day, answered where cards are, read by the review, gone with what is excluded."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from handlers import day_tap, tap
from jobs.review import Review
from memory.card import Card
from memory.job import Job
from memory.ledger import Tables
from memory.promised import subject_of
from memory.sql.ledger import SqlLedger
from memory.utterance import of_mail
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import rows
from tests.doubles.judged import an_account, keep
from tests.doubles.letters import a_reply
from tests.handlers.test_day_tap import a_scene, show, today
from tests.tools.test_judge import Posted
from tools import day_card, promise_card, promised, uttered
from tools.exclusions import ExclusionFile
from tools.incoming import erase_covered
from tools.judge import Judge
from tools.oneself import own_addresses
from tools.promising import Promising

MANY = ("send you the plans", "call the landlord", "book the room", "check the lease")


def asked(t: Tables, said: str = "I'll send you the plans by Friday.", *, hours: int = 0) -> int:
    """A sent mail whose promises are asked about; its id."""
    kept = keep(t, a_reply(said, date_at=NOW + timedelta(hours=hours)), now=NOW)
    said = of_mail(kept, own_addresses(t, 1))
    promised.propose(t, said, uttered.read(said, t.owners.get()), channel=None, now=NOW)
    return kept.id


def button(t: Tables) -> str:
    """The button of the day for what was asked about last."""
    return f"promise.{promise_card.reference(promised.standing(t, 1, NOW)[0])}"


async def run(ledger: SqlLedger, work: Callable[[Tables], None]) -> None:
    await ledger.write(work)


async def test_the_day_asks_about_what_was_promised_with_a_button_for_each_mail(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        asked(t)
        card = day_card.today(t, t.owners.get(), NOW)
        assert "**You promised?**\n- Anna Winter: send you the plans – on Friday, 6 March at 09:00" in card.text
        assert [choice.label for choice in card.choices] == ["Promised? Anna Winter"]

    await run(ledger, work)


async def test_of_many_mails_the_newest_stand_in_the_day_and_the_rest_are_counted(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for hours, what in enumerate(MANY):
            asked(t, f"I'll {what}.", hours=hours)
        card = day_card.today(t, t.owners.get(), NOW)
        assert MANY[0] not in card.text
        assert MANY[-1] in card.text
        assert len(card.choices) == day_card.PROMISED_MAX

    await run(ledger, work)


async def test_the_button_opens_the_card_and_its_answer_opens_the_loop(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        asked(t)
        outcome = day_tap.feel(t, today(t), button(t), a_scene(t))
        (piece,) = outcome.pieces
        assert piece is not None
        assert piece.card is not None
        assert piece.card.card.kind == promise_card.KIND
        assert t.cards.decide(piece.card.id, "keep.0", now=NOW)
        reply = tap.act(t, piece.card.card, "keep.0", a_scene(t))
        assert isinstance(reply, Card)
        assert [loop.kind for loop in t.loops.list_open(1)] == ["promise"]
        assert "You promised?" not in day_card.today(t, t.owners.get(), NOW).text

    await run(ledger, work)


async def test_a_button_for_what_nobody_asks_about_any_more_says_so(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        mail_id = asked(t)
        shown, name = today(t), button(t)
        t.cards.outdate(subject_of(f"mail:{mail_id}"), owner_id=1, now=NOW)
        outcome = day_tap.feel(t, shown, name, a_scene(t))
        assert outcome.pieces == ()

    await run(ledger, work)


async def test_a_confirmed_promise_without_a_time_needs_the_owner(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        asked(t, "I'll send you the plans.")
        (one,) = promised.standing(t, 1, NOW)
        card = show(t, promise_card.card(one, t.owners.get(), NOW))
        tap.act(t, card.card, "keep.0", a_scene(t))
        t.cards.outdate(one.subject, owner_id=1, now=NOW)
        assert "1. send you the plans" in day_card.today(t, t.owners.get(), NOW).text

    await run(ledger, work)


async def test_the_review_reads_what_the_owner_wrote_of_late(ledger: SqlLedger) -> None:
    clock, posted = FakeClock(), Posted()
    await ledger.write(lambda t: keep(t, a_reply("I'll send you the plans.", date_at=NOW - timedelta(days=1)), now=NOW))
    judge = Judge(ledger, posted, clock, model=None)
    review = Review(ledger, judge, clock, promises=Promising(ledger, posted, clock).look_back)
    await review(Job(id=1, owner_id=1, kind="review", lane="background", thread="owner:1", attempt=1, created_at=NOW))
    assert len(await ledger.read(lambda t: promised.standing(t, 1, NOW))) == 1


async def test_what_was_promised_in_a_mail_that_is_excluded_since_is_erased(database: Path) -> None:
    listed = database.parent / "exclusions.txt"
    async with SqlLedger(database, ExclusionFile(listed)) as ledger:

        def work(t: Tables) -> None:
            an_account(t)
            asked(t, "I'll send you the kingfisher by Friday. I'll call the heron.")
            (one,) = promised.standing(t, 1, NOW)
            tap.act(t, show(t, promise_card.card(one, t.owners.get(), NOW)).card, "keep.0", a_scene(t))

        await ledger.write(work)
        listed.write_text("address anna@winter.example\n")
        assert await ledger.read(lambda t: promised.standing(t, 1, NOW)) == []
        await ledger.write(lambda t: erase_covered(t, 1, NOW))
        assert await ledger.read(lambda t: promised.standing(t, 1, NOW)) == []
    names = [name for (name,) in rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    kept = str([rows(database, f'SELECT * FROM "{name}"') for name in names if not name.startswith("passages_fts")])
    assert "kingfisher" not in kept
    assert "heron" not in kept
    assert rows(database, "SELECT state, title FROM loops") == [("dropped", "…")]
