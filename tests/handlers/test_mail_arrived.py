"""A mail has arrived: whatever happens on the way, it is kept once, judged once, and nothing excluded is left of it."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from handlers.mail import READ_AGAIN_FOR, MailArrived
from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions, read_exclusions
from memory.job import Job, Later
from memory.ledger import Tables
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand, rows
from tests.doubles.letters import NOW, a_letter
from tests.tools.test_judge import Posted
from tools.judge import Judge

BY_HAND = {"from": "Anna Winter <anna@winter.example>", "subject": "The contract", "snippet": "Could you send it?"}


class Desk:
    """The handler over a real ledger; `listed` is the list in force, None one that can't be read."""

    def __init__(self, ledger: SqlLedger, database: Path, listed: list[Exclusions | None]) -> None:
        self.ledger = ledger
        self.database = database
        self.listed = listed
        self.clock = FakeClock(NOW)
        self.judge = Judge(ledger, Posted(), self.clock, model=None)

    async def job(self, payload: dict[str, Any]) -> Job:
        def publish(t: Tables) -> Job:
            signal = NewSignal(source="hand", kind="mail", source_id="1", owner_id=1, payload=payload)
            signal_id = t.signals.publish(signal, now=NOW)
            assert signal_id is not None
            return Job(
                id=1,
                owner_id=1,
                kind="mail",
                lane="background",
                thread="owner:1",
                attempt=1,
                created_at=NOW,
                signal=t.signals.get(signal_id),
            )

        return await self.ledger.write(publish)

    async def handle(self, job: Job, judge: Any = None) -> None:
        await MailArrived(self.ledger, judge or self.judge, self.clock)(job)


@pytest.fixture
async def desk(database: Path) -> AsyncIterator[Desk]:
    listed: list[Exclusions | None] = [NOTHING]

    def in_force() -> Exclusions:
        if listed[0] is None:
            raise UnreadableExclusions("line 1 of the exclusions is no rule")
        return listed[0]

    async with SqlLedger(database, in_force) as ledger:
        yield Desk(ledger, database, listed)


class Dying:
    """A judge whose process dies at work."""

    async def mail(self, *_: Any, **__: Any) -> None:
        raise RuntimeError


async def test_a_mail_that_was_kept_when_the_process_died_is_judged_when_it_is_back(desk: Desk) -> None:
    job = await desk.job(BY_HAND)
    with pytest.raises(RuntimeError):
        await desk.handle(job, Dying())
    assert rows(desk.database, "SELECT count(*) FROM mails") == [(1,)]
    for _ in range(2):
        await desk.handle(job)
    assert rows(desk.database, "SELECT count(*) FROM mails") == [(1,)]
    assert rows(desk.database, "SELECT what FROM verdicts") == [("hold",)]
    assert rows(desk.database, "SELECT decided FROM decisions WHERE subject = 'signal:1'") == [("hold",)]


@pytest.mark.parametrize("payload", [BY_HAND, {"mail": 1}], ids=["by hand", "by a source"])
async def test_while_the_list_cant_be_read_it_waits_and_counts_as_no_failure(
    desk: Desk, payload: dict[str, Any]
) -> None:
    await desk.ledger.write(lambda t: t.mails.keep(1, a_letter("Could you come?").mail, now=NOW))
    job = await desk.job(payload)
    desk.listed[0] = None
    with pytest.raises(Later) as later:
        await desk.handle(job)
    assert later.value.at == NOW + READ_AGAIN_FOR
    assert rows(desk.database, "SELECT count(*) FROM verdicts") == [(0,)]
    desk.listed[0] = NOTHING
    await desk.handle(job)
    assert rows(desk.database, "SELECT count(*) FROM verdicts") == [(1,)]


def everything(database: Path) -> str:
    with hand(database) as connection:
        return "\n".join(connection.iterdump())


async def test_of_a_mail_by_hand_that_is_excluded_not_even_the_signal_keeps_a_word(desk: Desk) -> None:
    desk.listed[0] = read_exclusions("domain winter.example")
    job = await desk.job(BY_HAND)
    await desk.handle(job)
    kept = everything(desk.database)
    assert "winter" not in kept.lower()
    assert "contract" not in kept
    assert rows(desk.database, "SELECT decided FROM decisions") == [("nothing to do",)]


async def test_a_list_made_longer_empties_the_signal_that_brought_it_too(desk: Desk) -> None:
    await desk.handle(await desk.job(BY_HAND))
    assert "contract" in everything(desk.database)
    desk.listed[0] = read_exclusions("person Anna Winter")
    assert await desk.ledger.write(lambda t: t.mails.erase_covered(1, now=NOW)) == 1
    kept = everything(desk.database)
    assert "winter" not in kept.lower()
    assert "contract" not in kept


async def test_what_a_source_has_kept_is_taken_by_its_number(desk: Desk) -> None:
    await desk.ledger.write(lambda t: t.mails.keep(1, a_letter("Could you come?").mail, now=NOW))
    await desk.handle(await desk.job({"mail": 1, **BY_HAND}))
    assert rows(desk.database, "SELECT subject FROM mails") == [("Hello",)]
    assert json.loads(rows(desk.database, "SELECT payload FROM signals")[0][0])["mail"] == 1
