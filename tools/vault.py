"""The vault: secrets of accounts, each in a file of its own for its owner's eyes alone (0600). Nothing else keeps them.

<home>/secrets/<account name>         a password
<home>/secrets/<account name>.json    a token of Google's (tools/google/signin)
"""

import json
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from memory.errors import BadInput, NotFound, OutOfReach
from tools.source import SignInRefused

_SECRET_IN_TOKENS = ("refresh_token", "access_token", "client_secret")

OTHERS = 0o077
"""The bits of a file's mode that let anybody but its owner at it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class Vault:
    """Keeps secrets under `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self._folder

    def path(self, name: str) -> Path:
        """Where the secret of this name lies, or would. Raises BadInput for what is no name."""
        if not _NAME.fullmatch(name) or ".." in name:
            raise BadInput(f"{name!r} is no name: up to 40 letters, digits, dots, dashes and underscores")
        return self._folder / name

    def put(self, name: str, secret: str) -> None:
        """Keep it, in place of what was there. Raises OutOfReach when the disk will not take it."""
        path = self.path(name)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            self._write(path, secret)
        except OSError as error:
            raise OutOfReach(f"the secret of {name} can't be kept in {self._folder}: {error.strerror}") from error

    def _write(self, path: Path, secret: str) -> None:
        """In one step, for its owner's eyes alone (mkstemp sees to that); where it can't be, nothing is left."""
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=self._folder)
        coming = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(secret)
                file.flush()
                os.fsync(file.fileno())
            coming.replace(path)
        except BaseException:
            coming.unlink(missing_ok=True)
            raise

    def get(self, name: str) -> str:
        """The secret. Raises NotFound when there is none, SignInRefused when others could read it."""
        path = self.path(name)
        try:
            with path.open(encoding="utf-8") as file:
                mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                text = file.read()
        except FileNotFoundError as error:
            raise NotFound(f"there is no secret of {name}: run  stillbell accounts renew {name}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise OutOfReach(f"the secret of {name} in {self._folder} can't be read") from error
        if mode & OTHERS:
            raise SignInRefused(
                f"others can read {path}: change the secret if they may have, then run  chmod 600 {path}"
            )
        return text.rstrip("\r\n")

    def has(self, name: str) -> bool:
        """Whether there is one."""
        return self.path(name).exists()

    def drop(self, name: str) -> None:
        """Forget every secret of this account."""
        names = (name, f"{name}.json", f"{name}.send.json")
        # What a crash left half-way bears the name, too.
        for path in (*map(self.path, names), *(left for each in names for left in self._folder.glob(f".{each}-*"))):
            path.unlink(missing_ok=True)

    def all(self) -> tuple[str, ...]:
        """Everything secret that lies there, for the filter that blots it out of logs."""
        if not self._folder.is_dir():
            return ()
        files = [path for path in self._folder.iterdir() if path.is_file() and not path.name.startswith(".")]
        found = (secret for path in files for secret in _secrets_in(path))
        return tuple(dict.fromkeys(secret for secret in found if secret))


def _secrets_in(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        held = json.loads(text) if path.suffix == ".json" else text
    except (OSError, ValueError):
        return
    if isinstance(held, dict):
        yield from (value for name in _SECRET_IN_TOKENS if isinstance(value := held.get(name), str))
    elif path.suffix != ".json":
        yield text
