"""Promises in sent mail, on the real ledger: asked about once and silently, open by a tap, done when they are kept."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from handlers import promise_tap
from handlers.mail import MailArrived
from handlers.scene import Reply, Scene
from memory.card import Card, StoredCard
from memory.job import Job
from memory.ledger import Tables
from memory.loop import Loop
from memory.loop import subject as loop_subject
from memory.mail import Attachment, KeptMail
from memory.piece import Piece
from memory.promised import LAPSES_AFTER_FOR, Promised, subject_of
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.hand import rows
from tests.doubles.judged import an_account
from tests.doubles.letters import JO, NOW, SARAH, a_letter, a_reply
from tests.doubles.spoken import publish
from tests.tools.test_judge import Posted
from tools import cards, promised
from tools.exclusions import ExclusionFile
from tools.judge import Judge
from tools.promising import Promising

PLANS = Attachment("plans.pdf", "application/pdf", 1_000, "0" * 64)
TWO = "I'll send you the plans by Friday. I'll call the landlord, too."


class Desk:
    """Promising with all that it works with. The clock stands at NOW."""

    def __init__(self, ledger: SqlLedger, database: Path) -> None:
        self.ledger = ledger
        self.database = database
        self.clock = FakeClock(NOW)
        self.posted = Posted()
        self.promising = Promising(ledger, self.posted, self.clock)

    async def keep(self, *letters: KeptMail) -> list[int]:
        """Letters are there; their ids."""

        def work(t: Tables) -> list[int]:
            kept = [t.mails.keep(1, one.mail, now=self.clock.now(), by_owner=one.by_owner) for one in letters]
            return [one for one in kept if isinstance(one, int)]

        return await self.ledger.write(work)

    async def sends(self, said: str, **given: object) -> list[Piece]:
        """The owner's mail has left; what is shown."""
        (mail_id,) = await self.keep(a_reply(said, **({"date_at": self.clock.now()} | given)))
        before = len(self.posted.pieces)
        await self.promising.of_mail(mail_id)
        return self.posted.pieces[before:]

    async def standing(self) -> list[Promised]:
        """What is asked about."""
        return await self.ledger.read(lambda t: promised.standing(t, 1, self.clock.now()))

    async def asks(self) -> list[list[str]]:
        """The promises that are asked about, by mail, the newest first."""
        return [[promise.action for _, promise in one.items] for one in await self.standing()]

    async def taps(self, piece: Piece | StoredCard, choice: str) -> Reply:
        """The owner taps; what is said of it."""

        def work(t: Tables) -> Reply:
            stored = piece if isinstance(piece, StoredCard) else piece.card
            assert stored is not None
            assert choice in {one.key for one in stored.card.choices}
            assert t.cards.decide(stored.id, choice, now=self.clock.now())
            reply = promise_tap.act(t, stored.card, choice, self.scene(t))
            if isinstance(reply, Card):
                t.cards.put(reply, owner_id=1, now=self.clock.now())
            return reply

        return await self.ledger.write(work)

    def scene(self, t: Tables) -> Scene:
        number = sum(t.signals.counts_since(1, NOW - timedelta(days=99)).values())
        signal_id = publish(t, f"tap {number}", kind="tap")
        now = self.clock.now()
        return Scene(owner=t.owners.get(), now=now, signal_id=signal_id, turn_id=0, because="the owner tapped")

    async def loops(self) -> list[Loop]:
        """Every loop that there ever was."""
        numbers = [number for (number,) in rows(self.database, "SELECT id FROM loops ORDER BY id")]
        found = await self.ledger.read(lambda t: [t.loops.get(number) for number in numbers])
        return [loop for loop in found if loop is not None]


@pytest.fixture
async def desk(database: Path) -> AsyncIterator[Desk]:
    async with SqlLedger(database) as ledger:
        await ledger.write(an_account)
        yield Desk(ledger, database)


