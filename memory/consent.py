"""Consent: what somebody who was asked has answered, read from their own words alone. In doubt it is *unclear*.

    what the mail itself says, its quoted history cut off ─► our own question still in it? ─► yes, no, or unclear

A yes has to come first and be a yes from end to end: with a condition, a question or a negation beside it, the owner is
asked. Patterns are read after folding (memory/confusable): lower case, umlauts as bare vowels.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memory.confusable import folded

Word = Literal["yes", "no", "unclear"]

SAID_MAX = 600
"""Characters of a clear answer; in a longer one there is more than an answer."""

QUOTE_MAX = 200
_REPEATED_MIN = 24
"""So many characters of our own question, found in an answer, show that its history was not cut off."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and the words that say so, as they stand, at most 200 characters."""

    word: Word
    quote: str = ""


_HARMLESS = re.compile(r"\b(?:no (?:problem|worries)|not a problem|kein(?:e)? problem|keine ursache)\b")
_NO = re.compile(
    r"\b(?:no,? thank(?:s| you)|rather not|prefer not|please (?:don.?t|do not)|not (?:interested|comfortable|keen)|no interest|i.?ll (?:pass|decline)"
    r"|(?:must|have to|will|would like to) decline|would(?: no|n.?)t want|do(?: no|n.?)t want|absolutely not|definitely not"
    r"|nein,? danke|lieber nicht|eher nicht|bitte nicht|kein(?:en|e)? (?:interesse|bedarf)|nicht interessiert|mochte ich nicht|will ich nicht"
    r"|auf keinen fall|muss (?:ich )?(?:leider )?(?:absagen|ablehnen)|lehne (?:ich )?ab)\b|^(?:no|nope|nein|ne|nee)[.! ]*$"
)
_AGAINST = re.compile(
    r"\b(?:no|nope|nor|not|never|none|nobody|nothing|cannot|can.?t|cant|won.?t|don.?t|doesn.?t|didn.?t|isn.?t|wouldn.?t|shouldn.?t|unable|sorry|unfortunately|afraid"
    r"|refuse|decline|pass|reject|against|withdraw|revoke|nein|nee?|nicht|nichts|nie|niemals|kein\w*|leider|ungern|absag\w*|ablehn\w*|lehne|weder|zuruckzieh\w*|schade)\b"
)
_HEDGE = re.compile(
    r"\b(?:but|though|however|maybe|perhaps|possibly|might|if|unless|until|before|after|once|when|later|first|depends|only|except|not yet|think about|let me (?:think|check|see)|next (?:week|month|year)|busy|some ?(?:day|time)|nachste\w*|irgendwann"
    r"|get back|provided|as long as|assuming|could you|who|which|what|why|would need|aber|jedoch|allerdings|vielleicht|eventuell|evtl|moglicherweise|wenn|falls|sofern|bevor|erst|nachdem"
    r"|sobald|spater|nur|ausser|kommt darauf an|uberleg\w*|melde mich|wer|welche\w*|was|warum|unter der bedingung|vorausgesetzt|mal sehen|schaue|prufe)\b|[?]"
)
_CONSENT = re.compile(
    r"\b(?:(?:(?:happy|glad|delighted|keen)|(?:would|i.?d) (?:love|like|be (?:happy|glad|delighted))) to (?:meet|talk|chat|speak|connect|be (?:introduced|connected)|help|do (?:so|it|that)|have (?:a )?(?:call|chat))"
    r"|(?:please|do|go ahead and) (?:introduce|connect)\b|make the (?:intro|introduction)|introduce us|connect us|put us in touch"
    r"|go ahead|feel free|by all means|fine (?:with|by) me|you (?:have|got) my (?:ok|okay|consent|permission)|i (?:agree|consent)$"
    r"|(?:sehr|mache ich|mach das|machen sie das|immer) gerne?|gerne?,? (?:doch|stell\w*|mach\w*|verbind\w*|vernetz\w*|gib|geben)|stell(?:e|en)? (?:uns|den kontakt|sie uns|mich (?:bitte |gern |gerne )?vor)|(?:bring|verbinde|vernetze)\w* (?:uns|sie uns)"
    r"|(?:bin|ware) (?:sehr )?(?:einverstanden|dabei)|einverstanden|freue mich (?:auf|uber) (?:das|den|die|ein|eine|ihre|seine) (?:gesprach|kontakt|austausch|kennenlernen|nachricht)|^(?:ja,? )?(?:bitte )?(?:gib|geben sie) (?:ihm|ihr)\b|passt fur mich)"
    r"|^(?:that |this |it |das |es )?(?:sounds (?:good|great|lovely)|klingt (?:gut|super|prima))"
)
_BARE_YES = re.compile(
    r"(?:(?:oh|ah|well|na)[, ]+)?(?:yes|yeah|yep|sure|of course|certainly|absolutely|definitely|gladly|with pleasure|please do|happy to|ja|jo|klar|natuerlich|naturlich|gern|gerne|na klar|selbstverstandlich)"
    r"(?:[, ]+(?:yes|sure|of course|absolutely|definitely|please|please do|gladly|happy to|thanks|thank you|with pleasure|ja|bitte|gern|gerne|sehr gern|sehr gerne|klar|naturlich|danke|vielen dank|unbedingt|auf jeden fall))*"
)
_MANNERS = re.compile(
    r"(?:(?:hi|hello|hey|dear|hallo|liebe|lieber|moin|guten (?:tag|morgen|abend)|servus|gruezi)\b[^.!?\n]{0,40}"
    r"|(?:best|kind|warm|many)? ?(?:regards|wishes|best|cheers|thanks|thank you|many thanks|thx|sincerely|yours)\b[^.!?\n]{0,40}"
    r"|(?:viele|beste|liebe|herzliche|mit freundlichen|schone)? ?(?:gruss|grusse|grussen|danke|vielen dank|dank|lg|vg|mfg)\b[^.!?\n]{0,40}"
    r"|(?:thanks|thank you|danke|vielen dank) (?:for|fur)\b[^.!?\n]{0,80})"
)


