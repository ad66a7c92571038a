"""A fact's quote: it stands in its source, word by word, or there is no fact."""

import re

QUOTE_MAX = 200

_SENTENCE_END = re.compile(r"[.!?…](?=[\s\"'“”)]|$)|\n[ \t]*\n|\n(?=[ \t]*[-*•>])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:dr|prof|mr|mrs|ms|st|nr|no|z\. ?b|d\. ?h|u\. ?a|e\.g|i\.e|ca|bzw|usw)|\b\d{1,2}|\b[a-z])$", re.I
)


def standing_in(text: str, quote: str) -> str | None:
    """The quote as it stands in `text`; None when it doesn't, is longer than QUOTE_MAX, or begins or ends within a word.

    Between words any white space is as good as another: nothing else may differ.
    """
    found = _find(text, quote)
    return found.group() if found else None


def sentence_around(text: str, quote: str) -> str | None:
    """The whole sentence in which the quote stands, and the next ones as far as it reaches; None when it stands nowhere."""
    found = _find(text, quote)
    if found is None:
        return None
    ends = [
        0,
        *(end.end() for end in _SENTENCE_END.finditer(text) if not _ABBREVIATED.search(text[: end.start()][-8:])),
    ]
    start = max(end for end in ends if end <= found.start())
    stop = min((end for end in ends if end >= found.end()), default=len(text))
    return text[start:stop].strip()


def _find(text: str, quote: str) -> re.Match[str] | None:
    words = quote.split()
    if not words or len(quote.strip()) > QUOTE_MAX:
        return None
    pattern = r"(?<!\w)" if words[0][0].isalnum() else ""
    pattern += r"\s+".join(re.escape(word) for word in words)
    pattern += r"(?!\w)" if words[-1][-1].isalnum() else ""
    found = re.search(pattern, text)
    return found if found and len(found.group()) <= QUOTE_MAX else None
