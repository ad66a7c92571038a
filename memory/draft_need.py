"""Whether a draft is worth making: an answer is owed, somebody asks something, and it is the owner who is asked.

    latest mail ─ the owner's, a robot's, doubtful, only a courtesy, an invitation, copied in, asks nothing ─► none, and why
             └── asks the owner, or has hung unanswered ─────────────────────────────────────────────────────► a draft

No model is asked, and a draft that nobody wanted is noise like any other. The owner can have one for any mail by asking.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from memory.evidence import Evidence
from memory.owner import Language
from memory.provenance import answerable
from memory.refusal import Refusal
from memory.verdict import What

Because = Literal[
    "asked",
    "hanging",
    "own",
    "bounce",
    "robot",
    "answer elsewhere",
    "doubtful",
    "invitation",
    "courtesy",
    "copied",
    "unworthy",
    "old",
    "tells",
]

WORDS: Mapping[Because, tuple[str, str]] = {
    # (English, German)
    "asked": ("something is asked of you", "es wird etwas von dir erbeten"),
    "hanging": ("somebody has waited days for your answer", "jemand wartet seit Tagen auf deine Antwort"),
    "own": ("you had the last word", "du hattest das letzte Wort"),
    "bounce": ("a server reports that something did not arrive", "ein Server meldet, dass etwas nicht ankam"),
    "robot": (
        "nobody wrote this, so nobody reads an answer",
        "das hat niemand geschrieben, also liest niemand die Antwort",
    ),
    "answer elsewhere": (
        "it can't be told for certain to whom an answer would go",
        "es ist nicht sicher, an wen eine Antwort ginge",
    ),
    "doubtful": ("it is not certain who wrote this", "es ist nicht sicher, wer das geschrieben hat"),
    "invitation": ("an invitation is answered by its buttons", "eine Einladung wird über ihre Knöpfe beantwortet"),
    "courtesy": ("it says thanks or fine, and expects nothing", "es sagt Danke oder gut, und erwartet nichts"),
    "copied": (
        "you are only copied in and nothing is asked of you",
        "du bist nur in Kopie und es wird nichts von dir erwartet",
    ),
    "unworthy": ("it was judged to be noise", "es wurde als Rauschen beurteilt"),
    "old": ("it is from long ago", "es ist lange her"),
    "tells": ("it tells something and asks nothing", "es teilt etwas mit und fragt nichts"),
}


@dataclass(frozen=True, slots=True)
class DraftNeed:
    """Whether a draft is made, and why; `quote`: the words of the mail that ask, where there are any."""

    is_needed: bool
    because: Because
    quote: str = ""


def draft_need(evidence: Evidence, *, own: Collection[str], verdict: What | None = None) -> DraftNeed:
    """Whether the latest mail of a thread calls for a draft. own: the owner's addresses. verdict: the judge's, if any."""
    because = _ruled_out(evidence, own) or _not_worth_it(evidence, verdict)
    if because:
        return DraftNeed(False, because)
    if asked := evidence.finding("request"):
        return DraftNeed(True, "asked", asked.quote)
    if hanging := evidence.finding("hanging"):
        return DraftNeed(True, "hanging", hanging.quote)
    return DraftNeed(False, "tells")


def in_words(need: DraftNeed, language: Language) -> str:
    """Why, in the owner's language."""
    english, german = WORDS[need.because]
    return german if language == "de" else english


def _ruled_out(evidence: Evidence, own: Collection[str]) -> Because | None:
    """Why nothing may be answered, or nobody would read it."""
    mail = evidence.latest.mail
    if evidence.latest.by_owner:
        return "own"
    if mail.is_bounce or evidence.finding("bounce"):
        return "bounce"
    if mail.is_automated or evidence.is_bulk():
        return "robot"
    if evidence.is_doubtful:
        return "doubtful"
    return "answer elsewhere" if isinstance(answerable(mail, own), Refusal) else None


def _not_worth_it(evidence: Evidence, verdict: What | None) -> Because | None:
    if evidence.finding("invitation"):
        return "invitation"
    if evidence.finding("courtesy"):
        return "courtesy"
    if evidence.finding("copied") or not evidence.is_direct:
        return "copied"
    if verdict == "ignore":
        return "unworthy"
    return None if evidence.is_current or evidence.finding("hanging") else "old"
