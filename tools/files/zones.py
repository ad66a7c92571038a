"""A mail's text told apart: what it says itself, what it quotes or passes on, its signature, and what others added.

A walk over the lines, each looked at once. Lines marked with ">" are quoted. Between them, what introduces another's
words (tools/files/attribution) begins a quote: one whose lines are marked ends with its marks, one without marks goes to
the end of the mail. English and German are read here; quotequail knows the introductions of further languages and is asked
only where a word of theirs stands. From what is left, the endings are taken (tools/files/signature).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

import quotequail

from memory.mail_thread import is_forward
from tools.files.attribution import Introduction, Page
from tools.files.signature import endings, postscript

Zone = Literal["said", "attribution", "quoted", "forwarded", "signature", "footer"]

ASK_LIMIT = 20
"""How often quotequail is asked about a text; its patterns take time that grows with the square of a line's length."""

WRAPPED_AT_CHARS = 60
"""A marked line at least so long may have lost its end to the next line."""

GREETING_CHARS = 60
"""More than this above a quote is an answer; less may be "Hi Ben," or "FYI"."""

_MARK = re.compile(r"[ \t\xa0]{0,8}>")
_CITED = re.compile(r"[ \t]{0,8}([A-Za-z]{2,10})>(?: |$)")
_OTHER_MARK = re.compile(r"[ \t]{0,4}[|:](?: |$)")
# Without one of these nothing is quoted, and no line needs a second look.
_CUE = re.compile(r">|:[ \t]*$|^[ \t*_]{0,8}[^\W\d_]{1,9}[ \t]?:[^/]|[-_=*]{3}", re.MULTILINE)
_FOREIGN = re.compile(
    r"écrit ?:|escribió:|написал|skrev |escreveu:|schreef |geschreven:|réexpédié|reenviado|transféré|doorgestuurd"
    r"|vidarebefordrat|oorspronkelijk|origineel|mensaje original|пересылаемое",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\n(?:[ \t\xa0]*\n){2,}")
_PASSED_ON = re.compile(
    r"(?:fyi|fya|see below|for your information|z(?:ur)? ?(?:info|k|kenntnis)|zur information|s\. ?u\.|siehe unten)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Zones:
    """A text by its zones.

    lines, labels: the text at its line ends, and to which zone each line belongs; an empty line to that before it.
    said: what this mail itself says, answers between quotes included, without empty lines around it.
    quoted, forwarded, signature, footer: the other lines, as they stand there. Of a forwarded mail its header counts in.
    """

    lines: tuple[str, ...]
    labels: tuple[Zone, ...]

    @property
    def said(self) -> str:
        """The mail's own words."""
        return _BLANKS.sub("\n\n", self.text("said")).strip()

    @property
    def quoted(self) -> str:
        """What is quoted, marks included."""
        return self.text("quoted").strip("\n")

    @property
    def forwarded(self) -> str:
        """A mail that is passed on."""
        return self.text("forwarded").strip("\n")

    @property
    def signature(self) -> str:
        """Greeting, name and what stands below."""
        return self.text("signature").strip("\n")

    def text(self, zone: Zone) -> str:
        """The lines of `zone`, joined."""
        return "\n".join(line for line, label in zip(self.lines, self.labels, strict=True) if label == zone)


def zones(text: str, *, subject: str = "") -> Zones:
    """Tell apart the zones of a mail's visible `text`. `subject` helps to see that a mail is passed on.

    Never raises, and takes time in proportion to the length of `text`.
    """
    lines = tuple(text.split("\n"))
    labels: list[Zone] = ["said"] * len(lines)
    if _CUE.search(text):
        _Walk(lines, labels, has_foreign=_FOREIGN.search(text) is not None, subject=subject).go()
    _end(lines, labels)
    _fill(lines, labels)
    return Zones(lines, tuple(labels))


class _Walk:
    """One walk down the lines of a text, which puts labels on what is not said."""

    def __init__(self, lines: Sequence[str], labels: list[Zone], *, has_foreign: bool, subject: str) -> None:
        self._lines = lines
        self._labels = labels
        self._page = Page(lines)
        self._marked = [">" in line[:9] and _MARK.match(line) is not None and line.strip() != ">:" for line in lines]
        self._said = ""
        self._looked_to = 0
        self._asks_left = ASK_LIMIT if has_foreign else 0
        self._is_forward = is_forward(subject)

    def go(self) -> None:
        """Label the lines."""
        self._find_cited()
        at = 0
        while at < len(self._lines):
            if self._marked[at]:
                self._labels[at] = "quoted"
            elif found := self._page.introduction(at) or self._foreign(at):
                at = self._introduced(at, found)
                continue
            else:
                self._say(at)
            at += 1
        self._take_wrapped()

    def _say(self, at: int) -> None:
        if len(self._said) <= GREETING_CHARS:
            self._said = f"{self._said} {self._page.lines[at] or self._lines[at].strip()}".strip()

    def _introduced(self, here: int, found: Introduction) -> int:
        """Label what is introduced at line `here`; returns where to walk on."""
        after = self._filled(found.last + 1)
        end = len(self._lines)
        at = self._ruler_above(here)
        if found.kind == "forward":
            self._label(at, end, "forwarded")
            return end
        if after < end and (self._marked[after] or self._mark_others(after)):
            self._label(at, found.last + 1, "attribution")
            return found.last + 1
        if not found.is_sure:
            self._say(here)
            return here + 1
        if found.kind == "attribution" and len(self._said) <= GREETING_CHARS and self._has_own_marks(after):
            self._label(at, found.last + 1, "attribution")
            return found.last + 1
        if found.kind == "header" and self._is_passed_on():
            self._label(at, end, "forwarded")
        else:
            self._label(at, found.last + 1, "attribution")
            self._label(found.last + 1, end, "quoted")
        return end

    def _ruler_above(self, at: int) -> int:
        """Where the line of dashes stands that belongs to an introduction at `at`; else `at`."""
        above = next((here for here in range(at - 1, max(-1, at - 3), -1) if self._page.lines[here]), at)
        is_ruler = (
            self._labels[above] == "said" and len(line := self._page.lines[above]) >= 4 and not line.strip("-_=*")
        )
        return above if above != at and is_ruler else at

    def _has_own_marks(self, at: int) -> bool:
        """Whether marks below line `at` belong to the introduction above it, with words of this mail between the two.

        They do unless another introduction stands right above them; then they are a quote within an unmarked quote.
        """
        marked = max(at, self._looked_to)
        while marked < len(self._lines) and not self._marked[marked]:
            marked += 1
        self._looked_to = marked  # so that no line is looked at twice
        if marked == len(self._lines):
            return False
        above = next((here for here in range(marked - 1, max(at - 1, marked - 6), -1) if self._page.lines[here]), at)
        return not self._page.ends_introduction(above)

    def _is_passed_on(self) -> bool:
        """Whether the mail under a header is passed on, not answered: little or nothing was said above it."""
        return self._is_forward or not self._said or _PASSED_ON.fullmatch(self._said) is not None

    def _foreign(self, at: int) -> Introduction | None:
        """What quotequail takes for an introduction in a language other than English and German."""
        here = self._page.lines[at : at + 2]
        if not self._asks_left or not _FOREIGN.search(" ".join(here)):
            return None
        self._asks_left -= 1
        parts = quotequail.quote("\n".join(here))
        if len(parts) < 2:
            return None
        last = at + len(parts[0][1].split("\n")) - 1
        return Introduction(last, "attribution", is_sure=any(each.isdigit() for line in here for each in line))

    def _find_cited(self) -> None:
        """Mark lines that bear their author's initials ("AM> …"), when what stands above introduces them."""
        tags: dict[str, list[int]] = {}
        for at, line in enumerate(self._lines):
            if ">" in line[:20] and not self._marked[at] and (match := _CITED.match(line)):
                tags.setdefault(match[1], []).append(at)
        for tag, places in tags.items():
            above = next((line for line in reversed(self._page.lines[max(0, places[0] - 3) : places[0]]) if line), "")
            if len(places) > 1 and tag.lower() != tag and (above[:1] == ">" or above[-1:] == ":"):
                for at in places:
                    self._marked[at] = True

    def _mark_others(self, at: int) -> bool:
        """Whether the lines from `at` on are marked with another mark than ">"; then they count as marked."""
        mark = _OTHER_MARK.match(self._lines[at])
        if mark is None:
            return False
        begins = mark[0].rstrip()
        while at < len(self._lines) and self._lines[at].startswith(begins):
            self._marked[at] = True
            at += 1
        return True

    def _take_wrapped(self) -> None:
        """What a mail program broke off a long marked line stands unmarked between marked ones, and is quoted."""
        for at in range(1, len(self._lines) - 1):
            if (
                self._labels[at] == "said"
                and self._marked[at - 1]
                and self._marked[at + 1]
                and _is_broken_off(self._lines[at - 1].rstrip(), self._lines[at].strip())
            ):
                self._labels[at] = "quoted"

    def _filled(self, at: int) -> int:
        """The first line from `at` on that is not empty, or the end."""
        while at < len(self._lines) and not self._page.lines[at] and not self._lines[at].strip():
            at += 1
        return at

    def _label(self, begins: int, end: int, zone: Zone) -> None:
        self._labels[begins:end] = [zone] * (end - begins)


def _is_broken_off(above: str, line: str) -> bool:
    """Whether `line` is the end of the marked line `above`, which was too long."""
    if not line or len(above) < WRAPPED_AT_CHARS:
        return False
    if len(line) <= 32 and len(line.split()) <= 5:
        return not (line[0].isupper() and line[-1] in ".!?")
    return len(above) >= 70 and len(line) <= 80 and line[0].islower() and above[-1] not in ".!?:"


def _end(lines: Sequence[str], labels: list[Zone]) -> None:
    """Label the endings of every stretch of text that is said."""
    at = 0
    greeted: list[int] = []
    for zone, stretch in groupby(list(labels)):
        begins, at = at, at + sum(1 for _ in stretch)
        if zone != "said":
            continue
        found = endings(lines[begins:at])
        for (line, ending), (next_line, _) in pairwise([*found, (at - begins, "footer")]):
            here = range(begins + line, begins + next_line)
            added = None if ending == "footer" else postscript(lines[here.start : here.stop])
            for number in here[:added]:
                labels[number] = "footer" if ending == "footer" else "signature"
            greeted += here if ending == "greeting" else ()
    if not any(zone == "said" and line.strip() for line, zone in zip(lines, labels, strict=True)):
        # "Thanks, Ben" alone is all that was said.
        for number in greeted:
            labels[number] = "said"


def _fill(lines: Sequence[str], labels: list[Zone]) -> None:
    """Empty lines belong to what stands above them."""
    for at in range(1, len(lines)):
        if not lines[at] or lines[at].isspace():
            labels[at] = labels[at - 1]
