"""Foreign words: what a stranger wrote, shown in a line of ours as an eye would see it, and doing nothing.

They can't format, for they are escaped; they can't lead away, for no address in them is one that a chat makes tappable;
they can't speak for the owner, for a tapped "/forget" would be sent in their name; they can't hide, for what has no
picture is left out.
"""

import re

from memory.defang import deadened, defang
from memory.legible import legible
from memory.markdown import escaped
from memory.visible import hides_something

# A host alone. What follows the last dot of a file's name is no top-level domain where it is one of these.
_HOST = re.compile(
    r"(?<![\w@.-])(?:[\w-]+\.)+(?!(?:pdf|docx?|xlsx?|pptx?|od[tsp]|txt|csv|jpe?g|png|gif|ics|eml|vcf)\b)[^\W\d_]{2,24}(?![\w@])",
    re.IGNORECASE,
)
_MENTION = re.compile(r"(?<![\w.@+-])@(?=\w{3})")
_COMMAND = re.compile(r"(?<![\w/<>:.\]])/(?=[A-Za-z])")


def inert(words: str) -> str:
    """Plain words on one line in which nothing can be tapped: for what stands in a row as plain words."""
    flat = " ".join(legible(words).split())
    seen = "".join(sign for sign in flat if sign == " " or not hides_something(sign))
    dead = _HOST.sub(lambda host: host[0].replace(".", "[.]"), deadened(seen))
    return _COMMAND.sub("/ ", _MENTION.sub("(at)", dead))


def foreign(words: str, most: int) -> str:
    """The same as Markdown that shows it as it is, of at most `most` letters before it was made harmless."""
    flat = " ".join(words.split())
    cut = flat if len(flat) <= most else f"{flat[: most - 1].rstrip()}…"
    return defang(escaped(inert(cut)), frozenset())
