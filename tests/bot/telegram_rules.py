"""What Telegram takes as one message, written down a second time and from the other side: in UTF-16 and bytes."""

import regex

from bot.telegram.splitting import Chunk


def broken_rules(chunk: Chunk) -> list[str]:
    """Return each rule that the chunk breaks, in words; an empty list means that Telegram would take it."""
    units = chunk.text.encode("utf-16-le")
    broken = []
    if not chunk.text.strip():
        broken.append("nothing to read")
    if chunk.text != chunk.text.strip(" \n"):
        broken.append("white space at an end, which Telegram trims")
    if len(units) // 2 > 4096:
        broken.append(f"{len(units) // 2} units")
    if len(chunk.text.encode()) > 32 * 1024:
        broken.append("raw text too long")
    if len(chunk.entities) > 100:
        broken.append(f"{len(chunk.entities)} entities")
    for entity in chunk.entities:
        start, end = 2 * entity.offset, 2 * (entity.offset + entity.length)
        if not 0 <= start < end <= len(units):
            broken.append(f"{entity} reaches beyond the text or is empty")
            continue
        try:
            covered = units[start:end].decode("utf-16-le")
        except UnicodeDecodeError:
            broken.append(f"{entity} cuts a surrogate pair")
            continue
        if covered != covered.strip():
            broken.append(f"{entity} begins or ends on white space: {covered!r}")
        if entity.type == "text_link" and not regex.match(r"(?i)https?://[^/?#@]+\.|tg://", entity.url or ""):
            broken.append(f"{entity} leads nowhere")
    return broken


def covered(chunk: Chunk, type_: str) -> list[str]:
    """Return the texts that the chunk's entities of one type cover."""
    units = chunk.text.encode("utf-16-le")
    return [
        units[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")
        for entity in chunk.entities
        if entity.type == type_
    ]


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def holds(text: str, wanted: str) -> bool:
    """Do the wanted letters all stand in the text, in their order?"""
    there = iter(text)
    return all(letter in there for letter in wanted)
