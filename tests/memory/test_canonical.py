"""One spelling for every value: equal values are equal bytes, different ones are not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.canonical import canonical, digest

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
plain: Any = st.recursive(
    text | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


def strictly(value: Any) -> Any:
    """The value with its types, since True and 1 are equal in Python."""
    if isinstance(value, dict):
        return {"dict": {key: strictly(inner) for key, inner in value.items()}}
    if isinstance(value, list | tuple):
        return [strictly(inner) for inner in value]
    return (type(value).__name__, value)


@given(plain)
def test_the_spelling_says_the_whole_value(value: Any) -> None:
    assert strictly(json.loads(canonical(value))) == strictly(value)


@given(st.dictionaries(text, plain, max_size=6), st.randoms())
def test_the_order_of_keys_is_no_part_of_the_value(value: dict[str, Any], random: Any) -> None:
    items = list(value.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(value)


@given(plain, plain)
def test_two_values_share_a_digest_only_if_they_are_one(one: Any, other: Any) -> None:
    assert (digest(one) == digest(other)) == (strictly(one) == strictly(other))


@given(plain)
def test_there_is_no_space_to_differ_in(value: Any) -> None:
    spelled = canonical({"k": value}).decode()
    assert json.loads(spelled) == {"k": value}
    assert spelled == json.dumps({"k": value}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_a_tuple_is_a_list() -> None:
    assert canonical((1, ("a",))) == canonical([1, ["a"]]) == b'[1,["a"]]'


def test_letters_stand_as_themselves() -> None:
    assert canonical({"ß": "\U0001f514\u200b"}) == '{"ß":"\U0001f514\u200b"}'.encode()


@pytest.mark.parametrize(
    "value",
    [1.0, float("nan"), [1, [2.5]], {"a": {"b": 0.1}}, "\ud800", {"\ud800": 1}, ("x", 1e9)],
    ids=["float", "nan", "in a list", "in a mapping", "half a character", "half a character as key", "in a tuple"],
)
def test_what_has_no_one_spelling_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"digest|surrogates"):
        canonical(value)


def test_the_digest_is_pinned_so_that_stored_ones_stay_valid() -> None:
    assert digest({"b": [1, True, None], "a": "ü"}) == (
        "11ade5cf6a232567d9d8a70ae0d9e61aff06f1d4e857b2c7dd1a1bcaff3fc3d3"
    )
