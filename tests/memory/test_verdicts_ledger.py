"""The verdict ledger: one row for each piece of evidence and judge, and never another."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from memory.judgement import Judgement
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from memory.verdict import Verdict
from tests.doubles.hand import hand, rows
from tests.doubles.judged import a_judged
from tests.doubles.letters import NOW

VERDICT = Verdict(what="loop", consequence=0.35, reason="Anna asks", stage="decision model", code="likely")


def record(t: Tables, **given: Any) -> Judgement | None:
    usual: dict[str, Any] = {
        "owner_id": 1,
        "mail_id": 3,
        "thread_id": 2,
        "evidence": "e" * 64,
        "judge": "1",
        "verdict": VERDICT,
        "code": "likely",
        "probability": 0.62,
        "findings": [{"kind": "request", "quote": "Will you?", "due_at": None}],
        "now": NOW,
    }
    return t.verdicts.record(**(usual | given))


async def test_a_judgement_is_read_as_it_was_put_down(ledger: SqlLedger) -> None:
    made = await ledger.write(record)
    assert made is not None
    found = await ledger.read(lambda t: t.verdicts.find(1, "e" * 64, "1"))
    assert found == made
    assert (made.verdict.what, made.verdict.consequence, made.verdict.reason) == ("loop", 0.35, "Anna asks")
    assert (made.verdict.stage, made.code, made.probability, made.at) == ("decision model", "likely", 0.62, NOW)
    assert made.findings == ({"kind": "request", "quote": "Will you?", "due_at": None},)
    assert await ledger.read(lambda t: t.verdicts.get(made.id)) == made


async def test_the_same_evidence_is_never_put_down_again(ledger: SqlLedger, database: Path) -> None:
    await ledger.write(record)
    other = Verdict(what="notify", consequence=1, reason="", stage="model")
    assert await ledger.write(lambda t: record(t, verdict=other, now=NOW + timedelta(days=1))) is None
    assert rows(database, "SELECT what FROM verdicts") == [("loop",)]
    assert rows(database, "SELECT count(*) FROM verdict_reasons") == [(1,)]


@pytest.mark.parametrize("given", [{"evidence": "f" * 64}, {"judge": "2"}], ids=["other evidence", "another judge"])
async def test_other_evidence_or_another_judge_is_another_row(ledger: SqlLedger, given: dict[str, str]) -> None:
    await ledger.write(record)
    assert await ledger.write(lambda t: record(t, **given)) is not None
    assert len(await ledger.read(lambda t: t.verdicts.of_mail(1, 3))) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE verdicts SET what = 'ignore'",
        "DELETE FROM verdicts",
        "INSERT OR REPLACE INTO verdicts SELECT * FROM verdicts",
    ],
)
async def test_a_verdict_can_be_neither_changed_nor_removed(ledger: SqlLedger, database: Path, statement: str) -> None:
    await ledger.write(record)
    with hand(database) as connection, pytest.raises(Exception, match="append-only"):
        connection.execute(statement)


@pytest.mark.parametrize("verdict", [Verdict(what="shout", consequence=0.5, reason="", stage="rule"),  # type: ignore[arg-type]
                                     Verdict(what="hold", consequence=1.5, reason="", stage="rule")])  # fmt: skip
async def test_what_is_no_verdict_is_not_put_down(ledger: SqlLedger, verdict: Verdict) -> None:
    with pytest.raises(IntegrityError):
        await ledger.write(lambda t: record(t, verdict=verdict))
    assert await ledger.read(lambda t: t.verdicts.of_mail(1, 3)) == []


async def test_a_judgement_outlives_the_words_that_it_rests_on(ledger: SqlLedger, database: Path) -> None:
    made = await ledger.write(record)
    assert made is not None
    with hand(database) as connection:
        connection.execute("DELETE FROM verdict_reasons")
    found = await ledger.read(lambda t: t.verdicts.get(made.id))
    assert found is not None
    assert (found.verdict.what, found.verdict.reason, found.findings) == ("loop", "", ())


async def test_judgements_are_found_by_time_and_by_what_they_tell(ledger: SqlLedger) -> None:
    def work(t: Tables) -> None:
        for number, what in enumerate(("log", "hold", "ignore", "notify", "loop")):
            a_judged(t, what, now=NOW + timedelta(hours=number))

    await ledger.write(work)
    since = await ledger.read(lambda t: t.verdicts.since(1, NOW + timedelta(hours=1)))
    assert [one.verdict.what for one in since] == ["hold", "ignore", "notify", "loop"]
    standing = await ledger.read(lambda t: t.verdicts.standing(1, NOW, limit=2))
    assert [one.verdict.what for one in standing] == ["loop", "notify"]
