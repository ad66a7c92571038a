"""The file in which a grant is kept: in the vault, for its owner's eyes alone, never in the database and never in a log."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from memory.errors import NotFound
from tools.source import SignInRefused
from tools.vault import Vault

GrantKind = Literal["read", "send"]
"""Two grants an account, each with a token of its own: what reads can't send."""

_ENDINGS: dict[GrantKind, str] = {"read": ".json", "send": ".send.json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A permission that the owner gave, and all that is needed to renew its short-lived half.

    expires_at: aware UTC; None when there is no access token yet.
    """

    client_id: str
    client_secret: str = field(repr=False)
    token_uri: str
    refresh_token: str = field(repr=False)
    access_token: str = field(default="", repr=False)
    expires_at: datetime | None = None
    scopes: tuple[str, ...] = ()


class TokenFile:
    """The grant of one kind of one account, as the vault keeps it. `renewal` is the command that signs in anew."""

    def __init__(self, vault: Vault, account: str, kind: GrantKind) -> None:
        self.kind: GrantKind = kind
        self.renewal = f"stillbell auth google {account}" + (" --send" if kind == "send" else "")
        self._vault = vault
        self._name = account + _ENDINGS[kind]

    def exists(self) -> bool:
        """Whether the owner has given this grant."""
        return self._vault.has(self._name)

    def read(self) -> Token:
        """The token. Raises SignInRefused when there is none, or none that can be understood."""
        try:
            held = json.loads(self._vault.get(self._name))
            expires_at = datetime.fromisoformat(held["expires_at"]).astimezone(UTC) if held["expires_at"] else None
            return Token(**(held | {"expires_at": expires_at, "scopes": tuple(held["scopes"])}))
        except NotFound:
            raise SignInRefused(f"Google has not been asked for permission yet. Run: {self.renewal}") from None
        # The error of a reader quotes what it read, and that is secret.
        except (ValueError, KeyError, TypeError):
            raise SignInRefused(f"the token in {self._name} is damaged. Run: {self.renewal}") from None

    def write(self, token: Token) -> None:
        """Keep `token` instead of what was there."""
        held = {name: getattr(token, name) for name in Token.__slots__}
        held |= {"expires_at": token.expires_at.isoformat() if token.expires_at else None, "scopes": list(token.scopes)}
        self._vault.put(self._name, json.dumps(held, indent=1))
