"""Copying: what left by a server that files nothing gets its copy in the mailbox's Sent folder.

    sent ─► signal "sent_copy" (one for each dispatch) ─► a while for the server to file it itself ─► looked for ─► put there

That it was sent is on record before, and stays so whatever becomes of the copy. What is put there are the bytes that left.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from memory.account import Account
from memory.clock import Clock
from memory.dispatch import Dispatch
from memory.draft import Draft
from memory.envelope import MAIL
from memory.errors import NotFound, OutOfReach, StillbellError
from memory.ledger import Ledger, Tables
from memory.signal import NewSignal
from tools.exit.asking import AGENT
from tools.exit.leaving import Writes

log = structlog.get_logger()

SENT_COPY = "sent_copy"
"""The kind of these signals."""

FILED_BY_ITSELF_FOR = timedelta(minutes=2)
"""So long a server that nobody knows has for filing it itself: a copy put there sooner would make two."""

AGAIN_FOR = timedelta(minutes=15)
GIVEN_UP_AFTER_FOR = timedelta(days=1)
"""A mailbox that can't be reached is tried again for so long."""


class Files(Protocol):
    """A Sent folder. See tools.imap.sent.SentFolder."""

    async def file(self, message_id: str, content: bytes, *, at: datetime) -> bool: ...
    async def close(self) -> None: ...


def is_to_be_filed(account: Account) -> bool:
    """Whether its mail is read where its server of submission is not known to file by itself."""
    given = account.settings
    return account.kind == "imap" and bool(given.get("host")) and given.get("files_sent") != "yes"


def ask_for_copy(t: Tables, dispatch: Dispatch, draft: Draft, now: datetime) -> None:
    """In the transaction that says that it was sent: once for each dispatch."""
    account = t.accounts.named(draft.owner_id, draft.envelope.identity.account)
    if dispatch.transport == "smtp" and draft.envelope.channel == MAIL and account and is_to_be_filed(account):
        signal = NewSignal(
            source=AGENT,
            kind=SENT_COPY,
            source_id=f"copy:{dispatch.id}",
            owner_id=dispatch.owner_id,
            payload={"dispatch": dispatch.id},
        )
        t.signals.publish(signal, now=now)


class Copying:
    """Puts copies where they belong. `writes` makes the bytes that left once more; `opens` gives an account's Sent folder."""

    def __init__(self, ledger: Ledger, clock: Clock, *, writes: Writes, opens: Callable[[Account], Files]) -> None:
        self._ledger = ledger
        self._clock = clock
        self._writes = writes
        self._opens = opens

    async def go(self, dispatch_id: int) -> datetime | None:
        """See that the copy is there; when to look again, None when that is settled."""
        found = await self._ledger.read(lambda t: _found(t, dispatch_id))
        if found is None:
            return None
        dispatch, draft, account = found
        since = self._clock.now() - dispatch.changed_at
        if since < FILED_BY_ITSELF_FOR:
            return dispatch.changed_at + FILED_BY_ITSELF_FOR
        try:
            await self._file(dispatch, draft, account)
        except OutOfReach as error:
            if since < GIVEN_UP_AFTER_FOR:
                return self._clock.now() + AGAIN_FOR
            await self._given_up(dispatch, str(error))
        except StillbellError as error:
            await self._given_up(dispatch, str(error))
        return None

    async def _file(self, dispatch: Dispatch, draft: Draft, account: Account) -> None:
        outgoing = await self._writes(draft.envelope, at=dispatch.taken_at)
        if outgoing.digest != dispatch.digest:
            raise NotFound("the bytes that left can't be made again")
        folder = self._opens(account)
        try:
            is_new = await folder.file(outgoing.key.strip("<>"), outgoing.content, at=dispatch.changed_at)
        finally:
            await folder.close()
        log.info("a copy is in Sent", action="exit.copied", dispatch=dispatch.id, was_there=not is_new)

    async def _given_up(self, dispatch: Dispatch, because: str) -> None:
        log.warning("no copy is in Sent", action="exit.not_copied", dispatch=dispatch.id, because=because)
        now = self._clock.now()
        await self._ledger.write(
            lambda t: t.decisions.record(
                owner_id=dispatch.owner_id,
                subject=f"dispatch:{dispatch.id}",
                decided="not copied",
                because=because,
                now=now,
            )
        )


def _found(t: Tables, dispatch_id: int) -> tuple[Dispatch, Draft, Account] | None:
    """Nothing where it is not sent, or its words or its account are gone."""
    dispatch = t.dispatches.get(dispatch_id)
    approval = t.approvals.get(dispatch.approval_id) if dispatch and dispatch.state == "sent" else None
    if dispatch is None or approval is None:
        return None
    try:
        draft = t.drafts.get(approval.draft_id)
    except StillbellError:
        return None
    account = t.accounts.named(dispatch.owner_id, draft.envelope.identity.account) if draft else None
    return (dispatch, draft, account) if draft and account and is_to_be_filed(account) else None
