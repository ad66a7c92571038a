"""Text as a chat keeps it.

A chat server drops or replaces some characters after the text has left. Whoever counts, checks or defangs must therefore
look at what stays, or a dropped character can put together again what a check saw in two parts.
"""

import re
import unicodedata

_DROPPED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u0333\u033f\u030a]")
_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_RINGED = re.compile("[AUWYauwy]\u030a")


def legible(text: str) -> str:
    """Return `text` without control characters, direction overrides and broken surrogates; lines end in a line feed.

    Tabs stay. A lone surrogate becomes U+FFFD, two that belong together become their character. Combining marks that
    Telegram removes (U+0333, U+033F, U+030A) go; a ring is first joined to its letter, so that no "å" is lost.
    """
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    ringed = _RINGED.sub(lambda pair: unicodedata.normalize("NFC", pair[0]), whole)
    return _DROPPED.sub("", _LINE_ENDS.sub("\n", ringed))
