"""A dispatch: the record of one envelope leaving, once.

    taken ─► handed over ─► sent
      ▲          ├────────► failed      it certainly did not leave
      └──────────┤                      nothing had been given away yet: tried again
                 └────────► unknown ─► settled as sent or failed, by looking or by the owner; never by sending again

*taken* is committed with the spending of the approval, *handed over* before the first byte that could deliver anything.
So whatever a crash leaves as *taken* has not left, and only what is *handed over* or *unknown* is in doubt.

What to do about a dispatch that a start or the watchdog finds open:

    state                    | draft there | in Sent | what is done
    -------------------------+-------------+---------+------------------------------------------------------------
    taken, younger than 1 h  | any         | not yes | go on: hand it over now (a draft left over is used, not doubled)
    taken, older             | any         | not yes | failed: it did not leave in time; the owner is asked afresh
    taken                    | any         | yes     | ask the owner: it should not be there
    handed over or unknown   | any         | yes     | sent
      gmail                  | yes         | no      | look again for a quarter of an hour, then failed
      gmail                  | no          | no      | look again, then ask the owner (deleted by hand? not listed yet?)
      gmail                  | unclear     | not yes | look again, then ask the owner
      gmail                  | any         | unclear | look again, then ask the owner
      smtp, files sent mail  | –           | no      | look again, then ask the owner: absence proves nothing
      smtp, files sent mail  | –           | unclear | look again, then ask the owner
      smtp, files nothing    | –           | –       | ask the owner at once
      calendar               | –           | no      | look again, then failed: the calendar itself is the witness
      calendar               | –           | unclear | look again, then ask the owner
      https                  | –           | –       | ask the owner at once
    sent, failed             | –           | –       | nothing

For a calendar *in Sent* means that the event stands as the act would have it. *Failed* after looking offers a fresh card;
it never sends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from memory.refusal import Refusal

State = Literal["taken", "handed", "sent", "failed", "unknown"]
Transport = Literal["gmail", "smtp", "calendar", "https"]
Seen = Literal["yes", "no", "unclear"]
"""What a look found; *unclear* when it could not look, or what it saw says neither."""

OPEN: frozenset[State] = frozenset({"taken", "handed", "unknown"})

GO_ON_FOR = timedelta(hours=1)
"""So long after the tap an envelope may still be handed over; later the owner may think otherwise, and is asked."""

LOOK_FOR = timedelta(minutes=15)
"""So long absence may mean that the provider has not listed it yet. Also when the watchdog alarms."""

LOOK_EVERY = timedelta(minutes=1)

RETRIES = (timedelta(seconds=5), timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=10))
"""Waits before the next attempt, when the one before could give nothing away (the connection was never made)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """One envelope leaving.

    handle: the provider's name of what was prepared (a Gmail draft id), committed before it is sent. witness: what found
    it sent (a message id, an event id). attempts: hand-overs begun. settled_by: *looking* or *owner*, once it was unknown.
    """

    id: int
    owner_id: int
    approval_id: int
    digest: str
    transport: Transport
    state: State
    because: str
    taken_at: datetime
    changed_at: datetime
    handle: str = ""
    witness: str = ""
    attempts: int = 0
    settled_by: Literal["looking", "owner", ""] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchStep:
    """A dispatch as it came into a state: append-only, and chained. tapped_by: the signal of the tap, of the first alone."""

    id: int
    dispatch_id: int
    approval_id: int
    digest: str
    transport: Transport
    state: State
    because: str
    attempts: int
    tapped_by: int | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What looking found. `files_sent`: the mail server files what it sends by itself, so that Sent says something."""

    sent: Seen = "unclear"
    draft: Seen = "unclear"
    files_sent: bool = True
    witness: str = ""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Nothing has left: hand it over now."""


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Nobody can tell yet."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Settle:
    """Store this dispatch."""

    dispatch: Dispatch


@dataclass(frozen=True, slots=True)
class AskOwner:
    """Looking can't tell. Store the dispatch (it is *unknown*), and ask with what is known."""

    dispatch: Dispatch
    because: str


@dataclass(frozen=True, slots=True)
class Nothing:
    """It is settled."""


Step = GoOn | LookAgain | Settle | AskOwner | Nothing


# Moving forward


def prepared(dispatch: Dispatch, handle: str, now: datetime) -> Dispatch | Refusal:
    """The provider holds a draft of it under this handle; nothing has left."""
    if dispatch.state != "taken":
        return Refusal("not just taken")
    return replace(dispatch, handle=handle, changed_at=now)


def hand_over(dispatch: Dispatch, now: datetime) -> Dispatch | Refusal:
    """To be committed before the first byte that could deliver it. Only what is *taken* is ever handed over."""
    if dispatch.state != "taken":
        return Refusal("not just taken")
    return _moved(dispatch, "handed", "handed to the transport", now, attempts=dispatch.attempts + 1)


def sent(dispatch: Dispatch, now: datetime, *, witness: str = "") -> Dispatch | Refusal:
    """The provider said that it has it."""
    if dispatch.state != "handed":
        return Refusal("not handed over")
    return _moved(dispatch, "sent", "the provider took it", now, witness=witness)


def failed(dispatch: Dispatch, now: datetime, *, because: str) -> Dispatch | Refusal:
    """The provider said no, for good: it did not leave."""
    if dispatch.state not in {"taken", "handed"}:
        return Refusal("not under way")
    return _moved(dispatch, "failed", because, now)


