"""What is said about who is one person, in the owner's languages."""

from collections.abc import Mapping

from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "joined": ("**{who}**: one person now – {identities}.", "**{who}**: jetzt eine Person – {identities}."),
    "split": ("Two people now: {one} | {other}.", "Jetzt zwei Personen: {one} | {other}."),
    "undone": ("Taken back: {title}", "Zurückgenommen: {title}"),
    "same_already": (
        "I take them for one person already: **{who}**.",
        "Das ist für mich schon eine Person: **{who}**.",
    ),
    "two_already": ("They are two people for me already.", "Das sind für mich schon zwei Personen."),
    "nobody": ("I know nobody called **{name}**.", "Ich kenne niemanden namens **{name}**."),
    "several": (
        "Several go by **{name}**: {people}. Say it with the address.",
        "Mehrere heißen **{name}**: {people}. Sag es mit der Adresse.",
    ),
    "single": (
        "I know **{who}** by one thing only: {identities}.",
        "**{who}** kenne ich nur durch eines: {identities}.",
    ),
    "which": ("Which of these is somebody else's?", "Was davon gehört jemand anderem?"),
    "gone": ("That is not to be had any more.", "Das ist nicht mehr da."),
    "none": ("Nobody was joined yet.", "Noch wurde niemand zusammengelegt."),
    "recent": ("Whom I take for one person, last first:", "Wen ich für eine Person halte, zuletzt zuerst:"),
    "usage": (
        "“Anna Winter and aw77@web.de are the same person” joins, “split Anna Winter” parts; both can be undone.",
        "„Anna Winter und aw77@web.de sind dieselbe Person“ verbindet, „trenne Anna Winter“ trennt; beides lässt sich zurücknehmen.",
    ),
}

_BECAUSE: Mapping[str, str] = {
    "you said so": "du hast es gesagt",
    "a record of yours names both": "ein Kontakt von dir nennt beides",
    "the number stands in their signature": "die Nummer steht in der Signatur",
    "the handle stands in their signature": "der Name steht in der Signatur",
    "the same full name": "derselbe volle Name",
    "names used for one another": "Namen, die füreinander stehen",
    "the same first name": "derselbe Vorname",
    "one asks for answers to the other": "Antworten sollen an die andere Adresse",
    "one answered in a thread of the other's, and you wrote to both": "Antwort im Faden der anderen Adresse, und du schriebst beiden",
    "the same number in both signatures": "dieselbe Nummer in beiden Signaturen",
    "the same odd name before the @": "derselbe eigene Name vor dem @",
    "one is a free mailbox": "eine ist ein privates Postfach",
    "the only one of this name in your records": "nur ein Kontakt von dir heißt so",
}
"""The reasons of a join, as memory/people/weighing words them."""


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)


def because(reason: str, language: Language) -> str:
    """Why two were joined, in the owner's language."""
    if language == "en":
        return reason
    for english, german in _BECAUSE.items():
        reason = reason.replace(english, german)
    return reason
