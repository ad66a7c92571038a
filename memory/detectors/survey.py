"""The survey: every detector over the newest mail of a thread. No model, no ledger, the same for the same input."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memory.detectors.bounce import bounce
from memory.detectors.bulk import bulk
from memory.detectors.copied import aside
from memory.detectors.courtesy import courtesy, fyi
from memory.detectors.deadline import deadline
from memory.detectors.finding import Finding
from memory.detectors.hanging import hanging, waiting
from memory.detectors.invitation import invitation
from memory.detectors.request import sought
from memory.detectors.topics import topics
from memory.detectors.urgent import change, emergency
from memory.mail import KeptMail
from memory.people.oneself import Oneself


def survey(thread: Sequence[KeptMail], me: Oneself, *, zone: ZoneInfo, now: datetime) -> tuple[Finding, ...]:
    """What there is to see in the newest mail of `thread` (any order, at least one), and in the thread as a whole.

    zone: the owner's. A sender gone quiet is not seen here: that is no matter of one thread (see quiet_sender).
    """
    mails = sorted(thread, key=lambda each: (each.at, each.id))
    latest, took_part = mails[-1], any(each.by_owner for each in mails)
    mass = bulk(latest, me, is_answer=took_part)
    asked = None if mass else sought(latest, me)
    seen = (
        mass,
        bounce(latest),
        invitation(latest, zone=zone, now=now),
        asked,
        deadline(latest, zone=zone, now=now),
        None if mass or asked else aside(latest, me),
        courtesy(latest),
        None if mass else fyi(latest),
        None if mass else emergency(latest),
        None if mass else change(latest, zone=zone),
        hanging(mails, me, now=now),
        waiting(mails, me, now=now),
    )
    return (*(each for each in seen if each), *topics(latest, zone=zone))
