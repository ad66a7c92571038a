"""How far an English action reaches, and what sort of deed it is."""

from collections.abc import Callable, Mapping

from memory.promise import Deed
from memory.promises import english_words as lists
from memory.promises.english_deed import base_of
from memory.promises.english_place import Do, hands_reader
from memory.promises.found import Found
from memory.promises.words import Words, clause_end, clause_start, has, says

_WILL = ("will", "'ll", "shall")


def reached(words: Words, subject: int, done: Do) -> Found:
    """The promise with its whole action, its due phrases not yet taken off."""
    last = next((at for at in range(done.verb + 1, len(words)) if _ends_before(words, at, done.verb)), len(words))
    start = clause_start(words, subject)
    if subject and words[subject - 1].low in ("and", "but", "so", "then"):
        start = subject
    return Found(
        words=words,
        subject=subject,
        first=done.first,
        last=last,
        within=(start, _due_end(words, last)),
        deed=_sort(words, done, last),
        is_hedged=done.is_hedged,
    )


def _due_end(words: Words, last: int) -> int:
    """As far as something may say by when: over brackets, up to the next stop."""
    while last < len(words) and words[last].low in ("(", ")"):
        last += 1
    return clause_end(words, last, ("so", "which"))


def _ends_before(words: Words, at: int, verb: int) -> bool:
    """Whether the action ends before this word."""
    low = words[at].low
    if low in _BY_WORD:
        return _BY_WORD[low](words, at, verb)
    is_within = sum((word.low == "(") - (word.low == ")") for word in words[verb:at]) > 0
    return not is_within and (words[at].is_stop or low in lists.CUTS)


def _at_comma(words: Words, at: int, verb: int) -> bool:
    return not _goes_on(words, at) and not has(words[verb:at], ("(",))


def _at_and(words: Words, at: int, _: int) -> bool:
    return has(words[at + 1 : at + 2], lists.AFTER_AND) or _is_other(words, at + 1)


def _at_if(words: Words, at: int, _: int) -> bool:
    return not {word.low for word in words[max(0, at - 5) : at]} & lists.WHETHER


def _is_loose(words: Words, at: int, verb: int) -> bool:
    """Whether a bracket closes what was opened before, or nothing follows what it holds."""
    if words[at].low == ")":
        return not has(words[verb:at], ("(",))
    close = next((k for k in range(at, len(words)) if words[k].low == ")"), None)
    return close is None or close + 1 >= len(words) or words[close + 1].is_stop


def _is_other(words: Words, at: int) -> bool:
    """Whether somebody says something new there: "and we …", but not "and we will"."""
    return has(words[at : at + 1], ("i", "we")) and not has(words[at + 1 : at + 2], _WILL)


def _goes_on(words: Words, at: int) -> bool:
    """Whether a comma only separates the things or deeds of a list."""
    rest = words[at + 1 : at + 9]
    if has(rest[:1], ("and",)):
        return len(rest) > 1 and not _is_other(words, at + 2) and rest[1].low not in lists.AFTER_AND | {"the"}
    new = lists.CUTS | lists.PRONOUNS | {"that", "being", "then", "just", "please", "pls", "ok", "if", "as"}
    return not has(rest[:1], new) and has(rest, ("and",)) and not has(rest, lists.PRONOUNS)


def _says_what_for(words: Words, at: int, verb: int) -> bool:
    """ "I'll call you to discuss it", but "I'll tell Cheryl to stand down"."""
    if has(words[verb:at], ("and",)) or at + 1 >= len(words):
        return False
    talks = (
        base_of(words[verb].low) in lists.FOR_WHAT
        or says(words, verb, "give", "you", "a", "call")
        or has(words[verb:at], ("email", "e-mail"))
    )
    deeds = lists.DEEDS | lists.TOGETHER | {"see", "explain", "make", "get"}
    return (talks and words[at + 1].low in deeds) or (
        at > verb + 1 and has(words[at + 1 : at + 2], ("make", "allow", "ensure", "force"))
    )


def _sort(words: Words, done: Do, last: int) -> Deed:
    low, action = base_of(words[done.verb].low), words[done.verb : last]
    if low in lists.HANDS_OVER or (low in ("get", "have", "give", "receive") and hands_reader(words, done.verb)):
        return "hand over"
    informs = low in lists.ANSWERS or (low == "let" and has(action, ("know",)))
    comes_back = low in ("get", "come", "hear") and has(action, ("back", "from"))
    return "answer" if informs or comes_back else "other"


_BY_WORD: Mapping[str, Callable[[Words, int, int], bool]] = {
    "(": _is_loose,
    ")": _is_loose,
    ",": _at_comma,
    "and": _at_and,
    "if": _at_if,
    "to": _says_what_for,
}
"""What these words end by themselves depends on what stands around them."""
