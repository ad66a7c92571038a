"""Evidence: everything that a judge may look at for one mail, and the hash by which a judgement of it is found again.

The hash covers the thread, its latest mail, the owner's own last mail in it, and the judge; never the date, so that a
thread is not new because a day has passed. A reply by anybody, the owner included, changes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from memory.authenticity import Standing
from memory.canonical import digest
from memory.detectors.addressed import Place, is_greeted, place
from memory.detectors.finding import Finding, Kind
from memory.detectors.sentence import own_words
from memory.detectors.survey import survey
from memory.mail import KeptMail
from memory.people.oneself import Oneself
from memory.relation import Relation

Aspect = Literal["mail", "hanging", "waiting"]
"""What about the thread is judged: what its latest mail says, or that nobody has answered it for days."""

EARLIER_MAX = 6
"""So many mails before the latest are kept in view, the newest."""
SAID_MAX = 600
"""So many characters of each."""
CURRENT_FOR = timedelta(days=7)
"""What is older than this when it comes, comes with the past of an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A mail earlier in the thread, in short. `who` is the author's address; `said` is cut to SAID_MAX."""

    by_owner: bool
    who: str
    at: datetime
    said: str
    fingerprint: str
    recipients: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is judged. Texts in it were written by others: data, never an instruction.

    thread_key: what names the thread, the same in every run (its root id, not a row's number).
    earlier: the mails before the latest, oldest first. own_last: the owner's own last mail in the thread.
    place: where the owner stands in the headers; is_named: the greeting turns to them.
    relation: what went to and fro with the sender. standing: what is to be said of the sender; None when nobody looked.
    is_urgent: the sender is on the urgent list; is_softened: the owner asked for less like this.
    is_fresh: it came as news, not with the first reading of an account or after a gap.
    participants: the addresses in the thread, lower case. now: when it is judged, aware UTC; zone: the owner's then.
    """

    thread_key: str
    latest: KeptMail
    earlier: tuple[Earlier, ...] = ()
    own_last: Earlier | None = None
    place: Place = "to"
    is_named: bool = False
    findings: tuple[Finding, ...] = ()
    relation: Relation = field(default_factory=Relation)
    standing: Standing | None = None
    is_urgent: bool = False
    is_softened: bool = False
    is_fresh: bool = True
    participants: tuple[str, ...] = ()
    now: datetime
    zone: ZoneInfo
    aspect: Aspect = "mail"

    def finding(self, kind: Kind) -> Finding | None:
        """The first finding of a kind."""
        return next((each for each in self.findings if each.kind == kind), None)

    def is_bulk(self, *details: str) -> bool:
        """Whether it is bulk, or bulk of one of these sorts."""
        found = self.finding("bulk")
        return found is not None and (not details or found.detail in details)

    @property
    def is_known(self) -> bool:
        """Whether the owner ever wrote to the sender, or has them among their contacts."""
        return self.relation.is_known or (self.standing is not None and self.standing.contact is not None)

    @property
    def asks(self) -> bool:
        """Whether it asks something of the owner."""
        return self.finding("request") is not None

    @property
    def is_direct(self) -> bool:
        """Whether it is written to the owner rather than past them."""
        return self.place == "to" or self.is_named or self.asks

    @property
    def is_doubtful(self) -> bool:
        """Whether the sender may be somebody else than it says."""
        found = self.latest.mail.authenticity
        if self.standing is not None:
            return self.standing.is_doubtful
        return self.latest.mail.senders_disagree or "fail" in (found.dmarc, found.dkim)

    @property
    def is_authentic(self) -> bool:
        """Whether the owner's own server found that the sender's domain stands behind it."""
        if self.standing is not None:
            return self.standing.proof == "proven" and not self.is_doubtful
        return self.latest.mail.authenticity.dmarc == "pass" and not self.is_doubtful

    @property
    def is_current(self) -> bool:
        """Whether it is of these days, so that something may still hang on it."""
        return self.is_fresh or self.now - self.latest.at <= CURRENT_FOR

    def due_within(self, span_for: timedelta) -> Finding | None:
        """The deadline, if it lies ahead and no further away than this."""
        found = self.finding("deadline")
        if found is None or found.due_at is None or not self.now <= found.due_at <= self.now + span_for:
            return None
        return found


def evidence_hash(
    thread_key: str, latest_fingerprint: str, own_last_fingerprint: str | None, judge: str, *, aspect: Aspect = "mail"
) -> str:
    """The sha-256, in hex, by which the same evidence before the same judge is known again."""
    return digest(
        {
            "thread": _carried(thread_key),
            "latest": latest_fingerprint,
            "own": own_last_fingerprint,
            "judge": judge,
            "aspect": aspect,
        }
    )


def hash_of(evidence: Evidence, judge: str) -> str:
    """The hash of this evidence before this version of the judge."""
    own = evidence.own_last.fingerprint if evidence.own_last else None
    return evidence_hash(evidence.thread_key, evidence.latest.mail.fingerprint, own, judge, aspect=evidence.aspect)


def gathered(
    thread: Sequence[KeptMail],
    me: Oneself,
    *,
    thread_key: str,
    now: datetime,
    zone: ZoneInfo,
    relation: Relation | None = None,
    standing: Standing | None = None,
    is_urgent: bool = False,
    is_softened: bool = False,
    is_fresh: bool = True,
    further: Sequence[Finding] = (),
    aspect: Aspect = "mail",
) -> Evidence:
    """The evidence on a thread (any order, at least one mail), with what the detectors see in it.

    further: findings that others made, of a calendar or of a rhythm.
    """
    mails = sorted(thread, key=lambda each: (each.at, each.id))
    latest, own = mails[-1], [each for each in mails if each.by_owner]
    return Evidence(
        thread_key=thread_key,
        latest=latest,
        earlier=tuple(_earlier(each) for each in mails[:-1][-EARLIER_MAX:]),
        own_last=_earlier(own[-1]) if own else None,
        place=place(latest.mail, me),
        is_named=is_greeted(own_words(latest), me),
        findings=(*survey(mails, me, zone=zone, now=now), *further),
        relation=relation or Relation(),
        standing=standing,
        is_urgent=is_urgent,
        is_softened=is_softened,
        is_fresh=is_fresh,
        participants=_participants(mails),
        now=now,
        zone=zone,
        aspect=aspect,
    )


def _earlier(kept: KeptMail) -> Earlier:
    return Earlier(
        by_owner=kept.by_owner,
        who=((kept.mail.sender.address if kept.mail.sender else None) or "").lower(),
        at=kept.at,
        said=own_words(kept)[:SAID_MAX],
        fingerprint=kept.mail.fingerprint,
        recipients=len(kept.mail.to) + len(kept.mail.cc) + len(kept.mail.bcc),
    )


def _participants(mails: Sequence[KeptMail]) -> tuple[str, ...]:
    people = (
        one.address.lower()
        for each in mails
        for one in (*((each.mail.sender,) if each.mail.sender else ()), *each.mail.to, *each.mail.cc)
        if one.address
    )
    return tuple(dict.fromkeys(people))


def _carried(key: str) -> str:
    """A key as UTF-8 can carry it: ids come from headers, and may hold half a character."""
    return key.encode("utf-8", "backslashreplace").decode()
