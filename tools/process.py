"""A process: a program run apart, without a shell, bounded in time and in what it may say."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from memory.errors import OutOfReach


class Unfinished(OutOfReach):
    """The program could not be started, took too long, said too much, or ended with an error."""


async def run(
    command: Sequence[str], *, within_for: timedelta, most_bytes: int, environment: Mapping[str, str]
) -> bytes:
    """What the program wrote to its standard output. Raises Unfinished; the program is gone in any case.

    `environment` is all that it sees of ours: no key of ours belongs there.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(environment),
        )
    except OSError as error:
        raise Unfinished(f"{command[0]} can't be started: {error.strerror}") from error
    try:
        async with asyncio.timeout(within_for.total_seconds()):
            said = await _bounded(process, most_bytes)
            code = await process.wait()
    except TimeoutError as error:
        raise Unfinished(f"{command[0]} took longer than {within_for.total_seconds():g} seconds") from error
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    if code:
        raise Unfinished(f"{command[0]} ended with the error {code}")
    return said


async def _bounded(process: asyncio.subprocess.Process, most_bytes: int) -> bytes:
    said = b""
    while process.stdout is not None and (chunk := await process.stdout.read(65_536)):
        said += chunk
        if len(said) > most_bytes:
            raise Unfinished("the program said more than can be used")
    return said
