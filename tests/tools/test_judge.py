"""The judge at work on the real ledger: each piece of evidence once, and what comes of it told once."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from jobs.review import Review
from memory.errors import NotFound
from memory.exclusion import NOTHING, Exclusions, read_exclusions
from memory.job import Job
from memory.ledger import Tables
from memory.mail import Address, KeptMail
from memory.mail_thread import subject_of
from memory.piece import Piece
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.hand import rows
from tests.doubles.letters import ANNA, JO, NOW, SARAH, a_letter, a_reply
from tests.doubles.scripted_model import ScriptedModel
from tools import day
from tools.judge import Judge

LATER = NOW + timedelta(hours=3)
ASKS = "Could you send me the contract by Friday?"


class Posted:
    """What would go to the owner."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []

    def home(self) -> str:
        return "terminal"

    def post(self, *pieces: Piece | None) -> None:
        self.pieces += [piece for piece in pieces if piece is not None]

    async def typing(self, channel: str) -> None: ...

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None: ...


class Desk:
    """The judge with all that it works with."""

    def __init__(self, ledger: SqlLedger, database: Path, clock: FakeClock, listed: list[Exclusions]) -> None:
        self.ledger = ledger
        self.database = database
        self.clock = clock
        self.posted = Posted()
        self.model = ScriptedModel()
        self.judge = Judge(ledger, self.posted, clock, model=self.model)
        self.review = Review(ledger, self.judge, clock)
        self.listed = listed

    def says(self, what: str, consequence: float = 0.9, reason: str = "it matters") -> None:
        """The model's next judgement."""
        self.model.answers("triage", json.dumps({"verdict": what, "consequence": consequence, "reason": reason}))

    async def keep(self, *letters: KeptMail) -> list[int]:
        """Letters arrive; their ids."""

        def work(t: Tables) -> list[int]:
            kept = [
                t.mails.keep(1, one.mail, now=self.clock.now(), by_owner=one.by_owner, is_read=False) for one in letters
            ]
            return [one for one in kept if isinstance(one, int)]

        return await self.ledger.write(work)

    async def look_over(self) -> None:
        """The review before the brief."""
        job = Job(id=1, owner_id=1, kind="review", lane="background", thread="owner:1", attempt=1, created_at=NOW)
        await self.review(job)

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables."""
        names = [name for (name,) in rows(self.database, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: rows(self.database, f'SELECT * FROM "{name}"')
            for name in names
            if not name.startswith("passages_fts")
        }

    async def loops(self) -> list[tuple[str, str]]:
        return [(one.kind, one.title) for one in await self.ledger.read(lambda t: t.loops.list_open(1))]

    async def waiting(self) -> list[str]:
        """The lines that wait for the brief."""
        return [one.summary for one in await self.ledger.read(lambda t: t.notices.held(1, self.clock.now()))]

    def verdicts(self) -> list[tuple[Any, ...]]:
        return rows(self.database, "SELECT what, code FROM verdicts ORDER BY id")

    def decided(self) -> list[str]:
        return [
            how for (how,) in rows(self.database, "SELECT decided FROM decisions WHERE subject LIKE 'mail-thread:%'")
        ]


@pytest.fixture
async def desk(database: Path) -> AsyncIterator[Desk]:
    clock = FakeClock(NOW)
    listed: list[Exclusions] = [NOTHING]
    async with SqlLedger(database, lambda: listed[0]) as ledger:
        await ledger.write(
            lambda t: t.accounts.add(
                owner_id=1, name="home", kind="imap", identity="jo@baker.example", aliases=(), settings={}, now=NOW
            )
        )
        yield Desk(ledger, database, clock, listed)


def chained(letter: KeptMail, after: KeptMail) -> KeptMail:
    """The letter as an answer to another."""
    mail = replace(letter.mail, in_reply_to=after.mail.message_id, references=(str(after.mail.message_id),))
    return replace(letter, mail=mail)


# Once


async def test_what_was_judged_is_never_judged_again_and_nothing_changes(desk: Desk) -> None:
    """A second run over a mailbox makes no model call and changes no row."""
    letters = [
        a_letter(ASKS),
        a_letter("Thanks!", sender=SARAH),
        a_letter("Lunch on Tuesday?", sender=Address("Tom", "tom@x.example")),
        a_letter("We offer 20 % off", sender=Address("Shop", "news@shop.example"), list_id="l", is_automated=True),
        a_reply("Could you look into this?", ago=timedelta(days=6)),
        a_letter("Old question: can you come?", ago=timedelta(days=5), sender=Address("Eve", "eve@x.example")),
        a_letter("Ancient.", ago=timedelta(days=40)),
    ]
    desk.model.answers("triage", *[json.dumps({"verdict": "hold", "consequence": 0.4, "reason": "r"})] * 9)
    for mail_id in (await desk.keep(*letters))[:4]:
        await desk.judge.mail(mail_id, is_fresh=True)
    await desk.look_over()
    calls, before = len(desk.model.asks), desk.everything()
    assert calls > 0
    assert len(before["verdicts"]) == 8
    for days in (0, 0, 1):
        desk.clock.advance(timedelta(days=days))
        for mail_id in range(1, 5):
            await desk.judge.mail(mail_id, is_fresh=True)
        if not days:
            await desk.look_over()
    assert len(desk.model.asks) == calls
    assert desk.everything() == before


async def test_the_same_mail_judged_at_the_same_time_is_told_once(desk: Desk) -> None:
    desk.says("notify")
    desk.says("notify")
    [mail_id] = await desk.keep(a_letter(ASKS))
    found = await asyncio.gather(*(desk.judge.mail(mail_id, is_fresh=True) for _ in range(2)))
    assert [one.judgement is None for one in found].count(False) == 1
    assert len(desk.verdicts()) == len(desk.posted.pieces) == 1


@pytest.mark.parametrize("by_owner", [True, False])
async def test_a_reply_by_anybody_is_new_evidence(desk: Desk, by_owner: bool) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    [mail_id] = await desk.keep(first)
    await desk.judge.mail(mail_id, is_fresh=True)
    reply = a_reply("Here it is.") if by_owner else a_letter("Any news?", sender=SARAH, to=(JO, ANNA))
    [reply_id] = await desk.keep(chained(reply, first))
    judged = await desk.judge.mail(reply_id, is_fresh=True)
    assert not judged.was_known
    assert len(desk.verdicts()) == 2


async def test_a_mail_that_is_gone_or_excluded_is_not_judged(desk: Desk) -> None:
    with pytest.raises(NotFound):
        await desk.judge.mail(7, is_fresh=True)
    [mail_id] = await desk.keep(a_letter(ASKS))
    thread_id = (await desk.ledger.read(lambda t: t.mails.get(mail_id))).thread_id
    desk.listed[0] = read_exclusions("domain winter.example")
    with pytest.raises(NotFound):
        await desk.judge.mail(mail_id, is_fresh=True)
    assert (await desk.judge.thread(thread_id, is_fresh=True)).judgement is None
    await desk.look_over()
    assert (desk.verdicts(), desk.model.asks) == ([], [])


async def test_no_model_sees_the_excluded_part_of_a_thread(desk: Desk) -> None:
    first = a_letter("The diagnosis is a secret.", ago=timedelta(hours=2))
    second = chained(a_letter(ASKS, sender=SARAH, to=(JO,)), first)
    numbers = await desk.keep(first, second)
    desk.listed[0] = read_exclusions("person Anna Winter")
    desk.says("hold")
    await desk.judge.mail(numbers[1], is_fresh=True)
    [ask] = desk.model.asks
    told = json.dumps([message.text for message in ask.messages])
    assert "contract" in told
    assert "secret" not in told
    assert "winter" not in told.lower()


# What it does


async def test_a_ping_is_a_card_and_the_next_mail_of_the_thread_redraws_it_silently(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    desk.says("notify", reason="The contract is due.")
    [mail_id] = await desk.keep(first)
    await desk.judge.mail(mail_id, is_fresh=True)
    [piece] = desk.posted.pieces
    assert piece.card is not None
    assert "The contract is due." in piece.text
    desk.says("notify", reason="She asks again.")
    [again] = await desk.keep(chained(a_letter("Could you please answer?"), first))
    await desk.judge.mail(again, is_fresh=True)
    assert desk.decided() == ["ping", "update"]
    _, redrawn = desk.posted.pieces
    assert redrawn.message_id == piece.message_id
    assert "She asks again." in redrawn.text
    cards = rows(desk.database, "SELECT state FROM cards ORDER BY id")
    assert cards == [("stale",), ("open",)]
    assert rows(desk.database, "SELECT count(*) FROM notices WHERE told_in LIKE 'mail:%'") == [(1,)]


async def test_the_sixth_ping_of_a_day_is_held_with_the_reason(desk: Desk) -> None:
    for number in range(6):
        desk.says("notify")
        [mail_id] = await desk.keep(a_letter(ASKS, sender=Address(f"P{number}", f"p{number}@x.example")))
        await desk.judge.mail(mail_id, is_fresh=True)
    assert len(desk.posted.pieces) == 5
    assert desk.decided() == ["ping"] * 5 + ["hold"]
    [(because,)] = rows(desk.database, "SELECT because FROM notices WHERE told_in IS NULL")
    assert "today's 5 pings are used" in because
    desk.clock.advance(timedelta(days=1))
    desk.says("notify")
    [mail_id] = await desk.keep(a_letter(ASKS, sender=SARAH, ago=-timedelta(days=1)))
    await desk.judge.mail(mail_id, is_fresh=True)
    assert len(desk.posted.pieces) == 6


@pytest.mark.parametrize(("is_urgent", "pinged"), [(True, 1), (False, 0)])
async def test_only_somebody_urgent_breaks_quiet_hours(desk: Desk, is_urgent: bool, pinged: int) -> None:
    desk.clock.advance(timedelta(hours=12))
    if is_urgent:
        await desk.ledger.write(lambda t: t.senders.wish(1, "ANNA+private@winter.example", "urgent", now=NOW))
    desk.says("notify")
    [mail_id] = await desk.keep(a_letter(ASKS, ago=-timedelta(hours=12)))
    await desk.judge.mail(mail_id, is_fresh=True)
    assert len(desk.posted.pieces) == pinged


async def test_nobody_is_pinged_about_the_past(desk: Desk) -> None:
    desk.says("notify")
    [mail_id] = await desk.keep(a_letter(ASKS))
    await desk.judge.mail(mail_id, is_fresh=False)
    assert desk.posted.pieces == []
    assert await desk.waiting() == [r"Anna Winter \(anna@winter.example\): Hello"]


async def test_of_a_thread_one_line_waits_and_the_newest(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    desk.says("hold")
    desk.says("hold")
    for letter in (first, chained(a_letter("And could you call me?", subject="Call"), first)):
        [mail_id] = await desk.keep(letter)
        await desk.judge.mail(mail_id, is_fresh=True)
    assert await desk.waiting() == [r"Anna Winter \(anna@winter.example\): Call"]


async def test_thanks_after_a_question_leave_the_question_in_the_brief(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    desk.says("hold")
    for letter in (first, chained(a_letter("Thanks!"), first)):
        [mail_id] = await desk.keep(letter)
        await desk.judge.mail(mail_id, is_fresh=True)
    assert [what for what, _ in desk.verdicts()] == ["hold", "log"]
    assert len(await desk.waiting()) == 1


async def test_the_loop_of_a_thread_is_one_and_closes_when_the_owner_answers(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2), subject="The contract")
    desk.says("loop")
    desk.says("loop")
    for letter in (first, chained(a_letter("Could you also call me?"), first)):
        [mail_id] = await desk.keep(letter)
        await desk.judge.mail(mail_id, is_fresh=True)
    assert await desk.loops() == [("reply", "reply to Anna Winter: The contract")]
    assert len(await desk.waiting()) == 1
    [mail_id] = await desk.keep(chained(a_reply("Done."), first))
    await desk.judge.mail(mail_id, is_fresh=True)
    assert (await desk.loops(), await desk.waiting()) == ([], [])
    assert rows(desk.database, "SELECT state FROM loops") == [("done",)]


async def test_an_open_card_says_silently_that_the_owner_has_answered(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    desk.says("notify")
    numbers = await desk.keep(first)
    await desk.judge.mail(numbers[0], is_fresh=True)
    [mail_id] = await desk.keep(chained(a_reply("Done."), first))
    await desk.judge.mail(mail_id, is_fresh=True)
    shown, amended = desk.posted.pieces
    assert amended.message_id == shown.message_id
    assert amended.text.startswith("You answered. **Anna Winter")
    assert amended.card is None
    assert rows(desk.database, "SELECT state FROM cards") == [("stale",)]


async def test_an_answer_that_came_with_the_past_ends_what_waited_too(desk: Desk) -> None:
    first = a_letter(ASKS, ago=timedelta(hours=2))
    desk.says("loop")
    [mail_id] = await desk.keep(first)
    await desk.judge.mail(mail_id, is_fresh=True)
    await desk.keep(chained(a_reply("Done."), first))
    await desk.look_over()
    assert (await desk.loops(), await desk.waiting()) == ([], [])


async def test_a_mail_that_was_told_makes_no_second_sound_when_more_comes_to_light(desk: Desk) -> None:
    """The owner's own earlier mail was filed late: new evidence, and the same latest mail."""
    own = a_reply("I'll look into it.", ago=timedelta(hours=2))
    second = chained(a_letter(ASKS), own)
    desk.says("notify")
    desk.says("notify")
    numbers = await desk.keep(second)
    await desk.judge.mail(numbers[0], is_fresh=True)
    await desk.ledger.write(
        lambda t: t.cards.decide(t.cards.open_about(1, subject_of(1)).id, "done", now=LATER)  # type: ignore[union-attr]
    )
    [late] = await desk.keep(own)
    judged = await desk.judge.mail(late, is_fresh=True)
    assert not judged.was_known
    assert desk.decided() == ["ping", "silent"]
    assert len(desk.posted.pieces) == 1


