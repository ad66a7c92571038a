"""The line to a calendar on the web: one request, one answer, within bounds, and no password to strangers.

    address allowed? ─► send ─► redirected? ─► allowed there, too? ─► … ─► answer, at most so many bytes ─► its status judged

What is said about a failure names the host alone: the rest of an address may be a secret.
"""

import asyncio
import ipaddress
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

import httpx

from memory.errors import BadInput
from tools.source import SignInRefused, SlowDown, SourceDown

MOST_REDIRECTS = 5
SILENCE_FOR = timedelta(seconds=30)
"""So long a server may be silent."""
ANSWER_FOR = timedelta(minutes=3)
"""So long a whole answer may take, redirects included."""
PATIENCE_FOR, PATIENCE_MOST_FOR = timedelta(minutes=1), timedelta(hours=6)
"""How long to leave a server alone that asks for it without saying how long, and the longest that is granted."""
RENEW = "give it again: `stillbell accounts renew` with the name of this account"

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class TooLarge(SourceDown):
    """The answer is larger than is read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said. `url`: where it was said, after redirects."""

    status: int
    headers: httpx.Headers
    body: bytes
    url: httpx.URL


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """What may be done on a line. `most_bytes`: of an answer's body. allow_plain: http to other machines, too."""

    most_bytes: int
    silence_for: timedelta = SILENCE_FOR
    answer_for: timedelta = ANSWER_FOR
    allow_plain: bool = False


@dataclass(slots=True)
class WebLine:
    """Requests to one calendar's server. Used by one task at a time; `close` ends it."""

    manners: Manners
    _client: httpx.AsyncClient | None = field(default=None, init=False, repr=False)

    async def ask(
        self,
        method: str,
        url: httpx.URL,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        auth: httpx.Auth | None = None,
    ) -> Answer:
        """The answer, redirects followed: with `auth`, only within the same site. Raises SourceDown, TooLarge."""
        try:
            async with asyncio.timeout(self.manners.answer_for.total_seconds()):
                return await self._follow(method, url, dict(headers or {}), content, auth)
        except TimeoutError as error:
            raise SourceDown(f"{url.host} did not finish its answer in time") from error
        except httpx.TimeoutException as error:
            raise SourceDown(f"{url.host} does not answer") from error
        except (httpx.HTTPError, httpx.StreamError, zlib.error) as error:
            raise SourceDown(f"{url.host} can't be reached: {type(error).__name__}") from error

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _follow(
        self, method: str, url: httpx.URL, headers: dict[str, str], content: bytes | None, auth: httpx.Auth | None
    ) -> Answer:
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._once(method, url, headers, content, auth)
            place = answer.headers.get("location", "")
            if answer.status not in _REDIRECTS or not place:
                return answer
            url = self._next(url, place, has_secret=auth is not None)
        raise SourceDown(f"{url.host} redirects in circles")

    def _next(self, url: httpx.URL, place: str, *, has_secret: bool) -> httpx.URL:
        try:
            there = url.join(place)
        except httpx.InvalidURL as error:
            raise SourceDown(f"{url.host} redirects to nowhere") from error
        if url.scheme == "https" and there.scheme != "https":
            raise SourceDown(f"{url.host} redirects to an address without encryption")
        if is_loopback(there.host) and not is_loopback(url.host):
            raise SourceDown(f"{url.host} redirects to this machine")
        if has_secret and not is_same_site(url, there):
            raise SourceDown(
                f"{url.host} redirects to {there.host or 'nowhere'}, which does not get the password; "
                "if that is your server, use its address"
            )
        try:
            check_address(there, allow_plain=self.manners.allow_plain)
        except BadInput as error:
            raise SourceDown(f"{url.host} redirects to an address that is not asked: {error}") from error
        return there

    async def _once(
        self, method: str, url: httpx.URL, headers: dict[str, str], content: bytes | None, auth: httpx.Auth | None
    ) -> Answer:
        request = self._open().build_request(method, url, headers=headers, content=content)
        response = await self._open().send(request, auth=auth or httpx.USE_CLIENT_DEFAULT, stream=True)
        try:
            body = await _body(response, self.manners.most_bytes)
        finally:
            await response.aclose()
        return Answer(response.status_code, response.headers, body, url)

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            silence = self.manners.silence_for.total_seconds()
            # No proxy and no .netrc of the machine's: a password goes where the owner said, and nowhere else.
            self._client = httpx.AsyncClient(
                timeout=silence, trust_env=False, follow_redirects=False, headers={"Accept-Encoding": "gzip"}
            )
        return self._client


