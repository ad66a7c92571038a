"""Fact sources: what of somebody's may be read for facts: what they wrote to the owner, and what the owner wrote to them alone.

What a third wrote to both is left out: nobody may tell facts of another. So is what a list or a robot sent, and a mail
whose author is in doubt.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.facts.proposal import FactPassage
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.people.mailbox import folded_name
from memory.people.person import Person, Sighting
from memory.search.passage import EXCHANGED
from tools.files.zones import Zones, zones
from tools.oneself import own_addresses

WINDOW = 200
"""So many of the newest places where somebody stands are looked at; older ones were when they were new, or never."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSource:
    """One document of somebody's. mail: for a mail, the mail; text: its whole words. by_them: they wrote it."""

    sighting: Sighting
    text: str
    at: datetime
    who: str
    by_them: bool
    mail: KeptMail | None = None

    def zones(self) -> Zones:
        """A mail told apart. Takes a moment: not on the event loop."""
        return zones(self.text, subject=self.mail.mail.subject if self.mail else "")

    def passage(self) -> FactPassage:
        """What of it may be shown to a model: of a mail its own words. Takes a moment."""
        return FactPassage(
            corpus=self.sighting.corpus,
            ref=self.sighting.ref,
            text=self.zones().said if self.mail else self.text,
            at=self.at,
            who=self.who,
            by_them=self.by_them,
        )


def unread(
    t: Tables, owner_id: int, person: Person, *, reader: str, limit: int
) -> tuple[list[Sighting], list[FactSource]]:
    """The newest that this reader has not read: all of them, and those that there is something to read in."""
    seen = t.people.sightings(owner_id, person.id, limit=WINDOW, corpora=EXCHANGED)
    either = {one.ref: one for one in reversed(seen) if one.at and (one.role == "wrote") != one.by_owner}
    ids = person.identity_ids
    some = [either[ref] for ref in t.facts.unread(owner_id, ids, list(reversed(either)), reader=reader)[:limit]]
    mails = _mails(t, some)
    mine = own_addresses(t, owner_id)
    found = (
        _in_mail(one, mails.get(one.ref), mine) if one.corpus == "mail" else _in_chat(t, owner_id, one, person)
        for one in some
    )
    return some, [source for source in found if source is not None]


def names_of(person: Person) -> frozenset[str]:
    """What somebody goes by, as folded words."""
    return frozenset(
        word for name in (person.name, *(one.name for one in person.identities)) for word in folded_name(name)
    )


def _mails(t: Tables, some: Iterable[Sighting]) -> dict[str, KeptMail]:
    numbers = [int(one.ref.partition(":")[2]) for one in some if one.corpus == "mail"]
    return {f"mail:{kept.id}": kept for kept in t.mails.some(numbers)}


def _in_chat(t: Tables, owner_id: int, sighting: Sighting, person: Person) -> FactSource | None:
    """Of a chat only that of two is seen as received (memory/people/sighted)."""
    if sighting.at is None:
        return None
    text, who = t.search.text(owner_id, sighting.ref), "you" if sighting.by_owner else person.shown
    return FactSource(sighting=sighting, text=text, at=sighting.at, who=who, by_them=not sighting.by_owner)


def _in_mail(sighting: Sighting, kept: KeptMail | None, mine: Collection[str]) -> FactSource | None:
    if sighting.at is None or kept is None or not _is_believable(kept, mine):
        return None
    sender = kept.mail.sender
    who = "you" if kept.by_owner else (sender.name or sender.address or "") if sender else ""
    return FactSource(sighting=sighting, text=kept.mail.text, at=kept.at, who=who, by_them=not kept.by_owner, mail=kept)


def _is_believable(kept: KeptMail, mine: Collection[str]) -> bool:
    """Whether its author is who they say, as far as can be seen, and, for the owner's own, whether one person got it."""
    mail = kept.mail
    if mail.is_automated or mail.is_bounce or mail.senders_disagree or mail.authenticity.dmarc == "fail":
        return False
    others = [one for one in (*mail.to, *mail.cc, *mail.bcc) if (one.address or "").lower() not in mine]
    return not kept.by_owner or len(others) == 1


def refs_of(some: Sequence[Sighting]) -> dict[int, list[str]]:
    """The documents by the identity that stands in them."""
    found: dict[int, list[str]] = {}
    for one in some:
        found.setdefault(one.identity_id, []).append(one.ref)
    return found
