"""English promises: "I'll …", "will do", "let me check", "you will have it by Friday"."""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.promises import english_words as lists
from memory.promises.english_deed import deed
from memory.promises.english_excluded import is_excluded
from memory.promises.english_place import Do, Who
from memory.promises.english_reach import reached
from memory.promises.found import Found
from memory.promises.words import Words, clause_end, followed, has, says
from memory.when.words import word_set


@dataclass(frozen=True, slots=True)
class _Will:
    """A will of the writer's: where the clause begins that says it, and where its verb stands."""

    who: Who
    subject: int
    verb: int


def english(words: Words) -> Iterator[Found]:
    """The promises of a sentence, in order, none within another."""
    after = 0
    for at in range(len(words)):
        found = _found(words, at) if at >= after else None
        if found is not None:
            yield found
            after = found.last


def _found(words: Words, at: int) -> Found | None:
    if words[at].low in ("on", "consider") or (words[at].low == "shall" and not at):
        return _of_formula(words, at)
    return _of_will(words, at) or _of_letting(words, at) or _of_getting(words, at)


def _of_will(words: Words, at: int) -> Found | None:
    """ "I will", "we'll", "I am going to", "will"."""
    will = _will(words, at)
    done = deed(words, will.verb, will.who) if will else None
    if will is None or done is None or is_excluded(words, will.subject, will.verb):
        return None
    return reached(words, will.subject, done)


def _will(words: Words, at: int) -> _Will | None:
    modal, verb = at, at + 1
    if words[at].low in ("going", "gonna"):
        if words[at].low == "going":
            verb = at + 2
        if (
            not at
            or words[at - 1].low not in ("am", "'m", "are", "'re")
            or (verb == at + 2 and not followed(words, at, "to"))
        ):
            return None
        modal = at - 1
    elif words[at].low == "ill":
        return _misspelled(words, at)
    elif says(words, at, "promise", "to"):
        verb = at + 2
    elif words[at].low not in ("will", "shall", "'ll"):
        return None
    while verb < len(words) and _is_adverb(words[verb].low):
        verb += 1
    if says(words, verb, "of", "course"):
        verb += 2
    if verb >= len(words) or not words[verb].is_word:
        return None
    return _with_subject(words, modal, verb)


def _misspelled(words: Words, at: int) -> _Will | None:
    """ "Ill call you", as thumbs write it: where a sentence begins, and before what is done."""
    opens = not at or words[at - 1].is_stop or words[at - 1].low in lists.ASIDE | {","}
    verb = next((k for k in range(at + 1, len(words)) if not _is_adverb(words[k].low)), len(words))
    return _Will("I", at, verb) if opens and verb < len(words) and words[verb].low in lists.DEEDS else None


def _is_adverb(low: str) -> bool:
    """What may stand between "will" and its verb, and changes nothing."""
    changes = low in lists.WEAK or low in lists.USUALLY or low in lists.GLADLY or low in lists.DEEDS
    return low in lists.BEFORE_VERB or (low.endswith("ly") and not changes)


def _with_subject(words: Words, modal: int, verb: int) -> _Will | None:
    subject = modal - 1
    while subject >= 0 and words[subject].low in lists.AFTER_SUBJECT:
        subject -= 1
    if subject >= 0 and words[subject].low == "we":
        return _Will("we", subject, verb)
    if subject >= 0 and words[subject].low == "i":
        return _with_others(words, subject, verb)
    return _bare(words, modal, subject, verb) if words[modal].low == "will" else None


def _with_others(words: Words, subject: int, verb: int) -> _Will | None:
    """I alone, or "Carol and I"; "you and I" is no promise."""
    first = subject
    while (
        first >= 2
        and words[first - 1].low in ("and", ",")
        and words[first - 2].is_word
        and (words[first - 2].is_capital or words[first - 2].low in lists.READER)
    ):
        if words[first - 2].low in lists.READER:
            return None
        first -= 2
        if words[first].low in lists.ASIDE:
            return _Will("I", subject, verb)
    return _Will("I", subject, verb) if first == subject else _Will("I and another", first, verb)