# What hangs, and what is waited for


async def test_what_hangs_is_put_on_record_when_it_is_due_and_not_before(desk: Desk) -> None:
    await desk.keep(a_letter(ASKS))
    desk.says("hold")
    await desk.look_over()
    assert [code for _, code in desk.verdicts()] == ["model"]
    desk.clock.advance(timedelta(days=2))
    await desk.look_over()
    assert len(desk.verdicts()) == 1
    desk.clock.advance(timedelta(days=2))
    await desk.look_over()
    assert desk.verdicts()[1:] == [("loop", "hanging")]
    assert await desk.loops() == [("reply", "reply to Anna Winter: Hello")]
    desk.clock.advance(timedelta(days=1))
    await desk.look_over()
    assert len(desk.verdicts()) == 2


@pytest.mark.parametrize("how", ["button", "loop"])
async def test_what_the_owner_was_done_with_does_not_hang(desk: Desk, how: str) -> None:
    await desk.keep(a_letter(ASKS))
    desk.says("loop" if how == "loop" else "hold")
    await desk.look_over()
    desk.clock.advance(timedelta(hours=1))

    def work(t: Tables) -> None:
        if how == "loop":
            t.loops.close(1, state="done", because="the owner said so", now=desk.clock.now())
        else:
            t.decisions.record(owner_id=1, subject=subject_of(1), decided="done", because="a tap", now=desk.clock.now())

    await desk.ledger.write(work)
    desk.clock.advance(timedelta(days=5))
    await desk.look_over()
    assert len(desk.verdicts()) == 1
    assert await desk.loops() == []


