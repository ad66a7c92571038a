"""The chat: where the owner is, as far as this process knows. The poller learns it, the channel goes by it."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.telegram.intake import SPOKEN
from bot.telegram.reading import Heard


@dataclass(slots=True)
class OwnerChat:
    """The private chat with the owner: its id is the owner's user id, None before pairing.

    `blocked` is set by a refusal or by Telegram's own word, and lifted by anything the owner does, so that a bot that
    was blocked doesn't hammer. `refused` is set when Telegram no longer knows the token: only a restart with another helps.
    """

    chat_id: int | None = None
    topic_id: int | None = None
    blocked: bool = False
    refused: bool = False

    @property
    def reaches_owner(self) -> bool:
        """Whether nobody has to do something first: pair, unblock the bot, renew the token."""
        return self.chat_id is not None and not self.blocked and not self.refused

    def learn(self, heard: Sequence[Heard]) -> None:
        """Take note of what the owner did, in order."""
        for found in heard:
            if found.blocked is not None:
                self.blocked = found.blocked
            if found.signal.kind in SPOKEN:
                self.topic_id = found.topic_id
