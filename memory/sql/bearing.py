"""Bearing: which addresses bear an excluded name, learned from the owner's records and from mails, and kept as hashes."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.exclusion import Exclusions, bears, mark_of
from memory.people.mailbox import mailbox_of
from memory.sql.bearing_schema import bearing
from memory.sql.exit_schema import contacts
from memory.sql.mail_schema import accounts, mail_people

_LEARN = upsert(bearing).on_conflict_do_nothing()

People = Iterable[tuple[str, str]]
"""(name, address) of each."""


class Bearing:
    """Call it for the list in force, with the addresses that bear a name on it. Raises what `exclusions` raises."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._known: tuple[Exclusions, Exclusions] | None = None

    def __call__(self) -> Exclusions:
        plain = self._exclusions()
        if not plain.people:
            return plain
        if self._known is None or self._known[0] != plain:
            rules = [mark_of(name) for name in plain.people]
            marks = self._connection.execute(select(bearing.c.mark).where(bearing.c.rule.in_(rules))).scalars()
            self._known = (plain, replace(plain, marks=frozenset(marks)))
        return self._known[1]

    def begin(self) -> None:
        """Another unit of work: what was learned in one that was rolled back is not known."""
        self._known = None

    def of_mail(self, owner_id: int, people: People) -> None:
        """What the headers of a mail tell."""
        exclusions = self()
        named = {(name, mailbox_of(at)) for name, at in people if at and exclusions.rule_of(name) is not None}
        mine = self._mine(owner_id) if named else ()
        for name, box in sorted(named):
            if box not in mine:
                self._learn(owner_id, bears(exclusions, name, box, self._names(owner_id, box)), [box])

    def of_contact(self, owner_id: int, name: str, addresses: Collection[str]) -> None:
        """What a record of the owner's own tells."""
        if (rule := self().rule_of(name)) is not None:
            mine = self._mine(owner_id)
            self._learn(owner_id, rule, [one for one in addresses if mailbox_of(one) not in mine])

    def of_everything(self, owner_id: int) -> None:
        """What all records and mails tell that are kept."""
        if not self().people:
            return
        for row in self._connection.execute(select(contacts).where(contacts.c.owner_id == owner_id)).all():
            self.of_contact(owner_id, row.name, row.addresses)
        query = select(mail_people.c.name, mail_people.c.address).distinct()
        rows = self._connection.execute(query.where(mail_people.c.owner_id == owner_id, mail_people.c.name != "")).all()
        self.of_mail(owner_id, [(row.name, row.address) for row in rows if "@" in row.address])

    def _names(self, owner_id: int, box: str) -> list[str]:
        query = select(mail_people.c.name).distinct()
        return list(
            self._connection.execute(
                query.where(mail_people.c.owner_id == owner_id, mail_people.c.address == box)
            ).scalars()
        )

    def _mine(self, owner_id: int) -> set[str]:
        rows = self._connection.execute(
            select(accounts.c.identity, accounts.c.aliases).where(accounts.c.owner_id == owner_id)
        )
        return {mailbox_of(address) for row in rows for address in (row.identity, *row.aliases) if address}

    def _learn(self, owner_id: int, rule: str | None, addresses: Iterable[str]) -> None:
        rows = [{"owner_id": owner_id, "rule": rule, "mark": mark_of(address)} for address in addresses]
        if rule is not None and rows:
            self._connection.execute(_LEARN, rows)
            self._known = None
