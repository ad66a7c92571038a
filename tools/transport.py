"""The transport port: how one envelope leaves, and how to look afterwards whether it did. The exit alone holds any.

    prepare ─► its handle is committed ─► hand over ─► Handed
                                             ├────► NotHanded      certainly not sent
                                             └────► MaybeHanded    nobody can say ─► look ─► memory/dispatch weighs it

Nothing here tries twice: no provider of mail takes a key that would make a second sending harmless.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, Protocol

from memory import dispatch
from memory.errors import OutOfReach

Trouble = Literal["unreachable", "unsafe", "sign-in", "busy", "refused", "recipients"]
"""Why something did not leave.

unreachable: nobody answers there, or the line broke before anything was handed over. unsafe: the line can't be made
safe, or the certificate is not theirs. sign-in: the sign-in was refused; the owner must renew it. busy: refused for
now. refused: refused for good. recipients: one or more of those it goes to are refused, so nobody gets it.
"""


class NotHanded(OutOfReach):
    """Certainly not sent. `for_good`: nor will it ever be as it is; else it may be handed over again later.

    `refused` holds the recipients that the server refused, when that is the trouble. `wait_for`: how long the provider
    asks to be left alone, None where it says nothing.
    """

    def __init__(
        self,
        message: str,
        *,
        trouble: Trouble,
        for_good: bool = False,
        refused: Sequence[str] = (),
        wait_for: timedelta | None = None,
    ) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.for_good = for_good
        self.refused = tuple(refused)
        self.wait_for = wait_for


class MaybeHanded(OutOfReach):
    """It was on its way when the answer got lost: it may have left or not. Look (`look`), never hand over again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """An envelope in the form in which it leaves.

    digest: of the envelope that was approved. key: our own name for it where it goes (the Message-ID of a mail).
    content: the exact bytes. sender, recipients: bare addresses as the provider is told them, blind copies among them.
    """

    digest: str
    key: str
    content: bytes = field(repr=False)
    sender: str
    recipients: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """The provider took it. `receipt` is its own name for what it took, `said` what it answered; both for the record."""

    receipt: str
    said: str = ""


class Transport(Protocol):
    """One way out, for one sending identity. Every call may raise NotHanded; only `hand_over` raises MaybeHanded."""

    @property
    def name(self) -> dispatch.Transport:
        """The word by which rows name this way out."""
        ...

    async def prepare(self, outgoing: Outgoing) -> str:
        """Make ready what must exist before it can leave (a draft at the provider), and return its handle.

        Sends nothing. The exit commits the handle before it hands over, so that a crash leaves something to look for.
        Preparing twice may leave a draft behind, never a second mail.
        """
        ...

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """Send it, once. Raises NotHanded or MaybeHanded."""
        ...

    async def look(self, outgoing: Outgoing, handle: str) -> dispatch.Witness:
        """Look whether it left. Changes nothing, never raises, and says *unclear* rather than guess."""
        ...


async def let_go(way: Transport) -> None:
    """Close the connections that a way out keeps, where it keeps any."""
    close = getattr(way, "close", None)
    if close is not None:
        await close()
