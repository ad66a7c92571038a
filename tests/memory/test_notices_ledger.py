"""Notices in the ledger: held until their time, told once."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory.ledger import Tables
from memory.notice import Notice
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.hand import rows
from tests.doubles.spoken import publish

MORNING = NOW + timedelta(hours=20)


def hold(tables: Tables, summary: str = "rent", at: datetime = MORNING, **given: Any) -> Notice | None:
    usual: dict[str, Any] = {"owner_id": 1, "source": "mail", "urgency": "hold", "because": "b", "now": NOW}
    return tables.notices.hold(summary=summary, deliver_after_at=at, **(usual | given))


def summaries(notices: list[Notice]) -> list[str]:
    return [notice.summary for notice in notices]


async def test_a_notice_is_held_until_its_time_and_not_a_moment_longer(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: [hold(t, "morning"), hold(t, "now", NOW)])
    assert summaries(await ledger.read(lambda t: t.notices.due(1, NOW))) == ["now"]
    assert summaries(await ledger.read(lambda t: t.notices.held(1, NOW))) == ["morning"]
    before = MORNING - timedelta(milliseconds=1)
    assert summaries(await ledger.read(lambda t: t.notices.due(1, before))) == ["now"]
    assert summaries(await ledger.read(lambda t: t.notices.due(1, MORNING))) == ["morning", "now"]
    assert await ledger.read(lambda t: t.notices.held(1, MORNING)) == []


async def test_a_notice_comes_back_whole(ledger: SqlLedger) -> None:
    notice = await ledger.write(lambda t: hold(t, urgency="soon", because="said so"))
    assert notice is not None
    assert (notice.urgency, notice.because, notice.noticed_at, notice.deliver_after_at, notice.told_in) == (
        "soon",
        "said so",
        NOW,
        MORNING,
        None,
    )


async def test_a_signal_has_one_notice(ledger: SqlLedger) -> None:
    signal_id = await ledger.write(publish)
    assert await ledger.write(lambda t: hold(t, signal_id=signal_id)) is not None
    assert await ledger.write(lambda t: hold(t, signal_id=signal_id)) is None
    assert await ledger.write(lambda t: (hold(t), hold(t))) != (None, None)
    assert len(await ledger.read(lambda t: t.notices.held(1, NOW))) == 3


async def test_what_was_told_is_never_told_in_another_piece(ledger: SqlLedger, database: Path) -> None:
    def life(t: Tables) -> list[Notice]:
        ids = [notice.id for notice in (hold(t, "a", NOW), hold(t, "b", NOW), hold(t, "c", NOW)) if notice]
        t.notices.told(ids[:2], key="brief:1", now=NOW)
        t.notices.told(ids[1:], key="brief:2", now=NOW)
        t.notices.told((), key="brief:3", now=NOW)
        return t.notices.due(1, NOW)

    assert await ledger.write(life) == []
    assert rows(database, "SELECT summary, told_in FROM notices ORDER BY id") == [
        ("a", "brief:1"),
        ("b", "brief:1"),
        ("c", "brief:2"),
    ]
