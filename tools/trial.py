"""A trial: secrets that are tried before they are kept. They lie in memory alone, and what goes wrong leaves no trace of them."""

from pathlib import Path

from memory.errors import NotFound
from tools.vault import Vault


class Trial(Vault):
    """A vault whose secrets are written nowhere until `keep`. Of the one in `folder` it takes the names alone."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._secrets: dict[str, str] = {}

    def put(self, name: str, secret: str) -> None:
        """Hold it."""
        self.path(name)
        self._secrets[name] = secret

    def get(self, name: str) -> str:
        """The secret. Raises NotFound."""
        if name not in self._secrets:
            raise NotFound(f"there is no secret of {name} to be tried")
        return self._secrets[name]

    def has(self, name: str) -> bool:
        """Whether it is held."""
        return name in self._secrets

    def drop(self, name: str) -> None:
        """Let go of everything of this account."""
        for ending in ("", ".json", ".send.json"):
            self._secrets.pop(f"{name}{ending}", None)

    def keep(self, vault: Vault) -> None:
        """Put everything that is held into `vault`. Raises OutOfReach when the disk will not take it."""
        for name, secret in self._secrets.items():
            vault.put(name, secret)
