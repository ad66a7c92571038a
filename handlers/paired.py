"""Paired: the owner has shown the code in Telegram. A greeting, the three things worth setting, and what nobody was there for."""

from datetime import datetime

from handlers import scene as scenes
from handlers.scene import Reply
from memory.card import Card, Choice
from memory.clock import Clock
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.owner import Owner
from memory.piece import REVIVED_FOR, Piece
from memory.wording import say
from tools.chat import Post

QUIET_CHOICES = ("22-7", "23-8", "21-6")


class Paired:
    """Handles the kind *paired*."""

    def __init__(self, ledger: Ledger, post: Post, clock: Clock) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Greet, and ask for zone, language and quiet hours; each has a default that stands if nobody answers."""
        self._post.post(*await self._ledger.write(lambda t: self._greet(t, job, self._clock.now())))

    def _greet(self, t: Tables, job: Job, now: datetime) -> list[Piece | None]:
        owner = t.owners.get(job.owner_id)
        said: tuple[Reply, ...] = (say(owner.language, "paired"), *questions(owner, now))
        greeting = [
            scenes.reply(
                t, one, key=f"paired:{job.id}:{number}", owner_id=owner.id, channel="telegram", turn_id=None, now=now
            )
            for number, one in enumerate(said, 1)
        ]
        return [*greeting, *t.pieces.revive(owner.id, "telegram", since=now - REVIVED_FOR)]


def questions(owner: Owner, now: datetime) -> tuple[Card, Card, Card]:
    """The three cards of the set-up."""
    language = owner.language
    zone, wall = owner.zones.zone_at(now).key, owner.zones.wall_at(now)
    because = "just paired"
    return (
        Card(
            kind="setup",
            subject="setup:zone",
            text=say(language, "setup_zone", zone=zone, time=f"{wall:%H:%M}"),
            choices=(
                Choice("ok", say(language, "setup_zone_ok"), "good"),
                Choice("other", say(language, "setup_zone_other")),
            ),
            because=because,
        ),
        Card(
            kind="setup",
            subject="setup:language",
            text=say(language, "setup_language"),
            choices=(Choice("en", "English"), Choice("de", "Deutsch")),
            because=because,
        ),
        Card(
            kind="setup",
            subject="setup:quiet",
            text=say(language, "setup_quiet"),
            choices=(*(Choice(hours, hours) for hours in QUIET_CHOICES), Choice("off", "–")),
            because=because,
        ),
    )
