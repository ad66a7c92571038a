"""What stands below a mail's own words: greeting and name, signature, and what a list or a company adds.

All of it works on the last lines of a stretch of text, and takes away little rather than much: a line that is left
standing is read by somebody, a line that is taken away is not.
"""

import re
from collections.abc import Callable, Sequence
from typing import Literal

Ending = Literal["greeting", "signature", "footer"]

SIGNATURE_LIMIT_LINES = 15
FOOTER_LIMIT_LINES = 40
GREETING_LIMIT_LINES = 16

_DASHES = re.compile(r"(?:--|—-?|––|__)\s*")
_STRICT = ("-- ", "--\xa0")  # RFC 3676; what follows is the signature however long
_DEVICE = re.compile(
    r"(?:\W{0,3})(?:sent (?:from|via|using|with) (?:my |the |a |an )?\w[\w.’'-]*(?: \w[\w.’'-]*){0,5}"
    r"|get outlook for \w+.{0,60}|download outlook for .{1,60}"
    r"|(?:diese nachricht wurde )?(?:von|mit) (?:meinem|der|dem|meiner) \w[\w.’'-]*(?: \w[\w.’'-]*){0,5} gesendet"
    r"|gesendet (?:von|mit|über|aus) (?:meinem |meiner |der |dem )?\w[\w.’'-]*(?: \w[\w.’'-]*){0,5}"
    r"|holen sie sich outlook für .{1,40}|(?:outlook|gmx|web\.de) (?:für|for) \w+"
    r"|envoyé (?:de(?:puis)?|à partir de) .{1,40}|enviado desde .{1,40}|inviato da .{1,40}|verzonden vanaf .{1,40})"
    r"(?:<https?://[^\s<>]{1,120}>)?\W{0,3}",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:with |my |and |many |very |so )*(?:(?:best|kind(?:est)?|warm(?:est)?|good|many|personal) ?(?:regards|wishes|thanks)"
    r"|regards|rgds|best|all the best|cheers|thanks(?: again| a lot| so much| in advance| and regards)?"
    r"|thank you(?: again| very much| so much| in advance)?|thx|sincerely(?: yours)?"
    r"|yours(?: sincerely| truly| faithfully)?|respectfully|take care|talk soon|love|cordially|hope this helps)"
    r"|(?:und |mit )*(?:(?:freundlich|best|herzlich|lieb|viel|schön|sonnig|kollegial)(?:e|en|em|sten?)? )+(?:gr[uü](?:ß|ss)e?n?|dank)"
    r"|(?:gr[uü](?:ß|ss)e?|lg|vg|mfg|bg|lieben gru(?:ß|ss)|beste|danke(?: dir| ihnen| euch)?(?: (?:und|im voraus).{0,20})?|dankeschön|hochachtungsvoll|bis (?:bald|dann|später|morgen)|servus|alles gute))"
    r"(?: (?:from|aus) [\w ]{2,30})?[ ,.!;:–-]{0,3}",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[a-zäöüß0-9)][.!?…]$")
_POSTSCRIPT = re.compile(r"(?:p\.? ?p?\.? ?s\b|nb\b|n\.b\.)", re.IGNORECASE)
_RULER = re.compile(r"[-_=*#~+.^/ ]{6,}")
_LISTED = re.compile(
    r"mailing list\b|mailman/listinfo|\bunsubscribe\b|abmelden\b|abbestellen\b|google groups|/subscription|list info|listinfo",
    re.IGNORECASE,
)
_FOOTER = re.compile(
    r"\W{0,4}(?:\[\[alternative html version deleted\]\]|-{6,} next part -{6,}"
    r"|you received this message because you are subscribed|you(?:'re| are) receiving this (?:e-?mail|message) because"
    r"|to post to this group"
    r"|reply to this email directly or view it on|this mail was scanned|virenfrei|virus-free"
    r"|do you yahoo!\?|(?:msn|hotmail|windows live)\b.{0,60}http"
    r"|(?:the information (?:contained )?in th|th(?:is|e information).{0,60}(?:e-?mail|message|communication|transmission).{0,120}"
    r"(?:confidential|intended (?:only|solely)|privileged|intended recipient))"
    r"|dies(?:e|er) (?:e-?mail|nachricht|inhalt).{0,120}(?:vertraulich|ausschlie(?:ß|ss)lich|rechtlich geschützt))",
    re.IGNORECASE,
)
# What begins like one of these is a footer when what follows bears it out.
_PERHAPS = (
    (
        re.compile(
            r"\W{0,4}(?:to (?:unsubscribe|be removed)\b|um sich .{0,60}abzumelden|wenn sie .{1,60}abmelden)",
            re.IGNORECASE,
        ),
        re.compile(r"https?:|www\.|@|\bclick\b|klicken|\b(?:this|diesen) link\b", re.IGNORECASE),
    ),
    (
        re.compile(
            r"\W{0,4}(?:(?:confidentiality|privacy|legal)\b.{0,20}(?:notice|note|statement|disclaimer)|disclaimer\b"
            r"|haftungsausschluss|vertraulichkeitshinweis)",
            re.IGNORECASE,
        ),
        re.compile(r"confidential|intended|privileged|recipient|liab|vertraulich|empfänger|haftung\b", re.IGNORECASE),
    ),
)
PROOF_LIMIT_LINES = 8


