"""A mail's signature: the role, the employer, the phone and the city of whoever signed, where they stand beyond doubt.

Nothing is read before the line in which the sender's own name stands: what is above it, and a signature without a name
of theirs, may be anybody's. What stands behind a colon ("Geschäftsführer: …") is the company's, not theirs.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from memory.facts.role import is_role
from memory.people.mailbox import FREEMAIL, domain_of, folded_name

LINES_MAX = 10
"""So many lines below the name are looked at."""

SEGMENT_MAX, WORDS_MAX, LINE_MAX = 70, 9, 200

_BETWEEN = re.compile(r"\s*[|•·∙●‖¦]\s*|\s+[–—-]\s+|\s*//\s*|\s+/\s+|\t+|\s{3,}|\s*;\s+")
_STROKE = re.compile(r"\s[|•·]\s")
_FOR = re.compile(r"^(?:i\.\s?[AV]\.|ppa\.|gez\.)\s*", re.IGNORECASE)
_AT = re.compile(r"\s+(?:at|@|bei|bei der|beim)\s+", re.IGNORECASE)
_LEGAL = re.compile(
    r"(?:registered|company (?:no|number)|amtsgericht|handelsregister|hrb|ust|vat|steuernummer|sitz der|iban|bic|place of"
    r"|vorsitzender|geschäftsführung:|geschäftsführer(?:in)?:|managing directors?:|ceo:|vorstand:|aufsichtsrat)\b",
    re.IGNORECASE,
)

_FIRM = re.compile(
    r"(?:^|.*\s)(?:g?GmbH|mbH|AG|SE|UG|KG|KGaA|OHG|GbR|e\.\s?V\.|e\.\s?K\.|Ltd\.?|Limited|Inc\.?|LLC|LLP|L\.P\.|PLC|plc|Corp\.?"
    r"|Corporation|B\.V\.|N\.V\.|S\.A\.|S\.?[aà]\.?r\.?l\.?|AB|Oy|A/S|Pty)(?:\s.{0,40})?"
)
_HOUSE = re.compile(
    r"(?:.*\s)?(?:University|Universität|Hochschule|Institut[eo]?|College|Stiftung|Foundation|Ministerium|Kanzlei)(?:\s.{0,40})?"
)
_LABEL = r"(?:t|p|d|m|o|tel|tel\.|telefon|telephone|phone|ph|fon|mobile?|mob|cell|cellphone|handy|direct|direkt|durchwahl|office|büro)"
_NUMBER = r"(?P<number>\+?\(?\d[\d\s()./–-]{5,22}\d)"
_PHONE = re.compile(rf"(?:{_LABEL}\s*[.:]?:?\s*)?{_NUMBER}(?:\s*\({_LABEL}\))?", re.IGNORECASE)
_LABELLED = re.compile(rf"(?:^|[\s|,;])(?P<label>{_LABEL})\b\s*[.:]{{0,2}}\s*{_NUMBER}", re.IGNORECASE)
_FAX = re.compile(r"\b(?:f|fax|telefax|facsimile)\b\s*[.:]?:?\s*\+?\(?\d[\d\s()./–-]+", re.IGNORECASE)
_DIGITS_MIN, _DIGITS_MAX = 7, 15

_CITY = r"(?P<city>[A-ZÄÖÜ][\w.'’-]+(?:(?: am | an der | im |/| )[A-ZÄÖÜ(][\w.()'’-]+){0,2})"
_POSTAL = tuple(
    re.compile(text)
    for text in (
        rf"(?:^|[\s,|•·–])(?:DE?[- ]|F[- ]|I[- ]|E[- ])?\d{{5}} {_CITY}",
        rf"(?:^|[\s,|•·–])(?:A|AT|CH|L|LU|NL|B|DK)-\d{{4}} {_CITY}",
        r"(?:^|[\s,|•·])(?P<city>[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}),? [A-Z]{2},? \d{5}(?:-\d{4})?\b",
        r"(?:^|[\s,|•·])(?P<city>[A-Z][a-z]+(?: [A-Z][a-z]+)?),? [A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b",
    )
)
_NO_CITY = re.compile(r"(?:Universit|Hochschule|Institut|Fax|Tel|Phone|Box|Mobil|Street|Stra)", re.IGNORECASE)
_COUNTRY = re.compile(r"[\s,]+(?:cedex|germany|deutschland|austria|österreich|switzerland|schweiz)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Signed:
    """What a signature says: a kind of fact, its value, and the line it stands in."""

    kind: str
    value: str
    quote: str


def signed(lines: Sequence[str], *, name: str, address: str) -> tuple[Signed, ...]:
    """What stands in the last lines of a mail below the sender's own name. name, address: the sender's."""
    at = _name_line(lines, name)
    if at is None:
        return ()
    block = list(_block(lines, at, name))
    role = next(_roles(block), None)
    employer = _employer(block, address, has_role=role is not None)
    found = [one for one in (role, employer) if one]
    if employer or domain_of(address) not in FREEMAIL:
        found += [one for one in (_office(block),) if one]
    return (*found, *_phones(block))


def block_below_name(lines: Sequence[str], name: str) -> Sequence[str]:
    """Where nothing marks a signature: the last lines of a mail, from one that is the sender's full name, or begins with it
    and a stroke."""
    last = [line for line in lines if line.strip()][-LINES_MAX - 1 :]
    whole = folded_name(name)
    starts = [
        at
        for at, line in enumerate(last[:-1])
        if len(whole) > 1 and folded_name(_STROKE.split(line.strip())[0]) == whole
    ]
    return last[starts[-1] :] if starts else ()


def _name_line(lines: Sequence[str], name: str) -> int | None:
    """The first line that begins with the sender's name, or with the first or last word of it alone."""
    whole = folded_name(name)
    if not whole:
        return None
    for at, line in enumerate(lines):
        signs = _FOR.sub("", line.strip())
        first = folded_name(_BETWEEN.split(signs)[0].partition(",")[0])
        if first and len(first) <= len(whole) + 1 and (set(first) <= set(whole) or set(whole) <= set(first)):
            return at
    return None


