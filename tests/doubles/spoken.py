"""What an owner says, put into the ledger as the channels and handlers put it."""

from typing import Any

from memory.ledger import Tables
from memory.piece import NewPiece
from memory.signal import NewSignal
from memory.thread import Message, Turn
from tests.doubles.clock import NOW


def a_signal(source_id: str = "1", **given: Any) -> NewSignal:
    """A signal about to be published."""
    usual: dict[str, Any] = {"source": "made", "kind": "message", "payload": {"text": "hello"}}
    return NewSignal(source_id=source_id, **(usual | given))


def publish(tables: Tables, source_id: str = "1", **given: Any) -> int:
    """A new signal, at NOW; its id."""
    signal_id = tables.signals.publish(a_signal(source_id, **given), now=NOW)
    assert signal_id is not None, "this was published before"
    return signal_id


def hear(tables: Tables, text: str = "hello", *, said_as: str = "10", **given: Any) -> tuple[Message, Turn, bool]:
    """The owner's message `text`, known to its channel as `said_as`, with its signal."""
    usual: dict[str, Any] = {"owner_id": 1, "channel": "telegram", "reply_to": None, "now": NOW}
    signal_id = given.pop("signal_id", None) or publish(tables, f"said {said_as}", payload={"text": text})
    return tables.thread.hear(text=text, signal_id=signal_id, channel_message_id=said_as, **(usual | given))


def a_piece(key: str = "piece", **given: Any) -> NewPiece:
    """A piece about to be written."""
    usual: dict[str, Any] = {"owner_id": 1, "channel": "telegram", "text": "Noted."}
    return NewPiece(key=key, **(usual | given))
