"""The transcriber port: from a voice to its words."""

from pathlib import Path
from typing import Protocol

from memory.errors import OutOfReach

TRANSCRIPT_MAX = 20_000
"""So many characters of a transcript are kept: about twenty minutes of speech."""


class NotTranscribed(OutOfReach):
    """There is no transcript, and the message says why in words that can be shown: no key, no path."""


class Transcriber(Protocol):
    """Writes down what is said in a file of sound."""

    async def transcribe(self, path: Path, *, media_type: str) -> str:
        """The words, stripped, at most TRANSCRIPT_MAX characters. Raises NotTranscribed, also when there are none."""
        ...

    def describe(self) -> str:
        """What transcribes, in a few words for a person."""
        ...


def checked(text: str) -> str:
    """A transcript as the port has it. Raises NotTranscribed when it is empty."""
    words = " ".join(text.replace("\0", "").encode("utf-8", "replace").decode().split())[:TRANSCRIPT_MAX]
    if not words:
        raise NotTranscribed("nothing was understood")
    return words
