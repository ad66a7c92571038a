"""Whether a mail is a server's word that another mail did not arrive, and what it says of it (RFC 3464)."""

import re
from collections.abc import Iterator, Sequence
from email.message import Message

from memory.mail import Address, Bounce, Undelivered
from tools.files.charset import clean
from tools.files.fields import Fields
from tools.files.part import children, field_of

BOUNCES_LIMIT = 20
LOOK_CHARS = 5000
DIAGNOSTIC_LIMIT_CHARS = 500

_SERVER = re.compile(
    r"(?:mailer-daemon|postmaster|mail-daemon|mailerdaemon|microsoftexchange\w{8,64})(?:[+-].*)?", re.IGNORECASE
)
_SUBJECT = re.compile(
    r"(?:undeliver(?:ed|able)\b|delivery status notification|(?:mail|message) delivery (?:failed|failure|status)"
    r"|delivery (?:failed|failure|has failed)|returned mail|failure notice|warning: (?:could not send|message delayed)"
    r"|mail (?:delivery system|could not be delivered)|delayed(?: mail|:)|unzustellbar|nicht zustellbar"
    r"|(?:ihre )?(?:e-?mail|mail|nachricht|zustellung)\b.{0,40}(?:nicht zugestellt|fehlgeschlagen|verzögert)|(?:un|nicht )zugestellte (?:mail|nachricht))",
    re.IGNORECASE,
)
_STATUS = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
_ADDRESS = re.compile(r"[^\s<>()\"',;:@\[\]]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
# qmail and Postfix name the recipient at the beginning of a line, and then what was said.
_NAMED = re.compile(r"^[ \t]{0,4}<([^\s<>@]{1,64}@[\w.-]{1,253})>:?", re.MULTILINE)

# By the class and detail of RFC 3463, the first that fits.
_WHY: tuple[tuple[str, Undelivered], ...] = (
    (r"4\.", "delayed"),
    (r"5\.1\.(?:0|1|2|3|6|10)$", "no such address"),
    (r"5\.2\.1$", "no such address"),
    (r"5\.2\.2$", "mailbox full"),
    (r"5\.(?:2\.3|3\.4)$", "too large"),
    (r"5\.7\.", "refused"),
    (r"5\.(?:1\.8|1\.7|6\.)", "refused"),
    (r"5\.(?:4|3)\.", "not reachable"),
)
_SAID: tuple[tuple[str, Undelivered], ...] = (
    (r"no such user|user unknown|unknown user|does ?n[o']t exist|address (?:not found|rejected)|mailbox (?:not found|unavailable)"
     r"|recipient (?:unknown|rejected|not found)|invalid recipient|host (?:unknown|not found)|domain not found|existiert nicht|unbekannt", "no such address"),
    (r"mailbox (?:is )?full|over quota|quota exceeded|postfach.{0,20}voll|insufficient.{0,20}storage", "mailbox full"),
    (r"too large|size limit|exceeds.{0,20}size|zu groß", "too large"),
    (r"spam|blocked|blacklist|blocklist|denied|policy|not authori[sz]ed|rejected|abgelehnt|verweigert", "refused"),
    (r"timed? out|connection refused|no route|unreachable|not reachable|nicht erreichbar", "not reachable"),
)  # fmt: skip


def read_bounces(
    *, kind: str, fields: Fields, sender: Address | None, subject: str, text: str, reports: Sequence[Message]
) -> tuple[bool, tuple[Bounce, ...]]:
    """Whether this is a bounce, and what it says of each recipient.

    `kind` is the mail's content type. A report of nothing but success, or that a mail was read, is none.
    """
    told = [bounce for report in reports for bounce in _reported(report)]
    if reports:
        failed = tuple(bounce for bounce in told if bounce is not None)
        return bool(failed) or not told, failed[:BOUNCES_LIMIT]
    if not _is_bounce(kind, fields, sender, subject):
        return False, ()
    return True, tuple(_guessed(fields, subject, text[:LOOK_CHARS]))


def _is_bounce(kind: str, fields: Fields, sender: Address | None, subject: str) -> bool:
    """Without a report of the form: a server wrote it, to nobody's answer or under a subject that says so."""
    content_type = fields.first("content-type").lower()
    if kind == "multipart/report":
        return "delivery-status" in content_type
    if fields.all("x-failed-recipients"):
        return True
    local = ((sender.address if sender else None) or "").rpartition("@")[0]
    is_server = _SERVER.fullmatch(local) is not None
    is_unanswerable = fields.first("return-path").strip() == "<>"
    return (is_server and (is_unanswerable or _SUBJECT.match(subject) is not None)) or (
        is_unanswerable and _SUBJECT.match(subject) is not None
    )


def _reported(report: Message) -> Iterator[Bounce | None]:
    """For each recipient of a report what became of the mail, None where it arrived."""
    for block in children(report)[: BOUNCES_LIMIT + 1]:
        whom = field_of(block, "final-recipient") or field_of(block, "original-recipient")
        if not whom:
            continue
        action = field_of(block, "action").lower()
        status = _STATUS.search(field_of(block, "status")[:100])
        said = _plain(field_of(block, "diagnostic-code").partition(";")[2] or field_of(block, "diagnostic-code"))
        if action.startswith(("delivered", "relayed", "expanded")):
            yield None
            continue
        code = status[0] if status else _code_in(said)
        yield Bounce(
            recipient=_address_in(whom.rpartition(";")[2]),
            why="delayed" if action.startswith("delayed") else _why(code, said),
            status=code,
            diagnostic=said,
        )


def _guessed(fields: Fields, subject: str, text: str) -> Iterator[Bounce]:
    """What a bounce of no known form says, as far as it can be told."""
    named = [match for value in fields.all("x-failed-recipients") for match in _ADDRESS.findall(value[:2000])]
    named = named or _NAMED.findall(text)
    code = _code_in(text)
    is_delay = re.search(r"delay|warning|verzöger", subject, re.IGNORECASE) is not None
    why: Undelivered = "delayed" if is_delay else _why(code, text)
    for recipient in list(dict.fromkeys(named))[:BOUNCES_LIMIT] or [""]:
        yield Bounce(recipient=clean(recipient), why=why, status=code)


def _why(status: str, said: str) -> Undelivered:
    for pattern, why in _WHY:
        if re.match(pattern, status):
            return why
    return next((why for pattern, why in _SAID if re.search(pattern, said, re.IGNORECASE)), "other")


def _code_in(text: str) -> str:
    found = _STATUS.search(text)
    return found[0] if found and found[1] != "2" else ""


def _address_in(value: str) -> str:
    found = _ADDRESS.search(value[:500])
    return clean(found[0]) if found else ""


def _plain(value: str) -> str:
    return clean(" ".join(value[: 4 * DIAGNOSTIC_LIMIT_CHARS].split()))[:DIAGNOSTIC_LIMIT_CHARS]
