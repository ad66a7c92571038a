"""Pieces in the ledger: written once, dropped with their turn, and known part by part."""

from datetime import timedelta
from typing import Any

import pytest

from memory.card import Card, Choice
from memory.ledger import Tables
from memory.piece import Piece
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.spoken import a_piece, hear

LATER = NOW + timedelta(seconds=1)


def say(tables: Tables, key: str = "piece", *, handing: bool = False, **given: Any) -> Piece:
    piece = tables.pieces.say(a_piece(key, **given), now=NOW, handing=handing)
    assert piece is not None
    return piece


async def test_a_piece_is_a_message_of_the_thread(ledger: SqlLedger) -> None:
    piece = await ledger.write(lambda t: say(t, silent=True))
    (message,) = await ledger.read(lambda t: t.thread.history(1, limit=5))
    assert (message.id, message.role, message.text) == (piece.message_id, "stillbell", "Noted.")
    assert (piece.state, piece.parts, piece.silent, piece.in_doubt, piece.created_at) == ("ready", (), True, False, NOW)


async def test_the_same_key_is_said_once(ledger: SqlLedger) -> None:
    await ledger.write(say)
    assert await ledger.write(lambda t: t.pieces.say(a_piece(text="Again."), now=LATER)) is None
    assert len(await ledger.read(lambda t: t.thread.history(1, limit=5))) == 1
    assert await ledger.read(lambda t: (t.pieces.has("piece"), t.pieces.has("other"))) == (True, False)


async def test_a_piece_is_handed_over_once(ledger: SqlLedger) -> None:
    piece = await ledger.write(say)
    handed = await ledger.write(lambda t: t.pieces.hand(piece.id, now=LATER))
    assert handed is not None
    assert (handed.state, handed.in_doubt) == ("handing", False)
    assert await ledger.write(lambda t: t.pieces.hand(piece.id, now=LATER)) is None


async def test_a_piece_of_a_stopped_turn_is_dropped_when_it_would_go(ledger: SqlLedger) -> None:
    def life(t: Tables) -> Piece | None:
        _, turn, _ = hear(t, "one", said_as="1")
        piece = say(t, turn_id=turn.id)
        hear(t, "two", said_as="2")
        assert t.pieces.hand(piece.id, now=LATER) is None
        return t.pieces.get("piece")

    piece = await ledger.write(life)
    assert piece is not None
    assert piece.state == "dropped"
    assert await ledger.read(lambda t: t.pieces.undelivered()) == []


async def test_a_piece_of_the_live_turn_goes(ledger: SqlLedger) -> None:
    def life(t: Tables) -> Piece | None:
        _, turn, _ = hear(t, "one", said_as="1")
        return t.pieces.hand(say(t, turn_id=turn.id).id, now=LATER)

    handed = await ledger.write(life)
    assert handed is not None
    assert handed.reply_to is None


async def test_a_piece_whose_question_was_overtaken_says_what_it_answers(ledger: SqlLedger) -> None:
    def life(t: Tables) -> Piece | None:
        _, turn, _ = hear(t, "one", said_as="1")
        say(t, turn_id=turn.id, handing=True)
        hear(t, "two", said_as="2")
        return t.pieces.get("piece")

    piece = await ledger.write(life)
    assert piece is not None
    assert piece.reply_to == "1"


async def test_every_part_that_was_shown_is_known_and_finds_its_message(ledger: SqlLedger) -> None:
    def life(t: Tables) -> tuple[Piece | None, Any, Any]:
        piece = say(t, handing=True)
        for part in ("71", "72"):
            t.pieces.part_shown(piece.id, part)
        return t.pieces.get("piece"), *(t.thread.by_channel_id(1, "telegram", part) for part in ("71", "72"))

    piece, first, second = await ledger.write(life)
    assert piece is not None
    assert piece.parts == ("71", "72")
    assert first == second
    assert first.channel_message_ids == ("71", "72")


@pytest.mark.parametrize("state", ["shown", "unknown", "failed", "dropped"])
async def test_what_has_ended_is_not_on_its_way(ledger: SqlLedger, state: Any) -> None:
    piece = await ledger.write(lambda t: say(t, handing=True))
    await ledger.write(lambda t: t.pieces.end(piece.id, state, because="b", now=LATER))
    assert await ledger.read(lambda t: t.pieces.undelivered()) == []
    unsettled = await ledger.read(lambda t: t.pieces.unsettled(1))
    assert unsettled == ([("piece", state)] if state in ("unknown", "failed") else [])


async def test_after_a_death_only_what_was_on_its_way_is_in_doubt(ledger: SqlLedger) -> None:
    await ledger.write(lambda t: [say(t, "a", handing=True), say(t, "b"), say(t, "c", handing=True)])
    left = await ledger.read(lambda t: t.pieces.undelivered())
    assert [(piece.key, piece.in_doubt) for piece in left] == [("a", True), ("b", False), ("c", True)]


def put_card(tables: Tables) -> int:
    card = Card(kind="k", subject="loop:1", text="Pay?", choices=(Choice("done", "Done"),), because="it is due")
    return tables.cards.put(card, owner_id=1, now=NOW).id


async def test_a_piece_carries_its_card_and_is_found_by_it(ledger: SqlLedger) -> None:
    def life(t: Tables) -> tuple[int, Piece, Piece | None]:
        card_id = put_card(t)
        piece = say(t, card_id=card_id)
        say(t, "amendment", amends_key="piece", card_id=card_id)
        return card_id, piece, t.pieces.of_card(card_id)

    card_id, piece, found = await ledger.write(life)
    assert piece.card is not None
    assert piece.card.id == card_id
    assert found is not None
    assert found.key == "piece"


async def test_an_amendment_rewrites_the_message_where_it_stands(ledger: SqlLedger) -> None:
    def life(t: Tables) -> Piece:
        first = say(t, handing=True, card_id=put_card(t))
        t.pieces.part_shown(first.id, "71")
        return say(t, "later", text="Done.", amends_key="piece")

    amendment = await ledger.write(life)
    assert (amendment.amends, amendment.text, amendment.card) == (("71",), "Done.", None)
    (message,) = await ledger.read(lambda t: t.thread.history(1, limit=5))
    assert (message.text, message.card_id, message.edited_at) == ("Done.", None, NOW)


async def test_an_amendment_of_nothing_is_not_said(ledger: SqlLedger) -> None:
    assert await ledger.write(lambda t: t.pieces.say(a_piece(amends_key="missing"), now=NOW)) is None


async def test_a_thought_out_answer_is_found_and_a_word_of_confirmation_is_not(ledger: SqlLedger) -> None:
    await ledger.write(
        lambda t: [say(t, text="Noted: plumber"), say(t, "b", text="The plumber is Kern.", findable=True)]
    )
    hits = await ledger.read(lambda t: t.search.find(1, "plumber"))
    assert [(hit.who, hit.line) for hit in hits] == [("Stillbell", "The plumber is Kern.")]
