"""The command line: `stillbell`.

Everything heavy is imported where it is used, so that `--help` is there at once.
"""

import asyncio
import sys
from collections.abc import Mapping
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import accounts, auth
from bot.commands.audit import audit
from bot.commands.exclude import exclude
from bot.commands.memory import memory
from bot.commands.watch import unwatch, watch
from bot.commands.who import who
from memory.errors import BadInput, StillbellError

if TYPE_CHECKING:
    from bot.doctor import Live
    from bot.settings import Settings

EXAMPLES = """
[bold]Examples[/bold]

  stillbell run [dim]                        start it, and talk to it here[/dim]

  stillbell chat [dim]                       talk to the one that is running[/dim]

  echo "remind me at 9 of the bins" | stillbell chat

  stillbell accounts add work anna@gmx.de [dim]connect a mailbox[/dim]

  stillbell import ~/Mail/archive.mbox [dim] give it mail to answer from[/dim]

  stillbell watch notes ~/Notes [dim]        follow a folder as it changes[/dim]

  stillbell find invoice anna [dim]          search everything[/dim]

  stillbell who Anna Winter [dim]            who somebody is, and what is open between you[/dim]

  stillbell web [dim]                        a link to the chat in a browser[/dim]

  stillbell doctor [dim]                     what is on, what is off, what is wrong[/dim]
"""


app = typer.Typer(
    name="stillbell",
    help="A chief of staff in one chat, on your own machine.",
    epilog=EXAMPLES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode="rich",
)


app.add_typer(accounts.app, name="accounts")
app.add_typer(auth.app, name="auth")


def main() -> None:
    """The `stillbell` command. What a person can act on is told in a line; a bug shows whole."""
    try:
        app(prog_name="stillbell")
    except StillbellError as error:
        typer.echo(f"stillbell: {error}", err=True)
        sys.exit(2 if isinstance(error, BadInput) else 1)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has gone; what is left of it must not be flushed into nowhere at exit.
        sys.stdout = None
        sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stillbell {version('stillbell')}")
        raise typer.Exit


@app.callback()
def stillbell(
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """A chief of staff in one chat, on your own machine."""


@app.command(epilog="stillbell run --no-chat     only the daemon, with its log on standard error")
def run(
    chat: Annotated[
        bool | None,
        typer.Option("--chat/--no-chat", help="Open a chat in it; by default on a terminal.", show_default=False),
    ] = None,
    adopt: Annotated[bool, typer.Option("--adopt", help="Take over a database that was moved here for good.")] = False,
) -> None:
    """Start Stillbell: the daemon, and a chat in it."""
    from bot.serving import serve  # noqa: PLC0415

    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    asyncio.run(serve(_settings(), chat=on_terminal if chat is None else chat, adopt=adopt))


@app.command(epilog="stillbell chat < questions.txt     each line is answered before the next is asked")
def chat(
    history: Annotated[int, typer.Option(help="How many earlier messages to show.", min=0, max=1000)] = 30,
    patience: Annotated[float, typer.Option(help="On a pipe: seconds to wait for an answer's end.", min=1)] = 120,
) -> None:
    """Talk to the running Stillbell; any number of chats may be open."""
    settings = _settings()
    if sys.stdin.isatty() and sys.stdout.isatty():
        asyncio.run(_chat_here(settings, history))
    else:
        asyncio.run(_chat_piped(settings, timedelta(seconds=patience)))


@app.command(epilog="stillbell web | xargs xdg-open     opens it at once")
def web() -> None:
    """Print a link to the web chat, good once and for ten minutes."""
    from bot.web.links import print_links  # noqa: PLC0415

    print_links(_settings(), show=typer.echo, note=lambda text: typer.echo(text, err=True))


@app.command("import", epilog="stillbell import whatsapp ~/Downloads     a folder: every export in it")
def import_(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="[KIND] PATH",
            help="A file or a folder; before it mail, contacts, whatsapp, telegram, imessage, notes, meetings, calendar or files, "
            "where that is not clear.",
            show_default=False,
        ),
    ],
    me: Annotated[
        list[str] | None,
        typer.Option("--me", help="What you are called in the chats, where that is not clear; of mail, your address."),
    ] = None,
) -> None:
    """Give Stillbell what it may answer from. May be stopped and started again; nothing is kept twice."""
    if len(what) > 2:
        raise BadInput("give one file or folder: stillbell import [KIND] PATH")
    path = Path(what[-1]).expanduser().absolute()
    args = {"path": str(path), "kind": what[0] if len(what) > 1 else "", "me": me or []}
    asyncio.run(_import(_settings(), args))


