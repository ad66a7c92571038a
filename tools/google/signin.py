"""Signing in: the owner says yes on Google's own page, and Stillbell keeps the grant that comes of it.

    address with a challenge (PKCE) and a state ─► the owner's browser ─► Google ─► 127.0.0.1 ─► code ─► token ─► file

Where no browser runs, the address is opened on another machine and the address that it ends at is pasted.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

import httpx
from google_auth_oauthlib.flow import Flow

from memory.clock import Clock
from memory.errors import BadInput
from tools.google.client import Client
from tools.google.exchange import Exchanged, exchange, one_word, trust
from tools.google.grant import SCOPES, token_of
from tools.google.loopback import Consent, consent_of, loopback
from tools.google.token import Token, TokenFile
from tools.source import SignInRefused

CONSENT_FOR = timedelta(minutes=10)
"""How long the owner has for Google's page; it may ask for a password and a second factor first."""

_EXCHANGE_SECONDS = 30


class _Answers:
    """Where the answer may come from: the browser on this machine, or an address that the owner pastes."""

    def __init__(self, browser: Awaitable[Consent], pasted: Callable[[], Awaitable[str]] | None, state: str) -> None:
        self._tasks = {asyncio.ensure_future(browser)}
        if pasted is not None:
            self._tasks.add(asyncio.ensure_future(self._read(pasted, state)))

    async def first(self, within: timedelta) -> Consent | None:
        """The first one; None when none came in time. Raises what went wrong with it."""
        try:
            timeout = within.total_seconds()
            done, _ = await asyncio.wait(self._tasks, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result() if done else None
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    @staticmethod
    async def _read(pasted: Callable[[], Awaitable[str]], state: str) -> Consent:
        consent = consent_of((await pasted()).strip(), state)
        if consent is None:
            raise BadInput("the pasted address is not the answer to this sign-in; start again and use its own address")
        return consent


async def sign_in(
    client: Client,
    file: TokenFile,
    clock: Clock,
    *,
    show: Callable[[str], None],
    open_browser: Callable[[str], object] | None = None,
    pasted: Callable[[], Awaitable[str]] | None = None,
    port: int = 0,
    login_hint: str = "",
    within: timedelta = CONSENT_FOR,
) -> Token:
    """Ask the owner for the grant that `file` is for, keep it there, and return it.

    `show` gets the address to open, always; `open_browser` is given it too; `pasted` waits for an address from the owner. Raises SignInRefused when the owner says no,
    gives only a part, or takes too long; SourceDown when Google can't be reached; BadInput for a port in use or a pasted
    address that is no answer.
    """
    state = secrets.token_urlsafe(32)
    async with loopback(state, port) as (door, address):
        asked, verifier = _question(client, file, state, address, login_hint)
        show(asked)
        if open_browser is not None:
            await asyncio.to_thread(open_browser, asked)
        consent = await _Answers(door.answer(), pasted, state).first(within)
    form = {
        "grant_type": "authorization_code",
        "code": _code(consent, file),
        "code_verifier": verifier,
        "redirect_uri": address,
        "client_id": client.client_id,
        "client_secret": client.client_secret,
    }
    now = clock.now()
    exchanged = await asyncio.to_thread(_exchanged, client, form, file, now)
    token = token_of(exchanged, _blank(client, exchanged, file), now)
    await asyncio.to_thread(file.write, token)
    return token


def _question(client: Client, file: TokenFile, state: str, address: str, login_hint: str) -> tuple[str, str]:
    """The address to open, and the verifier of its challenge."""
    config = {
        "client_id": client.client_id,
        "client_secret": client.client_secret,
        "auth_uri": client.auth_uri,
        "token_uri": client.token_uri,
    }
    flow = Flow.from_client_config(
        {"installed": config}, list(SCOPES[file.kind]), state=state, autogenerate_code_verifier=True
    )
    flow.redirect_uri = address
    hint = {"login_hint": login_hint} if login_hint else {}
    # Without prompt=consent Google gives a lasting permission only the first time.
    asked, _ = flow.authorization_url(access_type="offline", prompt="consent", **hint)
    return str(asked), str(flow.code_verifier)


def _code(consent: Consent | None, file: TokenFile) -> str:
    if consent is None:
        raise SignInRefused(f"no answer came from the browser in time. Run again: {file.renewal}")
    if consent.error == "access_denied":
        raise SignInRefused(f"you did not give the permission, so nothing was kept. Run again: {file.renewal}")
    if consent.error:
        word = one_word(consent.error) or "no reason given"
        raise SignInRefused(f"Google did not give the permission ({word}). Run again: {file.renewal}")
    return consent.code


def _exchanged(client: Client, form: Mapping[str, str], file: TokenFile, now: datetime) -> Exchanged:
    with httpx.Client(verify=trust(), timeout=_EXCHANGE_SECONDS, follow_redirects=False) as http:
        return exchange(http, client.token_uri, form, renewal=file.renewal, now=now)


def _blank(client: Client, exchanged: Exchanged, file: TokenFile) -> Token:
    """The token, still without an access token. Raises SignInRefused when a part of what was asked for is missing."""
    given = tuple(exchanged.scope.split()) or SCOPES[file.kind]
    missing = [scope.rpartition("/")[2] for scope in SCOPES[file.kind] if scope not in given]
    if missing:
        raise SignInRefused(
            f"a permission was left unticked ({', '.join(missing)}), and all are needed. Run again: {file.renewal}"
        )
    if not exchanged.refresh_token:
        raise SignInRefused(
            "Google gave no lasting permission. Remove Stillbell at myaccount.google.com/permissions, then run again: "
            f"{file.renewal}"
        )
    return Token(
        client_id=client.client_id,
        client_secret=client.client_secret,
        token_uri=client.token_uri,
        refresh_token=exchanged.refresh_token,
        scopes=given,
    )
