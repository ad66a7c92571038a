"""Imported mail, and how far each import came."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.authenticity import is_by
from memory.mail import Mail
from memory.sql.mails import SqlMails
from memory.sql.schema import import_faults, import_files, imports


class SqlImports:
    """See memory.tables.imports.Imports."""

    def __init__(self, connection: Connection, mails: SqlMails) -> None:
        self._connection = connection
        self._mails = mails

    def begin(self, *, owner_id: int, path: str, files: Sequence[tuple[str, int]], now: datetime) -> int:
        statement = upsert(imports).values(
            owner_id=owner_id, path=path, state="running", started_at=now, new=0, repeated=0, bad=0
        )
        import_id: int = self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=["owner_id", "path"], set_={"state": "running", "finished_at": None}
            ).returning(imports.c.id)
        ).scalar_one()
        for file, size_bytes in files:
            row = upsert(import_files).values(import_id=import_id, file=file, size_bytes=size_bytes, position=0)
            # A file that has shrunk was replaced: it is read again from its start, and what is known is skipped.
            self._connection.execute(
                row.on_conflict_do_update(
                    index_elements=["import_id", "file"],
                    set_={
                        "size_bytes": size_bytes,
                        "position": func.iif(import_files.c.size_bytes > size_bytes, 0, import_files.c.position),
                    },
                )
            )
        return import_id

    def position(self, import_id: int, file: str) -> int:
        found = self._connection.execute(
            select(import_files.c.position).where(import_files.c.import_id == import_id, import_files.c.file == file)
        ).scalar()
        return found or 0

    def add(
        self,
        *,
        owner_id: int,
        import_id: int,
        file: str,
        mails: Sequence[Mail],
        mine: Collection[str],
        faults: Sequence[tuple[int, str]],
        end_byte: int,
        now: datetime,
        attached: Mapping[str, Mapping[int, str]] | None = None,
    ) -> int:
        by_owner = [is_by(mail, mine) for mail in mails]
        kept = [
            self._mails.keep(
                owner_id,
                mail,
                import_id=import_id,
                by_owner=is_own,
                now=now,
                attached=(attached or {}).get(mail.fingerprint),
            )
            for mail, is_own in zip(mails, by_owner, strict=True)
        ]
        # A copy to oneself may have come first, from a server that proves nothing.
        self._mails.own_again(
            owner_id, [one.fingerprint for one, is_own in zip(mails, by_owner, strict=True) if is_own]
        )
        new = sum(isinstance(one, int) for one in kept)
        for byte, reason in faults:
            row = upsert(import_faults).values(import_id=import_id, file=file, byte=byte, reason=reason)
            self._connection.execute(row.on_conflict_do_nothing())
        self._connection.execute(
            update(import_files)
            .where(import_files.c.import_id == import_id, import_files.c.file == file)
            .values(position=end_byte)
        )
        self._connection.execute(
            update(imports)
            .where(imports.c.id == import_id)
            .values(
                new=imports.c.new + new,
                repeated=imports.c.repeated + kept.count("known"),
                bad=imports.c.bad + len(faults),
            )
        )
        return new

    def finish(self, import_id: int, *, now: datetime) -> Mapping[str, int]:
        row = self._connection.execute(
            update(imports)
            .where(imports.c.id == import_id)
            .values(state="done", finished_at=now)
            .returning(imports.c.new, imports.c.repeated, imports.c.bad)
        ).one()
        return {"read": row.new + row.repeated + row.bad, "new": row.new, "repeated": row.repeated, "bad": row.bad}

    def faults(self, import_id: int, limit: int = 50) -> list[tuple[str, int, str]]:
        rows = self._connection.execute(
            select(import_faults.c.file, import_faults.c.byte, import_faults.c.reason)
            .where(import_faults.c.import_id == import_id)
            .order_by(import_faults.c.file, import_faults.c.byte)
            .limit(limit)
        )
        return [(file, byte, reason) for file, byte, reason in rows]

    def all(self, *, owner_id: int) -> list[tuple[str, bool, int]]:
        rows = self._connection.execute(
            select(imports.c.path, imports.c.state, imports.c.bad)
            .where(imports.c.owner_id == owner_id)
            .order_by(imports.c.id)
        )
        return [(row.path, row.state == "done", row.bad) for row in rows]
