"""Readable: what a message reads as that is more, or other, than plain words of the owner's own."""

from collections.abc import Callable, Mapping
from typing import Any

from memory.owner import Language
from memory.wording import say

FIELD_MAX = 300
"""So many characters of a name, an address or a question are shown."""


def in_words(said: Mapping[str, Any], language: Language) -> str:
    """The text by which the message of this payload is kept, found and shown to a model.

    What was forwarded stands as a quotation, line by line, so that nobody takes it for words of the owner. Never raises.
    """
    text = said.get("text")
    text = text if isinstance(text, str) else ""
    content = "\n".join(part for part in (_content(said, language), text) if part)
    if not said.get("forwarded_from"):
        return content
    quoted = "\n".join(f"> {line}" for line in content.splitlines())
    return f"{say(language, 'forwarded_from', who=_short(said['forwarded_from']))}\n{quoted}".strip()


def _content(said: Mapping[str, Any], language: Language) -> str:
    media = said.get("media")
    if not isinstance(media, Mapping):
        return ""
    details = media.get("details")
    found = details if isinstance(details, Mapping) else {}
    write = _WRITTEN.get(str(media.get("kind")))
    return write(found, language) if write else ""


def _location(found: Mapping[str, Any], language: Language) -> str:
    return say(language, "location_is", where=_point(found))


def _venue(found: Mapping[str, Any], language: Language) -> str:
    inner = found.get("location")
    point = _point(inner if isinstance(inner, Mapping) else {})
    named = (_short(found.get("title")), _short(found.get("address")), point)
    return say(language, "location_is", where=", ".join(part for part in named if part))


def _contact(found: Mapping[str, Any], language: Language) -> str:
    name = " ".join(_short(found[part]) for part in ("first_name", "last_name") if found.get(part))
    return say(
        language, "contact_is", who=", ".join(part for part in (name, _short(found.get("phone_number"))) if part)
    )


def _emoji(found: Mapping[str, Any], _: Language) -> str:
    return _short(found.get("emoji"))


def _poll(found: Mapping[str, Any], _: Language) -> str:
    options = found.get("options")
    texts = (
        [_short(one.get("text")) for one in options if isinstance(one, Mapping)] if isinstance(options, list) else []
    )
    return f"{_short(found.get('question'))} ({' / '.join(texts[:20])})" if texts else _short(found.get("question"))


_WRITTEN: Mapping[str, Callable[[Mapping[str, Any], Language], str]] = {
    "location": _location,
    "venue": _venue,
    "contact": _contact,
    "sticker": _emoji,
    "dice": _emoji,
    "poll": _poll,
}


FARTHEST = 360
"""No latitude or longitude is larger, in degrees."""


def _point(found: Mapping[str, Any]) -> str:
    both = (found.get("latitude"), found.get("longitude"))
    return ", ".join(f"{value:.6g}" for value in both if isinstance(value, int | float) and abs(value) <= FARTHEST)


def _short(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())[:FIELD_MAX]
