"""What was sent that is more than text."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select, update

from memory.errors import NotFound
from memory.file import Fetched, NewFile, StoredFile, Then, safe_name
from memory.search.document import Document
from memory.sql.passages import keep_document, text_of
from memory.sql.rows import put
from memory.sql.schema import files, messages
from memory.sql.search_schema import passages


class SqlFiles:
    """See memory.ledger.Files."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def want(self, file: NewFile, *, refused_because: str | None, now: datetime) -> StoredFile:
        known = self._where(files.c.message_id == file.message_id)
        if known:
            return known[0]
        values = {
            "owner_id": file.owner_id,
            "message_id": file.message_id,
            "channel": file.channel,
            "channel_file_id": file.channel_file_id,
            "kind": file.kind,
            "name": safe_name(file.name, kind=file.kind),
            "media_type": file.media_type,
            "size_bytes": file.size_bytes,
            "is_forwarded": file.is_forwarded,
            "state": "wanted" if refused_because is None else "refused",
            "text_state": "none",
            "because": refused_because,
            "received_at": now,
            "settled_at": None if refused_because is None else now,
        }
        stored = self.get(put(self._connection, files, values))
        self._make_findable(stored, who=file.who, text="")
        return stored

    def _make_findable(self, file: StoredFile, *, who: str, text: str) -> None:
        keep_document(
            self._connection,
            file.owner_id,
            Document(
                corpus="file",
                ref=_ref(file.id),
                who=who,
                title=file.name,
                text=text,
                at=file.received_at,
                tags=_tags(file.media_type, file.name),
            ),
        )

    def get(self, file_id: int) -> StoredFile:
        found = self._where(files.c.id == file_id)
        if not found:
            raise NotFound(f"there is no file {file_id}")
        return found[0]

    def of_turn(self, turn_id: int) -> list[StoredFile]:
        return self._where(files.c.message_id.in_(_messages_of(turn_id)))

    def of_messages(self, message_ids: Collection[int]) -> list[StoredFile]:
        return self._where(files.c.message_id.in_(sorted(message_ids))) if message_ids else []

    def _where(self, condition: Any) -> list[StoredFile]:
        rows = self._connection.execute(select(files).where(condition).order_by(files.c.message_id)).mappings()
        return [StoredFile(**{name: row[name] for name in row if name != "settled_at"}) for row in rows]

    def wanted_since(self, owner_id: int, since: datetime) -> int:
        return self._connection.execute(
            select(func.count()).where(
                files.c.owner_id == owner_id, files.c.settled_at.is_(None), files.c.received_at >= since
            )
        ).scalar_one()

    def plan(self, turn_id: int, then: Then | None) -> None:
        self._connection.execute(
            update(files).where(files.c.message_id.in_(_messages_of(turn_id))).values(then_do=then)
        )

    def keep(self, file_id: int, fetched: Fetched, *, now: datetime) -> StoredFile | None:
        kept = self._settle(
            file_id,
            state="kept",
            sha256=fetched.sha256,
            size_bytes=fetched.size_bytes,
            media_type=fetched.media_type,
            text_state=fetched.text_state,
            pages=fetched.pages,
            because=fetched.because,
            settled_at=now,
        )
        if kept is not None and fetched.text:
            self._make_findable(kept, who=self._who(kept), text=fetched.text)
        return kept

    def fail(self, file_id: int, *, because: str, now: datetime) -> StoredFile | None:
        return self._settle(file_id, state="failed", because=because, settled_at=now)

    def _settle(self, file_id: int, **values: Any) -> StoredFile | None:
        changed = self._connection.execute(
            update(files).where(files.c.id == file_id, files.c.state == "wanted").values(**values)
        )
        return self.get(file_id) if changed.rowcount else None

    def _who(self, file: StoredFile) -> str:
        found = self._connection.execute(
            select(passages.c.who).where(passages.c.owner_id == file.owner_id, passages.c.ref == _ref(file.id))
        ).scalar()
        return found or ""

    def text(self, file_id: int) -> str:
        found = self._connection.execute(
            select(text_of(files.c.owner_id, _ref(file_id))).where(files.c.id == file_id)
        ).scalar()
        return found or ""

    def holds(self, sha256: str) -> bool:
        return self._connection.execute(select(files.c.id).where(files.c.sha256 == sha256)).first() is not None


def _ref(file_id: int) -> str:
    return f"file:{file_id}"


def _tags(media_type: str, name: str) -> tuple[str, ...]:
    kinds = {"image": "photo", "audio": "voice"}
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    return tuple(tag for tag in (kinds.get(media_type.partition("/")[0], ""), ending) if tag)


def _messages_of(turn_id: int) -> Any:
    return select(messages.c.id).where(messages.c.turn_id == turn_id).scalar_subquery()
