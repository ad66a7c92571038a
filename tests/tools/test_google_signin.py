"""Signing in to Google: against an OpenID provider written by others, and the rules of the door on 127.0.0.1."""

import asyncio
import json
import stat
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from memory.errors import BadInput
from tests.doubles.clock import FakeClock
from tests.servers.google_consent import consent_server
from tests.servers.google_faults import Status
from tests.servers.google_server import google_server
from tools.google.client import Client, read_client
from tools.google.grant import SCOPES, Grant
from tools.google.signin import sign_in
from tools.google.token import Token, TokenFile
from tools.source import SignInRefused, SlowDown, SourceDown
from tools.vault import Vault


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    with consent_server() as url:
        yield url


@pytest.fixture(autouse=True)
def _for_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    # It knows the scopes of OpenID alone, and here it has no certificate.
    monkeypatch.setitem(SCOPES, "read", ("profile", "email"))
    monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")


@pytest.fixture
def client(provider: str) -> Client:
    return Client(
        client_id="our-client",
        client_secret="canary-client-secret",
        auth_uri=f"{provider}/oauth2/authorize",
        token_uri=f"{provider}/oauth2/token",
    )


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(Vault(tmp_path / "secrets"), "home", "read")


class Browser:
    """The owner's browser, and what the owner does on the provider's page."""

    def __init__(self, **form: str) -> None:
        self.form = form
        self.asked = ""
        self.pages: list[httpx.Response] = []
        self.shown = asyncio.Event()

    def show(self, address: str) -> None:
        self.asked = address
        self.shown.set()

    async def consent(self) -> str:
        """Answer the provider's page; the address to which it sends the browser back."""
        await self.shown.wait()
        async with httpx.AsyncClient() as http:
            assert (await http.get(self.asked)).status_code == 200
            return (await http.post(self.asked, data=self.form)).headers["location"]

    async def go(self, address: str) -> httpx.Response:
        async with httpx.AsyncClient() as http:
            page = await http.get(address)
        self.pages.append(page)
        return page

    async def run(self) -> None:
        await self.go(await self.consent())


async def signed_in(
    client: Client,
    file: TokenFile,
    clock: FakeClock,
    browser: Browser,
    run: Callable[[], Awaitable[None]],
    **how: object,
) -> Token:
    async with asyncio.TaskGroup() as group:
        group.create_task(run(), name="browser")
        return await sign_in(client, file, clock, show=browser.show, **how)  # type: ignore[arg-type]


def the_only(told: BaseExceptionGroup) -> BaseException:
    (error,) = told.exceptions
    return error


async def refused(*arguments: object, **how: object) -> BaseException:
    with pytest.raises(BaseExceptionGroup) as told:
        await signed_in(*arguments, **how)  # type: ignore[arg-type]
    return the_only(told.value)


async def test_the_owners_yes_becomes_a_grant_that_only_they_can_read(
    client: Client, file: TokenFile, clock: FakeClock, tmp_path: Path
) -> None:
    browser = Browser(sub="anna")
    token = await signed_in(client, file, clock, browser, browser.run)
    assert token.access_token
    assert token.refresh_token
    assert token.expires_at == clock.now() + timedelta(hours=1)
    assert file.read() == token
    (kept,) = (tmp_path / "secrets").iterdir()
    assert kept.name == "home.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert browser.pages[0].status_code == 200
    assert "you can close this page" in browser.pages[0].text


async def test_what_is_asked_for_is_no_more_than_needed_and_bears_a_challenge(
    client: Client, file: TokenFile, clock: FakeClock
) -> None:
    browser = Browser(sub="anna")
    await signed_in(client, file, clock, browser, browser.run, login_hint="anna@example.org")
    asked = {name: values[0] for name, values in parse_qs(urlsplit(browser.asked).query).items()}
    assert asked["scope"].split() == ["profile", "email"]
    assert asked["code_challenge_method"] == "S256"
    assert len(asked["code_challenge"]) == 43
    assert len(asked["state"]) > 40
    assert (asked["access_type"], asked["prompt"], asked["login_hint"]) == ("offline", "consent", "anna@example.org")
    assert urlsplit(asked["redirect_uri"]).hostname == "127.0.0.1"
    assert "canary" not in browser.asked


