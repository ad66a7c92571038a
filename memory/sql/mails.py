"""Mails and their threads. Every read passes the exclusions; what they cover is not there."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, text, tuple_, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.authenticity import is_by
from memory.errors import NotFound
from memory.exclusion import Exclusions
from memory.mail import KeptMail, Mail
from memory.people.joining import Seen
from memory.people.mailbox import mailbox_of
from memory.relation import Relation
from memory.search.attached import attached_under
from memory.sql.bearing import Bearing
from memory.sql.counters import SqlCounts
from memory.sql.covering import erase_mails
from memory.sql.mail_rows import addresses_of, attached_to, document_of, kept_of, people_of, people_rows, row_of
from memory.sql.mail_schema import accounts, mail_people, mails
from memory.sql.mail_threads import assign
from memory.sql.passages import keep_document, move_document, own_document, refs_under, text_of
from memory.sql.rows import put
from memory.tables.counters import PASSED_OVER
from memory.tables.mail import NotKept

_KNOWN = select(mails.c.id).where(
    mails.c.owner_id == bindparam("owner"), mails.c.fingerprint == bindparam("fingerprint")
)
_PERSON = upsert(mail_people)
_PERSON = _PERSON.on_conflict_do_nothing()
_WITH_TEXT: Select[Any] = select(mails, text_of(mails.c.owner_id, text("'mail:' || mails.id")).label("text"))
_ACCOUNT = select(accounts.c.name).where(accounts.c.id == bindparam("account"))
_ONE = _WITH_TEXT.where(mails.c.id == bindparam("mail"))
_WHO_AND_WHERE = (
    mails.c.id, mails.c.sender_name, mails.c.sender_address, mails.c.recipients, mails.c.reply_to, mails.c.folder,
    mails.c.labels,
)  # fmt: skip
_BATCH = 200

OWN_NAMES_MAX = 5


class SqlMails:
    """See memory.tables.mail.Mails."""

    def __init__(
        self, connection: Connection, exclusions: Callable[[], Exclusions], looked: set[str], bearing: Bearing
    ) -> None:
        self._connection = connection
        self._exclusions = exclusions
        self._looked = looked
        self._bearing = bearing
        self._counts = SqlCounts(connection)

    def keep(
        self,
        owner_id: int,
        mail: Mail,
        *,
        now: datetime,
        import_id: int | None = None,
        account_id: int | None = None,
        uid: str = "",
        folder: str = "",
        labels: Sequence[str] = (),
        by_owner: bool = False,
        is_read: bool = True,
        attached: Mapping[int, str] | None = None,
    ) -> int | NotKept:
        if self._exclusions().covers(people_of(mail), folder, *labels):
            self._counts.add(PASSED_OVER, owner_id=owner_id, now=now)
            self._bearing.of_mail(owner_id, people_of(mail))
            return "excluded"
        if self.by_fingerprint(owner_id, mail.fingerprint) is not None:
            return "known"
        thread_id = assign(self._connection, owner_id, mail, now)
        row = {
            "owner_id": owner_id,
            "import_id": import_id,
            "account_id": account_id,
            "uid": uid,
            "thread_id": thread_id,
            "arrived_at": now,
            "folder": folder,
            "labels": list(labels),
            "by_owner": by_owner,
            "is_read": is_read,
            **row_of(mail),
        }
        mail_id = put(self._connection, mails, row)
        self._connection.execute(_PERSON, people_rows(owner_id, mail_id, mail))
        place = self._place(account_id, folder)
        document = document_of(mail_id, mail, place=place, by_owner=by_owner)
        for one in (document, *attached_to(document, mail_id, mail, attached or {})):
            keep_document(self._connection, owner_id, one)
        return mail_id

    def is_wanted(self, owner_id: int, mail: Mail, *, folder: str = "", labels: Sequence[str] = ()) -> bool:
        is_excluded = self._exclusions().covers(people_of(mail), folder, *labels)
        return not is_excluded and self.by_fingerprint(owner_id, mail.fingerprint) is None

    def _place(self, account_id: int | None, folder: str) -> str:
        """Where a mail lies, as a search names it: account and folder."""
        if account_id is None:
            return folder
        name = self._connection.execute(_ACCOUNT, {"account": account_id}).scalar() or ""
        return f"{name}/{folder}" if folder else name

    def get(self, mail_id: int) -> KeptMail:
        found = self._read(self._connection.execute(_ONE, {"mail": mail_id}))
        if not found:
            raise NotFound(f"there is no mail {mail_id}")
        return found[0]

    def some(self, mail_ids: Collection[int]) -> list[KeptMail]:
        return sorted(self._where(mails.c.id.in_(mail_ids)), key=lambda kept: (kept.at, kept.id))

    def thread(self, thread_id: int, *, limit: int = 50) -> list[KeptMail]:
        newest = (
            _WITH_TEXT.where(mails.c.thread_id == thread_id)
            .order_by(func.coalesce(mails.c.date_at, mails.c.arrived_at).desc(), mails.c.id.desc())
            .limit(limit)
        )
        return self._read(self._connection.execute(newest))[::-1]

    def threads_since(self, owner_id: int, since: datetime, *, limit: int = 1000) -> list[int]:
        rows = self._connection.execute(
            select(mails.c.thread_id, func.max(mails.c.date_at).label("last"))
            .where(mails.c.owner_id == owner_id, mails.c.date_at >= since)
            .group_by(mails.c.thread_id)
            .order_by(text("last DESC"))
            .limit(limit)
        )
        return [row.thread_id for row in rows]

    def page(self, owner_id: int, *, after: tuple[datetime, int] | None, limit: int) -> list[KeptMail]:
        query = _WITH_TEXT.where(mails.c.owner_id == owner_id, mails.c.date_at.is_not(None))
        if after is not None:
            query = query.where(tuple_(mails.c.date_at, mails.c.id) > tuple_(_literal(after[0]), _literal(after[1])))
        return self._read(self._connection.execute(query.order_by(mails.c.date_at, mails.c.id).limit(limit)))

    def place(self, owner_id: int, number: int) -> tuple[datetime, int] | None:
        found = self._connection.execute(
            select(mails.c.date_at, mails.c.id)
            .where(mails.c.owner_id == owner_id, mails.c.date_at.is_not(None))
            .order_by(mails.c.date_at, mails.c.id)
            .offset(number)
            .limit(1)
        ).first()
        return (found.date_at, found.id) if found else None

    def before(self, owner_id: int, before: datetime, *, limit: int) -> list[KeptMail]:
        query = _WITH_TEXT.where(mails.c.owner_id == owner_id, mails.c.date_at < before)
        return self._read(self._connection.execute(query.order_by(mails.c.date_at.desc()).limit(limit)))

    def latest_from(self, owner_id: int, addresses: Collection[str], *, limit: int) -> list[KeptMail]:
        return self._of_people(owner_id, addresses, ("from",), limit)

    def sent_to(self, owner_id: int, addresses: Collection[str], *, limit: int) -> list[KeptMail]:
        return self._of_people(owner_id, addresses, ("to", "cc", "bcc"), limit, by_owner=True)

    def _of_people(
        self,
        owner_id: int,
        addresses: Collection[str],
        roles: Collection[str],
        limit: int,
        *,
        by_owner: bool | None = None,
    ) -> list[KeptMail]:
        named = select(mail_people.c.mail_id).where(
            mail_people.c.owner_id == owner_id,
            mail_people.c.address.in_([mailbox_of(one) for one in addresses]),
            mail_people.c.role.in_(roles),
        )
        query = _WITH_TEXT.where(mails.c.id.in_(named))
        if by_owner is not None:
            query = query.where(mails.c.by_owner == by_owner)
        return self._read(self._connection.execute(query.order_by(mails.c.date_at.desc()).limit(limit)))

    def by_uid(self, account_id: int, uid: str) -> int | None:
        found: int | None = self._connection.execute(
            select(mails.c.id).where(mails.c.account_id == account_id, mails.c.uid == uid)
        ).scalar()
        return found

    def by_fingerprint(self, owner_id: int, fingerprint: str) -> int | None:
        found: int | None = self._connection.execute(_KNOWN, {"owner": owner_id, "fingerprint": fingerprint}).scalar()
        return found

    def met_again(
        self,
        owner_id: int,
        fingerprint: str,
        *,
        account_id: int,
        uid: str,
        folder: str,
        labels: Sequence[str],
        by_owner: bool,
        is_read: bool,
    ) -> int | None:
        row = self._connection.execute(
            select(mails.c.id, mails.c.account_id, mails.c.by_owner, mails.c.gone_at, accounts.c.removed_at)
            .outerjoin_from(mails, accounts, accounts.c.id == mails.c.account_id)
            .where(mails.c.owner_id == owner_id, mails.c.fingerprint == fingerprint)
        ).one()
        is_elsewhere = row.account_id not in (None, account_id) and row.gone_at is None and row.removed_at is None
        is_found_out = by_owner and not row.by_owner
        values: dict[str, Any] = {"by_owner": True, "is_read": True} if is_found_out else {}
        # Of a mail to oneself the copy that was sent is the one that counts.
        if not is_elsewhere and (by_owner or not row.by_owner):
            place = {"account_id": account_id, "uid": uid, "folder": folder, "labels": list(labels), "gone_at": None}
            values |= place | {"is_read": is_read}
        if values:
            self._connection.execute(update(mails).where(mails.c.id == row.id).values(**values))
        if is_found_out:
            self._own_documents(owner_id, row.id)
        return row.id if is_found_out else None

    def claim(self, owner_id: int, addresses: Collection[str], *, after: int, limit: int) -> tuple[int, int | None]:
        query = select(mails, text("'' AS text")).where(
            mails.c.owner_id == owner_id,
            mails.c.id > after,
            func.lower(mails.c.sender_address).in_(addresses),
            mails.c.import_id.is_not(None),
            mails.c.account_id.is_(None),
            text("by_owner = 0"),
        )
        looked = self._connection.execute(query.order_by(mails.c.id).limit(limit)).all()
        own = [row.id for row in looked if is_by(kept_of(row._mapping).mail, addresses)]
        self._own(owner_id, own)
        return len(own), looked[-1].id if looked else None

    def own_again(self, owner_id: int, fingerprints: Collection[str]) -> None:
        """The owner wrote these mails from files, as has turned out; what came by an account is left to its folders."""
        query = select(mails.c.id).where(
            mails.c.owner_id == owner_id,
            mails.c.fingerprint.in_(fingerprints),
            mails.c.account_id.is_(None),
            text("by_owner = 0"),
        )
        self._own(owner_id, self._connection.execute(query).scalars().all())

    def _own(self, owner_id: int, mail_ids: Collection[int]) -> None:
        self._connection.execute(update(mails).where(mails.c.id.in_(mail_ids)).values(by_owner=True, is_read=True))
        for one in mail_ids:
            self._own_documents(owner_id, one)

    def _own_documents(self, owner_id: int, mail_id: int) -> None:
        for ref in (f"mail:{mail_id}", *refs_under(self._connection, owner_id, attached_under(mail_id))):
            own_document(self._connection, owner_id, ref)

    def change(
        self, account_id: int, uid: str, *, folder: str, labels: Sequence[str], is_read: bool, now: datetime
    ) -> bool:
        changed = self._connection.execute(
            update(mails)
            .where(mails.c.account_id == account_id, mails.c.uid == uid)
            .values(folder=folder, labels=list(labels), is_read=is_read, gone_at=None)
            .returning(mails.c.id, mails.c.owner_id)
        ).all()
        place = self._place(account_id, folder)
        for row in changed:
            for ref in (f"mail:{row.id}", *refs_under(self._connection, row.owner_id, attached_under(row.id))):
                move_document(self._connection, row.owner_id, ref, place)
        if changed and self._exclusions().covers((), folder, *labels):
            self._counts.add(PASSED_OVER, owner_id=changed[0].owner_id, now=now, by=len(changed))
            erase_mails(self._connection, changed[0].owner_id, [row.id for row in changed], now=now)
        return bool(changed)

    def gone(self, account_id: int, uids: Collection[str], *, now: datetime) -> int:
        return sum(
            self._connection.execute(
                update(mails).where(mails.c.account_id == account_id, mails.c.uid.in_(some)).values(gone_at=now)
            ).rowcount
            for some in _in_slices(sorted(uids))
        )

    def say(self, mail_id: int, said: str) -> None:
        self._connection.execute(update(mails).where(mails.c.id == mail_id).values(said=said))

    def unsaid(self, owner_id: int, *, limit: int) -> list[int]:
        query = select(mails.c.id).where(mails.c.owner_id == owner_id, mails.c.said.is_(None))
        return list(self._connection.execute(query.order_by(mails.c.id.desc()).limit(limit)).scalars())

    def written_to(self, owner_id: int, *, limit: int = 2000) -> list[tuple[str, str]]:
        exclusions = self._exclusions()
        rows = self._connection.execute(
            select(mail_people.c.address, func.max(mail_people.c.name).label("name"))
            .join_from(mails, mail_people, mails.c.id == mail_people.c.mail_id)
            .where(
                mails.c.owner_id == owner_id,
                text("by_owner = 1"),
                mail_people.c.role.in_(("to", "cc")),
                mail_people.c.address.contains("@"),
            )
            .group_by(mail_people.c.address)
            .order_by(func.max(mails.c.id).desc())
            .limit(limit)
        )
        return [(row.name, row.address) for row in rows if not exclusions.covers([(row.name, row.address)])]

    def relation(self, owner_id: int, addresses: Collection[str]) -> Relation:
        people = [mailbox_of(one) for one in addresses]
        received = self._counted(owner_id, people, ("from",), by_owner=False)
        sent = self._counted(owner_id, people, ("to", "cc", "bcc"), by_owner=True)
        firsts = [row.first for row in (received, sent) if row.first is not None]
        return Relation(
            received=received.times,
            sent=sent.times,
            first_at=min(firsts, default=None),
            last_received_at=received.last,
            last_sent_at=sent.last,
        )

    def _counted(self, owner_id: int, people: Collection[str], roles: Collection[str], *, by_owner: bool) -> Row[Any]:
        return self._connection.execute(
            select(
                func.count(mails.c.id.distinct()).label("times"),
                func.min(mails.c.date_at).label("first"),
                func.max(mails.c.date_at).label("last"),
            )
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                mail_people.c.owner_id == owner_id,
                mail_people.c.address.in_(people),
                mail_people.c.role.in_(roles),
                mails.c.by_owner == by_owner,
            )
        ).one()

    def sightings(self, owner_id: int, *, limit: int) -> list[Seen]:
        rows = self._connection.execute(
            select(
                mail_people.c.mail_id,
                mail_people.c.address,
                mail_people.c.name,
                mail_people.c.role,
                mails.c.thread_id,
                mails.c.by_owner,
                mails.c.is_automated,
                mails.c.reply_to,
            )
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(mail_people.c.owner_id == owner_id, mail_people.c.role != "reply-to")
            .order_by(mails.c.id.desc())
            .limit(limit)
        ).all()
        ids = sorted({row.mail_id for row in rows})
        covered = {mail_id for some in _in_slices(ids) for mail_id in self.covered(some)}
        return [
            Seen(
                address=row.address,
                name=row.name,
                thread=str(row.thread_id),
                reply_to=(row.reply_to[0][1] or "") if row.reply_to and row.role == "from" else "",
                wrote=row.role == "from",
                by_owner=row.by_owner,
                is_automated=row.is_automated,
                mail=row.mail_id,
            )
            for row in rows
            if row.mail_id not in covered
        ]

    def most_written_to(self, owner_id: int) -> str:
        row = self._connection.execute(
            select(mail_people.c.address)
            .where(mail_people.c.owner_id == owner_id, mail_people.c.role == "to", mail_people.c.address.like("%@%"))
            .group_by(mail_people.c.address)
            .order_by(func.count().desc(), mail_people.c.address)
            .limit(1)
        ).first()
        return row.address if row else ""

    def own_names(self, owner_id: int) -> list[str]:
        rows = self._connection.execute(
            select(mails.c.sender_name, func.count().label("times"))
            .where(mails.c.owner_id == owner_id, text("by_owner = 1"), mails.c.sender_name != "")
            .group_by(mails.c.sender_name)
            .order_by(text("times DESC"))
            .limit(OWN_NAMES_MAX)
        )
        return [row.sender_name for row in rows]

    def written_at(self, owner_id: int, addresses: Collection[str], *, limit: int = 200) -> list[datetime]:
        rows = self._connection.execute(
            select(mails.c.date_at)
            .join_from(mail_people, mails, mails.c.id == mail_people.c.mail_id)
            .where(
                mail_people.c.owner_id == owner_id,
                mail_people.c.address.in_([mailbox_of(one) for one in addresses]),
                mail_people.c.role == "from",
                mails.c.date_at.is_not(None),
            )
            .order_by(mails.c.date_at.desc())
            .limit(limit)
        )
        return list(rows.scalars())

    def count(self, owner_id: int, *, account_id: int | None = None) -> int:
        query = select(func.count()).select_from(mails).where(mails.c.owner_id == owner_id)
        if account_id is not None:
            query = query.where(mails.c.account_id == account_id)
        return self._connection.execute(query).scalar_one()

    def covered(self, mail_ids: Collection[int]) -> set[int]:
        """Those of these mails that the exclusions cover."""
        exclusions = self._exclusions()
        if exclusions.is_empty or not mail_ids:
            return set()
        rows = self._connection.execute(select(*_WHO_AND_WHERE).where(mails.c.id.in_(mail_ids)))
        return {row.id for row in rows if exclusions.covers(addresses_of(row._mapping), row.folder, *row.labels)}

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        if self._exclusions().is_empty:
            return 0
        self._bearing.of_everything(owner_id)
        ids = list(self._connection.execute(select(mails.c.id).where(mails.c.owner_id == owner_id)).scalars())
        covered = [mail_id for some in _in_slices(ids) for mail_id in self.covered(some)]
        for some in _in_slices(covered):
            erase_mails(self._connection, owner_id, some, now=now)
        return len(covered)

    def _where(self, condition: Any) -> list[KeptMail]:
        return self._read(self._connection.execute(_WITH_TEXT.where(condition)))

    def _read(self, rows: Iterable[Row[Any]]) -> list[KeptMail]:
        """The one lookup that every read of a mail passes."""
        exclusions = self._exclusions()
        found = [kept_of(row._mapping) for row in rows]
        if not exclusions.is_empty:
            found = [kept for kept in found if not exclusions.covers(people_of(kept.mail), kept.folder, *kept.labels)]
        self._looked.update(f"mail:{kept.id}" for kept in found)
        return found


def _literal(value: datetime | int) -> Any:
    column = mails.c.date_at if isinstance(value, datetime) else mails.c.id
    return bindparam(None, value, type_=column.type, unique=True)


def _in_slices(values: Sequence[Any]) -> list[Sequence[Any]]:
    return [values[start : start + _BATCH] for start in range(0, len(values), _BATCH)]
