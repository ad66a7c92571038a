"""Finds the sentences that are labelled as promises or not, by hand.

The English sentences come from the data folder (`STILLBELL_DATA`) and are no part of this repository: a label names the
file, the record in it and the offsets in that record's text, and the hash of the sentence proves that it is the one that was
read. The German ones were written for this set and stand beside their labels, as were the messages of chats in both
languages (`promises-chat-…`), each with what somebody else said before it. Of those, `open` holds what whoever wrote the
rules had written, and half of what another hand wrote and labelled without sight of the rules; `kept` is the other half.
`text` is the whole message where the sentence is a part of it.

Each language is halved by the hash of its sentence. `open` is to develop against. `kept`, in files of its own, is for the
last measurement alone: whoever writes rules looks at neither its sentences nor its labels.

A label: `label` is promise, conditional, offer, question (a request too, with `why` = request) or other. `action_span`,
`due_span` and `to_span` count on the squeezed sentence; `to` is the reader's name or pronoun where the promise holds one.
`source.stratum` is how the sentence was drawn: by strong or broad cues, by a first person's will, within a quote (its marks
are in the text), or at random among the sentences without any cue (`none`), a fifth of the set, so that recall is honest.

A record's text, in which offsets count characters:
- `clinton/mail-2009-2010.jsonl.gz`: the `body` of the line whose `doc` is named,
- `mail/enron-inboxes.tar.gz`: the first text/plain part of the member that is named, its transfer encoding undone, as latin-1,
- `mail/r-lists-mbox.tar.gz`: `member#n` is message n, from 0, of that member: what follows the first empty line, as UTF-8
  where it is, else as latin-1,
- `requests/email-intent-train.txt.gz`: what follows the tab in line n, from 0, as latin-1.

    STILLBELL_DATA=../shared/data python -m evals.labels.find
"""

import email
import gzip
import hashlib
import json
import os
import re
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

Part = Literal["open", "kept"]
Record = dict[str, Any]
Texts = Iterator[tuple[str, str]]
"""A file's records: name and text."""

HERE = Path(__file__).parent
DEFAULT_DATA = HERE.parents[2] / "shared" / "data"
MESSAGE = re.compile(rb"^From \S.*\d{4}\r?$", re.MULTILINE)
HEAD_END = re.compile(rb"\r?\n\r?\n")


class DataMissingError(Exception):
    """The data folder is not there, or is not the one that was labelled."""


def squeeze(text: str) -> str:
    """Stripped, every run of whitespace as one space: what the hashes, `action_span` and `due_span` are counted on."""
    return " ".join(text.split())


def digest(sentence: str) -> str:
    """The hash that stands for a sentence."""
    return hashlib.sha256(squeeze(sentence).encode()).hexdigest()


def data_folder() -> Path:
    """Where the data is: beside the repository when nothing else is said."""
    return Path(os.environ.get("STILLBELL_DATA") or DEFAULT_DATA)


