"""`stillbell who`: who somebody is, and what is open between you, each line with what it rests on."""

from typing import Annotated

import typer

from bot.commands.asking import answered, settings


def who(
    name: Annotated[list[str], typer.Argument(help="A name, a name and where (Anna at Acme), or an address.")],
    sources: Annotated[bool, typer.Option("--sources", help="Below each line what it rests on.")] = False,
) -> None:
    """Show who somebody is: role, last contact, what is open, meetings, tastes and dates."""
    from bot import alone  # noqa: PLC0415
    from bot.terminal.portrait_report import print_portrait, print_several  # noqa: PLC0415
    from bot.terminal.report import console  # noqa: PLC0415

    of, words = settings(), " ".join(name)
    found = answered(of, "who", {"name": words}, alone=lambda: alone.reading(of))
    if found["several"]:
        print_several(console(), found["several"], words)
        raise typer.Exit(1)
    if not found["lines"]:
        typer.echo(found["nobody"], err=True)
        raise typer.Exit(1)
    print_portrait(console(), found, sources=sources)
