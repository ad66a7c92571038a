"""`stillbell accounts` over real sockets: pymap, aiosmtpd and Radicale on this machine, with a daemon and without one."""

import asyncio
import imaplib
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from bot.connecting import Wish, planned
from bot.terminal import wire
from memory.errors import BadInput
from memory.sql.ledger import SqlLedger
from tests.bot import command_room
from tests.bot.command_room import Run, everything_kept, in_thread, one, running_house
from tests.servers import pymap_server, radicale
from tests.servers.ics_web import IcsWeb
from tests.servers.pymap_server import PASSWORD, USER, Pymap
from tests.servers.smtp_server import SmtpServer

home, run = command_room.home, command_room.run

ICS = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test\r\nX-WR-CALNAME:Holidays\r\nBEGIN:VEVENT\r\nUID:1@example.org\r\n"
    "DTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20261225\r\nSUMMARY:Christmas\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.fixture
def imap() -> Iterator[Pymap]:
    with in_thread(pymap_server.running) as server:
        yield server


def deliver(server: Pymap, *subjects: str, sender: str = "Bob <bob@example.net>", folder: str = "INBOX") -> None:
    """Put mails into the mailbox, as its owner's own program would."""
    at = datetime.now(UTC) - timedelta(hours=1)
    box = imaplib.IMAP4("127.0.0.1", server.port)
    box.login(USER, PASSWORD)
    for subject in subjects:
        raw = f"From: {sender}\r\nTo: {USER}\r\nSubject: {subject}\r\nDate: {format_datetime(at)}\r\n\r\nHello {subject}.\r\n"
        box.append(folder, "", imaplib.Time2Internaldate(at), raw.encode())
    box.logout()


def adding(server: Pymap, *more: str, name: str = "work", address: str = USER) -> tuple[str, ...]:
    place = ("--imap", f"127.0.0.1:{server.port}", "--plain-on-loopback", "--password-stdin")
    return ("accounts", "add", name, address, *place, *more)


def refuse(home: Path, name: str = "work") -> None:
    """What the daemon does when the provider no longer lets it in."""

    async def work() -> None:
        async with SqlLedger(home / "stillbell.db") as ledger:

            def refused(t: object) -> None:
                account = t.accounts.named(1, name)  # type: ignore[attr-defined]
                t.accounts.refused(account.id, "the sign-in is refused")  # type: ignore[attr-defined]

            await ledger.write(refused)

    asyncio.run(work())


# ── adding ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_account_is_tried_and_kept_with_its_password_in_a_file_of_its_own_alone(
    run: Run, home: Path, imap: Pymap
) -> None:
    code, out, err = run(*adding(imap), stdin=f"{PASSWORD}\n")
    assert code == 0, err
    assert f"signed in as {USER}" in out
    assert "INBOX" in out
    assert "make run" in out
    secret = home / "secrets" / "work"
    assert secret.read_text() == PASSWORD
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == stat.S_IMODE(secret.parent.stat().st_mode) == 0o700
    assert one(home, "SELECT identity FROM accounts WHERE name = 'work'") == USER
    assert PASSWORD not in everything_kept(home) + out + err


def test_a_password_that_is_refused_leaves_nothing_behind(run: Run, home: Path, imap: Pymap) -> None:
    code, _, err = run(*adding(imap), stdin="a wrong one\n")
    assert code == 1
    assert "refuses the sign-in" in err
    assert not home.exists()


def test_a_second_account_of_that_name_is_refused_before_anybody_types_a_password(
    run: Run, home: Path, imap: Pymap
) -> None:
    run(*adding(imap), stdin=PASSWORD)
    for name in ("work", "WORK"):
        code, _, err = run(*adding(imap, name=name), stdin="")
        assert code == 2
        assert "stillbell accounts renew" in err
    assert [path.name for path in (home / "secrets").iterdir()] == ["work"]


def test_no_password_can_be_given_as_an_argument(run: Run) -> None:
    code, _, err = run("accounts", "add", "work", "anna@gmx.de", "--password", PASSWORD)
    assert code == 2
    assert "No such option" in err


def test_without_a_terminal_the_way_to_hand_over_a_password_is_named(run: Run, home: Path, imap: Pymap) -> None:
    words = [word for word in adding(imap) if word != "--password-stdin"]
    code, _, err = run(*words)
    assert code == 2
    assert "--password-stdin" in err
    assert run(*adding(imap), stdin="\n")[0] == 2
    assert not home.exists()


