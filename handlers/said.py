"""Said: messages that the owner wrote in a chat have come in, and are read for what they promise and keep."""

from datetime import timedelta

from handlers.other import decide_once
from memory.clock import Clock
from memory.exclusion import UnreadableExclusions
from memory.job import Job, Later
from memory.ledger import Ledger
from tools.promising import Promising

READ_AGAIN_FOR = timedelta(minutes=1)


class MessagesSaid:
    """Handles the kind *said*, whose payload names the messages by their refs."""

    def __init__(self, ledger: Ledger, promising: Promising, clock: Clock) -> None:
        self._ledger = ledger
        self._promising = promising
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Read them. May be done again: what was read is known. Raises Later while the exclusions can't be read."""
        given = job.asked_by().payload.get("refs")
        refs = [ref for ref in given if isinstance(ref, str)] if isinstance(given, list) else []
        try:
            found = await self._promising.of_messages(job.owner_id, refs)
        except UnreadableExclusions as error:
            raise Later(self._clock.now() + READ_AGAIN_FOR) from error
        now, because = self._clock.now(), f"{found} promises in {len(refs)} messages"
        await self._ledger.write(lambda t: decide_once(t, job, decided="read", because=because, now=now))
