"""The way out to a list's server: one POST, over TLS, to a public host, following nothing.

host ─► looked up once ─► every address public? ─► connected to that very address, the certificate checked for the host
     ─► POST List-Unsubscribe=One-Click ─┬─ 2xx ─► Handed
                                         ├─ anything else ─► NotHanded for good; a redirect is not followed
                                         └─ answer lost ─► MaybeHanded
"""

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable
from datetime import timedelta
from urllib.parse import urlsplit, urlunsplit

import httpx

from memory.dispatch import Transport as Way
from memory.dispatch import Witness
from memory.errors import BadInput
from tools.transport import Handed, MaybeHanded, NotHanded, Outgoing

WITHIN_FOR = timedelta(seconds=20)
HTTPS = 443

Looks = Callable[[str], Awaitable[tuple[str, ...]]]
"""host → its addresses, none where it has none."""


async def looked_up(host: str) -> tuple[str, ...]:
    """The addresses of a host, as this machine's resolver has them."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, HTTPS, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether it belongs to the net outside: no loopback, no home network, nothing reserved."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(read, "ipv4_mapped", None)
    return (mapped or read).is_global and not read.is_multicast


class OneClick:
    """Posts once. `looks` finds a host's addresses, `allows` says which of them may be reached, `trust` whom to believe."""

    name: Way = "https"

    def __init__(
        self,
        *,
        looks: Looks = looked_up,
        allows: Callable[[str], bool] = is_public,
        trust: ssl.SSLContext | None = None,
        port: int = HTTPS,
    ) -> None:
        self._looks = looks
        self._allows = allows
        self._trust = trust
        self._port = port

    async def prepare(self, outgoing: Outgoing) -> str:
        """The address that will be connected to. Raises NotHanded where the host has none, or one that is not public."""
        addresses = await self._looks(_host(outgoing))
        if not addresses:
            raise NotHanded(f"{_host(outgoing)} can't be found just now", trouble="unreachable")
        if not all(self._allows(address) for address in addresses):
            raise NotHanded(f"{_host(outgoing)} leads into a private network", trouble="unsafe", for_good=True)
        return addresses[0]

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """Post it, once. Raises NotHanded or MaybeHanded."""
        if not self._allows(handle):
            raise NotHanded("that address is not public", trouble="unsafe", for_good=True)
        host = _host(outgoing)
        try:
            async with asyncio.timeout(WITHIN_FOR.total_seconds()), self._client() as client:
                answer = await client.post(
                    self._at(outgoing.key, handle),
                    content=outgoing.content,
                    headers={"Host": host, "Content-Type": "application/x-www-form-urlencoded"},
                    extensions={"sni_hostname": host},
                )
        except httpx.ConnectError as error:
            raise NotHanded(
                f"{host} can't be reached, or shows no certificate of its own", trouble="unreachable"
            ) from error
        except (httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise NotHanded(f"{host} does not answer", trouble="unreachable") from error
        except (httpx.HTTPError, TimeoutError) as error:
            raise MaybeHanded(f"{host} was told, and its answer got lost") from error
        if not answer.is_success:
            raise NotHanded(f"{host} said no ({answer.status_code})", trouble="refused", for_good=True)
        return Handed(receipt=str(answer.status_code))

    async def look(self, outgoing: Outgoing, handle: str) -> Witness:
        """Nothing can be looked up there."""
        return Witness(files_sent=False)

    def _client(self) -> httpx.AsyncClient:
        # No proxy, no cookies, nothing of this machine's settings; and whatever the answer says is not followed.
        transport = httpx.AsyncHTTPTransport(verify=self._trust or ssl.create_default_context(), retries=0)
        return httpx.AsyncClient(
            transport=transport, follow_redirects=False, trust_env=False, timeout=WITHIN_FOR.total_seconds()
        )

    def _at(self, url: str, address: str) -> str:
        """The same path at the address that was looked at: asking again could be answered otherwise."""
        parts = urlsplit(url)
        literal = f"[{address}]" if ":" in address else address
        return urlunsplit(("https", f"{literal}:{self._port}", parts.path or "/", parts.query, ""))


def _host(outgoing: Outgoing) -> str:
    parts = urlsplit(outgoing.key)
    if parts.scheme != "https" or not parts.hostname:
        raise BadInput("a list is left over https alone")
    return parts.hostname