def labels(language: Literal["en", "de", "chat-en", "chat-de"], part: Part = "open") -> list[Record]:
    """The label records of one language and part, in the order of their file."""
    kept = "-kept" if part == "kept" else ""
    lines = (HERE / f"promises-{language}{kept}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def english(part: Part = "open", data: Path | None = None) -> Iterator[tuple[str, str, Record]]:
    """Each English sentence, squeezed, with its paragraph as it stands, line breaks and all, and its label."""
    folder = data or data_folder()
    records = labels("en", part)
    wanted: dict[str, set[str]] = defaultdict(set)
    for record in records:
        wanted[record["source"]["file"]].add(record["source"]["record"])
    texts = {(file, name): text for file, names in wanted.items() for name, text in _texts(folder, file, names)}
    for record in records:
        source = record["source"]
        text = texts.get((source["file"], source["record"]))
        if text is None:
            raise DataMissingError(
                f"{folder / source['file']} has no record {source['record']}: not the data that was labelled"
            )
        start, end = source["span"]
        sentence = squeeze(text[start:end])
        if digest(sentence) != record["sha256"]:
            raise DataMissingError(
                f"{source['record']} in {folder / source['file']} reads otherwise than when it was labelled"
            )
        start, end = source["paragraph"]
        yield sentence, text[start:end], record


def german(part: Part = "open") -> Iterator[tuple[str, str, Record]]:
    """Each German sentence, alone in its paragraph, with its label; the pieces are given as spans, as in English."""
    for record in labels("de", part):
        sentence = record["sentence"]
        spans = {f"{name}_span": _span(sentence, record[name]) for name in ("action", "due", "to")}
        yield sentence, sentence, record | spans


def chats(language: Literal["en", "de"], part: Part = "open") -> Iterator[tuple[str, str, Record]]:
    """Each message of a chat with what was said before it, "" for nothing, and its label. `action` and `due` are its own words."""
    for record in labels(f"chat-{language}", part):
        spans = {f"{name}_span": _span(record["sentence"], record[name]) for name in ("due",)}
        yield record["sentence"], record["before"] or "", record | spans


def piece(sentence: str, span: Sequence[int] | None) -> str | None:
    """The piece of a sentence that a span names."""
    return None if span is None else sentence[span[0] : span[1]]


def _span(sentence: str, part: str | None) -> list[int] | None:
    if part is None:
        return None
    start = sentence.index(part)
    return [start, start + len(part)]


def _texts(folder: Path, file: str, names: set[str]) -> Texts:
    path = folder / file
    if not path.exists():
        raise DataMissingError(f"not run: no data at {path}; STILLBELL_DATA names the folder that holds {file}")
    read = {"clinton": _clinton, "mail/enron": _enron, "mail/r-lists": _lists, "requests": _requests}
    return next(reader for start, reader in read.items() if file.startswith(start))(path, names)


def _clinton(path: Path, names: set[str]) -> Texts:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            mail = json.loads(line)
            if mail["doc"] in names:
                yield mail["doc"], mail["body"]


def _enron(path: Path, names: set[str]) -> Texts:
    for member, raw in _members(path, names):
        message = email.message_from_bytes(raw)
        plain = next((part for part in message.walk() if part.get_content_type() == "text/plain"), None)
        content = plain.get_payload(decode=True) if plain else None
        if isinstance(content, bytes):
            yield member, content.decode("latin-1")


def _lists(path: Path, names: set[str]) -> Texts:
    wanted: dict[str, set[int]] = defaultdict(set)
    for name in names:
        box, _, position = name.rpartition("#")
        wanted[box].add(int(position))
    for member, raw in _members(path, wanted.keys()):
        starts = [found.start() for found in MESSAGE.finditer(raw)]
        for number in sorted(wanted[member]):
            if number < len(starts):
                end = starts[number + 1] if number + 1 < len(starts) else len(raw)
                yield f"{member}#{number}", _body(raw[starts[number] : end])


def _body(message: bytes) -> str:
    head = HEAD_END.search(message)
    body = message[head.end() :] if head else b""
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _requests(path: Path, names: set[str]) -> Texts:
    for number, line in enumerate(gzip.decompress(path.read_bytes()).split(b"\n")):
        if str(number) in names:
            yield str(number), line.decode("latin-1").split("\t", 1)[1].rstrip("\r")


def _members(path: Path, names: Container[str]) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.name in names and (content := archive.extractfile(member)):
                yield member.name, content.read()


def main() -> int:
    """Find everything once and count."""
    try:
        for part in ("open", "kept"):
            for language, found in (
                ("en", english(part)),
                ("de", german(part)),
                ("en chats", chats("en", part)),
                ("de chats", chats("de", part)),
            ):
                counts = Counter(record["label"] for _, _, record in found)
                print(f"{language:8} {part:4}  {sum(counts.values()):4}  {dict(counts.most_common())}")
    except DataMissingError as missing:
        print(missing)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
