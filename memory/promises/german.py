"""German promises: "ich schicke …", "werde ich prüfen", "mach ich", "bekommen Sie morgen von mir"."""

from collections.abc import Iterator

from memory.promises import german_words as lists
from memory.promises.found import Found
from memory.promises.german_excluded import is_excluded
from memory.promises.german_reach import begin, reached
from memory.promises.german_verb import COMMA, infinitive, is_ours, is_to_infinitive, leaves_out, speaker, whole
from memory.promises.words import Words, clause_end, clause_start, followed, has, says
from memory.when.words import word_set

_FUTURE = ("werde", "werd", "werden")
_HAVING_DONE = ("lasse", "lass", "lassen")
_TRYING = ("versuche", "versuch", "versuchen", "bemuehe", "bemuehen")
_READER = ("sie", "du", "ihr")


def german(words: Words) -> Iterator[Found]:
    """The promises of a sentence, in order, none within another."""
    after = 0
    for at in range(len(words)):
        found = _found(words, at) if at >= after and words[at].is_word else None
        if found is not None and not is_excluded(words, at):
            yield found
            after = found.last


def _found(words: Words, at: int) -> Found | None:
    low = words[at].low
    if low in _FUTURE:
        return _of_future(words, at)
    if low in _HAVING_DONE:
        return _of_having_done(words, at)
    if low in _TRYING:
        return _of_trying(words, at)
    if low in _GET:
        return _of_getting(words, at)
    return _of_present(words, at) or _of_things(words, at) or _of_firm(words, at)


def _of_present(words: Words, at: int) -> Found | None:
    """ "Ich schicke", "schicke ich", "schicke dir"."""
    who = speaker(words, at)
    bare = words[at].low if who == "wir" else lists.FIRST_PERSON.get(words[at].low, "")
    if bare not in lists.PARTICLES or not (who or leaves_out(words, at)):
        return None
    verb = whole(words, at, bare)
    if not verb or (who == "wir" and not is_ours(words, at, verb)):
        return None
    return reached(words, at, verb, begin(words, at), needs_due=verb in lists.PERFORMATIVE)


def _of_future(words: Words, at: int) -> Found | None:
    """ "Ich werde es prüfen"."""
    who = speaker(words, at)
    opens = not at or words[at - 1].is_stop or words[at - 1].low in ("und", "aber", ",")
    verb = infinitive(words, at)
    if verb in (*_TRYING, "") or (words[at].low == "werden") != (who == "wir") or not (who or opens):
        return None
    if who == "wir" and not is_ours(words, at, verb):
        return None
    front = begin(words, at)
    return reached(words, at, verb, front if front < at else at + (2 if followed(words, at, "ich", "wir") else 1))


def _of_having_done(words: Words, at: int) -> Found | None:
    """ "Ich lasse Ihnen den Katalog zukommen"."""
    who, end = speaker(words, at), clause_end(words, at, COMMA)
    last = words[end - 1].low
    if has(words[at : at + 4], ("mich", "uns", "dich")):
        return None
    causes = last.endswith("n") and (last not in lists.NO_DEEDS or last in ("kommen", "wissen"))
    if not who or (words[at].low == "lassen") != (who == "wir") or not causes:
        return None
    return reached(words, at, last, begin(words, at)) if end - at > 2 else None


def _of_trying(words: Words, at: int) -> Found | None:
    """ "Ich versuche, ihn zu erreichen": the deed is said behind."""
    first = at + 1
    while first < len(words) and words[first].low in (",", "mich", "uns", "ich", "wir"):
        first += 1
    last = clause_end(words, first, COMMA)
    mine = has(words[max(0, at - 4) : at + 2], ("ich", "wir"))
    aims = first < last and is_to_infinitive(words[first:last])
    return reached(words, at, words[last - 1].low, first, last=last, is_hedged=True) if mine and aims else None


_GET = word_set("bekommen erhalten bekommst kriegst erhaeltst bekommt kriegt hoeren hoerst")
_FROM_ME = word_set("mir uns unserem unserer")


def _of_getting(words: Words, at: int) -> Found | None:
    """What the reader gets: "den Vertrag bekommst du morgen von mir", "kriegst sie per Mail"."""
    start, end = clause_start(words, at, COMMA), clause_end(words, at, COMMA)
    before = words[at - 1].low if at else ""
    if not (before in _READER or followed(words, at, *_READER)) and not (
        before == "," and words[at].low.endswith("st")
    ):
        return None
    givers = [words[k + 1].low for k in range(start, end - 1) if words[k].low in ("von", "vom")]
    from_me = any(one in _FROM_ME for one in givers) or has(words[start:end], ("unsere", "unser", "meine", "mein"))
    if not at or (givers and not from_me) or (words[at].low.startswith("hoer") and not from_me):
        return None
    first = at if before in (*_READER, ",") else start
    return reached(words, at, "bekommen", first, needs_due=not from_me)


def _of_things(words: Words, at: int) -> Found | None:
    """What comes or is done: "Angebot kommt morgen", "Details folgen", "wird erledigt", "geht Ihnen heute noch zu"."""
    low, start, end = words[at].low, clause_start(words, at, COMMA), clause_end(words, at, COMMA)
    if low == "bin":
        return reached(words, at, "machen", at) if followed(words, at, "dran") and end == at + 2 else None
    if low in ("geht", "gehen"):
        comes = has(words[at:end], ("ihnen", "dir", "euch")) and words[end - 1].low == "zu"
        comes = comes or (words[end - 1].low in ("raus", "hinaus") and has(words[start:at], lists.NOUNS))
        return reached(words, at, "zukommen", start) if comes else None
    if low == "wird":
        return reached(words, at, "machen", start) if words[end - 1].low in lists.DONE and at - start <= 3 else None
    if low == "zusage":
        return _of_word_given(words, at)
    subject = words[start:at]
    if has(words[start:end], ("vom",)) or low not in lists.COMES or not has(subject, lists.NOUNS) or len(subject) > 4:
        return None
    return reached(words, at, "kommen", start, needs_due=low in ("kommt", "kommen"))


def _of_word_given(words: Words, at: int) -> Found | None:
    """ "Zusage meinerseits: Entwurf bis Dienstag"."""
    behind = next((k + 1 for k in range(at, len(words)) if words[k].low == ":"), len(words))
    mine = has(words[at:behind], ("meinerseits", "unsererseits")) or says(words, at + 1, "von", "mir")
    return reached(words, at, "machen", behind) if mine and not at and behind < len(words) else None


def _of_firm(words: Words, at: int) -> Found | None:
    """ "Unser Techniker kommt am Donnerstag vorbei", "…, die sich bei Ihnen meldet"."""
    start, end = clause_start(words, at, COMMA), clause_end(words, at, COMMA)
    if words[at].low in lists.FIRM_DOES and at > start and words[at - 1].low in lists.FIRM:
        ours = has(words[start:at], ("unser", "unsere", "ein", "eine"))
        return reached(words, at, "machen", at) if ours else None
    speaks_of = has(words[start:end], ("sich",)) and has(words[start:end], ("ihnen", "dir", "euch"))
    if words[at].low not in ("meldet", "melden") or at != end - 1 or not speaks_of:
        return None
    return reached(words, at, "melden", next(k for k in range(start, end) if words[k].low == "sich"))
