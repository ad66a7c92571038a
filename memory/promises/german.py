"""German promises: "ich schicke …", "werde ich prüfen", "mach ich", "bekommen Sie morgen von mir"."""

from collections.abc import Iterator

from memory.promise import Deed
from memory.promises import german_words as lists
from memory.promises.found import Found
from memory.promises.german_excluded import is_excluded, is_with_reader
from memory.promises.words import Words, clause_end, clause_start, followed, has, says


def german(words: Words) -> Iterator[Found]:
    """The promises of a sentence, in order, none within another."""
    after = 0
    for at in range(len(words)):
        found = _found(words, at) if at >= after and words[at].is_word else None
        if found is not None:
            yield found
            after = found.last


def _found(words: Words, at: int) -> Found | None:
    low = words[at].low
    if low in ("werde", "werd", "werden"):
        return _of_future(words, at)
    if low in ("lasse", "lass", "lassen"):
        return _of_having_done(words, at)
    if low in ("versuche", "versuch", "bemuehe", "versuchen", "bemuehen"):
        return _of_trying(words, at)
    return _of_present(words, at) or _of_getting(words, at) or _of_things(words, at) or _of_firm(words, at)


# Who


def _speaks(words: Words, at: int) -> str:
    """Who does what stands at `at`: "ich", "wir", or "" for somebody else."""
    if at and words[at - 1].low in ("ich", "wir"):
        return words[at - 1].low
    if followed(words, at, "ich", "wir"):
        return words[at + 1].low
    return ""


def _leaves_out(words: Words, at: int) -> bool:
    """Whether "ich" is left out, or was said before: "Sag dir Bescheid", "…, schicke dir die Datei aber vorab"."""
    before = words[at - 1] if at else None
    if before is not None and before.low in (",", "und", "aber", "oder") and _was_said(words, at):
        return True
    opens = before is None or before.is_stop or (before.low == "," and has(words[: at - 1], lists.ASIDE))
    if not opens or at + 1 >= len(words):
        return False
    verb, following = lists.FIRST_PERSON.get(words[at].low, ""), words[at + 1].low
    if following == "dich":
        return verb not in lists.REFLEXIVE
    if following == "mir":
        return verb in lists.FOR_MYSELF
    return following in ("dir", "euch", "ihnen") or (following == "mich" and verb in lists.REFLEXIVE)


def _was_said(words: Words, at: int) -> bool:
    """Whether the last one spoken of before is the writer."""
    spoken = next((words[k].low for k in range(at - 1, -1, -1) if words[k].low in ("ich", "du", "er", "wir", "ihr", "man")), "")
    return spoken == "ich"


# "Ich schicke", "schicke ich", "schicke dir"


def _of_present(words: Words, at: int) -> Found | None:
    who = _speaks(words, at)
    bare = lists.FIRST_PERSON.get(words[at].low) if who == "ich" or not who else words[at].low
    if bare is None or bare not in lists.PARTICLES or not (who or _leaves_out(words, at)):
        return None
    end = clause_end(words, at, (",",))
    verb = _whole(words, at, end, bare)
    if not verb or is_excluded(words, at) or (who == "wir" and not _is_ours(words, at, verb)):
        return None
    return _reached(words, at, verb, _begin(words, at, who))


def _whole(words: Words, at: int, end: int, bare: str) -> str:
    """The verb with its particle, "" when it is no deed."""
    particles, rest = lists.PARTICLES[bare], [word.low for word in words[at + 1 : end]]
    joint = next((k for k, low in enumerate(rest) if low in ("und", "oder")), len(rest))
    for low in (*reversed(rest[:joint]), *reversed(rest[joint:])):
        if low and low in particles and low not in ("an", "auf", "ein", "aus", "zu", "mit", "ab", "vor", "um", "durch", "nach") :
            return f"{low}{bare}"
    lasts = {rest[k - 1] for k in (joint, len(rest)) if k}
    particle = next((low for low in lasts if low in particles and low), "")
    if particle:
        return f"{particle}{bare}"
    if bare in lists.WITH:
        around = {word.low for word in words[clause_start(words, at, (",",)) : end]} | ({"mach"} if not rest else set())
        return bare if around & lists.WITH[bare] or (bare == "machen" and rest == ["ich"]) else ""
    return bare if "" in particles and bare not in lists.NEED_MORE else ""


