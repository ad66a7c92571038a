"""Bytes made into text when the charset that was declared is missing, wrong or unheard of."""

import codecs
import re
from functools import lru_cache

# Codecs of Python that are no charset of mail: they execute escapes, take quadratic time or always fail.
_NOT_CHARSETS = frozenset(
    {"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem", "unicode_internal"}
)
# What senders declare and what they then write: the wider set of the same family, as web browsers read it.
_WIDER = {
    "ascii": "utf-8",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "big5hkscs",
    "tis-620": "cp874",
}
_ALIASES = {
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "ks_c_5601-1987": "cp949",
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
}
_FALLBACKS = ("utf-8", "cp1252", "latin-1")
# Tab, newline and carriage return stay; every other control character has no business in text.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def read_text(data: bytes, charset: str | None) -> tuple[str, str | None]:
    """Decode `data`; returns the text and, when the declared charset did not serve, what was wrong with it.

    Never raises: an unknown or failing charset falls back to UTF-8, then Windows-1252, then Latin-1.
    """
    if data.isascii() and (charset is None or _is_ascii_superset(charset)):
        return data.decode("ascii"), None
    codec = _codec(charset) if charset else None
    if codec is not None:
        try:
            return data.decode(codec), None
        except (UnicodeError, ValueError):
            return _guess(data), f"text is not in its charset {_shown(charset)}"
    return _guess(data), f"unknown charset {_shown(charset)}" if charset else None


def to_bytes(text: str, charset: str) -> bytes:
    """`text` in `charset`, or in UTF-8 when there is no such charset; what cannot be written becomes a "?"."""
    return text.encode("ascii" if text.isascii() else _codec(charset) or "utf-8", "replace")


def clean(text: str) -> str:
    """Drop control characters and lone surrogates, which no database or terminal should be given."""
    if text.isprintable():
        return text
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub("", text))


def _guess(data: bytes) -> str:
    for codec in _FALLBACKS[:-1]:
        try:
            return data.decode(codec)
        except UnicodeError:
            continue
    return data.decode(_FALLBACKS[-1])


@lru_cache(maxsize=256)
def _codec(charset: str) -> str | None:
    """The name of the codec to decode `charset` with, or None when there is none."""
    name = charset.strip(" \t\r\n\"'").split("*")[0].lower()
    try:
        codec = codecs.lookup(_ALIASES.get(name, name)).name
        b"0".decode(codec)
    except UnicodeError:
        pass  # half a character: the codec is one of text
    except (LookupError, ValueError):
        return None
    return None if codec in _NOT_CHARSETS else _WIDER.get(codec, codec)


@lru_cache(maxsize=256)
def _is_ascii_superset(charset: str) -> bool:
    """Whether plain ASCII bytes mean themselves: not so in UTF-7, UTF-16, ISO-2022 and their like."""
    codec = _codec(charset)
    return codec is not None and not codec.startswith(("utf-7", "utf-16", "utf-32", "iso2022", "hz", "cp037", "cp500"))


def _shown(charset: str | None) -> str:
    return clean(charset or "")[:40]
