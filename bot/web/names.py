"""Names: under which hosts this server may be asked.

A page of a stranger can point a name of its own at 127.0.0.1 and have the browser ask us under that name. So a name that
is not ours is turned away, whatever else the request brings.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from memory.errors import BadInput

_HOST = re.compile(r"(?P<name>\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(?P<port>\d{1,5}))?")
_ORIGIN = re.compile(r"https?://(?P<host>.+)")

LOCAL = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Names:
    """The hosts that are ours: `exact` with their port, `anywhere` whatever the port."""

    exact: frozenset[str]
    anywhere: frozenset[str] = frozenset()

    @classmethod
    def of(cls, port: int, more: Iterable[str] = ()) -> Self:
        """This machine's own names with `port`, and `more`, each "name" or "name:port". Raises BadInput for another shape."""
        exact = {f"{name}:{port}" for name in LOCAL}
        anywhere: set[str] = set()
        for host in (one.strip().lower() for one in more if one.strip()):
            found = _HOST.fullmatch(host)
            if found is None:
                raise BadInput(
                    f"STILLBELL_WEB_HOSTS: {host!r} is no host; one looks like my-pc.example.ts.net or localhost:9000"
                )
            (exact if found["port"] else anywhere).add(host)
        return cls(frozenset(exact), frozenset(anywhere))

    def know(self, host: str | None) -> bool:
        """Whether a Host header is one of ours."""
        found = _HOST.fullmatch(host.lower()) if host else None
        return found is not None and (found[0] in self.exact or found["name"] in self.anywhere)

    def know_origin(self, origin: str) -> bool:
        """Whether an Origin header is one of ours; "null" never is."""
        found = _ORIGIN.fullmatch(origin)
        return found is not None and self.know(found["host"])


def split(hosts: str) -> tuple[str, ...]:
    """The hosts of a setting, separated by commas."""
    return tuple(one.strip() for one in hosts.split(",") if one.strip())
