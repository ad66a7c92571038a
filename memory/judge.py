"""The judge: what a mail deserves. Rules first, then the local decision model, then one model call for what is in doubt.

    rules(evidence)  ─ decided ─────────────────────────────────────────────────────────► settle
        │ undecided
        ▼
    probability ─► band ─ below, above, or nobody to ask ─► by_probability ─────────────► settle
                     └─ inside ─► one stateless call (tools/judging) ─ failed ─► by_probability

Somebody at seven in the morning wants to hear of what is lost if they sleep on it, and of nothing else. So few rules
ping, and each of them rests on something that can be shown: a line of the mail, a date, a name on the owner's own list.
A probability never pings: that they will answer does not mean that it can't wait for coffee.

The rules, in their order; the first that fits decides. "Known": the owner has written to the sender or has them among the
contacts. "Theirs": known, or the sender's domain stands behind the mail. "Doubtful" senders never ping (settle).

| code               | when                                                                    | verdict | consequence |
|--------------------|-------------------------------------------------------------------------|---------|-------------|
| own                | the owner has the last word                                             | log     | 0           |
| waiting            | asked for: they asked something days ago and nobody answered            | loop    | 0.4         |
| hanging            | asked for: they were asked something days ago and have not answered     | loop    | 0.5         |
| old                | from the past of a mailbox and over a week old                          | log     | 0           |
| bounced            | a server failed to deliver the owner's own mail of this thread          | notify  | 0.7         |
| bounced_some       | the same, of a mail to more than five                                   | hold    | 0.4         |
| bounce_other       | delayed, or of a mail that nobody here knows                            | log     | 0.1         |
| trip               | theirs, no advertising: a journey is cancelled or changed, and it is    |         |             |
|                    | within two days or no date is named                                     | notify  | 0.8         |
| trip_later         | the same, later                                                         | hold    | 0.5         |
| trip_unsure        | the same in an automatic mail to them, not theirs and not doubtful      | hold    | 0.4         |
| invited_soon       | known, by its organizer: planned or called off, begins within 12 hours  | notify  | 0.7         |
| invited            | known or by its organizer and theirs; or a counter-proposal             | hold    | 0.4         |
| invited_reply      | somebody accepted or declined                                           | log     | 0.1         |
| invited_foreign    | any other invitation                                                    | log     | 0.2         |
| code               | a code or link for signing in: they have just asked for it              | log     | 0.1         |
| breach             | theirs and to them: access by somebody else, a lock, a changed password | hold    | 0.6         |
| dunning            | automatic, not advertising, from a sender seen before and not doubtful: |         |             |
|                    | overdue money, or a stated deadline within a week                       | hold    | 0.5         |
| dunning_unsure     | overdue money, automatic and to them, from a stranger not doubtful      | hold    | 0.4         |
| marketing          | advertising, newsletters                                                | ignore  | 0           |
| list, automated,   | what no person wrote to the owner                                       | log     | 0.05        |
| auto-reply         |                                                                         |         |             |
| doubtful           | somebody known, whose mail may not be theirs                            | hold    | 0.4         |
| doubtful_stranger  | a stranger whose address does not stand up to a check                   | log     | 0.1         |
| urgent             | on the urgent list, and something is asked or due within two days       | notify  | 0.8         |
| urgent_fyi         | on the urgent list                                                      | hold    | 0.4         |
| emergency          | known and to the owner: an emergency, or an answer wanted within the hour | notify  | 0.8         |
| emergency_stranger | the same from a person unknown                                          | hold    | 0.5         |
| changed_today      | known, to the owner: something within 24 hours is moved or called off   | notify  | 0.7         |
| courtesy           | thanks, fine, see you                                                   | log     | 0           |
| due_soon           | known, to the owner, due within 24 hours, and asked for or so stated    | notify  | 0.8         |
| fyi                | says that it wants no answer or only informs, nothing of weight in it   | log     | 0.1         |
| copied             | only copied in, nothing asked, nothing of weight in it                  | log     | 0.1         |

All other mail is from a person, and the stages that follow decide it.
"""

import math
from datetime import datetime, timedelta
from typing import Literal

from memory.detectors.finding import Kind
from memory.evidence import Evidence
from memory.owner import Language
from memory.reasons import in_quotes, reason
from memory.verdict import Stage, Verdict, What, settle
from memory.wording import when

