"""A ledger that is out of reach when a test says so: a full disk, a database that another program holds."""

from collections.abc import Callable
from typing import Any, TypeVar

from memory.errors import OutOfReach
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger

T = TypeVar("T")


class StumblingLedger:
    """The real ledger, whose next `fails` writes write nothing. `on_failure` hears of each."""

    def __init__(self, ledger: SqlLedger) -> None:
        self._ledger = ledger
        self.fails = 0
        self.on_failure: Callable[[], None] = lambda: None

    async def write(self, work: Callable[[Tables], T]) -> T:
        """As the port has it."""
        if self.fails:
            self.fails -= 1
            self.on_failure()
            raise OutOfReach("the disk is full: nothing was written")
        return await self._ledger.write(work)

    async def read(self, work: Callable[[Tables], T]) -> T:
        """As the port has it: reads go on."""
        return await self._ledger.read(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)
