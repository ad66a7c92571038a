"""The caldav library, speaking over our own line.

It brings the words of the protocol: what a request says and what an answer means. How requests travel is ours: bounded,
with one password for one site, and without retries of its own.
"""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import httpx
from caldav.aio import AsyncDAVClient
from caldav.lib.error import DAVError
from caldav.response import DAVResponse

from tools.source import SourceDown
from tools.webline import Answer, Manners, WebLine, is_same_site, judge

_WITH_PARTS = frozenset({"PROPFIND", "REPORT"})


class Refusal(SourceDown):
    """The server understands the question and answers no, with a status that the asker may know a way round."""

    def __init__(self, host: str, status: int) -> None:
        super().__init__(f"{host} answers with {status}")
        self.status = status


class Client(AsyncDAVClient):
    """A client for one server. Its calls raise SourceDown, Refusal, TooLarge, SlowDown and SignInRefused."""

    def __init__(self, url: httpx.URL, user: str, secret: Callable[[], str], manners: Manners) -> None:
        super().__init__(url=str(url), enable_rfc6764=False)
        self._line = WebLine(manners)
        self._base = url
        self._user = user
        self._secret = secret
        self._sign_in: httpx.Auth | None = None

    async def request(
        self,
        url: str,
        method: str = "GET",
        body: str = "",
        headers: Mapping[str, str] | None = None,
        rate_limit_time_slept: float = 0,
    ) -> DAVResponse:
        """The answer to one request, where the library asks for it."""
        there = self._base.join(str(url))
        answer = await self._ask(there, method, body.encode(), {**self.headers, **(headers or {})})
        if answer.status >= 300:
            raise Refusal(there.host, answer.status)
        if method in _WITH_PARTS and b"multistatus" not in answer.body[-200:]:
            raise SourceDown(f"{there.host} does not speak CalDAV at this address")
        return self._parsed(answer)

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._line.close()
        await super().close()

    async def _ask(self, there: httpx.URL, method: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send it with the password; where the server wants a digest of it instead, once more with that."""
        if not is_same_site(self._base, there):
            raise SourceDown(
                f"{self._base.host} sends us to {there.host or 'nowhere'}, which does not get the password; "
                "if that is your server, use its address"
            )
        if self._sign_in is None:
            self._sign_in = httpx.BasicAuth(self._user, self._secret())
        answer = await self._line.ask(method, there, headers=headers, content=body, auth=self._sign_in)
        offered = answer.headers.get("www-authenticate", "").lower()
        if answer.status == 401 and "digest" in offered and isinstance(self._sign_in, httpx.BasicAuth):
            self._sign_in = httpx.DigestAuth(self._user, self._secret())
            answer = await self._line.ask(method, there, headers=headers, content=body, auth=self._sign_in)
        if answer.status == 401:
            # The next try asks for the secret again: it may have been renewed.
            self._sign_in = None
        judge(answer)
        return answer

    def _parsed(self, answer: Answer) -> DAVResponse:
        xml = httpx.Response(answer.status, headers={"Content-Type": "application/xml"}, content=answer.body)
        try:
            return DAVResponse(xml, self)
        except (DAVError, ValueError, SyntaxError) as error:
            # The library's XML parser raises a SyntaxError of its own for what is no XML.
            raise SourceDown(f"{answer.url.host} answers with something that is no CalDAV") from error


def tag(space: str, name: str) -> str:
    """A property's name as the library writes it."""
    return f"{{{_SPACES[space]}}}{name}"


_SPACES: Mapping[str, str] = {
    "dav": "DAV:",
    "caldav": "urn:ietf:params:xml:ns:caldav",
    "server": "http://calendarserver.org/ns/",
}


def text_of(value: Any) -> str:
    """A property's value where it is one text, "" otherwise."""
    return value.strip() if isinstance(value, str) else ""


def quoted(path: str) -> str:
    """A path as it stands in an address."""
    return quote(path, safe="/@")
