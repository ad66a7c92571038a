"""Attached: the words of what came with mails, so that it can be found. The bytes are read once, on their way in, and not kept.

    new and not excluded? ─► papers among the attachments ─► each on its own in a process that may be killed ─► their words

A mail is kept whatever its attachments hold and however long they take: what is not read in time is found by its name.
"""

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import structlog

from memory.file import OFFICE_ENDINGS, is_office, is_text
from memory.mail import Attachment, Mail
from tools.files.mail import contents_of
from tools.filetext import text_of

log = structlog.get_logger()

Words = Mapping[str, Mapping[int, str]]
"""By a mail's fingerprint: the words of its papers by their place among its attachments, "" where there are none to be had."""

EACH_MAX = 10
"""So many papers of one mail are read."""

SIZE_MAX_BYTES = 25 << 20
"""What providers let through; a larger one is found by its name."""

NEWS_FOR = timedelta(seconds=20)
"""So long a mail that has just come may wait for the words of what came with it: a usual paper takes half a second."""

PAST_FOR = timedelta(minutes=2)
"""So long a batch of old mails may."""

_NO_PAPER = frozenset({"text/calendar", "text/html", "text/x-vcalendar"})
"""Invitations are read as such; a page is the mail itself in another form."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A mail that brings papers, and its bytes."""

    mail: Mail
    raw: bytes


def papers_of(mail: Mail) -> dict[int, Attachment]:
    """Those of its attachments that are documents with words, by their place."""
    papers = {number: one for number, one in enumerate(mail.attachments) if _is_paper(one)}
    return dict(list(papers.items())[:EACH_MAX])


async def words_of(carriers: Iterable[Carrier], *, within_for: timedelta) -> Words:
    """The words of what these mails bring; what would take longer than `within_for` altogether is left out."""
    found: dict[str, dict[int, str]] = {}
    waiting = [(one, papers_of(one.mail)) for one in carriers]
    for one, papers in waiting:
        found[one.mail.fingerprint] = dict.fromkeys(papers, "")
    try:
        async with asyncio.timeout(within_for.total_seconds()):
            for one, papers in waiting:
                await _read(one, papers, found[one.mail.fingerprint])
    except TimeoutError:
        log.warning("attachments not read in time", action="mail.attachments_slow", mails=len(waiting))
    return found


async def _read(carrier: Carrier, papers: Mapping[int, Attachment], words: dict[int, str]) -> None:
    wanted = {one.sha256 for one in papers.values() if one.size_bytes <= SIZE_MAX_BYTES}
    contents = await asyncio.to_thread(contents_of, carrier.raw, wanted)
    for number, paper in papers.items():
        if (content := contents.get(paper.sha256)) is not None:
            words[number] = await _words(paper, content)


async def _words(paper: Attachment, content: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="stillbell-") as folder:
        path = Path(folder) / sha256(paper.name.encode("utf-8", "replace")).hexdigest()[:16]
        await asyncio.to_thread(path.write_bytes, content)
        return (await text_of(path, media_type=_media_type(paper), name=paper.name)).text


def _is_paper(attachment: Attachment) -> bool:
    if attachment.media_type in _NO_PAPER or attachment.name.lower().endswith((".ics", ".html", ".htm")):
        return False
    is_pdf = _media_type(attachment) == "application/pdf"
    return (
        is_pdf or is_office(attachment.media_type, attachment.name) or is_text(attachment.media_type, attachment.name)
    )


def _media_type(attachment: Attachment) -> str:
    """By the name where that tells: many programs call everything a stream of bytes."""
    if attachment.name.lower().endswith(".pdf"):
        return "application/pdf"
    return "" if attachment.name.lower().endswith(OFFICE_ENDINGS) else attachment.media_type
