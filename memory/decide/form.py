"""The form of a mail: what it shows by itself, whoever wrote it and whatever came before. English and German."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from memory.decide.exchange import OWNER, Exchange
from memory.detectors.request import asked_in

LOOK_CHARS = 2_000
"""So many characters of what a mail says, and of what stands below, are looked at."""
SHORT_WORDS, MIDDLE_WORDS = 8, 40
SHORT_BELOW_WORDS, LONG_BELOW_WORDS = 60, 300

Place = Literal["alone", "to", "cc", "past", "unknown"]
"""Where the owner stands in the headers; "past" when only others do, "unknown" when there is nobody in them."""


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_FINE = _any(
    r"\W*(?:ok|okay|thx|thanks|thank you|will do|yes|yep|no|done|got it|great|sure|agreed?|on it|roger|perfect|copy|"
    r"danke|vielen dank|ja|nein|gern|gerne|passt|alles klar|erledigt|gut|prima|verstanden|mach ich)\b",
)
_FOR_INFORMATION = _any(
    r"\bfyi\b|\bfya\b|\bfor your information\b|\bz(?:ur)?\.? ?(?:info|k\.|kenntnis)|\bzur information\b"
)
_SHORTHAND = _any(
    r"\b(?:do|did|can|could|would|will|shall|should|may|are) (?:you|u|we|i)\b|\b(?:pls|plz|please|bitte)\b|\blet me know\b",
    r"\bwant (?:me|us)\b|\bneeds? (?:you|your|to know)\b|\bok(?:ay)? (?:with|to|if|wenn|mit)\b|\bthoughts\b|\badvise\b|\bapprov",
    r"\b(?:prefer|whether|available|agree|decid\w{1,4})\b|\byour (?:view|call|guidance|input|comments|edits|thoughts|ok)\b",
    r"\bcall (?:me|him|her|us|you)\b|\b(?:kannst|könntest|möchtest|willst|sollst|hast|bist) du\b|\b(?:können|könnten|möchten|wollen|haben) sie\b",
    r"\b(?:sollen|wollen|können) wir\b|\bsoll ich\b|\bbescheid\b|\bdeine? (?:meinung|freigabe|ok)\b|\bihre? (?:meinung|freigabe)\b|\bob (?:du|sie|wir)\b",
)
"""Looser than a request that may be quoted (memory/detectors/request): here it is weighed, and a wrong one costs little."""
_TIME = _any(
    r"\b(?:today|tonight|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|morning|afternoon|evening|noon)\b",
    r"\b(?:heute|morgen|übermorgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|mittags?|abends?|nachmittags?)\b",
    r"\b\d{1,2}(?::\d\d)? ?(?:am|pm|uhr)\b|\b\d{1,2}:\d\d\b",
)
_MEETING = _any(
    r"\b(?:calls?|phone|speak|talk|meet|meetings?|schedule|anruf\w{0,3}|telefon\w{0,8}|sprechen|treffen|termine?)\b"
)
_PRAISE = _any(
    r"\b(?:congrat\w{0,12}|bravo|terrific|wonderful|happy|great job|proud|love|glückwunsch|toll|wunderbar|großartig)\b"
)
_GREETING = _any(
    r"\W*(?:dear|hi|hello|hey|good (?:morning|evening)|hallo|lieber?|sehr geehrter?|guten (?:tag|morgen))\b[^\n]{0,40}(?:\n|,|$)"
)
_MONEY = re.compile(r"[$€£]|\b(?:EUR|USD|CHF)\b")
_LINK = re.compile(r"https?:|www\.", re.IGNORECASE)
_AUTHOR = re.compile(r"^\W{0,3}(?:From|Von)\s?:\s*(.{2,60})$", re.MULTILINE | re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+|\?")


@dataclass(frozen=True, slots=True)
class Form:
    """What the mail shows. `numbers` are what is weighed; the rest tells one circumstance from another.

    length, below: 0 for nothing, up to 3 for long. first: its first words. author: whom it quotes or passes on first.
    """

    numbers: dict[str, float]
    place: Place
    length: int
    below: int
    asks: bool
    first: tuple[str, ...]
    author: str


def form_of(exchange: Exchange) -> Form:
    """The form of a mail. Never raises, and takes time in proportion to LOOK_CHARS."""
    said = exchange.said[:LOOK_CHARS]
    # Many a short mail stands in its subject alone.
    heart = said.strip() or exchange.subject
    return Form(
        numbers=_addressed(exchange) | _sized(exchange, said) | _worded(exchange, said, heart),
        place=_place(exchange),
        length=_step(len(exchange.said.split()), 1, SHORT_WORDS, MIDDLE_WORDS),
        below=_step(len(exchange.below.split()), 1, SHORT_BELOW_WORDS, LONG_BELOW_WORDS),
        asks="?" in heart[:LOOK_CHARS],
        first=tuple(_WORD.findall(heart[:60].lower())[:2]),
        author=_author(exchange.below),
    )


def grown(count: float) -> float:
    """A count in which the tenth more matters less than the first."""
    return math.log1p(max(0.0, count))


def _addressed(exchange: Exchange) -> dict[str, float]:
    place = _place(exchange)
    numbers = {f"kind_{kind}": float(exchange.kind == kind) for kind in ("new", "reply", "forward", "blank")}
    numbers |= {f"place_{each}": float(place == each) for each in ("alone", "to", "cc", "past")}
    return numbers | {
        "answers_owner": float(exchange.answers_owner),
        "people": grown(len(exchange.people)),
        "bulk": float(exchange.is_bulk),
        "urgent": float(exchange.is_urgent),
        "attachments": grown(exchange.attachments),
    }


def _place(exchange: Exchange) -> Place:
    if OWNER in exchange.to:
        return "to" if exchange.people else "alone"
    if OWNER in exchange.cc:
        return "cc"
    return "past" if exchange.people else "unknown"


def _sized(exchange: Exchange, said: str) -> dict[str, float]:
    words, below = len(exchange.said.split()), len(exchange.below.split())
    letters = len(said) + 20
    return {
        "words": grown(words),
        "words_below": grown(below),
        "words_subject": float(min(20, len(exchange.subject.split()))),
        "says_nothing": float(words == 0),
        "is_empty": float(words == 0 and below == 0),
        "only_passes_on": float(words < 5 and below > LONG_BELOW_WORDS),
        "paragraphs": grown(said.count("\n\n")),
        "capitals": sum(char.isupper() for char in said) / letters,
        "digits": sum(char.isdigit() for char in said) / letters,
        "depth": grown(len(_AUTHOR.findall(exchange.below[: 4 * LOOK_CHARS]))),
    }


def _worded(exchange: Exchange, said: str, heart: str) -> dict[str, float]:
    subject, words = exchange.subject, len(exchange.said.split())
    questions = said.count("?")
    is_fine = _FINE.match(said) is not None
    return {
        "questions": grown(heart.count("?")),
        "question_subject": float("?" in subject),
        "question_last": float("?" in said[-60:]),
        "question_short": float(questions > 0 and words < 60),
        "questions_below": grown(exchange.below[:LOOK_CHARS].count("?")),
        "requests": grown(len(asked_in(heart))),
        "shorthand": grown(len(_SHORTHAND.findall(heart))),
        "shorthand_subject": float(_SHORTHAND.search(subject) is not None),
        "fine": float(is_fine),
        "only_fine": float(is_fine and words < 12 and not questions),
        "for_information": float(_FOR_INFORMATION.search(said[:300]) is not None),
        "times": grown(len(_TIME.findall(heart))),
        "times_subject": float(_TIME.search(subject) is not None),
        "meetings": grown(len(_MEETING.findall(heart))),
        "praise": float(_PRAISE.search(said) is not None),
        "greeting": float(_GREETING.match(said) is not None),
        "exclaims": grown(said.count("!")),
        "money": float(_MONEY.search(said) is not None),
        "links": float(_LINK.search(said) is not None),
    }


def _step(count: int, *steps: int) -> int:
    return sum(count >= step for step in steps)


def _author(below: str) -> str:
    found = _AUTHOR.search(below[:LOOK_CHARS])
    return "".join(char for char in found[1].casefold() if char.isalpha())[:12] if found else ""
