"""Why: what was decided about a mail and on what grounds, read from the verdict ledger; also of those that were silent."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memory.foreign import foreign
from memory.judgement import Judgement
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.markdown import escaped
from memory.owner import Owner
from memory.search.passage import Corpus
from memory.wording import say, when
from tools import mail_card

JUDGEMENTS_MAX = 4
"""The newest so many are told; a long thread was judged at every mail."""

FINDINGS_MAX = 5

MAILS_MAX = 3

REASON_MAX = 400

_MAIL: tuple[Corpus, ...] = ("mail",)

_STAGES = {"rule": "rule", "decision model": "decision", "model": "model", "owner": "owner"}


def of_thread(t: Tables, owner: Owner, thread_id: int, now: datetime) -> str:
    """The judgements on a thread, newest first, as Markdown."""
    judged = t.verdicts.of_thread(owner.id, thread_id)[-JUDGEMENTS_MAX:]
    return "\n".join(line for one in reversed(judged) for line in _lines(one, owner, now))


def of_mail(t: Tables, owner: Owner, kept: KeptMail, now: datetime) -> str:
    """What became of one mail, as Markdown."""
    language = owner.language
    head = say(
        language,
        "why_mail",
        who=mail_card.who(kept, language),
        subject=mail_card.subject(kept, language),
        when=_when(kept.at, owner, now),
    )
    if kept.by_owner:
        return f"{head}\n{say(language, 'why_own')}"
    judged = t.verdicts.of_mail(owner.id, kept.id) or t.verdicts.of_thread(owner.id, kept.thread_id)
    if not judged:
        return say(language, "why_unjudged", mail=head)
    return "\n".join((head, *(line for one in reversed(judged[-JUDGEMENTS_MAX:]) for line in _lines(one, owner, now))))


def asked(t: Tables, owner: Owner, words: str, now: datetime) -> str:
    """What became of the mails that `words` find, the best few."""
    hits = t.search.find(owner.id, words, limit=MAILS_MAX, corpora=_MAIL, now=now)
    found = t.mails.some([int(hit.ref.removeprefix("mail:")) for hit in hits])
    by_id = {kept.id: kept for kept in found}
    ordered: Sequence[KeptMail] = [
        by_id[mail_id] for hit in hits if (mail_id := int(hit.ref.removeprefix("mail:"))) in by_id
    ]
    return "\n\n".join(of_mail(t, owner, kept, now) for kept in ordered) or say(owner.language, "why_none")


def _lines(judgement: Judgement, owner: Owner, now: datetime) -> Iterator[str]:
    language, verdict = owner.language, judgement.verdict
    yield say(
        language,
        "why_verdict",
        when=_when(judgement.at, owner, now),
        what=say(language, f"what_{verdict.what}"),
        consequence=verdict.consequence,
        stage=say(language, f"stage_{_STAGES[verdict.stage]}"),
        reason=foreign(verdict.reason, REASON_MAX),
    )
    for finding in judgement.findings[:FINDINGS_MAX]:
        if finding.get("quote"):
            quote = foreign(str(finding["quote"]), REASON_MAX)
            yield say(language, "why_finding", kind=escaped(str(finding["kind"])), quote=f"“{quote}”")
    if judgement.probability is not None:
        yield say(language, "why_probability", share=judgement.probability)
    yield say(language, "why_ids", evidence=judgement.evidence[:12], judge=escaped(judgement.judge))


def _when(at: datetime, owner: Owner, now: datetime) -> str:
    return when(owner.zones.wall_at(at), owner.zones.wall_at(now).date(), owner.language)
