"""A copy in Sent of what has left, where the server files none."""

from memory.job import Job, Later
from tools.exit.copying import Copying


class SentCopy:
    """Handles the kind *sent_copy*."""

    def __init__(self, copying: Copying) -> None:
        self._copying = copying

    async def __call__(self, job: Job) -> None:
        """See to it. Raises Later until it is settled."""
        again_at = await self._copying.go(int(job.asked_by().payload["dispatch"]))
        if again_at is not None:
            raise Later(again_at)