async def test_what_the_owner_waits_for_is_kept_open_until_they_write(desk: Desk) -> None:
    question = a_reply("Could you send me the offer?", subject="The offer")
    await desk.keep(question)
    await desk.look_over()
    assert desk.verdicts() == [("log", "own")]
    desk.clock.advance(timedelta(days=5))
    await desk.look_over()
    assert desk.verdicts()[1:] == [("loop", "waiting")]
    assert await desk.loops() == [("waiting", "waiting for Anna Winter: The offer")]
    assert await desk.waiting() == ["Anna Winter: The offer"]
    away = chained(
        a_letter("I am away until Monday.", ago=-timedelta(days=5), is_automated=True, auto_submitted="auto-replied"),
        question,
    )
    desk.says("log")
    for letter, left in ((away, 1), (chained(a_letter("Here it is.", ago=-timedelta(days=5)), question), 0)):
        desk.says("log")
        [mail_id] = await desk.keep(letter)
        await desk.judge.mail(mail_id, is_fresh=True)
        assert (len(await desk.loops()), len(await desk.waiting())) == (left, left)


# People


async def test_who_writes_from_another_address_of_theirs_is_known_by_it(desk: Desk) -> None:
    """The owner has written to both, and one thread shows that they are one."""
    home = Address("Anna Winter", "anna.winter@gmail.com")
    work = Address("Anna Winter", "anna.winter@stone.example")
    first = a_reply("Hi", to=(home,), ago=timedelta(days=9))
    second = chained(a_letter("Hi", sender=work, ago=timedelta(days=8)), first)
    await desk.keep(first, second, a_reply("Hi", to=(work,), ago=timedelta(days=7)))
    await desk.ledger.write(lambda t: t.senders.wish(1, str(home.address), "urgent", now=NOW))
    [mail_id] = await desk.keep(a_letter("Could you call me at once?", sender=work))
    judged = await desk.judge.mail(mail_id, is_fresh=True)
    assert judged.judgement is not None
    assert judged.judgement.code == "urgent"


