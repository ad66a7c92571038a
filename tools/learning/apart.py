"""Learning in a process of its own, which ends with it: what is asked for is handed over as plain values."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from multiprocessing import get_context

from memory.decide.features import Features
from memory.decide.score import Fitted
from memory.errors import BadInput

Known = tuple[Features, bool, datetime]
"""What a mail showed when it came, whether it was acted on, and when it came."""


async def learn(known: Sequence[Known], now: datetime) -> Fitted:
    """What can be learned. Raises BadInput when that is nothing."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        fitted = await asyncio.get_running_loop().run_in_executor(process, _learn, list(known), now)
    if isinstance(fitted, str):
        raise BadInput(fitted)
    return fitted


def _learn(known: Sequence[Known], now: datetime) -> Fitted | str:
    from tools.learning.fitting import Example, fit  # noqa: PLC0415  its libraries belong into this process alone

    try:
        return fit([Example(features, acted, at) for features, acted, at in known], now=now)
    except BadInput as error:
        return str(error)
