"""A list of exclusions that a test changes."""

from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions, read_exclusions


class Listed:
    """What a ledger asks for the list in force; `now` None can't be read."""

    def __init__(self) -> None:
        self.now: Exclusions | None = NOTHING

    def __call__(self) -> Exclusions:
        if self.now is None:
            raise UnreadableExclusions("line 1 of the exclusions is no rule")
        return self.now

    def becomes(self, text: str) -> None:
        """From now on the list reads so."""
        self.now = read_exclusions(text)
