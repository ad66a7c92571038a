"""Mail: one has arrived. It is judged with its thread, and told, held, kept open or only kept."""

import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import structlog

from handlers.other import decide_once
from memory.clock import Clock
from memory.errors import NotFound
from memory.exclusion import UnreadableExclusions
from memory.job import Job, Later
from memory.ledger import Ledger, Tables
from memory.legible import legible
from memory.signal import Signal
from tools import introducing
from tools.files.mail import read_mail
from tools.judge import OWNER_HERE, Judge

log = structlog.get_logger()

FIELD_MAX = 2_000

NO_ADDRESS = "somebody@unknown.invalid"

HIGHEST_ID = 2**63 - 1
"""No row has a higher number: SQLite's integers end there."""

READ_AGAIN_FOR = timedelta(minutes=1)


class MailArrived:
    """Handles the kinds *mail* and *email*: what a source has kept, and what a hand or a script has published.

    `promises`: reads what the owner wrote for what they promise and keep.
    """

    def __init__(
        self, ledger: Ledger, judge: Judge, clock: Clock, *, promises: Callable[[int], Awaitable[None]] | None = None
    ) -> None:
        self._ledger = ledger
        self._promises = promises
        self._judge = judge
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Judge it, once: a judgement of the same evidence stands, whatever a model would say today.

        Raises Later while the exclusions can't be read: it is no fault of the mail's, and is told by others.
        """
        try:
            await self._arrived(job)
        except UnreadableExclusions as error:
            raise Later(self._clock.now() + READ_AGAIN_FOR) from error

    async def _arrived(self, job: Job) -> None:
        signal = job.asked_by()
        mail_id = await self._mail_of(signal)
        try:
            judged = await self._judge.mail(mail_id, is_fresh=True, signal_id=signal.id) if mail_id else None
        except NotFound:
            judged = None
        now = self._clock.now()
        if mail_id is not None:
            await self._ledger.write(lambda t: _hear(t, mail_id, now))
            if self._promises is not None:
                await self._promises(mail_id)
        judgement = judged.judgement if judged else None
        if judgement is None:
            because = "excluded, gone, or known already"
            await self._ledger.write(lambda t: decide_once(t, job, decided="nothing to do", because=because, now=now))
            return
        because = f"verdict {judgement.id}: {judgement.code}, consequence {judgement.verdict.consequence:.2f}"
        await self._ledger.write(
            lambda t: decide_once(t, job, decided=judgement.verdict.what, because=because, now=now)
        )
        log.info("judged", action="mail.judged", what=judgement.verdict.what, code=judgement.code, mail=mail_id)

    async def _mail_of(self, signal: Signal) -> int | None:
        """The mail that the signal speaks of; one that was published by hand is kept first."""
        known = signal.payload.get("mail")
        if isinstance(known, int) and not isinstance(known, bool):
            return known if 0 < known <= HIGHEST_ID else None
        now = self._clock.now()
        mail = read_mail(_written(signal, now), now=now)
        kept = await self._ledger.write(
            lambda t: t.mails.keep(signal.owner_id, mail, now=now, folder=signal.source, is_read=False)
        )
        if isinstance(kept, int):
            return kept
        if kept == "excluded":
            await self._ledger.write(lambda t: t.signals.empty(signal.id))
            return None
        # A job that runs again after a crash has kept it before.
        return await self._ledger.read(lambda t: t.mails.by_fingerprint(signal.owner_id, mail.fingerprint))


def _hear(t: Tables, mail_id: int, now: datetime) -> None:
    """Whoever waits for an answer looks whether this is it. By now the mail's own words stand apart from what it quotes."""
    try:
        introducing.heard_from(t, t.mails.get(mail_id), now)
    except NotFound:
        return


def _written(signal: Signal, now: datetime) -> bytes:
    """What a hand published (from, to, subject, date, snippet) as the mail that it speaks of."""
    field = {name: " ".join(_plain(signal.payload.get(name)).split())[:FIELD_MAX] for name in ("from", "to", "subject")}
    message = EmailMessage()
    message["Subject"] = field["subject"]
    message["Date"] = format_datetime(signal.received_at or now)
    message["Message-ID"] = f"<signal-{signal.id}@published.invalid>"
    if signal.payload.get("is_automated"):
        message["Auto-Submitted"] = "auto-generated"
    message.set_content(_plain(signal.payload.get("snippet") or signal.payload.get("text"))[:FIELD_MAX])
    head = f"From: {field['from'] or NO_ADDRESS}\r\nTo: {field['to'] or OWNER_HERE}\r\n"
    # Written beside the library, which refuses what it can't parse: here a broken address is only one more fault.
    return head.encode("utf-8", "replace") + message.as_bytes()


def _plain(value: Any) -> str:
    """Whatever a hand put there, as text that a mail can carry."""
    return "" if value is None else legible(value if isinstance(value, str) else json.dumps(value, default=str))
