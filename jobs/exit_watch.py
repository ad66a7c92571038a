"""The watch over what leaves: questions that nobody answered lapse; a yes that came to nothing, or an end unknown, alarms."""

from memory.approval import expire
from memory.clock import Clock
from memory.dispatch import OPEN
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import Piece
from memory.refusal import Refusal
from memory.wording import say
from tools.alarm import Alarm
from tools.chat import Post
from tools.exit.lapsing import lapse
from tools.exit.leaving import begin
from tools.exit.telling import told


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
            # Its time was over when this was published; a clock that was set back meanwhile gives it none anew.
            expired = expire(approval, max(now, approval.expires_at)) if approval else None
            if approval is None or expired is None or isinstance(expired, Refusal):
                return None
            return lapse(t, approval, expired, now)

        self._post.post(await self._ledger.write(work))


class ExitLate:
    """Handles the kind *exit_late*: something that was approved has not left, or nobody knows whether it has."""

    def __init__(self, ledger: Ledger, alarm: Alarm, clock: Clock) -> None:
        self._ledger = ledger
        self._alarm = alarm
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Tell the owner, once, and see to it that it is taken further: the job for it may have been set aside."""
        payload, now = job.asked_by().payload, self._clock.now()

        def work(t: Tables) -> tuple[str, str] | None:
            dispatch = t.dispatches.get(int(payload["dispatch"])) if "dispatch" in payload else None
            approval = t.approvals.get(dispatch.approval_id if dispatch else int(payload["approval"]))
            is_open = dispatch.state in OPEN if dispatch else approval is not None and approval.state == "approved"
            if approval is None or not is_open:
                return None
            begin(t, approval, now)
            language = t.owners.get(job.owner_id).language
            if dispatch is None:
                return f"unspent:{approval.id}", say(language, "exit_unspent")
            return f"unsettled:{dispatch.id}", say(language, "exit_unsettled", because=told(language, dispatch.because))

        late = await self._ledger.write(work)
        if late is not None:
            await self._alarm(*late)
