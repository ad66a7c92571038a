from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.doubles.clock import FakeClock
from tests.product_room import Product, open_product


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as product:
        yield product


async def test_a_task_is_kept_listed_and_done_with_one_tap(stillbell: Product) -> None:
    assert await stillbell.says("todo: call Anna") == ["Kept open: call Anna"]
    assert await stillbell.says("/loops") == ["Open\n1. call Anna"]
    print(stillbell.labels())
    assert await stillbell.taps("✓ 1") == "Nothing is open."
    assert stillbell.loops == {"call Anna": "done"}
