"""What our own Google server can be told to do wrong, once or more often, to the calls that a pattern names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Fault:
    """`calls`: a pattern for "METHOD path?query". It strikes `times` times, after `spared` such calls."""

    calls: str
    times: int = 1
    spared: int = 0
    done: bool = False
    """Whether the call is carried out before the fault shows."""

    def strikes(self, call: str) -> bool:
        """Count the call, and say whether it is struck."""
        if not self.times or not re.search(self.calls, call):
            return False
        if self.spared:
            self.spared -= 1
            return False
        self.times -= 1
        return True


@dataclass
class Status(Fault):
    """An answer with this status, these headers and, for an error of Google's, this reason."""

    code: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    reason: str = "backendError"
    message: str = "Something went wrong"

    def body(self) -> dict[str, Any]:
        """Google's shape of an error."""
        error = {"code": self.code, "message": self.message, "errors": [{"reason": self.reason, "domain": "global"}]}
        return {"error": error}


@dataclass
class Cut(Fault):
    """The line breaks: before the call is carried out, or (`done`) after, without a byte of an answer."""


@dataclass
class Half(Fault):
    """Half of the answer, then the line breaks. The call is carried out."""

    done: bool = True


@dataclass
class Hang(Fault):
    """No answer until the server is closed or told to go on."""


@dataclass
class Drip(Fault):
    """An answer that never ends, a byte at a time."""


@dataclass
class Garbage(Fault):
    """A good status, and something that is no answer to what was asked."""

    content: bytes = b"<html>hello</html>"
    done: bool = False
