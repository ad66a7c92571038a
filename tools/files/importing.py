"""Importing: mail files read into the ledger, a batch at a time.

    survey ─► begin (which import is this, how far did it come?) ─► batch ─► add (mails, faults, position: one commit) ─► …
                                                                     ▲───────────────────────────────────────────┘

What was committed stays; a killed import goes on at the byte after it. The same mail met again is counted, not kept.
Reading is work for the processor and happens beside the event loop, one batch in memory at a time.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TypeVar

from memory.clock import Clock
from memory.ledger import Ledger, Tables
from memory.mail import Mail
from tools.attached import PAST_FOR, Carrier, Words, papers_of, words_of
from tools.files.mail import UnreadableMail, read_mail
from tools.files.mailbox import MailFile, MailFilesError, SkippedFile, read_from, survey
from tools.oneself import claim, own_addresses, tell

T = TypeVar("T")

BATCH_MAILS = 50
"""Mails in one commit: the owner's own message waits behind at most one, some tens of milliseconds."""

BATCH_BYTES = 1 << 20
"""A batch of large mails ends earlier; one mail alone may be larger."""

FILES_AT_ONCE = 500
"""Files announced to the ledger in one commit."""

FAULTS_TOLD = 50
"""How many of the mails that could not be read are told of by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far an import has come. The counts are this run's; the bytes include what an earlier run had read."""

    file: str = ""
    done_bytes: int = 0
    total_bytes: int = 0
    files: int = 0
    new: int = 0
    repeated: int = 0
    bad: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of an import: the last progress, what could not be read as (file, byte, reason), and how many are kept.

    `faults` are the first of all runs over this path; `skipped` are files that hold no mail. `asked`: the address that most of the
    mail went to, while none is known to be the owner's; "" otherwise.
    """

    progress: ImportProgress
    faults: tuple[tuple[str, int, str], ...]
    skipped: tuple[SkippedFile, ...]
    kept: int
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What was read of one file in one go, from `start_byte` to before `end_byte`. carriers: the mails that bring papers."""

    file: MailFile
    start_byte: int
    end_byte: int
    mails: tuple[Mail, ...] = ()
    faults: tuple[tuple[int, str], ...] = ()
    carriers: tuple[Carrier, ...] = ()


async def import_mail(
    path: Path,
    *,
    ledger: Ledger,
    owner_id: int,
    clock: Clock,
    on_progress: Callable[[ImportProgress], None],
    me: Sequence[str] = (),
) -> Imported:
    """Import the mail at `path` (absolute): an mbox, a single mail, or a folder of them.

    me: addresses of the owner's, besides those of accounts; mail of earlier imports that was written from them is theirs, too.
    `on_progress` is called on the event loop after each commit. May be cancelled at any time and called again. Raises
    MailFilesError when there is no mail at all; a file or mail that can't be read is a fault and ends nothing.
    """
    found = await asyncio.to_thread(survey, path)
    if me:
        await ledger.write(lambda t: tell(t, owner_id, me))
    await claim(ledger, owner_id)
    import_id = await _begin(ledger, owner_id, path, found.files, clock.now())
    starts = await _starts(ledger, import_id, found.files)
    batches = read_batches([(file, starts[file.path]) for file in found.files], now=clock.now())
    progress = ImportProgress(
        done_bytes=sum(starts.values()),
        total_bytes=sum(file.size_bytes for file in found.files),
        files=len(found.files),
    )
    on_progress(progress)
    while batch := await asyncio.to_thread(next, batches, None):
        now = clock.now()
        words = await _attached(ledger, owner_id, batch)
        new = await ledger.write(
            lambda t, batch=batch, now=now, words=words: _add(t, owner_id, import_id, batch, now=now, words=words)  # type: ignore[misc]
        )
        progress = _further(progress, batch, new)
        on_progress(progress)
    return await ledger.write(
        lambda t: _finish(
            t, owner_id=owner_id, import_id=import_id, progress=progress, skipped=found.skipped, now=clock.now()
        )
    )


def read_batches(files: Sequence[tuple[MailFile, int]], *, now: datetime) -> Iterator[list[Part]]:
    """The mails of `files`, each from its byte on, in batches of at most BATCH_MAILS mails or about BATCH_BYTES bytes."""
    batch: list[Part] = []
    for file, start_byte in files:
        for part in _parts(file, start_byte, now):
            batch.append(part)
            if _is_full(batch):
                yield batch
                batch = []
    if batch:
        yield batch


