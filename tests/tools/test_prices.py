"""Prices: the table, the tiers, and the worst case."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from memory.errors import BadInput
from tools.model import Ask, Said, ToolResult, ToolSpec
from tools.policy import load_policy
from tools.prices import (
    MESSAGE_TOKENS,
    REQUEST_TOKENS,
    SCHEMA_TOKENS,
    TOOLS_TOKENS,
    Price,
    Tokens,
    cost_usd,
    load_prices,
    most_input_tokens,
    worst_usd,
)

HAIKU = load_prices().models["claude-haiku-5-5"]
SONNET = load_prices().models["claude-sonnet-5-5"]
FREE = Price(input_usd=0, output_usd=0)


def test_the_table_says_when_and_where_it_was_read() -> None:
    table = load_prices()
    assert table.as_of.year == 2026
    assert table.source


def test_every_model_of_the_policy_has_a_price() -> None:
    assert {pin.model for pin in load_policy().pins.values()} <= set(load_prices().models)


@pytest.mark.parametrize(
    ("price", "tokens", "usd"),
    [
        pytest.param(HAIKU, Tokens(input=1_000_000 // 20), 0.005, id="input"),
        pytest.param(HAIKU, Tokens(output=1_000_000), 0.50, id="output"),
        pytest.param(HAIKU, Tokens(input=100_000, output=1_000), 0.01 + 0.0005, id="at the edge of the tier"),
        pytest.param(HAIKU, Tokens(input=100_001, output=1_000), 0.0500005 + 0.0025, id="above it all is dear"),
        pytest.param(HAIKU, Tokens(input=1, cache_read=100_000), 0.0000005 + 0.005, id="the cache counts for the tier"),
        pytest.param(SONNET, Tokens(cache_write=1_000_000), 2.50, id="cache write"),
        pytest.param(SONNET, Tokens(cache_read=1_000_000), 0.10, id="cache read"),
        pytest.param(
            Price(input_usd=8, output_usd=40),
            Tokens(cache_write=500_000, cache_read=500_000),
            5 + 4,
            id="no cache rates",
        ),
        pytest.param(FREE, Tokens(input=10**9, output=10**9), 0, id="free"),
    ],
)
def test_what_a_call_costs(price: Price, tokens: Tokens, usd: float) -> None:
    assert math.isclose(cost_usd(price, tokens), usd, abs_tol=1e-12)


def test_a_longer_prompt_than_the_tier_is_reserved_at_the_dear_rate() -> None:
    below = worst_usd(HAIKU, input_tokens=100_000, max_tokens=0)
    above = worst_usd(HAIKU, input_tokens=100_001, max_tokens=0)
    assert above > 4.9 * below


@given(
    st.integers(0, 200_000),
    st.integers(0, 200_000),
    st.integers(0, 200_000),
    st.integers(0, 8_000),
    st.sampled_from([HAIKU, SONNET, FREE, Price(input_usd=8, output_usd=40)]),
)
@example(0, 50_000, 0, 8_000, HAIKU)
@example(0, 200_000, 0, 8_000, Price(input_usd=8, output_usd=40))
def test_no_way_of_using_the_tokens_costs_more_than_the_worst_case(
    plain: int, written: int, read: int, output: int, price: Price
) -> None:
    worst = worst_usd(price, input_tokens=plain + written + read, max_tokens=8_000, cached=True)
    assert cost_usd(price, Tokens(input=plain, output=output, cache_write=written, cache_read=read)) <= worst + 1e-12


def test_a_negative_or_endless_price_is_no_price() -> None:
    for rate in (-1.0, math.inf, math.nan):
        with pytest.raises(ValidationError):
            Price(input_usd=rate, output_usd=1)


def test_a_model_without_a_price_is_refused() -> None:
    with pytest.raises(BadInput, match=r"no price is known for the model 'claude-next'"):
        load_prices().price_of("claude-next", given={})


@given(st.text(max_size=400))
def test_a_prompt_never_has_more_tokens_than_the_bound_however_it_is_written(text: str) -> None:
    ask = Ask(label="instinct", system="", messages=[Said("owner", text)])
    assert most_input_tokens(ask) > len(text.encode("utf-8", "surrogatepass"))


def test_everything_that_is_sent_counts_for_the_bound() -> None:
    bare = Ask(label="thinker", system="", messages=[Said("owner", "hello")])
    long = "x" * 5_000
    asks = [
        Ask(label="thinker", system=long, messages=bare.messages),
        Ask(label="thinker", system="", messages=[Said("owner", results=(ToolResult("id", long),))]),
        Ask(label="thinker", system="", messages=[Said("model", raw=({"type": "thinking", "signature": long},))]),
        Ask(label="thinker", system="", messages=bare.messages, tools=[ToolSpec("find", long, {"type": "object"})]),
        Ask(label="thinker", system="", messages=bare.messages, schema={"type": "object", "description": long}),
    ]
    assert all(most_input_tokens(ask) > most_input_tokens(bare) + 4_900 for ask in asks)


def test_what_the_provider_adds_by_itself_counts_for_the_bound() -> None:
    one = Ask(label="thinker", system="", messages=[Said("owner", "")])
    many = Ask(label="thinker", system="", messages=[Said("owner", "")] * 11)
    assert most_input_tokens(one) > REQUEST_TOKENS + MESSAGE_TOKENS
    assert most_input_tokens(many) > most_input_tokens(one) + 10 * MESSAGE_TOKENS
    tools = Ask(label="thinker", system="", messages=one.messages, tools=[ToolSpec("f", "", {})], schema={"a": 1})
    assert most_input_tokens(tools) > most_input_tokens(one) + TOOLS_TOKENS + SCHEMA_TOKENS