def test_with_a_running_daemon_mail_comes_in_at_once_and_no_secret_crosses_the_socket(
    run: Run, home: Path, imap: Pymap, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(imap, "heron", "kingfisher")
    said: list[bytes] = []
    write = wire.write
    monkeypatch.setattr(wire, "write", lambda value: said.append(line := write(value)) or line)
    with running_house():
        code, out, err = run(*adding(imap), stdin=PASSWORD)
        assert code == 0, err
        assert "Read: 2 mails." in out
        assert "heron" in run("find", "heron")[1]
    lines = b"".join(said)
    assert b"accounts.add" in lines
    assert PASSWORD.encode() not in lines
    assert PASSWORD not in everything_kept(home)


def test_a_way_out_is_tried_too_and_is_left_out_only_when_told_so(run: Run, home: Path, imap: Pymap) -> None:
    with in_thread(lambda: SmtpServer(user=USER, password=PASSWORD)) as smtp:
        way = ("--smtp", f"127.0.0.1:{smtp.port}")
        code, out, err = run(*adding(imap, *way), stdin=PASSWORD)
        assert code == 0, err
        assert "never without your tap" in out
        assert [attempt[1:] for attempt in smtp.attempts] == [(USER, PASSWORD)]
        smtp.password = "another one by now"
        code, _, err = run(*adding(imap, *way, name="other"), stdin=PASSWORD)
        assert code == 1
        assert "--read-only" in err
        assert not (home / "secrets" / "other").exists()
        code, out, err = run(*adding(imap, *way, "--read-only", name="other"), stdin=PASSWORD)
        assert code == 0, err
        assert "sending" not in out


def test_a_line_that_is_not_safe_is_for_this_machine_alone(run: Run) -> None:
    code, _, err = run(
        "accounts", "add", "x", "a@example.org", "--imap", "mail.example.org", "--plain-on-loopback", "--password-stdin"
    )
    assert code == 2
    assert "on this machine" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("work", "anna@outlook.com"), "no program in by password", id="a provider that lets nobody in"),
        pytest.param(("work", "anna@proton.me"), "Bridge", id="a provider behind a bridge"),
        pytest.param(
            ("work", "anna@nowhere.example"), "--imap imap.nowhere.example", id="a provider that is not known"
        ),
        pytest.param(("work",), "you@example.org", id="no address"),
        pytest.param(("work", "no address"), "address", id="what is no address"),
        pytest.param(("my work", "anna@gmx.de"), "no name for an account", id="a name with a space"),
        pytest.param(("work.json", "anna@gmx.de"), "no name for an account", id="a name that is another's secret"),
        pytest.param(("../work", "anna@gmx.de"), "no name for an account", id="a name that leaves the folder"),
        pytest.param(("w", "a@example.org", "--imap", "http://x"), "no server", id="an address instead of a server"),
        pytest.param(("w", "a@example.org", "--imap", "x:99999"), "no server", id="a port beyond"),
        pytest.param(
            ("w", "--caldav", "http://dav.example.org", "--user", "u"), "without encryption", id="an open line"
        ),
        pytest.param(("w", "--caldav", "https://dav.example.org"), "--user", id="nobody signs in"),
        pytest.param(("w", "--ics", "/nowhere/at.all"), "no file", id="a calendar that is not there"),
        pytest.param(("w", "a@b.example", "--tls", "--starttls", "--imap", "x"), "at most", id="two kinds of safety"),
        pytest.param(("w", "--ics", "x", "--caldav", "y"), "one by one", id="two accounts in one"),
    ],
)
def test_what_can_not_be_connected_says_what_to_type_instead(
    run: Run, home: Path, words: tuple[str, ...], told: str
) -> None:
    code, out, err = run("accounts", "add", *words, stdin=PASSWORD)
    assert code == 2
    assert told in err
    assert "Traceback" not in out + err
    assert not home.exists()


@pytest.mark.parametrize(
    ("address", "host", "user", "smtp", "files_sent"),
    [
        ("Anna@GMX.de", "imap.gmx.net", "anna@gmx.de", "mail.gmx.net", "no"),
        ("anna@web.de", "imap.web.de", "anna", "smtp.web.de", "no"),
        ("anna@icloud.com", "imap.mail.me.com", "anna", "smtp.mail.me.com", "no"),
        ("anna@posteo.net", "posteo.de", "anna@posteo.net", "posteo.de", "no"),
        ("anna@yahoo.co.uk", "imap.mail.yahoo.com", "anna@yahoo.co.uk", "smtp.mail.yahoo.com", "no"),
        ("anna@t-online.de", "secureimap.t-online.de", "anna@t-online.de", "securesmtp.t-online.de", "no"),
        ("anna@googlemail.com", "imap.gmail.com", "anna@googlemail.com", "smtp.gmail.com", "yes"),
    ],
)
def test_of_a_well_known_provider_the_address_is_enough(
    address: str, host: str, user: str, smtp: str, files_sent: str
) -> None:
    plan = planned(Wish(name="work", address=address))
    found = {key: plan.settings[key] for key in ("host", "port", "tls", "user", "smtp_host", "files_sent")}
    assert found == {
        "host": host, "port": "993", "tls": "tls", "user": user, "smtp_host": smtp, "files_sent": files_sent
    }  # fmt: skip
    assert plan.identity == address.lower()


