"""The token: it opens the bot to whoever reads it, so it never reaches a log."""

import logging
import re
from collections.abc import Iterable
from urllib.parse import quote

from memory.errors import BadInput

HIDDEN = "[secret]"

_SHAPE = re.compile(r"(?P<bot_id>[1-9]\d{2,19}):[A-Za-z0-9_-]{20,}")
_ANY_TOKEN = re.compile(r"[1-9]\d{2,19}(?::|%3[aA])[A-Za-z0-9_-]{20,}")
_TALKATIVE = ("telegram", "httpx", "httpx2", "httpcore", "httpcore2")


def bot_id(token: str) -> int:
    """The bot's own user id, which its token begins with. Raises BadInput for what is no token."""
    found = _SHAPE.fullmatch(token)
    if found is None:
        raise BadInput(
            "the Telegram token has not the shape 123456:letters-and-digits; copy it whole from @BotFather (/token)"
        )
    return int(found["bot_id"])


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with every one of `secrets`, and whatever looks like a bot token, replaced, also as a URL spells it."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
    return _ANY_TOKEN.sub(HIDDEN, text)


def quiet_loggers() -> None:
    """Keep the libraries that log addresses (and with them the token) at warnings."""
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