def read(said: str, question: str = "") -> Answer:
    """What `said` answers. said: the mail's own words, quoted history and signature cut off. question: what we had asked."""
    own = _without_quotes(said, question)
    if len(own) > SAID_MAX or _repeats(own, question):
        return Answer("unclear", _quote(own))
    plain = _HARMLESS.sub("", _plain(own))
    everything = list(_sentences(plain))
    sentences = [one for one in everything if not _MANNERS.fullmatch(one)]
    consents = bool(sentences) and bool(_CONSENT.search(sentences[0]) or _BARE_YES.fullmatch(sentences[0]))
    if any(_NO.search(one) for one in everything) and not consents:
        return Answer("no", _quote(own))
    # Greetings are searched as well: a condition hides anywhere.
    if consents and not _AGAINST.search(plain) and not _HEDGE.search(plain):
        return Answer("yes", _quote(own))
    return Answer("unclear", _quote(own))


def _without_quotes(said: str, question: str) -> str:
    """What is left when the quoted lines of our question are taken out. Other quoted lines stay: they may mean something."""
    asked = _flat(question)
    lines = said.splitlines()
    return "\n".join(
        line for line in lines if not (line.lstrip().startswith(">") and _flat(line.lstrip("> \t")) in asked)
    )


def _plain(text: str) -> str:
    return "\n".join(folded(line.replace("’", "'")).strip() for line in unicodedata.normalize("NFC", text).splitlines())


def _flat(text: str) -> str:
    return " ".join(_plain(text).split())


def _sentences(plain: str) -> Iterator[str]:
    # The question mark stays with its sentence.
    for piece in re.split(r"(?<=[?])|[.!;:\n]+|(?<=\w)\s+[-–]+\s+", plain):
        if piece.strip(" ,-–"):
            yield " ".join(piece.strip(" ,-–").split())


def _repeats(said: str, question: str) -> bool:
    """Whether a piece of our question stands in the answer, line breaks aside."""
    answer, asked = _flat(said), _flat(question)
    starts = range(0, max(len(asked) - _REPEATED_MIN, 0) + 1)
    return len(asked) >= _REPEATED_MIN and any(asked[at : at + _REPEATED_MIN] in answer for at in starts)


def _quote(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= QUOTE_MAX else f"{flat[: QUOTE_MAX - 1]}…"
