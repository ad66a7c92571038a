"""The kinds of facts: what may be known of a person, in six groups, declared here and nowhere else.

A kind that is not in this file does not exist: whatever proposes one, an extractor or a model, is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memory.owner import Language

Group = Literal["tastes", "views", "preferences", "personal details", "working life", "shared history"]

GROUPS: tuple[Group, ...] = get_args(Group)
"""In the order of a card."""

Holds = Literal["several", "latest", "fixed"]
"""*several* may be true at once; of *latest* a newer one supersedes (a role); what is *fixed* does not change (a birthday):
of two the more certain counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKind:
    """One kind.

    english, german: the word before the value on a card. means: one line for the model, None when it is never asked for.
    is_dated: the value is a date: 1980-07-09, or --07-09 where nobody knows the year.
    is_of_others: it tells of somebody of theirs (a partner), so that "my wife …" says it.
    falls_with: when one of that kind is superseded by another value, this one is no longer known to hold.
    """

    name: str
    group: Group
    english: str
    german: str
    holds: Holds = "several"
    means: str | None = None
    is_dated: bool = False
    is_of_others: bool = False
    falls_with: str = ""

    def word(self, language: Language) -> str:
        """What it is called on a card."""
        return self.german if language == "de" else self.english


_ALL: tuple[FactKind, ...] = (
    # tastes
    FactKind(
        name="diet",
        group="tastes",
        english="eats",
        german="Ernährung",
        holds="latest",
        means="a way of eating: vegetarian, vegan, kosher, halal, no pork",
    ),
    FactKind(name="allergy", group="tastes", english="allergic to", german="allergisch gegen", means="an allergy"),
    FactKind(
        name="food", group="tastes", english="likes to eat", german="isst gern", means="a dish or cuisine they like"
    ),
    FactKind(name="drink", group="tastes", english="drinks", german="trinkt", means="what they drink, or never drink"),
    FactKind(name="team", group="tastes", english="supports", german="ist Fan von", means="the team they support"),
    FactKind(name="sport", group="tastes", english="sport", german="Sport", means="a sport they do themselves"),
    FactKind(name="pet", group="tastes", english="pet", german="Haustier", means="a pet of theirs", is_of_others=True),
    FactKind(name="hobby", group="tastes", english="hobby", german="Hobby", means="what they do for pleasure"),
    # views
    FactKind(name="opinion", group="views", english="thinks", german="findet", means="what they think about a matter"),
    FactKind(
        name="reading", group="views", english="reads", german="liest", means="a book or paper they read or recommend"
    ),
    FactKind(
        name="interest", group="views", english="follows", german="interessiert sich für", means="a matter they follow"
    ),
    # preferences
    FactKind(
        name="channel",
        group="preferences",
        english="prefers",
        german="am liebsten",
        holds="latest",
        means="how they want to be reached: a call, mail, Signal",
    ),
    FactKind(
        name="called",
        group="preferences",
        english="goes by",
        german="Rufname",
        holds="latest",
        means="the short form or name they want to be called by",
    ),
    FactKind(name="address_form", group="preferences", english="du or Sie", german="Anrede", holds="latest"),
    FactKind(
        name="hours",
        group="preferences",
        english="best reached",
        german="erreichbar",
        holds="latest",
        means="when they are best reached, or never are",
    ),
    FactKind(
        name="style",
        group="preferences",
        english="likes",
        german="mag es",
        means="how they like to work or be written to: short mails, no slides",
    ),
    # personal details
    FactKind(
        name="children",
        group="personal details",
        english="children",
        german="Kinder",
        means="children of theirs",
        is_of_others=True,
    ),
    FactKind(
        name="partner",
        group="personal details",
        english="partner",
        german="Partner",
        holds="latest",
        means="wife, husband or partner",
        is_of_others=True,
    ),
    FactKind(
        name="residence",
        group="personal details",
        english="lives in",
        german="wohnt in",
        holds="latest",
        means="where they live",
    ),
    FactKind(
        name="origin",
        group="personal details",
        english="from",
        german="kommt aus",
        holds="fixed",
        means="where they are from",
    ),
    FactKind(
        name="language", group="personal details", english="speaks", german="spricht", means="a language they speak"
    ),
    FactKind(
        name="birthday", group="personal details", english="birthday", german="Geburtstag", holds="fixed", is_dated=True
    ),
    FactKind(
        name="occasion",
        group="personal details",
        english="date",
        german="Datum",
        means="another day that matters to them: a wedding, a due date",
        is_of_others=True,
    ),
    FactKind(name="name", group="personal details", english="now called", german="heißt jetzt", holds="latest"),
    # working life
    FactKind(
        name="role",
        group="working life",
        english="role",
        german="Rolle",
        holds="latest",
        means="their present role",
        falls_with="employer",
    ),
    FactKind(
        name="employer",
        group="working life",
        english="works at",
        german="arbeitet bei",
        holds="latest",
        means="where they work now",
    ),
    FactKind(
        name="role_change",
        group="working life",
        english="change",
        german="Wechsel",
        means="that they left, joined, were promoted",
    ),
    FactKind(
        name="board_seat",
        group="working life",
        english="on the board of",
        german="im Aufsichtsrat von",
        means="a board or council they sit on",
    ),
    FactKind(
        name="investment",
        group="working life",
        english="invests in",
        german="investiert in",
        means="what they invest in",
    ),
    FactKind(
        name="expertise",
        group="working life",
        english="knows about",
        german="kennt sich aus mit",
        means="what they are expert in",
    ),
    FactKind(name="phone", group="working life", english="phone", german="Telefon"),
    FactKind(name="office", group="working life", english="office in", german="Büro in", holds="latest"),
    # shared history
    FactKind(
        name="met", group="shared history", english="met", german="kennengelernt", means="how they and the owner met"
    ),
    FactKind(
        name="together",
        group="shared history",
        english="together",
        german="gemeinsam",
        means="what they and the owner did together",
    ),
    FactKind(
        name="asked",
        group="shared history",
        english="asked for",
        german="hat gebeten um",
        means="what they asked the owner for",
    ),
    FactKind(
        name="answered",
        group="shared history",
        english="you said",
        german="du sagtest",
        means="what the owner said they would do about it",
    ),
)

KINDS: Mapping[str, FactKind] = {kind.name: kind for kind in _ALL}
"""All of them, by name, in the order of a card."""

ASKED_FOR: tuple[FactKind, ...] = tuple(kind for kind in _ALL if kind.means is not None)
"""Those that a model may propose: the others are read by plain code, or told by the owner."""


def falling_with(name: str) -> tuple[FactKind, ...]:
    """The kinds of which nothing is known any more when one of kind `name` is superseded."""
    return tuple(kind for kind in _ALL if kind.falls_with == name)
