"""The mail port: how mail comes in, whatever it comes from. Reading only; nothing here can send or change anything.

    cursor (from the ledger) ─► batches ─► batch: mails, what is gone, the next cursor ─► one commit ─► next batch
    when all is read: wait (IDLE, or a minute) ─► batches again

A batch's cursor is committed together with its mails, so a crash reads a batch again and never skips one. Mails that
come twice are recognised by the reader (their `uid`, and their fingerprint).
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

Why = Literal["backfill", "gap", "news"]
"""Why mails come: the first reading of an account; what was missed while a cursor had expired; what is new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """One mail as the source holds it.

    uid: its name in this account, the same whenever it is met: "gmail:18c3…", "imap:INBOX:1700000000:42".
    raw: the whole of it in RFC 5322 form. folder: where it lies ("INBOX", "Sent"), as the owner reads it. is_sent: it lies
    where sent mail lies. received_at: when the source took it in, aware UTC.
    """

    uid: str
    raw: bytes
    folder: str
    labels: tuple[str, ...] = ()
    is_sent: bool = False
    is_read: bool = False
    received_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A mail known by `uid` that now lies elsewhere or was read."""

    uid: str
    folder: str
    labels: tuple[str, ...] = ()
    is_read: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MailBatch:
    """What was read in one go. `cursor` is opaque text for the next call, committed with the batch.

    `gone`: uids that are not there any more. `done` of `total` mails of a backfill or gap; 0 of 0 when not known.
    """

    arrived: tuple[Arrived, ...] = ()
    changed: tuple[Changed, ...] = ()
    gone: tuple[str, ...] = ()
    cursor: str
    why: Why = "news"
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a test of an account found: who one is there, what can be read, and what is worth knowing."""

    identity: str
    folders: tuple[str, ...]
    notes: tuple[str, ...] = ()


class MailSource(Protocol):
    """One account. Used by one task at a time; every call may raise SourceDown, SlowDown, SignInRefused."""

    def batches(self, cursor: str | None, *, since: datetime, skips: Callable[[str], bool]) -> AsyncIterator[MailBatch]:
        """Everything that is new after `cursor`, batch by batch; ends when there is no more for now.

        None reads what was received since `since`, oldest first, as a backfill. A cursor that the source no longer knows
        is never an error: what came after the last known moment is fetched as a gap, and from there on as news. A folder
        for which `skips` is true is not even looked into.
        """
        ...

    async def wait(self, at_most: timedelta) -> None:
        """Return when there may be something new, after `at_most` in any case."""
        ...

    async def check(self) -> Checked:
        """Sign in and look around. Changes nothing."""
        ...

    async def close(self) -> None:
        """Let go of connections and threads. May be called twice."""
        ...
