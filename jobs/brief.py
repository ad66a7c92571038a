"""The duty *brief*: at half past seven in the owner's zone, silently, what landed and what the day holds."""

from datetime import datetime

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger
from tools.brief import write_brief
from tools.chat import Post


class BriefDuty:
    """Handles the kind *brief*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Write the brief of the day that the signal names, once."""
        signal = job.asked_by()
        now = self._clock.now()
        planned = signal.payload.get("planned_at")
        planned_at = datetime.fromisoformat(planned) if planned else now
        key = f"brief:{signal.source_id.removeprefix('brief:')}"
        pieces = await self._ledger.write(
            lambda t: write_brief(
                t, t.owners.get(job.owner_id), now, planned_at=planned_at, key=key, channel=self._post.home()
            )
        )
        self._post.post(*pieces)
