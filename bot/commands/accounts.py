"""`stillbell accounts`: mailboxes and calendars are connected, looked at, tried, renewed and let go.

A secret is tried before it is kept, goes straight into its file, and never travels over the socket.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands.account_book import AccountBook
from bot.commands.asking import secret, settings
from memory.errors import BadInput, NotFound, StillbellError

if TYPE_CHECKING:
    from bot.connecting import Plan, Tried, Wish
    from memory.account import Account

EXAMPLES = """
[bold]Examples[/bold]

  stillbell accounts add work anna@gmx.de [dim]     the servers of many providers are known[/dim]

  stillbell accounts add club anna@club.example --imap mail.club.example --smtp mail.club.example

  stillbell accounts add home --caldav https://dav.example.org --user anna

  stillbell accounts add holidays --ics https://example.org/holidays.ics

  stillbell auth google private [dim]               Gmail and Google Calendar[/dim]
"""

app = typer.Typer(no_args_is_help=True, epilog=EXAMPLES, rich_markup_mode="rich")

Name = Annotated[str, typer.Argument(help="What you call it: work, home …", show_default=False)]
FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from the standard input, its first line.")
]


@app.callback()
def accounts() -> None:
    """Connect mailboxes and calendars, and look after them."""


@app.command(epilog="stillbell accounts add work anna@gmx.de     asks for the password, tries it, and keeps it")
def add(
    name: Name,
    address: Annotated[str, typer.Argument(help="Your mail address there.", show_default=False)] = "",
    *,
    imap: Annotated[str, typer.Option("--imap", metavar="HOST[:PORT]", help="Where mail is read.")] = "",
    smtp: Annotated[str, typer.Option("--smtp", metavar="HOST[:PORT]", help="Where mail is handed in.")] = "",
    user: Annotated[str, typer.Option("--user", help="Who signs in, when that is not the address.")] = "",
    tls: Annotated[bool, typer.Option("--tls", help="Encrypted from the first byte (usual).")] = False,
    starttls: Annotated[bool, typer.Option("--starttls", help="Made safe after a greeting.")] = False,
    plain: Annotated[
        bool, typer.Option("--plain-on-loopback", help="Not encrypted: for a server on this machine alone.")
    ] = False,
    caldav: Annotated[
        str, typer.Option("--caldav", metavar="URL", help="A CalDAV server's or calendar's address.")
    ] = "",
    ics: Annotated[
        str, typer.Option("--ics", metavar="URL-or-PATH", help="A calendar to subscribe to, or a file; - asks for it.")
    ] = "",
    days: Annotated[
        int | None, typer.Option("--days", help="How many days back mail is read at first (180).", min=1, max=36500)
    ] = None,
    alias: Annotated[list[str] | None, typer.Option("--alias", help="A further address of yours there.")] = None,
    folder: Annotated[
        list[str] | None, typer.Option("--folder", help="Read this folder; else all but spam and such.")
    ] = None,
    sender_name: Annotated[str, typer.Option("--sender-name", help="Your name on what you send.")] = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="Connect no way to send.")] = False,
    password_stdin: FromStdin = False,
) -> None:
    """Connect a mailbox or a calendar. It is tried before anything is kept."""
    from bot.connecting import Wish  # noqa: PLC0415

    ways = [way for way, is_given in (("tls", tls), ("starttls", starttls), ("none", plain)) if is_given]
    if len(ways) > 1:
        raise BadInput("one of --tls, --starttls and --plain-on-loopback at most")
    wish = Wish(
        name=name,
        address=address,
        imap=imap,
        smtp=smtp,
        user=user,
        tls=ways[0] if ways else None,  # type: ignore[arg-type]  # the words above are the type's own
        caldav=caldav,
        ics=ics,
        days=days,
        aliases=tuple(alias or ()),
        folders=tuple(folder or ()),
        sender_name=sender_name,
        sends=not read_only,
    )
    _add(AccountBook(settings()), wish, from_stdin=password_stdin)


@app.command("list")
def list_() -> None:
    """Show every account: how it is, and how to mend what is wrong."""
    from bot.terminal.account_report import print_accounts  # noqa: PLC0415
    from bot.terminal.report import console  # noqa: PLC0415

    book = AccountBook(settings())
    rows = book.rows()
    if not rows:
        typer.echo("No account is connected. Connect one with: stillbell accounts add NAME ADDRESS")
        return
    print_accounts(console(), rows, book.lacks(rows))


@app.command("test", epilog="stillbell accounts test     tries every one of them")
def try_(
    name: Annotated[str, typer.Argument(help="Only this one.", show_default=False)] = "",
) -> None:
    """Sign in and look around, changing nothing. Exits with 1 when one can't be reached."""
    book = AccountBook(settings())
    rows = [book.get(name)] if name else book.rows()
    if not rows:
        raise NotFound("no account is connected: stillbell accounts add NAME ADDRESS")
    # Every one is tried, also after one that fails.
    if sum(_works(book, row) for row in rows) < len(rows):
        raise typer.Exit(1)


