"""Showing, amending and tapping over a real socket: each part once, each loss told apart from each delivery."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.telegram.channel import CUT, REPEAT_MARKS, fitted, marked
from bot.telegram.drawing import draw
from bot.telegram.keyboard import keyboard, rows
from bot.telegram.line import Line
from bot.telegram.splitting import CHUNK_UNITS, Chunk, Entity
from memory.card import Choice, callback
from memory.piece import Piece
from tests.bot.telegram_room import OWNER, Room, a_card, a_piece, open_room, running
from tests.servers.bot_api import texts
from tools.chat import MaybeShown, NotShown

LONG = "\n\n".join(f"Paragraph {number}. " + "words and words " * 60 for number in range(12))


@pytest.fixture
async def room(tmp_path: Any) -> Any:
    async with open_room(tmp_path) as opened:
        yield opened
        assert opened.server.breaches == []


def shown(room: Room) -> list[str]:
    return texts(room.server.bot_messages())


async def collect(room: Room, piece: Piece) -> tuple[list[str], Exception | None]:
    """The parts that were shown, and what ended it."""
    parts: list[str] = []
    try:
        async for part in room.channel.show(piece):
            parts.append(part)
    except (NotShown, MaybeShown) as error:
        return parts, error
    return parts, None


async def failure(room: Room, piece: Piece | None = None) -> NotShown | MaybeShown:
    _, error = await collect(room, piece or a_piece())
    assert isinstance(error, NotShown | MaybeShown), "it was shown"
    return error


# --- showing ---


async def test_a_piece_is_shown_with_its_markup_and_its_id_is_told(room: Room) -> None:
    parts = await room.show(a_piece("**Paid**, at last."))
    (message,) = room.server.bot_messages()
    assert parts == [str(message["message_id"])]
    assert (message["text"], message["entities"][0]["type"]) == ("Paid, at last.", "bold")


async def test_a_long_piece_is_shown_in_order_with_the_buttons_on_the_last_part(room: Room) -> None:
    parts = await room.show(a_piece(LONG, card=a_card()))
    assert len(parts) == len(draw(LONG)) > 2
    assert [message["message_id"] for message in room.server.bot_messages()] == [int(part) for part in parts]
    assert [bool(room.server.buttons(int(part))) for part in parts] == [False] * (len(parts) - 1) + [True]
    assert "".join("".join(shown(room)).split()) == "".join(LONG.split())


async def test_showing_goes_on_after_the_parts_that_were_shown(room: Room) -> None:
    whole = draw(LONG)
    await room.show(a_piece(LONG, parts=("1", "2")))
    assert shown(room) == [chunk.text for chunk in whole[2:]]


async def test_a_piece_whose_parts_all_stand_there_sends_nothing(room: Room) -> None:
    assert await room.show(a_piece("Hello.", parts=("1",))) == []
    assert room.server.sent == []


async def test_links_are_never_previewed(room: Room) -> None:
    await room.show(a_piece("https://example.org and [this](https://example.com/a)"))
    await room.channel.amend(a_piece("https://example.net", amends=("1",)))
    calls = [call for call in room.server.sent if call.method in ("sendMessage", "editMessageText")]
    assert len(calls) == 2
    assert all(call.params["link_preview_options"] == {"is_disabled": True} for call in calls)


@pytest.mark.parametrize("silent", [True, False])
async def test_silence_is_kept(room: Room, silent: bool) -> None:
    await room.show(a_piece(LONG, silent=silent))
    assert {bool(call.params.get("disable_notification")) for call in room.server.sent} == {silent}


async def test_an_answer_names_the_message_it_answers_on_its_first_part(room: Room) -> None:
    room.server.owner_sends("question")
    await room.show(a_piece(LONG, reply_to="1"))
    replies = [message.get("reply_to_message", {}).get("message_id") for message in room.server.bot_messages()]
    assert replies[0] == 1
    assert not any(replies[1:])


async def test_an_answer_to_a_message_that_is_gone_is_shown_all_the_same(room: Room) -> None:
    assert await room.show(a_piece(reply_to="999")) == ["1"]


async def test_another_channels_message_is_not_replied_to(room: Room) -> None:
    await room.show(a_piece(reply_to="terminal-7"))
    assert "reply_parameters" not in room.server.sent[0].params


async def test_an_answer_goes_into_the_topic_in_which_the_owner_spoke(room: Room) -> None:
    room.server.owner_sends("hello", message_thread_id=77)
    room.chat.topic_id = 77
    await room.show(a_piece())
    assert room.server.bot_messages()[0]["message_thread_id"] == 77


async def test_a_topic_that_is_gone_is_left(room: Room) -> None:
    room.chat.topic_id = 78
    await room.show(a_piece())
    await room.show(a_piece("Again."))
    assert shown(room) == ["Hello.", "Again."]
    assert len(room.server.sent) == 3


async def test_nothing_to_see_is_not_sent(room: Room) -> None:
    error = await failure(room, a_piece("\u200b"))
    assert isinstance(error, NotShown)
    assert error.for_good
    assert room.server.sent == []


# --- the mark of a repeat ---


@pytest.mark.parametrize("language", ["en", "de"])
async def test_a_part_in_doubt_bears_the_mark_in_the_owners_language(room: Room, language: Any) -> None:
    room.language = language
    await room.show(a_piece("**Paid.**", in_doubt=True))
    (message,) = room.server.bot_messages()
    assert message["text"] == REPEAT_MARKS[language] + "Paid."
    assert message["entities"] == [{"type": "bold", "offset": len(REPEAT_MARKS[language]), "length": 5}]


async def test_only_the_first_part_shown_now_is_in_doubt(room: Room) -> None:
    await room.show(a_piece(LONG, in_doubt=True, parts=("1",)))
    assert [text.startswith(REPEAT_MARKS["en"]) for text in shown(room)] == [True, *[False] * (len(draw(LONG)) - 2)]


async def test_a_full_part_in_doubt_loses_nothing_to_its_mark(room: Room) -> None:
    parts = await room.show(a_piece("x" * CHUNK_UNITS, in_doubt=True, card=a_card()))
    assert "".join(shown(room)).count("x") == CHUNK_UNITS
    assert parts == ["2"]
    assert room.server.buttons(2)


def test_the_mark_moves_the_markup_along() -> None:
    (chunk,) = marked(Chunk("🙂 bold", (Entity("bold", 3, 4),)), "(?) ")
    assert chunk == Chunk("(?) 🙂 bold", (Entity("bold", 7, 4),))


# --- buttons ---


async def test_buttons_carry_their_card_and_their_colour(room: Room) -> None:
    card = a_card()
    await room.show(a_piece(card=card))
    (row,) = room.server.bot_messages()[0]["reply_markup"]["inline_keyboard"]
    assert [button["callback_data"] for button in row] == [callback(card, choice) for choice in card.card.choices]
    assert [button.get("style") for button in row] == ["success", "danger"]


@pytest.mark.parametrize("state", ["decided", "stale"])
def test_a_card_that_is_closed_has_no_buttons(state: Any) -> None:
    assert keyboard(a_card(state=state)) is None


def test_long_labels_get_rows_of_their_own() -> None:
    labels = ["Yes", "No", "Later", "Tomorrow at nine in the morning", "Ask me again", "Never"]
    choices = tuple(Choice(str(number), label) for number, label in enumerate(labels))
    packed = [[choice.label for choice in row] for row in rows(choices)]
    assert packed == [["Yes", "No", "Later"], [labels[3]], ["Ask me again", "Never"]]


def test_the_longest_button_data_fits() -> None:
    markup = keyboard(a_card(Choice("k" * 24, "x"), id=10**14))
    assert markup is not None
    data = markup.inline_keyboard[0][0].callback_data
    assert isinstance(data, str)
    assert len(data.encode()) <= 64


# --- amending ---


async def test_amending_replaces_text_and_buttons(room: Room) -> None:
    (part,) = await room.show(a_piece(card=a_card()))
    await room.channel.amend(a_piece("~~Pay~~ **Paid.**", amends=(part,)))
    assert shown(room) == ["Pay Paid."]
    assert room.server.buttons(int(part)) == {}


async def test_amending_with_what_stands_there_is_no_error(room: Room) -> None:
    (part,) = await room.show(a_piece(card=a_card()))
    for _ in range(2):
        await room.channel.amend(a_piece(card=a_card(), amends=(part,)))
    assert room.server.buttons(int(part)) != {}
    assert len(room.server.calls("editMessageText")) == 2


async def test_a_short_text_takes_the_place_of_the_last_part(room: Room) -> None:
    parts = await room.show(a_piece(LONG, card=a_card()))
    before = shown(room)
    await room.channel.amend(a_piece("Decided.", amends=tuple(parts)))
    assert shown(room) == [*before[:-1], "Decided."]


async def test_a_longer_text_is_cut_rather_than_doubled(room: Room) -> None:
    (part,) = await room.show(a_piece("Short."))
    await room.channel.amend(a_piece(LONG, amends=(part,)))
    assert shown(room) == [draw(LONG)[0].text + CUT]
    assert fitted((Chunk("x" * CHUNK_UNITS), Chunk("y")), 1) == (Chunk("x" * CHUNK_UNITS),)


async def test_amending_to_nothing_leaves_the_text_and_takes_the_buttons(room: Room) -> None:
    (part,) = await room.show(a_piece(card=a_card()))
    for _ in range(2):
        await room.channel.amend(a_piece("", amends=(part,)))
    assert shown(room) == ["Hello."]
    assert room.server.buttons(int(part)) == {}


@pytest.mark.parametrize("kind", ["drop_after", "html502", "garbage", "500"])
async def test_an_edit_whose_answer_was_lost_may_be_made_again(room: Room, kind: str) -> None:
    (part,) = await room.show(a_piece())
    room.server.fault("editMessageText", kind)
    with pytest.raises(NotShown) as caught:
        await room.channel.amend(a_piece("Changed.", amends=(part,)))
    assert not caught.value.for_good
    await room.channel.amend(a_piece("Changed.", amends=(part,)))
    assert shown(room) == ["Changed."]


async def test_an_edit_that_is_refused_for_its_markup_is_made_plain(room: Room) -> None:
    (part,) = await room.show(a_piece())
    room.server.fault("editMessageText", 400, text="Bad Request: can't parse entities: unsupported")
    await room.channel.amend(a_piece("**Bold.**", amends=(part,)))
    (message,) = room.server.bot_messages()
    assert (message["text"], message.get("entities")) == ("Bold.", None)


async def test_a_message_that_is_gone_cannot_be_amended(room: Room) -> None:
    with pytest.raises(NotShown) as caught:
        await room.channel.amend(a_piece("Changed.", amends=("99",)))
    assert caught.value.for_good


# --- what goes wrong ---


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "html502", "garbage"])
async def test_a_lost_answer_is_in_doubt_and_never_sent_again_here(room: Room, kind: str) -> None:
    room.server.fault("sendMessage", kind)
    assert isinstance(await failure(room), MaybeShown)
    assert len(room.server.calls("sendMessage")) == 1


async def test_an_answer_that_comes_too_late_is_in_doubt(tmp_path: Any) -> None:
    async with open_room(tmp_path) as room:
        room.server.fault("sendMessage", "hang")
        room.line.sending._client.timeout = 0.05
        assert isinstance(await failure(room), MaybeShown)
        assert len(room.server.bot_messages()) == len(room.server.calls("sendMessage")) == 1


async def test_an_answer_that_the_library_cannot_read_is_in_doubt(room: Room) -> None:
    room.server.new_message = lambda *_: {"message_id": 5, "date": "yesterday", "chat": 7}  # type: ignore[method-assign]
    assert isinstance(await failure(room), MaybeShown)


async def test_without_a_connection_it_certainly_was_not_shown(room: Room) -> None:
    line = Line(token=room.line.bot.token, api_url="http://127.0.0.1:9")
    room.channel._bot = line.bot
    error = await failure(room)
    assert isinstance(error, NotShown)
    assert not error.for_good
    await line.close()


async def test_telegrams_own_failure_was_not_shown(room: Room) -> None:
    room.server.fault("sendMessage", 500)
    error = await failure(room)
    assert isinstance(error, NotShown)
    assert not error.for_good


async def test_parts_after_a_failure_are_not_sent(room: Room) -> None:
    pieces = room.channel.show(a_piece(LONG))
    first = await anext(pieces)  # type: ignore[arg-type]
    room.server.fault("sendMessage", "html502")
    with pytest.raises(MaybeShown):
        await anext(pieces)  # type: ignore[arg-type]
    assert [message["message_id"] for message in room.server.bot_messages()] == [int(first)]
    assert len(room.server.calls("sendMessage")) == 2


async def test_too_many_requests_hold_this_chat_for_as_long_as_telegram_says(room: Room) -> None:
    room.server.fault("sendMessage", 429, retry_after=280)
    first, second = await failure(room), await failure(room)
    assert isinstance(first, NotShown)
    assert isinstance(second, NotShown)
    assert (first.retry_for, second.retry_for) == (timedelta(seconds=280), timedelta(seconds=280))
    assert len(room.server.sent) == 1
    room.stepping.now += 281
    assert await room.show(a_piece()) == ["1"]


async def test_a_held_chat_is_not_hinted_at_either(room: Room) -> None:
    room.server.fault("sendChatAction", 429, retry_after=9)
    await room.channel.typing()
    await room.channel.typing()
    assert len(room.server.sent) == 1


async def test_a_block_is_remembered_until_the_owner_does_something(room: Room) -> None:
    room.server.owner_blocks()
    for _ in range(3):
        error = await failure(room)
        assert isinstance(error, NotShown)
        assert error.for_good
    await room.channel.typing()
    assert len(room.server.sent) == 1
    unblocked = room.server.owner_unblocks()
    async with running(room.poller()):
        await room.server.wait_for_poll(unblocked["update_id"] + 1)
    assert await room.show(a_piece("Back.")) == ["1"]


async def test_any_word_of_the_owner_lifts_a_block(room: Room) -> None:
    room.chat.blocked = True
    said = room.server.owner_sends("hello?")
    async with running(room.poller()):
        await room.server.wait_for_poll(said["update_id"] + 1)
    assert not room.chat.blocked


async def test_telegrams_own_word_of_a_block_is_taken(room: Room) -> None:
    blocked = room.server.owner_blocks()
    async with running(room.poller()):
        await room.server.wait_for_poll(blocked["update_id"] + 1)
    await failure(room)
    assert room.server.sent == []


async def test_a_refusal_of_the_markup_is_answered_with_plain_text(room: Room) -> None:
    room.server.fault("sendMessage", 400, text="Bad Request: can't parse entities: unsupported")
    await room.show(a_piece("**Bold** words.", card=a_card()))
    (message,) = room.server.bot_messages()
    assert (message["text"], message.get("entities")) == ("Bold words.", None)
    assert room.server.buttons(message["message_id"])


async def test_a_message_refused_twice_is_never_tried_again(room: Room) -> None:
    room.server.fault("sendMessage", 400, times=None)
    error = await failure(room)
    assert isinstance(error, NotShown)
    assert error.for_good
    assert len(room.server.sent) == 2


async def test_a_chat_that_moved_is_not_the_owners(room: Room) -> None:
    room.server.fault("sendMessage", "migrate")
    error = await failure(room)
    assert isinstance(error, NotShown)
    assert error.for_good


async def test_a_refused_token_keeps_the_piece_for_the_next_one(room: Room) -> None:
    room.server.fault("sendMessage", 401)
    error = await failure(room)
    assert isinstance(error, NotShown)
    assert not error.for_good
    assert room.line.bot.token not in str(error)


async def test_without_an_owner_nothing_is_sent(room: Room) -> None:
    room.chat.chat_id = None
    error = await failure(room)
    assert isinstance(error, NotShown)
    await room.channel.typing()
    assert room.server.sent == []


# --- pace ---


async def test_a_flood_is_paced_and_a_first_message_is_not(room: Room) -> None:
    await room.show(a_piece())
    assert room.stepping.slept == []
    for _ in range(7):
        await room.show(a_piece())
    assert len(room.stepping.slept) == 4
    assert len(room.server.sent) == 8


# --- hints and taps ---


async def test_typing_is_best_effort(room: Room) -> None:
    await room.channel.typing()
    assert room.server.sent[0].params["action"] == "typing"
    for kind in ("html502", "drop_before", "400", "500"):
        room.server.fault("sendChatAction", kind)
        await room.channel.typing()


async def test_a_tap_is_answered_once_and_an_old_one_is_no_error(room: Room) -> None:
    (part,) = await room.show(a_piece(card=a_card()))
    tap = room.server.taps(int(part), label="Done")["callback_query"]["id"]
    await room.channel.answer_tap(tap, "d" * 500)
    assert room.server.bot.answers[0]["text"] == "d" * 200
    room.server.expire_queries()
    await room.channel.answer_tap(tap)
    room.server.fault("answerCallbackQuery", "drop_before")
    await room.channel.answer_tap(tap)


async def test_the_channel_is_called_telegram(room: Room) -> None:
    assert room.channel.name == "telegram"


async def test_two_pieces_at_once_do_not_mix_their_ids(room: Room) -> None:
    first, second = await asyncio.gather(room.show(a_piece("one")), room.show(a_piece("two")))
    by_id = {str(message["message_id"]): message["text"] for message in room.server.bot_messages(OWNER)}
    assert (by_id[first[0]], by_id[second[0]]) == ("one", "two")