# ── asking ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_sent_mail_that_promises_is_asked_about_on_one_silent_card_and_opens_nothing(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO, subject="The flat")
    assert piece.silent
    assert piece.text.splitlines() == [
        "**Did you promise this?** To Anna Winter: The flat",
        "1. **send you the plans** – on Friday, 11 September at 09:00",
        "_“I'll send you the plans by Friday.”_",
        "2. **call the landlord**",
        "_“I'll call the landlord, too.”_",
    ]
    assert piece.card is not None
    assert [choice.label for choice in piece.card.card.choices] == ["✓ 1", "✓ 2", "All", "None"]
    assert await desk.loops() == []


@pytest.mark.parametrize(
    "letter",
    [
        pytest.param(a_letter("I'll send you the plans."), id="from somebody else"),
        pytest.param(a_reply("Thanks for the plans!"), id="promises nothing"),
        pytest.param(a_reply("I'll send the plans.", to=(JO,)), id="to oneself"),
        pytest.param(a_reply("I'll reply on Monday.", auto_submitted="auto-replied"), id="an automatic answer"),
        pytest.param(a_reply("> I'll send you the plans.\n"), id="quotes one"),
        pytest.param(a_reply("I'll send it.", date_at=NOW - LAPSES_AFTER_FOR - timedelta(hours=1)), id="old"),
    ],
)
async def test_of_other_mail_nothing_is_asked(desk: Desk, letter: KeptMail) -> None:
    (mail_id,) = await desk.keep(letter)
    await desk.promising.of_mail(mail_id)
    assert desk.posted.pieces == []
    assert await desk.asks() == []


async def test_a_mail_is_read_once_whatever_asks_for_it(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO)
    (ref,) = [one.ref for one in await desk.standing()]
    mail_id = int(ref.removeprefix("mail:"))
    await desk.promising.of_mail(mail_id)
    await desk.promising.look_back(1)
    assert desk.posted.pieces == [piece]
    assert len(rows(desk.database, f"SELECT 1 FROM decisions WHERE subject = '{subject_of(ref)}'")) == 1


async def test_history_holds_no_word_of_the_mail(desk: Desk) -> None:
    await desk.sends("I'll send you the kingfisher.")
    assert "kingfisher" not in str(rows(desk.database, "SELECT * FROM decisions"))


async def test_a_name_in_the_mail_can_do_nothing_on_the_card(desk: Desk) -> None:
    (piece,) = await desk.sends(
        "I'll send you /forget and https://evil.example/x today.", to=(replace(SARAH, name="**Bob** /forget"),)
    )
    assert "https://evil.example" not in piece.text
    assert " /forget" not in piece.text
    assert "To \\*\\*Bob" in piece.text


# ── the owner's word ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_confirmed_is_open_and_comes_round_when_it_is_due(desk: Desk) -> None:
    (piece,) = await desk.sends("I'll send you the plans by Friday.")
    reply = await desk.taps(piece, "keep.0")
    (loop,) = await desk.loops()
    assert (loop.kind, loop.state, loop.title) == ("promise", "open", "send you the plans (Anna Winter)")
    assert str(loop.remind_at_wall) == "2026-09-11 09:00:00"
    assert isinstance(reply, Card)
    assert reply.subject == loop_subject(loop.id)  # with the way back
    assert "Kept open: **send you the plans" in reply.text
    assert await desk.asks() == []


async def test_without_a_time_nothing_comes_round(desk: Desk) -> None:
    (piece,) = await desk.sends("I'll send you the plans soon.")
    await desk.taps(piece, "keep.0")
    (loop,) = await desk.loops()
    assert loop.remind_at_wall is None


async def test_a_time_that_has_passed_sets_no_reminder(desk: Desk) -> None:
    (piece,) = await desk.sends("I'll send you the plans tomorrow.")
    desk.clock.advance(timedelta(days=3))
    await desk.taps(piece, "keep.0")
    (loop,) = await desk.loops()
    assert (loop.state, loop.remind_at_wall) == ("open", None)


async def test_one_of_two_is_confirmed_and_the_other_is_still_asked_about(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO)
    reply = await desk.taps(piece, "keep.1")
    assert [loop.title for loop in await desk.loops()] == ["call the landlord (Anna Winter)"]
    assert await desk.asks() == [["send you the plans"]]
    assert isinstance(reply, Card)
    assert reply.text.startswith("Kept open: **call the landlord")
    assert [choice.key for choice in reply.choices] == ["keep.0", "drop"]