def read_address(text: str, *, allow_plain: bool = False) -> httpx.URL:
    """An address that may be asked; webcal:// is https://. Raises BadInput for any other, without repeating it."""
    try:
        url = httpx.URL(text.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise BadInput("this is no web address: it looks like https://host/path") from error
    if url.scheme in ("webcal", "webcals"):
        url = url.copy_with(scheme="https")
    check_address(url, allow_plain=allow_plain)
    return url


def check_address(url: httpx.URL, *, allow_plain: bool = False) -> None:
    """Raise BadInput for what is no address on the web, or one whose secrets would cross the network in the clear."""
    if url.scheme not in ("http", "https") or not url.host:
        raise BadInput("this is no web address: it looks like https://host/path")
    if url.scheme == "http" and not allow_plain and not is_loopback(url.host):
        raise BadInput(
            f"{url.host} is asked without encryption (http): use https, or your password and events lie open"
        )


def is_loopback(host: str) -> bool:
    """Whether it is this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def is_same_site(one: httpx.URL, other: httpx.URL) -> bool:
    """Whether a password for the one may go to the other: the same host, or over https a sister of it or a host below it.

    Large providers keep each user's calendars on a host of their own (caldav.example.com, p42-caldav.example.com).
    """
    if one.host == other.host:
        return other.scheme in ("https", one.scheme)
    if _is_number(one.host) or _is_number(other.host):
        return False
    parent = one.host.partition(".")[2]
    is_below = other.host.endswith(f".{one.host}") or ("." in parent and other.host.endswith(f".{parent}"))
    return other.scheme == "https" and is_below and one.port == other.port


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def judge(answer: Answer) -> None:
    """Raise for a status that nobody but the line can do anything about: SignInRefused, SlowDown, SourceDown."""
    host, status = answer.url.host, answer.status
    if status == 401:
        raise SignInRefused(f"{host} refuses the user name or password; {RENEW}")
    asked_for = _patience(answer.headers)
    if status == 429 or (status == 503 and asked_for is not None):
        raise SlowDown(f"{host} asks for patience", asked_for or PATIENCE_FOR)
    # 501 and 507 say something about the request: the caller may know another way.
    if status >= 500 and status not in (501, 507):
        raise SourceDown(f"{host} has a fault ({status})")


def _patience(headers: httpx.Headers) -> timedelta | None:
    """What Retry-After asks for: seconds, or a moment, which is measured from the server's own Date."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return _bounded(timedelta(seconds=min(int(text[:9]), 10**6)))
    until, since = _moment(text), _moment(headers.get("date", ""))
    return _bounded(until - since) if until and since else PATIENCE_FOR


def _bounded(wait_for: timedelta) -> timedelta:
    return min(max(wait_for, timedelta(seconds=1)), PATIENCE_MOST_FOR)


def _moment(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


async def _body(response: httpx.Response, most: int) -> bytes:
    """The body, unpacked; no more of it is ever held than is allowed, whatever it was packed from."""
    packing = response.headers.get("content-encoding", "identity").lower()
    if packing not in ("identity", "", "gzip", "x-gzip"):
        raise SourceDown(f"the answer is packed in a way that was not asked for ({packing[:20]!r})")
    unpack = zlib.decompressobj(wbits=31) if "gzip" in packing else None
    body = bytearray()
    async for part in response.aiter_raw():
        body += unpack.decompress(part, most + 1 - len(body)) if unpack else part
        if len(body) > most:
            raise TooLarge(f"the answer is larger than {most // 1_000_000} MB")
    if unpack and body and not unpack.eof:
        raise SourceDown("the answer broke off")
    return bytes(body)
