"""`stillbell audit` and /audit: what left under which tap, what was refused and why, and a record that shows tampering."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memory import dispatch as moves
from memory.approval import NewApproval
from memory.dispatch import Dispatch
from memory.envelope import Envelope
from memory.ledger import Tables
from memory.refusal import Refusal
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from memory.sql.opening import open_database
from tests.bot import command_room
from tests.bot.command_room import Run
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.enveloped import MAIL
from tests.doubles.hand import hand
from tests.product_room import open_product

home, run = command_room.home, command_room.run

YESTERDAY = NOW - timedelta(days=1)
TAPPED_AT = NOW + timedelta(minutes=3)


def a_call(
    t: Tables, *, agent: str = "thinker", tool: str = "search", outcome: str = "done", at: datetime = NOW
) -> int:
    return t.audit.record(
        owner_id=1, agent=agent, tool=tool, permission="ALLOW", outcome=outcome, because="allowed",  # type: ignore[arg-type]
        arguments_digest="0" * 64, now=at,
    )  # fmt: skip


def asked(t: Tables, envelope: Envelope = MAIL, *, state: str = "spent") -> int:
    """A question that was put, and tapped unless it was discarded; its id."""
    draft = t.drafts.keep(1, envelope, because="you asked for it", now=NOW)
    new = NewApproval(
        owner_id=1, draft_id=draft.id, digest=envelope.digest, matter=envelope.matter, because="you asked for it"
    )
    approval = t.approvals.ask(new, now=NOW, expires_for=timedelta(hours=48))
    tap = t.signals.publish(
        NewSignal(source="telegram", kind="tap", source_id=f"t{approval.id}", payload={}), now=TAPPED_AT
    )
    assert t.approvals.store(replace(approval, state=state, tapped_by=tap), before=approval)  # type: ignore[arg-type]
    t.audit.record(
        owner_id=1, agent="exit", tool="send.mail", permission="ASK", outcome="asked", because="you asked for it",
        arguments_digest=envelope.digest, now=NOW, subject=f"approval:{approval.id}",
    )  # fmt: skip
    return approval.id


def left(t: Tables, envelope: Envelope = MAIL) -> int:
    """A mail that left, by the steps that the exit takes; its approval."""
    approval = t.approvals.get(asked(t, envelope))
    assert approval is not None
    taken = t.dispatches.take(approval, "smtp", now=NOW + timedelta(minutes=4))
    handed = moves.hand_over(taken, NOW + timedelta(minutes=4, seconds=1))
    assert isinstance(handed, Dispatch)
    assert t.dispatches.store(handed, before=taken)
    sent = moves.sent(handed, NOW + timedelta(minutes=4, seconds=2), witness="<1@own.example>")
    assert not isinstance(sent, Refusal)
    assert t.dispatches.store(sent, before=handed)
    return approval.id


@pytest.fixture
def on_record(home: Path) -> None:
    """A mail that left, one that its owner discarded, one that was refused, calls of tools and of a model, two days."""
    home.mkdir(mode=0o700)
    open_database(home / "stillbell.db", host="here", zone="Europe/Berlin", language="en", now=YESTERDAY)

    def work(t: Tables) -> None:
        a_call(t, at=YESTERDAY)
        left(t)
        other = replace(MAIL, to=MAIL.cc, cc=(), bcc=(), message_id="2@own.example", subject="Another")
        asked(t, other, state="rejected")
        t.audit.record(
            owner_id=1, agent="exit", tool="send.mail", permission="ASK", outcome="refused",
            because="an address of no record", arguments_digest="f" * 64, now=NOW,
        )  # fmt: skip
        call_id = t.spendings.reserve(owner_id=1, label="instinct", model="a-model", cost_usd=1, now=NOW)
        t.spendings.settle(call_id, cost_usd=0.002, input_tokens=1200, output_tokens=30)

    write(home, work)


def write(home: Path, work: Callable[[Tables], object]) -> None:
    async def writing() -> None:
        async with SqlLedger(home / "stillbell.db") as ledger:
            await ledger.write(work)

    asyncio.run(writing())


def lines(out: str) -> list[str]:
    """Without the time, and with single spaces."""
    return [" ".join(line.split()[2:]) for line in out.splitlines()]


@pytest.mark.usefixtures("on_record")
def test_what_left_stands_with_its_people_its_approval_and_the_moment_of_the_tap(run: Run) -> None:
    code, out, err = run("audit", "--tool", "smtp")
    assert code == 0, err
    (line,) = out.splitlines()
    assert line.startswith("2026-03-02 10:04:02")
    assert "sent" in line
    assert "to anna@muster.example, bob@firm.example, cy@muster.example" in line
    assert "approval 1" in line
    assert "tapped 2026-03-02 10:03:00" in line
    assert f"digest {MAIL.digest[:12]}" in line


@pytest.mark.usefixtures("on_record")
def test_what_did_not_happen_stands_with_its_reason(run: Run) -> None:
    _, out, _ = run("audit", "--refused")
    assert lines(out) == [
        "exit send.mail refused (an address of no record)",
        "exit send.mail asked to bob@firm.example (you asked for it) approval 2: rejected tapped 2026-03-02 10:03:00",
    ]


@pytest.mark.usefixtures("on_record")
def test_calls_of_models_stand_with_what_they_cost(run: Run) -> None:
    _, out, _ = run("audit", "--agent", "instinct")
    assert lines(out) == ["instinct a-model settled 1,200 tokens in, 30 out, 0.0020 USD"]


@pytest.mark.usefixtures("on_record")
@pytest.mark.parametrize(
    ("words", "count"),
    [
        pytest.param((), 6, id="everything"),
        pytest.param(("--agent", "exit"), 4, id="an agent"),
        pytest.param(("--tool", "send"), 3, id="a tool by the beginning of its name"),
        pytest.param(("--tool", "send.mail"), 3, id="a tool"),
        pytest.param(("--person", "ANNA@muster.example"), 2, id="a person"),
        pytest.param(("--person", "bob@firm.example"), 3, id="a person in copy"),
        pytest.param(("--person", "nobody@muster.example"), 0, id="nobody"),
        pytest.param(("--day", "2026-03-01"), 1, id="a day"),
        pytest.param(("--day", "2026-03-02", "--agent", "thinker"), 0, id="both at once"),
        pytest.param(("--limit", "2"), 2, id="so many"),
    ],
)
def test_filters_narrow_it(run: Run, words: tuple[str, ...], count: int) -> None:
    code, out, err = run("audit", *words)
    assert code == 0, err
    assert len(out.splitlines()) == count


@pytest.mark.usefixtures("on_record")
def test_as_json_lines_every_step_is_there_newest_first(run: Run) -> None:
    code, out, _ = run("audit", "--json")
    assert code == 0
    found = [json.loads(line) for line in out.splitlines()]
    assert [one["outcome"] for one in found if one["kind"] == "leaving"] == ["sent", "handed", "taken"]
    assert len(found) == 8
    assert sorted((one["at"] for one in found), reverse=True) == [one["at"] for one in found]
    sent = found[0]
    assert sent["to"] == ["anna@muster.example", "bob@firm.example", "cy@muster.example"]
    assert sent["tapped_at"] == TAPPED_AT.isoformat()
    assert len(run("audit", "--json", "--limit", "3")[1].splitlines()) == 3


@pytest.mark.usefixtures("on_record")
def test_what_was_erased_is_told_without_its_people(run: Run, home: Path) -> None:
    write(home, lambda t: t.drafts.erase(1))
    _, out, _ = run("audit", "--tool", "smtp")
    assert "draft was erased" in out
    assert "anna" not in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("--day", "someday"), "no day", id="no day"),
        pytest.param(("--person", "anna"), "address", id="no address"),
    ],
)
@pytest.mark.usefixtures("on_record")
def test_a_filter_that_is_none_says_what_one_looks_like(run: Run, words: tuple[str, ...], told: str) -> None:
    code, _, err = run("audit", *words)
    assert code == 2
    assert told in err


def test_before_there_is_anything_it_says_so(run: Run) -> None:
    assert run("audit")[0] == run("audit", "--verify")[0] == 1


@pytest.mark.usefixtures("on_record")
def test_a_whole_record_is_counted_with_its_head(run: Run, home: Path) -> None:
    code, out, _ = run("audit", "--verify")
    assert code == 0
    assert "The chain is whole: 7 rows" in out
    with hand(home / "stillbell.db") as connection:
        head = connection.execute("SELECT hash FROM chain ORDER BY id DESC LIMIT 1").fetchone()[0]
    assert f"head {head}" in out


@pytest.mark.usefixtures("on_record")
@pytest.mark.parametrize(
    "tampering",
    [
        pytest.param("UPDATE audit SET outcome = 'done' WHERE outcome = 'refused'", id="a row was changed"),
        pytest.param("DELETE FROM dispatch_steps WHERE state = 'sent'", id="a row was removed"),
        pytest.param("DELETE FROM chain WHERE id = 2", id="a link was removed"),
        pytest.param(
            "INSERT INTO audit (owner_id, agent, tool, permission, outcome, because, arguments_digest, at) SELECT "
            "owner_id, agent, tool, permission, outcome, because, arguments_digest, at FROM audit LIMIT 1",
            id="a row was put in",
        ),
    ],
)
def test_a_record_that_was_tampered_with_is_named_and_fails(run: Run, home: Path, tampering: str) -> None:
    with hand(home / "stillbell.db") as connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%append-only%'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute(tampering)
    code, out, _ = run("audit", "--verify")
    assert code == 1
    assert "broken" in out
    assert "chain     bad" in run("doctor")[1]


async def test_in_the_chat_it_tells_what_left_and_what_did_not(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock) as product:
        assert await product.says("/audit") == ["Nothing of that kind is on record."]
        await product.house.ledger.write(lambda t: (left(t), a_call(t)))
        await product.settled()
        (told,) = await product.says("/audit")
        assert "sent" in told
        assert "anna@muster.example" in told
        assert "approval 1" in told
        assert "you tapped at 10:03" in told
        assert "search" not in told
        (told,) = await product.says("/audit search")
        assert "search, done" in told
        (told,) = await product.says("/audit thinker today")
        assert "search, done" in told
        assert await product.says("/audit nobody@muster.example") == ["Nothing of that kind is on record."]


async def test_in_german_it_is_told_in_german(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, language="de") as product:
        await product.house.ledger.write(left)
        await product.settled()
        (told,) = await product.says("/audit")
        assert "gesendet" in told