@app.command(epilog="stillbell find contract from:anna after:march in:whatsapp has:pdf '\"exact words\"' --limit 3")
def find(
    words: Annotated[list[str], typer.Argument(help="What to look for: words, a phrase, filters.", show_default=False)],
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100)] = 10,
) -> None:
    """Search everything: notes, mail, chats, calendar, meetings, people, files."""
    from bot.terminal.report import console, print_found  # noqa: PLC0415

    sought = " ".join(words).strip()
    if not sought:
        raise BadInput("say what to look for: stillbell find invoice anna")
    result = asyncio.run(_answer(_settings(), "find", {"words": sought, "limit": limit}))
    if not result["hits"]:
        without = "it without the filter, " if result["is_filtered"] else ""
        typer.echo(f"Nothing found. Try {without}fewer words, or other ones.")
    print_found(console(), result)


@app.command(epilog="stillbell show mail:7     what `stillbell find` has told the ref of")
def show(ref: Annotated[str, typer.Argument(help="The ref of what was found.", show_default=False)]) -> None:
    """Show what was found, whole; of a chat the messages around it."""
    from bot.terminal.report import console, print_opened  # noqa: PLC0415

    print_opened(console(), asyncio.run(_answer(_settings(), "show", {"ref": ref})))


app.command(epilog="stillbell who Anna at Acme --sources")(who)
app.command(epilog="stillbell memory jonas     or: --forget 7")(memory)
app.command(epilog="stillbell exclude address therapist@example.org     or: person, domain, folder")(exclude)
app.command(epilog="stillbell watch notes ~/Notes     or: meetings, files, calendar, an export, Messages' chat.db")(
    watch
)
app.command()(unwatch)
app.command(epilog="stillbell audit --person anna@example.org --day yesterday")(audit)


@app.command()
def usage() -> None:
    """Show what the model cost today, by label."""
    from bot.terminal.report import console, print_usage  # noqa: PLC0415

    print_usage(console(), asyncio.run(_answer(_settings(), "usage", {})))


@app.command()
def doctor(
    alive: Annotated[bool, typer.Option("--alive", help="Only whether the running Stillbell answers.")] = False,
) -> None:
    """Show what is on, what is off and what is wrong, one line each."""
    if alive:
        raise typer.Exit(0 if asyncio.run(_live(_settings())) else 1)
    from bot.terminal.report import console, print_findings  # noqa: PLC0415

    findings = asyncio.run(_examine(_settings()))
    print_findings(console(), findings)
    if any(finding.state == "bad" for finding in findings):
        raise typer.Exit(1)


@app.command(epilog="stillbell backup /mnt/usb     into another folder, or to a file of that name")
def backup(
    path: Annotated[
        Path | None, typer.Argument(help="A folder or a new file; by default backups/ in the data folder.")
    ] = None,
) -> None:
    """Make a checked copy of everything that is kept, also while Stillbell runs."""
    from bot.terminal.report import console, print_backup  # noqa: PLC0415

    args = {"path": str(path.expanduser().absolute())} if path else {}
    settings = _settings()
    print_backup(console(), asyncio.run(_back_up(settings, args)), files=settings.files)


@app.command(epilog="stillbell restore ~/.local/share/stillbell/backups/stillbell-20260302T023000Z.db")
def restore(file: Annotated[Path, typer.Argument(help="A backup.", show_default=False)]) -> None:
    """Put a backup in the place of the database, which is kept aside. Stillbell must not be running."""
    from bot.terminal.report import console, print_restored  # noqa: PLC0415

    done = _alone().restored(_settings(), file.expanduser().absolute())
    print_restored(console(), done.backup.path, aside=done.aside, is_of_this_host=done.is_of_this_host)


@app.command(epilog="stillbell export ~/stillbell-export     JSON lines, a file a table, and the kept files")
def export(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.", show_default=False)],
) -> None:
    """Take along everything that is kept of you, also while Stillbell runs."""
    from bot import leaving  # noqa: PLC0415

    folder = folder.expanduser().absolute()
    written = leaving.export(_settings(), folder)
    for table, count in written.items():
        typer.echo(f"{count:8,}  {table}")
    typer.echo(f"Written to {folder}")


