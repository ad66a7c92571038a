"""The wire: what the daemon and a command say to each other over the Unix socket.

One JSON object a line, UTF-8, at most `LINE_MAX` bytes. Both sides begin with a hello; whoever finds a protocol that is
not its own says so and closes. Then

    the command says        the daemon answers
    attach                  message …, one for each of the history, and from then on whatever happens in the thread:
                            message, amended, typing
    say, tap                heard, once the signal is committed; saying it again with the same id changes nothing
    settle                  settled, once no job is left and every message before it was sent
    ask                     progress …, result …, and the end of that ask
    anything unreadable     error; the connection lives on

Whatever cannot be read raises BadInput.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from memory.errors import BadInput
from memory.thread import Role

PROTOCOL = 1
"""Raised with every change that an older side would misread."""

LINE_MAX = 1 << 20
"""Bytes of one line, its end included."""

TEXT_MAX = 80_000
"""Characters of one text: even if JSON spells every one of them with twelve bytes, the line stays below LINE_MAX."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=TEXT_MAX)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9\-]{1,64}$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Greet:
    """The command's first line."""

    protocol: int = PROTOCOL
    do: Literal["hello"] = "hello"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attach:
    """Follow the thread: first its newest `history` messages, or everything after the message `after_id`."""

    history: Annotated[int, Field(ge=0, le=1000)] = 30
    after_id: Annotated[int, Field(ge=0, le=10**18)] | None = None
    do: Literal["attach"] = "attach"


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """The owner says something. `id` is made by the command, so that a resend after a cut is harmless."""

    id: Id
    text: Text
    reply_to: Annotated[int, Field(ge=1, le=10**18)] | None = None
    do: Literal["say"] = "say"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """The owner presses the button behind which `data` stands."""

    id: Id
    data: Annotated[str, StringConstraints(max_length=64)]
    do: Literal["tap"] = "tap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Say so when nothing is left to do."""

    do: Literal["settle"] = "settle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A command's question: `what` names it, `args` are its own."""

    id: Id
    what: Annotated[str, StringConstraints(max_length=40)]
    args: dict[str, Any] = field(default_factory=dict)
    do: Literal["ask"] = "ask"


Request = Greet | Attach | Say | Tap | Settle | Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """The daemon's first line: its protocol and the version of Stillbell."""

    protocol: int = PROTOCOL
    version: str = ""
    is_: Annotated[Literal["hello"], Field(alias="is")] = "hello"


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """One button that can be pressed now; `data` is what a tap of it says."""

    label: str
    data: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the thread, said by either side in any channel. `at` is aware, with the offset of the owner's zone then.

    `buttons` are those of an open card; `decided` is the label of what a decided card was decided as. When `is_` is
    "amended" the message was shown before and now reads like this. `cut`: more lies between what was asked to begin after
    and this message, and was left out.
    """

    id: int
    role: Role
    channel: str
    text: str
    at: datetime
    buttons: tuple[Button, ...] = ()
    decided: str | None = None
    edited: bool = False
    cut: bool = False
    is_: Annotated[Literal["message", "amended"], Field(alias="is")] = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """Something is being worked on."""

    is_: Annotated[Literal["typing"], Field(alias="is")] = "typing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What was said or tapped with this id is committed."""

    id: str
    is_: Annotated[Literal["heard"], Field(alias="is")] = "heard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Nothing is left to do, and everything said before was sent."""

    is_: Annotated[Literal["settled"], Field(alias="is")] = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an ask has come."""

    data: dict[str, Any]
    ask: str = ""
    is_: Annotated[Literal["progress"], Field(alias="is")] = "progress"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an ask found."""

    data: dict[str, Any]
    ask: str = ""
    is_: Annotated[Literal["result"], Field(alias="is")] = "result"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """An ask is over."""

    ask: str
    is_: Annotated[Literal["end"], Field(alias="is")] = "end"


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """Something went wrong: `text` for a person, `kind` the class of the error, `about` the ask or say it concerns."""

    text: str
    kind: str = "StillbellError"
    about: str | None = None
    is_: Annotated[Literal["error"], Field(alias="is")] = "error"


Answer = Hello | Said | Typing | Heard | Settled | Progress | Result | End | Error

Steps = AsyncGenerator[Progress | Result, None]
AskHandler = Callable[[Mapping[str, Any]], Steps]
"""An async generator function: from an ask's arguments to what is told of it, one after the other."""

_T = TypeVar("_T")
_REQUEST: TypeAdapter[Request] = TypeAdapter(Annotated[Request, Field(discriminator="do")])
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Annotated[Answer, Field(discriminator="is_")])


def write(value: Request | Answer) -> bytes:
    """The line that says `value`. Raises BadInput when it would be longer than LINE_MAX."""
    adapter: TypeAdapter[Any] = _ANSWER if hasattr(value, "is_") else _REQUEST
    line = adapter.dump_json(value, by_alias=True) + b"\n"
    if len(line) > LINE_MAX:
        raise BadInput(f"{len(line)} bytes in one line; {LINE_MAX} are the most: say it in parts")
    return line


def read_request(line: bytes) -> Request:
    """What a command said. Raises BadInput."""
    return _read(_REQUEST, line)


def read_answer(line: bytes) -> Answer:
    """What the daemon said. Raises BadInput."""
    return _read(_ANSWER, line)


def clean(text: str) -> str:
    """`text` as it can travel: without halves of characters (undecodable input) and without the character NUL."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _read(adapter: TypeAdapter[_T], line: bytes) -> _T:
    try:
        return adapter.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"not understood: {where + ': ' if where else ''}{first['msg']}") from error
