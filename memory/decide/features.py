"""Features: everything that is weighed of one mail, as numbers in a fixed order and marks of its words."""

from dataclasses import dataclass

from memory.decide.exchange import Exchange
from memory.decide.form import form_of
from memory.decide.history import History
from memory.decide.leaning import lean
from memory.decide.words import Marks, marks_of


@dataclass(frozen=True, slots=True)
class Features:
    """`names` and `values` go together. The last number is `leaning`: what rules of thumb make of the others (log odds)."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    marks: Marks

    @property
    def numbers(self) -> dict[str, float]:
        """The values by name."""
        return dict(zip(self.names, self.values, strict=True))


def features_of(exchange: Exchange, history: History) -> Features:
    """The features of a received mail, asked of the history before the mail is fed to it."""
    form = form_of(exchange)
    numbers = form.numbers | history.numbers(exchange, form)
    numbers["leaning"] = lean(numbers)
    return Features(tuple(numbers), tuple(numbers.values()), marks_of(exchange))
