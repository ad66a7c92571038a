"""Because: what weighed most for or against a mail, in words that its numbers bear out.

Numbers that say the same belong to one topic and are summed; a topic is put into words only by a saying that is true of
the mail, whatever its weight.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.decide.form import LONG_BELOW_WORDS, MIDDLE_WORDS, grown
from memory.decide.habit import share_of
from memory.owner import Language

REASONS_MAX = 3

Numbers = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason: the code of a saying, and what its topic weighed (log odds; below 0 against an act)."""

    code: str
    weight: float


TOPICS: Sequence[tuple[str, tuple[str, ...]]] = (
    ("place", ("place_", "habit_place", "habit_sender_place", "habit_companions", "people", "crowd", "greeting")),
    ("thread", ("answers_owner", "kind_reply", "thread_", "since_spoke", "spoke_last", "owner_", "habit_spoke", "habit_sender_spoke")),
    ("sender", ("habit_sender", "received", "written_to", "lately", "balance", "since_last", "known_days", "ignored", "last_acts", "acts_after")),
    ("ask", ("question", "request", "shorthand", "asks", "wants", "times", "meetings")),
    ("fine", ("fine", "only_fine", "praise", "exclaims")),
    ("moment", ("hour_", "weekend", "usual_hour", "since_wrote", "since_came", "keeps_up", "wrote_", "came_", "habit_active", "habit_weekday", "habit_lately", "habit_all")),
    ("bulk", ("bulk", "habit_bulk")),
    ("urgent", ("urgent",)),
    ("attachments", ("attachments", "habit_attachments")),
    ("topic", ("topic_",)),
    ("words", ("said", "habit_first", "habit_author")),
    ("shape", ("",)),
)  # fmt: skip
"""Which numbers belong to which topic, by how their names begin; the first that fits counts."""


def topic_of(name: str) -> str:
    """The topic of a number."""
    return next(topic for topic, beginnings in TOPICS if name.startswith(beginnings))


@dataclass(frozen=True, slots=True)
class _Saying:
    """Something that can be said of a mail: for an act or against it, if it is `true` of the numbers."""

    code: str
    topic: str
    is_for: bool
    true: Callable[[Numbers], bool]
    english: str
    german: str


def _rate(numbers: Numbers) -> float:
    return share_of(numbers["habit_sender"])


def _usual(numbers: Numbers) -> float:
    return share_of(numbers["habit_all"])


