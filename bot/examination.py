"""The examination: gathers what the doctor's checks look at, with a running daemon or without one."""

import shutil
from datetime import datetime
from pathlib import Path

from bot import choosing
from bot.doctor import (
    Begun,
    Finding,
    Held,
    Kept,
    Live,
    Seen,
    check_accounts,
    check_chain,
    check_clock,
    check_database,
    check_decision,
    check_disk,
    check_exclusions,
    check_imports,
    check_lock,
    check_meaning,
    check_model,
    check_settings,
    check_telegram,
    check_watched,
    check_web,
)
from bot.lacking import lack_of
from bot.lock import holder, is_held
from bot.settings import Settings
from jobs.watched import watched_by
from memory.errors import StillbellError
from memory.ledger import Tables
from memory.sql.ledger import SqlReader
from memory.tables.counters import PASSED_OVER
from memory.watched import Watched
from tools.embedding.choosing import installed_weights
from tools.exclusions import ExclusionFile
from tools.learning.keeping import load
from tools.vault import Vault


async def examine(settings: Settings, *, live: Live | None, now: datetime) -> list[Finding]:
    """One finding each for settings, database, lock, clock, Telegram, web, model, every account, every watched place,
    imports, finding by meaning, exclusions, the decision model, the audit's chain, disk.

    `live` is the running daemon's word; without it the settings have to tell who would answer.
    """
    kept, trouble = await _kept(settings, now)
    model, model_trouble = (live.parts.model, live.parts.model_trouble) if live else _model(settings)
    return [
        check_settings(settings.home / "settings.env"),
        check_database(settings.database, kept, trouble),
        check_lock(is_held=_is_held(settings.lock), holder=holder(settings.lock), live=live),
        check_clock(now, kept),
        check_telegram(has_token=settings.telegram_token is not None, live=live, now=now),
        check_web(port=settings.web_port, live=live),
        check_model(model, model_trouble),
        *check_accounts(kept.accounts if kept else (), live=live, now=now),
        *check_watched(_watched(kept, live), live=live, now=now),
        check_imports(kept.imports if kept else ()),
        check_meaning(
            settings.embedder, installed=installed_weights(), live=live, passages=kept.passages if kept else 0
        ),
        _exclusions(settings, kept),
        _decision(settings, kept),
        check_chain(kept.chain if kept else None),
        check_disk(settings.home, shutil.disk_usage(_nearest(settings.home)).free),
    ]


async def _kept(settings: Settings, now: datetime) -> tuple[Kept | None, str | None]:
    if not settings.database.exists():
        return None, None
    try:
        async with SqlReader(settings.database, ExclusionFile(settings.exclusions)) as ledger:
            return await ledger.read(lambda t: _told(t, now, Vault(settings.vault))), None
    except StillbellError as error:
        return None, str(error)


def _told(tables: Tables, now: datetime, vault: Vault) -> Kept:
    owner = tables.owners.get(1)
    newest = tables.thread.history(1, limit=1)
    return Kept(
        mails=tables.mails.count(1),
        newest_at=newest[0].at if newest else None,
        wall=owner.zones.wall_at(now),
        zone=owner.zones.zone_at(now).key,
        accounts=tuple(
            Held(
                account=account,
                mails=tables.mails.count(1, account_id=account.id),
                events=tables.calendars.count(1, account_id=account.id),
                lack=lack_of(account.name, account.kind, account.settings, vault),
            )
            for account in tables.accounts.present(1)
        ),
        passed_over=tables.counts.total(PASSED_OVER, owner_id=1),
        chain=tables.audit.verified(),
        watched=tuple(_on_the_list(one) for one in watched_by(tables, 1)),
        passages=tables.search.readiness(1).passages,
        imports=tuple(
            Begun(path=path, is_done=is_done, bad=bad) for path, is_done, bad in tables.imports.all(owner_id=1)
        ),
    )


def _on_the_list(one: Watched) -> Seen:
    missing = "" if Path(one.path).exists() else "it is not there (or its disk is not)"
    return Seen(kind=one.kind, path=one.path, trouble=missing)


def _watched(kept: Kept | None, live: Live | None) -> tuple[Seen, ...]:
    """What is on the list, as the running daemon sees it where it has looked."""
    seen = {(one.kind, one.path): one for one in live.parts.watched} if live else {}
    return tuple(seen.get((one.kind, one.path), one) for one in (kept.watched if kept else ()))


def _exclusions(settings: Settings, kept: Kept | None) -> Finding:
    try:
        rules, trouble = len(ExclusionFile(settings.exclusions).lines()), None
    except StillbellError as error:
        rules, trouble = 0, f"{error} (in {settings.exclusions}); nothing is read until it is mended"
    return check_exclusions(rules, kept.passed_over if kept else 0, trouble)


def _decision(settings: Settings, kept: Kept | None) -> Finding:
    mails = kept.mails if kept else 0
    try:
        return check_decision(load(settings.decision), mails=mails)
    except StillbellError as error:
        return check_decision(None, mails=mails, trouble=str(error))


def _model(settings: Settings) -> tuple[str | None, str | None]:
    try:
        choice = choosing.model(settings)
    except StillbellError as error:
        return None, str(error)
    return (choice.describe("instinct") if choice else None), None


def _is_held(lock: Path) -> bool:
    return lock.exists() and is_held(lock)


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next(path for path in (folder, *folder.parents) if path.exists())
