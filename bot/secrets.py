"""Secrets in texts: whoever reads a bot token opens the bot, so neither it nor any key ever reaches a log."""

import re
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "[secret]"

_ANY_TOKEN = re.compile(r"[1-9]\d{2,19}(?::|%3[aA])[A-Za-z0-9_-]{20,}")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with every one of `secrets`, and whatever looks like a bot token, replaced, also as a URL spells it."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
    return _ANY_TOKEN.sub(HIDDEN, text)
