"""`stillbell watch` and `stillbell unwatch`: folders and files that are followed as they change."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands.asking import answered, settings

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.terminal.wire import AskHandler

BAD_SHOWN = 10


def watch(
    kind: Annotated[
        str,
        typer.Argument(
            help="notes, meetings, files, calendar, whatsapp, telegram or imessage; may be left out where it is clear.",
            show_default=False,
        ),
    ] = "",
    path: Annotated[Path | None, typer.Argument(help="A folder or a file.", show_default=False)] = None,
) -> None:
    """Follow a folder: what is written there can be found within a minute. Without words: what is watched, and how it does."""
    of = settings()
    if not kind:
        _show(answered(of, "watch.list", {}, alone=lambda: _alone(of))["watched"])
        return
    meant, given = (kind, path) if path is not None else ("", Path(kind))
    args = {"kind": meant, "path": str(given.expanduser().absolute())}
    done = answered(of, "watch.add", args, alone=lambda: _alone(of))
    typer.echo(
        f"{done['path']} is watched as {done['kind']}, for as long as Stillbell runs. How it does: stillbell watch"
    )


def unwatch(
    path: Annotated[Path, typer.Argument(help="What is watched.", show_default=False)],
    keep: Annotated[bool, typer.Option("--keep", help="What was read there can still be found.")] = False,
) -> None:
    """Follow a folder no more. What was read there can no longer be found; chats stay."""
    of = settings()
    args = {"path": str(path.expanduser().absolute()), "keep": keep}
    done = answered(of, "watch.remove", args, alone=lambda: _alone(of))
    count = done["dropped"]
    dropped = f" {count:,} document{'' if count == 1 else 's'} of it can no longer be found." if count else ""
    typer.echo(f"{done['path']} is no longer watched.{dropped}")


def _show(watched: list[Mapping[str, Any]]) -> None:
    from bot.terminal.drawing import harmless  # noqa: PLC0415

    if not watched:
        typer.echo("Nothing is watched. To begin: stillbell watch notes ~/Notes")
    for one in watched:
        typer.echo(f"{one['kind']:<9} {harmless(one['path'])}: {harmless(_state(one))}")
        for bad in (one["found"] or {}).get("faults", [])[:BAD_SHOWN]:
            line = f", line {bad['line']}" if bad["line"] else ""
            typer.echo(f"          {harmless(bad['file'])}{line}: {harmless(bad['because'])}")


def _state(one: Mapping[str, Any]) -> str:
    if one["far"] is not None:
        return f"being read, {one['far']:.0%} done"
    if one["trouble"]:
        return str(one["trouble"])
    if one["looked_at"] is None:
        return "not looked at yet; it is while Stillbell runs"
    found = one["found"] or {}
    items = found.get("items", 0)
    return f"looked at {one['looked_at']}, {items:,} item{'' if items == 1 else 's'}"


def _alone(of: "Settings") -> "AbstractAsyncContextManager[Mapping[str, AskHandler]]":
    from bot import alone  # noqa: PLC0415

    return alone.writing(of)
