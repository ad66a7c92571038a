"""An account: one mailbox or calendar login of the owner's, with a name and an identity. Its secret lies elsewhere (tools/vault)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.errors import BadInput

AccountKind = Literal["google", "imap", "caldav", "ics", "file"]
"""`file`: nothing is asked of it; it holds the events of calendar files that were imported."""

AccountState = Literal["on", "refused"]
"""`refused`: the sign-in was refused or revoked; nothing is asked of it until the owner renews it."""

FAILURES_TOLD = 5
"""So many failures in a row alert the owner, once; a single one is weather."""

RETRY_FIRST_FOR, RETRY_MOST_FOR = timedelta(seconds=30), timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One login.

    name: what the owner calls it, unique among theirs; see `check_name`.
    identity: the address that the owner has there, lower case; "" for a calendar without one.
    aliases: further addresses that are the owner's there.
    settings: host, port, user, url, path, since_days … as text; never a secret.
    failures: failures in a row; `trouble` says the last of them in a line.
    """

    id: int
    owner_id: int
    name: str
    kind: AccountKind
    identity: str
    aliases: tuple[str, ...] = ()
    settings: Mapping[str, str]
    state: AccountState = "on"
    failures: int = 0
    trouble: str | None = None
    added_at: datetime
    seen_at: datetime | None = None

    @property
    def addresses(self) -> tuple[str, ...]:
        """Every address that is the owner's in this account, lower case."""
        return tuple(address for address in (self.identity, *self.aliases) if address)

    @property
    def is_kept_up(self) -> bool:
        """Whether it is asked for news; what an imported file says is as old as the file."""
        return self.kind != "file"


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,29}")


def check_name(name: str) -> None:
    """Raise BadInput for what is no account's name. No dot is in one: the vault names an account's secrets by endings."""
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} is no name for an account: up to 30 letters, digits, dashes and underscores, such as work"
        )


def retry_for(failures: int) -> timedelta:
    """How long to leave a source alone after so many failures in a row: doubling, at most RETRY_MOST_FOR."""
    doublings = min(max(failures - 1, 0), 10)
    return min(RETRY_FIRST_FOR * (1 << doublings), RETRY_MOST_FOR)
