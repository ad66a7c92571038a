"""What is remembered. Every change leaves a decision row beside it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.errors import NotFound
from memory.exclusion import Exclusions
from memory.recall import CONSIDERED_MAX
from memory.recollection import OBSERVATION, NewRecollection, Recollection, Source, Unremembered, subject
from memory.spending import Label
from memory.sql.blanking import blank
from memory.sql.cards import SqlCards
from memory.sql.decisions import SqlDecisions
from memory.sql.people_schema import identities
from memory.sql.people_settling import covers
from memory.sql.recollection_erasing import cancel_extracting, empty, reworded
from memory.sql.recollection_schema import recalls, recollection_people, recollection_sources, recollections
from memory.sql.rows import put
from memory.sql.schema import messages

_others = identities.alias("others")
_LIVE = recollections.c.superseded_by.is_(None) & recollections.c.forgotten_at.is_(None)


class SqlRecollections:
    """See memory.tables.recollections.Recollections."""

    def __init__(self, connection: Connection, exclusions: Callable[[], Exclusions]) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._decisions = SqlDecisions(connection)

    def keep(
        self,
        new: NewRecollection,
        *,
        because: str,
        now: datetime,
        signal_id: int | None = None,
        instead_of: int | None = None,
    ) -> Recollection | None:
        known = self._where((recollections.c.owner_id == new.owner_id) & (recollections.c.key == new.key))
        if known:
            return known[0]
        quotes = (part for source in new.sources for part in (source.quote, source.who))
        if self._exclusions().covers_text(new.text, new.about, *quotes):
            return None
        values = {
            "owner_id": new.owner_id,
            "key": new.key,
            "kind": new.kind,
            "by_owner": int(new.kind != OBSERVATION),
            "text": new.text,
            "about": new.about,
            "confidence": new.confidence,
            "made_at": now,
        }
        new_id = put(self._connection, recollections, values)
        for source in new.sources:
            self._source(new.owner_id, new_id, source)
        if new.identity_id is not None:
            tie = {"owner_id": new.owner_id, "recollection_id": new_id, "identity_id": new.identity_id}
            self._connection.execute(insert(recollection_people), tie)
        self._decided(new.owner_id, new_id, "remembered", because, now, signal_id)
        if instead_of is not None:
            self.replace(instead_of, new_id, because=because, now=now, signal_id=signal_id)
        return self.get(new.owner_id, new_id)

    def again(self, recollection_id: int, source: Source, *, because: str, now: datetime) -> None:
        owner_id = self._owner_of(recollection_id)
        if owner_id is not None and self._source(owner_id, recollection_id, source):
            self._decided(owner_id, recollection_id, "said again", because, now)

    def _source(self, owner_id: int, recollection_id: int, source: Source) -> bool:
        row = {
            "owner_id": owner_id,
            "recollection_id": recollection_id,
            "ref": source.ref,
            "quote": source.quote,
            "who": source.who,
            "at": source.at,
        }
        added = upsert(recollection_sources).on_conflict_do_nothing()
        return self._connection.execute(added, row).rowcount == 1

    def replace(self, old_id: int, new_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        marked = update(recollections).where(recollections.c.id == old_id, _LIVE, recollections.c.id != new_id)
        if self._connection.execute(marked.values(superseded_by=new_id)).rowcount != 1:
            return False
        # Without the signal: it comes and goes with the one that took its place.
        owner_id = self._owner_of(old_id) or 0
        self._decided(owner_id, old_id, "superseded", f"{subject(new_id)} took its place: {because}", now)
        return True

    def withdraw(self, recollection_id: int, *, because: str, now: datetime, signal_id: int | None = None) -> bool:
        found = self._where((recollections.c.id == recollection_id) & _LIVE)
        if not found:
            return False
        one = found[0]
        empty(
            self._connection,
            one.owner_id,
            [one.id],
            decided="undone",
            because=because,
            now=now,
            signal_id=signal_id,
        )
        before = select(recollections.c.id).where(recollections.c.superseded_by == one.id)
        for number in list(self._connection.execute(before).scalars()):
            back = update(recollections).where(recollections.c.id == number)
            self._connection.execute(back.values(superseded_by=None))
            self._decided(one.owner_id, number, "back", because, now)
        return True

    def forget(
        self, recollection_id: int, *, because: str, now: datetime, signal_id: int | None = None
    ) -> Unremembered | None:
        found = self._where((recollections.c.id == recollection_id) & _LIVE)
        if not found:
            return None
        every = [found[0], *self.versions(found[0].owner_id, recollection_id)]
        owner_id, ids = found[0].owner_id, [one.id for one in every]
        words = {part for one in every for part in (one.text, *(source.quote for source in one.sources))}
        refs = {source.ref for one in every for source in one.sources}
        has_stopped = empty(
            self._connection, owner_id, ids, decided="forgotten", because=because, now=now, signal_id=signal_id
        )
        cancel_extracting(self._connection, self._turns_of(refs), because=because, now=now)
        blank(self._connection, owner_id, words, now=now)
        return Unremembered(ids=tuple(ids), has_stopped=has_stopped)

    def _turns_of(self, refs: Collection[str]) -> list[int]:
        numbers = [int(ref.removeprefix("message:")) for ref in refs if ref.startswith("message:")]
        query = select(messages.c.turn_id).where(messages.c.id.in_(numbers), messages.c.turn_id.is_not(None))
        return list(self._connection.execute(query).scalars())

    def reworded(self, owner_id: int, ref: str, text: str, *, now: datetime) -> None:
        reworded(self._connection, owner_id, ref, text, now=now)

    def get(self, owner_id: int, recollection_id: int) -> Recollection:
        found = self._where((recollections.c.owner_id == owner_id) & (recollections.c.id == recollection_id))
        if not self._open(found):
            raise NotFound(f"nothing is remembered under the number {recollection_id}")
        return found[0]

    def live(self, owner_id: int) -> Sequence[Recollection]:
        return self._open(self._where((recollections.c.owner_id == owner_id) & _LIVE, limit=CONSIDERED_MAX))

    def versions(self, owner_id: int, recollection_id: int) -> Sequence[Recollection]:
        before, wanted = [], [recollection_id]
        while wanted:
            own = (recollections.c.owner_id == owner_id) & recollections.c.superseded_by.in_(wanted)
            found = self._where(own & recollections.c.forgotten_at.is_(None))
            before += self._open(found)
            wanted = [one.id for one in found]
        return before

    def _open(self, found: Sequence[Recollection]) -> list[Recollection]:
        """Those that the exclusions don't cover: neither who is named in them nor whom they are about."""
        exclusions = self._exclusions()
        if exclusions.is_empty:
            return list(found)
        about = self._about_covered(exclusions, [one.id for one in found])
        return [
            one
            for one in found
            if one.id not in about
            and not exclusions.covers_text(
                one.text, one.about, *(part for each in one.sources for part in (each.quote, each.who))
            )
        ]

    def _about_covered(self, exclusions: Exclusions, ids: Sequence[int]) -> set[int]:
        """Those of these that are about somebody on the list, by whatever name: "Dora" is Dora Kestrel."""
        rows = self._connection.execute(
            select(recollection_people.c.recollection_id, _others.c.kind, _others.c.value, _others.c.name)
            .join(identities, identities.c.id == recollection_people.c.identity_id)
            .join(_others, _others.c.person_id == identities.c.person_id)
            .where(recollection_people.c.recollection_id.in_(ids))
        )
        return {row.recollection_id for row in rows if covers(exclusions, row.kind, row.value, row.name)}

    def unwanted(self, owner_id: int, refs: Collection[str]) -> frozenset[str]:
        query = (
            select(recollection_sources.c.ref)
            .join(recollections, recollections.c.id == recollection_sources.c.recollection_id)
            .where(
                recollection_sources.c.owner_id == owner_id,
                recollection_sources.c.ref.in_(refs),
                recollections.c.forgotten_at.is_not(None),
            )
        )
        return frozenset(self._connection.execute(query).scalars())

    def note_recalled(
        self, owner_id: int, turn_id: int, label: Label, recollection_ids: Collection[int], *, now: datetime
    ) -> None:
        rows = [
            {"owner_id": owner_id, "turn_id": turn_id, "label": label, "recollection_id": number, "at": now}
            for number in recollection_ids
        ]
        if rows:
            self._connection.execute(upsert(recalls).on_conflict_do_nothing(), rows)

    def recalled_in(self, owner_id: int, turn_id: int) -> Sequence[int]:
        own = (recalls.c.owner_id == owner_id) & (recalls.c.turn_id == turn_id)
        query = select(recalls.c.recollection_id).distinct().where(own).order_by(recalls.c.recollection_id)
        return list(self._connection.execute(query).scalars())

    def last_recalled(self, owner_id: int, recollection_id: int) -> tuple[int, datetime] | None:
        own = (recalls.c.owner_id == owner_id) & (recalls.c.recollection_id == recollection_id)
        query = select(recalls.c.turn_id, recalls.c.at).where(own).order_by(recalls.c.turn_id.desc()).limit(1)
        row = self._connection.execute(query).first()
        return (row.turn_id, row.at) if row else None

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        kept = self._where((recollections.c.owner_id == owner_id) & recollections.c.forgotten_at.is_(None))
        open_ids = {one.id for one in self._open(kept)}
        covered = [one.id for one in kept if one.id not in open_ids]
        empty(
            self._connection,
            owner_id,
            covered,
            decided="forgotten",
            because="whom it names is excluded",
            now=now,
        )
        return len(covered)

    def _owner_of(self, recollection_id: int) -> int | None:
        query = select(recollections.c.owner_id).where(recollections.c.id == recollection_id)
        return self._connection.execute(query).scalar()

    def _decided(  # noqa: PLR0917  as decisions have it
        self,
        owner_id: int,
        recollection_id: int,
        decided: str,
        because: str,
        now: datetime,
        signal_id: int | None = None,
    ) -> None:
        """The decision, and every card that showed it as it was is stale."""
        name = subject(recollection_id)
        SqlCards(self._connection).outdate(name, owner_id=owner_id, now=now)
        self._decisions.record(
            owner_id=owner_id, subject=name, decided=decided, because=because, now=now, signal_id=signal_id
        )

    def _where(self, condition: ColumnElement[bool], limit: int | None = None) -> list[Recollection]:
        query = select(recollections).where(condition).order_by(recollections.c.id.desc()).limit(limit)
        rows = self._connection.execute(query).mappings().all()
        sources = self._sources([row["id"] for row in rows])
        names = self._names([row["id"] for row in rows])
        return [_recollection(row, sources.get(row["id"], ()), names.get(row["id"], ())) for row in rows]

    def _names(self, ids: Sequence[int]) -> Mapping[int, tuple[str, ...]]:
        """Every name that the person goes by whom each of these is about."""
        query = (
            select(recollection_people.c.recollection_id, _others.c.name)
            .join(identities, identities.c.id == recollection_people.c.identity_id)
            .join(_others, _others.c.person_id == identities.c.person_id)
            .where(recollection_people.c.recollection_id.in_(ids), _others.c.name != "")
            .distinct()
        )
        found: dict[int, tuple[str, ...]] = {}
        for row in self._connection.execute(query.order_by(_others.c.name)) if ids else ():
            found[row.recollection_id] = (*found.get(row.recollection_id, ()), row.name)
        return found

    def _sources(self, ids: Sequence[int]) -> Mapping[int, tuple[Source, ...]]:
        query = select(recollection_sources).where(recollection_sources.c.recollection_id.in_(ids))
        found: dict[int, tuple[Source, ...]] = {}
        rows = self._connection.execute(query.order_by(recollection_sources.c.at)) if ids else ()
        for row in rows:
            source = Source(row.ref, row.quote, row.at, row.who)
            found[row.recollection_id] = (*found.get(row.recollection_id, ()), source)
        return found


def _recollection(row: Mapping[Any, Any], sources: tuple[Source, ...], names: tuple[str, ...]) -> Recollection:
    told = {name: row[name] for name in row if name not in {"key", "by_owner"}}
    return Recollection(**told, sources=sources, names=names)
