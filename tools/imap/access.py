"""Where a mailbox is and how one signs in there."""

import ipaddress
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

Tls = Literal["tls", "starttls", "none"]
"""Encrypted from the first byte (port 993), after a greeting (143), or not at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """One login at one server.

    secret: asked for whenever one signs in, in the connection's thread, and kept nowhere.
    timeout: how long the server may be silent while an answer is awaited; a whole step may take STEP_TIMEOUTS of them.
    trust: which certificates are believed; None takes those that the machine trusts.
    """

    host: str
    port: int
    user: str
    secret: Callable[[], str] = field(repr=False)
    tls: Tls = "tls"
    timeout: timedelta = timedelta(seconds=30)
    trust: ssl.SSLContext | None = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """What messages to the owner call it."""
        return f"{self.user} at {self.host}"

    @property
    def is_open_to_others(self) -> bool:
        """Whether mail and password would cross a network that others can listen to."""
        return self.tls == "none" and not _is_this_machine(self.host)


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