async def test_all_are_confirmed_at_once(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO)
    await desk.taps(piece, "keep.all")
    assert [loop.state for loop in await desk.loops()] == ["open", "open"]
    assert await desk.asks() == []


async def test_what_is_dropped_opens_nothing_and_is_not_asked_about_again(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO)
    assert await desk.taps(piece, "drop") == "No promise: send you the plans, call the landlord"
    await desk.promising.look_back(1)
    assert (await desk.loops(), await desk.asks()) == ([], [])


# ── the past ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_mail_of_the_past_makes_no_card_but_a_line_for_the_brief_and_only_of_two_weeks(desk: Desk) -> None:
    recent, old = a_reply("I'll send it.", ago=timedelta(days=3)), a_reply("I'll call him.", ago=timedelta(days=15))
    await desk.keep(recent, old, a_letter("I'll answer.", ago=timedelta(days=2)))
    assert await desk.promising.look_back(1) == 1
    assert await desk.promising.look_back(1) == 0
    assert desk.posted.pieces == []
    assert await desk.asks() == [["send it"]]
    held = await desk.ledger.read(lambda t: t.notices.held(1, NOW))
    assert [notice.summary.partition(":")[0] for notice in held] == [
        "In what you wrote in the last two weeks you seem to have promised something"
    ]


async def test_a_promise_of_the_past_that_was_kept_since_is_not_asked_about(desk: Desk) -> None:
    first = a_reply("I'll send you the plans.", ago=timedelta(days=3))
    await desk.keep(
        first,
        a_reply("Here", attachments=(PLANS,), ago=timedelta(days=2), in_reply_to=first.mail.message_id),
    )
    await desk.promising.look_back(1)
    assert await desk.asks() == []


async def test_what_nobody_confirms_lapses_after_two_weeks_with_a_row(desk: Desk) -> None:
    (piece,) = await desk.sends(TWO)
    desk.clock.advance(LAPSES_AFTER_FOR - timedelta(hours=1))
    await desk.promising.look_back(1)
    assert len(await desk.asks()) == 1
    desk.clock.advance(timedelta(hours=2))
    assert await desk.asks() == []
    await desk.promising.look_back(1)
    assert piece.card is not None
    stored = await desk.ledger.read(lambda t: t.cards.get(piece.card.id if piece.card else 0))
    assert stored is not None
    assert stored.state == "stale"
    decided = [one for (one,) in rows(desk.database, "SELECT decided FROM decisions ORDER BY id")]
    assert decided == ["asked", "lapsed"]


# ── kept ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def answered(desk: Desk, promise: str) -> str:
    """A promise that was confirmed; the id of the mail in which it was made."""
    letter = a_reply(promise, date_at=desk.clock.now())
    (mail_id,) = await desk.keep(letter)
    await desk.promising.of_mail(mail_id)
    await desk.taps(desk.posted.pieces[-1], "keep.0")
    desk.clock.advance(timedelta(days=1))
    return str(letter.mail.message_id)


async def test_the_thing_is_sent_and_the_loop_is_done_with_its_reason(desk: Desk) -> None:
    first = await answered(desk, "I'll send you the plans by Friday.")
    assert await desk.sends("Here they are.", attachments=(PLANS,), in_reply_to=first) == []
    (loop,) = await desk.loops()
    assert loop.state == "done"
    closed = rows(desk.database, "SELECT because FROM decisions WHERE decided = 'done'")
    assert closed[0][0].startswith("you sent them a file (mail:")
    assert rows(desk.database, "SELECT state FROM reminders") == [("cancelled",)]


async def test_an_answer_in_the_thread_closes_what_was_to_be_answered(desk: Desk) -> None:
    first = await answered(desk, "I'll let you know about the room.")
    await desk.sends("The room is free at four.", in_reply_to=first)
    assert [loop.state for loop in await desk.loops()] == ["done"]


