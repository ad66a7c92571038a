"""What the Bot API refuses, and in which words: pure checks of what a bot sends, used by the local Bot API server.

Limits and texts are those of the official server (tdlib/telegram-bot-api 10.0 over tdlib). A check returns what the
message would hold afterwards, or raises `ApiError`. Lengths of text are counted in code points, offsets of entities
in UTF-16 code units, callback data in bytes of UTF-8.
"""

# ruff: noqa: SIM905 - long lists of words read better as words

from __future__ import annotations

import re
from typing import Any

from tests.servers import bot_api_formatting as formatting
from tests.servers.bot_api_formatting import Entity, FormatError, utf16_length

MESSAGE_TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024
RAW_TEXT_LIMIT_BYTES = 32 * 1024
CALLBACK_DATA_LIMIT_BYTES = 64
CALLBACK_ANSWER_LIMIT = 200
COPY_TEXT_LIMIT = 256
BUTTON_LIMIT = 100
ENTITY_LIMIT = 100
ALBUM_LIMIT = 10
COMMAND_LIMIT = 100
COMMAND_DESCRIPTION_LIMIT = 256
DOWNLOAD_LIMIT_BYTES = 20 << 20
UPLOAD_LIMIT_BYTES = 50 << 20
PHOTO_LIMIT_BYTES = 10 << 20

REACTIONS = frozenset(
    "👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 "
    "👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡".split()
)
CHAT_ACTIONS = frozenset(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note".split()
)
# These the official server finds by itself in the text; what the bot claims about them is ignored.
AUTOMATIC_ENTITIES = frozenset("mention hashtag cashtag bot_command url email phone_number bank_card_number".split())
OWN_ENTITIES = frozenset(
    "bold italic underline strikethrough spoiler code pre text_link text_mention custom_emoji blockquote "
    "expandable_blockquote date_time".split()
)
ENTITY_FIELDS = {"text_link": "url", "text_mention": "user", "custom_emoji": "custom_emoji_id"}
BUTTON_STYLES = frozenset({"danger", "success", "primary"})

_IMAGE_STARTS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM")
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")
_INVISIBLE = frozenset(" \n\u00a0\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u2800")
_CLEANED = {code: " " for code in range(32) if code not in (10, 13)}
_CLEANED |= dict.fromkeys([13, *range(0x2028, 0x202F), 0x333, 0x33F, 0x30A], "")


class ApiError(Exception):
    """A refusal as the Bot API words it: HTTP status, description, and the envelope's `parameters`."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(code, description)
        self.code = code
        self.description = description
        self.parameters = parameters


class RefusedError(ApiError):
    """Refused because of how things stand (blocked, gone, unchanged), not because the request broke a rule."""


def bad(text: str) -> ApiError:
    """The request broke a rule of the API."""
    return ApiError(400, f"Bad Request: {text}")


def refused(text: str) -> RefusedError:
    """The request was well formed, but cannot be served as things stand."""
    return RefusedError(400, f"Bad Request: {text}")


def message_text(params: dict[str, Any]) -> tuple[str, list[Entity]]:
    """The rendered text and entities of a sendMessage or editMessageText."""
    raw = params.get("text") or ""
    if not raw:
        raise bad("message text is empty")
    text, entities = _formatted(raw, params.get("parse_mode"), params.get("entities"))
    if all(char in _INVISIBLE for char in text):
        raise bad("text must be non-empty")
    if len(text) > MESSAGE_TEXT_LIMIT:
        raise bad("message is too long")
    return text, entities


def draft_text(params: dict[str, Any]) -> str:
    """The text of a draft, which may be empty: the chat then shows that the bot is thinking."""
    text, _ = _formatted(params.get("text") or "", params.get("parse_mode"), params.get("entities"))
    if len(text) > MESSAGE_TEXT_LIMIT:
        raise bad("message is too long")
    return text


def caption(params: dict[str, Any]) -> dict[str, Any]:
    """The fields `caption` and `caption_entities` of a message with a file, as far as it has them."""
    text, entities = _formatted(params.get("caption") or "", params.get("parse_mode"), params.get("caption_entities"))
    if len(text) > CAPTION_LIMIT:
        raise bad("message caption is too long")
    return {key: value for key, value in (("caption", text), ("caption_entities", entities)) if value}


def _formatted(raw: str, parse_mode: str | None, claimed: object) -> tuple[str, list[Entity]]:
    if len(raw.encode()) > RAW_TEXT_LIMIT_BYTES:
        raise bad("text is too long")
    if raw and parse_mode and parse_mode.lower() != "none":
        text, entities = _parsed(raw, parse_mode)
    else:
        text, entities = raw, _own_entities(claimed)
    text, entities = _trimmed(*_cleaned(text, entities))
    return text, sorted(entities, key=lambda entity: (entity["offset"], -entity["length"]))[:ENTITY_LIMIT]


def _parsed(raw: str, parse_mode: str) -> tuple[str, list[Entity]]:
    parse = formatting.PARSERS.get(parse_mode.lower())
    if parse is None:
        raise bad("unsupported parse_mode")
    try:
        text, entities = parse(raw)
    except FormatError as error:
        raise bad(f"can't parse entities: {error}") from error
    # Unlike in `entities`, a link that cannot be followed is silently dropped here.
    return text, [entity for entity in entities if "url" not in entity or url_fault(entity["url"]) is None]


def _own_entities(claimed: object) -> list[Entity]:
    if not isinstance(claimed, list):
        return []
    return [entity for entity in map(_checked_entity, claimed) if entity["type"] in OWN_ENTITIES and entity["length"]]


def _checked_entity(entity: object) -> Entity:
    if not isinstance(entity, dict):
        raise bad("can't parse MessageEntity: expected an Object")
    for field in ("offset", "length", "type", ENTITY_FIELDS.get(entity.get("type", ""), "type")):
        if field not in entity:
            raise bad(f"can't parse MessageEntity: Can't find field \"{field}\"")
    if entity["type"] not in OWN_ENTITIES | AUTOMATIC_ENTITIES:
        raise bad("can't parse MessageEntity: Unsupported type specified")
    if entity["type"] == "text_link" and (fault := url_fault(entity["url"])):
        raise bad(f"entity URL '{entity['url']}' is invalid: {fault}")
    for field in ("offset", "length"):
        if not 0 <= entity[field] <= 1_000_000:
            raise bad(f"receive an entity with incorrect {field} {entity[field]}")
    return entity


def _cleaned(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Control characters become spaces; carriage returns and direction overrides go; entities move along."""
    clean = text.translate(_CLEANED)
    if not entities:
        return clean, []
    places = _places(text)
    return clean, [_placed(entity, places, text) for entity in entities]


