"""A file: the first word about it, fetching and reading it, and what follows once every file of its turn is settled.

    sent ─► a word at once ─► fetched, kept by its hash, read ─► think     the thinker is shown it
                           └► could not be had                ├► keep      the word becomes "kept", in place
                                                              └► hear      the owner's voice goes on as words

The word is written in the turn's transaction, the end in the file's: whichever comes second sees the other.
"""

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import structlog

from memory.clock import Clock
from memory.errors import OutOfReach
from memory.file import FETCH_MAX_BYTES, IMAGE_TYPES, SOUND_KINDS, Fetched, StoredFile, Then, plan
from memory.gathering import together
from memory.job import Job, Park, after_failure
from memory.ledger import Ledger, Tables
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.thread import Turn
from memory.wording import media, one_medium, say
from tools.chat import Post
from tools.fetching import Fetches, NotFetched
from tools.filetext import text_of
from tools.filing import Filed, Filing
from tools.transcriber import NotTranscribed, Transcriber

log = structlog.get_logger()

THINKER = "thinker"
"""The kind of job that thinks a turn through."""

HEARD = "heard"
"""The kind of job by which a voice that was written down goes on as words."""


def first_word(
    t: Tables, turn: Turn, owner: Owner, now: datetime, *, has_words: bool, thinks: bool, hears: bool
) -> str | None:
    """What to say at once about the files of the turn, with what is to follow put on record; None when it has none."""
    files = t.files.of_turn(turn.id)
    if not files:
        return None
    planned = plan(files, has_words=has_words, thinks=thinks, hears=hears)
    t.files.plan(turn.id, planned.then)
    is_settled = all(file.state != "wanted" for file in files)
    if planned.then == "keep" and is_settled:
        return kept_words(files, owner, thinks=thinks)
    if is_settled:
        _follow(t, turn, files, owner, now, then=planned.then, thinks=thinks)
    meant = [file for file in files if file.state == "refused"] if planned.word == "file_too_big" else files
    return say(owner.language, planned.word, names=names(meant, owner), most=FETCH_MAX_BYTES >> 20)


def think_further(t: Tables, turn: Turn, now: datetime) -> None:
    """A job for the thinker, unless the turn is over."""
    if t.thread.turn(turn.id).stopped_because is None:
        t.jobs.add(
            owner_id=turn.owner_id,
            kind=THINKER,
            lane="background",
            thread=f"owner:{turn.owner_id}",
            payload={"turn": turn.id},
            now=now,
        )


class FileArrived:
    """Handles jobs of the kind *file*. `fetches` by channel; `thinks`: a model is connected."""

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        clock: Clock,
        *,
        fetches: Mapping[str, Fetches],
        filing: Filing,
        transcriber: Transcriber | None,
        thinks: bool,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._fetches = fetches
        self._filing = filing
        self._transcriber = transcriber
        self._thinks = thinks

    async def __call__(self, job: Job) -> None:
        """Fetch, keep and read it. Raises OutOfReach to be tried again; the last time, it is settled as failed."""
        file = await self._ledger.read(lambda t: t.files.get(int(job.payload["file"])))
        if file.state != "wanted":
            return
        try:
            filed = await self._fetched(file)
        except OutOfReach as error:
            if not self._is_over(job, error):
                raise
            because = str(error)
            self._post.post(await self._ledger.write(lambda t: self._fail(t, file, because)))
            log.warning("file not fetched", action="file.failed", file=file.id, because=because)
            return
        fetched = await self._read(file, filed)
        self._post.post(await self._ledger.write(lambda t: self._keep(t, file, fetched)))
        log.info("file kept", action="file.kept", file=file.id, size_bytes=filed.size_bytes, text=fetched.text_state)

    async def _fetched(self, file: StoredFile) -> Filed:
        fetches = self._fetches.get(file.channel)
        if fetches is None:
            raise NotFetched(f"{file.channel} is not connected")
        return await self._filing.keep(fetches.fetch(file.channel_file_id))

    def _is_over(self, job: Job, error: OutOfReach) -> bool:
        if isinstance(error, NotFetched) and error.for_good:
            return True
        fate = after_failure(lane=job.lane, attempt=job.attempt, error=str(error), now=self._clock.now())
        return isinstance(fate, Park)

    async def _read(self, file: StoredFile, filed: Filed) -> Fetched:
        """What it turned out to be. Never raises for what the file holds."""
        media_type = filed.media_type or file.media_type or mimetypes.guess_type(file.name)[0] or ""
        fetched = Fetched(sha256=filed.sha256, size_bytes=filed.size_bytes, media_type=media_type)
        if file.kind in SOUND_KINDS and self._transcriber is not None:
            return await _transcribed(self._transcriber, filed.path, fetched)
        found = await text_of(filed.path, media_type=media_type, name=file.name)
        return replace(fetched, text_state=found.state, text=found.text, pages=found.pages, because=found.because)

    def _keep(self, t: Tables, file: StoredFile, fetched: Fetched) -> Piece | None:
        kept = t.files.keep(file.id, fetched, now=self._clock.now())
        if kept is not None and kept.is_own_voice and fetched.text:
            # The words are the owner's own: they are what the message says.
            message = t.thread.get(file.message_id)
            t.thread.reword(message.id, together([message.text, fetched.text]))
        return self._settled(t, file) if kept is not None else None

    def _fail(self, t: Tables, file: StoredFile, because: str) -> Piece | None:
        failed = t.files.fail(file.id, because=because, now=self._clock.now())
        return self._settled(t, file) if failed is not None else None

    def _settled(self, t: Tables, file: StoredFile) -> Piece | None:
        """When this was the last file of its turn, and the first word was said: what follows."""
        message = t.thread.get(file.message_id)
        if message.turn_id is None:
            return None
        files = t.files.of_turn(message.turn_id)
        if any(other.state == "wanted" for other in files):
            return None
        then = next((other.then_do for other in files if other.then_do), None)
        turn, owner = t.thread.turn(message.turn_id), t.owners.get(file.owner_id)
        text = _follow(t, turn, files, owner, self._clock.now(), then=then, thinks=self._thinks)
        if text is None:
            return None
        first = f"turn:{turn.id}:1"
        new = NewPiece(
            key=f"turn:{turn.id}:files", owner_id=owner.id, channel=turn.channel, text=text, amends_key=first
        )
        return t.pieces.say(new, now=self._clock.now())


