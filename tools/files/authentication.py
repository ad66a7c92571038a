"""What the receiving server found about a mail's origin, read from what it wrote above it (RFC 8601)."""

import re
from collections.abc import Iterator

from memory.mail import Authenticity, Result
from tools.files.charset import clean
from tools.files.fields import Fields

HEADER_LIMIT_CHARS = 10_000
RESULTS_LIMIT = 50

# What is neither a yes nor a no is that nobody knows: a policy of the domain to say nothing, a server that was away.
_RESULTS: dict[str, Result] = {
    "pass": "pass",
    "fail": "fail",
    "hardfail": "fail",
    "softfail": "fail",
    "policy": "fail",
    "none": "none",
    "neutral": "none",
}
_FOUND = re.compile(r"([a-z0-9-]{1,20})(?:/\d{1,3})? ?= ?([a-z]{1,20})\b", re.IGNORECASE)
_DOMAIN = re.compile(r"\bheader\.(d|i) ?= ?\"?(?:[^\s;@\"]{0,64}@)?([\w.-]{1,253})", re.IGNORECASE)
_PIECES = re.compile(r"\"(?:[^\"\\]|\\.)*\"|\\.|[();]|[^\"\\();]+|\"", re.DOTALL)

_Findings = list[tuple[str, Result, str]]


def read_authenticity(fields: Fields) -> Authenticity:
    """DKIM, SPF and DMARC as the topmost Authentication-Results says.

    Those below it count only where the same server wrote them and the mail had not yet been through another's hands:
    above the topmost Received. Any other may have come with the mail. Who trusts this compares `server` with the name of
    the owner's own. Where nothing is said of SPF, Received-SPF is asked.
    """
    headers = fields.all("authentication-results")
    surely_own = max(1, fields.above("authentication-results", "received"))
    server, found = _read(headers[0]) if headers else ("", [])
    for other in headers[1:surely_own]:
        name, more = _read(other)
        found += more if name == server else []
    dkim = [(result, domain) for method, result, domain in found if method == "dkim"]
    spf = _one(found, "spf")
    if spf == "unknown":
        spf = _RESULTS.get(_first_word(next(iter(fields.all("received-spf")), "")), "unknown")
    return Authenticity(
        dkim=_best([result for result, _ in dkim]),
        spf=spf,
        dmarc=_one(found, "dmarc"),
        server=server,
        domain=next((domain for result, domain in dkim if result == "pass"), ""),
        envelope=_envelope(fields),
    )


def _envelope(fields: Fields) -> str:
    """Whom the topmost Return-Path names, "<>" for nobody; a server writes it where it delivers."""
    value = clean(next(iter(fields.all("return-path")), "")).strip().lower()[:255]
    return value.strip("<> ") or value


def _read(header: str) -> tuple[str, _Findings]:
    """Who wrote the results, "" when it does not say, and (method, result, domain that signed) for each."""
    server = ""
    found: _Findings = []
    for number, clause in enumerate(_clauses(header[:HEADER_LIMIT_CHARS])):
        result = _FOUND.match(clause)
        if result is None:
            # The name of the server, then perhaps the version of what it wrote.
            server = clean(clause.split()[0]).lower()[:255] if number == 0 and clause else server
        elif len(found) < RESULTS_LIMIT:
            found.append((result[1].lower(), _RESULTS.get(result[2].lower(), "unknown"), _signer(clause)))
    return server, found


def _clauses(header: str) -> Iterator[str]:
    """What stands between semicolons, without comments and with runs of blanks made one."""
    depth = 0
    clause = ""
    for piece in _PIECES.findall(header):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(0, depth - 1)
            clause += " "
        elif piece == ";" and not depth:
            yield " ".join(clause.split())
            clause = ""
        elif not depth:
            clause += piece
    yield " ".join(clause.split())


def _signer(clause: str) -> str:
    """The domain that signed: header.d says it, else what stands behind the @ of header.i."""
    domains = {name.lower(): domain.lower().rstrip(".") for name, domain in _DOMAIN.findall(clause)}
    return clean(domains.get("d") or domains.get("i") or "")


def _one(found: _Findings, method: str) -> Result:
    return next((result for name, result, _ in found if name == method), "unknown")


def _best(results: list[Result]) -> Result:
    """Of several signatures one that holds is enough."""
    order: tuple[Result, ...] = ("pass", "fail", "none")
    return next((result for result in order if result in results), "unknown")


def _first_word(value: str) -> str:
    return (value.split() or [""])[0].lower().strip(";:(")