async def test_somebody_who_used_to_write_and_has_stopped_is_a_line_once(desk: Desk) -> None:
    letters = [a_letter("Hi", ago=timedelta(days=days), subject=f"s{days}") for days in range(100, 30, -7)]
    letters += [a_reply("Hi", ago=timedelta(days=days), sender=JO, to=(JO,)) for days in range(200, 60, -7)]
    await desk.keep(*letters, a_reply("Hello", ago=timedelta(days=90)))
    desk.clock.advance(timedelta(days=30))
    for _ in range(2):
        await desk.look_over()
    lines = [line for line in await desk.waiting() if "has not written" in line]
    assert lines == ["Anna Winter has not written for 67 days; before that it was every 7 days or so"]
    desk.listed[0] = read_exclusions("person Anna Winter")
    await desk.ledger.write(lambda t: t.mails.erase_covered(1, now=desk.clock.now()))
    assert [line for line in await desk.waiting() if "has not written" in line] == []
    assert rows(desk.database, "SELECT count(*) FROM notices WHERE summary LIKE '%Anna%'") == [(0,)]


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param({"auto_submitted": "auto-replied", "is_automated": True}, id="marked as such"),
        pytest.param({"subject": "Automatische Antwort: The offer"}, id="by its subject alone"),
    ],
)
async def test_somebody_who_is_away_has_not_answered(desk: Desk, marks: dict[str, Any]) -> None:
    question = a_reply("Could you send me the offer?", subject="The offer")
    away = chained(a_letter("I am away until Monday.", ago=timedelta(minutes=1), **marks), question)
    await desk.keep(question, away)
    desk.clock.advance(timedelta(days=5))
    await desk.look_over()
    assert await desk.loops() == [("waiting", "waiting for Anna Winter: The offer")]
    found = await desk.ledger.read(lambda t: day.of_now(t, t.owners.get(), desk.clock.now()))
    assert [line.of.about for line in found.waiting_on] == ["The offer"]  # type: ignore[union-attr]
    await desk.keep(chained(a_letter("Here it is.", ago=-timedelta(days=5)), question))
    await desk.look_over()
    assert await desk.loops() == []