@pytest.mark.parametrize(
    ("imap", "smtp", "tls", "found"),
    [
        pytest.param("m.example", "m.example", None, ("993", "tls", "465", "tls"), id="usual"),
        pytest.param("m.example:143", "m.example:587", None, ("143", "starttls", "587", "starttls"), id="by the port"),
        pytest.param("m.example", "m.example", "starttls", ("143", "starttls", "587", "starttls"), id="as told"),
        pytest.param("127.0.0.1", "[::1]:2525", "none", ("143", "none", "2525", "none"), id="on this machine"),
    ],
)
def test_port_and_safety_of_a_server_follow_from_each_other(
    imap: str, smtp: str, tls: str | None, found: tuple[str, ...]
) -> None:
    plan = planned(Wish(name="w", address="a@example.org", imap=imap, smtp=smtp, tls=tls))  # type: ignore[arg-type]
    assert tuple(plan.settings[key] for key in ("port", "tls", "smtp_port", "smtp_tls")) == found


def test_a_domain_that_only_begins_like_a_provider_s_is_none_of_its() -> None:
    with pytest.raises(BadInput, match="doesn't know"):
        planned(Wish(name="w", address="a@gmx.de.example.org"))


# ── calendars ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_calendars_of_a_caldav_server_are_connected(run: Run, home: Path, tmp_path: Path) -> None:
    with radicale.running(tmp_path) as server:
        server.make_calendar("private", "Private")
        url = server.url
        words = ("accounts", "add", "cal", "--caldav", url, "--user", radicale.USER, "--password-stdin")
        code, out, err = run(*words, stdin=radicale.PASSWORD)
        assert code == 0, err
        assert "calendars  Private, Work" in out or "calendars  Work, Private" in out
        assert radicale.PASSWORD not in everything_kept(home) + out + err
        assert run(*words[:2], "other", *words[3:], stdin="a wrong one")[0] == 1


def test_the_address_of_a_calendar_is_kept_as_a_secret(run: Run, home: Path) -> None:
    web = IcsWeb(body=ICS.encode())
    web.start()
    try:
        with running_house():
            code, out, err = run("accounts", "add", "holidays", "--ics", web.url)
            assert code == 0, err
            assert "Read: 1 events." in out
        assert (home / "secrets" / "holidays").read_text() == web.url
        assert web.path not in everything_kept(home) + out + err
        code, out, err = run("accounts", "renew", "holidays", "--password-stdin", stdin=web.url)
        assert code == 0, err
    finally:
        web.stop()


def test_a_calendar_may_be_a_file(run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "holidays.ics").write_text(ICS)
    monkeypatch.chdir(tmp_path)
    code, out, err = run("accounts", "add", "holidays", "--ics", "holidays.ics")
    assert code == 0, err
    assert "Holidays" in out
    assert str(tmp_path / "holidays.ics") in everything_kept(home)
    assert run("accounts", "renew", "holidays")[0] == 2


# ── list, test, renew, remove ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_list_is_empty_before_there_is_anything(run: Run) -> None:
    assert run("accounts", "list") == (
        0, "No account is connected. Connect one with: stillbell accounts add NAME ADDRESS\n", ""
    )  # fmt: skip


def test_the_list_says_how_each_account_is_and_how_to_mend_it(run: Run, home: Path, imap: Pymap) -> None:
    deliver(imap, "heron")
    with running_house():
        run(*adding(imap), stdin=PASSWORD)
        _, out, _ = run("accounts", "list")
    assert out.split()[:4] == ["work", "imap", USER, "on"]
    assert "1 mails" in out
    refuse(home)
    _, out, _ = run("accounts", "list")
    assert "the sign-in is refused" in out
    assert "stillbell accounts renew work" in out


