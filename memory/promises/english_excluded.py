"""What only looks like an English promise: conditions, questions, guesses, what was said by others or before."""

from memory.promises import english_words as lists
from memory.promises.words import Words, clause_end, clause_start, has, holds, is_question, says

_HARD = (";", ".", "!", "?")


def is_excluded(words: Words, subject: int, verb: int) -> bool:
    """Whether the will that is said from `subject` to `verb` is no promise, whatever the verb is."""
    return (
        _is_subordinate(words, subject)
        or _is_condition(words, subject, verb)
        or _is_asked(words, verb)
        or _is_weak(words, subject, verb)
        or _is_quoted(words, subject)
    )


def _is_subordinate(words: Words, subject: int) -> bool:
    """ "When I'll …", "so that we will", "the process we will follow"."""
    if not subject:
        return False
    before = words[subject - 1]
    if before.low in lists.SUBORDINATE:
        return True
    if before.low == "that":
        return subject >= 2 and words[subject - 2].low in ("so", "is", "was", "such")
    if before.low in lists.TIMES or before.low in ("which", "who") or not before.is_word or before.is_capital:
        return False
    return (
        any(words[k].low in lists.DETERMINERS for k in range(max(0, subject - 3), subject - 1))
        and before.low
        not in (
            "and",
            "but",
            "so",
            "or",
            "then",
        )
        and not _is_adverbial(words, subject)
    )


def _is_adverbial(words: Words, subject: int) -> bool:
    """Whether what stands before the subject only says when or where: "in the new version I will", "when the line is up I'll"."""
    start = clause_start(words, subject, (",",))
    opening = lists.SUBORDINATE | {
        "in",
        "on",
        "at",
        "by",
        "over",
        "during",
        "within",
        "after",
        "for",
        "with",
        "from",
        "given",
        "next",
    }
    return start < subject and (words[start].low in opening or words[start].low in ("as", "tomorrow"))


def _is_condition(words: Words, subject: int, verb: int) -> bool:
    """Whether an uncertain condition governs it."""
    start = next((k + 1 for k in range(subject - 1, -1, -1) if words[k].is_stop and words[k].low in _HARD), 0)
    before, after = words[start:subject], words[verb : _hard_end(words, verb)]
    if holds(before, lists.CONDITIONS) or any(_is_if_before(before, at) for at in range(len(before))):
        return True
    return holds(after, lists.TRAILING) or any(_is_if_behind(after, at) for at in range(len(after)))


def _hard_end(words: Words, at: int) -> int:
    """As far as a condition may still govern what stands at `at`: over dashes and brackets."""
    return next(
        (k for k in range(at, len(words)) if words[k].low == "but" or (words[k].is_stop and words[k].low in _HARD)),
        len(words),
    )


def _is_if_before(words: Words, at: int) -> bool:
    """ "Let me know if you want one and I'll …" leaves it to the reader; "I asked if he has it, and I'll …" does not."""
    if words[at].low not in lists.IFS:
        return False
    around = {word.low for word in words[max(0, at - 5) : at]}
    return "know" in around or not around & lists.WHETHER


def _is_if_behind(words: Words, at: int) -> bool:
    """ "And if I see a problem I shall call you" governs only what follows it."""
    if words[at].low not in lists.IFS:
        return False
    if (
        words[at - 1].low in ("and", "but")
        and not says(words, at - 2, "(")
        and has(words[at:], ("will", "shall", "'ll", "would"))
    ):
        return False
    return not {word.low for word in words[max(0, at - 5) : at]} & lists.WHETHER


def _is_asked(words: Words, verb: int) -> bool:
    """Whether it is part of a question, and not a statement before one: "I will fax it--do you want to see it, too?"."""
    if not is_question(words):
        return False
    for at in range(verb + 1, len(words) - 1):
        reach = 12 if words[at].low == "but" else 2
        if (words[at].is_stop or words[at].low in (",", "but")) and has(words[at + 1 : at + reach], lists.ASKING):
            return False
    return True


def _is_weak(words: Words, subject: int, verb: int) -> bool:
    """Whether the writer only thinks so, reports it, refuses, offers, or has that habit."""
    near = words[clause_start(words, subject, (",", "and", "but", "so")) : subject]
    quotes = (
        subject
        and words[subject - 1].low in (":", ",", '"', "“")
        and has(words[max(0, subject - 4) : subject], lists.REPORTED)
    )
    if (
        quotes
        or has(near, lists.WEAK | lists.REPORTED)
        or any(says(near, k, me, "sure") for k in range(len(near)) for me in ("'m", "am"))
    ):
        return True
    if has(words[clause_end(words, verb) - 1 : clause_end(words, verb)], ("perhaps", "maybe", "probably")):
        return True
    between = words[subject : verb + 1]
    return has(between, lists.WEAK | lists.NOT | lists.USUALLY | lists.GLADLY) or (
        verb + 1 < len(words) and words[verb + 1].low in ("no", "nothing", "none")
    )


def _is_quoted(words: Words, subject: int) -> bool:
    """Whether it stands within quotation marks."""
    before = [word.low for word in words[:subject]]
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")
