"""Money: reserved before it is spent, and put right afterwards."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ledger import Tables
from memory.spending import INSTINCT_SHARE, Granted, Label, OverCap, reserve
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.counted import calls

money = st.floats(min_value=0, max_value=1000, allow_nan=False)
labels: Any = st.sampled_from(["instinct", "thinker", "triage", "extract", "diagnose", "draft"])


@given(label=labels, worst=money, spent=money, cap=money)
def test_a_granted_call_never_passes_the_cap(label: Label, worst: float, spent: float, cap: float) -> None:
    verdict = reserve(label=label, worst_usd=worst, spent_usd=spent, cap_usd=cap)
    if isinstance(verdict, Granted) and worst:
        assert spent + worst <= cap + 1e-9
        assert verdict.reserved_usd == worst


@given(label=labels, spent=money, cap=money)
def test_a_free_call_is_always_made(label: Label, spent: float, cap: float) -> None:
    assert reserve(label=label, worst_usd=0, spent_usd=spent, cap_usd=cap) == Granted(0)


@pytest.mark.parametrize(
    ("label", "spent", "is_granted"),
    [
        pytest.param("thinker", 0.0, True, id="a fresh day"),
        pytest.param("thinker", 9.4, True, id="up to instinct's share"),
        pytest.param("thinker", 9.41, False, id="into instinct's share"),
        pytest.param("instinct", 9.41, True, id="instinct uses its share"),
        pytest.param("instinct", 9.9, True, id="instinct up to the cap"),
        pytest.param("instinct", 9.91, False, id="instinct past the cap"),
        pytest.param("instinct", 50.0, False, id="the cap was lowered"),
    ],
)
def test_only_instinct_may_use_the_last_of_the_day(label: Label, spent: float, is_granted: bool) -> None:
    assert INSTINCT_SHARE == 0.05
    verdict = reserve(label=label, worst_usd=0.1, spent_usd=spent, cap_usd=10.0)
    assert isinstance(verdict, Granted) == is_granted


def test_a_refusal_names_the_figures() -> None:
    verdict = reserve(label="thinker", worst_usd=0.25, spent_usd=4.9, cap_usd=5.0)
    assert verdict == OverCap("thinker could cost 0.2500 USD; 4.9000 of 5.00 USD are spent or reserved today")


def test_sums_that_are_only_rounded_do_not_refuse() -> None:
    assert isinstance(reserve(label="instinct", worst_usd=0.1, spent_usd=0.1 + 0.1 + 0.1 + 0.6, cap_usd=1.0), Granted)


# --- in the ledger ---


def call(tables: Tables, cost_usd: float = 0.5, label: Label = "thinker", model: str = "m", **given: Any) -> int:
    usual = {"owner_id": 1, "now": NOW}
    return tables.spendings.reserve(label=label, model=model, cost_usd=cost_usd, **(usual | given))


async def spent(ledger: SqlLedger) -> float:
    return await ledger.read(lambda t: t.spendings.spent_usd(1, NOW))


async def test_a_reservation_counts_as_spent_until_the_real_figures_are_known(ledger: SqlLedger) -> None:
    usage_id = await ledger.write(call)
    assert await spent(ledger) == 0.5
    await ledger.write(lambda t: t.spendings.settle(usage_id, cost_usd=0.02, input_tokens=100, output_tokens=7))
    assert await spent(ledger) == 0.02
    (usage,) = await ledger.read(calls)
    assert (usage.state, usage.input_tokens, usage.output_tokens, usage.error) == ("settled", 100, 7, None)


async def test_a_call_without_figures_stays_on_record_at_what_it_may_have_cost(ledger: SqlLedger) -> None:
    cut, free = await ledger.write(lambda t: (call(t), call(t)))
    await ledger.write(lambda t: t.spendings.unsettle(cut, cost_usd=0.5, error="cut"))
    await ledger.write(lambda t: t.spendings.unsettle(free, cost_usd=0.0, error="refused"))
    assert await spent(ledger) == 0.5
    assert [(usage.state, usage.error) for usage in await ledger.read(calls)] == [
        ("unknown", "refused"),
        ("unknown", "cut"),
    ]


async def test_a_death_makes_what_was_under_way_unknown_and_keeps_the_money(ledger: SqlLedger) -> None:
    settled, _ = await ledger.write(lambda t: (call(t, 0.25), call(t, 0.5)))
    await ledger.write(lambda t: t.spendings.settle(settled, cost_usd=0.25, input_tokens=1, output_tokens=1))
    assert await ledger.write(lambda t: t.spendings.abandon()) == 1
    assert await ledger.write(lambda t: t.spendings.abandon()) == 0
    assert await spent(ledger) == 0.75
    assert [usage.state for usage in await ledger.read(calls)] == ["unknown", "settled"]


async def test_only_what_was_spent_since_counts(ledger: SqlLedger) -> None:
    hour = timedelta(hours=1)
    await ledger.write(lambda t: [call(t, 1.0, now=NOW - hour), call(t, 2.0), call(t, 4.0, now=NOW + hour)])
    assert await spent(ledger) == 6.0
    assert await ledger.read(lambda t: t.spendings.spent_usd(1, NOW + 2 * hour)) == 0.0


async def test_the_dearest_label_comes_first(ledger: SqlLedger) -> None:
    def several(t: Tables) -> None:
        for label, cost in (("instinct", 0.01), ("thinker", 0.5), ("instinct", 0.02)):
            usage_id = call(t, label=label)  # type: ignore[arg-type]
            t.spendings.settle(usage_id, cost_usd=cost, input_tokens=10, output_tokens=1)

    await ledger.write(several)
    rows = await ledger.read(lambda t: t.spendings.by_label(1, NOW))
    assert [row[:5] for row in rows] == [("thinker", "m", 1, 10, 1), ("instinct", "m", 2, 20, 2)]
    assert [row[5] for row in rows] == pytest.approx([0.5, 0.03])
