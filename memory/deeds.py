"""Claims of deeds: does a text that a model wrote say that Stillbell did something?

    "I've set a reminder."  "Erledigt."  "I sent it to Anna."     its own deed: a row must bear it out
    "Anna sent the contract."  "You closed it yesterday."         told of others: no claim

Pure, and made of patterns: English and German, sentence by sentence, clause by clause. What is quoted, asked, negated or
made to hang on a condition claims nothing. When in doubt between an idle word and a claim it decides for the claim: a
true sentence that is left out costs less than a false one that is believed.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory.deedwords import ACTS, DONE_BY_ME, OF_ANOTHER, PARTICIPLES, PROMISES, STATES, Deed
from memory.world import World

EVERY_TOOL = frozenset({"loop_open", "loop_close", "reminder_set", "reminder_cancel"})

BORNE_OUT_BY: Mapping[Deed, frozenset[str]] = {
    "reminder": frozenset({"reminder_set"}),
    "cancelled": frozenset({"reminder_cancel", "loop_close"}),
    "closed": frozenset({"loop_close"}),
    "kept": frozenset({"loop_open", "reminder_set"}),
    "changed": frozenset({"reminder_set"}),
    "done": EVERY_TOOL,
    "sent": frozenset(),
}
"""The tools whose row makes a claim true. Nothing that reaches another person has one."""

NOTHING: Mapping[Deed, Iterable[str]] = {}


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, from `start` to `end` in its text, that says that these deeds were done.

    `is_standing`: it tells how things stand ("the reminder is set for 8"), or of an earlier day, rather than of a deed
    just now.
    """

    start: int
    end: int
    deeds: frozenset[Deed]
    is_standing: bool


def claims(text: str) -> list[Claim]:
    """Every sentence of `text` in which something is claimed, in order. Never raises; time is linear."""
    found = []
    for start, end in _sentences(text):
        sentence = text[start:end]
        hangs = _CONDITION.search(sentence) is not None
        read = [_read(clause, hangs=hangs) for clause in _own(_clauses(sentence))]
        deeds = frozenset(deed for clause in read for deed in clause[0])
        if deeds:
            found.append(Claim(start, end, deeds, all(standing for told, standing in read if told)))
    return found


def unfounded(
    text: str, *, done: Collection[str] = (), standing: Mapping[Deed, Iterable[str]] = NOTHING
) -> list[Claim]:
    """The claims in `text` that no row bears out.

    `done`: the tools that did something in this turn. `standing`: the titles of what is kept open, and of what a reminder
    is set for: how things stand is borne out by one that the text names.
    """
    told = text.casefold()
    named = {deed for deed, titles in standing.items() if any(t.strip() and t.casefold() in told for t in titles)}
    return [one for one in claims(text) if not _is_founded(one, frozenset(done), named)]


def standing(world: World) -> Mapping[Deed, list[str]]:
    """The titles of what stands, as `unfounded` wants them."""
    reminded = [loop.title for loop in world.loops if loop.remind_at_wall is not None]
    return {
        "kept": [loop.title for loop in world.loops],
        "reminder": [*reminded, *(reminder.text for reminder in world.reminders)],
    }


