"""The door: who may come in. Every request passes it, and nothing behind it asks again.

    host ours? ─► origin ours? ─► a link to redeem? ─► token or cookie? ─► asked by our own page? ─► in

The judgement is a function of what the request's head says; the middleware asks it, and gives every answer the headers
that keep a browser from helping strangers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web.names import Names
from bot.web.pages import locked
from bot.web.token import Token
from memory.clock import Clock
from memory.owner import Language

COOKIE_FOR_S = 180 * 24 * 3600

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

HOW_TO_GET_IN = 'Send "Authorization: Bearer …" with what is in web.token in the data folder, or open: stillbell web'


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request's head says of who asks. `site` and `mode` are the Sec-Fetch headers; None where nothing is said."""

    method: str
    host: str | None
    origin: str | None = None
    site: str | None = None
    mode: str | None = None
    authorization: str | None = None
    cookie: str | None = None
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """Not let in: the status, why, and what to do next."""

    status: int
    error: str
    next: str


def strange(asked: Asked, names: Names) -> Turned | None:
    """Why a request is turned away whoever sent it: its host or its origin is not ours."""
    if not names.know(asked.host):
        return Turned(
            403,
            f"this server does not go by the name {asked.host or ''!r}",
            "Ask it as 127.0.0.1 or localhost with its port, or add the name to STILLBELL_WEB_HOSTS",
        )
    if asked.origin is not None and not names.know_origin(asked.origin):
        return Turned(403, "another site asked for this", "Ask from the page of this server, or without an Origin")
    return None


def unknown(asked: Asked, token: Token) -> Turned | None:
    """Why a request does not count as the owner's; None when it does."""
    if asked.authorization is not None:
        kind, _, said = asked.authorization.partition(" ")
        if kind.lower() == "bearer" and token.is_bearer(said.strip()):
            return None
        return Turned(401, "this is not the token", HOW_TO_GET_IN)
    if asked.cookie is None or not token.is_cookie(asked.cookie):
        return Turned(401, "a token is needed", HOW_TO_GET_IN)
    return _borrowed(asked)


def _borrowed(asked: Asked) -> Turned | None:
    """Why a browser may have sent our cookie for another page: cookies don't keep the ports of a machine apart."""
    if asked.site not in (None, "same-origin", "none") and asked.mode != "navigate":
        return Turned(403, "another page asked for this", "Open the page of this server itself")
    if asked.method == "POST" and asked.content_type.partition(";")[0].strip().lower() != "application/json":
        return Turned(415, "a browser has to send JSON", "Set Content-Type: application/json")
    return None


class Door:
    """The middleware around `app`. `port` tells the cookies of two Stillbells on one machine apart."""

    def __init__(self, app: ASGIApp, *, token: Token, names: Names, clock: Clock, port: int) -> None:
        self._app = app
        self._token = token
        self._names = names
        self._clock = clock
        self._cookie = f"stillbell-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in, or turn away."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._answer(scope) or self._app
        await answer(scope, receive, send_guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """The answer to whom is not let in further; None to whom is."""
        headers = Headers(scope=scope)
        asked = self._asked(scope["method"], headers)
        if turned := strange(asked, self._names):
            return _turned_away(turned)
        if scope["path"] == "/" and (link := QueryParams(scope["query_string"]).get("token")):
            return self._entrance(link, asked, headers)
        if turned := unknown(asked, self._token):
            wants_page = turned.status == 401 and "text/html" in headers.get("accept", "")
            return _locked(headers, used=False) if wants_page else _turned_away(turned)
        return None

    def _asked(self, method: str, headers: Headers) -> Asked:
        return Asked(
            method=method,
            host=headers.get("host"),
            origin=headers.get("origin"),
            site=headers.get("sec-fetch-site"),
            mode=headers.get("sec-fetch-mode"),
            authorization=headers.get("authorization"),
            cookie=_cookie_of(headers.get("cookie", ""), self._cookie),
            content_type=headers.get("content-type", ""),
        )

    def _entrance(self, link: str, asked: Asked, headers: Headers) -> Response:
        if asked.method != "GET" or not self._token.redeem(link, self._clock.now()):
            known = asked.cookie is not None and self._token.is_cookie(asked.cookie)
            return RedirectResponse("/", 303) if known else _locked(headers, used=True)
        inside = RedirectResponse("/", 303)
        inside.set_cookie(
            self._cookie, self._token.cookie, max_age=COOKIE_FOR_S, path="/", httponly=True, samesite="strict"
        )
        return inside


def _turned_away(turned: Turned) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if turned.status == 401 else None
    return JSONResponse({"error": turned.error, "next": turned.next}, turned.status, headers)


def _locked(headers: Headers, *, used: bool) -> Response:
    language: Language = "de" if headers.get("accept-language", "").lower().startswith("de") else "en"
    return HTMLResponse(locked(language, used=used), 401)


def _cookie_of(header: str, name: str) -> str | None:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return found.value if found else None
