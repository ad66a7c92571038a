"""Mails for tests of pure judgement: who writes to whom, and what."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from memory.evidence import Evidence, gathered
from memory.mail import Address, Authenticity, KeptMail, Mail
from memory.people.oneself import Oneself
from memory.relation import Relation

NOW = datetime(2026, 9, 7, 9, 0, tzinfo=UTC)
"""A Monday, eleven in Berlin."""

BERLIN = ZoneInfo("Europe/Berlin")
ME = Oneself(addresses=frozenset({"jo@baker.example", "jo.baker@work.example"}), names=("Jo Baker",))
JO = Address("Jo Baker", "jo@baker.example")
ANNA = Address("Anna Winter", "anna@winter.example")
SARAH = Address("Sarah Stone", "sarah@stone.example")

PROVEN = Authenticity(dkim="pass", spf="pass", dmarc="pass", server="mx.baker.example", domain="winter.example")
FORGED = Authenticity(dkim="fail", spf="fail", dmarc="fail", server="mx.baker.example")
KNOWN = Relation(received=20, sent=12, last_sent_at=NOW - timedelta(days=3))

_ids = count(1)


def a_letter(said: str = "", *, ago: timedelta = timedelta(minutes=5), **given: Any) -> KeptMail:
    """A mail from Anna to Jo that says `said`; what belongs to a Mail or a KeptMail may be given otherwise."""
    number = next(_ids)
    kept: dict[str, Any] = {
        "id": number,
        "owner_id": 1,
        "thread_id": 1,
        "account_id": 1,
        "uid": f"imap:INBOX:1:{number}",
        "folder": "INBOX",
        "labels": (),
        "by_owner": False,
        "is_read": False,
        "said": said,
        "arrived_at": NOW,
    }
    mail: dict[str, Any] = {
        "message_id": f"{number}@winter.example",
        "sender": ANNA,
        "senders_disagree": False,
        "to": (JO,),
        "cc": (),
        "subject": "Hello",
        "date_at": NOW - ago,
        "in_reply_to": None,
        "references": (),
        "text": said,
        "was_cut": False,
        "html_hidden": False,
        "parts_disagree": False,
        "attachments": (),
        "list_id": None,
        "is_automated": False,
        "fingerprint": f"{number:064x}",
        "faults": (),
    }
    for name, value in given.items():
        (kept if name in kept else mail)[name] = value
    return KeptMail(mail=Mail(**mail), **kept)


def a_reply(said: str, **given: Any) -> KeptMail:
    """A mail that Jo wrote to Anna."""
    return a_letter(said, **({"by_owner": True, "sender": JO, "to": (ANNA,), "is_read": True} | given))


def the_evidence(*thread: KeptMail, **given: Any) -> Evidence:
    """The evidence on a thread, as it is judged at NOW."""
    usual: dict[str, Any] = {"thread_key": "root@winter.example", "now": NOW, "zone": BERLIN}
    return gathered(thread, ME, **(usual | given))
