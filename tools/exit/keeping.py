"""Keeping what has left: the owner's own mail from now on, whether or not a server files it."""

from datetime import datetime

from memory.draft import Draft
from memory.ledger import Tables
from memory.signal import NewSignal
from tools.exit.asking import AGENT
from tools.files.mail import read_mail
from tools.incoming import MAIL as ARRIVED
from tools.transport import Outgoing

SENT = "Sent"
"""The folder under which it is kept here until the account's own Sent folder brings it."""


def keep_sent(t: Tables, draft: Draft, outgoing: Outgoing, now: datetime) -> None:
    """What has left is the owner's mail from now on, whether or not a server files it: loops close, threads are answered."""
    owner_id, account = draft.owner_id, t.accounts.named(draft.owner_id, draft.envelope.identity.account)
    kept = t.mails.keep(
        owner_id,
        read_mail(outgoing.content, now=now),
        now=now,
        account_id=account.id if account else None,
        folder=SENT,
        by_owner=True,
    )
    if isinstance(kept, int):
        signal = NewSignal(
            source=AGENT, kind=ARRIVED, source_id=f"sent:{outgoing.digest}", owner_id=owner_id, payload={"mail": kept}
        )
        t.signals.publish(signal, now=now)