def unknown(dispatch: Dispatch, now: datetime, *, because: str) -> Dispatch | Refusal:
    """The answer was lost, or made no sense: it may have left."""
    if dispatch.state != "handed":
        return Refusal("not handed over")
    return _moved(dispatch, "unknown", because, now)


def given_back(dispatch: Dispatch, now: datetime, *, because: str) -> tuple[Dispatch, datetime] | Refusal:
    """The connection was never made, so nothing left: *taken* again, and when to try next; *failed* when tries are used up.

    Only for errors that come before anything was given away; every other lost answer is `unknown`.
    """
    if dispatch.state != "handed":
        return Refusal("not handed over")
    if dispatch.attempts > len(RETRIES):
        return _moved(dispatch, "failed", because, now), now
    return _moved(dispatch, "taken", because, now), now + RETRIES[dispatch.attempts - 1]


def held(dispatch: Dispatch, now: datetime, *, because: str) -> Dispatch | Refusal:
    """The sign-in was refused, so nothing left and trying is no use: *taken* again, without counting the attempt."""
    if dispatch.state != "handed":
        return Refusal("not handed over")
    return _moved(dispatch, "taken", because, now, attempts=dispatch.attempts - 1)


# Settling


def next_step(dispatch: Dispatch, witness: Witness, now: datetime) -> Step:
    """What to do about a dispatch found open; the table above."""
    if dispatch.state not in OPEN:
        return Nothing()
    if dispatch.state == "taken":
        return _of_taken(dispatch, witness, now)
    if witness.sent == "yes":
        return Settle(_settled(dispatch, "sent", "found where sent things lie", now, witness.witness))
    return _of_doubtful(dispatch, witness, now)


def settle_by_owner(dispatch: Dispatch, *, arrived: bool, now: datetime) -> Dispatch | Refusal:
    """What the owner says became of it."""
    if dispatch.state != "unknown":
        return Refusal("not unknown")
    state: State = "sent" if arrived else "failed"
    return _moved(dispatch, state, "the owner said so", now, settled_by="owner")


def is_unsettled(dispatch: Dispatch, now: datetime) -> bool:
    """Whether it has been open for so long that the watchdog alarms."""
    return dispatch.state in OPEN and now - dispatch.taken_at >= LOOK_FOR


def unsettled(dispatches: Sequence[Dispatch], now: datetime) -> list[Dispatch]:
    """Those of which the watchdog tells."""
    return [dispatch for dispatch in dispatches if is_unsettled(dispatch, now)]


def _of_taken(dispatch: Dispatch, witness: Witness, now: datetime) -> Step:
    if witness.sent == "yes":
        return _ask(dispatch, "it lies where sent things lie although it was never handed over", now)
    # A clock set back makes an age negative; that is young.
    if now - dispatch.taken_at < GO_ON_FOR:
        return GoOn()
    return Settle(_moved(dispatch, "failed", "it did not leave in time", now))


def _of_doubtful(dispatch: Dispatch, witness: Witness, now: datetime) -> Step:
    if dispatch.transport == "https":
        return _ask(dispatch, "the answer was lost, and there is nothing to look at", now)
    if dispatch.transport == "smtp" and not witness.files_sent:
        return _ask(dispatch, "this mail server files nothing by itself, so nothing can be looked up", now)
    if now - dispatch.changed_at < LOOK_FOR:
        return LookAgain(now + LOOK_EVERY)
    if _is_certainly_here(dispatch.transport, witness):
        return Settle(_settled(dispatch, "failed", "it did not leave: it is still where it was prepared", now))
    return _ask(dispatch, _what_is_known(dispatch.transport, witness), now)


def _is_certainly_here(transport: Transport, witness: Witness) -> bool:
    if witness.sent != "no":
        return False
    return transport == "calendar" or (transport == "gmail" and witness.draft == "yes")


def _what_is_known(transport: Transport, witness: Witness) -> str:
    if witness.sent == "unclear" or (transport == "gmail" and witness.draft == "unclear"):
        return "it was handed over, the answer was lost, and nobody could look"
    if transport == "gmail":
        return "it was handed over, its draft is gone, and it is not among what was sent"
    return "it was handed over, the answer was lost, and it is not among what was sent"


def _ask(dispatch: Dispatch, because: str, now: datetime) -> AskOwner:
    if dispatch.state == "unknown":
        return AskOwner(dispatch, because)
    return AskOwner(_moved(dispatch, "unknown", because, now), because)


def _settled(dispatch: Dispatch, state: State, because: str, now: datetime, witness: str = "") -> Dispatch:
    moved = _moved(dispatch, state, because, now, witness=witness or dispatch.witness)
    return replace(moved, settled_by="looking")


def _moved(
    dispatch: Dispatch,
    state: State,
    because: str,
    now: datetime,
    *,
    attempts: int | None = None,
    witness: str | None = None,
    settled_by: Literal["looking", "owner", ""] = "",
) -> Dispatch:
    return replace(
        dispatch,
        state=state,
        because=because,
        changed_at=now,
        attempts=dispatch.attempts if attempts is None else attempts,
        witness=dispatch.witness if witness is None else witness,
        settled_by=settled_by,
    )
