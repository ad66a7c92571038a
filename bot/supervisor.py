"""The supervisor: it holds the parts that run until the end. One that dies takes the process with it, loudly."""

import asyncio
from collections.abc import Coroutine

import structlog

log = structlog.get_logger()


class Supervisor:
    """Keeps tasks alive (one that nobody holds may vanish unnoticed). Made within a running loop.

    `failed` ends with the error of the first part that died.
    """

    def __init__(self) -> None:
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Begin a part that runs until the end."""
        task: asyncio.Task[None] = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self.failed.done():
            log.critical("a part died", action="daemon.part_died", part=task.get_name(), exc_info=error)
            self.failed.set_exception(error)

    async def end(self) -> None:
        """End what still runs."""
        for task in (left := list(self._tasks)):
            task.cancel()
        # How each ended was told when it did.
        await asyncio.gather(*left, return_exceptions=True)
