"""A submission server: where the owner's mail is handed in, and under which name."""

import ipaddress
from dataclasses import dataclass
from typing import Literal

from memory.errors import BadInput

Tls = Literal["tls", "starttls", "none"]
"""tls: from the first byte (port 465). starttls: made safe before anything is said (587). none: within this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """Where mail is handed in; `user` is "" where nobody signs in.

    Raises BadInput where a password would travel readably over a network.
    """

    host: str
    port: int
    tls: Tls
    user: str = ""

    def __post_init__(self) -> None:
        if self.tls == "none" and self.user and not is_loopback(self.host):
            raise BadInput(f"the password would go to {self.host} unprotected: set tls or starttls for this account")


def is_loopback(host: str) -> bool:
    """Whether what is said to `host` stays on this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