SAYINGS = (
    _Saying("usually_hour", "sender", True, lambda n: _rate(n) >= 0.5 and n["acts_after"] < grown(60),
            "you usually answer {who} within the hour", "auf Mail von {who} antwortest du meist binnen einer Stunde"),
    _Saying("usually_day", "sender", True, lambda n: _rate(n) >= 0.5 and n["acts_after"] < grown(1440),
            "you usually answer {who} within a day", "auf Mail von {who} antwortest du meist binnen eines Tages"),
    _Saying("usually", "sender", True, lambda n: _rate(n) >= 0.5, "you usually answer {who}", "auf Mail von {who} antwortest du meist"),
    _Saying("often", "sender", True, lambda n: _rate(n) >= 1.2 * _usual(n),
            "you answer {who} more often than others", "auf Mail von {who} antwortest du öfter als auf andere"),
    _Saying("kind_of_theirs", "sender", True, lambda n: n["habit_sender_asks"] > n["habit_all"],
            "you often answer mail of this kind from {who}", "solche Mail von {who} beantwortest du oft"),
    _Saying("first_mail", "sender", False, lambda n: n["received"] == 0 and n["written_to"] == 0,
            "{who} has never written to you before", "von {who} kam noch nie Post"),
    _Saying("left", "sender", False, lambda n: n["ignored"] >= grown(4),
            "you did not answer the last {ignored} mails of {who}", "die letzten {ignored} Mails von {who} hast du nicht beantwortet"),
    _Saying("seldom", "sender", False, lambda n: _rate(n) <= 0.8 * _usual(n),
            "you seldom answer {who}", "auf Mail von {who} antwortest du selten"),
    _Saying("not_of_theirs", "sender", False, lambda n: n["habit_sender_asks"] < n["habit_all"],
            "mail of this kind from {who} you mostly let be", "solche Mail von {who} lässt du meist liegen"),
    _Saying("question", "ask", True, lambda n: n["questions"] > 0, "it asks a question", "es stellt eine Frage"),
    _Saying("request", "ask", True, lambda n: n["requests"] > 0, "it asks something of you", "es bittet um etwas"),
    _Saying("may_ask", "ask", True, lambda n: n["shorthand"] > 0,
            "it may ask something of you", "es bittet vielleicht um etwas"),
    _Saying("no_question", "ask", False, lambda n: n["questions"] == n["requests"] == n["shorthand"] == 0,
            "it asks nothing", "es fragt nichts"),
    _Saying("only_fine", "fine", False, lambda n: n["only_fine"] > 0,
            "it is no more than a word of agreement", "es ist nur ein Wort der Zustimmung"),
    _Saying("answers_you", "thread", True, lambda n: n["answers_owner"] > 0,
            "it answers a mail of yours", "es antwortet auf eine Mail von dir"),
    _Saying("in_talk", "thread", True, lambda n: n["since_spoke"] < grown(60),
            "you wrote to {who} within the hour", "du hast {who} in der letzten Stunde geschrieben"),
    _Saying("in_thread", "thread", True, lambda n: n["thread_owner"] > 0,
            "you have written in this thread", "du hast in diesem Verlauf geschrieben"),
    _Saying("new_thread", "thread", True, lambda n: n["thread_mails"] == 0 and not n["kind_reply"],
            "it begins a new thread", "es beginnt einen neuen Verlauf"),
    _Saying("not_in_thread", "thread", False, lambda n: n["thread_owner"] == 0 and not n["answers_owner"],
            "you have not written in this thread", "du hast in diesem Verlauf nicht geschrieben"),
    _Saying("has_answer", "thread", False, lambda n: n["answers_owner"] > 0,
            "it answers what you had asked or said", "es antwortet auf das, was du geschrieben hattest"),
    _Saying("alone", "place", True, lambda n: n["place_alone"] > 0, "it is to you alone", "es geht an dich allein"),
    _Saying("copied", "place", False, lambda n: n["place_cc"] > 0, "you are only copied in", "du stehst nur in Kopie"),
    _Saying("past", "place", False, lambda n: n["place_past"] > 0,
            "it is addressed to others", "es ist an andere gerichtet"),
    _Saying("crowd", "place", False, lambda n: n["people"] >= grown(5), "it went to many", "es ging an viele"),
    _Saying("writing", "moment", True, lambda n: n["wrote_1h"] > 0, "you are at your mail just now", "du bist gerade bei deiner Post"),
    _Saying("your_hour", "moment", True, lambda n: n["usual_hour"] > 0,
            "it comes at an hour at which you write", "es kommt zu einer Stunde, in der du schreibst"),
    _Saying("away", "moment", False, lambda n: n["wrote_4h"] == 0,
            "you have written nothing for hours", "du hast seit Stunden nichts geschrieben"),
    _Saying("marked", "urgent", True, lambda n: n["urgent"] > 0,
            "it is marked as important", "es ist als wichtig gekennzeichnet"),
    _Saying("attached", "attachments", True, lambda n: n["attachments"] > 0,
            "something is attached", "es hat einen Anhang"),
    _Saying("bulk", "bulk", False, lambda n: n["bulk"] > 0,
            "it comes from a list or a program", "es kommt von einer Liste oder einem Programm"),
    _Saying("reads_like", "words", True, lambda _: True,
            "it reads like mail that you act on", "es liest sich wie Mail, auf die du eingehst"),
    _Saying("reads_unlike", "words", False, lambda _: True,
            "it reads like mail that you let be", "es liest sich wie Mail, die du liegen lässt"),
    _Saying("your_topic", "topic", True, lambda n: n["topic_written"] >= 0.25,
            "it is about what you have been writing about", "es geht um etwas, worüber du zuletzt geschrieben hast"),
    _Saying("live_topic", "topic", True, lambda n: n["topic_acted"] > 0,
            "you acted on other mail about this lately", "auf andere Mail dazu bist du zuletzt eingegangen"),
    _Saying("idle_topic", "topic", False, lambda n: n["topic_acted"] < 0,
            "other mail about this you lately let be", "andere Mail dazu hast du zuletzt liegen lassen"),
    _Saying("says_little", "shape", True, lambda n: 0 < n["words"] < grown(MIDDLE_WORDS), "it is short", "es ist kurz"),
    _Saying("bare", "shape", False, lambda n: n["only_passes_on"] > 0,
            "it passes on a long text without a word", "es reicht einen langen Text ohne ein Wort weiter"),
    _Saying("informs", "shape", False, lambda n: n["for_information"] > 0,
            "it is for your information", "es ist zu deiner Information"),
    _Saying("passed_on", "shape", False, lambda n: n["kind_forward"] > 0, "it was passed on", "es wurde weitergeleitet"),
    _Saying("long", "shape", False, lambda n: n["words_below"] > grown(LONG_BELOW_WORDS),
            "there is much text below it", "darunter steht viel Text"),
)  # fmt: skip

_NOTHING = ("nothing about it stands out", "nichts daran fällt auf")
_COLD = (
    "by rules of thumb, since too little of your mail is known yet",
    "nach Faustregeln, da noch zu wenig deiner Post bekannt ist",
)
_THEM = ("this person", "dieser Person")


def reasons(numbers: Numbers, parts: Mapping[str, float], *, is_likely: bool) -> tuple[Reason, ...]:
    """The reasons that weighed most towards the side on which the score lies, the heaviest first.

    parts: how much each number counts, by name. is_likely: an act is more likely than with most mail.
    """
    topics: dict[str, float] = {}
    for name, part in parts.items():
        topics[topic_of(name)] = topics.get(topic_of(name), 0.0) + part
    side = {topic: weight for topic, weight in topics.items() if weight and (weight > 0) is is_likely}
    found = []
    for topic in sorted(side, key=lambda each: (-abs(side[each]), each)):
        said = next((s for s in SAYINGS if s.topic == topic and s.is_for is is_likely and s.true(numbers)), None)
        if said is not None:
            found.append(Reason(said.code, side[topic]))
    return tuple(found[:REASONS_MAX])


def sentence(
    found: Sequence[Reason], numbers: Numbers, language: Language, *, who: str = "", is_cold: bool = False
) -> str:
    """The reasons as one sentence. `who`: the sender, as the owner knows them."""
    german = language == "de"
    said = {saying.code: saying.german if german else saying.english for saying in SAYINGS}
    words = "; ".join(said[each.code] for each in found) or _NOTHING[german]
    if is_cold:
        words = f"{words} ({_COLD[german]})"
    filled = words.format(who=who or _THEM[german], ignored=round(math.expm1(numbers["ignored"])))
    return f"{filled[:1].upper()}{filled[1:]}."