def test_testing_says_what_works_changes_nothing_and_fails_with_one_that_does_not(
    run: Run, home: Path, imap: Pymap
) -> None:
    run(*adding(imap), stdin=PASSWORD)
    code, out, _ = run("accounts", "test")
    assert code == 0
    assert "work: it works" in out
    (home / "secrets" / "work").write_text("changed there")
    code, _, err = run("accounts", "test", "work")
    assert code == 1
    assert "refuses the sign-in" in err
    assert run("accounts", "test", "nonesuch")[0] == 1


def test_an_account_that_works_again_when_it_is_tested_is_read_again(run: Run, home: Path, imap: Pymap) -> None:
    run(*adding(imap), stdin=PASSWORD)
    refuse(home)
    assert "works again" in run("accounts", "test")[1]
    assert one(home, "SELECT state FROM accounts") == "on"


def test_a_new_password_is_tried_before_the_old_one_goes(run: Run, home: Path, imap: Pymap) -> None:
    run(*adding(imap), stdin=PASSWORD)
    secret = home / "secrets" / "work"
    secret.write_text("the one of before")
    refuse(home)
    code, _, err = run("accounts", "renew", "work", "--password-stdin", stdin="a wrong one")
    assert code == 1
    assert "refuses" in err
    assert secret.read_text() == "the one of before"
    assert one(home, "SELECT state FROM accounts") == "refused"
    code, out, err = run("accounts", "renew", "work", "--password-stdin", stdin=PASSWORD)
    assert code == 0, err
    assert "renewed" in out
    assert secret.read_text() == PASSWORD
    assert one(home, "SELECT state FROM accounts") == "on"
    assert one(home, "SELECT trouble FROM accounts") is None


def test_a_running_daemon_goes_on_reading_once_the_account_is_renewed(run: Run, home: Path, imap: Pymap) -> None:
    run(*adding(imap), stdin=PASSWORD)
    secret = home / "secrets" / "work"
    secret.write_text("changed there")
    deliver(imap, "heron")
    with running_house() as house:
        told = asyncio.Event()

        async def refused() -> None:
            house.ledger.on_commit(told.set)
            while (await house.ledger.read(lambda t: t.accounts.named(1, "work"))).state != "refused":  # type: ignore[union-attr]
                told.clear()
                await told.wait()

        on_its_loop(house, refused())
        code, _, err = run("accounts", "renew", "work", "--password-stdin", stdin=PASSWORD)
        assert code == 0, err

        async def read() -> None:
            while await house.ledger.read(lambda t: t.mails.count(1)) == 0:
                told.clear()
                await told.wait()

        on_its_loop(house, read())


def test_removing_asks_drops_the_secrets_and_keeps_the_mail(run: Run, home: Path, imap: Pymap) -> None:
    deliver(imap, "heron", "kingfisher")
    with running_house():
        run(*adding(imap), stdin=PASSWORD)
        code, _, _ = run("accounts", "remove", "work", stdin="n\n")
        assert code == 1
        assert (home / "secrets" / "work").exists()
        code, out, err = run("accounts", "remove", "work", "--yes")
        assert code == 0, err
        assert "The 2 mails that came by it stay" in out
        assert "heron" in run("find", "heron")[1]
        assert run("accounts", "remove", "work", "--yes")[0] == 1
    assert list((home / "secrets").iterdir()) == []


def test_the_name_of_a_removed_account_is_free_again(run: Run, home: Path, imap: Pymap) -> None:
    run(*adding(imap), stdin=PASSWORD)
    run("accounts", "remove", "work", "--yes")
    code, _, err = run(*adding(imap), stdin=PASSWORD)
    assert code == 0, err


def on_its_loop(house: object, work: object) -> None:
    """Run `work` on the event loop of the house, and wait for its end."""
    loop = house.failed.get_loop()  # type: ignore[attr-defined]
    asyncio.run_coroutine_threadsafe(work, loop).result(20)  # type: ignore[arg-type]


def test_an_account_whose_secret_is_gone_or_open_to_others_is_named_with_what_to_do(
    run: Run, home: Path, imap: Pymap
) -> None:
    run(*adding(imap), stdin=f"{PASSWORD}\n")
    secret = home / "secrets" / "work"
    assert "Mend it" not in run("accounts", "list")[1]
    secret.chmod(0o644)
    assert "others can read" in run("accounts", "list")[1]
    assert "others can read" in run("doctor")[1]
    secret.unlink()
    for command in ("list", "doctor"):
        words = ("doctor",) if command == "doctor" else ("accounts", "list")
        told = " ".join(run(*words)[1].split())
        assert "its secret is not in" in told
        assert "stillbell accounts renew work" in told
