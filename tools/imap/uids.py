"""Sets of uids as IMAP spells them: "3:5,9"."""

import re
from collections.abc import Iterable

UIDS_LIMIT = 5000
"""More are never kept or asked for in one go."""

_SPELLED = re.compile(r"[0-9]{1,10}(?::[0-9]{1,10})?(?:,[0-9]{1,10}(?::[0-9]{1,10})?)*")


def spelled(uids: Iterable[int]) -> str:
    """As short as it goes; "" for none."""
    runs: list[list[int]] = []
    for uid in sorted(set(uids)):
        if runs and runs[-1][1] == uid - 1:
            runs[-1][1] = uid
        else:
            runs.append([uid, uid])
    return ",".join(str(first) if first == last else f"{first}:{last}" for first, last in runs)


def read_uids(text: str) -> frozenset[int]:
    """What `spelled` wrote. Raises ValueError for anything else, and for more than UIDS_LIMIT."""
    if not text:
        return frozenset()
    if not _SPELLED.fullmatch(text):
        raise ValueError("no set of uids")
    uids: set[int] = set()
    for run in text.split(","):
        first, _, last = run.partition(":")
        span = range(int(first), int(last or first) + 1)
        if len(uids) + len(span) > UIDS_LIMIT:
            raise ValueError("too many uids")
        uids.update(span)
    return frozenset(uids)