@app.command(epilog="stillbell accounts renew work     after you changed the password there")
def renew(name: Name, password_stdin: FromStdin = False) -> None:
    """Give an account a new password. It is tried first; until it works the old one stays."""
    from bot.connecting import needs_of  # noqa: PLC0415

    book = AccountBook(settings())
    account = _account(book.get(name))
    if account.kind == "google":
        raise BadInput(f"at Google you sign in anew: stillbell auth google {name}")
    needs = needs_of(account)
    if needs == "nothing":
        raise BadInput(f"{name} is a file on this machine and has no password")
    given = secret(_prompt(account.identity or name, needs), from_stdin=password_stdin)
    _print_tried(account, book.try_and_keep(account, given))
    book.renewed(name)
    typer.echo(f"{name} is renewed, and read from now on.")


@app.command()
def remove(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
) -> None:
    """Let go of an account and its secrets. Mail that came by it stays."""
    book = AccountBook(settings())
    row = book.get(name)
    if not yes:
        typer.confirm(f"Remove {name} ({row['identity'] or row['kind']}), its calendars and its secrets?", abort=True)
    left = book.remove(name)
    typer.echo(f"{name} is removed, and its secrets are deleted.")
    if left:
        typer.echo(
            f"The {left:,} mails that came by it stay. To erase some of them: stillbell exclude domain EXAMPLE.ORG "
            "(or address, person, folder); to erase everything: stillbell purge"
        )
    if row["kind"] == "google":
        typer.echo("At Google the permission stands until you take it back: myaccount.google.com/permissions")


def _add(book: AccountBook, wish: "Wish", *, from_stdin: bool) -> None:
    from bot.connecting import planned  # noqa: PLC0415
    from memory.clock import SystemClock  # noqa: PLC0415

    plan = planned(wish)
    book.check_free(plan.name)
    if plan.first_step and not from_stdin:
        typer.echo(f"{plan.first_step}.")
    given = _secret_of(plan, wish, from_stdin=from_stdin)
    account = plan.account(SystemClock().now())
    _print_tried(account, book.try_and_keep(account, given))
    book.add(plan)
    _say_what_comes(plan, is_sending_missed=wish.sends)
    book.follow(plan.name)


def _secret_of(plan: "Plan", wish: "Wish", *, from_stdin: bool) -> str:
    if plan.needs == "nothing":
        return ""
    if plan.needs == "address" and wish.ics != "-":
        return wish.ics.strip()
    return secret(_prompt(plan.settings.get("user") or plan.identity or plan.name, plan.needs), from_stdin=from_stdin)


def _print_tried(account: "Account", found: "Tried") -> None:
    from bot.terminal.account_report import print_tried  # noqa: PLC0415
    from bot.terminal.report import console  # noqa: PLC0415

    print_tried(console(), account, found)


def _works(book: AccountBook, row: Mapping[str, Any]) -> bool:
    account = _account(row)
    try:
        _print_tried(account, book.try_(account, book.vault))
    except StillbellError as error:
        typer.echo(f"{account.name}: {error}", err=True)
        return False
    if account.state != "on":
        book.renewed(account.name)
        typer.echo(f"{account.name} works again, and is read from now on.")
    return True


def _say_what_comes(plan: "Plan", *, is_sending_missed: bool) -> None:
    if plan.kind == "imap":
        days = plan.settings.get("since_days", "180")
        typer.echo(
            f"{plan.name} is connected: the mail of the last {days} days is read first, then new mail as it comes."
        )
        if is_sending_missed and not plan.settings.get("smtp_host"):
            typer.echo("Nothing can be sent by it, since no --smtp was given.")
    else:
        typer.echo(f"{plan.name} is connected, and looked at every minute.")
    if plan.caldav:
        typer.echo(
            f"Its calendar is an account of its own: stillbell accounts add {plan.name}-calendar {plan.identity} "
            f"--caldav {plan.caldav}"
        )
    typer.echo("What must never be read is named with: stillbell exclude")


def _prompt(whose: str, needs: str) -> str:
    return f"{'Password' if needs == 'password' else 'Address'} of {whose} (it is not shown)"


def _account(row: Mapping[str, Any]) -> "Account":
    from bot.terminal.account_asks import account_of  # noqa: PLC0415

    return account_of(row)
