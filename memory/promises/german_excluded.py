"""What only looks like a German promise: conditions, questions, offers, guesses, habits, what the mail itself does."""

from memory.promises import german_words as lists
from memory.promises.words import Words, clause_end, clause_start, followed, has, holds, says


def is_excluded(words: Words, verb: int) -> bool:
    """Whether the sentence in which a deed is said at `verb` makes no promise of it."""
    return words[-1].low == "?" or _is_condition(words) or _is_excluded_here(words, verb)


def _is_condition(words: Words) -> bool:
    if has(words, lists.IFS) or holds(words, lists.CONDITIONS) or _is_verb_first(words):
        return True
    return any(word.low in ("wenn", "ob") and _is_uncertain(words, at) for at, word in enumerate(words))


def _is_verb_first(words: Words) -> bool:
    """ "Brauchst du Hilfe, komm ich vorbei"."""
    return words[0].low in lists.VERB_FIRST and followed(words, 0, "du", "sie", "ihr", "ich", "wir", "es", "das", "die", "der") and has(words, {","})


_STATES = frozenset("bin sind habe haben komme kommen weiss ankomme".split())
_READY = frozenset("da fertig zurueck soweit vorbei zuhause hause durch raus".split())


def _is_uncertain(words: Words, at: int) -> bool:
    """Whether "wenn" means "if": not in "auch wenn", nor before what is sure to come, "wenn ich im Büro bin"."""
    if words[at].low == "ob":
        return has(words[:at], {"wissen", "bescheid"}) and has(words[at:], {"wuenschen", "wollen", "moechten", "brauchst", "willst", "moechtest"})
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
    under_way = has(words[verb + 1 : verb + 3], lists.UNDER_WAY) and not has(clause[-1:], lists.UNDER_WAY)
    reports = has(before, lists.REPORTED) or (has(before, lists.WEAK) and has(before, {"ich"}))
    usually = holds(clause, {("in", "der", "regel"), ("im", "anhang"), ("im", "attachment")})
    return under_way or reports or usually or _is_subordinate(words, verb)


def _is_subordinate(words: Words, verb: int) -> bool:
    """ "Dass ich komme"; but "da komme ich"."""
    return verb >= 2 and words[verb - 1].low in ("ich", "wir") and words[verb - 2].low in lists.SUBORDINATE


def is_with_reader(words: Words, verb: int) -> bool:
    """Whether "wir" means the reader, too."""
    clause = words[clause_start(words, verb, (",",)) : clause_end(words, verb, (",",))]
    if any(says(clause, at, "mit") and has(clause[at + 1 : at + 2], lists.PARTNERS) for at in range(len(clause))):
        return False
    return has(clause, {"gemeinsam", "zusammen", "dann"}) or True
