"""What every command needs: the settings, the answer to an ask, a secret that nobody sees being typed."""

import asyncio
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from memory.errors import BadInput

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.terminal.asking import Alone

SECRET_MAX = 4096


def settings() -> "Settings":
    """The settings of this process. Raises BadInput."""
    from bot.settings import load  # noqa: PLC0415

    return load()


def answered(of: "Settings", what: str, args: Mapping[str, Any], *, alone: "Alone") -> Mapping[str, Any]:
    """The last that is told in answer to an ask, by the running daemon or, where none runs, by what `alone` opens."""
    return asyncio.run(answer(of, what, args, alone=alone))


async def answer(of: "Settings", what: str, args: Mapping[str, Any], *, alone: "Alone") -> Mapping[str, Any]:
    """The same within an event loop."""
    from bot.terminal.asking import ask  # noqa: PLC0415

    data: Mapping[str, Any] = {}
    async for step in ask(of.socket, what, args, alone=alone):
        data = step.data
    return data


def secret(prompt: str, *, from_stdin: bool) -> str:
    """A secret: the first line of the standard input, or typed without an echo. Raises BadInput when there is none."""
    if from_stdin:
        given = sys.stdin.readline(SECRET_MAX)
    elif sys.stdin.isatty():
        given = str(typer.prompt(prompt, hide_input=True, err=True))
    else:
        raise BadInput("there is no terminal to ask for the password on: hand it over with --password-stdin")
    given = given.rstrip("\r\n")
    if not given:
        raise BadInput("no password came, so nothing was done")
    return given
