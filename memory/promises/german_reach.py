"""How far a German action reaches, and what sort of deed it is."""

from memory.promise import Deed
from memory.promises import german_words as lists
from memory.promises.found import Found
from memory.promises.german_verb import COMMA, JOINTS, is_to_infinitive
from memory.promises.words import Words, clause_end, clause_start, followed, has, says


def reached(
    words: Words,
    at: int,
    verb: str,
    first: int,
    *,
    last: int | None = None,
    is_hedged: bool = False,
    needs_due: bool = False,
) -> Found:
    """The promise whose verb stands at `at`, its due phrases not yet taken off."""
    end = last or _end(words, max(at, first))
    behind = next((k for k in range(end, len(words)) if words[k].is_stop), len(words))
    asks = next((k for k in range(at, behind) if words[k].low == "ob"), behind)
    return Found(
        words=words,
        subject=at,
        first=first,
        last=end,
        within=(_due_start(words, min(at, first)), asks),
        deed=_sort(words, verb, first, end),
        is_hedged=is_hedged,
        needs_due=needs_due,
    )


def begin(words: Words, at: int) -> int:
    """Where the action begins: at the verb behind "ich", or at what was put first: "Das Protokoll schicke ich …"."""
    if not followed(words, at, "ich", "wir"):
        return at
    start = next(
        (k + 1 for k in range(at - 1, -1, -1) if words[k].is_stop or words[k].low in (",", "aber", *JOINTS)), 0
    )
    while start < at and words[start].low in lists.FILLERS:
        start += 1
    return start


def _due_start(words: Words, at: int) -> int:
    """The clause, and the one before it when that says when: "Sobald er da ist, schicke ich …"."""
    start = clause_start(words, at, COMMA)
    sentence = clause_start(words, at)
    return sentence if words[sentence].low in ("sobald", "wenn", "nachdem", "bevor") else start


def _end(words: Words, at: int) -> int:
    """Behind the clause, over what it only leads to: ", ob …", ", und geb dir dann Bescheid"."""
    end = clause_end(words, at, COMMA)
    while end + 1 < len(words) and words[end].low == "," and _goes_on(words, end + 1):
        end = clause_end(words, end + 1, COMMA)
    other = (k for k in range(at + 1, end - 1) if words[k].low == "und" and words[k + 1].low in ("du", "ihr", "er"))
    end = next(other, end)
    while end - 1 > at and (words[end - 1].low == "aber" or says(words, end - 2, "von", words[end - 1].low)):
        end -= 1 if words[end - 1].low == "aber" else 2
    return end


def _goes_on(words: Words, at: int) -> bool:
    if words[at].low in ("ob", "kriegst", "bekommst"):
        return True
    if words[at].low == "und":
        return has(words[at + 1 : at + 2], lists.FIRST_PERSON)
    return words[at].low != "um" and is_to_infinitive(words[at : clause_end(words, at, COMMA)])


def _sort(words: Words, verb: str, first: int, last: int) -> Deed:
    if verb in lists.ANSWERS or has(words[first:last], ("bescheid", "rueckmeldung")):
        return "answer"
    return "hand over" if verb in lists.HANDS_OVER else "other"
