"""Testimony: who said what in the last messages. The owner's own words stand apart from those of everybody else.

    own words     typed or spoken by the owner, each stretch by itself
    others'       forwarded, quoted, pasted, read in a file, or said by Stillbell

What a recollection may become is settled by the side on which its quote stands, and by nothing that a model claims.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

PASTED_MIN = 2_000
"""A longer stretch was hardly typed into a chat: it counts as somebody else's."""

QUOTED_WORDS_MIN = 6
"""So many words between quotation marks are taken for another's."""

STILLBELL = "Stillbell"
"""Who wrote the words of a model."""


@dataclass(frozen=True, slots=True)
class Other:
    """Words that are not the owner's: from whom, and in which row they stand."""

    ref: str
    who: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Saying:
    """One message. is_fresh: it belongs to the turn that is looked at; the others only help to understand it."""

    message_id: int
    at: datetime
    own: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()
    is_fresh: bool = False

    @property
    def ref(self) -> str:
        """How sources name it."""
        return f"message:{self.message_id}"


@dataclass(frozen=True, slots=True)
class Quoted:
    """Where a quote was found: the words as they stand there, the whole sentence around them, and the stretch."""

    saying: Saying
    words: str
    sentence: str
    stretch: str


@dataclass(frozen=True, slots=True)
class Testimony:
    """The last messages, oldest first."""

    sayings: tuple[Saying, ...]

    def owners(self, quote: str) -> Quoted | None:
        """Where the owner said this in the turn that is looked at, the newest first; None when they did not."""
        for saying in reversed(self.sayings):
            for stretch in saying.own if saying.is_fresh else ():
                span = find(quote, stretch)
                if span is not None:
                    return Quoted(saying, stretch[slice(*span)], sentence_at(stretch, *span), stretch)
        return None

    def others(self, quote: str) -> tuple[Other, str] | None:
        """Who else said this in that turn, and the words as they stand there."""
        for saying in reversed(self.sayings):
            for other in saying.others if saying.is_fresh else ():
                span = find(quote, other.text)
                if span is not None:
                    return other, other.text[slice(*span)]
        return None

    @property
    def own_words(self) -> str:
        """Everything in it that the owner said, also earlier."""
        return "\n".join(stretch for saying in self.sayings for stretch in saying.own)


def find(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote stands in the text word for word, whatever the spaces, the case and the shape of apostrophes."""
    words = quote.split()
    if not words:
        return None
    pattern = r"\s+".join(_APOSTROPHE.sub("['’‘]", re.escape(word)) for word in words)
    found = re.search(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)
    return found.span() if found else None


_APOSTROPHE = re.compile(r"['’‘]")

_END = re.compile(r"(?<=[.!?…])\s+|\n+")


def sentence_at(text: str, start: int, end: int) -> str:
    """The sentence, or the sentences, in which the stretch from `start` to `end` lies."""
    ends = [(found.start(), found.end()) for found in _END.finditer(text)]
    first = max((after for _, after in ends if after <= start), default=0)
    last = min((before for before, _ in ends if before >= end), default=len(text))
    return text[first:last].strip()


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in (each.strip() for each in _END.split(text)) if part]


_FOREIGN_FROM_HERE = re.compile(
    r"^[ \t]*(?:[-_=*]{2,} ?(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht)"
    r"|begin forwarded message|anfang der weitergeleiteten|forwarded from |weitergeleitet von "
    r"|(?:on|am) .{6,120}(?:wrote|schrieb)\b.{0,60}:[ \t]*$"
    r"|(?:from|von|subject|betreff|sent|gesendet|to|an|cc|bcc|date|datum)[ \t]?:[ \t]*\S)",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKED = re.compile(r"^[ \t\xa0]*(?:>|\|).*$", re.MULTILINE)
_QUOTATION = re.compile(r"[„“\"«»”]([^„“”\"«»]{12,})[“”\"«»]")
_MARKUP = re.compile(r"<[a-z!/?|][^<>]{0,2000}>|\[/?[A-Z_|]{3,30}\]", re.IGNORECASE)
_ROLE = re.compile(
    r"^[ \t#*]*(?:system|assistant|tool|developer|human|user|stillbell)[ \t]*(?:prompt|note|message)?[ \t*]*:",
    re.I | re.M,
)


def apart(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A text that the owner sent, as the stretches that are their own words and those that are another's.

    In doubt a stretch is another's: a rule that is not kept can be said again, one that was planted is obeyed.
    """
    begins = min(
        (found.start() for pattern in (_FOREIGN_FROM_HERE, _ROLE, _MARKUP) if (found := pattern.search(text))),
        default=len(text),
    )
    own, others = text[:begins], [text[begins:]]
    for pattern in (_FENCE, _MARKED):
        others += [found[0] for found in pattern.finditer(own)]
        own = pattern.sub("\x00", own)
    others += [found[1] for found in _QUOTATION.finditer(own) if len(found[1].split()) >= QUOTED_WORDS_MIN]
    own = _QUOTATION.sub(lambda found: "\x00" if len(found[1].split()) >= QUOTED_WORDS_MIN else found[0], own)
    stretches = [part.strip() for part in own.split("\x00") if part.strip()]
    typed = [part for part in stretches if len(part) < PASTED_MIN]
    pasted = [part for part in stretches if len(part) >= PASTED_MIN]
    return tuple(typed), tuple(part.strip() for part in (*others, *pasted) if part.strip())


_COURTESY = re.compile(
    r"\W*(?:thanks?|thank you|thx|ok(?:ay)?|great|perfect|nice|cool|good (?:morning|night|evening)|hello|hi|hey|yes|no|sure|done|well done|"
    r"got it|sounds good|never ?mind|danke|vielen dank|super|prima|toll|gut|ja|nein|klar|hallo|guten (?:morgen|abend|tag)|gute nacht|passt|"
    r"alles klar|erledigt|verstanden)\b[\w\s,!.’'-]{0,32}",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"\W*(?:and |und )?(?:what|when|where|who|whom|whose|which|why|how|do|does|did|is|are|was|were|has|have|should|shall|am|"
    r"was|wann|wo|wer|wen|wem|wessen|welche\w*|warum|wieso|wie|ist|sind|hat|hast|habe|gibt|soll|sollte|darf|muss|kann ich|wohin|woher)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\W*(?:(?:can|could|would|will) you|please|kannst du|könntest du|würdest du|bitte)\b", re.IGNORECASE
)
WORDS_MIN = 4


def asks(sentence: str) -> bool:
    """Whether it is a question, and states nothing. One that asks Stillbell to behave in some way is a request."""
    if _REQUEST.match(sentence):
        return False
    return sentence.rstrip().endswith("?") or _QUESTION.match(sentence) is not None


def is_worth_a_look(own: Sequence[str]) -> bool:
    """Whether these words of the owner may hold something to remember: a statement, and not only a word of thanks."""
    return any(len(sentence.split()) >= WORDS_MIN for sentence in _statements(own))


def _statements(own: Sequence[str]) -> Iterator[str]:
    for stretch in own:
        for sentence in sentences(stretch):
            if not asks(sentence) and not _COURTESY.fullmatch(sentence):
                yield sentence