async def test_the_challenge_is_that_of_the_verifier(file: TokenFile, clock: FakeClock) -> None:
    """Whoever listens in on the code can't use it: the exchange proves that it comes from who asked."""
    form: dict[str, str] = {}
    with google_server() as google:

        def exchange(sent: dict[str, str]) -> dict[str, object]:
            form.update(sent)
            return {"access_token": "a", "refresh_token": "r", "expires_in": 60, "scope": "profile email"}

        google.token_call = exchange  # type: ignore[method-assign]
        client = Client(client_id="c", client_secret="s", auth_uri=f"{google.url}/auth", token_uri=google.token_uri)
        browser = Browser()

        async def run() -> None:
            await browser.shown.wait()
            asked = {name: values[0] for name, values in parse_qs(urlsplit(browser.asked).query).items()}
            await browser.go(f"{asked['redirect_uri']}?code=the-code&state={asked['state']}")

        await signed_in(client, file, clock, browser, run)
    challenge = urlsafe_b64encode(sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
    assert challenge == parse_qs(urlsplit(browser.asked).query)["code_challenge"][0]
    assert (form["code"], form["grant_type"]) == ("the-code", "authorization_code")


async def test_a_no_keeps_nothing_and_says_how_to_ask_again(client: Client, file: TokenFile, clock: FakeClock) -> None:
    browser = Browser(action="deny")

    async def run() -> None:
        # This provider leaves the state out when it denies; Google does not.
        denied, state = await browser.consent(), parse_qs(urlsplit(browser.asked).query)["state"][0]
        await browser.go(f"{denied}&state={state}")

    error = await refused(client, file, clock, browser, run)
    assert isinstance(error, SignInRefused)
    assert "you did not give the permission" in str(error)
    assert "stillbell auth google home" in str(error)
    assert not file.exists()
    assert "nothing was given" in browser.pages[0].text


async def test_strangers_at_the_door_change_nothing(client: Client, file: TokenFile, clock: FakeClock) -> None:
    browser = Browser(sub="anna")

    async def run() -> None:
        back = await browser.consent()
        door = back.partition("?")[0]
        assert (await browser.go(f"{door}favicon.ico")).status_code == 404
        assert (await browser.go(f"{door}?code=stolen&state=guessed")).status_code == 400
        assert (await browser.go(f"{door}?error=access_denied")).status_code == 400
        assert (await browser.go(door)).status_code == 400
        reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(back).port)
        writer.write(b"\x16\x03\x01" + b"x" * 20_000 + b"\r\n\r\n")
        assert await reader.read() == b""
        writer.close()
        assert (await browser.go(back)).status_code == 200

    token = await signed_in(client, file, clock, browser, run)
    assert token.access_token


async def test_the_door_is_shut_afterwards(client: Client, file: TokenFile, clock: FakeClock) -> None:
    browser = Browser(sub="anna")
    await signed_in(client, file, clock, browser, browser.run)
    with pytest.raises(httpx.ConnectError):
        await browser.go(parse_qs(urlsplit(browser.asked).query)["redirect_uri"][0])


async def test_an_owner_who_takes_too_long_is_told_so(client: Client, file: TokenFile, clock: FakeClock) -> None:
    with pytest.raises(
        SignInRefused, match=r"no answer came from the browser in time\. Run again: stillbell auth google"
    ):
        await sign_in(client, file, clock, show=lambda address: None, within=timedelta(milliseconds=10))
    assert not file.exists()


