"""Leaving: take everything along (`stillbell export`), and leave nothing behind (`stillbell purge`)."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from bot.lock import WriterLock
from bot.settings import Settings
from memory.errors import BadInput, NotFound
from memory.sql.export import export_rows
from memory.sql.purge import purge as purge_database

OWNER = 1


def export(settings: Settings, folder: Path) -> Mapping[str, int]:
    """Write every row of the owner's into `folder` as JSON lines, a file a table, with the kept files beside them.

    Works beside a running daemon: it only reads. Returns how many rows of each table. Raises BadInput when the folder
    holds something, NotFound when there is nothing to export.
    """
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home} yet, so there is nothing to export")
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty: name a new folder, such as {folder}/stillbell-export")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A folder that was there may be open to others: nobody else reads what is in it from now on.
    folder.chmod(0o700)
    written: Counter[str] = Counter()
    with ExitStack() as stack:
        files: dict[str, IO[str]] = {}
        for table, row in export_rows(settings.database, OWNER):
            if table not in files:
                files[table] = stack.enter_context(open(folder / f"{table}.jsonl", "w", encoding="utf-8", opener=_own))
            files[table].write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
            written[table] += 1
    if settings.files.is_dir():
        shutil.copytree(settings.files, folder / "files", copy_function=_copy_own)
        (folder / "files").chmod(0o700)
    return dict(sorted(written.items()))


def _own(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _copy_own(source: str, to: str) -> None:
    shutil.copyfile(source, to)
    Path(to).chmod(0o600)


def backups(settings: Settings) -> list[Path]:
    """The backups in the data folder, oldest first. They hold what was said until they were made."""
    return sorted(settings.backups.glob("*.db")) if settings.backups.is_dir() else []


def purge(settings: Settings, *, with_backups: bool = False) -> Mapping[str, int]:
    """Erase what was said, read and kept, and the databases that a restore has put aside; backups only if told.

    Raises AnotherWriter while Stillbell runs.
    """
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home}")
    with WriterLock(settings.lock):
        gone = purge_database(settings.database)
        for folder in (settings.files, settings.outgoing, settings.decision):
            shutil.rmtree(folder, ignore_errors=True)
        aside = settings.home.glob(f"{settings.database.name}.before-restore-*")
        for file in (*settings.home.glob("stillbell.log*"), *aside):
            file.unlink()
        if with_backups:
            shutil.rmtree(settings.backups, ignore_errors=True)
    return gone
