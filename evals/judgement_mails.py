"""One owner's real mail, as it was released under the freedom of information, read as exchanges.

The texts were scanned: letters are wrong, headers are torn, and half of the mails show no recipients. What the release
added (stamps, redaction codes, notes of classification) is taken out first, since it was not there when the owner read.
Mails are read in the order of time, and each with what was known from the ones before it: who is who, which thread it
belongs to. So what is read of a mail is the same whatever comes after it, which `judgement` checks.
"""

import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory.decide.exchange import OWNER, Exchange
from memory.mail_thread import subject_key

ZONE = ZoneInfo("America/New_York")
"""The owner's home. Times in the release are wall time, as is assumed here, of this zone."""

THREAD_FOR = timedelta(days=14)
HEADERS_NEAR = 7
"""Two header lines within so many lines begin a quoted mail."""

Row = dict[str, Any]

_STAMP = re.compile(
    r"UNCLASSIFIED|U\.?S\.? Department of State|Case No\.|Doc No\.|STATE-?\s?[S5]CB|RELEASE IN (?:PART|FULL)|STEA30|"
    r"SUBJECT TO AGREEMENT|HOUSE SELECT|BENGHAZI COMM|FOIA WAIVER|REDACTIONS"
)
_NOTE = re.compile(r"(?:Classified by D|Reason: ?[\dB]|Declassify on|Class: [CSU]).*")
_CODE = re.compile(r"(?<!\S)(?:B[1-7]|1\.4\(?[A-D]\)?|[BP]7\([A-E]\)|B[1-7],?B[1-7]|NR|PII)(?!\S)")
_HEADER = re.compile(r"\W{0,3}(?:From|Sent|To|Cc|Date|Subject|Importance|Attachments?)\s*:", re.IGNORECASE)
_BEGINS = re.compile(
    r"\W*-*\s*(?:Original Message|Forwarded message|Begin forwarded)|On .{5,80}wrote:|In a message dated ",
    re.IGNORECASE,
)
_FROM = re.compile(r"^\W{0,3}From\s*:\s*(.*)$", re.IGNORECASE | re.MULTILINE)
_SUBJECT = re.compile(r"^\W{0,3}Subject\s*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)
_TORN = re.compile(r"\W{0,3}(?:To|Sent|Cc|Subject)\s*:", re.IGNORECASE)
_ATTACHED = re.compile(r"\W{0,3}Attachments?\s*:", re.IGNORECASE)
_URGENT = re.compile(r"\W{0,3}Importance\s*:\s*High", re.IGNORECASE)
_MINE = re.compile(r"h[do0]r22|hrod17|\bh[a-z]*\d[a-z0-9]*@", re.IGNORECASE)
_MY_NAME = re.compile(r"h2?|hrc|h\W*")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the owner did with a received mail by the labels: `label` is reply, forward, none or other; `at` when."""

    label: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Parts:
    """A body: what it says, what stands below, and what its own headers told."""

    said: str
    below: str
    attachments: int
    is_urgent: bool


def rows_in(folder: Path, what: str) -> list[Row]:
    """The rows of all files of a kind ("mail", "labels") in a folder."""
    rows: list[Row] = []
    for path in sorted(folder.glob(f"{what}-*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    return rows


def in_time(mails: Iterable[Row]) -> list[Row]:
    """Mails in the order of time; at the same minute what came before what was sent."""
    return sorted(mails, key=lambda mail: (mail["sent"], mail["owner_sent"], mail["doc"]))


def outcomes(mails: Iterable[Row], labels: Iterable[Row]) -> dict[str, Outcome]:
    """What became of each labelled mail."""
    sent_at = {mail["doc"]: moment(mail["sent"]) for mail in mails}
    found = {}
    for label in labels:
        acts = [each["doc"] for each in label["evidence"] if each["kind"] in ("reply", "forward")]
        times = [sent_at[doc] for doc in acts if doc in sent_at]
        found[label["doc"]] = Outcome(label["label"], min(times, default=None))
    return found


def answered(labels: Iterable[Row]) -> dict[str, str]:
    """Which mail each of the owner's answers: what In-Reply-To would tell in a mailbox, and in no scan."""
    return {
        each["doc"]: label["doc"]
        for label in labels
        for each in label["evidence"]
        if each["kind"] in ("reply", "forward")
    }


def moment(wall: str) -> datetime:
    """A time of the release as aware UTC."""
    return datetime.fromisoformat(wall).replace(tzinfo=ZONE).astimezone(UTC)


def cleaned(body: str) -> str:
    """The body without what the release added."""
    lines = body.replace("\f", "\n").split("\n")
    return "\n".join("" if _STAMP.search(line) else _CODE.sub("", _NOTE.sub("", line)).rstrip() for line in lines)


def parts(body: str) -> Parts:
    """What a cleaned body says itself, and what it quotes or passes on."""
    lines = body.strip("\n").split("\n")
    said: list[str] = []
    attachments, is_urgent = 0, False
    for at, line in enumerate(lines):
        if at < 4 and _ATTACHED.match(line):
            attachments += max(1, len(re.findall(r"\.\w{3,4}\b", line)))
        elif at < 4 and _URGENT.match(line):
            is_urgent = True
        elif _BEGINS.match(line) or _begins_headers(lines, at):
            return Parts("\n".join(said).strip(), "\n".join(lines[at:]).strip(), attachments, is_urgent)
        else:
            said.append(line)
    return Parts("\n".join(said).strip(), "", attachments, is_urgent)


def _begins_headers(lines: Sequence[str], at: int) -> bool:
    return (
        bool(_HEADER.match(lines[at])) and sum(bool(_HEADER.match(line)) for line in lines[at : at + HEADERS_NEAR]) > 1
    )


class Persons:
    """Who is who, through misread letters, by what was seen so far."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._short: dict[str, str] = {}

    def key(self, written: str) -> str:
        """The person behind what stands in a header: "first last" where a name was read, else what the address begins with."""
        if written not in self._keys:
            self._keys[written] = self._found(written)
        return self._keys[written]

    def _found(self, written: str) -> str:
        if _MINE.search(written):
            return OWNER
        name, _, address = written.partition("<")
        words = self._words(name)
        if _MY_NAME.fullmatch(" ".join(words) or "-"):
            return OWNER
        box = re.sub(r"[^a-z]", "", re.split("[@©]", (address or name).lower())[0])
        if len(words) > 1 and not re.search("[@©]", name):
            return self._joined(f"{words[0]} {words[-1]}", box if address else "")
        return self._by_box(box) or box or "?"

    @staticmethod
    def _words(name: str) -> list[str]:
        bare = re.sub(r"\s{3,}.*|\(.*?\)", "", name.strip().strip("'\"").lower())
        last, comma, first = bare.partition(",")
        turned = f"{re.split('[ .]', first.strip())[0]} {last.replace(' ', '')}" if comma else bare
        return re.findall(r"[a-z'-]+", turned)

    def _joined(self, name: str, box: str) -> str:
        """The name, or that of whom it looks like a misreading: the same address, or nearly the same letters."""
        known = self._short.get(box) if box else None
        if known is None:
            close = get_close_matches(name, set(self._short.values()), n=1, cutoff=0.86)
            known = close[0] if close else name
        first, last = known.split(" ", 1)
        self._short.setdefault(last + first[0], known)
        if box:
            self._short.setdefault(box, known)
        return known

    def _by_box(self, box: str) -> str | None:
        if box in self._short:
            return self._short[box]
        for end in range(len(box), 4, -1):
            if box[:end] in self._short:
                return self._short[box[:end]]
        close = get_close_matches(box, self._short, n=1, cutoff=0.86) if len(box) > 5 else []
        return self._short[close[0]] if close else None

    def several(self, written: str) -> tuple[str, ...]:
        """Everybody in a header of recipients."""
        found = (self.key(each.strip()) for each in re.split(r";|\s{4,}", written) if re.search("[A-Za-z]", each))
        return tuple(dict.fromkeys(found))


class Reader:
    """Reads mails as exchanges, in order of time. `answers` is what `answered` tells."""

    def __init__(self, answers: dict[str, str]) -> None:
        self._answers = answers
        self._persons = Persons()
        self._by_subject: dict[str, tuple[str, datetime]] = {}
        self._thread_of: dict[str, str] = {}

    def read(self, mail: Row) -> Exchange:
        """The next mail."""
        body, at = parts(cleaned(mail["body"])), moment(mail["sent"])
        answers = self._answers.get(mail["doc"]) if mail["owner_sent"] else None
        return Exchange(
            fingerprint=mail["doc"],
            thread=self._thread(mail, body, at, answers),
            at=at,
            sender=OWNER if mail["owner_sent"] else self._persons.key(mail["from_"]),
            sender_name=mail["from_"].partition("<")[0].strip(),
            to=self._persons.several(mail["to"]),
            cc=self._persons.several(mail["cc"]),
            by_owner=mail["owner_sent"],
            subject=mail["subject"],
            said=body.said,
            below=body.below,
            answers=answers,
            answers_owner=not mail["owner_sent"] and self._quotes_owner(body),
            is_urgent=body.is_urgent,
            attachments=body.attachments,
        )

    def _quotes_owner(self, body: Parts) -> bool:
        # Where a header was torn, the first author left in the text is not the first that was quoted.
        if not body.said and _TORN.match(body.below):
            return False
        first = _FROM.search(body.below[:800])
        return first is not None and self._persons.key(first[1].strip() or "?") == OWNER

    def _thread(self, mail: Row, body: Parts, at: datetime, answers: str | None) -> str:
        inner = _SUBJECT.search(body.below[:1500])
        subject = subject_key(mail["subject"]) or (subject_key(inner[1]) if inner else "")
        known = self._by_subject.get(subject)
        thread = self._thread_of.get(answers or "") or (
            known[0] if known and at - known[1] < THREAD_FOR else mail["doc"]
        )
        if subject:
            self._by_subject[subject] = (thread, at)
        self._thread_of[mail["doc"]] = thread
        return thread
