"""The handed mail as documents: what the evals of the search are filled with."""

import email.header
import gzip
import json
import os
import re
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from pathlib import Path

from memory.search.document import Document, person_of

_BORDER = re.compile(rb"(?m)^From (?=\S).*\d{4}\r?\n")


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as far as the evals go."""

    name: str
    who: str
    to: str
    subject: str
    text: str
    at: datetime | None
    message_id: str
    answers: str
    folder: str

    def as_document(self, ref: str, *, earlier: timedelta = timedelta()) -> Document:
        """What an importer would make of it, dated so much earlier."""
        return Document(
            corpus="mail",
            ref=ref,
            who=self.who,
            title=self.subject,
            text=self.text,
            at=self.at - earlier if self.at else None,
            place=f"work/{self.folder}",
            people=[person_of(one) for one in self.to.split(",")[:5] if one.strip()],
        )


def data_folder() -> Path:
    """Where the data lie that are no part of the repository."""
    return Path(os.environ.get("STILLBELL_DATA") or Path(__file__).parents[2] / "shared" / "data")


def letters(folder: Path) -> Iterator[Letter]:
    """Every mail of the lists, the inboxes and the one owner."""
    yield from list_letters(folder)
    yield from _inbox_letters(folder)
    yield from _owner_letters(folder)


def list_letters(folder: Path) -> Iterator[Letter]:
    """The mails of the mailing lists."""
    with tarfile.open(folder / "mail" / "r-lists-mbox.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            for n, raw in enumerate(_BORDER.split(file.read()) if file else []):
                if letter := _letter(raw, f"{member.name}:{n}", member.name.split("/")[0]):
                    yield letter


def _inbox_letters(folder: Path) -> Iterator[Letter]:
    with tarfile.open(folder / "mail" / "enron-inboxes.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() and not member.name.endswith(".DS_Store") else None
            if file and (letter := _letter(file.read(), member.name, member.name.split("/")[0])):
                yield letter


def _owner_letters(folder: Path) -> Iterator[Letter]:
    with gzip.open(folder / "clinton" / "mail-2009-2010.jsonl.gz", "rt") as lines:
        for line in lines:
            one = json.loads(line)
            at = datetime.fromisoformat(one["sent"]).replace(tzinfo=UTC) if one["sent"] else None
            yield Letter(
                one["doc"], one["from_"] or "", one["to"] or "", one["subject"] or "", one["body"], at, "", "", "office"
            )


def _letter(raw: bytes, name: str, folder: str) -> Letter | None:
    message = BytesParser(policy=compat32).parsebytes(raw)
    body = message.get_payload(decode=True)
    if not isinstance(body, bytes) or not body.strip():
        return None
    return Letter(
        name=name,
        who=_field(message, "From").replace(" at ", "@"),
        to=_field(message, "To"),
        subject=_field(message, "Subject"),
        text=_decoded(body),
        at=_moment(message),
        message_id=_field(message, "Message-ID"),
        answers=_field(message, "In-Reply-To") or _field(message, "References").split(" ")[-1],
        folder=folder,
    )


def _field(message: Message, name: str) -> str:
    value = str(message.get(name) or "")
    with suppress(LookupError, ValueError):
        value = str(email.header.make_header(email.header.decode_header(value)))
    return " ".join(value.encode("utf-8", "replace").decode().split())


def _moment(message: Message) -> datetime | None:
    try:
        at = parsedate_to_datetime(str(message.get("Date")))
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def in_another_corpus(document: Document, number: int) -> Document:
    """The same as a file, every other time."""
    return replace(document, corpus="file", ref=f"file:{number}") if number % 3 == 2 else document
