"""Sentences about what is remembered: "remember that …", "forget that …", "what do you remember about …?"."""

import re

from memory.command.intent import Disremember, Intent, Recollect, Remember
from memory.recollection import Kind

_REMEMBER = re.compile(
    r"(?:(?:please |bitte |and |und )*)(?:"
    r"(?:(?:can|could|will|would) you )?(?:please )?(?:remember|keep in mind|don['’]?t forget|make a note|note down|note)"
    r"(?: for (?:the future|later|next time))?(?: that\b[,:]?|\s*[:,])\s*"
    r"|remember (?=(?:i|my|we|our)\b|i['’]m\b)"
    r"|(?:(?:kannst|könntest) du )?(?:merke? dir|dir(?: bitte)? merken|behalte?(?: bitte)? im (?:kopf|hinterkopf)|vergiss nicht|notiere? dir)"
    r"(?:,? bitte)?(?:,? für (?:später|die zukunft|das nächste mal))?(?:\s*[:,]\s*(?:dass?\b)?|\s+dass?\b)\s*"
    r")(?P<text>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""What is to be done ("remember to call Anna") and what is no statement ("remember that?") are none of these."""

_FORGET = re.compile(
    r"(?:(?:please |bitte )?)(?:forget(?: again)?,? that|vergiss(?: wieder| bitte)?,? dass?)\s+(?P<words>\S+(?:\s+\S+){2,})",
    re.IGNORECASE | re.DOTALL,
)
_RECOLLECT = re.compile(
    r"(?:what (?:do|did) you (?:remember|keep in mind)|was (?:hast du dir (?:alles )?gemerkt|merkst du dir|weißt du noch))"
    r"(?:\s+(?:about|of|über|zu|von)\s+(?P<words>.+?))?",
    re.IGNORECASE,
)
_TO_DO = re.compile(r"(?:to|zu)\b|(?:\S+\s+){0,12}(?:zu \w+|\w{2,8}zu\w{2,})en$", re.IGNORECASE)

_BY_WORDS: tuple[tuple[Kind, str], ...] = (
    (
        "instruction",
        r"(?:you (?:should|must|shall|may)|(?:please |bitte )?(?:always|never|don['’]?t|do not|stop|only|no)\b"
        r"|(?:answer|reply|write|speak|call|ping|tell|ask|use|sign|address|keep|remind|wake) (?:me|to me|in|with|as|my|your)\b"
        r"|du (?:sollst|darfst|musst)|(?:immer|nie|niemals|nur)\b"
        r"|(?:antworte?|schreibe?|sprich|nenne?|frage?|melde?|benutze?|sage?|duze|sieze|wecke?) (?:mir|mich|dich|nie|immer|auf|in|nur|nicht|bitte)\b)",
    ),
    (
        "preference",
        r".*\b(?:prefers?|likes?|loves?|hates?|dislikes?|favou?rites?|would rather|can['’]?t stand|lieber|am liebsten|bevorzugt?|"
        r"mag|mögen|hasst?|liebt?|lieblings\w*)\b",
    ),
    (
        "routine",
        r".*\b(?:every|each|daily|weekly|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|jede[nrs]?|täglich|wöchentlich|\w+tags)\b",
    ),
    (
        "relation",
        r".*\b(?:my|our|['’]s|mein[er]?|unser[er]?|s) (?:\w+ )?(?:wife|husband|partner|boss|manager|sister|brother|mother|father|son|"
        r"daughter|friend|colleague|assistant|lawyer|doctor|landlord|neighbou?r|frau|mann|chef(?:in)?|schwester|bruder|mutter|vater|sohn|"
        r"tochter|freund(?:in)?|kolleg(?:e|in)|anwalt|anwältin|ärztin|arzt|vermieter(?:in)?|nachbar(?:in)?)\b",
    ),
    ("project", r".*\b(?:project|projekt|working on|arbeite an|arbeiten an|vorhaben)\b"),
)
_KINDS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _BY_WORDS)


_POLITE_VERBS = ("can ", "could ", "will ", "would ", "kannst ", "könntest ")
""" "Can you remember that Jonas prefers calls?" is a wish; any other question is none."""


def remembering(said: str) -> Intent | None:
    """What a sentence asks about remembering; None when it asks nothing of the kind."""
    if said.endswith("?") and not said.lower().startswith(_POLITE_VERBS):
        return None
    said = said.rstrip("? ")
    found = _REMEMBER.fullmatch(said)
    if found and len(found["text"].split()) > 1 and not _TO_DO.match(found["text"]):
        return Remember(found["text"].strip())
    gone = _FORGET.fullmatch(said)
    return Disremember(gone["words"].strip()) if gone else None


def recollecting(said: str) -> Recollect | None:
    """Which list of what is remembered a question asks for."""
    found = _RECOLLECT.fullmatch(said.rstrip("? "))
    return Recollect((found["words"] or "").strip()) if found else None


def kind_of(text: str) -> Kind:
    """Of which kind a sentence is that the owner wants remembered: by its words, a fact when they tell nothing."""
    return next((kind for kind, pattern in _KINDS if pattern.match(text)), "fact")
