"""Leaving: take everything along (`stillbell export`), and leave nothing behind (`stillbell purge`)."""

import json
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
    written: Counter[str] = Counter()
    with ExitStack() as stack:
        files: dict[str, IO[str]] = {}
        for table, row in export_rows(settings.database, OWNER):
            if table not in files:
                files[table] = stack.enter_context((folder / f"{table}.jsonl").open("w", encoding="utf-8"))
            files[table].write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
            written[table] += 1
    if settings.files.is_dir():
        shutil.copytree(settings.files, folder / "files")
    return dict(sorted(written.items()))


def purge(settings: Settings) -> Mapping[str, int]:
    """Erase what was said, read and kept. Raises AnotherWriter while Stillbell runs."""
    if not settings.database.exists():
        raise NotFound(f"nothing is kept in {settings.home}")
    with WriterLock(settings.lock):
        gone = purge_database(settings.database)
        shutil.rmtree(settings.files, ignore_errors=True)
        for log in settings.home.glob("stillbell.log*"):
            log.unlink()
    return gone