async def _transcribed(transcriber: Transcriber, path: Path, fetched: Fetched) -> Fetched:
    try:
        words = await transcriber.transcribe(path, media_type=fetched.media_type)
    except NotTranscribed as error:
        log.warning("not transcribed", action="file.not_transcribed", because=str(error))
        return replace(fetched, text_state="unreadable", because=str(error))
    return replace(fetched, text_state="read", text=words)


def _follow(
    t: Tables,
    turn: Turn,
    files: Sequence[StoredFile],
    owner: Owner,
    now: datetime,
    *,
    then: Then | None,
    thinks: bool,
) -> str | None:
    """Do what was planned, now that every file is settled; what the first word is to become, if anything."""
    match then:
        case "keep":
            return kept_words(files, owner, thinks=thinks)
        case "think" if all(file.state != "kept" for file in files):
            return kept_words(files, owner, thinks=thinks)
        case "think" if not t.pieces.has(f"turn:{turn.id}:2"):
            think_further(t, turn, now)
        case "hear":
            return _heard(t, turn, files, owner, now)
        case _:
            pass
    return None


def _heard(t: Tables, turn: Turn, files: Sequence[StoredFile], owner: Owner, now: datetime) -> str:
    failed = next((file for file in files if file.text_state != "read"), None)
    if failed is not None:
        key = "voice_failed" if failed.state == "kept" else "file_failed"
        return say(owner.language, key, names=names([failed], owner), because=escaped(failed.because or "?"))
    t.jobs.add(
        owner_id=owner.id,
        kind=HEARD,
        lane="inline",
        thread=f"owner:{owner.id}",
        payload={"turn": turn.id},
        now=now,
    )
    said = [t.thread.get(file.message_id).text for file in files]
    return say(owner.language, "voice_heard", words=escaped(together(said)))


def kept_words(files: Sequence[StoredFile], owner: Owner, *, thinks: bool) -> str:
    """What became of the files, in words."""
    kept = [file for file in files if file.state == "kept"]
    lines = [say(owner.language, "file_kept", names=names(kept, owner, bold=True))] if kept else []
    lines += [_about(file, owner, thinks=thinks) for file in kept] if len(kept) == 1 else []
    lines += [
        say(owner.language, "file_failed", names=names([file], owner), because=escaped(file.because or "?"))
        for file in files
        if file.state == "failed"
    ]
    return "\n".join(lines)


def _about(file: StoredFile, owner: Owner, *, thinks: bool) -> str:
    if file.text_state == "read":
        return say(owner.language, "file_kept_text")
    if file.text_state == "unreadable":
        return say(owner.language, "file_no_text", name=names([file], owner), because=escaped(file.because or "?"))
    if (file.kind == "photo" or file.media_type in IMAGE_TYPES) and not thinks:
        return say(owner.language, "file_unseen")
    return say(owner.language, "file_kept_name")


def names(files: Sequence[StoredFile], owner: Owner, *, bold: bool = False) -> str:
    """The files as one names them: by name, those without one by their kind and number."""
    named = [escaped(file.name) for file in files if file.name != file.kind]
    nameless = [file.kind for file in files if file.name == file.kind]
    found = [f"**{name}**" if bold else name for name in named]
    for kind in dict.fromkeys(nameless):
        count = nameless.count(kind)
        one = one_medium(owner.language, kind)
        found.append(one if count == 1 else f"{count} {media(owner.language, kind)}")
    return ", ".join(found)
