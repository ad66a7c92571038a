"""The duty *reminder*: a wish of the owner has come round."""

from datetime import datetime

from memory.card import Card
from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.loop import Loop
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.reminder import LATE_AFTER_FOR, Reminder
from memory.when.recurrence import Recurrence
from memory.wording import say, when
from tools.cards import loop_due
from tools.chat import Post


class ReminderDuty:
    """Handles the kind *reminder*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Say it, with buttons, and plan the next time if there is a rule."""
        self._post.post(await self._ledger.write(lambda t: self._fire(t, job, self._clock.now())))

    def _fire(self, t: Tables, job: Job, now: datetime) -> Piece | None:
        signal = job.asked_by()
        reminder = t.reminders.get(int(signal.payload["reminder"]))
        wall = datetime.fromisoformat(signal.payload["wall"])
        # Cancelled, snoozed or moved on between the signal and now: nothing to say.
        if reminder is None or reminder.state != "set" or reminder.wall != wall:
            return None
        owner = t.owners.get(job.owner_id)
        following, missed = following_wall(reminder, owner, now)
        loop = self._loop(t, reminder, job, now)
        t.reminders.advance(reminder.id, wall=following, loop_id=loop.id)
        card = t.cards.put(self._card(reminder, loop, owner, now, missed), owner_id=owner.id, now=now)
        new = NewPiece(
            key=signal.source_id,
            owner_id=owner.id,
            channel=self._post.home(),
            text=card.card.text,
            card_id=card.id,
        )
        return t.pieces.say(new, now=now, handing=True)

    def _loop(self, t: Tables, reminder: Reminder, job: Job, now: datetime) -> Loop:
        """The loop that comes into sight: the reminder's own while it is open, else a new one for this time."""
        loop = t.loops.get(reminder.loop_id) if reminder.loop_id else None
        if loop is not None and loop.state == "open":
            t.loops.wake(loop.id)
            return loop
        return t.loops.open(
            owner_id=reminder.owner_id,
            kind="task",
            title=reminder.text,
            because=f"reminder {reminder.id} came round",
            now=now,
        )

    def _card(self, reminder: Reminder, loop: Loop, owner: Owner, now: datetime, missed: int) -> Card:
        language, due_at, words = owner.language, reminder.due_at(owner.zones), escaped(reminder.text)
        if now - due_at > LATE_AFTER_FOR:
            wall = owner.zones.wall_at(due_at)
            planned = when(wall, owner.zones.wall_at(now).date(), language)
            text = say(language, "reminder_late", text=words, when=planned)
        else:
            text = say(language, "reminder_fired", text=words)
        if missed:
            text += "\n" + say(language, "missed_more", count=missed)
        return loop_due(loop, text, language, because=f"reminder {reminder.id} came round")


def following_wall(reminder: Reminder, owner: Owner, now: datetime) -> tuple[datetime | None, int]:
    """When it fires next (naive wall time, still ahead), and how many firings were missed in between."""
    if reminder.rule is None:
        return None, 0
    rule, missed, wall = Recurrence.from_text(reminder.rule), 0, reminder.wall
    while (following := rule.next_after(wall)) is not None:
        if owner.zones.wall_to_utc(following) > now:
            return following, missed
        wall, missed = following, missed + 1
    return None, missed
