"""What only looks like a German promise: conditions, questions, offers, guesses, habits, what the mail itself does."""

from memory.promises import german_words as lists
from memory.promises.words import Words, clause_end, clause_start, followed, has, holds, is_question
from memory.when.words import word_set


def is_excluded(words: Words, verb: int) -> bool:
    """Whether the sentence in which a deed is said at `verb` makes no promise of it."""
    return is_question(words) or _is_condition(words) or _is_excluded_here(words, verb)


def _is_condition(words: Words) -> bool:
    if has(words, lists.IFS) or holds(words, lists.CONDITIONS) or _is_verb_first(words):
        return True
    return any(word.low in ("wenn", "ob") and _is_uncertain(words, at) for at, word in enumerate(words))


def _is_verb_first(words: Words) -> bool:
    """ "Brauchst du Hilfe, komm ich vorbei"."""
    others = ("du", "sie", "ihr", "er", "es", "man", "das", "die", "der", "dein", "ihre")
    finite = words[0].low in lists.VERB_FIRST or (words[0].low.endswith("st") and followed(words, 0, "du"))
    comma = next((k for k in range(len(words)) if words[k].low == ","), len(words))
    turns = words[0].low.endswith("t") and has(words[comma + 2 : comma + 3], ("ich", "wir"))
    return (finite or turns) and followed(words, 0, *others, "ich", "wir") and comma < len(words)


_STATES = word_set("bin sind habe haben komme kommen weiss ankomme")
_READY = word_set("da fertig zurueck soweit vorbei zuhause hause durch raus")


def _is_uncertain(words: Words, at: int) -> bool:
    """Whether "wenn" means "if": not in "auch wenn", nor before what is sure to come, "wenn ich im Büro bin"."""
    if words[at].low == "ob":
        return has(words[:at], {"wissen", "bescheid"}) and has(
            words[at:], {"wuenschen", "wollen", "moechten", "brauchst", "willst", "moechtest"}
        )
    if at and words[at - 1].low in ("auch", "erst"):
        return False
    clause = words[at + 1 : clause_end(words, at, (",",))]
    mine = has(clause[:1], {"ich", "wir"}) and has(clause[-1:], _STATES)
    ready = has(clause[-1:], {"ist", "sind"}) and has(clause[-2:-1], _READY)
    return not (mine or ready)


def _is_excluded_here(words: Words, verb: int) -> bool:
    start, end = clause_start(words, verb, (",",)), clause_end(words, verb, (",",))
    clause, before = words[start:end], words[clause_start(words, verb) : start]
    if has(clause, lists.NOT | lists.USUALLY | lists.GLADLY | lists.BY_THIS | lists.WOULD | lists.WEAK):
        return True
    under_way = has(clause[:-1], lists.UNDER_WAY) or has(clause, lists.GREETING)
    asks = verb and words[verb - 1].low in lists.ASKING
    thinks = any(
        has(words[k : k + 1], lists.WEAK) and followed(words, k, "ich", "wir") for k in range(verb, len(words))
    )
    to_me = any(
        word.low == "mir" and not (at and clause[at - 1].low in ("von", "bei")) for at, word in enumerate(clause)
    )
    looks = any(lists.FIRST_PERSON.get(word.low, word.low) in lists.FOR_MYSELF for word in clause)
    for_me = (to_me and not looks) or (has(clause, ("wegen",)) and has(clause, ("melde", "schreibe", "rufe")))
    if asks or thinks or for_me:
        return True
    swears = len(before) == 2 and before[0].low == "versprochen"
    reports = (has(before, lists.REPORTED) and not swears) or (has(before, lists.WEAK) and has(before, {"ich"}))
    usually = holds(clause, lists.NO_DEEDS_HERE)
    return under_way or reports or usually or _is_subordinate(words, verb)


def _is_subordinate(words: Words, verb: int) -> bool:
    """ "Dass ich komme"; but "da komme ich"."""
    return verb >= 2 and words[verb - 1].low in ("ich", "wir") and words[verb - 2].low in lists.SUBORDINATE
