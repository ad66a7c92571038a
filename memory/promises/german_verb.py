"""Which German verb is a deed, with the particle that stands apart from it."""

from memory.promises import german_words as lists
from memory.promises.words import Words, clause_end, clause_start, followed, has
from memory.when.words import word_set

JOINTS = ("und", "oder")
COMMA = (",",)


def speaker(words: Words, at: int) -> str:
    """Who does what stands at `at`: "ich", "wir", or "" for somebody else."""
    if at and words[at - 1].low in ("ich", "wir"):
        return words[at - 1].low
    return words[at + 1].low if followed(words, at, "ich", "wir") else ""


def leaves_out(words: Words, at: int) -> bool:
    """Whether "ich" is left out, or was said before: "Sag dir Bescheid", "…, schicke dir die Datei aber vorab"."""
    before = words[at - 1].low if at else ""
    clause = words[at : clause_end(words, at, COMMA)]
    if has(clause, ("bitte",)) or (at and words[at].is_capital and not words[at - 1].is_stop):
        return False
    if before in (",", "aber", *JOINTS) and _was_said(words, at):
        return _is_statement(words, at, before, clause)
    opens = not at or words[at - 1].is_stop or (before == "," and has(words[: at - 1], lists.ASIDE))
    following = words[at + 1].low if at + 1 < len(words) else ""
    verb = lists.FIRST_PERSON.get(words[at].low, "")
    if not opens:
        return False
    if following in ("dir", "dich"):
        return verb in lists.GIVING or whole(words, at, verb) in lists.GIVING
    if following in ("mir", "mich"):
        return verb in (lists.FOR_MYSELF if following == "mir" else lists.REFLEXIVE)
    return following in ("euch", "ihnen")


def _is_statement(words: Words, at: int, before: str, clause: Words) -> bool:
    """ "…, und gebe dir Bescheid", not "…, ruf mich an"."""
    bare = lists.FIRST_PERSON.get(words[at].low, "")
    to_me = has(clause, ("mir", "mich")) and bare not in lists.FOR_MYSELF | lists.REFLEXIVE
    return not to_me and (before != "," or words[at].low.endswith("e"))


def _was_said(words: Words, at: int) -> bool:
    """Whether the last one spoken of before is the writer."""
    somebody = ("ich", "du", "er", "wir", "ihr", "man")
    return next((words[k].low for k in range(at - 1, -1, -1) if words[k].low in somebody), "") == "ich"


def whole(words: Words, at: int, bare: str) -> str:
    """The verb at `at` with its particle: "ruf … zurück" is zurueckrufen; "" when it is no deed."""
    start, end = clause_start(words, at, COMMA), clause_end(words, at, COMMA)
    rest = [word.low for word in words[at + 1 : end]]
    particle = _particle(rest, lists.PARTICLES[bare])
    if not particle and rest[-1:] and rest[-1] in _APART and rest[-1] not in lists.PARTICLES[bare]:
        # "Ich bring ihn um": another verb.
        return ""
    if bare in lists.TOGETHER and not particle:
        return bare if with_others(words[start:end]) else ""
    if f"{particle}{bare}" == "zurueckkommen" and not has(words[start:end], ("auf", "darauf")):
        return ""
    if particle:
        return f"{particle}{bare}"
    if bare in lists.WITH:
        fits = has(words[start:end], lists.WITH[bare]) or (bare == "machen" and rest[:1] == ["ich"])
        return bare if fits else ""
    return bare if "" in lists.PARTICLES[bare] and bare not in lists.NEED_MORE else ""


_APART = word_set("um auf durch aus ab nieder unter weg ein los rum rein")
"""At the end of a clause these belong to its verb."""


def _particle(rest: list[str], particles: frozenset[str]) -> str:
    """The particle that belongs to a verb, at the end of its part of the clause or, where it can be nothing else, in it."""
    joint = next((k for k, low in enumerate(rest) if low in JOINTS), len(rest))
    lasts = [rest[k - 1] for k in (joint, len(rest)) if k]
    clear = [low for low in rest if low not in lists.ALSO_PREPOSITIONS]
    return next((low for low in (*lasts, *clear) if low in particles), "")


def is_ours(words: Words, at: int, verb: str) -> bool:
    """Whether "wir" does it without the reader."""
    clause = words[clause_start(words, at, COMMA) : clause_end(words, at, COMMA)]
    if at >= 2 and words[at - 1].low == "wir" and words[at - 2].low in lists.MODALS:
        return False
    bare = words[at].low
    return (verb in lists.OURS | lists.TOGETHER or bare in lists.OURS) and not has(
        clause, ("gemeinsam", "zusammen", "nur")
    )


def with_others(clause: Words) -> bool:
    """Whether it is said with whom, and that is not the reader."""
    behind = [clause[k + 1] for k in range(len(clause) - 1) if clause[k].low == "mit"]
    return any(word.low in lists.PARTNERS or (word.is_capital and word.low not in lists.READER) for word in behind)


def is_to_infinitive(words: Words) -> bool:
    """Whether a clause ends in "zu …": "Ihnen einen Termin anzubieten"."""
    joined = any(word.low[:at] in _WITH_ZU for word in words[-1:] for at in range(4, 9)) and words[-1].low.endswith("n")
    return has(words[-2:-1], ("zu",)) or joined


_WITH_ZU = frozenset(f"{particle}zu" for particles in lists.PARTICLES.values() for particle in particles if particle)


def infinitive(words: Words, at: int) -> str:
    """What is said after "werde", "" when it is no deed."""
    end = clause_end(words, at, COMMA)
    joint = next((k for k in range(at, end) if words[k].low in JOINTS), end)
    last = words[joint - 1]
    known = last.low in lists.INFINITIVES
    unknown = last.low.endswith("n") and not last.is_capital and last.low not in lists.NO_DEEDS
    return last.low if joint - 1 > at and (known or unknown) else ""
