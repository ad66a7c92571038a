"""Where somebody stands, and what passed between them and the owner. What the exclusions cover is left out."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, true

from memory.exclusion import Exclusions
from memory.people.person import Contacted, Identity, LastContacts, Role, Sighting
from memory.search.document import person_of
from memory.search.passage import CORPORA, Corpus
from memory.sql.mail_schema import mail_people, mails
from memory.sql.passages import people_in
from memory.sql.people_known import among
from memory.sql.people_schema import sightings
from memory.sql.search_schema import passages

LOOKED_AT_MAX = 5000
"""Sightings of one person that are looked at, the newest; a frequent correspondent has some thousand."""

FIRST_MAX = 20
"""So many of the oldest places are looked at for the first that may be shown."""

_ROLES: dict[str, Role] = {"from": "wrote", "to": "received", "cc": "received", "bcc": "received"}


@dataclass(slots=True)
class _Tally:
    """What is counted of one channel, newest first."""

    last_at: datetime
    ref: str
    by_them_at: datetime | None = None
    by_owner_at: datetime | None = None
    from_them: int = 0
    from_owner: int = 0


class Contacting:
    """On one connection. `covered` tells which of some mails the exclusions cover."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions],
        covered: Callable[[Collection[int]], Collection[int]],
    ) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._covered = covered

    def sightings(
        self, owner_id: int, identities: Sequence[Identity], *, limit: int, corpora: Collection[Corpus] = CORPORA
    ) -> list[Sighting]:
        """See memory.tables.people.Directory."""
        found = [*self._in_documents(identities, limit, corpora)]
        if "mail" in corpora:
            found += self._in_mail(owner_id, identities, limit)
        return sorted(found, key=_newest_first)[:limit]

    def first_sighting(self, owner_id: int, identities: Sequence[Identity]) -> Sighting | None:
        """See memory.tables.people.Directory."""
        found = [*self._in_documents(identities, FIRST_MAX, CORPORA, oldest=True)]
        found += self._in_mail(owner_id, identities, FIRST_MAX, oldest=True)
        dated = ((one.at, one.ref, one) for one in found if one.at is not None)
        return min(dated, key=lambda each: each[:2], default=(None, "", None))[2]

    def last_contacts(
        self, owner_id: int, identities: Sequence[Identity], *, now: datetime | None, limit: int = LOOKED_AT_MAX
    ) -> LastContacts:
        """See memory.tables.people.Directory."""
        tallies: dict[Corpus, _Tally] = {}
        for one in self.sightings(owner_id, identities, limit=limit):
            is_theirs, is_owners = one.role == "wrote" and not one.by_owner, one.role == "received" and one.by_owner
            if one.at is None or (now is not None and one.at > now):
                continue
            if not (is_theirs or is_owners or one.role == "attended"):
                continue
            tally = tallies.setdefault(one.corpus, _Tally(one.at, one.ref))
            if is_theirs:
                tally.from_them += 1
                tally.by_them_at = tally.by_them_at or one.at
            if is_owners:
                tally.from_owner += 1
                tally.by_owner_at = tally.by_owner_at or one.at
        return {corpus: _contacted(tally) for corpus, tally in tallies.items()}

    def _in_mail(
        self, owner_id: int, identities: Sequence[Identity], limit: int, *, oldest: bool = False
    ) -> list[Sighting]:
        boxes = {one.value: one.id for one in identities if one.kind == "address"}
        if not boxes:
            return []
        rows = self._connection.execute(
            select(mail_people.c.address, mail_people.c.role, mails.c.id, mails.c.date_at, mails.c.by_owner)
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                mail_people.c.owner_id == owner_id,
                among(mail_people.c.address, boxes),
                mail_people.c.role.in_(list(_ROLES)),
            )
            .where(mails.c.date_at.is_not(None) if oldest else true())
            .order_by(*(one.asc() if oldest else one.desc() for one in (mails.c.date_at, mails.c.id)))
            .limit(limit)
        ).all()
        covered = self._covered_mails({row.id for row in rows})
        return [
            Sighting(
                identity_id=boxes[row.address],
                corpus="mail",
                ref=f"mail:{row.id}",
                role=_ROLES[row.role],
                at=row.date_at,
                by_owner=row.by_owner,
            )
            for row in rows
            if row.id not in covered
        ]

    def _covered_mails(self, ids: Collection[int]) -> set[int]:
        if self._exclusions().is_empty:
            return set()
        every = sorted(ids)
        return {one for start in range(0, len(every), 500) for one in self._covered(every[start : start + 500])}

    def _in_documents(
        self, identities: Sequence[Identity], limit: int, corpora: Collection[Corpus], *, oldest: bool = False
    ) -> Iterator[Sighting]:
        exclusions = self._exclusions()
        at = func.coalesce(sightings.c.at, "")
        rows = self._connection.execute(
            select(sightings, passages.c.ref, passages.c.who, passages.c.people, passages.c.place)
            .join_from(sightings, passages, passages.c.id == sightings.c.passage_id)
            .where(
                among(sightings.c.identity_id, [one.id for one in identities]),
                sightings.c.corpus.in_(list(corpora)),
            )
            .where(sightings.c.at.is_not(None) if oldest else true())
            .order_by(*(one.asc() if oldest else one.desc() for one in (at, sightings.c.passage_id)))
            .limit(limit)
        )
        for row in rows:
            if _is_shown(exclusions, row):
                yield Sighting(
                    identity_id=row.identity_id,
                    corpus=row.corpus,
                    ref=row.ref,
                    role=row.role,
                    at=row.at,
                    by_owner=row.by_owner,
                )


def _is_shown(exclusions: Exclusions, row: Any) -> bool:
    return exclusions.is_empty or not exclusions.covers([person_of(row.who), *people_in(row.people)], row.place)


def _newest_first(one: Sighting) -> tuple[bool, float, str]:
    return (one.at is None, -(one.at.timestamp() if one.at else 0), one.ref)


def _contacted(tally: _Tally) -> Contacted:
    return Contacted(
        last_at=tally.last_at,
        ref=tally.ref,
        by_them_at=tally.by_them_at,
        by_owner_at=tally.by_owner_at,
        from_them=tally.from_them,
        from_owner=tally.from_owner,
    )
