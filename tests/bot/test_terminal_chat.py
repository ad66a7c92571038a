import asyncio
import itertools
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prompt_toolkit import PromptSession
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from bot.terminal import chat as chat_module
from bot.terminal import wire
from bot.terminal.chat import Chat, Leaving
from bot.terminal.client import NotRunning
from bot.terminal.drawing import Page, harmless, plainly
from bot.terminal.line import AtHand, Leave, Nothing, Press, Speak, read
from bot.terminal.piped import Piped
from bot.terminal.server import TerminalServer
from bot.terminal.transcript import Transcript
from memory.errors import OutOfReach
from tests.bot.terminal_room import NOW, Room, StoppedClock, room
from tests.doubles.counted import counted

DONE = wire.Button(label="Done", data="c:1:0123456789ab:done")
LATER = wire.Button(label="Tomorrow", data="c:1:0123456789ab:tomorrow")


def said(text: str = "Bins out?", message_id: int = 1, **more: object) -> wire.Said:
    values: dict[str, object] = {"role": "stillbell", "channel": "terminal", "at": NOW, **more}
    return wire.Said(id=message_id, text=text, **values)  # type: ignore[arg-type]


# ── what a line means ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "meaning"),
    [
        pytest.param("hello", Speak("hello"), id="words"),
        pytest.param("  hello \n", Speak("hello"), id="spaces around"),
        pytest.param("1", Press(DONE), id="first button"),
        pytest.param(" 2 ", Press(LATER), id="second button"),
        pytest.param("3", Speak("3"), id="no such button"),
        pytest.param("0", Speak("0"), id="nought"),
        pytest.param("1 please", Speak("1 please"), id="more than a number"),
        pytest.param("²", Speak("²"), id="a digit that is no number"),
        pytest.param("١", Speak("١"), id="a number of another script"),
        pytest.param("9" * 5000, Speak("9" * 5000), id="a huge number"),
        pytest.param("/loops", Speak("/loops"), id="a command of Stillbell"),
        pytest.param("/quit", Leave(), id="leaving"),
        pytest.param("  ", Nothing(), id="nothing"),
    ],
)
def test_a_number_presses_a_button_and_everything_else_is_said(line: str, meaning: object) -> None:
    assert read(line, (DONE, LATER)) == meaning


def test_a_number_without_buttons_is_said() -> None:
    assert read("1", ()) == Speak("1")


def test_the_newest_card_is_at_hand_and_an_older_one_never_takes_its_place() -> None:
    at_hand = AtHand()
    at_hand.see(said(message_id=1, buttons=(DONE,)))
    at_hand.see(said(message_id=2, buttons=(LATER,)))
    at_hand.see(said(message_id=3))
    assert at_hand.buttons == (LATER,)
    at_hand.see(said(message_id=1, buttons=(DONE,), is_="amended"))
    assert at_hand.buttons == (LATER,)
    at_hand.see(said(message_id=2, is_="amended", decided="Tomorrow"))
    assert at_hand.buttons == ()


# ── what is drawn ─────────────────────────────────────────────────────────────────────────────────────────────────────


def plain(width: int = 80) -> Page:
    return Page(width=width, colours=False)


def test_a_message_shows_time_who_channel_text_and_numbered_buttons() -> None:
    drawn = plain().message(said("**Bins** out?", channel="telegram", buttons=(DONE, LATER)))
    assert drawn.splitlines() == ["07:14 Stillbell (telegram)", "  Bins out?", "  [1] Done   [2] Tomorrow"]


def test_line_ends_stay_line_ends_and_code_stays_as_it_is() -> None:
    drawn = plain().message(said("one\ntwo\n```\na  b\n  c\n```"))
    assert [line.strip() for line in drawn.splitlines()[1:] if line.strip()] == ["one", "two", "a  b", "c"]


def test_what_looks_like_a_tag_or_a_picture_is_text() -> None:
    drawn = plain().message(said("from Anna <anna@example.org> with <b>care</b> ![x](y)"))
    assert "<anna@example.org>" in drawn
    assert "<b>care</b>" in drawn


def test_a_link_shows_where_it_leads() -> None:
    assert "http://elsewhere.example" in plain().message(said("[your bank](http://elsewhere.example)"))


@pytest.mark.parametrize("role", ["owner", "stillbell"])
@pytest.mark.parametrize("colours", [True, False])
def test_no_order_to_the_terminal_gets_through(role: str, colours: bool) -> None:
    nasty = "a\x1b]0;owned\x07b\x1b[2Jc\x9b2Jd\x08e\u202ef"
    drawn = Page(width=80, colours=colours).message(
        said(nasty, role=role, buttons=(wire.Button(label=nasty, data="x"),), decided=None)
    )
    ours = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", ours)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", plainly(said(nasty)))


