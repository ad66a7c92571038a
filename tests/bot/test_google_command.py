"""`stillbell auth google` against our own Google server, with a browser that does what its owner tells it."""

import io
import json
import os
import stat
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from bot import accounts as opening
from bot.commands.auth import google as command
from tests.bot import command_room
from tests.bot.command_room import Run, everything_kept, one, running_house
from tests.servers.google_server import OWNER, SECRET, GoogleServer, google_server
from tools.google.grant import SCOPES

home, run = command_room.home, command_room.run

ALIAS = "anna@club.example"


@pytest.fixture
def google(monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    with google_server() as server:
        server.gmail.sends_from.append(ALIAS)
        refreshing = server.token_call

        def token_call(form: dict[str, str]) -> dict[str, object]:
            if form["grant_type"] != "authorization_code":
                return refreshing(form)
            kind = "send" if form["code"] == "canary-code-send" else "read"
            refresh_token, access_token = f"canary-refresh-{kind}", f"canary-access-{kind}"
            server.refresh_tokens[refresh_token] = kind
            server.access_tokens[access_token] = kind
            return {
                "access_token": access_token, "refresh_token": refresh_token, "expires_in": 3600,
                "scope": " ".join(SCOPES[kind]),
            }  # fmt: skip

        monkeypatch.setattr(server, "token_call", token_call)
        monkeypatch.setattr(opening, "endpoints", lambda url: server.endpoints)
        monkeypatch.setenv("OAUTHLIB_INSECURE_TRANSPORT", "1")
        yield server


@pytest.fixture
def client_file(google: GoogleServer, tmp_path: Path) -> Path:
    file = tmp_path / "client_secret.json"
    installed = {
        "client_id": "our-client", "client_secret": SECRET, "auth_uri": f"{google.url}/auth",
        "token_uri": google.token_uri,
    }  # fmt: skip
    file.write_text(json.dumps({"installed": installed}))
    return file


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The owner's browser: what it was asked to open, each answered with a yes."""
    opened: list[str] = []

    def opens(address: str) -> bool:
        opened.append(address)
        assert httpx.get(answer_to(address)).status_code == 200
        return True

    monkeypatch.setattr(webbrowser, "open", opens)
    return opened


def answer_to(address: str, **more: str) -> str:
    """Where Google sends the browser once its owner has said yes."""
    question = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    kind = "send" if "gmail.modify" in question["scope"] else "read"
    answer = more or {"code": f"canary-code-{kind}"}
    return f"{question['redirect_uri']}?{urlencode({'state': question['state'], **answer})}"


def test_the_first_sign_in_makes_the_account_that_google_tells_of(
    run: Run, home: Path, google: GoogleServer, client_file: Path, asked: list[str]
) -> None:
    code, out, err = run("auth", "google", "private", "--client", str(client_file))
    assert code == 0, err
    assert f"signed in as {OWNER}" in out
    assert (one(home, "SELECT identity FROM accounts"), json.loads(one(home, "SELECT aliases FROM accounts"))) == (
        OWNER, [ALIAS]
    )  # fmt: skip
    assert parse_qs(urlsplit(asked[0]).query)["scope"] == [" ".join(SCOPES["read"])]
    token = home / "secrets" / "private.json"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "google-client.json").stat().st_mode) == 0o600
    assert "canary" not in everything_kept(home) + err + out.replace(asked[0], "")


def test_with_a_running_daemon_gmail_is_read_at_once(
    run: Run, home: Path, google: GoogleServer, client_file: Path, asked: list[str]
) -> None:
    google.gmail.deliver(b"From: bob@example.net\r\nTo: anna@example.org\r\nSubject: heron\r\n\r\nHello heron.\r\n")
    with running_house():
        code, out, err = run("auth", "google", "private", "--client", str(client_file), "--days", "3650")
        assert code == 0, err
        assert "Read: 1 mails" in out
        assert "heron" in run("find", "heron")[1]


def test_without_a_project_of_ones_own_the_steps_to_one_are_told(run: Run, home: Path) -> None:
    code, _, err = run("auth", "google", "private")
    assert code == 2
    for step in ("projectcreate", "Gmail API", "Google Calendar API", "Publish app", "Desktop app", "docs/google.md"):
        assert step in err
    assert not home.exists()


