"""`stillbell memory`: what is remembered of the conversation, with the words it rests on; one can be forgotten."""

from typing import Annotated

import typer

from bot.commands.asking import answered, settings
from memory.recollection import OBSERVATION


def memory(
    words: Annotated[list[str] | None, typer.Argument(help="What it is about.", show_default=False)] = None,
    forget: Annotated[
        int | None, typer.Option("--forget", help="Erase this number, and its words in the chat.", min=1)
    ] = None,
) -> None:
    """Show what is remembered of what you said."""
    from bot import alone  # noqa: PLC0415

    of = settings()
    if forget is not None:
        answered(of, "memory.forget", {"id": forget}, alone=lambda: alone.writing(of))
        typer.echo(f"Forgotten: number {forget}, and its words wherever they stood in the chat.")
        return
    known = answered(of, "memory", {"words": " ".join(words or [])}, alone=lambda: alone.reading(of))
    found, of_people = known["remembered"], known["of_people"]
    for one in found:
        typer.echo(f"{one['id']:>5}  {one['kind']:<12} {one['since']}  {one['text']}")
        for source in one["quotes"]:
            who = (source["who"] or "quoted") if one["kind"] == OBSERVATION else "you"
            typer.echo(f"       {who}: “{source['quote']}”")
    if of_people:
        typer.echo("Of people (the rest: stillbell who NAME)")
        typer.echo("\n".join(f"       {one}" for one in of_people))
    if not found and not of_people:
        typer.echo("Nothing is remembered" + (" about that." if words else " yet. Say in the chat: remember that …"))
