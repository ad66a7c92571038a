"""The watch over what leaves: questions that nobody answered lapse; a yes that came to nothing, or an end unknown, alarms."""

from memory.approval import expire
from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import Piece
from memory.refusal import Refusal
from memory.wording import say
from tools.alarm import Alarm
from tools.chat import Post
from tools.exit.lapsing import lapse


class Lapse:
    """Handles the kind *lapse*: the time of a question is over."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Store that it has expired, and offer the same draft afresh on its card, silently."""
        approval_id, now = int(job.asked_by().payload["approval"]), self._clock.now()

        def work(t: Tables) -> Piece | None:
            approval = t.approvals.get(approval_id)
            expired = expire(approval, now) if approval else None
            if approval is None or expired is None or isinstance(expired, Refusal):
                return None
            return lapse(t, approval, expired, now)

        self._post.post(await self._ledger.write(work))


class ExitLate:
    """Handles the kind *exit_late*: something that was approved has not left, or nobody knows whether it has."""

    def __init__(self, ledger: Ledger, alarm: Alarm) -> None:
        self._ledger = ledger
        self._alarm = alarm

    async def __call__(self, job: Job) -> None:
        """Tell the owner, once."""
        payload = job.asked_by().payload
        owner = await self._ledger.read(lambda t: t.owners.get(job.owner_id))
        if "dispatch" in payload:
            dispatch_id = int(payload["dispatch"])
            dispatch = await self._ledger.read(lambda t: t.dispatches.get(dispatch_id))
            because = dispatch.because if dispatch else ""
            await self._alarm(f"unsettled:{dispatch_id}", say(owner.language, "exit_unsettled", because=because))
            return
        approval_id = int(payload["approval"])
        await self._alarm(f"unspent:{approval_id}", say(owner.language, "exit_unspent"))