JUDGE = "2"
"""The version of the rules, the stages and the prompt. Raised whenever any of them changes: everything may then be judged anew."""

HOLD_FROM = 0.2
"""From this probability of an answer on it is worth a line in the morning: a line too many costs a fourth of one missed
(notify iff p >= C_false / (C_false + C_miss))."""
LOOP_FROM = 0.5
"""From here on they will more likely answer than not, so it is kept track of."""

BAND_WIDTH = 0.25
"""How much of the probabilities around HOLD_FROM are in doubt, unless the owner sets another."""

TODAY_FOR, SOON_FOR, WEEK_FOR = timedelta(hours=24), timedelta(hours=48), timedelta(days=7)
MEETING_SOON_FOR = timedelta(hours=12)
SOME_RECIPIENTS = 5
SEEN_BEFORE = 2
"""From so many mails of a sender on they are no stranger."""

_WEIGHTY: tuple[Kind, ...] = ("money", "law", "deadline", "travel", "security", "invitation")


def judged(
    evidence: Evidence,
    *,
    probability: float | None,
    width: float = BAND_WIDTH,
    can_ask: bool,
    language: Language = "en",
) -> Verdict | None:
    """The settled verdict, or None when it is in doubt and a model is to be asked (`can_ask`: there is one).

    probability: that the owner answers or passes it on, from the local decision model; None when there is none yet: then
    everything that a person wrote is in doubt unless `width` is 0.
    """
    if ruled := rules(evidence, language):
        return settle(ruled, evidence, language)
    if can_ask and band(math.nan if probability is None else probability, width) == "inside":
        return None
    return locally(evidence, probability, language)


def locally(evidence: Evidence, probability: float | None, language: Language = "en") -> Verdict:
    """The settled verdict without any model call."""
    ruled = rules(evidence, language) or by_probability(probability, evidence, language)
    return settle(ruled, evidence, language)


def band(probability: float, width: float) -> Literal["below", "inside", "above"]:
    """Where a probability lies: surely not worth a line, in doubt, or surely worth one.

    width: from 0 (never in doubt) to 1 (always); between, the share of each side of HOLD_FROM that is in doubt.
    """
    width = min(1.0, max(0.0, width))
    if math.isnan(probability):
        return "inside" if width > 0 else "below"
    low, high = HOLD_FROM * (1 - width), HOLD_FROM + (1 - HOLD_FROM) * width
    if width > 0 and low <= probability <= high:
        return "inside"
    return "below" if probability < HOLD_FROM else "above"


# The rules


def rules(evidence: Evidence, language: Language = "en") -> Verdict | None:
    """What a rule decides, by the table above; None for what takes weighing."""
    say = _Words(evidence, language)
    stages = (_of_threads, _of_servers, _of_journeys, _of_invitations, _of_accounts, _of_bulk, _of_senders, _of_people)
    return next((found for stage in stages if (found := stage(evidence, say))), None)


class _Words:
    """Makes verdicts of codes."""

    def __init__(self, evidence: Evidence, language: Language) -> None:
        self._evidence = evidence
        self._language: Language = language

    def __call__(
        self,
        what: What,
        code: str,
        consequence: float,
        *,
        stage: Stage = "rule",
        kind: Kind | None = None,
        **values: object,
    ) -> Verdict:
        """The verdict; `kind` names the finding that is quoted and dated."""
        found = next((each for each in self._evidence.findings if each.kind == kind), None)
        if found is not None:
            values = {"quote": in_quotes(found.quote) if found.quote else "", "when": self._when(found.due_at)} | values
        words = reason(self._language, code, **values).rstrip(" :")
        return Verdict(what=what, consequence=round(consequence, 2), reason=words, stage=stage, code=code)

    def _when(self, due_at: datetime | None) -> str:
        if due_at is None:
            return ""
        zone = self._evidence.zone
        return when(due_at.astimezone(zone), self._evidence.now.astimezone(zone).date(), self._language)


def _of_threads(evidence: Evidence, say: _Words) -> Verdict | None:
    if evidence.aspect != "mail":
        return _of_silence(evidence, say)
    if evidence.latest.by_owner:
        return say("log", "own", 0)
    return None if evidence.is_current else say("log", "old", 0)


