"""A request as the server keeps it, and the words a test looks for in it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.servers.messages_rules import Violation
from tests.servers.messages_thread import Body, blocks_of

# A body that could not be read as one; empty, so that whoever looks into it finds nothing.
TOO_LARGE: dict[str, Any] = {}
NO_JSON: dict[str, Any] = {}


def parsed(raw: bytes | None) -> Any:
    """A request's body as JSON, or one of the two marks above; None stands for a body that was too large."""
    if raw is None:
        return TOO_LARGE
    try:
        return json.loads(raw) if raw else NO_JSON
    except ValueError:
        return NO_JSON


def redacted(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with names in lower case and without keys."""
    secret = ("authorization", "x-api-key")
    return {name.lower(): "redacted" if name.lower() in secret else value for name, value in headers.items()}


Match = str | Callable[[Body], bool]


def anything(body: Body) -> bool:
    """Matches every request."""
    return True


def user_says(part: str) -> Callable[[Body], bool]:
    """Matches requests whose last message contains `part`."""
    return lambda body: part in user_text(body)


def system_text(body: Body) -> str:
    """The system prompt as one text, empty when there is none."""
    return "\n".join(str(block.get("text", "")) for block in blocks_of(body.get("system") or []))


def user_text(body: Body) -> str:
    """The text of the last message; of tool results, what they say."""
    return "\n".join(_said(block) for block in blocks_of(body["messages"][-1]["content"]))


def _said(block: Mapping[str, Any]) -> str:
    if block["type"] == "tool_result":
        return "\n".join(_said(part) for part in blocks_of(block.get("content") or []))
    return str(block.get("text", ""))


@dataclass(slots=True, kw_only=True)
class RecordedRequest:
    """One request as it came in, and what became of it.

    Times are time.monotonic() seconds, None while they have not happened: `received_s` when the whole request had been
    read, `first_byte_s` when the first byte of the body was written, `answered_s` when the last was, or the connection
    was ended by a fault. `violation` names the broken rule of a refused request, `left` says that the client went away.
    """

    number: int
    path: str
    headers: Mapping[str, str]  # names in lower case, keys redacted
    body: Body
    received_s: float
    first_byte_s: float | None = None
    answered_s: float | None = None
    status: int | None = None
    violation: Violation | None = None
    left: bool = False

    @property
    def held_for_s(self) -> float:
        """The provider's own time: from the request's arrival to the end of its answer."""
        assert self.answered_s is not None, "not answered yet"
        return self.answered_s - self.received_s

    @property
    def first_byte_for_s(self) -> float:
        """The provider's own time up to the first byte of the answer's body."""
        assert self.first_byte_s is not None, "nothing sent yet"
        return self.first_byte_s - self.received_s
