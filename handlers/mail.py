"""Mail: one has arrived. It is judged with its thread, and told, held, kept open or only kept."""

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

import structlog

from handlers.other import decide_once
from memory.clock import Clock
from memory.errors import NotFound
from memory.job import Job
from memory.ledger import Ledger
from memory.signal import Signal
from tools.files.mail import read_mail
from tools.judge import Judge

log = structlog.get_logger()

FIELD_MAX = 2_000

NO_ADDRESS = "somebody@unknown.invalid"


class MailArrived:
    """Handles the kinds *mail* and *email*: what a source has kept, and what a hand or a script has published."""

    def __init__(self, ledger: Ledger, judge: Judge, clock: Clock) -> None:
        self._ledger = ledger
        self._judge = judge
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        """Judge it, once: a judgement of the same evidence stands, whatever a model would say today."""
        signal = job.asked_by()
        mail_id = await self._mail_of(signal)
        try:
            judged = await self._judge.mail(mail_id, is_fresh=True, signal_id=signal.id) if mail_id else None
        except NotFound:
            judged = None
        now = self._clock.now()
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
        if isinstance(known := signal.payload.get("mail"), int):
            return known
        now = self._clock.now()
        mail = read_mail(_written(signal, now), now=now)
        kept = await self._ledger.write(
            lambda t: t.mails.keep(signal.owner_id, mail, now=now, folder=signal.source, is_read=False)
        )
        if isinstance(kept, int):
            return kept
        # A job that runs again after a crash has kept it before.
        return await self._ledger.read(lambda t: t.mails.by_fingerprint(signal.owner_id, mail.fingerprint))


def _written(signal: Signal, now: datetime) -> bytes:
    """What a hand published (from, to, subject, date, snippet) as the mail that it speaks of."""
    field = {
        name: " ".join(str(signal.payload.get(name) or "").split())[:FIELD_MAX] for name in ("from", "to", "subject")
    }
    message = EmailMessage()
    message["Subject"] = field["subject"]
    message["Date"] = format_datetime(signal.received_at or now)
    message["Message-ID"] = f"<signal-{signal.id}@published.invalid>"
    if signal.payload.get("is_automated"):
        message["Auto-Submitted"] = "auto-generated"
    message.set_content(str(signal.payload.get("snippet") or signal.payload.get("text") or "")[:FIELD_MAX])
    head = "".join(
        f"{name.title()}: {field[name] or NO_ADDRESS}\r\n" for name in ("from", "to") if field[name] or name == "from"
    )
    # Written beside the library, which refuses what it can't parse: here a broken address is only one more fault.
    return head.encode("utf-8", "replace") + message.as_bytes()
