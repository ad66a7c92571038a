"""Visible: a text in which everything that an eye would miss is spelled out as ⟨U+200B⟩.

Spelling is one to one: two different texts never look the same because of what can't be seen, and nothing that a chat
server drops (memory/legible) is left to be dropped.
"""

import regex

# Besides what has no picture: letters that are drawn as a gap, and the marks that Telegram takes out of a text.
_UNSEEN = r"\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u0333\u033f\u030a"
_HIDDEN = regex.compile(rf"[{_UNSEEN}]")
# The opening bracket is spelled out too, or a text could write an escape of its own.
_TO_SPELL = regex.compile(
    rf"[{_UNSEEN}⟨]|[\p{{Zs}}--[ ]]|(?<=\p{{M}}{{3}})\p{{M}}|^\p{{M}}| +(?=$)|^ +|(?<= ) +", regex.V1
)
_TO_SPELL_IN_BODY = regex.compile(rf"[{_UNSEEN}⟨]|[\p{{Zs}}--[ ]]|(?<=\p{{M}}{{3}})\p{{M}}|^\p{{M}}| +(?=$)", regex.V1)
_OUTSIDE_A_LINE = regex.compile(r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]")


def hides_something(text: str) -> bool:
    """Whether an eye would miss something of this line: controls, direction marks, zero widths, tags, fillers, selectors."""
    return _HIDDEN.search(text) is not None


def is_one_line(text: str) -> bool:
    """Whether the text can stand in a header: no control characters, no line ends of any kind, no half characters."""
    return _OUTSIDE_A_LINE.search(text) is None


def revealed(line: str) -> str:
    """A field of one line as it is shown: every space beyond a single one between words is spelled out as well."""
    return str(_TO_SPELL.sub(_spelled, line))


def revealed_body(line: str) -> str:
    """One line of a longer text as it is shown: indentation and inner spaces stay, spaces at its end are spelled out."""
    return str(_TO_SPELL_IN_BODY.sub(_spelled, line))


def _spelled(found: "regex.Match[str]") -> str:
    return "".join(f"⟨U+{ord(letter):04X}⟩" for letter in found[0])
