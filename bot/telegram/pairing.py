"""Pairing: how the bot learns who its owner is.

    no owner yet ─► a code on the console ─► sent to the bot in a private chat ─► that numeric user is the owner
                    └─ WRONG_MAX wrong ones ─► a new code

Until then nothing anyone says is kept: private texts are compared with the code, and that is all.
"""

import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.telegram.reading import POISON, SOURCE, clean
from memory.owner import Language
from memory.signal import NewSignal

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without what is easily misread: 0 and O, 1, I and L."""

LENGTH = 8
WRONG_MAX = 5
"""Wrong tries that one code stands: five of some 850 thousand million guesses."""

_START = re.compile(r"/start(?:@\w+)?(?:\s+|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who writes to a bot without an owner."""

    telegram_id: int
    said: str
    language: Language


@dataclass(frozen=True, slots=True)
class Pairing:
    """The code that is awaited, and how many wrong ones came since it was made."""

    code: str
    wrong: int = 0

    def try_code(self, said: str, *, fresh: Callable[[], str]) -> "Pairing | None":
        """None when `said` is the code; otherwise what is awaited from now on. A bare /start is no try."""
        tried = _START.sub("", said.strip(), count=1)
        if not tried:
            return self
        if hmac.compare_digest(_plain(tried), _plain(self.code)):
            return None
        return replace(self, wrong=self.wrong + 1) if self.wrong + 1 < WRONG_MAX else Pairing(fresh())

    def invitation(self, username: str) -> str:
        """What stands on the console, in two lines."""
        return (
            f"Telegram: to pair, open https://t.me/{username}?start={self.code}\n"
            f"          or send /start {self.code} to @{username}"
        )


def new_code() -> str:
    """A code from the system's source of randomness."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def asker(update: Any) -> Asker | None:
    """Who says what, when `update` is a text message in a private chat; None for everything else."""
    try:
        message = update["message"]
        sender, chat = message["from"], message["chat"]
        known = type(sender["id"]) is int and type(message["text"]) is str
        if not known or chat["type"] != "private" or chat["id"] != sender["id"]:
            return None
        return Asker(sender["id"], message["text"], _language(sender))
    except POISON:
        return None


def paired_signal(person: Asker) -> NewSignal:
    """What is published once, so that the new owner is greeted and asked for zone, language and quiet hours."""
    return NewSignal(
        source=SOURCE,
        kind="paired",
        source_id=f"paired:{person.telegram_id}",
        payload={"channel": SOURCE, "telegram_id": person.telegram_id, "language": person.language},
    )


def _language(sender: Mapping[str, Any]) -> Language:
    code = sender.get("language_code")
    return "de" if isinstance(code, str) and code.lower().startswith("de") else "en"


def _plain(code: str) -> bytes:
    return re.sub(r"[\s\-]", "", clean(code)).upper().encode()
