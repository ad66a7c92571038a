"""What the owner asks for, as a value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, time
from typing import Any, Literal

from memory.loop import Kind
from memory.owner import Language


@dataclass(frozen=True, slots=True)
class Target:
    """Which loop is meant. `it` is the one being talked about, else the only one; `number` counts from 1 in the list.

    `mentioned` is the one being talked about and no other: without one it was no command. `loop_id` is certain (a
    button, or "#12"); `words` are to be found in exactly one title.
    """

    how: Literal["it", "mentioned", "number", "last", "loop_id", "words"] = "it"
    number: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """It is done, or dropped undone."""

    target: Target
    state: Literal["done", "dropped"] = "done"


@dataclass(frozen=True, slots=True)
class Snooze:
    """Out of sight until a wall time; `exact_at` (ISO, UTC) for "for 20 minutes"."""

    target: Target
    wall: datetime
    exact_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Remind:
    """Say this at a wall time, once or by a rule."""

    text: str
    wall: datetime
    rule: str | None = None
    exact_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """Keep this open."""

    title: str
    kind: Kind = "task"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take the last change back; `only_done`: if it closed something ("not done" takes nothing else back)."""

    only_done: bool = False


@dataclass(frozen=True, slots=True)
class ListLoops:
    """Show what is open."""


@dataclass(frozen=True, slots=True)
class ShowDay:
    """Show what needs the owner today, what is planned, what waits."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Say no more about this."""


@dataclass(frozen=True, slots=True)
class Move:
    """The owner is somewhere else, for good or until a wall time there."""

    zone: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Speak:
    """Answer in this language."""

    language: Language


@dataclass(frozen=True, slots=True)
class SetQuiet:
    """Quiet hours from … to …; equal ends switch them off."""

    start: time
    end: time


@dataclass(frozen=True, slots=True)
class Remember:
    """Remember this, in the owner's own words."""

    text: str


@dataclass(frozen=True, slots=True)
class Disremember:
    """What is remembered in such words is to be forgotten."""

    words: str


@dataclass(frozen=True, slots=True)
class Recollect:
    """Show what is remembered, of these words or all of it."""

    words: str = ""


Intent = (
    Close
    | Snooze
    | Remind
    | OpenLoop
    | Undo
    | ListLoops
    | ShowDay
    | Stop
    | Move
    | Speak
    | SetQuiet
    | Remember
    | Disremember
    | Recollect
)

_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Close,
        Snooze,
        Remind,
        OpenLoop,
        Undo,
        ListLoops,
        ShowDay,
        Stop,
        Move,
        Speak,
        SetQuiet,
        Remember,
        Disremember,
        Recollect,
    )
}


def at_wall(intent: Remind | Snooze, wall: datetime) -> Remind | Snooze:
    """The same wish at another wall time."""
    return replace(intent, wall=wall, exact_at=None)


def to_plain(intent: Intent) -> dict[str, Any]:
    """An intent as JSON can hold it, for the card on which it is one of several readings."""
    values = {name: _spelled(value) for name, value in asdict(intent).items()}
    return {"intent": type(intent).__name__, **values}


def from_plain(plain: Mapping[str, Any]) -> Intent:
    """The intent that `to_plain` spelled. Raises KeyError or ValueError for anything else."""
    values = {name: value for name, value in plain.items() if name != "intent"}
    if "target" in values:
        values["target"] = Target(**values["target"])
    for name in ("wall", "exact_at", "until"):
        if values.get(name):
            values[name] = datetime.fromisoformat(values[name])
    for name in ("start", "end"):
        if values.get(name):
            values[name] = time.fromisoformat(values[name])
    made: Intent = _KINDS[plain["intent"]](**values)
    return made


def _spelled(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime | time) else value
