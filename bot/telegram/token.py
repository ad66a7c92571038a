"""The token: its shape, and whose it is."""

import re

from memory.errors import BadInput

_SHAPE = re.compile(r"(?P<bot_id>[1-9]\d{2,19}):[A-Za-z0-9_-]{20,}")


def bot_id(token: str) -> int:
    """The bot's own user id, which its token begins with. Raises BadInput for what is no token."""
    found = _SHAPE.fullmatch(token)
    if found is None:
        raise BadInput(
            "the Telegram token has not the shape 123456:letters-and-digits; copy it whole from @BotFather (/token)"
        )
    return int(found["bot_id"])