def _bare(words: Words, modal: int, before: int, verb: int) -> _Will | None:
    """ "Will call shortly", "… and will send it": the subject was said before, or is left out."""
    known = (
        lists.DEEDS
        | lists.TOGETHER
        | {"do", "let", "keep", "try", "get", "make", "see", "take", "look", "continue", "start"}
    )
    if words[verb].low not in known:
        return None
    if before < 0 or words[before].is_stop or _is_aside(words[: before + 1]):
        asks = followed(words, verb, *lists.PRONOUNS) and words[-1].low == "?"
        return None if asks else _Will("I", modal, verb)
    if words[before].low not in ("and", "but", "so", "then", ",", "or"):
        return None
    who = _governing(words, before)
    return _Will(who, modal, verb) if who else None


def _is_aside(words: Words) -> bool:
    return all(word.low in lists.ASIDE or not word.is_word for word in words)


def _governing(words: Words, end: int) -> Who | None:
    """Who is spoken of before `end`: I, we, or somebody else (None)."""
    for at in range(end - 1, -1, -1):
        low = words[at].low
        if low in ("i", "we"):
            return "I" if low == "i" else "we"
        has_other = (
            at
            and words[at - 1].is_word
            and words[at - 1].low not in ("i", "we", "and", "but", "or", "so", "then", "not")
        )
        if low in lists.OTHERS or (low in lists.AUXILIARIES and has_other):
            return None
    first = next((word.low for word in words if word.is_word), "")
    return "I" if first in lists.ELLIPTIC else None


_LET_ME = word_set("check find look ask get follow confirm talk see call double-check dig run send")


def _of_letting(words: Words, at: int) -> Found | None:
    """ "Let me check and get back to you"."""
    if not says(words, at, "let", "me") or at + 2 >= len(words) or words[at + 2].low not in _LET_ME:
        return None
    if followed(words, at + 2, "you", "this") and words[at + 2].low in ("ask", "get"):
        return None
    if at and not words[at - 1].is_stop and words[at - 1].low not in lists.ASIDE | {","}:
        return None
    done = deed(words, at + 2, "I")
    return None if done is None or is_excluded(words, at, at + 2) else reached(words, at, done)


def _of_getting(words: Words, at: int) -> Found | None:
    """What the reader will have from the writer: "you'll have it by Friday"."""
    verb = at + 2
    if words[at].low != "you" or verb >= len(words) or words[at + 1].low not in ("will", "'ll", "shall"):
        return None
    if words[verb].low not in ("have", "get", "receive", "hear") or followed(words, verb, "to"):
        return None
    rest = words[verb : clause_end(words, verb)]
    from_me = any(says(rest, k, "from", me) for k in range(len(rest)) for me in ("me", "us"))
    by_then = has(rest, {"by"}) and has(rest[1:2], {"it", "them", "the", "that", "this", "my"})
    if not (from_me or by_then) or is_excluded(words, at, verb):
        return None
    return reached(words, at, Do(verb, verb))


def _of_formula(words: Words, at: int) -> Found | None:
    """ "Shall do", "on it", "I'm on it", "consider it done"."""
    if words[at].low == "shall":
        alone = says(words, at, "shall", "do") and not at and words[-1].low != "?"
        return reached(words, at, Do(at + 1, at + 1)) if alone else None
    on_it = says(words, at, "on", "it") and len([word for word in words if word.is_word]) <= (at and 4) + 2
    if not (on_it or says(words, at, "consider", "it", "done")) or words[-1].low == "?":
        return None
    starts = at == 0 or words[at - 1].low in ("am", "'m", ",") or words[at - 1].is_stop
    ends = clause_end(words, at, (",",)) == at + (2 if on_it else 3)
    return reached(words, at, Do(at, at)) if starts and ends else None