def test_the_permission_to_send_is_asked_for_later_and_kept_apart(
    run: Run, home: Path, google: GoogleServer, client_file: Path, asked: list[str]
) -> None:
    code, _, err = run("auth", "google", "private", "--send", "--client", str(client_file))
    assert code == 2
    assert "for reading first" in err
    run("auth", "google", "private", "--client", str(client_file))
    code, out, err = run("auth", "google", "private", "--send")
    assert code == 0, err
    assert "nothing else" in out
    assert parse_qs(urlsplit(asked[-1]).query)["scope"] == [" ".join(SCOPES["send"])]
    assert parse_qs(urlsplit(asked[-1]).query)["login_hint"] == [OWNER]
    assert sorted(path.name for path in (home / "secrets").iterdir()) == ["private.json", "private.send.json"]
    assert "canary-refresh-read" in (home / "secrets" / "private.json").read_text()
    assert one(home, "SELECT count(*) FROM accounts") == 1
    run("accounts", "remove", "private", "--yes")
    assert list((home / "secrets").iterdir()) == []


def test_another_s_mailbox_does_not_take_the_place_of_an_account(
    run: Run, home: Path, google: GoogleServer, client_file: Path, asked: list[str]
) -> None:
    run("auth", "google", "private", "--client", str(client_file))
    before = (home / "secrets" / "private.json").read_text()
    google.gmail.owner = "somebody@example.org"
    code, _, err = run("auth", "google", "private")
    assert code == 2
    assert "somebody@example.org" in err
    assert (home / "secrets" / "private.json").read_text() == before


def test_an_owner_who_says_no_gives_nothing(
    run: Run, home: Path, google: GoogleServer, client_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: httpx.get(answer_to(address, error="access_denied")))
    code, _, err = run("auth", "google", "private", "--client", str(client_file))
    assert code == 1
    assert "did not give the permission" in err
    assert not (home / "secrets").exists()


def test_a_revoked_permission_is_renewed_by_signing_in_again(
    run: Run, home: Path, google: GoogleServer, client_file: Path, asked: list[str]
) -> None:
    run("auth", "google", "private", "--client", str(client_file))
    google.revoke()
    code, _, err = run("accounts", "test", "private")
    assert code == 1
    assert "stillbell auth google private" in err
    code, _, err = run("accounts", "renew", "private")
    assert code == 2
    assert "stillbell auth google private" in err
    code, out, err = run("auth", "google", "private")
    assert code == 0, err
    assert "renewed" in out
    assert run("accounts", "test")[0] == 0


def test_where_no_browser_is_the_address_is_opened_elsewhere_and_its_end_pasted(
    run: Run, home: Path, google: GoogleServer, client_file: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The owner reads the address off the terminal of a machine without a screen."""
    reading, writing = os.pipe()
    shown: list[str] = []
    echo = command.__globals__["typer"].echo

    def read_off(text: str = "", **how: object) -> None:
        address = next((line for line in text.splitlines() if line.startswith(google.url)), None)
        if address:
            shown.append(address)
            threading.Thread(target=os.write, args=(writing, f"{answer_to(address)}\n".encode())).start()
        echo(text, **how)

    monkeypatch.setattr(command.__globals__["typer"], "echo", read_off)
    with os.fdopen(reading, encoding="utf-8") as typed:
        monkeypatch.setattr(io, "StringIO", lambda *_: typed)
        code, _, err = run("auth", "google", "private", "--client", str(client_file), "--no-browser")
    os.close(writing)
    assert code == 0, err
    assert len(shown) == 1
    assert one(home, "SELECT identity FROM accounts") == OWNER


def test_the_name_of_another_account_is_not_taken(run: Run, home: Path, client_file: Path, tmp_path: Path) -> None:
    (tmp_path / "h.ics").write_text("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//t\r\nEND:VCALENDAR\r\n")
    code, _, err = run("accounts", "add", "private", "--ics", str(tmp_path / "h.ics"))
    assert code == 0, err
    code, _, err = run("auth", "google", "private", "--client", str(client_file))
    assert code == 2
    assert "kind ics" in err
