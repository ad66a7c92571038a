"""A page's own style sheet: which of its rules hold, and for which of its elements."""

import re
from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from tools.files.css import Style, declarations, without_tricks

SHEET_LIMIT_CHARS = 200_000
RULES_LIMIT = 500
SELECTOR_LIMIT_CHARS = 2000
MATCHES_LIMIT = 100_000
"""Elements that rules are applied to, counted once a rule: what a page may cost before its rules are left alone."""

_MEDIA = re.compile(r"@media\s*([^{]*)\{", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"(?:only\s+)?(?:all|screen)?(?:\s*(?:and)?\s*\(\s*min-(?:device-)?width\s*:\s*\d{1,3}px\s*\))*\s*"
)
_MATTERS = re.compile(
    r"display|visibility|opacity|filter|font|color|background|indent|position|margin|transform|clip|overflow|content",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Commas, blanks and signs inside brackets belong to what stands there.
_COMMA = re.compile(r",(?![^()\[\]]*[)\]])")
_JOINT = re.compile(r"(?:\s*>\s*|\s+)(?![^()\[\]]*[)\]])")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def overlay(below: dict[str, tuple[str, bool]], above: Style) -> None:
    """Lay what is said later over what was said before; what is marked important stays on top."""
    below.update({name: said for name, said in above.items() if said[1] or not below.get(name, ("", False))[1]})


class Sheet:
    """What the page's own rules say of each element, found once for a whole tree.

    Which of two rules is the more specific is not weighed: the later one counts. Selectors that ask for neighbours
    ("a + b") are left out, and "a > b" is read as "a b". `is_whole` is False when there was more than we follow.
    """

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._matched: dict[str, dict[int, LexborNode]] = {}
        self._styles: dict[int, dict[str, tuple[str, bool]]] = {}
        text = "\n".join(node.text() for node in tree.css("style"))
        self.is_whole = len(text) <= SHEET_LIMIT_CHARS
        matches_left = MATCHES_LIMIT
        for count, (selector, style) in enumerate(_rules(text[:SHEET_LIMIT_CHARS])):
            matches_left -= self._apply(selector, style)
            if matches_left <= 0 or count >= RULES_LIMIT:
                self.is_whole = False
                return

    def style(self, node: LexborNode) -> Mapping[str, tuple[str, bool]]:
        """What the rules say of `node`; empty when they don't speak of it."""
        return self._styles.get(node.mem_id, {})

    def _apply(self, selectors: str, style: Style) -> int:
        count = 0
        for selector in _COMMA.split(selectors[:SELECTOR_LIMIT_CHARS]):
            if re.search(r"[+~]", _BRACKETS.sub("", selector)):
                continue
            *around, last = _JOINT.split(selector.strip())
            for mem_id, node in self._elements(last).items():
                count += 1
                if not around or self._stands_in(node, around):
                    overlay(self._styles.setdefault(mem_id, {}), style)
        return count

    def _elements(self, simple: str) -> dict[int, LexborNode]:
        """The elements of a selector without blanks: such a one is answered in one pass over the page."""
        if simple not in self._matched:
            try:
                nodes = self._tree.css(simple) if simple else []
            except (SelectolaxError, ValueError):
                nodes = []
            self._matched[simple] = {node.mem_id: node for node in nodes}
        return self._matched[simple]

    def _stands_in(self, node: LexborNode, around: list[str]) -> bool:
        """Whether the elements of `around` lie around `node` in that order; one walk up, taking the nearest of each."""
        wanted = list(around)
        above = node.parent
        while above is not None and wanted:
            if above.mem_id in self._elements(wanted[-1]):
                wanted.pop()
            above = above.parent
        return not wanted


def _rules(sheet: str) -> Iterator[tuple[str, Style]]:
    """The rules of a style sheet that hold on an ordinary screen and bear on what is seen, as selector and style.

    Rules for print, for dark mode and for narrow screens are left out.
    """
    for selector, body in _blocks(_COMMENT.sub("", sheet)):
        if _MATTERS.search(without_tricks(body)):
            yield selector, declarations(body)


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Selector and body of each rule; a media block that holds everywhere is read as if it were not there."""
    at = 0
    while (opening := sheet.find("{", at)) >= 0:
        selector = sheet[at:opening].rpartition(";")[2].rpartition("}")[2].strip()
        if selector.startswith("@"):
            media = _MEDIA.match(selector + "{")
            holds = media and any(_EVERYWHERE.fullmatch(each.strip().lower()) for each in media[1].split(","))
            at = opening + 1 if holds else _block_end(sheet, opening)
            continue
        closing = sheet.find("}", opening)
        closing = len(sheet) if closing < 0 else closing
        yield selector, sheet[opening + 1 : closing]
        at = closing + 1


def _block_end(sheet: str, opening: int) -> int:
    depth = 0
    for brace in re.finditer(r"[{}]", sheet[opening:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return opening + brace.end()
    return len(sheet)
