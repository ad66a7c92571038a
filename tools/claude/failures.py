"""Failures: what the SDK and its HTTP library raise, said in the port's own words.

    status 429, 503, 529                    overloaded   certainly free; may be tried again
    any other 3xx or 4xx                    rejected     certainly free
    any other 5xx                           overloaded   nobody knows what it cost
    an error event in a stream              by its type  nobody knows
    no connection                           unreachable  certainly free; may be tried again
    a connection that breaks, or is silent  cut          nobody knows
    no JSON, no events, nonsense, too much  garbled      nobody knows

Only what is certainly free is tried again, because one attempt is what was reserved.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError

import anthropic
import httpx2

from tools.claude.gathering import ErrorEventError, GarbledStreamError
from tools.claude.wire import AnswerTooLargeError
from tools.model import ModelFailed
from tools.provider import Provider

SAID_CHARS = 200

FIRST_PAUSE_SECONDS = 0.25
"""How long to wait before trying again when the provider names no time."""

FREE_AND_PASSING = frozenset({429, 503, 529})

# Faults of reading that are no anthropic.APIError: they come out of the SDK's stream as they are.
BROKEN_CONNECTION = (httpx2.TransportError, httpx2.StreamError)
NONSENSE = (
    JSONDecodeError,
    UnicodeDecodeError,
    httpx2.DecodingError,
    anthropic.APIResponseValidationError,
    GarbledStreamError,
    AnswerTooLargeError,
)
FOREIGN = (
    anthropic.AnthropicError,
    ErrorEventError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    *BROKEN_CONNECTION,
    *NONSENSE,
)
"""Everything that is the other side's doing. What else is raised is a bug of ours and let through."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and in how many seconds it may be tried again (None: not at all)."""

    failed: ModelFailed
    again_in_seconds: float | None = None


def failure_of(error: Exception, provider: Provider, model: str) -> Failure:
    """One of FOREIGN in the port's words. The key never stands in them."""
    match error:
        case anthropic.APIResponseValidationError():
            failure = _garbled(error, provider)
        case anthropic.APIStatusError():
            failure = _status(error, provider, model)
        case ErrorEventError():
            failure = _event(error, provider)
        case anthropic.APIConnectionError():
            failure = _connection(error.__cause__ or error, provider)
        case httpx2.TransportError() | httpx2.StreamError():
            failure = _connection(error, provider)
        case _:
            failure = _garbled(error, provider)
    return failure


def gives_away(error: BaseException, secret: str) -> bool:
    """Whether `error` or what lies behind it holds the secret: a server may echo it, and so may the HTTP library."""
    return any(secret in f"{one} {one!r}" for one in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        if (behind := error.__cause__ or error.__context__) is None:
            return
        error = behind


def _status(error: anthropic.APIStatusError, provider: Provider, model: str) -> Failure:
    status = error.status_code
    said = _said(error.api_message, provider)
    if status in FREE_AND_PASSING:
        failed = ModelFailed(
            f"{provider.title} has no room just now ({status}: {said}); it is tried again later",
            kind="overloaded",
            cost_known_zero=True,
        )
        return Failure(failed, _pause(error.response.headers))
    if status >= 500:
        return Failure(ModelFailed(f"{provider.title} failed ({status}: {said}); try again later", kind="overloaded"))
    failed = ModelFailed(
        f"{provider.title} rejected the request ({status}: {said}); {_remedy(status, model)}",
        kind="rejected",
        cost_known_zero=True,
    )
    return Failure(failed)


def _remedy(status: int, model: str) -> str:
    match status:
        case status if status < 400:
            return "it points elsewhere, where nothing is sent: correct the address"
        case 401 | 403:
            return "check the key in the settings"
        case 402:
            return "add credit to the account or use another key"
        case 404:
            return f"check the address, and whether it has a model called {model!r}"
        case 413:
            return "the conversation is too long for it"
        case _:
            return "check the model and its pin in the policy"


def _event(error: ErrorEventError, provider: Provider) -> Failure:
    """An error that came inside a stream which had begun well."""
    said = _said(error.said, provider)
    if error.kind in ("overloaded_error", "rate_limit_error", "api_error", "timeout_error"):
        return Failure(ModelFailed(f"{provider.title} gave up in the middle of its answer: {said}", kind="overloaded"))
    return Failure(ModelFailed(f"{provider.title} ended its answer with an error: {said}", kind="rejected"))


def _connection(error: BaseException, provider: Provider) -> Failure:
    why = type(error).__name__
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.ProxyError):
        failed = ModelFailed(
            f"{provider.title} can't be reached at {provider.base_url} ({why}); check the network and the address",
            kind="unreachable",
            cost_known_zero=True,
        )
        return Failure(failed, FIRST_PAUSE_SECONDS)
    return Failure(ModelFailed(f"the connection to {provider.title} broke in the middle ({why})", kind="cut"))


def _garbled(error: Exception, provider: Provider) -> Failure:
    # The text of a JSONDecodeError or of a UnicodeDecodeError says where, not what; nothing of the answer gets out.
    said = _said(str(error), provider)
    return Failure(
        ModelFailed(
            f"{provider.title} answered with something that is no answer ({type(error).__name__}: {said}); "
            f"check that {provider.base_url} speaks the Messages API",
            kind="garbled",
        )
    )


def _said(message: object, provider: Provider) -> str:
    said = message if isinstance(message, str) and message else "no reason given"
    return said.replace(provider.api_key, "…")[:SAID_CHARS]


def _pause(headers: httpx2.Headers) -> float | None:
    """What the provider asks for in seconds; None when it can't be read, which is taken as a long time."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if (given := headers.get(name)) is None:
            continue
        try:
            seconds = float(given) * unit
        except ValueError:  # a date: nobody who names one means a fraction of a second
            return None
        return seconds if math.isfinite(seconds) and seconds >= 0 else None
    return FIRST_PAUSE_SECONDS
