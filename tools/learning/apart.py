"""Learning in a process of its own, which ends with it: what is asked for is handed over as plain values."""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from multiprocessing import get_context, parent_process
from typing import TypeVar

from memory.decide.features import Features
from memory.decide.score import Fitted
from memory.errors import BadInput

T = TypeVar("T")

Known = tuple[Features, bool, datetime]
"""What a mail showed when it came, whether it was acted on, and when it came."""


async def learn(known: Sequence[Known], now: datetime) -> Fitted:
    """What can be learned. Raises BadInput when that is nothing."""
    fitted = await in_a_process(_learn, list(known), now)
    if isinstance(fitted, str):
        raise BadInput(fitted)
    return fitted


async def in_a_process(work: Callable[..., T], *given: object) -> T:
    """What `work` returns; it runs in a process that ends with this one, however this one ends."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_end_with_the_parent) as process:
        return await asyncio.get_running_loop().run_in_executor(process, work, *given)


def _end_with_the_parent() -> None:
    """A killed parent can't stop its worker, which waits on a pipe that it holds open itself: so the worker watches."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, name="watches-the-parent", daemon=True).start()


def _learn(known: Sequence[Known], now: datetime) -> Fitted | str:
    from tools.learning.fitting import Example, fit  # noqa: PLC0415  its libraries belong into this process alone

    try:
        return fit([Example(features, acted, at) for features, acted, at in known], now=now)
    except BadInput as error:
        return str(error)