def test_what_is_hidden_is_spelled_out_and_emoji_stay_whole() -> None:
    assert harmless("a\u202eb\r\nc\td") == "a‹U+202E›b\nc\td"
    assert harmless("👩\u200d👩\u200d👧") == "👩\u200d👩\u200d👧"


@pytest.mark.parametrize("width", [5, 20, 39, 80, 200])
def test_nothing_is_drawn_wider_than_the_terminal(width: int) -> None:
    text = "A sentence that goes on for a while, with aVeryLongWordThatFitsNowhereAtAllAndGoesOnAndOn.\n- item\n\n| a | b |\n|-|-|\n| 1 | 2 |"
    drawn = plain(width).message(said(text, buttons=(DONE, LATER, DONE, LATER)))
    assert max(len(line) for line in drawn.splitlines()) <= max(20, width)
    assert all(f"[{number}]" in drawn for number in (1, 2, 3, 4))


def test_a_change_is_drawn_as_a_change_and_what_was_typed_here_not_again() -> None:
    transcript = Transcript(plain)
    assert "Monday 2 March 2026" in transcript.add(said(message_id=1, buttons=(DONE,)))
    assert transcript.add(said(message_id=1, decided="Done", is_="amended")) == "07:14 → Done\n"
    assert transcript.add(said(message_id=1, decided="Done", is_="amended")) == ""
    assert "edited" in transcript.add(said("Bins are out", message_id=1, edited=True, is_="amended"))
    assert transcript.add(said("older than the screen", message_id=0, is_="amended")) == ""
    transcript.expect("hello")
    assert transcript.add(said("hello", message_id=2, role="owner")) == ""
    assert "hello" in transcript.add(said("hello", message_id=3, role="owner"))
    assert "Tuesday 3 March" in transcript.add(said(message_id=4, at=datetime(2026, 3, 3, tzinfo=UTC)))
    assert transcript.last_id == 4
    assert "More was said before this" in transcript.add(said(message_id=900, cut=True))


# ── the chat itself ───────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Screen:
    """What the chat shows, and keys to type."""

    keys: PipeInput
    shown: list[str] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, drawn: str) -> None:
        self.shown.append(re.sub(r"\x1b\[[0-9;]*m", "", drawn))
        self.changed.set()

    async def shows(self, text: str) -> None:
        await self.until(lambda: any(text in drawn for drawn in self.shown))

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(10):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


@contextmanager
def screen() -> Iterator[tuple[Screen, PromptSession[str]]]:
    with create_pipe_input() as keys:
        yield Screen(keys), PromptSession(input=keys, output=DummyOutput())


@asynccontextmanager
async def sitting(path: Path, **options: object) -> AsyncIterator[tuple[Screen, Chat, asyncio.Task[Leaving]]]:
    with screen() as (it, session):
        chat = Chat(path, session=session, show=it.show, **options)  # type: ignore[arg-type]
        task = asyncio.create_task(chat.run())
        try:
            await it.shows("Ctrl-D")
            yield it, chat, task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_the_chat_begins_with_the_history_and_goes_on_live() -> None:
    async with room() as it:
        await it.owner_says("an old question")
        async with sitting(it.path) as (screen_, _, _):
            await screen_.shows("an old question")
            await it.stillbell_says("a new answer")
            await screen_.shows("a new answer")
        assert any(drawn.endswith("08:14 you (telegram)\n  an old question\n") for drawn in screen_.shown)


async def test_a_typed_line_is_said_and_a_number_presses() -> None:
    async with room() as it, sitting(it.path) as (screen_, _, _):
        screen_.keys.send_text("buy milk\r")
        assert (await it.heard("message"))["text"] == "buy milk"
        await it.stillbell_says("Bins out?", "Done", "Tomorrow")
        await screen_.shows("[2] Tomorrow")
        screen_.keys.send_text("2\r")
        payload = await it.heard("tap")
        assert payload["data"].endswith(":tomorrow")


async def test_what_is_being_typed_survives_messages_that_arrive() -> None:
    async with room() as it, sitting(it.path) as (screen_, _, _):
        screen_.keys.send_text("half a ")
        await it.stillbell_says("an interruption")
        await screen_.shows("an interruption")
        screen_.keys.send_text("thought\r")
        payload = await it.heard("message")
        assert payload["text"] == "half a thought"


