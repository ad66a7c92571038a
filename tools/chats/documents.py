"""A chat as documents: each message is one, so that an answer quotes it with who and when; search looks at its neighbours.

whatsapp:3f9c0d2ab41e7788/202603020914.0000     the chat, and the message's key in it
"""

from hashlib import sha256

from memory.people.sighted import OWNER
from memory.search.document import Document
from tools.chats.chat import Chat, Said

COMPANY_MAX = 12
"""In a group of more people than this nobody is spoken to by name: of its messages only the writer is looked at."""


def beginning(chat: Chat) -> str:
    """What all refs of the chat begin with."""
    return f"{chat.kind}:{chat.key}/"


def unsure_beginning(chat: Chat) -> str:
    """What they began with while the owner was not told from the others; "" when that was the same."""
    return f"{chat.kind}:{chat.unsure_key}/" if chat.unsure_key else ""


def documents_of(chat: Chat) -> list[Document]:
    """Its messages, in order."""
    under = beginning(chat)
    others = chat.others if len(chat.others) <= COMPANY_MAX else ()
    ids = {one.address for one in chat.said if not one.is_mine and one.address and not is_reachable(one.address)}
    other = next(iter(ids)) if len(ids) == len(chat.others) == 1 else ""
    return [_document(chat, one, under, others, other) for one in chat.said]


def _document(chat: Chat, said: Said, under: str, others: tuple[tuple[str, str], ...], other: str) -> Document:
    # Whoever calls themselves "you" is not the owner.
    called = said.who if said.is_mine or said.who != OWNER else f"“{said.who}”"
    writer = (called, said.address if is_reachable(said.address) else "")
    return Document(
        corpus=chat.kind,
        ref=f"{under}{said.key}",
        who=f"{called} <{writer[1]}>" if writer[1] and writer[1] != called else called,
        title=f"Forwarded from {said.forwarded_from}" if said.forwarded_from else "",
        text=said.text,
        at=said.at,
        place=chat.name,
        people=tuple(one for one in others if one[0] != said.who),
        tags=said.tags,
        # Words that were only passed on are not the owner's own.
        by_owner=said.is_mine and not said.forwarded_from,
        handle=other if said.is_mine else "" if is_reachable(said.address) else said.address,
    )


def is_reachable(address: str) -> bool:
    """Whether it is a mail address or a number, and not a program's own id."""
    return "@" in address or address.startswith("+")


def another_key(key: str, number: int) -> str:
    """The key of the `number`th chat of the same name."""
    return sha256(f"{key}:{number}".encode()).hexdigest()[:16]