def _is_full(batch: Sequence[Part]) -> bool:
    mails = sum(max(1, len(part.mails) + len(part.faults)) for part in batch)
    return mails >= BATCH_MAILS or sum(part.end_byte - part.start_byte for part in batch) >= BATCH_BYTES


def _parts(file: MailFile, start_byte: int, now: datetime) -> Iterator[Part]:
    """A file in parts, each no larger than a batch; none when nothing is left to read."""
    part = Part(file=file, start_byte=start_byte, end_byte=start_byte)
    try:
        for raw in read_from(file, start_byte=start_byte):
            try:
                mail = read_mail(raw.raw, now=now)
            except UnreadableMail as error:
                part = replace(part, faults=(*part.faults, (raw.start_byte, str(error))), end_byte=raw.end_byte)
            else:
                mail = replace(mail, was_cut=True, faults=(*mail.faults, raw.fault)) if raw.fault else mail
                carriers = (*part.carriers, Carrier(mail, raw.raw)) if papers_of(mail) else part.carriers
                part = replace(part, mails=(*part.mails, mail), end_byte=raw.end_byte, carriers=carriers)
            if _is_full([part]):
                yield part
                part = Part(file=file, start_byte=raw.end_byte, end_byte=raw.end_byte)
    except MailFilesError as error:
        # The position stays before what could not be read, so that the next import tries it again.
        part = replace(part, faults=(*part.faults, (part.end_byte, str(error))))
    if part.mails or part.faults:
        yield part


async def _attached(ledger: Ledger, owner_id: int, batch: Sequence[Part]) -> Words:
    """The words of what came with those mails that will be kept."""
    bring = [one for part in batch for one in part.carriers]
    if not bring:
        return {}
    wanted = await ledger.read(lambda t: [one for one in bring if t.mails.is_wanted(owner_id, one.mail)])
    return await words_of(wanted, within_for=PAST_FOR)


async def _begin(ledger: Ledger, owner_id: int, path: Path, files: Sequence[MailFile], now: datetime) -> int:
    import_id = 0
    for some in _in_slices(files):
        named = [(str(file.path), file.size_bytes) for file in some]
        import_id = await ledger.write(
            lambda t, named=named: t.imports.begin(owner_id=owner_id, path=str(path), files=named, now=now)  # type: ignore[misc]
        )
    return import_id


async def _starts(ledger: Ledger, import_id: int, files: Sequence[MailFile]) -> dict[Path, int]:
    starts: dict[Path, int] = {}
    for some in _in_slices(files):
        starts |= await ledger.read(
            lambda t, some=some: {file.path: _start(t, import_id, file) for file in some}  # type: ignore[misc]
        )
    return starts


def _start(tables: Tables, import_id: int, file: MailFile) -> int:
    """Where to go on. A single mail that has another size than it had is another mail, and read from its start."""
    position = tables.imports.position(import_id, str(file.path))
    return position if file.kind == "mbox" or position == file.size_bytes else 0


def _add(tables: Tables, owner_id: int, import_id: int, batch: Sequence[Part], *, now: datetime, words: Words) -> int:
    mine = own_addresses(tables, owner_id)
    return sum(
        tables.imports.add(
            owner_id=owner_id,
            import_id=import_id,
            file=str(part.file.path),
            mails=part.mails,
            mine=mine,
            faults=part.faults,
            end_byte=part.end_byte,
            now=now,
            attached=words,
        )
        for part in batch
    )


def _further(progress: ImportProgress, batch: Sequence[Part], new: int) -> ImportProgress:
    return replace(
        progress,
        file=str(batch[-1].file.path),
        done_bytes=progress.done_bytes + sum(part.end_byte - part.start_byte for part in batch),
        new=progress.new + new,
        repeated=progress.repeated + sum(len(part.mails) for part in batch) - new,
        bad=progress.bad + sum(len(part.faults) for part in batch),
    )


def _finish(
    tables: Tables,
    *,
    owner_id: int,
    import_id: int,
    progress: ImportProgress,
    skipped: tuple[SkippedFile, ...],
    now: datetime,
) -> Imported:
    tables.imports.finish(import_id, now=now)
    return Imported(
        progress=progress,
        faults=tuple(tables.imports.faults(import_id, FAULTS_TOLD)),
        skipped=skipped,
        kept=tables.mails.count(owner_id),
        asked="" if own_addresses(tables, owner_id) else tables.mails.most_written_to(owner_id),
    )


def _in_slices(files: Sequence[MailFile]) -> Iterator[list[MailFile]]:
    rest = iter(files)
    while some := list(islice(rest, FILES_AT_ONCE)):
        yield some
