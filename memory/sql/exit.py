"""Drafts, approvals and dispatches. A change of state is stored only where the state is still the one it starts from."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, or_, select, update

from memory.approval import Approval, NewApproval
from memory.dispatch import Dispatch, DispatchStep, Transport
from memory.draft import Draft
from memory.envelope import Envelope, from_json
from memory.errors import NotFound
from memory.sql.chain import append
from memory.sql.exit_schema import OPEN, WAITING, approvals, dispatch_steps, dispatches, drafts
from memory.sql.rows import put, within


class SqlDrafts:
    """See memory.tables.exit.Drafts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def keep(
        self,
        owner_id: int,
        envelope: Envelope,
        *,
        because: str,
        now: datetime,
        answers_id: int | None = None,
        event_id: int | None = None,
        chosen: tuple[tuple[str, int], ...] = (),
        doubts: Mapping[str, str] | None = None,
        playbook: str = "",
    ) -> Draft:
        values: dict[str, Any] = {
            "owner_id": owner_id,
            "because": because,
            "created_at": now,
            "answers_id": answers_id,
            "event_id": event_id,
            "chosen": [list(one) for one in chosen],
            "doubts": dict(doubts or {}),
            "playbook": playbook,
        }
        draft_id = put(self._connection, drafts, {**values, "envelope": envelope.to_bytes().decode()})
        return self.get(draft_id)

    def get(self, draft_id: int) -> Draft:
        row = self._connection.execute(select(drafts).where(drafts.c.id == draft_id)).mappings().first()
        if row is None:
            raise NotFound(f"there is no draft {draft_id}")
        chosen = tuple((str(address), int(card)) for address, card in row["chosen"])
        return Draft(**{**row, "envelope": from_json(row["envelope"].encode()), "chosen": chosen})

    def erase(self, draft_id: int) -> None:
        self._connection.execute(drafts.delete().where(drafts.c.id == draft_id))


class SqlApprovals:
    """See memory.tables.exit.Approvals."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ask(self, new: NewApproval, *, now: datetime, expires_for: timedelta) -> Approval:
        asked = new.asked(0, now, expires_for=expires_for)
        values = asdict(asked)
        del values["id"]
        return replace(asked, id=put(self._connection, approvals, values))

    def get(self, approval_id: int) -> Approval | None:
        found = self._where(approvals.c.id == approval_id)
        return found[0] if found else None

    def store(self, approval: Approval, *, before: Approval) -> bool:
        values = asdict(approval)
        stored = self._connection.execute(
            update(approvals)
            .where(
                approvals.c.id == before.id,
                approvals.c.state == before.state,
                approvals.c.card_id.is_(before.card_id)
                if before.card_id is None
                else approvals.c.card_id == before.card_id,
            )
            .values({name: values[name] for name in _CHANGES})
        )
        return stored.rowcount == 1

    def akin(self, owner_id: int, *, digest: str, matter: str, since: datetime) -> list[Approval]:
        return self._where(
            (approvals.c.owner_id == owner_id)
            & or_(approvals.c.digest == digest, approvals.c.matter == matter, approvals.c.asked_at >= since)
        )

    def waiting(self, owner_id: int) -> list[Approval]:
        return self._where((approvals.c.owner_id == owner_id) & WAITING)

    def of_card(self, card_id: int) -> Approval | None:
        found = self._where(approvals.c.card_id == card_id)
        return found[0] if found else None

    def of_playbook(self, owner_id: int, playbook: str) -> list[Approval]:
        of_it = select(drafts.c.id).where(
            drafts.c.owner_id == owner_id,
            or_(drafts.c.playbook == playbook, drafts.c.playbook.startswith(f"{playbook}:", autoescape=True)),
        )
        return self._where((approvals.c.owner_id == owner_id) & approvals.c.draft_id.in_(of_it))

    def _where(self, condition: Any) -> list[Approval]:
        rows = self._connection.execute(select(approvals).where(condition).order_by(approvals.c.id)).mappings()
        return [Approval(**row) for row in rows]


_CHANGES = ("state", "because", "expires_at", "card_id", "card_digest", "changed_at", "tapped_by")


class SqlDispatches:
    """See memory.tables.exit.Dispatches."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, approval: Approval, transport: Transport, *, now: datetime) -> Dispatch:
        values: dict[str, Any] = {
            "owner_id": approval.owner_id,
            "approval_id": approval.id,
            "digest": approval.digest,
            "transport": transport,
            "state": "taken",
            "because": "the approval was spent",
            "taken_at": now,
            "changed_at": now,
            "handle": "",
            "witness": "",
            "attempts": 0,
            "settled_by": "",
        }
        dispatch = Dispatch(id=put(self._connection, dispatches, values), **values)
        self._step(dispatch, now, tapped_by=approval.tapped_by)
        return dispatch

    def get(self, dispatch_id: int) -> Dispatch | None:
        found = self._where(dispatches.c.id == dispatch_id)
        return found[0] if found else None

    def of_approval(self, approval_id: int) -> Dispatch | None:
        found = self._where(dispatches.c.approval_id == approval_id)
        return found[0] if found else None

    def store(self, dispatch: Dispatch, *, before: Dispatch) -> bool:
        values = asdict(dispatch)
        stored = self._connection.execute(
            update(dispatches)
            .where(dispatches.c.id == before.id, dispatches.c.state == before.state)
            .values({name: values[name] for name in _MOVES})
        )
        if stored.rowcount != 1:
            return False
        if dispatch.state != before.state:
            self._step(dispatch, dispatch.changed_at, tapped_by=None)
        return True

    def open(self, owner_id: int) -> list[Dispatch]:
        return self._where((dispatches.c.owner_id == owner_id) & OPEN)

    def latest(self, owner_id: int, limit: int) -> list[Dispatch]:
        query = select(dispatches).where(dispatches.c.owner_id == owner_id).order_by(dispatches.c.id.desc())
        return [Dispatch(**row) for row in self._connection.execute(query.limit(limit)).mappings()]

    def steps(self, owner_id: int, since: datetime | None, until: datetime | None) -> Iterator[DispatchStep]:
        columns = [dispatch_steps.c[name] for name in DispatchStep.__dataclass_fields__]
        at = dispatch_steps.c.at
        query = select(*columns).where(dispatch_steps.c.owner_id == owner_id, *within(at, since, until))
        rows = self._connection.execute(query.order_by(at.desc(), dispatch_steps.c.id.desc())).mappings()
        return (DispatchStep(**row) for row in rows)

    def _step(self, dispatch: Dispatch, now: datetime, *, tapped_by: int | None) -> None:
        step_id = put(
            self._connection,
            dispatch_steps,
            {
                "owner_id": dispatch.owner_id,
                "dispatch_id": dispatch.id,
                "approval_id": dispatch.approval_id,
                "digest": dispatch.digest,
                "transport": dispatch.transport,
                "state": dispatch.state,
                "because": dispatch.because,
                "attempts": dispatch.attempts,
                "tapped_by": tapped_by,
                "at": now,
            },
        )
        append(self._connection, "dispatch", dispatch.owner_id, step_id)

    def _where(self, condition: Any) -> list[Dispatch]:
        rows = self._connection.execute(select(dispatches).where(condition).order_by(dispatches.c.id)).mappings()
        return [Dispatch(**row) for row in rows]


_MOVES = ("state", "because", "changed_at", "handle", "witness", "attempts", "settled_by")
