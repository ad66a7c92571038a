"""A setting that a sentence of the owner's changes, and how it stood before, so that undo can take it back."""

from datetime import datetime, time
from typing import Literal

from memory.owner import Owner
from memory.tables.owners import Owners

Name = Literal["zone", "language", "quiet", "allowance"]

PREFIX = "setting:"


def subject(name: Name) -> str:
    """How decisions name a setting."""
    return f"{PREFIX}{name}"


def value(owner: Owner, name: Name, now: datetime) -> str:
    """How the setting stands, in at most 32 characters (or a zone's name)."""
    if name == "zone":
        return owner.zones.zone_at(now).key
    if name == "language":
        return owner.language
    if name == "quiet":
        return f"{owner.quiet_from:%H:%M}-{owner.quiet_to:%H:%M}"
    return repr(owner.cap_usd)


def put_back(owners: Owners, owner: Owner, name: Name, before: str, *, now: datetime) -> None:
    """Set it to what `value` said of it before."""
    if name == "zone":
        owners.unmove(owner.id, after=now)
        owners.move(owner.id, zone=before, from_at=now, because="the owner undid a move")
    elif name == "language":
        owners.set(owner.id, language="de" if before == "de" else "en")
    elif name == "quiet":
        start, end = before.split("-")
        owners.set(owner.id, quiet_from=time.fromisoformat(start), quiet_to=time.fromisoformat(end))
    else:
        owners.set(owner.id, cap_usd=float(before))
