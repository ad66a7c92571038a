"""The verdict ledger: what was judged, by which judge, on which evidence. Rows are only ever added."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select
from sqlalchemy.dialects.sqlite import insert as upsert

from memory.judgement import Judgement
from memory.sql.mail_schema import mails, verdict_reasons, verdicts
from memory.verdict import Verdict

_WHOLE = select(verdicts, verdict_reasons.c.reason, verdict_reasons.c.findings).select_from(
    verdicts.outerjoin(verdict_reasons, verdict_reasons.c.verdict_id == verdicts.c.id)
)
_MOST = 5_000


class SqlVerdicts:
    """See memory.tables.mail.Verdicts."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, owner_id: int, evidence: str, judge: str) -> Judgement | None:
        found = self._where(
            (verdicts.c.owner_id == owner_id) & (verdicts.c.evidence == evidence) & (verdicts.c.judge == judge)
        )
        return found[0] if found else None

    def record(
        self,
        *,
        owner_id: int,
        mail_id: int,
        thread_id: int,
        evidence: str,
        judge: str,
        verdict: Verdict,
        code: str,
        probability: float | None,
        findings: Sequence[Mapping[str, Any]],
        now: datetime,
    ) -> Judgement | None:
        if self.find(owner_id, evidence, judge) is not None:
            return None
        row = upsert(verdicts).values(
            owner_id=owner_id,
            mail_id=mail_id,
            thread_id=thread_id,
            evidence=evidence,
            judge=judge,
            what=verdict.what,
            consequence=verdict.consequence,
            stage=verdict.stage,
            probability=probability,
            code=code,
            at=now,
        )
        verdict_id: int = self._connection.execute(row.returning(verdicts.c.id)).scalar_one()
        self._connection.execute(
            upsert(verdict_reasons).values(
                verdict_id=verdict_id, reason=verdict.reason, findings=[dict(finding) for finding in findings]
            )
        )
        return self.get(verdict_id)

    def get(self, verdict_id: int) -> Judgement | None:
        found = self._where(verdicts.c.id == verdict_id)
        return found[0] if found else None

    def of_mail(self, owner_id: int, mail_id: int) -> list[Judgement]:
        return self._where((verdicts.c.owner_id == owner_id) & (verdicts.c.mail_id == mail_id))

    def of_thread(self, owner_id: int, thread_id: int) -> list[Judgement]:
        # Threads that turned out to be one have been joined since: the mails know where they are now.
        mail_ids = select(mails.c.id).where(mails.c.thread_id == thread_id)
        of_thread = (verdicts.c.thread_id == thread_id) | verdicts.c.mail_id.in_(mail_ids)
        return self._where((verdicts.c.owner_id == owner_id) & of_thread)

    def since(self, owner_id: int, since: datetime) -> list[Judgement]:
        return self._where((verdicts.c.owner_id == owner_id) & (verdicts.c.at >= since))

    def standing(self, owner_id: int, since: datetime, *, limit: int = 200) -> list[Judgement]:
        told = verdicts.c.what.in_(("notify", "hold", "loop"))
        query = _WHOLE.where(verdicts.c.owner_id == owner_id, verdicts.c.at >= since, told)
        newest = query.order_by(verdicts.c.at.desc(), verdicts.c.id.desc()).limit(limit)
        return [_judgement(row) for row in self._connection.execute(newest)]

    def _where(self, condition: Any) -> list[Judgement]:
        rows = self._connection.execute(_WHOLE.where(condition).order_by(verdicts.c.id).limit(_MOST))
        return [_judgement(row) for row in rows]


def _judgement(row: Row[Any]) -> Judgement:
    return Judgement(
        id=row.id,
        owner_id=row.owner_id,
        mail_id=row.mail_id,
        thread_id=row.thread_id,
        evidence=row.evidence,
        judge=row.judge,
        verdict=Verdict(what=row.what, consequence=row.consequence, reason=row.reason or "", stage=row.stage),
        probability=row.probability,
        code=row.code,
        findings=tuple(row.findings or ()),
        at=row.at,
    )
