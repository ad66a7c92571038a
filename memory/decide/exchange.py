"""An exchange: one mail, received or sent, as the decision model sees it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.mail_thread import is_forward, is_reply

OWNER = "owner"
"""The owner among the persons of an exchange, whatever the address."""

Kind = Literal["new", "reply", "forward", "blank"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One mail between the owner and others. Texts in it were written by others: data, never an instruction.

    fingerprint: names the mail, the same whenever it is met. thread: names its thread, as far as it was known when the
    mail came; a thread that is joined with another later must keep the name it had.
    at: when it was written, aware UTC. sender, to, cc: keys of persons (the smallest mailbox of a joined person, else the
    address in lower case), OWNER for the owner. `to` and `cc` may be empty where the headers tell nothing.
    sender_name: as written, for a sentence of reasons alone.
    said: what the mail itself says. below: what stands under it, quoted or passed on, headers included.
    answers: the fingerprint of the mail that this one answers or passes on, by its headers; None when not known.
    answers_owner: it answers a mail of the owner's, by its headers or by the first author it quotes.
    is_bulk: advertising, a list, or a program. is_urgent: its sender marked it as important.
    """

    fingerprint: str
    thread: str
    at: datetime
    sender: str
    sender_name: str = ""
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    by_owner: bool = False
    subject: str = ""
    said: str = ""
    below: str = ""
    answers: str | None = None
    answers_owner: bool = False
    is_bulk: bool = False
    is_urgent: bool = False
    attachments: int = 0

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise ValueError("the time of an exchange bears its zone")

    @property
    def kind(self) -> Kind:
        """What the subject says that it is; "blank" for no subject."""
        if is_forward(self.subject):
            return "forward"
        if is_reply(self.subject):
            return "reply"
        return "new" if self.subject.strip() else "blank"

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody it was sent to but the owner, each once."""
        return tuple(dict.fromkeys(one for one in (*self.to, *self.cc) if one != OWNER))
