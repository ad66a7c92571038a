"""The HTTP under Google's client. The client's own, httplib2, sends a request once more by itself when the line breaks;
for what may change something that is once too often, so every request here goes out exactly once.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx

from memory.clock import Clock
from tools.google.exchange import trust
from tools.google.failures import Lost, Refusal, Unreached, failure_of
from tools.google.grant import Grant

CALL_SECONDS = 60.0
"""The longest that one call may take, however the bytes drip."""

SILENCE_SECONDS = 20.0
"""The longest silence within a call."""

ANSWER_MOST_BYTES = 128 << 20
"""More than the largest mail (50 MB) in the form in which Gmail hands it over."""


class Answer(dict[str, str]):
    """What Google's client wants to know of an answer besides its content."""

    status = 200
    reason = ""


class Wire:
    """The `http` that Google's client is given. Used from several threads.

    Raises for every answer that is none: SourceDown (Unreached, Lost, NotThere, Declined), SlowDown, SignInRefused.
    """

    def __init__(
        self,
        grant: Grant,
        clock: Clock,
        *,
        call_seconds: float = CALL_SECONDS,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        self._grant = grant
        self._clock = clock
        self._call_seconds = call_seconds
        timeout = httpx.Timeout(silence_seconds, connect=min(10.0, silence_seconds))
        self._http = httpx.Client(verify=trust(), timeout=timeout, follow_redirects=False)
        self._lock = threading.Lock()
        self._calls = 0
        self._is_closed = False

    def request(
        self,
        uri: str,
        method: str = "GET",
        *,
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Answer, bytes]:
        """One request, one answer. A 401 is certain to have done nothing, so after it the token is renewed once."""
        with self._call():
            token = self._grant.access_token()
            status, told, content = self._once(uri, method, body, headers, token)
            if status == 401:
                status, told, content = self._once(uri, method, body, headers, self._grant.access_token(refused=token))
        if status >= 300:
            raise self._failure(uri, status, told, content)
        answer = Answer(told)
        answer.status = status
        return answer, content

    def close(self) -> None:
        """Close the connections; a call still under way ends by its own deadline, and the last one closes them."""
        with self._lock:
            self._is_closed = True
            is_idle = not self._calls
        if is_idle:
            self._release()

    @contextmanager
    def _call(self) -> Iterator[None]:
        # The pool forgets a connection that is still being made when it is closed: nobody would ever close that one.
        with self._lock:
            if self._is_closed:
                raise Unreached("the connection was closed from this side")
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                is_last = self._is_closed and not self._calls
            if is_last:
                self._release()

    def _release(self) -> None:
        self._http.close()
        self._grant.close()

    def _once(
        self, uri: str, method: str, body: str | bytes | None, headers: Mapping[str, str] | None, token: str
    ) -> tuple[int, dict[str, str], bytes]:
        sent = {name: value for name, value in (headers or {}).items() if name.lower() != "content-length"}
        sent["authorization"] = f"Bearer {token}"
        ends_at = time.monotonic() + self._call_seconds
        try:
            with self._http.stream(method, uri, content=body, headers=sent) as response:
                content = _read(response, ends_at)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise Unreached(f"{_service(uri)} can't be reached") from error
        except httpx.TimeoutException as error:
            raise Lost(f"{_service(uri)} did not answer in time") from error
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise Lost(f"the line to {_service(uri)} broke") from error
        told = {name.lower(): value for name, value in response.headers.items() if name.lower() != "content-encoding"}
        return response.status_code, told, content

    def _failure(self, uri: str, status: int, told: Mapping[str, str], content: bytes) -> Exception:
        refusal = Refusal(
            service=_service(uri), status=status, headers=told, content=content, renewal=self._grant.renewal
        )
        return failure_of(refusal, self._clock.now())


def _read(response: httpx.Response, ends_at: float) -> bytes:
    pieces, held = [], 0
    for piece in response.iter_bytes():
        held += len(piece)
        if time.monotonic() > ends_at or held > ANSWER_MOST_BYTES:
            raise httpx.ReadTimeout("too slow or too long", request=response.request)
        pieces.append(piece)
    return b"".join(pieces)


def _service(uri: str) -> str:
    return "Google Calendar" if "/calendar/" in uri else "Gmail"