def without(text: str, left_out: Iterable[Claim]) -> str:
    """The text without these sentences."""
    parts, cursor = [], 0
    for claim in left_out:
        parts.append(text[cursor : claim.start])
        cursor = claim.end
    kept = "".join([*parts, text[cursor:]])
    lines = [line for line in kept.splitlines() if not line.strip() or re.search(r"\w", line)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _is_founded(claim: Claim, done: frozenset[str], named: Collection[Deed]) -> bool:
    if "sent" in claim.deeds:
        return False
    if claim.is_standing and claim.deeds.intersection(named):
        return True
    return any(BORNE_OUT_BY[deed] & done for deed in claim.deeds)


# Sentences and clauses

# A stop behind a digit or a single letter ends no sentence: "am 3. Mai", "z. B.".
_SENTENCE = re.compile(
    r"(?:[^.!?…\n]|[.!?…](?=[^\s*_\"'”“»)\]])|(?<=\d)\.(?=\s+\w)|(?<=\b\w)\.)+[.!?…]*[*_\"'”“»)\]]*|\n"
)
_CLAUSE = re.compile(
    r"[,;:()\[\]|\n]+|\s+[-–—]+\s+|\s*[–—]\s*|\b(?:but|because|although|aber|sondern|denn|weil|doch)\b", re.I
)
_MARKS = re.compile(r"[*_`~#>✓✔✅☑👍]|^\s*(?:[-+•]|\d+[.)])\s+")
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|„[^“”\n]{1,400}[“”]|«[^»\n]{1,400}»|»[^«\n]{1,400}«")
_INSERTED = re.compile(r", (?:die|der|das|den|dem|was|wie|which|that|as) [^,.;!?]{1,80},", re.I)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """From where to where each sentence reaches, but for what is quoted line by line or stands in a block of code."""
    fenced, offset = False, 0
    for line in text.splitlines(keepends=True):
        is_fence = line.lstrip().startswith("```")
        fenced ^= is_fence
        if not (fenced or is_fence or line.lstrip().startswith(">")):
            for found in _SENTENCE.finditer(line):
                if found[0].strip():
                    yield offset + found.start(), offset + found.end()
        offset += len(line)


def _clauses(sentence: str) -> list[str]:
    whole = _MARKS.sub(" ", sentence.replace("’", "'"))
    quoteless = _QUOTED.sub(" … ", whole)
    # A sentence that is one quotation is the model's own, in quotation marks.
    told = quoteless if re.search(r"\w", quoteless) else whole
    parts = _CLAUSE.split(_INSERTED.sub(" ", told))
    clauses = [" ".join(part.strip(" .!?…\"'“”„»«").split()) for part in parts]
    if sentence.rstrip("*_\"'”“») \n").endswith("?"):
        # "Done, anything else?": only what stands before the question itself can be a claim.
        clauses = clauses[:-1] if len(clauses) > 1 else ([clauses[0]] if _BEGINS_WITH_I.match(clauses[0]) else [])
    return [clause for clause in clauses if clause]


def _own(clauses: list[str]) -> Iterator[str]:
    """Without what the owner is told to write: "to close it, write: done"."""
    for before, clause in zip(["", *clauses], clauses, strict=False):
        if _REPORTS.search(before):
            # "Anna wrote on Monday: I have sent it" tells of Anna, to the end of the sentence.
            return
        if not _DICTATES.search(before):
            yield clause


_REPORTS = re.compile(
    r"^(?!I\b|ich\b).*\b(?:wrote|writes|written|said|says|told|reports?|reported|replied|answered|schrieb|schreibt|geschrieben|"
    r"sagte|sagt|meldet|meldete|antwortete|berichtet)\b",
    re.I,
)
_DICTATES = re.compile(
    r"^(?!I\b|ich\b).*\b(?:write|type|say|reply|answer|with|schreib\w*|sag\w*|antworte\w*|mit)$", re.I
)
_BEGINS_WITH_I = re.compile(r"(?:I|I've|ich)\b", re.I)


def _read(clause: str, *, hangs: bool) -> tuple[set[Deed], bool]:
    """What a clause claims, and whether it only tells how things stand. `hangs`: its sentence names a condition."""
    if _NEGATED.search(clause) or _HANGS.search(clause):
        return set(), True
    acts: set[Deed] = {deed for deed, pattern in ACTS if pattern.search(clause)}
    acts |= _said_in_german(clause)
    if not hangs:
        acts |= {deed for deed, pattern in PROMISES if pattern.search(clause)}
    states: set[Deed] = {deed for deed, pattern in STATES if pattern.search(clause)}
    earlier = _EARLIER.search(clause) is not None
    return acts | (set() if earlier else states), earlier or not acts


_NEGATED = re.compile(
    r"\b(?:not|n't|never|nothing|none|neither|nor|nobody|no (?:reminder|alarm|loop|task|mail|e-?mail|message|tool|row)s?|without"
    r"|nicht|nichts|kein\w*|nie|niemals|niemand\w*|weder|ohne)\b|n't\b",
    re.I,
)
_HANGS = re.compile(
    r"^(?:and |und )?(?:if|once|when|whenever|until|till|unless|whether|as soon as|before|after|wenn|falls|sobald|sofern|bevor|nachdem|ob|bis|dass)\b"
    r"|\b(?:if I|once I|whether I|until I|would have|could have|should have|might have|I had|I'd|can be|could be|to be|will be"
    r"|shall I|should I|may I|want me to|like me to|hätte\w*|würde\w*|könnte\w*|soll ich|sollte\w*|darf ich|kann ich|möchtest|willst)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:if|when|once|unless|tell me|let me know|say|give me|wenn|falls|sobald|sag\w*|nenn\w*|gib|schreib\w*)\b|\?",
    re.I,
)
_EARLIER = re.compile(
    r"\b(?:yesterday|earlier|ago|last (?:night|week|month|year|\w+day)|this morning|gestern|vorgestern|vorhin|heute früh"
    r"|letzte\w*|vor (?:\d+|ein\w*|zwei|drei|einigen) (?:Minute|Stunde|Tag|Woche|Monat)\w*)\b",
    re.I,
)


def _said_in_german(clause: str) -> set[Deed]:
    """What "ich habe …" says: a participle behind it, or before it ("notiert habe ich das")."""
    me = DONE_BY_ME.search(clause)
    if me is None:
        return set()
    found: set[Deed] = set()
    for deed, what, participle in PARTICIPLES:
        hit = participle.search(clause) if what.match(clause) else None
        if hit is not None and not OF_ANOTHER.search(clause[me.end() : hit.start()]):
            found.add(deed)
    return found
