"""Oneself: the owner, as mails know them."""

from dataclasses import dataclass, field

from memory.people.mailbox import mailbox_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Oneself:
    """The owner, as mails know them. `addresses` are all of theirs; `names` as people write them ("Jo Baker", "Jo")."""

    addresses: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    _boxes: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_boxes", frozenset(mailbox_of(address) for address in self.addresses))

    def is_mine(self, address: str | None) -> bool:
        """Whether it is an address of the owner's, in any spelling that reaches the same mailbox."""
        return bool(address) and mailbox_of(address or "") in self._boxes

    @property
    def calls(self) -> frozenset[str]:
        """The words by which the owner is called, as written: first and last names; initials are none."""
        words = (word.strip(".,") for name in self.names for word in name.split())
        return frozenset(word for word in words if len(word) > 1)
