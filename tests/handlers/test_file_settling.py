"""Files settle once, in whatever order they come, and what follows follows once."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from handlers.command import Commands
from handlers.file import HEARD, THINKER, FileArrived
from handlers.gather import FILE
from handlers.talk import Talk
from memory.file import StoredFile, plan, safe_name
from memory.job import BACKOFF_FOR, Job, Later
from memory.ledger import Tables
from memory.piece import Piece
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.scripted_model import ScriptedModel
from tools.fetching import NotFetched
from tools.filing import Filing


class Box:
    """A channel's files: bytes by id, or an error."""

    def __init__(self) -> None:
        self.holds: dict[str, bytes | NotFetched] = {}

    async def fetch(self, channel_file_id: str) -> AsyncIterator[bytes]:
        found = self.holds[channel_file_id]
        if isinstance(found, NotFetched):
            raise found
        yield found


class Said:
    """The post: keeps what is said."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def home(self) -> str:
        return "telegram"

    def post(self, *pieces: Piece | None) -> None:
        self.texts += [piece.text for piece in pieces if piece]

    async def typing(self, channel: str) -> None: ...

    async def answer_tap(self, channel: str, tap_id: str, text: str) -> None: ...


class Desk:
    """The handlers that files concern, over a real ledger."""

    def __init__(self, ledger: SqlLedger, folder: Path, *, model: bool) -> None:
        self.ledger, self.box, self.said, self.clock = ledger, Box(), Said(), FakeClock()
        chosen = ScriptedModel() if model else None
        self.talk = Talk(ledger, self.said, Commands(self.clock), chosen, self.clock)
        self.files = FileArrived(
            ledger,
            self.said,
            self.clock,
            fetches={"telegram": self.box},
            filing=Filing(folder / "files"),
            transcriber=None,
            thinks=model,
        )

    async def sends(self, number: int, content: bytes | NotFetched, **more: Any) -> None:
        """A document arrives as a message, and is heard."""
        await self.publishes(number, content, **more)
        await self.hears()

    async def publishes(self, number: int, content: bytes | NotFetched, **more: Any) -> None:
        """A document arrives as a message."""
        self.box.holds[f"file{number}"] = content
        media = {"kind": "document", "file_id": f"file{number}", "file_name": f"{number}.txt", "size_bytes": 1}
        payload = {"channel": "telegram", "text": "", "message_id": str(number), "media": media, **more}
        new = NewSignal(source="telegram", kind="message", source_id=str(number), payload=payload)
        await self.ledger.write(lambda t: t.signals.publish(new, now=self.clock.now()))

    async def hears(self) -> None:
        """The message that waits first is heard."""
        for job in await self.ledger.write(lambda t: t.jobs.round((), take={"inline": 1}, now=self.clock.now())):
            await self.talk(job)

    async def job(self, file_id: int, attempt: int = 1) -> Job:
        """The job that fetches a file."""
        return Job(
            id=100,
            owner_id=1,
            kind=FILE,
            lane="background",
            thread="owner:1",
            attempt=attempt,
            created_at=NOW,
            payload={"file": file_id},
        )

    async def kinds(self) -> list[str]:
        """The kinds of jobs that wait or run, beside those for files."""

        def count(t: Tables) -> list[str]:
            return [kind for kind in (THINKER, HEARD) for _ in range(t.jobs.busy("owner:1", (kind,)))]

        return await self.ledger.read(count)

    async def file(self, file_id: int) -> StoredFile:
        return await self.ledger.read(lambda t: t.files.get(file_id))


@pytest.fixture
def desk(ledger: SqlLedger, tmp_path: Path) -> Desk:
    return Desk(ledger, tmp_path, model=False)


@pytest.fixture
def thinking(ledger: SqlLedger, tmp_path: Path) -> Desk:
    return Desk(ledger, tmp_path, model=True)


async def test_a_file_whose_job_runs_again_is_settled_once(desk: Desk) -> None:
    await desk.sends(1, b"words")
    for _ in range(2):
        await desk.files(await desk.job(1))
    assert desk.said.texts == ["Keeping 1.txt …", "Kept: **1.txt**\nIts words can be found with /find."]


async def test_a_failure_is_tried_again_until_the_last_attempt_which_says_so(desk: Desk) -> None:
    await desk.sends(1, NotFetched("the line was cut"))
    last = len(BACKOFF_FOR["background"]) + 1
    for attempt in range(1, last):
        with pytest.raises(NotFetched):
            await desk.files(await desk.job(1, attempt))
    await desk.files(await desk.job(1, last))
    assert (await desk.file(1)).state == "failed"
    assert desk.said.texts[1:] == ["I couldn't get 1.txt from Telegram: the line was cut. Please send it again."]


async def test_what_fails_for_good_is_not_tried_again(desk: Desk) -> None:
    await desk.sends(1, NotFetched("gone", for_good=True))
    await desk.files(await desk.job(1))
    assert (await desk.file(1)).because == "gone"


async def test_the_thinker_is_asked_when_the_last_file_of_the_turn_is_settled(thinking: Desk) -> None:
    await thinking.publishes(1, b"one", album_id="a")
    await thinking.publishes(2, NotFetched("gone", for_good=True), album_id="a")
    thinking.clock.advance(timedelta(seconds=2))
    await thinking.hears()
    assert thinking.said.texts == ["Got it. I'm looking at it."]
    await thinking.files(await thinking.job(1))
    assert await thinking.kinds() == []
    await thinking.files(await thinking.job(2))
    assert await thinking.kinds() == [THINKER]


async def test_a_turn_that_is_over_is_not_thought_about_when_its_file_arrives(thinking: Desk) -> None:
    await thinking.sends(1, b"one")
    await thinking.ledger.write(lambda t: t.thread.stop(1, because="a newer message", now=NOW))
    await thinking.files(await thinking.job(1))
    assert (await thinking.file(1)).state == "kept"
    assert await thinking.kinds() == []


async def test_a_turn_whose_files_all_failed_is_told_and_not_thought_about(thinking: Desk) -> None:
    await thinking.sends(1, NotFetched("gone", for_good=True))
    await thinking.files(await thinking.job(1))
    assert await thinking.kinds() == []
    assert thinking.said.texts[-1].startswith("I couldn't get 1.txt")


async def test_a_file_that_is_there_before_its_turn_is_whole_is_thought_about_with_it(thinking: Desk) -> None:
    with pytest.raises(Later):
        await thinking.sends(1, b"one", album_id="a")
    await thinking.files(await thinking.job(1))
    assert thinking.said.texts == []
    thinking.clock.advance(timedelta(seconds=2))
    signal = await thinking.ledger.read(lambda t: t.signals.get(1))
    again = Job(
        id=1, owner_id=1, kind="message", lane="inline", thread="owner:1", attempt=1, created_at=NOW, signal=signal
    )
    await thinking.talk(again)
    await thinking.talk(again)
    assert thinking.said.texts == ["Got it. I'm looking at it."]
    assert await thinking.kinds() == [THINKER]


# --- the judgements ---


def stored(**given: Any) -> StoredFile:
    usual: dict[str, Any] = {
        "id": 1,
        "owner_id": 1,
        "message_id": 1,
        "channel": "telegram",
        "channel_file_id": "f",
        "kind": "document",
        "name": "a.pdf",
        "media_type": "application/pdf",
        "size_bytes": 1,
        "is_forwarded": False,
        "state": "wanted",
        "text_state": "none",
        "received_at": NOW,
    }
    return StoredFile(**(usual | given))


ZIP = {"name": "a.zip", "media_type": "application/zip"}
VOICE = {"kind": "voice", "name": "voice", "media_type": "audio/ogg"}


@pytest.mark.parametrize(
    ("file", "has_words", "thinks", "hears", "planned"),
    [
        ({}, False, True, False, ("file_looking", "think")),
        ({}, False, False, False, ("file_keeping", "keep")),
        (ZIP, False, True, False, ("file_keeping", "keep")),
        (ZIP, True, True, False, ("file_looking", "think")),
        ({"state": "refused"}, True, True, False, ("file_too_big", None)),
        (VOICE, False, True, True, ("voice_listening", "hear")),
        (VOICE, False, False, True, ("voice_listening", "hear")),
        (VOICE, False, True, False, ("voice_not_heard", None)),
        (VOICE | {"is_forwarded": True}, False, True, True, ("file_looking", "think")),
        (VOICE | {"is_forwarded": True}, False, True, False, ("file_keeping", "keep")),
        (VOICE | {"kind": "audio"}, False, True, True, ("file_looking", "think")),
    ],
    ids=str,
)
def test_what_is_said_and_done_about_a_file(
    file: dict[str, Any], has_words: bool, thinks: bool, hears: bool, planned: tuple[str, str | None]
) -> None:
    found = plan([stored(**file)], has_words=has_words, thinks=thinks, hears=hears)
    assert (found.word, found.then) == planned


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\a.pdf", "a.pdf"),
        ("a\u202efdp.exe", "afdp.exe"),
        ("a\x00b\n.pdf", "ab.pdf"),
        ("  ..  ", "document"),
        ("", "document"),
        ("x" * 300 + ".pdf", "x" * 116 + ".pdf"),
        ("x" * 300, "x" * 120),
        ("straße (1).pdf", "straße (1).pdf"),
    ],
    ids=ascii,
)
def test_a_name_is_only_a_name(given: str, name: str) -> None:
    assert safe_name(given, kind="document") == name
