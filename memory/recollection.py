"""A recollection: one sentence that is remembered of what was said in the conversation, and the words it rests on.

Six kinds rest on the owner's own words. The seventh, an *observation*, is what somebody else said: shown with its source,
and never a rule, a preference or anything else that counts as the owner's. Nothing is written over: a correction is a new
row that the old one points to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from memory.legible import legible
from memory.search.query import words_of
from memory.search.stems import WORD, folded, stems
from memory.when.words import word_set

Kind = Literal["instruction", "preference", "relation", "project", "routine", "fact", "observation"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are listed."""

OBSERVATION: Kind = "observation"

RULES: frozenset[Kind] = frozenset({"instruction", "preference", "routine", "relation"})
"""The kinds that change how Stillbell behaves, or whom it takes for whom."""

TEXT_MAX, QUOTE_MAX, ABOUT_MAX = 300, 300, 80

RECOLLECTION = "recollection"
"""The word by which decisions and cards name one."""

LISTED = "recollections"
"""The subject of a card that lists them."""

RECALL_FORGOTTEN = "what it had recalled was forgotten"
"""Why a turn is stopped whose prompt held something that the owner has had forgotten since."""

EXTRACT = "extract"
"""The kind of job that looks for what a turn leaves to remember. Its payload names the `turn`."""

NEGATIONS = word_set(
    "not no never none nobody nothing don doesn didn isn aren won wouldn shouldn cannot without nicht nie niemals kein keine "
    "keinen keiner keinem keines nichts niemand niemanden ohne"
)


@dataclass(frozen=True, slots=True)
class Source:
    """Words that a recollection rests on: the row they stand in ("message:12", "file:5") and the words themselves.

    who: "" when they are the owner's own, else who is said to have written them.
    """

    ref: str
    quote: str
    at: datetime
    who: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecollection:
    """Something about to be remembered. `key` is unique: a job that runs twice remembers it once.

    about: whom or what it concerns, as the owner names it; "" for the owner. identity_id: whom the directory takes that for,
    if that is one person and no other. confidence: 0 to 1; 1 is the owner's own word.
    Raises ValueError for one that rests on nothing, and for one of the owner's kinds that rests on another's words.
    """

    owner_id: int
    key: str
    kind: Kind
    text: str
    sources: tuple[Source, ...]
    about: str = ""
    confidence: float = 1.0
    identity_id: int | None = None

    def __post_init__(self) -> None:
        if not self.sources or not all(source.quote for source in self.sources):
            raise ValueError("a recollection without the words it rests on")
        if any(bool(source.who) != (self.kind == OBSERVATION) for source in self.sources):
            raise ValueError(f"the words of others are an observation and nothing else, not a {self.kind}")
        if not self.text or len(self.text) > TEXT_MAX:
            raise ValueError(f"a recollection has between 1 and {TEXT_MAX} letters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """One that is on record. A forgotten one has no text; a superseded one names the row that stands in its place.

    names: every name that the person goes by whom it is about, as far as the directory knows them.
    """

    id: int
    owner_id: int
    kind: Kind
    text: str
    about: str
    confidence: float
    made_at: datetime
    sources: tuple[Source, ...] = ()
    superseded_by: int | None = None
    forgotten_at: datetime | None = None
    names: tuple[str, ...] = ()

    @property
    def is_live(self) -> bool:
        """Whether it may be recalled."""
        return self.superseded_by is None and self.forgotten_at is None

    @property
    def who(self) -> str:
        """Who said it; "" for the owner."""
        return next((source.who for source in self.sources if source.who), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unremembered:
    """What forgetting reached: the recollections (earlier versions with them), and whether a thought was stopped by it."""

    ids: tuple[int, ...]
    has_stopped: bool


def subject(recollection_id: int) -> str:
    """How decisions and cards name one."""
    return f"{RECOLLECTION}:{recollection_id}"


def number_of(name: str) -> int | None:
    """The recollection that such a name stands for."""
    word, _, number = name.partition(":")
    return int(number) if word == RECOLLECTION and number.isdigit() else None


def sentence_of(words: str) -> str:
    """One line without what can't be seen, as it is remembered; the caller looks how long it is."""
    return " ".join(legible(words).split())


def sense(text: str) -> "Sense":
    """What makes two sentences the same: stems of their telling words, their numbers, whether they deny."""
    words = [folded(word) for word in WORD.findall(text.lower())]
    telling = frozenset(min(stems(word)) for word in words_of(text) if not any(sign.isdigit() for sign in word))
    numbers = frozenset(word for word in words if any(sign.isdigit() for sign in word))
    return telling, numbers, not NEGATIONS.isdisjoint(words)


Sense = tuple[frozenset[str], frozenset[str], bool]


def by_sense(known: Sequence[Recollection], *, by_owner: bool) -> dict[Sense, Recollection]:
    """The live ones of the owner's words, or of others', by what they say. Likeness alone is never enough to take one in
    another's place."""
    return {sense(one.text): one for one in reversed(known) if one.is_live and (one.kind != OBSERVATION) == by_owner}
