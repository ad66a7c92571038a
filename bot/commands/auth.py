"""`stillbell auth`: the owner signs in at Google, and gives one permission at a time: to read, and apart from it to send."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.commands.account_book import AccountBook, Row
from bot.commands.asking import settings
from memory.clock import SystemClock
from memory.errors import BadInput

if TYPE_CHECKING:
    from bot.connecting import Signed
    from bot.settings import Settings
    from tools.google.client import Client
    from tools.trial import Trial

HOW_TO = """\
Gmail and Google Calendar are read through a Google project of your own, so that nobody stands between you and your mail.
It is made once, in about ten minutes:

  1. https://console.cloud.google.com/projectcreate     make a project; call it stillbell
  2. https://console.cloud.google.com/apis/library      switch on "Gmail API" and "Google Calendar API"
  3. https://console.cloud.google.com/auth/overview     answer what is asked (External, your own address), then under
                                                        Audience choose "Publish app": a test's permission ends in a week
  4. https://console.cloud.google.com/auth/clients      create a client of the type "Desktop app", and download its JSON
  5. stillbell auth google {name} --client THAT-FILE

docs/google.md says what you see on each page, and what Google warns of on the way."""

app = typer.Typer(no_args_is_help=True)


@app.callback()
def auth() -> None:
    """Sign in where a password is not enough."""


@app.command(epilog="stillbell auth google private --send     later, to let what you tapped be sent by it")
def google(
    name: Annotated[str, typer.Argument(help="What you call this account.", show_default=False)],
    send: Annotated[
        bool, typer.Option("--send", help="The permission to send, kept apart from the one to read.")
    ] = False,
    client: Annotated[
        Path | None, typer.Option("--client", help="The client file of your Google project.", show_default=False)
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Open the address elsewhere, and paste where it ends.")
    ] = False,
    days: Annotated[
        int | None, typer.Option("--days", help="How many days back mail is read at first (180).", min=1, max=36500)
    ] = None,
) -> None:
    """Connect Gmail and Google Calendar, renew the permission, or add the one to send."""
    of = settings()
    book = AccountBook(of)
    row = book.find(name)
    if row is None:
        book.check_free(name)
        if send:
            raise BadInput(f"connect it for reading first: stillbell auth google {name}")
    elif row["kind"] != "google":
        raise BadInput(f"{name} is an account of the kind {row['kind']}: give this one another name")
    project = _client(of, client, name)
    trial, signed = asyncio.run(_sign_in(of, project, name, row, send=send, in_browser=not no_browser))
    if row is not None and signed.identity != row["identity"]:
        raise BadInput(
            f"you signed in as {signed.identity}, and {name} is {row['identity']}. Nothing was kept: run it again and choose "
            "that one on Google's page, or give this one a name of its own"
        )
    _keep(of, book, trial, signed, row, name=name, send=send, days=days)


def _client(of: "Settings", given: Path | None, name: str) -> "Client":
    """The owner's own Google project; a file that is named is kept for the next time. Raises BadInput with the steps."""
    from bot.opening import prepare_home  # noqa: PLC0415
    from tools.google.client import read_client  # noqa: PLC0415

    file = of.google_client_file
    if given is None and not file.exists():
        raise BadInput(HOW_TO.format(name=name))
    client = read_client(given.expanduser() if given else file)
    if given is not None and of.google_client is None:
        prepare_home(of)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as kept:
            kept.write(given.expanduser().read_text(encoding="utf-8"))
    return client


async def _sign_in(
    of: "Settings", client: "Client", name: str, row: Row | None, *, send: bool, in_browser: bool
) -> "tuple[Trial, Signed]":
    """The owner's yes on Google's page, tried before it is kept."""
    import webbrowser  # noqa: PLC0415

    from bot.connecting import signed_in  # noqa: PLC0415
    from tools.google.signin import sign_in  # noqa: PLC0415
    from tools.google.token import TokenFile  # noqa: PLC0415
    from tools.trial import Trial  # noqa: PLC0415

    trial, clock = Trial(of.vault), SystemClock()
    await sign_in(
        client,
        TokenFile(trial, name, "send" if send else "read"),
        clock,
        show=lambda address: _show(address, in_browser=in_browser),
        open_browser=webbrowser.open if in_browser else None,
        pasted=None if in_browser else _pasted,
        login_hint=row["identity"] if row else "",
    )
    return trial, await signed_in(name, trial, clock, google_url=of.google_url, sends=send)


def _show(address: str, *, in_browser: bool) -> None:
    if in_browser:
        typer.echo(f"Your browser opens. If it doesn't, open this address yourself:\n\n{address}\n")
    else:
        typer.echo(
            f"Open this address in any browser, and say yes there:\n\n{address}\n\nIt ends on a page that can't be shown, "
            "at an address that begins with http://127.0.0.1. Paste that address here:"
        )


async def _pasted() -> str:
    """The next line of the standard input. It is waited for without a thread, which could not be called off."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()
    descriptor = sys.stdin.fileno()

    def read() -> None:
        loop.remove_reader(descriptor)
        if not line.done():
            line.set_result(sys.stdin.readline())

    try:
        loop.add_reader(descriptor, read)
    except PermissionError:
        # A file is always ready, and can't be waited for.
        return sys.stdin.readline()
    try:
        return await line
    finally:
        loop.remove_reader(descriptor)


def _keep(
    of: "Settings",
    book: AccountBook,
    trial: "Trial",
    signed: "Signed",
    row: Row | None,
    *,
    name: str,
    send: bool,
    days: int | None,
) -> None:
    from bot.connecting import Plan  # noqa: PLC0415
    from bot.opening import prepare_home  # noqa: PLC0415

    prepare_home(of)
    trial.keep(book.vault)
    if send:
        typer.echo(f"What you have tapped can be sent as {signed.identity} from now on, and nothing else.")
        return
    if signed.tried is not None:
        from bot.terminal.account_report import print_tried  # noqa: PLC0415
        from bot.terminal.report import console  # noqa: PLC0415

        print_tried(console(), signed.account, signed.tried)
    if row is not None:
        book.renewed(name)
        typer.echo(f"{name} is renewed, and read from now on.")
        return
    settings = {"since_days": str(days)} if days is not None else {}
    book.add(
        Plan(
            name=name,
            kind="google",
            identity=signed.identity,
            aliases=signed.aliases,
            settings=settings,
            needs="nothing",
        )
    )
    typer.echo(
        f"{name} is connected for reading. To let what you tap be sent by it: stillbell auth google {name} --send"
    )
    typer.echo("What must never be read is named with: stillbell exclude")
    book.follow(name)
