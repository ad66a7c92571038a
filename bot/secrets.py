"""Secrets in texts: whoever reads a bot token opens the bot, so neither it nor any key ever reaches a log."""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from tools.vault import Vault

HIDDEN = "[secret]"

_ANY_TOKEN = re.compile(r"[1-9]\d{2,19}(?::|%3[aA])[A-Za-z0-9_-]{20,}")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` with every one of `secrets`, and whatever looks like a bot token, replaced, also as a URL spells it."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
    return _ANY_TOKEN.sub(HIDDEN, text)


class Secrets:
    """What may stand in no log: what the settings hold, and what lies in the vault just now, looked up when it changes."""

    def __init__(self, given: Iterable[str], vault: Vault) -> None:
        self._given = tuple(given)
        self._vault = vault
        self._mark: int | None = None
        self._kept: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        try:
            mark = self._vault.folder.stat().st_mtime_ns
        except OSError:
            mark = None
        if mark != self._mark:
            # What was a secret stays one: it may still stand in an error.
            self._kept = tuple(dict.fromkeys((*self._kept, *self._vault.all())))
            self._mark = mark
        yield from self._given
        yield from self._kept