async def test_a_mail_to_somebody_else_closes_nothing(desk: Desk) -> None:
    first = await answered(desk, "I'll send you the plans.")
    assert await desk.sends("Here", attachments=(PLANS,), in_reply_to=first, to=(SARAH,)) == []
    assert [loop.state for loop in await desk.loops()] == ["open"]


async def test_where_only_the_owner_knows_they_are_asked_once(desk: Desk) -> None:
    first = await answered(desk, "I'll call the landlord.")
    (piece,) = await desk.sends("I just called the landlord.", in_reply_to=first)
    (loop,) = await desk.loops()
    assert loop.state == "open"
    assert piece.silent
    assert piece.card is not None
    assert (piece.card.card.kind, piece.card.card.subject) == ("loop", loop_subject(loop.id))
    desk.clock.advance(timedelta(hours=1))
    assert await desk.sends("I just called the landlord again.", in_reply_to=first) == []


async def test_what_is_kept_before_it_was_confirmed_leaves_the_card(desk: Desk) -> None:
    letter = a_reply(TWO, date_at=NOW)
    (mail_id,) = await desk.keep(letter)
    await desk.promising.of_mail(mail_id)
    (card,) = desk.posted.pieces
    desk.clock.advance(timedelta(hours=1))
    (redrawn,) = await desk.sends("Here", attachments=(PLANS,), in_reply_to=letter.mail.message_id)
    assert redrawn.amends == card.parts
    assert redrawn.text.startswith("You have seen to it since: send you the plans\n\n**Did you promise this?**")
    assert await desk.asks() == [["call the landlord"]]
    assert await desk.loops() == []


async def test_a_promise_that_is_put_off_stays_open_and_the_new_one_is_asked_about(desk: Desk) -> None:
    first = await answered(desk, "I'll send you the plans by Friday.")
    await desk.sends("Sorry, I'll send you the plans on Monday.", attachments=(PLANS,), in_reply_to=first)
    assert [loop.state for loop in await desk.loops()] == ["open"]
    assert await desk.asks() == [["send you the plans"]]


async def test_a_loop_whose_mail_is_excluded_since_is_left_alone(desk: Desk, database: Path) -> None:
    first = await answered(desk, "I'll send you the plans.")
    listed = database.parent / "exclusions.txt"
    listed.write_text("address sarah@stone.example\n")
    async with SqlLedger(database, ExclusionFile(listed)) as strict:
        listed.write_text("address anna@winter.example\n")
        promising = Promising(strict, desk.posted, desk.clock)
        later = a_reply("Here", attachments=(PLANS,), in_reply_to=first, to=(SARAH,), date_at=desk.clock.now())
        kept = await strict.write(lambda t: t.mails.keep(1, later.mail, now=desk.clock.now(), by_owner=True))
        assert isinstance(kept, int)
        await promising.of_mail(kept)
    assert [loop.state for loop in await desk.loops()] == ["open"]


# ── on their way ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_sent_mail_that_arrives_as_news_is_read_on_its_way(desk: Desk) -> None:
    judge = Judge(desk.ledger, desk.posted, desk.clock, model=None)
    handler = MailArrived(desk.ledger, judge, desk.clock, promises=desk.promising.of_mail)
    (mail_id,) = await desk.keep(a_reply("I'll send you the plans.", date_at=NOW))

    def job(t: Tables) -> Job:
        signal = NewSignal(source="imap:work", kind="mail", source_id="1", owner_id=1, payload={"mail": mail_id})
        t.signals.publish(signal, now=NOW)
        return t.jobs.round((), take={"inline": 0, "background": 9}, now=NOW)[-1]

    await handler(await desk.ledger.write(job))
    assert [piece.key for piece in desk.posted.pieces] == [subject_of(f"mail:{mail_id}")]
    assert await desk.asks() == [["send you the plans"]]


def test_the_question_whether_it_is_done_is_answered_where_loops_are() -> None:
    loop = Loop(id=7, owner_id=1, kind="promise", title="t", state="open", opened_at=NOW, because="b")
    card = cards.loop_due(loop, "t", "en", because="b")
    assert [choice.key for choice in card.choices] == ["done", "hour", "tomorrow"]
