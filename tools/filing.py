"""Filing: where the bytes of sent files lie, each under the hash of its content.

<folder>/<first two digits>/<sha-256>      for the owner's eyes alone (0600); the same bytes lie there once
"""

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from memory.errors import OutOfReach
from memory.file import FETCH_MAX_BYTES
from tools.fetching import NotFetched

_HEADS = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
)
"""How files begin whose type matters here: a sender's word for it is not relied on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """A file that lies there. `media_type` is what its first bytes show, None when they show nothing."""

    sha256: str
    size_bytes: int
    path: Path
    media_type: str | None


class Filing:
    """Keeps bytes under `folder`. Raises OutOfReach when the disk will not take them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, sha256: str) -> Path:
        """Where the content of this hash lies, or would."""
        return self._folder / sha256[:2] / sha256

    async def keep(self, chunks: AsyncIterator[bytes], *, most_bytes: int = FETCH_MAX_BYTES) -> Filed:
        """Put what comes on disk, durably. Raises NotFetched for good when it is more than `most_bytes`."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".coming-", dir=self._folder)
        except OSError as error:
            raise _disk(error) from error
        coming = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                digest, size, head = await _write(file, chunks, most_bytes)
                await asyncio.to_thread(_flush, file)
            path = self.path(digest)
            await asyncio.to_thread(_place, coming, path)
        except OSError as error:
            raise _disk(error) from error
        finally:
            await asyncio.to_thread(coming.unlink, missing_ok=True)
        return Filed(sha256=digest, size_bytes=size, path=path, media_type=media_type_of(head))

    def sweep(self) -> int:
        """At boot: remove what was coming in when the process ended. Returns how many files that were."""
        left = list(self._folder.glob(".coming-*"))
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


def media_type_of(head: bytes) -> str | None:
    """The media type that the first bytes of a file show; None for the many that are of no concern."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media_type for beginning, media_type in _HEADS if head.startswith(beginning)), None)


async def _write(file: BinaryIO, chunks: AsyncIterator[bytes], most_bytes: int) -> tuple[str, int, bytes]:
    digest, size, head = hashlib.sha256(), 0, b""
    async for chunk in chunks:
        size += len(chunk)
        if size > most_bytes:
            raise NotFetched(f"it is larger than {most_bytes >> 20} MB", for_good=True)
        head = head or chunk[:16]
        digest.update(chunk)
        file.write(chunk)
    return digest.hexdigest(), size, head


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _place(coming: Path, path: Path) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    coming.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _disk(error: OSError) -> OutOfReach:
    return OutOfReach(f"the disk will not take the file ({error.strerror}): make room, and it is tried again")
