"""Feedback: a thumb under something Stillbell said is put on record, without a word."""

from datetime import datetime

from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables

THUMBS = {"👍": "feedback up", "👎": "feedback down"}
WITHDRAWN = "feedback none"


class Reacted:
    """Handles the kind *reaction*. Every reaction is a decision row; only thumbs, and taking one back, say anything."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Record it, once."""
        now = self._clock.now()
        await self._ledger.write(lambda t: self._record(t, job, now))

    def _record(self, t: Tables, job: Job, now: datetime) -> None:
        signal = job.asked_by()
        said = signal.payload
        channel, message_id = str(said.get("channel", "telegram")), str(said.get("message_id"))
        message = t.thread.by_channel_id(job.owner_id, channel, message_id)
        about = message is not None and message.role == "stillbell"
        subject = f"message:{message.id}" if message is not None and about else f"signal:{signal.id}"
        earlier = t.decisions.about(job.owner_id, subject)
        seen = t.decisions.about(job.owner_id, f"signal:{signal.id}")
        if any(row.signal_id == signal.id for row in (*earlier, *seen)):
            return
        given = [row.decided for row in earlier if row.decided.startswith("feedback")]
        decided = weigh(said.get("emojis"), given[-1] if given else None) if about else None
        t.decisions.record(
            owner_id=job.owner_id,
            subject=subject if decided else f"signal:{signal.id}",
            decided=decided or "nothing to do",
            because="the owner's thumb" if decided else "this reaction says nothing that can be used",
            now=now,
            signal_id=signal.id,
        )


def weigh(emojis: object, before: str | None) -> str | None:
    """What the reactions that now stand there say; None for nothing. `before` is what the owner said last."""
    shown = [str(emoji) for emoji in emojis] if isinstance(emojis, list) else []
    thumbs = {decided for thumb, decided in THUMBS.items() if any(emoji.startswith(thumb) for emoji in shown)}
    if len(thumbs) == 1:
        found = thumbs.pop()
        return found if found != before else None
    taken_back = not thumbs and before in THUMBS.values()
    return WITHDRAWN if taken_back else None
