"""A transcriber that is a program of the owner's: whisper.cpp, or whatever writes the words to its standard output."""

import shlex
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from memory.errors import BadInput
from tools.process import Unfinished, run
from tools.transcriber import TRANSCRIPT_MAX, NotTranscribed, checked

BLANK = "{file}"


class CommandTranscriber:
    """See tools.transcriber.Transcriber. `command` is split as a shell would, but no shell ever sees it.

    `{file}` stands for the file; without it the path is the last argument. `environment` is all that it sees. Raises BadInput for an empty command or
    one with an open quote.
    """

    def __init__(
        self, command: str, *, environment: Mapping[str, str], within_for: timedelta = timedelta(minutes=3)
    ) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise BadInput(f"STILLBELL_TRANSCRIBER_COMMAND can't be read: {error}") from error
        if not self._words:
            raise BadInput("STILLBELL_TRANSCRIBER_COMMAND names no program; one looks like: my-whisper {file}")
        if not any(BLANK in word for word in self._words):
            self._words.append(BLANK)
        self._environment = environment
        self._within_for = within_for

    def describe(self) -> str:
        return f"the program {Path(self._words[0]).name}"

    async def transcribe(self, path: Path, *, media_type: str) -> str:
        command = [word.replace(BLANK, str(path)) for word in self._words]
        try:
            said = await run(
                command, within_for=self._within_for, most_bytes=8 * TRANSCRIPT_MAX, environment=self._environment
            )
        except Unfinished as error:
            raise NotTranscribed(f"the transcriber failed: {Path(self._words[0]).name} gave no words") from error
        return checked(said.decode("utf-8", "replace"))