def _is_ours(words: Words, at: int, verb: str) -> bool:
    if verb in lists.TOGETHER or verb.endswith("treffen"):
        return not is_with_reader(words, at)
    clause = words[clause_start(words, at, (",",)) : clause_end(words, at, (",",))]
    return verb in lists.OURS and not has(clause, {"gemeinsam", "zusammen"})


# "Werde ich prüfen", "lasse ich prüfen", "werde versuchen, …"


def _of_future(words: Words, at: int) -> Found | None:
    who = _speaks(words, at)
    opens = at == 0 or words[at - 1].is_stop or words[at - 1].low in ("und", "aber", ",")
    if not who and not (opens and words[at].low != "werden"):
        return None
    if words[at].low == "werden" and who != "wir":
        return None
    end = clause_end(words, at, (",",))
    joint = next((k for k in range(at, end) if words[k].low in ("und", "oder")), end)
    verb = words[joint - 1].low
    if verb in ("versuchen", "bemuehen"):
        return None
    if verb not in lists.INFINITIVES and (not verb.endswith("n") or verb in lists.NO_DEEDS or words[joint - 1].is_capital):
        return None
    if is_excluded(words, at) or (who == "wir" and (verb in lists.TOGETHER or verb not in lists.OURS)):
        return None
    first = at + (2 if followed(words, at, "ich", "wir") else 1)
    return _reached(words, at, verb, first if _begin(words, at, who) >= at else _begin(words, at, who))


def _of_having_done(words: Words, at: int) -> Found | None:
    """ "Ich lasse Ihnen den Katalog zukommen"."""
    who, end = _speaks(words, at), clause_end(words, at, (",",))
    last = words[end - 1].low
    if not who or (words[at].low == "lassen") != (who == "wir") or not last.endswith("n") or last in lists.NO_DEEDS:
        return None
    if end - at < 3 or is_excluded(words, at):
        return None
    return _reached(words, at, "zukommen" if last == "zukommen" else "lassen", _begin(words, at, who))


def _of_trying(words: Words, at: int) -> Found | None:
    """ "Ich versuche, ihn zu erreichen": the deed is said behind."""
    who = "ich" if has(words[max(0, at - 4) : at + 2], {"ich"}) else "wir" if has(words[max(0, at - 4) : at + 2], {"wir"}) else ""
    first = at + 1
    while first < len(words) and words[first].low in (",", "mich", "uns", "ich", "wir"):
        first += 1
    rest = words[first : clause_end(words, first, (",",))]
    aims = any(word.low == "zu" for word in rest) or has(rest[-1:], {f"{one}" for one in _with_zu()})
    if not who or not aims or is_excluded(words, at):
        return None
    return _reached(words, at, rest[-1].low, first, end=first + len(rest), is_hedged=True)


def _with_zu() -> frozenset[str]:
    """ "Anzubieten", "nachzuschauen"."""
    return _ZU


_ZU = frozenset(
    f"{particle}zu{bare}" for bare, particles in lists.PARTICLES.items() for particle in particles if particle
)


# What the reader gets


_GET = frozenset("bekommen erhalten bekommst kriegst erhaeltst bekommt kriegt hoeren hoerst".split())


def _of_getting(words: Words, at: int) -> Found | None:
    """ "Den Vertrag bekommst du morgen von mir", "kriegst sie per Mail"."""
    if words[at].low not in _GET or at == 0:
        return None
    reader = words[at - 1].low in ("sie", "du", "ihr") or followed(words, at, "sie", "du", "ihr")
    start, end = clause_start(words, at, (",",)), clause_end(words, at, (",",))
    left_out = words[at - 1].low == "," and words[at].low in ("kriegst", "bekommst")
    others = any(words[k].low in ("von", "vom") and not has(words[k + 1 : k + 2], {"mir", "uns", "unserem", "unserer"}) for k in range(start, end))
    if not (reader or left_out) or others or is_excluded(words, at):
        return None
    from_me = any(says(words, k, "von", me) for k in range(start, end) for me in ("mir", "uns"))
    if words[at].low.startswith("hoer") and not from_me:
        return None
    first = at if words[at - 1].low in ("sie", "du", "ihr", ",") else start
    return _reached(words, at, "bekommen", first, needs_due=not from_me)