async def test_ctrl_c_drops_the_line_and_ctrl_d_leaves() -> None:
    async with room() as it, sitting(it.path) as (screen_, _, task):
        screen_.keys.send_text("never mind\x03")
        screen_.keys.send_text("this\r")
        payload = await it.heard("message")
        assert payload["text"] == "this"
        screen_.keys.send_text("\x04")
        async with asyncio.timeout(10):
            assert await task == Leaving()


async def test_quit_leaves_and_stillbell_goes_on() -> None:
    async with room() as it:
        async with sitting(it.path) as (screen_, _, task):
            screen_.keys.send_text("/quit\r")
            async with asyncio.timeout(10):
                await task
        async with sitting(it.path):
            pass  # it can be attached to again


async def test_without_a_daemon_the_chat_does_not_begin(tmp_path: Path) -> None:
    with screen() as (it, session), pytest.raises(NotRunning):
        await Chat(tmp_path / "s", session=session, show=it.show).run()


def another_server(it: Room) -> TerminalServer:
    return TerminalServer(ledger=it.ledger, socket_path=it.path, asks={}, clock=StoppedClock(), busy=lambda _: False)


async def test_a_restarted_daemon_is_found_again_and_nothing_is_lost_or_doubled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chat_module, "RETRY_FOR", timedelta(milliseconds=5))
    async with room() as it:
        await it.owner_says("before")
        async with sitting(it.path) as (screen_, _, _):
            await screen_.shows("before")
            await it.server.__aexit__(None, None, None)
            await screen_.shows("has stopped")
            screen_.keys.send_text("typed meanwhile\r")
            await it.stillbell_says("said meanwhile")
            async with another_server(it):
                await screen_.shows("is back")
                await screen_.shows("said meanwhile")
                payload = await it.heard("message")
            assert payload["text"] == "typed meanwhile"
            for text in ("before", "said meanwhile"):
                assert sum(text in drawn for drawn in screen_.shown) == 1


async def test_what_never_reached_stillbell_is_named_on_leaving() -> None:
    async with room() as it, sitting(it.path) as (screen_, _, task):
        await it.server.__aexit__(None, None, None)
        await screen_.shows("has stopped")
        screen_.keys.send_text("lost?\r")
        screen_.keys.send_text("\x04")
        async with asyncio.timeout(10):
            assert await task == Leaving(unsent=("lost?",))


# ── the chat on a pipe ────────────────────────────────────────────────────────────────────────────────────────────────


async def lines_of(*lines: str) -> AsyncIterator[str]:
    for line in lines:
        yield line + "\n"


@asynccontextmanager
async def answering(it: Room) -> AsyncIterator[None]:
    """A Stillbell that answers each message with its text and a card, and is busy until it has."""
    it.busy = lambda t: (
        sum(number for (source, _), number in t.signals.counts_since(1, NOW).items() if source == "terminal")
        > counted(t, "done", NOW)
    )

    async def answer() -> None:
        for number in itertools.count():
            while len(it.signals()) <= number:
                it.committed.clear()
                await it.committed.wait()
            signal = it.signals()[number]
            if signal["kind"] == "message":
                await it.owner_says(signal["text"], channel="terminal")
                await it.stillbell_says(f"you said: {signal['text']}", "Done")
            else:
                await it.stillbell_says("pressed")
            await it.work_is_done()

    task = asyncio.create_task(answer())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_on_a_pipe_each_line_is_answered_in_full_before_the_next() -> None:
    shown: list[str] = []
    async with room() as it, answering(it):
        await it.owner_says("history is not repeated")
        piped = Piped(
            it.path,
            lines=lines_of("one", "", "1", "two", "/quit", "never"),
            show=shown.append,
            trouble=shown.append,
            patience_for=timedelta(seconds=10),
        )
        await piped.run()
    assert shown == ["you said: one\n[1] Done\n", "pressed\n", "you said: two\n[1] Done\n"]
    assert not piped.failed


async def test_on_a_pipe_an_answer_that_never_ends_is_given_up() -> None:
    async with room() as it:
        it.busy = lambda _: True
        piped = Piped(it.path, lines=lines_of("one"), show=str, trouble=str, patience_for=timedelta(milliseconds=20))
        with pytest.raises(OutOfReach, match="no end of the answer"):
            await piped.run()


async def test_on_a_pipe_a_daemon_that_stops_ends_the_chat() -> None:
    async with room() as it:
        it.busy = lambda _: True
        shown: list[str] = []
        piped = Piped(it.path, lines=lines_of("one"), show=str, trouble=shown.append, patience_for=timedelta(hours=1))
        task = asyncio.create_task(piped.run())
        await it.heard("message")
        await it.server.__aexit__(None, None, None)
        with pytest.raises(OutOfReach, match="stopping"):
            async with asyncio.timeout(10):
                await task
