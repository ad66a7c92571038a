"""Contacts by words: the owner tells an address, and it is one of their own records from then on."""

from handlers.scene import Reply, Scene
from memory.command.contact import read_contact
from memory.contact import plain_name
from memory.envelope_words import reason
from memory.ledger import Tables
from memory.recipient import readable
from memory.thread import Message
from tools import contact_notes


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words that tell an address; None for other words. Nothing has to be confirmed: the owner said it."""
    told = read_contact(words)
    name = plain_name(told.name) if told else ""
    if told is None or not name:
        return None
    address = readable(told.address)
    if address is None:
        return reason(scene.language, "no plain address")
    return contact_notes.keep(
        t, scene.owner, name, address, now=scene.now, because=scene.because, signal_id=scene.signal_id
    )
