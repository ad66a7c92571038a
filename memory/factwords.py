"""What is said about facts, in the owner's languages."""

from collections.abc import Mapping

from memory.fact import Fact
from memory.fact_kinds import KINDS
from memory.facts.value import in_words
from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "noted": ("Noted. **{who}** – {facts}.", "Gemerkt. **{who}** – {facts}."),
    "noted_instead": (
        "Noted. **{who}** – {facts} (before: {before}).",
        "Gemerkt. **{who}** – {facts} (bisher: {before}).",
    ),
    "known": ("I know: **{who}** – {facts}.", "Weiß ich: **{who}** – {facts}."),
    "ended": ("Noted, no longer: **{who}** – {facts}.", "Gemerkt, nicht mehr: **{who}** – {facts}."),
    "forgotten": ("Forgotten: **{who}** – {facts}.", "Vergessen: **{who}** – {facts}."),
    "nothing_to_forget": ("I hold nothing like that.", "So etwas weiß ich nicht."),
    "which": ("Which **{name}**?", "Welche Person meinst du mit **{name}**?"),
    "whom": ("Whom do you mean?", "Wen meinst du?"),
    "no_day": (
        "There is no “{day}”. Say it again with the right day.",
        "Den Tag „{day}“ gibt es nicht. Sag es noch einmal mit dem richtigen.",
    ),
    "gone": ("That is not to be had any more.", "Das ist nicht mehr da."),
}


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)


def line(kind: str, value: str, language: Language) -> str:
    """A fact in a few words: "eats: vegetarian". Plain text: what others wrote in it has to be escaped where it is shown."""
    return f"{KINDS[kind].word(language)}: {in_words(kind, value, language)}"


def line_of(fact: Fact, language: Language) -> str:
    """The same of a fact in the ledger."""
    return line(fact.kind, fact.value, language)
