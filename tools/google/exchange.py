"""The token address: where a code or a refresh token is exchanged for an access token. One request, one answer."""

import ssl
from collections.abc import Mapping
from datetime import datetime
from functools import cache

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.google.failures import WAIT_FOR, Lost, Overloaded, Throttled, Unreached, asked_for
from tools.source import SignInRefused, SlowDown, SourceDown


class Exchanged(BaseModel):
    """What came of it. `scope`: what is permitted, separated by spaces; "" where the server doesn't say."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    access_token: str = Field(min_length=1, repr=False)
    refresh_token: str = Field(default="", repr=False)
    expires_in: int = Field(default=0, ge=0)
    scope: str = ""


@cache
def trust() -> ssl.SSLContext:
    """The authorities that vouch for Google: httpx's own list, read once, for reading it takes longer than a call."""
    return httpx.create_ssl_context()


def exchange(http: httpx.Client, token_uri: str, form: Mapping[str, str], *, renewal: str, now: datetime) -> Exchanged:
    """The answer to `form`. Blocks. Raises SignInRefused (with `renewal`), SourceDown, SlowDown; none holds a secret."""
    try:
        response = http.post(token_uri, data=form)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise Unreached("Google's sign-in can't be reached") from error
    except httpx.HTTPError as error:
        raise Lost("Google's sign-in did not answer") from error
    if response.status_code != 200:
        raise _failure(response, renewal, now)
    try:
        return Exchanged.model_validate_json(response.content)
    except ValidationError:
        raise Lost("Google's sign-in answers with nonsense") from None


def _failure(response: httpx.Response, renewal: str, now: datetime) -> SourceDown | SlowDown | SignInRefused:
    status, wait_for = response.status_code, asked_for(response.headers, "", now)
    if status == 429:
        return Throttled("Google's sign-in asks for patience", wait_for or WAIT_FOR)
    if status >= 500 and wait_for is not None:
        return Overloaded("Google's sign-in is overloaded", wait_for)
    if status >= 500:
        return Lost("Google's sign-in has a fault")
    word = _word(response)
    if word == "invalid_grant":
        return SignInRefused(f"the permission has ended or was taken back. Run: {renewal}")
    return SignInRefused(f"Google refuses the sign-in ({word or status}). Run: {renewal}")


def _word(response: httpx.Response) -> str:
    try:
        return one_word(response.json()["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


def one_word(told: object) -> str:
    """Google's one word for what is wrong; "" for anything that is no such word, for it may quote what was sent."""
    if not isinstance(told, str) or len(told) > 40:
        return ""
    return told if told.isascii() and told.replace("_", "").isalpha() else ""
