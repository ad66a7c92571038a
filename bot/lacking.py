"""Lacking: what an account would need of the vault and does not find there, and what to do about it. Shows no secret."""

from collections.abc import Mapping
from dataclasses import dataclass

from memory.errors import NotFound, StillbellError
from tools.vault import Vault


@dataclass(frozen=True, slots=True)
class Lack:
    """What is wrong with an account's secret, and the command that mends it."""

    text: str
    mend: str


def lack_of(name: str, kind: str, settings: Mapping[str, str], vault: Vault) -> Lack | None:
    """What is wrong; None when the secret is there for the owner's eyes alone, or none is needed."""
    if kind == "file" or (kind == "ics" and settings.get("path")):
        return None
    mend = f"stillbell auth google {name}" if kind == "google" else f"stillbell accounts renew {name}"
    file = f"{name}.json" if kind == "google" else name
    try:
        if vault.get(file).strip():
            return None
    except NotFound:
        return Lack(f"its secret is not in {vault.folder}", mend)
    except StillbellError as error:
        return Lack(str(error), mend)
    return Lack(f"its secret in {vault.folder} is empty", mend)
