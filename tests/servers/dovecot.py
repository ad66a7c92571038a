"""A real Dovecot as a child process: on 127.0.0.1, on free ports, with its own configuration and mail in a folder of its own.

    @pytest.fixture(scope="module")
    def dovecot() -> Iterator[Dovecot]:
        with running() as server:
            yield server

Every user name signs in with PASSWORD and has an empty mailbox. As root the whole of it runs as `nobody`, for Dovecot
serves no mail as root; otherwise as whoever runs the tests. Where it isn't installed the tests are skipped.
"""

import grp
import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PASSWORD = "not-a-real-token-but-as-long-as-one"

CONFIGURATION = """
base_dir = {home}/run
state_dir = {home}/state
log_path = {home}/log
listen = 127.0.0.1
protocols = imap
{ssl}
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
first_valid_gid = 1
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_failure_delay = 0
auth_cache_size = 0
mail_location = maildir:{home}/mail/%u
mail_max_userip_connections = 50
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={home}/home/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Ausgang {{
    special_use = \\Sent
    auto = create
  }}
  mailbox Ablage {{
    special_use = \\Archive
    auto = create
  }}
  mailbox Spam {{
    special_use = \\Junk
    auto = create
  }}
  mailbox Papierkorb {{
    special_use = \\Trash
    auto = create
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""


class Dovecot:
    """A running server. `port` speaks plainly and STARTTLS, `tls_port` TLS; `certificate` is what to trust (None: no TLS)."""

    def __init__(self, home: Path, port: int, tls_port: int, certificate: Path | None) -> None:
        self.home = home
        self.port = port
        self.tls_port = tls_port
        self.certificate = certificate
        self._numbers = itertools.count(1)

    def new_user(self) -> str:
        """A name that nobody has used here."""
        return f"anna{next(self._numbers)}@example.org"

    def renumber(self, user: str, folder: str, validity: int) -> None:
        """Give a folder another UIDVALIDITY, as a server does that was restored or moved."""
        command = ["doveadm", "-c", str(self.home / "dovecot.conf"), "mailbox", "update", "-u", user]
        told = subprocess.run(
            [*command, "--uid-validity", str(validity), folder],
            capture_output=True,
            timeout=20,
            check=False,
            **_as_user(),
        )
        assert told.returncode == 0, told.stderr.decode()


@contextmanager
def running() -> Iterator[Dovecot]:
    """Start it, and stop it at the end. Skips the test where it can't run."""
    program = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None or shutil.which("doveadm") is None:
        pytest.skip("Dovecot is not installed (Debian: dovecot-imapd)")
    home = Path(tempfile.mkdtemp(prefix="dovecot-"))
    port, tls_port = _free_ports(2)
    certificate = _certificate(home)
    _furnish(home, port, tls_port, certificate)
    process = subprocess.Popen(
        [program, "-F", "-c", str(home / "dovecot.conf")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, **_as_user(),
    )  # fmt: skip
    try:
        _await_greeting(process, port, home)
        yield Dovecot(home, port, tls_port, certificate)
    finally:
        _stop(process)
        shutil.rmtree(home, ignore_errors=True)


def _furnish(home: Path, port: int, tls_port: int, certificate: Path | None) -> None:
    user = _user()
    ssl = "ssl = no"
    if certificate is not None:
        ssl = f"ssl = yes\nssl_cert = <{certificate}\nssl_key = <{home / 'key.pem'}\nssl_dh ="
    text = CONFIGURATION.format(
        home=home,
        ssl=ssl,
        user=user.pw_name,
        group=grp.getgrgid(user.pw_gid).gr_name,
        uid=user.pw_uid,
        gid=user.pw_gid,
        port=port,
        tls_port=tls_port if certificate is not None else 0,
        password=PASSWORD,
    )
    (home / "dovecot.conf").write_text(text)
    for name in ("run", "state", "mail", "home"):
        (home / name).mkdir()
    for path in (home, *home.rglob("*")):
        os.chown(path, user.pw_uid, user.pw_gid)


def _certificate(home: Path) -> Path | None:
    """A fresh certificate for 127.0.0.1, which nobody trusts who isn't told to."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return None
    path = home / "certificate.pem"
    key = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [openssl, *key, "-keyout", str(home / "key.pem"), "-out", str(path), *name]
    subprocess.run(command, check=True, capture_output=True, timeout=20)
    return path


def _user() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody") if os.getuid() == 0 else pwd.getpwuid(os.getuid())


def _as_user() -> dict[str, object]:
    if os.getuid() != 0:
        return {}
    return {"user": _user().pw_uid, "group": _user().pw_gid, "extra_groups": []}


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _await_greeting(process: "subprocess.Popen[bytes]", port: int, home: Path) -> None:
    ends_at = time.monotonic() + 15
    while time.monotonic() < ends_at:
        if process.poll() is not None:
            break
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            if connection.recv(100).startswith(b"* OK"):
                return
        time.sleep(0.01)  # a process that starts has no event that could be awaited
    said = process.stderr.read().decode() if process.poll() is not None and process.stderr else ""
    log = (home / "log").read_text() if (home / "log").exists() else ""
    pytest.skip(f"Dovecot doesn't start here: {said} {log}")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(timeout=0.2)
    except subprocess.TimeoutExpired:  # it waits a second for each process of its own that serves nobody
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
    if process.stderr is not None:
        process.stderr.close()
