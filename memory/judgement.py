"""A judgement: a verdict on record, on one piece of evidence by one version of the judge. Never made twice for the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One row of the verdict ledger.

    evidence: the hash of what was judged. judge: the version that judged. probability: what the local decision model
    gave, None when it was not asked. code: the reason's name, without content. findings: what the detectors found, with
    the words that they rest on; empty once those were erased.
    """

    id: int
    owner_id: int
    mail_id: int
    thread_id: int
    evidence: str
    judge: str
    verdict: Verdict
    probability: float | None
    code: str
    findings: Sequence[Mapping[str, Any]]
    at: datetime
