"""The token: what a browser or a script has to know to be let in.

    the file (0600) ─┬─ itself ── Authorization: Bearer …      for scripts
                     ├─ link ──── /?token=…                    for a browser: once, within ten minutes
                     └─ cookie ── what the browser has afterwards

Link and cookie are derived: neither a browser's history nor its jar holds what is in the file. A new file ends them all.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
from datetime import datetime, timedelta
from pathlib import Path

import structlog

LINK_FOR = timedelta(minutes=10)
"""How long a link can be opened."""

BYTES = 32

_SHAPE = re.compile(r"[A-Za-z0-9_-]{32,}")
_LINK = re.compile(r"([0-9a-f]{1,12})\.([0-9a-f]{32})\.([0-9a-f]{64})")

log = structlog.get_logger()


class Token:
    """The token of one data folder, and the memory of which links were used."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.cookie = self._sign("cookie")
        self._used: dict[str, int] = {}

    def is_bearer(self, said: str) -> bool:
        """Whether a script said the token."""
        return _same(said, self.value)

    def is_cookie(self, said: str) -> bool:
        """Whether a browser has our cookie."""
        return _same(said, self.cookie)

    def link(self, now: datetime) -> str:
        """What stands behind `?token=`: good once, for LINK_FOR from `now`."""
        said = f"{int((now + LINK_FOR).timestamp()):x}.{secrets.token_hex(16)}"
        return f"{said}.{self._sign(f'link {said}')}"

    def redeem(self, link: str, now: datetime) -> bool:
        """Use a link up; False when it is not ours, too old, or was used before (since this process began)."""
        found = _LINK.fullmatch(link)
        if found is None or not _same(found[3], self._sign(f"link {found[1]}.{found[2]}")):
            return False
        ends, moment = int(found[1], 16), int(now.timestamp())
        self._used = {nonce: until for nonce, until in self._used.items() if until > moment}
        if ends <= moment or found[2] in self._used:
            return False
        self._used[found[2]] = ends
        return True

    def _sign(self, what: str) -> str:
        return hmac.new(self.value.encode(), what.encode(), hashlib.sha256).hexdigest()


def kept(file: Path) -> Token:
    """The token of the file, which is made if there is none. One that others could read, or that is no token, is replaced."""
    try:
        value, mode = file.read_text().strip(), stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        pass
    else:
        if not mode & 0o077 and _SHAPE.fullmatch(value):
            return Token(value)
        log.warning("the web token is made anew", action="web.token_renewed", because=f"mode {mode:o} or its shape")
        file.unlink(missing_ok=True)
    _make(file)
    return Token(file.read_text().strip())


def _make(file: Path) -> None:
    """Put a new token where none is; whole from its first moment, and the first of two processes wins."""
    new = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(secrets.token_urlsafe(BYTES) + "\n")
    try:
        file.hardlink_to(new)
    except FileExistsError:
        pass
    finally:
        new.unlink()


def _same(said: str, wanted: str) -> bool:
    return hmac.compare_digest(said.encode("utf-8", "replace"), wanted.encode())
