"""How text is drawn for Telegram: Markdown becomes chunks of text with entities, each chunk a message.

    Markdown ─ legible ─ safe ─ telegramify ─ links and blocks put right ─ letters lost? ─ split ─► chunks
                                                                               └─ yes ─► plain

Nothing here raises, whatever the text, and nothing that a reader should see is lost: where markup and words cannot both
be had, the words win.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from telegram import MessageEntity
from telegramify_markdown import MessageEntity as Drawn
from telegramify_markdown import RenderConfig, convert

from bot.telegram.source import Source, safe, target_text
from bot.telegram.splitting import Chunk, Entity, split
from memory.legible import legible

_TYPES = frozenset({"bold", "italic", "underline", "strikethrough", "code", "pre", "blockquote", "text_link"})
# What the server takes as a link; any other target fails the whole message, or leads elsewhere: of mailto:a@b.example it
# makes http://mailto:a@b.example/, and a name before the host hides where a link goes.
_WEB_LINK = re.compile(r"https?://[\w-]+(?:\.[\w-]+)+(?::\d{1,4})?(?:[/?#][^\s\x00-\x1f]*)?", re.IGNORECASE)
_APP_LINK = re.compile(r"tg://[A-Za-z0-9_-]+(?:[/?#][^\s\x00-\x1f]*)?", re.IGNORECASE)
_LANGUAGE = re.compile(r"[\w.+#-]{1,32}")
_TAB_COLUMNS = 4


def draw(markdown: str) -> tuple[Chunk, ...]:
    """Draw Markdown as chunks in order; nothing visible in it gives no chunk.

    Web links and `tg://` links stay links; of others the label is followed by the target in brackets. When markup would
    cost letters or digits, the whole text comes without any.
    """
    source = _clean(markdown)
    return _marked_up(safe(source)) or split(source)


def plain(text: str) -> tuple[Chunk, ...]:
    """Split text into chunks as it is, with no markup at all."""
    return split(_clean(text))


def to_telegram(chunk: Chunk) -> tuple[str, list[MessageEntity]]:
    """Return the chunk as the Bot API takes it: text, and entities in place of a parse mode."""
    entities = [
        MessageEntity(entity.type, entity.offset, entity.length, url=entity.url, language=entity.language)
        for entity in chunk.entities
    ]
    return chunk.text, entities


def _clean(text: str) -> str:
    # The server turns a tab into one space, and code would lose its indentation.
    return legible(text).expandtabs(_TAB_COLUMNS)


def _marked_up(source: Source) -> tuple[Chunk, ...]:
    """Return the source's chunks, or none if there is nothing to see or something was lost."""
    try:
        text, drawn = convert(source.text, latex_escape=False, config=_config())
    except Exception:  # noqa: BLE001 - whatever a foreign converter trips over, the words must still go out
        return ()
    if not _holds(text, source.letters):
        return ()
    return split(*_put_right(text, [_entity(entity) for entity in drawn if entity.type in _TYPES]))


def _config() -> RenderConfig:
    """Plain signs, and no quotation folded away: a reader is to see all of it."""
    config = RenderConfig.isolated()
    config.cite_expandable = False
    signs = config.markdown_symbol
    signs.heading_level_1 = signs.heading_level_2 = signs.heading_level_3 = signs.heading_level_4 = ""
    signs.image = ""
    signs.unordered_list_item = "•"
    signs.task_completed, signs.task_uncompleted = "☑", "☐"
    return config


def _holds(text: str, wanted: str) -> bool:
    """Do the wanted letters all stand in `text`, in their order?"""
    there = iter(text)
    return all(letter in there for letter in wanted)


def _entity(drawn: Drawn) -> Entity:
    language = _LANGUAGE.match(drawn.language or "")
    return Entity(drawn.type, drawn.offset, drawn.length, drawn.url, language[0] if language else None)


def _put_right(text: str, entities: Sequence[Entity]) -> tuple[str, list[Entity]]:
    """Write out the targets of links that cannot be drawn, and give each code block lines of its own."""
    units = text.encode("utf-16-le")
    additions = []
    kept = []
    for entity in entities:
        if entity.type == "text_link" and not _opens(entity.url or ""):
            additions += _target(units, entity)
            continue
        kept.append(entity)
        if entity.type == "pre":
            additions += _line_breaks(units, entity)
    return _inserted(units, sorted(additions), kept)


def _opens(url: str) -> bool:
    return bool(_WEB_LINK.fullmatch(url) or _APP_LINK.fullmatch(url))


def _target(units: bytes, link: Entity) -> list[tuple[int, str]]:
    end = link.offset + link.length
    label = units[2 * link.offset : 2 * end].decode("utf-16-le")
    target = (link.url or "").removeprefix("mailto:")
    return [(end, f" ({target_text(target)})")] if target.strip() and target_text(target) not in label else []


def _line_breaks(units: bytes, block: Entity) -> list[tuple[int, str]]:
    """The drawing library glues a block inside a list item to what stands before and after it."""
    first, end = 2 * block.offset, 2 * (block.offset + block.length)
    line_end = "\n".encode("utf-16-le")
    before = [(block.offset, "\n")] if first and units[first - 2 : first] != line_end else []
    after = [(block.offset + block.length, "\n")] if units[end : end + 2] not in {b"", line_end} else []
    return before + after


def _inserted(
    units: bytes, additions: Sequence[tuple[int, str]], entities: Iterable[Entity]
) -> tuple[str, list[Entity]]:
    """Insert the additions, sorted and in UTF-16 units, and move the entities with the text."""
    if not additions:
        return units.decode("utf-16-le"), list(entities)
    parts, cursor = [], 0
    for place, addition in additions:
        parts += [units[2 * cursor : 2 * place], addition.encode("utf-16-le")]
        cursor = place
    text = b"".join([*parts, units[2 * cursor :]]).decode("utf-16-le")
    shift = _shift(additions)
    return text, [_moved(entity, shift) for entity in entities]


def _shift(additions: Sequence[tuple[int, str]]) -> Callable[[int, bool], int]:
    """Return how far a place moves; an addition exactly there counts before what begins, after what ends."""
    places = [place for place, _ in additions]
    moved = [0, *accumulate(len(addition.encode("utf-16-le")) // 2 for _, addition in additions)]
    return lambda place, begins: moved[(bisect_right if begins else bisect_left)(places, place)]


def _moved(entity: Entity, shift: Callable[[int, bool], int]) -> Entity:
    end = entity.offset + entity.length
    offset = entity.offset + shift(entity.offset, True)
    return replace(entity, offset=offset, length=end + shift(end, False) - offset)
