"""What goes wrong between Stillbell and a source of mail or events, in the words that its keeper acts on.

StillbellError
├── OutOfReach
│   ├── SourceDown          not there, or answers with nonsense: try again later
│   └── SlowDown            it asks for patience, and says how much
└── Refused
    └── SignInRefused       the sign-in is refused or revoked: only the owner can renew it
"""

from datetime import timedelta

from memory.errors import OutOfReach, Refused


class SourceDown(OutOfReach):
    """The source can't be reached or answers with something that is no answer."""


class SlowDown(OutOfReach):
    """The source asks to be left alone for `wait_for` (429, 503 with Retry-After, quota)."""

    def __init__(self, message: str, wait_for: timedelta) -> None:
        super().__init__(message)
        self.wait_for = wait_for


class SignInRefused(Refused):
    """The password, token or grant is refused. The message says how to renew it."""