def _block(lines: Sequence[str], at: int, name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The lines that count, each with its segments: the name's own line without the name, and those below it."""
    words = set(folded_name(name))
    own = _FOR.sub("", lines[at].strip())
    segments = [part for segment in _segments(own) if (part := _without_name(segment, words))]
    if segments:
        yield lines[at].strip(), segments
    for line in [line.strip() for line in lines[at + 1 :] if line.strip()][:LINES_MAX]:
        if _LEGAL.search(line):
            return
        if len(line) <= LINE_MAX:
            yield line, _segments(line)


def _without_name(segment: str, words: set[str]) -> str:
    """A segment of the name's own line without the name: nothing where that is all of it."""
    return ", ".join(dropwhile(lambda part: set(folded_name(part)) <= words, segment.split(", ")))


def _segments(line: str) -> list[str]:
    return [part for part in (_BETWEEN.split(line.strip())) if part]


def _roles(block: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Signed]:
    for line, segments in block[:4]:
        for segment in segments:
            parts = [_AT.split(part)[0].strip(" ,") for part in segment.split(", ")]
            if leading := list(takewhile(_is_role, parts)):
                yield Signed("role", ", ".join(leading), line)


def _employer(block: Sequence[tuple[str, Sequence[str]]], address: str, *, has_role: bool) -> Signed | None:
    """A firm by its legal form, or by the domain of the address, or what stands behind a role and "at"."""
    for line, segments in block[:6]:
        for part in (part for segment in segments for part in _without_roles(segment)):
            role, *rest = _AT.split(part, maxsplit=1)
            if rest and has_role and _is_role(role) and _is_short(rest[0]) and rest[0][:1].isupper():
                return Signed("employer", rest[0].strip(" ,"), line)
            if _is_short(part) and (_FIRM.fullmatch(part) or (not _is_role(part) and _is_of_domain(part, address))):
                return Signed("employer", part.strip(" ,"), line)
            house = next((one for one in part.split(", ") if _HOUSE.fullmatch(one) and not _is_role(one)), None)
            if house and _is_short(house):
                return Signed("employer", house.strip(" ,"), line)
    return None


def _without_roles(segment: str) -> Sequence[str]:
    """The segment whole, a firm may have commas in its name; where it begins with a role, what stands behind that."""
    parts = segment.split(", ")
    return list(dropwhile(_is_role, parts)) if _is_role(parts[0]) else (segment,)


def _is_role(part: str) -> bool:
    return _is_short(part) and is_role(part)


def _is_of_domain(segment: str, address: str) -> bool:
    """Whether the domain is made of these words: "Heron Capital" at heron.example or heroncapital.example."""
    domain = domain_of(address)
    if not domain or domain in FREEMAIL or not segment[:1].isupper():
        return False
    label = "".join(sign for sign in domain.split(".")[-2 if domain.count(".") else 0] if sign.isalnum())
    words = folded_name(segment)
    return len(label) > 3 and bool(words) and len(words) <= 4 and label in (words[0], "".join(words))


def _is_short(part: str) -> bool:
    return (
        0 < len(part) <= SEGMENT_MAX
        and len(part.split()) <= WORDS_MAX
        and not re.search(r"[@:!?]|www\.|\d{3}|[.]$(?<!\.[VKvAaSP]\.)(?<!Inc\.)(?<!Ltd\.)(?<!Corp\.)(?<!Co\.)", part)
    )


def _office(block: Sequence[tuple[str, Sequence[str]]]) -> Signed | None:
    for line, _ in block:
        for pattern in _POSTAL:
            found = pattern.search(line)
            if found and not _NO_CITY.match(found["city"]):
                return Signed("office", _COUNTRY.sub("", found["city"]), line)
    return None


def _phones(block: Sequence[tuple[str, Sequence[str]]]) -> list[Signed]:
    """At most two numbers: labelled ones, or lines that are nothing else and begin with +; never a fax."""
    found: dict[str, Signed] = {}
    for line, _ in block:
        bare = _FAX.sub(" ", line)
        numbers = [one["number"] for one in _LABELLED.finditer(bare)]
        whole = _PHONE.fullmatch(bare.strip())
        if not numbers and whole and whole["number"].startswith("+"):
            numbers = [whole["number"]]
        for number in numbers:
            digits = "".join(sign for sign in number if sign.isdigit())
            if _DIGITS_MIN <= len(digits) <= _DIGITS_MAX:
                found.setdefault(digits[-8:], Signed("phone", " ".join(number.split()), line))
    return list(found.values())[:2]
