"""What every channel keeps (tools/chat.Channel): the terminal over its socket, Telegram against a Bot API server.

Each is driven as the courier drives it: a committed piece, shown part by part, every part on record before the next.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from bot.telegram.channel import REPEAT_MARKS
from bot.terminal import wire
from bot.terminal.client import Client
from memory.card import Card, Choice, StoredCard, callback
from memory.ledger import Tables
from memory.piece import Piece
from memory.sql.ledger import SqlLedger
from tests.bot import telegram_room, terminal_room
from tests.doubles.clock import NOW
from tests.doubles.spoken import a_piece
from tools.chat import Channel, MaybeShown, NotShown

CARD = Card(
    kind="loop",
    subject="loop:1",
    text="Pay the rent?",
    choices=(Choice("done", "Done", "good"), Choice("drop", "Drop it", "danger")),
    because="it is due today",
)
LONG = "\n\n".join(f"Paragraph {number}. " + "words and words " * 60 for number in range(12))


@dataclass(frozen=True)
class Seen:
    """One message as the owner sees it now, with what its buttons say."""

    text: str
    buttons: dict[str, str | None]


class Stage(Protocol):
    """A channel, the ledger behind it, and the owner's eyes and thumb."""

    channel: Channel
    ledger: SqlLedger

    async def seen(self) -> list[Seen]:
        """Every message of Stillbell's as it stands now, oldest first."""
        ...

    async def tap(self, label: str) -> str:
        """Press the button of the newest message; what the signal that comes of it says."""
        ...

    async def hint(self) -> None:
        """Have the channel hint that something is worked on; returns when the owner has noticed."""
        ...

    async def break_off(self) -> None:
        """The other side is gone from now on."""
        ...


class TerminalStage:
    """The terminal's server, and a command that attaches to it."""

    def __init__(self, room: terminal_room.Room) -> None:
        self._room = room
        self.channel: Channel = room.server.channel
        self.ledger = room.ledger

    async def seen(self) -> list[Seen]:
        async with Client(self._room.path) as client, asyncio.timeout(10):
            await client.attach(history=50)
            await client.settle()
            said = []
            async with aclosing(client.events()) as events:  # type: ignore[type-var]
                async for answer in events:
                    if isinstance(answer, wire.Settled):
                        break
                    if isinstance(answer, wire.Said) and answer.role == "stillbell":
                        said.append(Seen(answer.text, {button.label: button.data for button in answer.buttons}))
            return said

    async def tap(self, label: str) -> str:
        data = (await self.seen())[-1].buttons[label]
        assert data is not None
        async with Client(self._room.path) as client:
            await client.tap(data)
            return str((await self._room.heard("tap"))["data"])

    async def hint(self) -> None:
        async with Client(self._room.path) as client:
            events = await self._room.attached(client)  # type: ignore[misc]
            await self.channel.typing()
            await terminal_room.until(events, lambda answer: isinstance(answer, wire.Typing))

    async def break_off(self) -> None:
        await self._room.server.__aexit__(None, None, None)


class TelegramStage:
    """The Telegram channel against our Bot API server, with the poller that hears what the owner does."""

    def __init__(self, room: telegram_room.Room) -> None:
        self._room = room
        self.channel: Channel = room.channel
        self.ledger = room.ledger

    async def seen(self) -> list[Seen]:
        server = self._room.server
        return [Seen(message["text"], server.buttons(message["message_id"])) for message in server.bot_messages()]

    async def tap(self, label: str) -> str:
        committed = asyncio.Event()
        self.ledger.on_commit(committed.set)
        async with telegram_room.running(self._room.poller()), asyncio.timeout(10):
            self._room.server.taps(self._room.server.bot_messages()[-1]["message_id"], label=label)
            while not (taps := await self._room.signals("tap")):
                committed.clear()
                await committed.wait()
        return str(taps[0].payload["data"])

    async def hint(self) -> None:
        await self.channel.typing()
        await self._room.server.wait_for_calls(1, "sendChatAction")

    async def break_off(self) -> None:
        await self._room.server.__aexit__(None, None, None)


@asynccontextmanager
async def terminal_stage(folder: Path) -> AsyncIterator[Stage]:
    async with terminal_room.room() as room:
        yield TerminalStage(room)


