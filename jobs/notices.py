"""The duty *notices*: quiet hours are over, and what waited for that is said."""

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.piece import NewPiece, Piece
from tools.chat import Post


class NoticesDuty:
    """Handles the kind *notices*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Say every notice that only waited for quiet hours to end."""
        self._post.post(*await self._ledger.write(lambda t: self._tell(t, job.owner_id)))

    def _tell(self, t: Tables, owner_id: int) -> list[Piece | None]:
        now = self._clock.now()
        due = [notice for notice in t.notices.due(owner_id, now) if notice.urgency != "hold"]
        pieces = []
        for notice in due:
            key = f"notice:{notice.id}"
            t.notices.told((notice.id,), key=key, now=now)
            new = NewPiece(key=key, owner_id=owner_id, channel=self._post.home(), text=notice.summary)
            pieces.append(t.pieces.say(new, now=now, handing=True))
        return pieces
