"""The conversation in the ledger: each message once, each turn overtaken by the next."""

from datetime import timedelta
from typing import Any

import pytest

from memory.errors import NotFound
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.spoken import a_piece, hear, publish

LATER = NOW + timedelta(minutes=1)


async def test_a_message_is_heard_once_however_often_its_job_runs(ledger: SqlLedger) -> None:
    signal_id = await ledger.write(publish)
    message, turn, is_new = await ledger.write(lambda t: hear(t, "hi", signal_id=signal_id))
    again = await ledger.write(lambda t: hear(t, "hi", signal_id=signal_id, now=LATER))
    assert is_new
    assert again == (message, turn, False)
    assert await ledger.read(lambda t: t.thread.history(1, limit=10)) == [message]


async def test_a_message_knows_its_turn_and_its_channels_id(ledger: SqlLedger) -> None:
    message, turn, _ = await ledger.write(lambda t: hear(t, "hi", said_as="77"))
    assert (message.turn_id, message.role, message.channel_message_ids, message.at) == (turn.id, "owner", ("77",), NOW)
    assert (turn.question_id, turn.channel, turn.stopped_because) == (message.id, "telegram", None)
    assert await ledger.read(lambda t: t.thread.by_channel_id(1, "telegram", "77")) == message
    assert await ledger.read(lambda t: t.thread.by_channel_id(1, "terminal", "77")) is None


async def test_a_newer_message_stops_the_turn_before_it(ledger: SqlLedger) -> None:
    _, first, _ = await ledger.write(lambda t: hear(t, "one", said_as="1"))
    _, second, _ = await ledger.write(lambda t: hear(t, "two", said_as="2"))
    assert (await ledger.read(lambda t: t.thread.turn(first.id))).stopped_because == "a newer message"
    assert await ledger.read(lambda t: t.thread.newest_turn(1)) == second
    assert second.stopped_because is None


async def test_a_turn_is_stopped_for_its_first_reason(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[str | None]:
        _, turn, _ = hear(t, "one", said_as="1")
        seen = []
        for stop in (
            lambda: t.thread.stop(turn.id, because="/stop", now=NOW),
            lambda: t.thread.stop(turn.id, because="again", now=NOW),
            lambda: hear(t, "two", said_as="2"),
        ):
            stop()
            seen.append(t.thread.turn(turn.id).stopped_because)
        return seen

    assert await ledger.write(life) == ["/stop"] * 3


async def test_a_reply_names_the_message_it_answers_whoever_said_it(ledger: SqlLedger) -> None:
    def life(t: Tables) -> tuple[int | None, int | None, int, int | None]:
        first, *_ = hear(t, "one", said_as="1")
        piece = t.pieces.say(a_piece(), now=NOW)
        assert piece is not None
        t.pieces.part_shown(piece.id, "2")
        to_ours, *_ = hear(t, "three", said_as="3", reply_to="2")
        to_own, *_ = hear(t, "four", said_as="4", reply_to="1")
        to_nothing, *_ = hear(t, "five", said_as="5", reply_to="999")
        assert to_own.reply_to_id == first.id
        return to_ours.reply_to_id, to_own.reply_to_id, piece.message_id, to_nothing.reply_to_id

    ours, own, piece_message, nothing = await ledger.write(life)
    assert (ours, nothing) == (piece_message, None)
    assert own is not None


async def test_an_edit_changes_the_text_and_what_is_found(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: hear(t, "remind me of Anna", said_as="1"))
    edited = await ledger.write(lambda t: edit(t, "remind me of Berta", "1"))
    assert edited is not None
    assert (edited.text, edited.edited_at, edited.at) == ("remind me of Berta", LATER, NOW)
    assert await ledger.read(lambda t: t.search.find(1, "Anna")) == []
    assert [hit.line for hit in await ledger.read(lambda t: t.search.find(1, "Berta"))] == ["remind me of Berta"]


def edit(tables: Tables, text: str, said_as: str) -> Any:
    return tables.thread.edit(owner_id=1, channel="telegram", channel_message_id=said_as, text=text, now=LATER)


async def test_an_edit_that_changes_nothing_or_is_not_the_owners_is_none(ledger: SqlLedger) -> None:
    def life(t: Tables) -> list[Any]:
        hear(t, "one", said_as="1")
        piece = t.pieces.say(a_piece(), now=NOW)
        assert piece is not None
        t.pieces.part_shown(piece.id, "2")
        return [edit(t, "one", "1"), edit(t, "else", "2"), edit(t, "else", "999")]

    assert await ledger.write(life) == [None, None, None]
    assert [m.text for m in await ledger.read(lambda t: t.thread.history(1, limit=9))] == ["one", "Noted."]


async def test_a_reopened_question_has_a_new_turn_once(ledger: SqlLedger) -> None:
    message, old, _ = await ledger.write(lambda t: hear(t, "one", said_as="1"))
    signal_id = await ledger.write(lambda t: publish(t, "edit", kind="edit"))
    for _ in range(2):
        turn = await ledger.write(lambda t: t.thread.reopen(turn_id=old.id, signal_id=signal_id, now=LATER))
        assert (turn.question_id, turn.id, turn.signal_id) == (message.id, old.id + 1, signal_id)
    assert (await ledger.read(lambda t: t.thread.turn(old.id))).stopped_because == "a newer message"


async def test_history_is_the_newest_oldest_first(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: [hear(t, f"m{number}", said_as=str(number)) for number in range(1, 8)])
    newest = await ledger.read(lambda t: t.thread.history(1, limit=3))
    assert [message.text for message in newest] == ["m5", "m6", "m7"]
    before = await ledger.read(lambda t: t.thread.history(1, limit=2, before_id=newest[0].id))
    assert [message.text for message in before] == ["m3", "m4"]
    after = await ledger.read(lambda t: t.thread.after(1, newest[1].id, limit=9))
    assert [message.text for message in after] == ["m7"]
    latest = await ledger.read(lambda t: t.thread.after(1, 1, limit=2))
    assert [message.text for message in latest] == ["m6", "m7"]


@pytest.mark.parametrize("look", [lambda t: t.thread.get(9), lambda t: t.thread.turn(9)], ids=["message", "turn"])
async def test_what_is_not_there_is_said_so(ledger: SqlLedger, look: Any) -> None:
    with pytest.raises(NotFound):
        await ledger.read(look)
