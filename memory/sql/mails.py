"""Imported mail, and how far each import came."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.mail import Mail
from memory.search.passage import Passage
from memory.sql.passages import keep_passage
from memory.sql.rows import put
from memory.sql.schema import import_faults, import_files, imports, mails

_KNOWN = select(mails.c.id).where(
    mails.c.owner_id == bindparam("owner"), mails.c.fingerprint == bindparam("fingerprint")
)


def _row_of(mail: Mail) -> dict[str, Any]:
    marks = {
        "senders_disagree": mail.senders_disagree,
        "was_cut": mail.was_cut,
        "html_hidden": mail.html_hidden,
        "parts_disagree": mail.parts_disagree,
        "faults": list(mail.faults),
    }
    return {
        "fingerprint": mail.fingerprint,
        "message_id": mail.message_id,
        "sender_name": mail.sender.name if mail.sender else "",
        "sender_address": (mail.sender.address if mail.sender else "") or "",
        "recipients": [[kind, one.name, one.address] for kind in ("to", "cc") for one in getattr(mail, kind)],
        "subject": mail.subject,
        "date_at": mail.date_at,
        "in_reply_to": mail.in_reply_to,
        "reference_ids": list(mail.references),
        "attachments": [asdict(attachment) for attachment in mail.attachments],
        "list_id": mail.list_id,
        "is_automated": mail.is_automated,
        "marks": marks,
    }


def _who(mail: Mail) -> str:
    if mail.sender is None:
        return "unknown sender"
    name, address = mail.sender.name, mail.sender.address or ""
    return f"{name} <{address}>" if name and address else name or address or "unknown sender"


class SqlMails:
    """See memory.ledger.Mails."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
        faults: Sequence[tuple[int, str]],
        end_byte: int,
        now: datetime,
    ) -> int:
        new = sum(self._keep(owner_id, import_id, mail) for mail in mails)
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
                repeated=imports.c.repeated + len(mails) - new,
                bad=imports.c.bad + len(faults),
            )
        )
        return new

    def _keep(self, owner_id: int, import_id: int, mail: Mail) -> bool:
        if self._connection.execute(_KNOWN, {"owner": owner_id, "fingerprint": mail.fingerprint}).first() is not None:
            return False
        new_id = put(self._connection, mails, {"owner_id": owner_id, "import_id": import_id, **_row_of(mail)})
        passage = Passage(
            corpus="mail",
            ref=f"mail:{new_id}",
            who=_who(mail),
            title=mail.subject,
            text=mail.text,
            at=mail.date_at,
        )
        keep_passage(self._connection, owner_id, passage)
        return True

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

    def count(self, owner_id: int) -> int:
        return self._connection.execute(
            select(func.count()).select_from(mails).where(mails.c.owner_id == owner_id)
        ).scalar_one()
