"""The day in the chat and behind the page: each line is answered in its place, once, and what it does stands in rows."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from handlers import day_tap
from handlers.scene import Scene
from memory.card import Card, StoredCard
from memory.ledger import Tables
from memory.piece import NewPiece, Piece
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.judged import a_judged, plan
from tests.doubles.letters import ANNA, JO
from tests.doubles.planned import an_event
from tests.doubles.spoken import publish
from tools import day_card, day_page, delivering, mail_card
from tools.day import of_now


def a_scene(t: Tables) -> Scene:
    number = sum(t.signals.counts_since(1, NOW - timedelta(days=1)).values())
    signal_id = publish(t, f"tap {number}", kind="tap")
    return Scene(owner=t.owners.get(), now=NOW, signal_id=signal_id, turn_id=0, because="the owner tapped")


def show(t: Tables, card: Card, *, channel: str = "telegram") -> StoredCard:
    """A card that stands in the chat."""
    stored = t.cards.put(card, owner_id=1, now=NOW)
    new = NewPiece(key=f"shown:{stored.id}", owner_id=1, channel=channel, text=card.text, card_id=stored.id)
    assert t.pieces.say(new, now=NOW) is not None
    return stored


def today(t: Tables) -> StoredCard:
    return show(t, day_card.today(t, t.owners.get(), NOW))


def tap(t: Tables, stored: StoredCard, choice: str) -> tuple[str, Piece | None]:
    outcome = day_tap.feel(t, stored, choice, a_scene(t))
    return outcome.word, next(iter(outcome.pieces), None)


def labels(piece: Piece | None) -> list[str]:
    assert piece is not None
    return [choice.label for choice in piece.card.card.choices] if piece.card else []


def a_loop(t: Tables, title: str, kind: str = "task") -> int:
    return t.loops.open(owner_id=1, kind=kind, title=title, because="b", now=NOW).id  # type: ignore[arg-type]


async def run(ledger: SqlLedger, work: Callable[[Tables], None]) -> None:
    await ledger.write(work)


async def test_the_day_numbers_what_can_be_answered_and_has_a_button_for_each(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        a_judged(t, "notify", now=NOW, subject="the lease")
        a_judged(t, "log", now=NOW, code="list", subject="a list")
        a_loop(t, "call Tom")
        a_loop(t, "contract", "waiting")
        plan(t, an_event("standup", NOW + timedelta(hours=1)))
        card = day_card.today(t, t.owners.get(), NOW)
        assert card.text.splitlines()[0] == "**Today**, Monday, 2 March"
        assert r"1. Anna Winter \(anna@winter.example\): the lease" in card.text
        assert "- 11:00–12:00 Standup _(next)_" in card.text
        assert "2. contract" in card.text
        assert "3. call Tom" in card.text
        assert "yesterday at 10:00: 1 (1 lists)" in card.text
        assert [choice.label for choice in card.choices] == ["› 1", "✓ 2", "✓ 3", "Silent: 1"]
        assert "●" not in card.text

    await run(ledger, work)


async def test_a_full_day_has_eight_numbered_lines_and_counts_the_rest(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for number in range(12):
            a_judged(t, "notify", now=NOW, subject=f"s{number}")
            a_loop(t, f"task {number}")
            a_loop(t, f"wait {number}", "waiting")
        card = day_card.today(t, t.owners.get(), NOW)
        assert len(card.choices) == day_card.ANSWERED_MAX
        assert card.text.count("… and 8 more") == 1
        assert card.text.count("… and 10 more") == 2

    await run(ledger, work)


async def test_a_mails_button_opens_its_own_card_below_once_and_the_day_stays(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        kept = a_judged(t, "notify", now=NOW, subject="the lease")
        before = t.cards.put(
            Card(kind=mail_card.KIND, subject=f"mail-thread:{kept.thread_id}", text="old", choices=(), because="b"),
            owner_id=1,
            now=NOW,
        )
        stored = today(t)
        _, piece = tap(t, stored, f"open.{kept.thread_id}")
        assert labels(piece) == ["Reply later", "Done", "Less like this", "Why", "More"]
        assert piece is not None
        assert piece.amends is None
        assert tap(t, stored, f"open.{kept.thread_id}") == ("Already done.", None)
        assert t.cards.get(stored.id).state == "open"  # type: ignore[union-attr]
        assert t.cards.get(before.id).state == "stale"  # type: ignore[union-attr]

    await run(ledger, work)


async def test_done_is_said_in_the_days_own_place(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        first, second = a_loop(t, "call Tom"), a_loop(t, "call Ann")
        stored = today(t)
        _, piece = tap(t, stored, f"done.{first}")
        assert piece is not None
        assert piece.card is not None
        assert "call Tom" not in piece.text
        assert [choice.key for choice in piece.card.card.choices] == [f"done.{second}"]
        assert t.loops.get(first).state == "done"  # type: ignore[union-attr]
        assert tap(t, stored, f"done.{second}") == ("Already done.", None)  # the old drawing counts no more
        assert t.loops.get(second).state == "open"  # type: ignore[union-attr]

    await run(ledger, work)


async def test_a_conflict_that_was_seen_stands_no_more_and_is_no_change_that_undo_takes_back(
    ledger: SqlLedger,
) -> None:
    def work(t: Tables) -> None:
        plan(t, an_event("a", NOW + timedelta(hours=2)), an_event("b", NOW + timedelta(hours=2)))
        stored = today(t)
        (choice,) = [one.key for one in stored.card.choices]
        _, piece = tap(t, stored, choice)
        assert piece is not None
        assert "Two at once" not in piece.text
        assert of_now(t, t.owners.get(), NOW).needs_you == ()

    await run(ledger, work)


async def test_a_thread_that_waits_on_others_is_done_in_its_place(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        kept = a_judged(t, "loop", now=NOW, code="waiting", by_owner=True, sender=JO, to=(ANNA,), subject="the offer")
        stored = today(t)
        assert "1. Anna Winter: the offer" in stored.card.text
        _, piece = tap(t, stored, f"mail-done.{kept.thread_id}")
        assert piece is not None
        assert "the offer" not in piece.text

    await run(ledger, work)


async def test_what_landed_in_silence_is_opened_by_kind_and_page(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for number in range(day_card.MAILS_A_PAGE + 3):
            a_judged(t, "log", now=NOW, code="list", subject=f"list {number:02}")
        a_judged(t, "ignore", now=NOW, code="marketing", subject="sale")
        stored = today(t)
        _, counts = tap(t, stored, "silent")
        assert labels(counts) == ["advertising 1", "lists 11"]
        assert counts is not None
        _, first = tap(t, counts.card, "lists.0")  # type: ignore[arg-type]
        assert first is not None
        assert "1–8 of 11" in first.text
        assert "list 10" in first.text
        assert "list 02" not in first.text
        assert labels(first) == ["Earlier", "All kinds"]
        _, second = tap(t, first.card, "lists.1")  # type: ignore[arg-type]
        assert second is not None
        assert "9–11 of 11" in second.text
        assert "list 02" in second.text
        assert labels(second) == ["Newer", "All kinds"]
        _, back = tap(t, second.card, "kinds")  # type: ignore[arg-type]
        assert labels(back) == labels(counts)

    await run(ledger, work)


# ── the page ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_pages_card_is_the_same_until_what_can_be_answered_changes(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        owner = t.owners.get()
        a_loop(t, "call Tom")
        first = day_page.page(t, owner, NOW).stored
        assert day_page.page(t, owner, NOW + timedelta(minutes=1)).stored == first
        a_loop(t, "call Ann")
        second = day_page.page(t, owner, NOW).stored
        assert second.id != first.id
        assert t.cards.get(first.id).state == "stale"  # type: ignore[union-attr]

    await run(ledger, work)


@pytest.mark.parametrize(
    ("verb", "said", "stands"),
    [("later", "Kept open", True), ("done", "Done", False), ("less", "won't ping you", False)],
)
async def test_a_mail_is_answered_on_the_page_and_the_chat_says_so(
    ledger: SqlLedger, verb: str, said: str, stands: bool
) -> None:
    def work(t: Tables) -> None:
        kept = a_judged(t, "notify", now=NOW, subject="the lease")
        stored = day_page.page(t, t.owners.get(), NOW).stored
        _, piece = tap(t, stored, f"mail-{verb}.{kept.thread_id}")
        assert piece is not None
        assert (piece.channel, said in piece.text) == ("web", True)
        assert bool(of_now(t, t.owners.get(), NOW).needs_you) == stands
        assert tap(t, stored, f"mail-{verb}.{kept.thread_id}") == ("Already done.", None)

    await run(ledger, work)


async def test_an_answer_on_the_page_takes_the_place_of_the_card_in_the_chat(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        kept = a_judged(t, "notify", now=NOW, subject="the lease")
        judgement = t.verdicts.of_mail(1, kept.id)[-1]
        shown = show(t, mail_card.card(kept, judgement, t.owners.get(), NOW))
        stored = day_page.page(t, t.owners.get(), NOW).stored
        _, piece = tap(t, stored, f"mail-done.{kept.thread_id}")
        assert piece is not None
        assert (piece.channel, piece.amends) == ("telegram", ())
        assert t.cards.get(shown.id).state == "stale"  # type: ignore[union-attr]

    await run(ledger, work)


async def test_the_other_lines_of_the_page_can_still_be_answered_after_one_was(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        first, second = a_loop(t, "call Tom"), a_loop(t, "call Ann")
        stored = day_page.page(t, t.owners.get(), NOW).stored
        for loop_id in (first, second):
            _, piece = tap(t, stored, f"done.{loop_id}")
            assert labels(piece) == ["Undo"]
            assert t.loops.get(loop_id).state == "done"  # type: ignore[union-attr]

    await run(ledger, work)


async def test_what_is_gone_says_so(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        stored = today(t)
        assert tap(t, stored, "open.77") == ("That is no longer there.", None)
        page = day_page.page(t, t.owners.get(), NOW).stored
        _, piece = tap(t, page, "mail-later.77")
        assert piece is not None
        assert piece.text == "That is no longer there."

    await run(ledger, work)


async def test_a_loop_that_the_mail_opened_is_done_with_it(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        owner = t.owners.get()
        kept = a_judged(t, "loop", now=NOW, subject="the lease")
        loop_id = delivering.open_loop(t, kept, owner, because="b", now=NOW, signal_id=None)
        assert [line.key for line in of_now(t, owner, NOW).lines] == [f"mail-thread:{kept.thread_id}"]
        stored = day_page.page(t, owner, NOW).stored
        tap(t, stored, f"mail-done.{kept.thread_id}")
        assert t.loops.get(loop_id).state == "done"  # type: ignore[union-attr]
        assert of_now(t, owner, NOW).lines == ()

    await run(ledger, work)