def _places(text: str) -> list[int | None]:
    """Where each UTF-16 code unit of the raw text comes to lie; None in the middle of a character."""
    places: list[int | None] = []
    at = 0
    for char in text:
        places.append(at)
        if ord(char) > 0xFFFF:
            places.append(None)
        at += utf16_length(char.translate(_CLEANED))
    return [*places, at]


def _placed(entity: Entity, places: list[int | None], text: str) -> Entity:
    begin, end = entity["offset"], entity["offset"] + entity["length"]
    length = len(places) - 1
    if begin > length:
        raise bad(f"entity begins after the end of the text at UTF-16 offset {begin}")
    if places[begin] is None:
        raise bad(f"entity begins in a middle of a UTF-16 symbol at byte offset {_byte_offset(text, begin)}")
    if end > length:
        raise bad(f"entity beginning at UTF-16 offset {begin} ends after the end of the text at UTF-16 offset {end}")
    if places[end] is None:
        where = f"ends in a middle of a UTF-16 symbol at byte offset {_byte_offset(text, end)}"
        raise bad(f"entity beginning at UTF-16 offset {begin} {where}")
    return {**entity, "offset": places[begin], "length": (places[end] or 0) - (places[begin] or 0)}


def _byte_offset(text: str, utf16_offset: int) -> int:
    """Bytes of UTF-8 up to the end of the character that the offset cuts."""
    units = text.encode("utf-16-le")[: (utf16_offset + 1) * 2]
    return len(units.decode("utf-16-le").encode())