@asynccontextmanager
async def telegram_stage(folder: Path) -> AsyncIterator[Stage]:
    async with telegram_room.open_room(folder) as room:
        yield TelegramStage(room)


STAGES = {"terminal": terminal_stage, "telegram": telegram_stage}

MARKS = {
    # Recording is showing in the terminal, so nothing there is ever in doubt.
    "terminal": "",
    "telegram": REPEAT_MARKS["en"],
}
"""With what a part begins that may be a repeat."""

REACHABLE_ALONE = {"terminal": True, "telegram": False}
"""Whether a piece counts as shown although nobody is there to look: the thread is read from the ledger later."""


@pytest.fixture(params=STAGES)
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    async with STAGES[request.param](tmp_path) as opened:
        yield opened


async def write(stage: Stage, text: str = "Hello.", *, card: Card | None = None, **given: Any) -> Piece:
    """A piece committed as on its way, as every handler writes it."""

    def work(t: Tables) -> Piece | None:
        card_id = t.cards.put(card, owner_id=1, now=NOW).id if card else None
        return t.pieces.say(
            a_piece(text=text, card_id=card_id, channel=stage.channel.name, **given), now=NOW, handing=True
        )

    piece = await stage.ledger.write(work)
    assert piece is not None
    return piece


async def show(stage: Stage, piece: Piece) -> list[str]:
    """Show it as the courier does; the ids of the parts."""
    parts = []
    async for part in stage.channel.show(piece):
        await stage.ledger.write(lambda t, part=part: t.pieces.part_shown(piece.id, part))  # type: ignore[misc]
        parts.append(part)
    return parts


async def as_it_stands(stage: Stage, piece: Piece) -> Piece:
    found = await stage.ledger.read(lambda t: t.pieces.get(piece.key))
    assert found is not None
    return found


def letters(text: str) -> str:
    return "".join(text.split())


async def test_a_channels_name_is_the_word_of_the_rows(stage: Stage) -> None:
    assert stage.channel.name in STAGES
    assert (await write(stage)).channel == stage.channel.name


async def test_a_channel_whose_owner_is_known_leads_to_them(stage: Stage) -> None:
    assert stage.channel.reaches_owner


async def test_each_part_that_is_shown_has_an_id_that_finds_its_message(stage: Stage) -> None:
    piece = await write(stage, LONG)
    parts = await show(stage, piece)
    assert len(parts) == len(set(parts)) >= 1
    for part in parts:
        message = await stage.ledger.read(lambda t, part=part: t.thread.by_channel_id(1, stage.channel.name, part))
        assert message is not None
        assert message.id == piece.message_id


async def test_two_pieces_have_different_ids_and_stand_in_order(stage: Stage) -> None:
    first, second = [await show(stage, await write(stage, text, key=text)) for text in ("One.", "Two.")]
    assert not set(first) & set(second)
    assert [seen.text for seen in await stage.seen()] == ["One.", "Two."]


async def test_parts_that_were_shown_are_not_shown_again(stage: Stage) -> None:
    piece = await write(stage, LONG)
    await show(stage, piece)
    before = await stage.seen()
    assert await show(stage, await as_it_stands(stage, piece)) == []
    assert await stage.seen() == before


async def test_showing_goes_on_after_the_parts_that_were_shown(stage: Stage) -> None:
    piece = await write(stage, LONG)
    async for part in stage.channel.show(piece):
        await stage.ledger.write(lambda t, part=part: t.pieces.part_shown(piece.id, part))  # type: ignore[misc]
        break
    await show(stage, await as_it_stands(stage, piece))
    assert letters("".join(seen.text for seen in await stage.seen())) == letters(LONG)


async def test_long_text_arrives_whole_and_in_order(stage: Stage) -> None:
    await show(stage, await write(stage, LONG))
    assert letters("".join(seen.text for seen in await stage.seen())) == letters(LONG)


@pytest.mark.parametrize("text", ["Grüße \U0001f514 שלום", "a < b & c > d", "1. one\n2. two", "x" * 5000])
async def test_text_arrives_as_it_was_written(stage: Stage, text: str) -> None:
    await show(stage, await write(stage, text))
    assert letters("".join(seen.text for seen in await stage.seen())) == letters(text)