def endings(lines: Sequence[str]) -> list[tuple[int, Ending]]:
    """Where, in a stretch of text, each of its endings begins, in order; each reaches to the next or to the end.

    Lines as they were written. Looks at the last lines alone, however long the stretch.
    """
    end = _filled(lines, len(lines))
    found: list[tuple[int, Ending]] = []
    footer = _footer(lines, end)
    if footer is not None:
        found.append((footer, "footer"))
        end = _filled(lines, footer)
    looks: tuple[tuple[Ending, Callable[[Sequence[str], int], int | None]], ...]
    looks = (("signature", _signature), ("signature", _device), ("greeting", _greeting))
    for ending, look in looks:
        begins = look(lines, end)
        if begins is not None:
            found.append((begins, ending))
            end = _filled(lines, begins)
    return found[::-1]


def postscript(lines: Sequence[str]) -> int | None:
    """Where in an ending somebody adds a word of their own ("PS: …")."""
    return next((at for at, line in enumerate(lines) if _POSTSCRIPT.match(line.strip())), None)


def _filled(lines: Sequence[str], end: int) -> int:
    """`end` moved up past empty lines."""
    while end and not lines[end - 1].strip():
        end -= 1
    return end


def _footer(lines: Sequence[str], end: int) -> int | None:
    """The first line of what a list, a server or a company added."""
    begins = None
    for at in range(max(0, end - FOOTER_LIMIT_LINES), end):
        line = lines[at].strip()[:300]
        if (
            _FOOTER.match(line)
            or _is_borne_out(lines, at, end)
            or (_RULER.fullmatch(line) and _is_listed(lines, at, end))
        ):
            begins = at
            break
    if begins is None:
        return None
    above = _filled(lines, begins)
    # The ruler above a disclaimer belongs to it.
    return above - 1 if above and _RULER.fullmatch(lines[above - 1].strip()[:300]) else begins


def _is_borne_out(lines: Sequence[str], at: int, end: int) -> bool:
    for begins, proof in _PERHAPS:
        if match := begins.match(lines[at][:300]):
            below = " ".join(line[:300] for line in lines[at : min(at + PROOF_LIMIT_LINES, end)])
            return proof.search(below, match.end()) is not None
    return False


def _is_listed(lines: Sequence[str], at: int, end: int) -> bool:
    return any(_LISTED.search(line[:300]) for line in lines[at + 1 : min(at + 5, end)])


def _signature(lines: Sequence[str], end: int) -> int | None:
    """The line of dashes above a signature; the last one, when there are several."""
    for at in range(end - 1, max(-1, end - FOOTER_LIMIT_LINES - 1), -1):
        line = lines[at]
        if line in _STRICT or (_DASHES.fullmatch(line) and _is_short(lines, at + 1, end)):
            return at
    return None


def _is_short(lines: Sequence[str], begins: int, end: int) -> bool:
    filled = [line for line in lines[begins:end] if line.strip()]
    return 0 < len(filled) <= SIGNATURE_LIMIT_LINES and not any(_is_sentence(line) for line in filled[:-1])


def _device(lines: Sequence[str], end: int) -> int | None:
    """ "Sent from my …" as the last line, or with a line below it."""
    for at in range(end - 1, max(-1, end - 4), -1):
        line = lines[at].strip()
        if len(line) <= 200 and _DEVICE.fullmatch(line):
            return at
    return None


def _greeting(lines: Sequence[str], end: int) -> int | None:
    """ "Best regards," on a line of its own, with a name and little more below it."""
    for at in range(end - 1, max(-1, end - GREETING_LIMIT_LINES - 1), -1):
        line = lines[at].strip()
        if len(line) <= 60 and _CLOSING.fullmatch(line):
            return at if _is_name_below(lines, at + 1, end) else None
    return None


def _is_name_below(lines: Sequence[str], begins: int, end: int) -> bool:
    added = postscript(lines[begins:end])
    below = [line.strip() for line in lines[begins:end][:added] if line.strip()]
    if not below:
        return False
    name = below[0]
    is_name = len(name) <= 50 and len(name.split()) <= 6 and name[-1] not in "?!:" and name[:1].isalpha()
    return is_name and not any(_is_sentence(line) for line in below)


def _is_sentence(line: str) -> bool:
    line = line.strip()
    return len(line) > 100 or (len(line.split()) >= 6 and _SENTENCE.search(line[-3:]) is not None)