def _trimmed(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """Spaces and line breaks go at both ends of the text and at the beginning of entities."""
    kept = text.strip(" \n")
    skipped = len(text) - len(text.lstrip(" \n"))
    units = kept.encode("utf-16-le")
    moved = []
    for entity in entities:
        begin = max(entity["offset"] - skipped, 0)
        end = min(entity["offset"] - skipped + entity["length"], len(units) // 2)
        while begin < end and units[begin * 2 : begin * 2 + 2] in (b" \0", b"\n\0"):
            begin += 1
        if begin < end:
            moved.append({**entity, "offset": begin, "length": end - begin})
    return kept, moved


def url_fault(url: str, *, https_only: bool = False) -> str | None:
    """Why Telegram does not take this address for a link, or None."""
    lowered = url.lower()
    if lowered.startswith(("tg:", "ton:", "tonsite:", "mailto:")) and not https_only:
        return None
    scheme, found, rest = lowered.partition("://")
    if not found:
        scheme, rest = "http", lowered
    if https_only and scheme != "https":
        return "Only HTTPS links are allowed"
    if scheme not in ("http", "https"):
        return "Unsupported URL protocol"
    host = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    if not host:
        return "URL host is empty"
    return None if host.startswith("[") or "." in host.partition(":")[0] else "Wrong HTTP URL"


def reply_markup(value: object) -> dict[str, Any] | None:
    """The inline keyboard that the message would carry, or None; buttons without a label are dropped."""
    if value is None or value == "":
        return None
    if not isinstance(value, dict):
        raise bad("object expected as reply markup")
    for field in ("inline_keyboard", "keyboard"):
        if not isinstance(value.get(field, []), list):
            raise bad(f'field "{field}" must be of type Array')
    if "inline_keyboard" not in value:
        return None
    rows = [[_checked_button(button) for button in row] for row in value["inline_keyboard"]]
    if sum(map(len, rows)) > BUTTON_LIMIT:
        raise bad("reply markup is too long")
    rows = [kept for row in rows if (kept := [button for button in row if button["text"]])]
    return {"inline_keyboard": rows} if rows else None


def _checked_button(button: object) -> dict[str, Any]:
    if not isinstance(button, dict):
        raise bad("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    if "text" not in button:
        raise bad("can't parse inline keyboard button: Can't find field \"text\"")
    if button.get("style", "primary") not in BUTTON_STYLES:
        # The official words are not known; that it is refused is what matters.
        raise bad("can't parse inline keyboard button: Unsupported button style specified")
    for field, check in _BUTTON_CHECKS.items():
        # An empty address or empty data counts as absent; an empty inline query is a query.
        if field in button and (button[field] or field.startswith("switch")):
            check(button[field])
            return button
    raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")


def _check_button_url(url: str) -> None:
    if fault := url_fault(url):
        raise bad(f"inline keyboard button URL '{url}' is invalid: {fault}")


def _check_callback_data(data: str) -> None:
    if len(data.encode()) > CALLBACK_DATA_LIMIT_BYTES:
        raise bad("BUTTON_DATA_INVALID")


def _check_web_app(web_app: dict[str, Any]) -> None:
    if fault := url_fault(web_app["url"], https_only=True):
        raise bad(f"inline keyboard button Web App URL '{web_app['url']}' is invalid: {fault}")


def _check_copy_text(copied: dict[str, Any]) -> None:
    if not 1 <= len(copied.get("text", "")) <= COPY_TEXT_LIMIT:
        raise bad("BUTTON_COPY_TEXT_INVALID")


def _allow(_value: object) -> None:
    return None


# In the order in which the official server looks for them: the first one found decides what the button is.
_BUTTON_CHECKS = {
    "url": _check_button_url,
    "callback_data": _check_callback_data,
    "switch_inline_query": _allow,
    "switch_inline_query_chosen_chat": _allow,
    "switch_inline_query_current_chat": _allow,
    "login_url": _allow,
    "web_app": _check_web_app,
    "copy_text": _check_copy_text,
}


def reactions(value: object) -> list[dict[str, Any]]:
    """The reactions a bot may put on a message: at most one, out of Telegram's list. An empty list takes it away."""
    if not value:
        return []
    if not isinstance(value, list):
        raise bad("expected an Array of ReactionType")
    for reaction in value:
        if not isinstance(reaction, dict) or reaction.get("type") not in ("emoji", "custom_emoji"):
            raise bad("can't parse ReactionType: invalid reaction type specified")
        if reaction.get("emoji", "").replace("\ufe0f", "") not in REACTIONS:
            raise bad("REACTION_INVALID")
    if len(value) > 1:
        raise bad("REACTIONS_TOO_MANY")
    return value


def commands(value: object) -> list[dict[str, Any]]:
    """The commands of a setMyCommands."""
    if not isinstance(value, list):
        raise bad("expected an Array of BotCommand")
    for command in value:
        if not command.get("command"):
            raise bad("command must be non-empty")
        if not command.get("description"):
            raise bad("command description must be non-empty")
        if not _COMMAND.fullmatch(command["command"].removeprefix("/")):
            raise bad("BOT_COMMAND_INVALID")
        if len(command["description"]) > COMMAND_DESCRIPTION_LIMIT:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID")
    if len(value) > COMMAND_LIMIT:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    return value


def album(value: object) -> list[dict[str, Any]]:
    """The items of a sendMediaGroup."""
    if not value:
        raise bad('parameter "media" is required')
    if not isinstance(value, list):
        raise bad("expected an Array of InputMedia")
    if len(value) > ALBUM_LIMIT:
        raise bad("too many messages to send as an album")
    kinds = {item.get("type") for item in value}
    for kind, name in (("document", "Document"), ("audio", "Audio")):
        if kind in kinds and len(kinds) > 1:
            raise bad(f"{name} can't be mixed with other media types")
    return value


def upload(data: bytes, kind: str) -> None:
    """A file that the bot sends: not empty, not too big, and an image where it is called a photo."""
    if not data:
        raise bad("file must be non-empty")
    if len(data) > UPLOAD_LIMIT_BYTES:
        raise ApiError(413, "Request Entity Too Large")
    if kind != "photo":
        return
    if len(data) > PHOTO_LIMIT_BYTES:
        limit = f"the maximum size is {PHOTO_LIMIT_BYTES} bytes"
        raise bad(f"file of size {len(data)} bytes is too big for a photo; {limit}")
    if not data.startswith(_IMAGE_STARTS):
        raise bad("IMAGE_PROCESS_FAILED")


def webhook(url: str, secret_token: str) -> None:
    """Where updates are to be pushed, and the token that goes along."""
    if not url.lower().startswith("https://"):
        raise bad("bad webhook: An HTTPS URL must be provided for webhook")
    if len(secret_token) > 256:
        raise bad("secret token is too long")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", secret_token):
        raise bad("secret token contains unallowed characters")
