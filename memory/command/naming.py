"""Naming: which open loop goes by the words that were said, and which words name none."""

import re
from collections.abc import Sequence
from unicodedata import normalize

from memory.loop import Loop
from memory.search.stems import folded

MORE_WORDS_MAX = 2
"""With so many words beside a loop's title it may still be meant, and is asked about; with more it is talk."""


def _set(words: str) -> frozenset[str]:
    return frozenset(folded(word) for word in words.split())


_WORD = re.compile(r"\w+(?:['’]\w+)*")
_ARTICLES = _set(
    "the a an my our your this that der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner "
    "unser unsere unseren dein deine deinen"
)
"""What may be said or left out: it names nothing."""

_SENTENCE = _set(
    # negations
    "no not never none nothing nobody neither nor without hardly barely scarcely cannot don't dont doesnt didnt isnt "
    "arent wasnt werent wont cant couldnt shouldnt wouldnt havent hasnt hadnt "
    "nicht nichts nie niemals niemand kein keine keinen keinem keiner keines weder kaum ohne "
    # auxiliaries and modals
    "is are am be was were been being do does did has have had having will would shall should can could might must "
    "ought need needs needed want wants wanted gonna wanna lets "
    "ist sind bin bist seid war waren wäre wären gewesen hat hab habe haben hast habt hatte hatten hätte hätten wird "
    "werde werden wirst werdet wurde wurden worden würde würden kann kannst können könnt könnte könnten muss musst "
    "müssen müsste müssten soll sollst sollen sollte sollten will willst wollen wollte wollten darf dürfen dürfte "
    "möchte möchten lass lasst "
    # who does it, and what opens a question or a condition
    "i im ive you he she we they who whom whose what when where which why how if unless whether until till while "
    "once because but ich du er wir ihr man wer wen wem was wann wo wohin warum wieso weshalb wie welche welcher "
    "welches welchen ob wenn falls sobald bevor bis während weil aber "
    # nearly, later, perhaps
    "almost nearly half halfway partly soon later yet still well maybe perhaps probably hopefully "
    "fast beinahe halb teilweise bald später noch vielleicht hoffentlich wohl"
)
"""Words of a sentence rather than of a name: "the report will be", "the tax return not", "when it"."""

_LEADS = _set("by before after since on at in to for during bis am um vor nach seit im in zu zum zur für ab")
"""What stands before a time or an errand and begins no name: "done by Friday"."""

_TIMES = _set(
    "today tonight tomorrow yesterday now monday tuesday wednesday thursday friday saturday sunday week month year "
    "heute morgen gestern jetzt montag dienstag mittwoch donnerstag freitag samstag sonntag woche monat jahr "
    "with of and or from about up off all mit von und oder über alles alle"
)
"""What singles out nothing alone."""


def named(words: str, open_loops: Sequence[Loop]) -> tuple[Loop | None, tuple[Loop, ...]]:
    """The one loop that goes by these words, and else those that may be meant and have to be asked about, if any.

    It goes by all of its title, or by a part that no other loop's title holds. Words of a sentence name a loop only when they are its whole title, word by word: "the report will be done" closes
    nothing, whatever is open. What comes near a title is asked about.
    """
    said = _words(words)
    whole = [loop for loop in open_loops if said and _words(loop.title) == said]
    if whole:
        return _one(whole), tuple(whole)
    if not _is_name(said):
        return None, ()
    titles = [(loop, set(_words(loop.title))) for loop in open_loops]
    within = [loop for loop, title in titles if title.issuperset(said)]
    if within:
        return None if _TIMES.issuperset(said) else _one(within), tuple(within)
    return None, tuple(loop for loop, title in titles if _comes_near(said, title))


def _one(loops: Sequence[Loop]) -> Loop | None:
    return loops[0] if len(loops) == 1 else None


def _words(text: str) -> tuple[str, ...]:
    """Every word, folded; articles only when there is nothing else."""
    every = tuple(folded(word.replace("’", "'")) for word in _WORD.findall(normalize("NFC", text.lower())))
    return tuple(word for word in every if word not in _ARTICLES) or every


def _is_name(said: Sequence[str]) -> bool:
    contracted = any("'" in word and not word.endswith(("'s", "s'")) for word in said)
    return bool(said) and not contracted and said[0] not in _LEADS and not _SENTENCE.intersection(said)


def _comes_near(said: Sequence[str], title: set[str]) -> bool:
    """A title with a word or two more, or words that only begin its own ("Steuer" for "Steuererklärung")."""
    more = [word for word in said if word not in title]
    if title and title.issubset(said):
        return len(more) <= MORE_WORDS_MAX
    return all(len(word) > 3 and any(own.startswith(word) for own in title) for word in more)