async def test_without_a_browser_here_the_address_it_ends_at_can_be_pasted(
    client: Client, file: TokenFile, clock: FakeClock
) -> None:
    browser = Browser(sub="anna")

    async def pasted() -> str:
        return f"  {await browser.consent()}\n"

    token = await sign_in(client, file, clock, show=browser.show, pasted=pasted)
    assert token.refresh_token


async def test_a_pasted_address_of_another_sign_in_is_refused(
    client: Client, file: TokenFile, clock: FakeClock
) -> None:
    async def pasted() -> str:
        return "http://127.0.0.1:1/?code=abc&state=another"

    with pytest.raises(BadInput, match="not the answer to this sign-in"):
        await sign_in(client, file, clock, show=lambda address: None, pasted=pasted)


async def test_a_browser_is_opened_where_there_is_one(client: Client, file: TokenFile, clock: FakeClock) -> None:
    opened: list[str] = []
    browser = Browser(sub="anna")
    await signed_in(client, file, clock, browser, browser.run, open_browser=opened.append)
    assert opened == [browser.asked]


async def test_a_port_in_use_is_named(client: Client, file: TokenFile, clock: FakeClock) -> None:
    server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        with pytest.raises(BadInput, match=f"port {port}"):
            await sign_in(client, file, clock, show=lambda address: None, port=port)


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        pytest.param(
            {"access_token": "canary-a", "refresh_token": "canary-r", "expires_in": 9, "scope": "email"},
            SignInRefused,
            "left unticked (profile)",
            id="a part of what was asked for",
        ),
        pytest.param(
            {"access_token": "canary-a", "expires_in": 9, "scope": "profile email"},
            SignInRefused,
            "no lasting permission",
            id="no refresh token",
        ),
        pytest.param({"access_token": ["canary-a"]}, SourceDown, "nonsense", id="nonsense"),
    ],
)
async def test_a_grant_that_is_not_whole_is_not_kept(
    file: TokenFile, clock: FakeClock, answer: dict[str, object], kind: type[Exception], said: str
) -> None:
    with google_server() as google:
        google.token_call = lambda form: answer  # type: ignore[method-assign]
        error = await exchanged(google.url, file, clock)
    assert isinstance(error, kind)
    assert said in str(error)
    assert "canary" not in repr(error)
    assert not file.exists()


async def test_a_code_that_the_provider_does_not_take_is_a_refused_sign_in(file: TokenFile, clock: FakeClock) -> None:
    with google_server() as google:
        error = await exchanged(google.url, file, clock)
    assert isinstance(error, SignInRefused)
    assert "canary" not in str(error)


async def exchanged(url: str, file: TokenFile, clock: FakeClock) -> BaseException:
    """What comes of a yes when the token address is at `url`."""
    client = Client(client_id="c", client_secret="canary-secret", auth_uri=f"{url}/auth", token_uri=f"{url}/token")
    browser = Browser()

    async def run() -> None:
        await browser.shown.wait()
        asked = {name: values[0] for name, values in parse_qs(urlsplit(browser.asked).query).items()}
        await browser.go(f"{asked['redirect_uri']}?code=canary-code&state={asked['state']}")

    return await refused(client, file, clock, browser, run)


# The client file


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


GOOD = {
    "client_id": "c.apps.googleusercontent.com",
    "client_secret": "s",
    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
    "token_uri": "https://oauth2.googleapis.com/token",
}