@app.command(epilog="stillbell purge --backups     leaves nothing to restore from, either")
def purge(
    backups: Annotated[bool, typer.Option("--backups", help="Erase the backups in the data folder, too.")] = False,
) -> None:
    """Erase what was said, read and kept. Asks twice; Stillbell must not be running."""
    from bot import leaving  # noqa: PLC0415

    settings = _settings()
    typer.echo(
        f"This erases from {settings.home}: the conversation, imported mail, loops, reminders, notices, kept files, logs,\n"
        "and databases that a restore has put aside.\n"
        "What stays: when something happened, what was decided and which tool was called (ids, hashes and reasons, no\n"
        "content), what models cost, and your settings."
    )
    if kept := leaving.backups(settings):
        typer.echo(
            "These backups hold what was said, and " + ("go, too:" if backups else "stay (--backups erases them):")
        )
        for file in kept:
            typer.echo(f"  {file}")
    typer.confirm("Erase it all?", abort=True)
    if typer.prompt("There is no way back. Type: purge") != "purge":
        raise typer.Abort
    gone = leaving.purge(settings, with_backups=backups)
    typer.echo(", ".join(f"{count:,} {table}" for table, count in gone.items()) or "There was nothing to erase.")


def _settings() -> "Settings":
    from bot.settings import load  # noqa: PLC0415

    return load()


def _alone() -> ModuleType:
    """What is needed when no daemon runs, and only then."""
    from bot import alone  # noqa: PLC0415

    return alone


async def _chat_here(settings: "Settings", history: int) -> None:
    from bot.terminal.chat import chat as talk  # noqa: PLC0415

    leaving = await talk(settings.socket, history=history)
    for text in leaving.unsent:
        typer.echo(f"This never reached Stillbell: {text}", err=True)


async def _chat_piped(settings: "Settings", patience_for: timedelta) -> None:
    from bot.terminal.piped import Piped, stdin_lines  # noqa: PLC0415

    piped = Piped(
        settings.socket,
        lines=stdin_lines(),
        show=lambda text: typer.echo(text, nl=False),
        trouble=lambda text: typer.echo(f"stillbell: {text}", err=True),
        patience_for=patience_for,
    )
    await piped.run()
    if piped.failed:
        raise typer.Exit(1)


async def _answer(settings: "Settings", what: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The result of an ask that only reads."""
    from bot.terminal.asking import ask  # noqa: PLC0415

    data: Mapping[str, Any] = {}
    async for step in ask(settings.socket, what, args, alone=lambda: _alone().reading(settings)):
        data = step.data
    return data


async def _back_up(settings: "Settings", args: Mapping[str, Any]) -> Mapping[str, Any]:
    from bot.terminal.asking import ask  # noqa: PLC0415

    data: Mapping[str, Any] = {}
    async for step in ask(settings.socket, "backup", args, alone=lambda: _alone().backing_up(settings)):
        data = step.data
    return data


async def _import(settings: "Settings", args: Mapping[str, Any]) -> None:
    from bot.terminal.asking import ask  # noqa: PLC0415
    from bot.terminal.report import ImportBar, console, print_import  # noqa: PLC0415
    from bot.terminal.wire import Result  # noqa: PLC0415

    try:
        with ImportBar() as bar:
            async for step in ask(settings.socket, "import", args, alone=lambda: _alone().writing(settings)):
                if not isinstance(step, Result):
                    bar.tell(step.data)
    except asyncio.CancelledError:
        typer.echo("Stopped. What was read is kept; the same command goes on from here.", err=True)
        raise
    if isinstance(step, Result):
        print_import(console(), step.data)


async def _examine(settings: "Settings") -> list[Any]:
    from bot.examination import examine  # noqa: PLC0415
    from memory.clock import SystemClock  # noqa: PLC0415

    return await examine(settings, live=await _live(settings), now=SystemClock().now())


async def _live(settings: "Settings") -> "Live | None":
    """What the running daemon tells of itself; None when none runs, or it does not answer."""
    from bot.doctor import live_from_json  # noqa: PLC0415
    from bot.terminal.client import Client  # noqa: PLC0415

    live = None
    try:
        async with asyncio.timeout(5), Client(settings.socket) as client:
            async for step in client.ask("doctor", {}):
                live = live_from_json(step.data)
    except (StillbellError, TimeoutError):
        return None
    return live


if __name__ == "__main__":
    main()