def _of_silence(evidence: Evidence, say: _Words) -> Verdict | None:
    kind: Kind = "waiting" if evidence.aspect == "waiting" else "hanging"
    if evidence.finding(kind) is None:
        return say("log", "not_waiting", 0)
    days = (evidence.now - evidence.latest.at).days
    return say("loop", kind, 0.4 if kind == "waiting" else 0.5, kind=kind, days=days)


def _of_servers(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("bounce")
    if found is None:
        return None
    if found.detail != "failed" or evidence.own_last is None:
        return say("log", "bounce_other", 0.1)
    if evidence.own_last.recipients > SOME_RECIPIENTS:
        return say("hold", "bounced_some", 0.4, kind="bounce")
    return say("notify", "bounced", 0.7, kind="bounce")


def _of_journeys(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("travel")
    changed = found is not None and found.detail in ("cancelled", "changed") and _is_theirs(evidence)
    if found is None or evidence.is_bulk("marketing", "list", "auto-reply"):
        return None
    if not changed:
        return _of_unsure_journeys(evidence, say)
    if found.due_at is None or found.due_at <= evidence.now + SOON_FOR:
        return say("notify", "trip", 0.8, kind="travel")
    return say("hold", "trip_later", 0.5, kind="travel")


def _of_unsure_journeys(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("travel")
    is_change = found is not None and found.detail in ("cancelled", "changed")
    if is_change and _is_unsure(evidence):
        return say("hold", "trip_unsure", 0.4, kind="travel")
    return None


def _of_invitations(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("invitation")
    if found is None:
        return None
    if found.detail in ("reply", "counter"):
        is_counter = found.detail == "counter"
        return say(
            "hold" if is_counter else "log", "invited" if is_counter else "invited_reply", 0.3, kind="invitation"
        )
    by_organizer = not found.detail.endswith("-foreign")
    is_ahead = found.due_at is not None and evidence.now <= found.due_at <= evidence.now + MEETING_SOON_FOR
    if evidence.is_known and by_organizer and is_ahead:
        return say("notify", "invited_soon", 0.7, kind="invitation")
    if evidence.is_known or (by_organizer and _is_theirs(evidence)):
        return say("hold", "invited", 0.4, kind="invitation")
    return say("log", "invited_foreign", 0.2)


def _of_accounts(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("security")
    if found is None:
        return None
    if found.detail == "code" and evidence.is_bulk():
        return say("log", "code", 0.1)
    is_warning = found.detail == "breach" and evidence.place == "to" and _is_theirs(evidence)
    if is_warning and evidence.is_bulk("automated"):
        return say("hold", "breach", 0.6, kind="security")
    return None


def _of_bulk(evidence: Evidence, say: _Words) -> Verdict | None:
    found = evidence.finding("bulk")
    if found is None:
        return None
    if found.detail == "marketing":
        return say("ignore", "marketing", 0)
    if found.detail == "automated" and (kind := _dunning(evidence)):
        return say("hold", "dunning", 0.5, kind=kind)
    money = evidence.finding("money")
    if money and money.detail == "overdue" and _is_unsure(evidence):
        return say("hold", "dunning_unsure", 0.4, kind="money")
    return say("log", found.detail, 0.05)


def _dunning(evidence: Evidence) -> Kind | None:
    """What hangs on an automatic mail: money, a deadline or nothing."""
    if evidence.is_doubtful or evidence.place != "to" or not _is_no_stranger(evidence):
        return None
    money, due = evidence.finding("money"), evidence.due_within(WEEK_FOR)
    if money and money.detail == "overdue":
        return "money"
    return "deadline" if due and due.detail == "stated" else None


def _of_senders(evidence: Evidence, say: _Words) -> Verdict | None:
    if evidence.is_doubtful:
        known = evidence.is_known or evidence.is_urgent or _is_taken_for_another(evidence)
        return say("hold", "doubtful", 0.4) if known else say("log", "doubtful_stranger", 0.1)
    if evidence.is_urgent:
        kind: Kind | None = "request" if evidence.asks else "deadline" if evidence.due_within(SOON_FOR) else None
        return say("notify", "urgent", 0.8, kind=kind) if kind else say("hold", "urgent_fyi", 0.4)
    return None


def _of_people(evidence: Evidence, say: _Words) -> Verdict | None:
    if evidence.finding("emergency") and evidence.is_direct:
        if evidence.is_known:
            return say("notify", "emergency", 0.8, kind="emergency")
        return say("hold", "emergency_stranger", 0.5, kind="emergency")
    changed = evidence.finding("change")
    is_near = changed is not None and _is_ahead(changed.due_at, evidence.now)
    if is_near and evidence.is_known and evidence.is_direct:
        return say("notify", "changed_today", 0.7, kind="change")
    if evidence.finding("courtesy"):
        return say("log", "courtesy", 0)
    due = evidence.due_within(TODAY_FOR)
    if due and evidence.is_known and evidence.is_direct and (evidence.asks or due.detail == "stated"):
        return say("notify", "due_soon", 0.8, kind="deadline")
    return _of_little(evidence, say)


def _of_little(evidence: Evidence, say: _Words) -> Verdict | None:
    is_weighty = any(evidence.finding(kind) for kind in _WEIGHTY)
    if not is_weighty and _only_tells(evidence):
        return say("log", "fyi", 0.1)
    if evidence.finding("copied") and not is_weighty:
        return say("log", "copied", 0.1)
    return None


def _only_tells(evidence: Evidence) -> bool:
    """Whether it says that it wants nothing, and does not ask in the next sentence."""
    told, asked = evidence.finding("fyi"), evidence.finding("request")
    if told is None or evidence.finding("change"):
        return False
    return asked is None or (told.detail == "no answer" and asked.detail != "question")


def _is_ahead(due_at: datetime | None, now: datetime) -> bool:
    return due_at is not None and now <= due_at <= now + TODAY_FOR


def _is_unsure(evidence: Evidence) -> bool:
    """Whether a program wrote to the owner, with nothing said against its sender and nothing for it."""
    return evidence.is_bulk("automated") and evidence.place == "to" and not evidence.is_doubtful


def _is_theirs(evidence: Evidence) -> bool:
    """Whether the sender may be believed: known, or vouched for by their domain, and in no doubt."""
    return not evidence.is_doubtful and (evidence.is_known or evidence.is_authentic)


def _is_no_stranger(evidence: Evidence) -> bool:
    return evidence.is_known or evidence.relation.received >= SEEN_BEFORE


def _is_taken_for_another(evidence: Evidence) -> bool:
    standing = evidence.standing
    return standing is not None and bool(standing.lookalike_of or standing.namesake_of or standing.is_own)


# Without a model

_LEARNED: Stage = "decision model"


def by_probability(probability: float | None, evidence: Evidence, language: Language = "en") -> Verdict:
    """What the local decision model's probability comes to; with None, what can be said before anything was learned.

    It never pings. What is asked and likely to be answered is kept track of; what somebody asks, or what names a date
    within a week, is worth a line.
    """
    say = _Words(evidence, language)
    if probability is None or math.isnan(probability):
        return _cold(evidence, say)
    consequence = min(0.59, 0.6 * probability + 0.1 * _weight(evidence))
    percent, stage = round(100 * probability), _LEARNED
    asked = evidence.asks and evidence.is_direct
    if asked and probability >= LOOP_FROM:
        return say("loop", "likely", consequence, stage=stage, kind="request", percent=percent)
    if evidence.due_within(WEEK_FOR) and evidence.is_direct:
        return say("hold", "dated", max(consequence, 0.3), kind="deadline", stage=stage)
    if probability >= HOLD_FROM:
        return say("hold", "worth_a_line", consequence, stage=stage, percent=percent)
    if asked and evidence.is_known:
        return say("hold", "asked", consequence, kind="request", stage=stage)
    return say("log", "unlikely", consequence, stage=stage, percent=percent)


def _cold(evidence: Evidence, say: _Words) -> Verdict:
    weight = 0.1 * _weight(evidence)
    if evidence.asks and evidence.is_known:
        return say("loop", "cold_asked", 0.35 + weight, kind="request")
    if evidence.due_within(WEEK_FOR) and evidence.is_direct:
        return say("hold", "dated", 0.4 + weight, kind="deadline")
    if evidence.asks or (evidence.is_known and evidence.is_direct):
        return say("hold", "cold_hold", 0.2 + weight)
    return say("log", "cold_log", 0.1)


def _weight(evidence: Evidence) -> int:
    """How many grave matters it touches, at most two."""
    grave = (evidence.finding("money"), evidence.finding("law"), evidence.due_within(SOON_FOR))
    return min(2, sum(each is not None for each in grave))
