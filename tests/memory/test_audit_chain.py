"""The audit's chain: no row can be changed, removed, put in or moved without it showing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.audit_chain import GENESIS, Broken, Link, link, verify

ROWS = st.lists(
    st.dictionaries(st.sampled_from(["id", "tool", "because"]), st.integers() | st.text(st.characters(exclude_categories=["Cs"]))),
    min_size=1,
    max_size=6,
)  # fmt: skip


def chained(rows: list[Any]) -> list[Link]:
    links: list[Link] = []
    for row in rows:
        links.append(link(links[-1].hash if links else GENESIS, row))
    return links


@given(ROWS)
def test_what_was_written_verifies(rows: list[Any]) -> None:
    links = chained(rows)
    assert verify(links) is None
    assert verify(links, head=links[-1].hash) is None
    assert verify(links[1:], start=links[0].hash) is None


def test_nothing_at_all_verifies() -> None:
    assert verify([]) is None
    assert verify([], head=GENESIS) is None


ABC = chained([{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}])


@pytest.mark.parametrize(
    ("links", "place"),
    [
        ([*ABC[:1], *ABC[2:]], 1),
        (ABC[1:], 0),
        ([ABC[0], ABC[2], ABC[1], ABC[3]], 1),
        ([*ABC[:2], ABC[1], *ABC[2:]], 2),
        ([*ABC[:2], replace(ABC[2], row={"id": 30}), ABC[3]], 2),
        ([*ABC[:2], replace(ABC[2], hash="0" * 64), ABC[3]], 2),
        ([*ABC[:2], link(ABC[1].hash, {"id": 30}), ABC[3]], 3),
    ],
    ids=["removed", "the first removed", "moved", "twice", "changed", "another hash", "changed and hashed anew"],
)
def test_the_first_broken_place_is_told(links: list[Link], place: int) -> None:
    broken = verify(links)
    assert broken is not None
    assert broken.place == place


def test_a_cut_end_shows_against_a_head_that_is_known() -> None:
    assert verify(ABC[:3]) is None
    assert verify(ABC[:3], head=ABC[3].hash) == Broken(3, "the end of the chain is missing")
    assert verify(ABC, head=ABC[1].hash) is None


@given(ROWS, st.data())
def test_any_change_of_any_row_shows(rows: list[Any], data: st.DataObject) -> None:
    links = chained(rows)
    place = data.draw(st.integers(0, len(rows) - 1))
    changed = {**rows[place], "id": data.draw(st.integers().filter(lambda new: rows[place].get("id") != new))}
    links[place] = Link(changed, links[place].hash)
    assert verify(links) == Broken(place, "a row was changed, removed, put in or moved before this place")


def test_what_has_no_one_spelling_is_no_row() -> None:
    with pytest.raises(ValueError, match="digest"):
        link(GENESIS, {"cost": 0.5})  # type: ignore[dict-item]