async def test_a_part_in_doubt_bears_the_channels_mark_and_no_later_part_does(stage: Stage) -> None:
    piece = await write(stage, LONG)
    await show(stage, replace(piece, in_doubt=True))
    seen = [one.text for one in await stage.seen()]
    mark = MARKS[stage.channel.name]
    assert seen[0].startswith(mark + "Paragraph 0.")
    assert letters("".join(seen)) == letters(mark + LONG)


@pytest.mark.parametrize("text", ["Pay the rent?", LONG], ids=["short", "long"])
async def test_buttons_stand_on_the_last_part_and_say_what_a_tap_says(stage: Stage, text: str) -> None:
    piece = await write(stage, text, card=CARD)
    await show(stage, piece)
    stored: StoredCard | None = piece.card
    assert stored is not None
    *earlier, last = await stage.seen()
    assert last.buttons == {choice.label: callback(stored, choice) for choice in CARD.choices}
    assert [one.buttons for one in earlier] == [{}] * len(earlier)


@pytest.mark.parametrize("choice", CARD.choices, ids=lambda choice: choice.key)
async def test_a_tap_becomes_a_signal_that_says_the_buttons_own_text(stage: Stage, choice: Choice) -> None:
    piece = await write(stage, card=CARD)
    await show(stage, piece)
    assert piece.card is not None
    assert await stage.tap(choice.label) == callback(piece.card, choice)


async def test_an_amendment_replaces_the_text_and_takes_the_buttons_away(stage: Stage) -> None:
    await show(stage, await write(stage, "Pay the rent?", card=CARD))
    assert (await stage.seen())[0].buttons != {}
    amendment = await write(stage, "Done: the rent.", key="amendment", amends_key="piece")
    await stage.channel.amend(amendment)
    assert await stage.seen() == [Seen("Done: the rent.", {})]


async def test_an_amendment_can_bring_other_buttons(stage: Stage) -> None:
    await show(stage, await write(stage, "Pay the rent?", card=CARD))
    other = replace(CARD, choices=(Choice("undo", "Undo"),))
    amendment = await write(stage, "Done.", key="amendment", amends_key="piece", card=other)
    await stage.channel.amend(amendment)
    (seen,) = await stage.seen()
    assert seen.text == "Done."
    assert list(seen.buttons) == ["Undo"]


async def test_an_amendment_that_changes_nothing_is_no_error(stage: Stage) -> None:
    await show(stage, await write(stage, "Pay the rent?", card=CARD))
    amendment = await write(stage, "Done.", key="amendment", amends_key="piece")
    for _ in range(3):
        await stage.channel.amend(amendment)
    assert await stage.seen() == [Seen("Done.", {})]


async def test_a_hint_reaches_the_owner_and_shows_nothing(stage: Stage) -> None:
    await stage.hint()
    assert await stage.seen() == []


async def test_a_tap_that_nobody_waits_for_any_more_can_be_answered(stage: Stage) -> None:
    await stage.channel.answer_tap("4382000000000000001", "Done")
    await stage.channel.answer_tap("", "x" * 1000)
    assert await stage.seen() == []


async def test_hints_never_raise_even_when_the_other_side_is_gone(stage: Stage) -> None:
    await stage.break_off()
    # Either would raise here; and neither waits for anybody to come back.
    async with asyncio.timeout(10):
        await stage.channel.typing()
        await stage.channel.answer_tap("4382000000000000001", "Done")
    assert await stage.ledger.read(lambda t: t.pieces.undelivered()) == []


async def test_when_the_other_side_is_gone_it_is_said_and_not_taken_for_shown(stage: Stage) -> None:
    piece = await write(stage)
    await stage.break_off()
    if REACHABLE_ALONE[stage.channel.name]:
        assert await show(stage, piece) == [str(piece.message_id)]
        return
    with pytest.raises((NotShown, MaybeShown)) as caught:
        await show(stage, piece)
    assert getattr(caught.value, "for_good", False) is False
    assert (await as_it_stands(stage, piece)).parts == ()