# What comes, what is done


def _of_things(words: Words, at: int) -> Found | None:
    """ "Angebot kommt morgen", "Details folgen", "wird erledigt", "geht Ihnen heute noch zu"."""
    low, start, end = words[at].low, clause_start(words, at, (",",)), clause_end(words, at, (",",))
    if low in ("geht", "gehen"):
        fits = has(words[at:end], {"ihnen", "dir", "euch"}) and words[end - 1].low == "zu"
        return None if not fits or is_excluded(words, at) else _reached(words, at, "zukommen", start)
    if low == "wird":
        fits = words[end - 1].low in lists.DONE and at - start <= 3
        return None if not fits or is_excluded(words, at) else _reached(words, at, "machen", start)
    if low == "zusage" and has(words[at : at + 3], {"meinerseits", "unsererseits"}) and at == 0:
        behind = next((k + 1 for k in range(at, len(words)) if words[k].low == ":"), None)
        return _reached(words, at, "machen", behind) if behind and behind < len(words) else None
    subject = words[start:at]
    if low not in lists.COMES or not has(subject, lists.NOUNS) or len(subject) > 4 or is_excluded(words, at):
        return None
    return _reached(words, at, "kommen", start, needs_due=low in ("kommt", "kommen"))


def _of_firm(words: Words, at: int) -> Found | None:
    """ "Unser Techniker kommt am Donnerstag vorbei", "…, die sich bei Ihnen meldet"."""
    start, end = clause_start(words, at, (",",)), clause_end(words, at, (",",))
    low, clause = words[at].low, words[start:end]
    if low in lists.FIRM_DOES and at > start and words[at - 1].low in lists.FIRM:
        ours = has(words[start:at], {"unser", "unsere", "unserer", "ein", "eine"})
        return _reached(words, at, "machen", at) if ours and not is_excluded(words, at) else None
    if low in ("meldet", "melden") and at == end - 1 and has(clause, {"sich"}) and has(clause, {"ihnen", "dir", "euch"}):
        sich = next(k for k in range(start, end) if words[k].low == "sich")
        return None if is_excluded(words, at) else _reached(words, at, "melden", sich)
    return None


# How far it reaches


def _begin(words: Words, at: int, who: str) -> int:
    """Where the action begins: at the verb, or before it at what was put first: "Das Protokoll schicke ich …"."""
    start = clause_start(words, at, (",",))
    if who and at and words[at - 1].low == who or not who:
        return at
    for k in range(at - 1, start - 1, -1):
        if words[k].low in ("und", "aber"):
            start = k + 1
            break
    while start < at and words[start].low in lists.FILLERS:
        start += 1
    return start


def _reached(
    words: Words, at: int, verb: str, first: int, *, end: int | None = None, is_hedged: bool = False, needs_due: bool = False
) -> Found:
    last = end or _end(words, max(at, first))
    start = clause_start(words, at)
    while last - 1 > first and words[last - 1].low in ("aber", ","):
        last -= 1
    return Found(
        words=words,
        subject=at,
        first=first,
        last=last,
        within=(start, clause_end(words, last)),
        deed=_sort(words, verb, first, last),
        is_hedged=is_hedged,
        needs_due=needs_due,
    )


def _end(words: Words, at: int) -> int:
    """Behind the clause, over what it only leads to: ", ob …", ", und geb dir dann Bescheid"."""
    end = clause_end(words, at, (",",))
    while end + 1 < len(words) and words[end].low == "," and _goes_on(words, end + 1):
        end = clause_end(words, end + 1, (",",))
    return end


def _goes_on(words: Words, at: int) -> bool:
    if words[at].low == "ob":
        return True
    joined = words[at].low == "und" and at + 1 < len(words)
    return (joined and words[at + 1].low in lists.FIRST_PERSON) or words[at].low in ("kriegst", "bekommst")


def _sort(words: Words, verb: str, first: int, last: int) -> Deed:
    if verb in lists.ANSWERS or has(words[first:last], {"bescheid", "rueckmeldung"}):
        return "answer"
    return "hand over" if verb in lists.HANDS_OVER else "other"
