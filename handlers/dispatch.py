"""Dispatch: an approved envelope is taken out, or what became of it is looked up, for as long as it takes."""

from memory.job import Job, Later
from tools.exit.leaving import Exit


class Dispatch:
    """Handles jobs of the kind *dispatch*."""

    def __init__(self, way_out: Exit) -> None:
        self._exit = way_out

    async def __call__(self, job: Job) -> None:
        """Take it further. Raises Later until it is settled or waits for the owner."""
        again_at = await self._exit.go(int(job.payload["approval"]))
        if again_at is not None:
            raise Later(again_at)
