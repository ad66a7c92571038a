"""An owner for tests of pure judgement."""

from datetime import UTC, datetime, time
from typing import Any

from memory.owner import Owner
from memory.zones import Stay, Timeline

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def living_in(*stays: str | tuple[datetime, str]) -> Timeline:
    """A life: the zone it begins in, then (aware UTC, zone) for each move."""
    return Timeline(tuple(Stay(LONG_AGO, stay) if isinstance(stay, str) else Stay(*stay) for stay in stays))


def an_owner(*stays: str | tuple[datetime, str], **given: Any) -> Owner:
    """An owner who has always been here, in Berlin unless told otherwise."""
    usual: dict[str, Any] = {
        "id": 1,
        "created_at": LONG_AGO,
        "language": "en",
        "quiet_from": time(22),
        "quiet_to": time(7),
        "brief_at": time(7, 30),
        "cap_usd": 5.0,
    }
    return Owner(zones=living_in(*(stays or ("Europe/Berlin",))), **(usual | given))