def test_the_client_file_says_where_to_go(tmp_path: Path) -> None:
    client = read_client(written(tmp_path / "client.json", {"installed": GOOD}))
    assert (client.auth_uri, client.token_uri) == (GOOD["auth_uri"], GOOD["token_uri"])
    assert "client_secret" not in repr(client)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param("{", "no JSON", id="broken"),
        pytest.param({"web": GOOD}, "Desktop app", id="of a web client"),
        pytest.param({"installed": GOOD | {"client_secret": None}}, "no client file", id="incomplete"),
        pytest.param([], "no client file", id="a list"),
        pytest.param({"installed": GOOD | {"token_uri": "http://evil.example/token"}}, "not https", id="unsafe"),
    ],
)
def test_what_is_no_client_file_is_said(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_client(written(tmp_path / "client.json", content))


def test_a_client_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can't be read"):
        read_client(tmp_path / "none.json")


# The grant in use


def a_token(google_url: str, **more: object) -> Token:
    fields: dict[str, object] = {
        "client_id": "c", "client_secret": "canary-client-secret", "token_uri": google_url, "refresh_token": "canary-r",
    }  # fmt: skip
    return Token(**(fields | more))  # type: ignore[arg-type]


def test_a_token_is_used_until_shortly_before_its_end(file: TokenFile, clock: FakeClock) -> None:
    with google_server() as google:
        file.write(google.grant(clock))
        grant = Grant(file, clock)
        first = grant.access_token()
        clock.advance(timedelta(minutes=57))
        assert grant.access_token() == first
        clock.advance(timedelta(minutes=2))
        assert grant.access_token() != first
        assert file.read().access_token == grant.access_token()
        assert google.asked("POST /token") == 2
        grant.close()


def test_a_rotated_refresh_token_is_written_back(file: TokenFile, clock: FakeClock) -> None:
    with google_server() as google:
        google.rotates = True
        file.write(google.grant(clock))
        grant = Grant(file, clock)
        first = grant.access_token()
        kept = file.read()
        assert kept.refresh_token in google.refresh_tokens
        grant.close()
        # A start later goes on with what was written.
        again = Grant(file, clock)
        assert again.access_token() == first
        assert again.access_token(refused=first) != first
        again.close()


def test_a_grant_that_was_renewed_meanwhile_is_taken_up(file: TokenFile, clock: FakeClock) -> None:
    with google_server() as google:
        file.write(google.grant(clock))
        grant = Grant(file, clock)
        first = grant.access_token()
        google.revoke()
        with pytest.raises(SignInRefused, match="stillbell auth google home"):
            grant.access_token(refused=first)
        file.write(google.grant(clock))
        assert grant.access_token(refused=first)
        grant.close()


def test_a_refused_client_is_not_called_a_revoked_permission(file: TokenFile, clock: FakeClock) -> None:
    with google_server() as google:
        file.write(google.grant(clock))
        google.fail(Status("token", code=401, reason="invalid_client"))
        grant = Grant(file, clock)
        with pytest.raises(SignInRefused, match="refuses the sign-in"):
            grant.access_token()
        google.fail(Status("token", code=503, headers={"Retry-After": "20"}))
        with pytest.raises(SlowDown):
            grant.access_token()
        grant.close()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"canary": 1}', '{"expires_at": "soon", "scopes": []}'])
def test_a_damaged_token_says_how_to_renew_it_and_quotes_nothing(
    file: TokenFile, clock: FakeClock, tmp_path: Path, content: str
) -> None:
    Vault(tmp_path / "secrets").put("home.json", content)
    with pytest.raises(SignInRefused, match="stillbell auth google home") as told:
        file.read()
    assert "canary" not in str(told.value)
    assert told.value.__suppress_context__


def test_without_a_token_the_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(SignInRefused, match="stillbell auth google work --send"):
        TokenFile(Vault(tmp_path), "work", "send").read()


def test_the_two_grants_of_an_account_lie_apart(tmp_path: Path, clock: FakeClock) -> None:
    vault = Vault(tmp_path)
    TokenFile(vault, "home", "read").write(a_token("https://x.example/token"))
    assert not TokenFile(vault, "home", "send").exists()
    TokenFile(vault, "home", "send").write(a_token("https://x.example/token", refresh_token="other"))
    assert TokenFile(vault, "home", "read").read().refresh_token == "canary-r"
    assert not set(SCOPES["read"]) & set(SCOPES["send"])


def test_a_token_shows_no_secret(clock: FakeClock) -> None:
    assert "canary" not in repr(a_token("https://x.example/token", access_token="canary-a"))
