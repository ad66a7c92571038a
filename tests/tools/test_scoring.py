"""The decision model over kept mails: what it reads, in which order, and what becomes of what it learned."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from jobs.train import Train
from memory.decide.features import Features
from memory.decide.score import ENOUGH_ACTED, ENOUGH_MAILS, Fitted
from memory.errors import BadInput
from memory.job import Job
from memory.mail import Address, KeptMail, Mail
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tools.learning.apart import learn
from tools.learning.fitting import Example, fit
from tools.learning.keeping import NAME
from tools.scoring import Scoring

ME = "anna@example.com"


def mail(name: str, sender: str, to: str, at: datetime, *, answers: str | None = None, text: str = "") -> Mail:
    return Mail(
        message_id=f"{name}@x.example",
        sender=Address(sender.partition("@")[0].title(), sender),
        senders_disagree=False,
        to=(Address("", to),),
        cc=(),
        subject=f"Re: {name}" if answers else name,
        date_at=at,
        in_reply_to=answers,
        references=(answers,) if answers else (),
        text=text or "Could you send me the figures by Friday?",
        was_cut=False,
        html_hidden=False,
        parts_disagree=False,
        attachments=(),
        list_id=None,
        is_automated=False,
        fingerprint=f"fingerprint of {name}",
        faults=(),
    )


async def a_history(ledger: SqlLedger, *, mails: int, until: datetime) -> None:
    """Jonas is always answered, Mara never: what anybody would learn from it."""

    def work(t: object) -> None:
        tables = t
        tables.accounts.add(  # type: ignore[attr-defined]
            owner_id=1, name="work", kind="imap", identity=ME, aliases=(), settings={}, now=NOW
        )
        for number in range(mails):
            at = until - timedelta(hours=6 * (mails - number))
            who = "jonas@studio.example" if number % 2 else "mara@firm.example"
            tables.mails.keep(1, mail(f"m{number}", who, ME, at), now=NOW)  # type: ignore[attr-defined]
            if number % 2:
                answer = mail(f"a{number}", ME, who, at + timedelta(hours=1), answers=f"m{number}@x.example")
                tables.mails.keep(1, answer, now=NOW, by_owner=True)  # type: ignore[attr-defined]

    await ledger.write(work)


async def here(known: Sequence[tuple[Features, bool, datetime]], now: datetime) -> Fitted:
    """Learned in this process: the other way takes a second to start, and is tried once."""
    return fit([Example(*one) for one in known], now=now)


async def asked() -> Job:
    return Job(id=1, owner_id=1, kind="train", lane="background", thread="owner:1", attempt=1, created_at=NOW)


async def latest_of(ledger: SqlLedger, name: str) -> list[KeptMail]:
    found = await ledger.read(lambda t: t.mails.by_fingerprint(1, f"fingerprint of {name}"))
    assert found is not None
    kept = await ledger.read(lambda t: t.mails.get(found))
    return await ledger.read(lambda t: t.mails.thread(kept.thread_id))


async def test_before_anything_was_learned_there_is_no_probability(
    ledger: SqlLedger, clock: FakeClock, tmp_path: Path
) -> None:
    await a_history(ledger, mails=4, until=NOW)
    scoring = Scoring(ledger, clock, tmp_path)
    assert scoring.fitted is None
    assert await scoring.probability(await latest_of(ledger, "m2")) is None


async def test_who_is_always_answered_scores_higher_than_who_never_is(
    ledger: SqlLedger, clock: FakeClock, tmp_path: Path
) -> None:
    await a_history(ledger, mails=2 * ENOUGH_MAILS, until=NOW - timedelta(days=8))
    scoring = Scoring(ledger, clock, tmp_path / "decision")
    await Train(ledger, scoring, clock, tmp_path / "decision", learns=here)(await asked())
    assert scoring.fitted is not None
    assert scoring.fitted.acted >= ENOUGH_ACTED
    for name, who in (("new from jonas", "jonas@studio.example"), ("new from mara", "mara@firm.example")):
        await ledger.write(lambda t, name=name, who=who: t.mails.keep(1, mail(name, who, ME, NOW), now=NOW))  # type: ignore[misc]
    jonas = await scoring.probability(await latest_of(ledger, "new from jonas"))
    mara = await scoring.probability(await latest_of(ledger, "new from mara"))
    assert jonas is not None
    assert mara is not None
    assert jonas > 0.6 > 0.4 > mara


async def test_a_score_rests_on_nothing_that_came_later(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    await a_history(ledger, mails=2 * ENOUGH_MAILS, until=NOW - timedelta(days=30))
    folder = tmp_path / "decision"
    await Train(ledger, Scoring(ledger, clock, folder), clock, folder, learns=here)(await asked())
    new = mail("asked", "lena@third.example", ME, NOW - timedelta(days=20))
    await ledger.write(lambda t: t.mails.keep(1, new, now=NOW))
    before = await Scoring(ledger, clock, folder).probability(await latest_of(ledger, "asked"))
    for number in range(20):
        at = NOW - timedelta(days=19) + timedelta(hours=number)
        later = mail(f"to lena {number}", ME, "lena@third.example", at)
        await ledger.write(lambda t, later=later: t.mails.keep(1, later, now=NOW, by_owner=True))  # type: ignore[misc]
    thread = [kept for kept in await latest_of(ledger, "asked") if not kept.by_owner]
    assert await Scoring(ledger, clock, folder).probability(thread) == before


async def test_a_mail_too_young_to_have_been_answered_teaches_nothing(
    ledger: SqlLedger, clock: FakeClock, tmp_path: Path
) -> None:
    await a_history(ledger, mails=20, until=NOW)
    outcomes = await Scoring(ledger, clock, tmp_path).outcomes()
    assert all(NOW - outcome.at >= timedelta(days=7) for outcome in outcomes)
    assert len(outcomes) < 20


async def test_too_little_to_learn_from_leaves_the_rules_and_says_so(
    ledger: SqlLedger, clock: FakeClock, tmp_path: Path
) -> None:
    scoring = Scoring(ledger, clock, tmp_path)
    await Train(ledger, scoring, clock, tmp_path, learns=here)(await asked())
    assert scoring.fitted is None
    [decision] = await ledger.read(lambda t: t.decisions.about(1, "decision model"))
    assert decision.decided == "not trained"


async def test_a_damaged_model_is_no_model(ledger: SqlLedger, clock: FakeClock, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{"form": "something else"}')
    assert Scoring(ledger, clock, tmp_path).fitted is None


async def test_learning_in_a_process_of_its_own_refuses_as_it_would_here() -> None:
    with pytest.raises(BadInput, match="too little to learn from"):
        await learn([], NOW)
