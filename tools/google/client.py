"""The owner's own Google project: what its `client_secret.json` says. Stillbell has none of its own, so nobody is between."""

import ipaddress
import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from memory.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """An OAuth client of the kind "desktop app". The addresses come from the file, whatever they are there."""

    client_id: str
    client_secret: str = field(repr=False)
    auth_uri: str
    token_uri: str

    def __post_init__(self) -> None:
        for uri in (self.auth_uri, self.token_uri):
            if not is_safe(uri):
                raise BadInput(f"the client file names an address that is not https: {urlsplit(uri).hostname}")


def read_client(path: Path) -> Client:
    """The client that the file at `path` describes. Raises BadInput."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path} is no client file: it holds no JSON") from error
    if isinstance(held, dict) and "installed" not in held and "web" in held:
        raise BadInput(f"{path} is of a web client; create one of the type Desktop app in your Google project")
    installed = held.get("installed") if isinstance(held, dict) else None
    names = ("client_id", "client_secret", "auth_uri", "token_uri")
    if not isinstance(installed, dict) or not all(isinstance(installed.get(name), str) for name in names):
        raise BadInput(f"{path} is no client file of a Desktop app; download it from your Google project once more")
    return Client(**{name: installed[name] for name in names})


def is_safe(uri: str) -> bool:
    """Whether secrets may be sent to `uri`: by https, or to this machine."""
    parts = urlsplit(uri)
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme != "http" or not parts.hostname:
        return False
    try:
        return parts.hostname == "localhost" or ipaddress.ip_address(parts.hostname).is_loopback
    except ValueError:
        return False
