"""A grant in use: an access token whenever one is needed, renewed in time, and kept as Google changes it.

access token still good? ─► use it
    no ─► ask the token address ─┬─ new one ─► written to the file ─► use it
                                 └─ invalid_grant ─► did the owner renew the file meanwhile? else SignInRefused
"""

import threading
from dataclasses import replace
from datetime import datetime, timedelta

import httpx

from memory.clock import Clock
from tools.google.exchange import Exchanged, exchange, trust
from tools.google.token import GrantKind, Token, TokenFile
from tools.source import SignInRefused

_AUTH = "https://www.googleapis.com/auth/"

SCOPES: dict[GrantKind, tuple[str, ...]] = {
    "read": (_AUTH + "gmail.readonly", _AUTH + "calendar.readonly"),
    "send": (_AUTH + "gmail.modify", _AUTH + "calendar.events"),
}
"""What each grant asks for. gmail.modify is the least that both sends and can look whether it was sent; it also archives."""

RENEW_BEFORE = timedelta(minutes=2)
"""An access token this near to its end is renewed first, so that it doesn't end on the way."""


class Grant:
    """One account's grant of one kind. Used from threads: while one renews, the others wait for what it gets."""

    def __init__(self, file: TokenFile, clock: Clock, *, timeout_seconds: float = 20) -> None:
        self.kind = file.kind
        self.renewal = file.renewal
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._http = httpx.Client(verify=trust(), timeout=timeout_seconds, follow_redirects=False)

    def access_token(self, refused: str = "") -> str:
        """One that is good now, and is not `refused`, which Google just did not accept. Blocks.

        Raises SignInRefused, SourceDown, SlowDown.
        """
        with self._lock:
            token = self._token or self._file.read()
            if not token.access_token or token.access_token == refused or self._is_ending(token):
                token = self._renewed(token)
            self._token = token
            return token.access_token

    def close(self) -> None:
        """Close the connections. May be called twice."""
        self._http.close()

    def _is_ending(self, token: Token) -> bool:
        return token.expires_at is None or token.expires_at - self._clock.now() < RENEW_BEFORE

    def _renewed(self, token: Token) -> Token:
        try:
            renewed = self._ask(token)
        except SignInRefused:
            on_disk = self._file.read()
            if on_disk.refresh_token == token.refresh_token:
                raise
            renewed = self._ask(on_disk)
        self._file.write(renewed)
        return renewed

    def _ask(self, token: Token) -> Token:
        form = {
            "grant_type": "refresh_token",
            "refresh_token": token.refresh_token,
            "client_id": token.client_id,
            "client_secret": token.client_secret,
        }
        now = self._clock.now()
        return token_of(exchange(self._http, token.token_uri, form, renewal=self.renewal, now=now), token, now)


def token_of(exchanged: Exchanged, before: Token, now: datetime) -> Token:
    """The token after an exchange, which may have brought a new refresh token. `now`: just before it."""
    return replace(
        before,
        access_token=exchanged.access_token,
        refresh_token=exchanged.refresh_token or before.refresh_token,
        expires_at=now + timedelta(seconds=min(exchanged.expires_in, 86_400)),
    )
