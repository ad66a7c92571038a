"""The doctor: whether each part can do its work, one line each, with what to do when it can't.

    settings ─ database ─ lock ─ clock ─ telegram ─ web ─ model ─ accounts ─ watched ─ imports ─ meaning ─ excluded
      ─ decision ─ chain ─ disk

Every check is a function from facts to a finding; the facts are gathered outside, with a daemon or without one.
"""

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter

from bot.lacking import Lack
from memory.account import Account
from memory.audit_chain import Verified
from memory.decide.score import Fitted

State = Literal["ok", "off", "warn", "bad"]

SILENT_AFTER = timedelta(seconds=90)
"""A poller that has not come back for this long is stuck: a round is answered within 50 seconds even when nothing is new."""

CLOCK_SLACK_FOR = timedelta(minutes=1)
"""How far the clock may stand before the newest row without being taken for wrong."""

UNSEEN_AFTER = timedelta(hours=1)
"""An account is looked at every minute; one that was not for this long, without failing, is stuck."""

DISK_BAD_BYTES = 200_000_000
DISK_WARN_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of the doctor. `next_step` is what to do; empty when nothing is to be done."""

    name: str
    state: State
    text: str
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """How the parts of a running daemon that reach out are doing.

    round_at: when Telegram last answered (aware UTC); None when it is off or never did. telegram_trouble,
    model_trouble: what stands in the way just now, in words. model: who answers, in words; None without a model.
    web: the address of the web chat; None when it does not listen. meaning_trouble: why nothing is found by meaning.
    watched: how each watched place does.
    """

    telegram: Literal["off", "unpaired", "paired"] = "off"
    round_at: datetime | None = None
    telegram_trouble: str | None = None
    model: str | None = None
    model_trouble: str | None = None
    web: str | None = None
    meaning_trouble: str | None = None
    watched: tuple["Seen", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A watched place: when it was looked at (aware UTC; None for not yet), what is in the way, and how many of its items
    can't be read. is_reading: a look is under way."""

    kind: str
    path: str
    looked_at: datetime | None = None
    trouble: str = ""
    items: int = 0
    bad: int = 0
    is_reading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """How far the index of meanings has come. model: None while none is in use."""

    model: str | None = None
    passages: int = 0
    embedded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What a running daemon tells of itself. parked: jobs that were given up, as "kind: last error"."""

    pid: int
    jobs: Mapping[str, int] = field(default_factory=dict)
    parked: tuple[str, ...] = ()
    parts: Parts = Parts()
    meaning: Meant = Meant()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What the database tells of itself: how much is in it, the owner's clock, the accounts, and the audit's chain.

    passed_over: how much the exclusions kept out, ever.
    """

    mails: int
    newest_at: datetime | None
    wall: datetime
    zone: str
    accounts: tuple["Held", ...] = ()
    passed_over: int = 0
    chain: Verified | None = None
    watched: tuple[Seen, ...] = ()
    passages: int = 0
    imports: tuple["Begun", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """An import of mail: from where, whether it came to its end, and how many mails it could not read."""

    path: str
    is_done: bool
    bad: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An account, and how much of what came by it is kept. lack: what is wrong with its secret."""

    account: Account
    mails: int
    events: int
    lack: Lack | None = None


_LIVE: TypeAdapter[Live] = TypeAdapter(Live)


def live_as_json(live: Live) -> dict[str, Any]:
    """For the wire."""
    written: dict[str, Any] = _LIVE.dump_python(live, mode="json")
    return written


def live_from_json(data: Mapping[str, Any]) -> Live:
    """From the wire."""
    return _LIVE.validate_python(data)


def check_settings(file: Path) -> Finding:
    """The settings were read, and their file keeps its secrets to itself."""
    if not file.exists():
        return Finding(name="settings", state="ok", text=f"from the environment (there is no {file})")
    if _is_open_to_others(file):
        return Finding(
            name="settings",
            state="warn",
            text=f"{file} can be read by other users, and it may hold keys",
            next_step=f"chmod 600 {file}",
        )
    return Finding(name="settings", state="ok", text=str(file))


def check_database(file: Path, kept: Kept | None, trouble: str | None) -> Finding:
    """It is there, ours, readable, and the owner's alone. `trouble` is what opening it raised."""
    if trouble is not None:
        return Finding(name="database", state="bad", text=trouble)
    if kept is None:
        return Finding(name="database", state="off", text=f"there is no {file} yet", next_step="make run makes it")
    if _is_open_to_others(file):
        return Finding(
            name="database", state="warn", text=f"{file} can be read by other users", next_step=f"chmod 600 {file}"
        )
    size = file.stat().st_size / 1e6
    return Finding(name="database", state="ok", text=f"{file}, {size:,.1f} MB, {kept.mails:,} mails")


def check_lock(*, is_held: bool, holder: str, live: Live | None) -> Finding:
    """One writer or none; and the one there is answers, and gives nothing up."""
    if not is_held:
        return Finding(name="lock", state="off", text="free: Stillbell is not running", next_step="make run")
    if live is None:
        return Finding(
            name="lock",
            state="bad",
            text=f"{holder} holds it and does not answer",
            next_step="wait a minute if it has just started; else stop that process and start again",
        )
    waiting = live.jobs.get("pending", 0) + live.jobs.get("running", 0)
    text = f"{holder}; {waiting} jobs to do"
    if live.parked:
        return Finding(
            name="lock",
            state="warn",
            text=f"{text}, {len(live.parked)} given up, the last: {live.parked[-1]}",
            next_step="the log says how they failed",
        )
    return Finding(name="lock", state="ok", text=text)


def check_clock(now: datetime, kept: Kept | None) -> Finding:
    """The clock stands after everything that was written down; `now` is aware UTC."""
    if kept is None:
        return Finding(name="clock", state="ok", text=f"{now:%Y-%m-%d %H:%M} UTC")
    if kept.newest_at is not None and now < kept.newest_at - CLOCK_SLACK_FOR:
        return Finding(
            name="clock",
            state="bad",
            text=f"it shows {now:%Y-%m-%d %H:%M} UTC, and the newest message is of {kept.newest_at:%Y-%m-%d %H:%M}",
            next_step="set the clock of this machine, or let it keep time by itself (timedatectl set-ntp true)",
        )
    return Finding(name="clock", state="ok", text=f"{kept.wall:%Y-%m-%d %H:%M} in {kept.zone}")


def check_telegram(*, has_token: bool, live: Live | None, now: datetime) -> Finding:
    """The token is set, Telegram answers, and somebody is paired."""
    if not has_token:
        return Finding(
            name="telegram",
            state="off",
            text="no token",
            next_step="set STILLBELL_TELEGRAM_TOKEN (@BotFather gives one)",
        )
    if live is None:
        return Finding(name="telegram", state="off", text="a token is set", next_step="make run tries it")
    return _check_bot(live.parts, now)


def _check_bot(parts: Parts, now: datetime) -> Finding:
    if parts.telegram_trouble is not None:
        return Finding(name="telegram", state="bad", text=parts.telegram_trouble)
    if parts.telegram == "off":
        text = "a token is set, and the running Stillbell began without it"
        return Finding(name="telegram", state="warn", text=text, next_step="stop Stillbell and start it again")
    if parts.round_at is None:
        # A first poll in which nothing comes ends after half a minute; what goes wrong with it is told as trouble.
        return Finding(name="telegram", state="ok", text="just started; the first poll is under way")
    if now - parts.round_at > SILENT_AFTER:
        heard = f"it has not answered since {parts.round_at:%Y-%m-%d %H:%M} UTC"
        return Finding(name="telegram", state="bad", text=heard, next_step="is this machine online?")
    ago = f"it answered {(now - parts.round_at).total_seconds():.0f} s ago"
    if parts.telegram == "unpaired":
        text = f"{ago}; nobody is paired"
        return Finding(
            name="telegram",
            state="warn",
            text=text,
            next_step="send the bot the code that Stillbell showed at its start",
        )
    return Finding(name="telegram", state="ok", text=f"{ago}; you are paired")


def check_web(*, port: int, live: Live | None) -> Finding:
    """The web chat listens, where that is wanted."""
    if not port:
        return Finding(name="web", state="off", text="turned off", next_step="set STILLBELL_WEB_PORT=8787")
    if live is None:
        return Finding(name="web", state="off", text=f"port {port} is set", next_step="make run tries it")
    if live.parts.web is None:
        return Finding(
            name="web",
            state="warn",
            text=f"port {port} of 127.0.0.1 could not be had when Stillbell started",
            next_step="set STILLBELL_WEB_PORT to another one, and start Stillbell again",
        )
    return Finding(name="web", state="ok", text=f"{live.parts.web}; stillbell web prints the link")


def check_model(model: str | None, trouble: str | None) -> Finding:
    """Who answers, in words; or what stands in the way."""
    if trouble is not None:
        return Finding(name="model", state="bad", text=trouble)
    if model is None:
        return Finding(
            name="model",
            state="off",
            text="none: Stillbell answers with what it finds",
            next_step="set ANTHROPIC_API_KEY, OPENROUTER_API_KEY or STILLBELL_OLLAMA_URL",
        )
    return Finding(name="model", state="ok", text=model)


def check_accounts(held: Sequence[Held], *, live: Live | None, now: datetime) -> list[Finding]:
    """One line for each account, or one that says that there is none; `now` is aware UTC."""
    if not held:
        text = "none is connected: mail comes from files alone"
        return [Finding(name="account", state="off", text=text, next_step="stillbell accounts add NAME ADDRESS")]
    return [_check_account(one, live, now) for one in held]


def _check_account(held: Held, live: Live | None, now: datetime) -> Finding:
    account = held.account
    who = f"{account.name} ({account.kind}{', ' + account.identity if account.identity else ''})"
    kept = ", ".join(f"{count:,} {what}" for what, count in (("mails", held.mails), ("events", held.events)) if count)
    if held.lack is not None:
        return Finding(name="account", state="bad", text=f"{who}: {held.lack.text}", next_step=held.lack.mend)
    if account.state == "refused":
        mend = f"auth google {account.name}" if account.kind == "google" else f"accounts renew {account.name}"
        text = f"{who}: {account.trouble or 'its sign-in is refused'}"
        return Finding(name="account", state="bad", text=text, next_step=f"stillbell {mend}")
    if account.failures:
        text = f"{who}: failed {account.failures} times in a row: {account.trouble}"
        return Finding(name="account", state="warn", text=text, next_step="it is tried again by itself")
    if account.seen_at is None:
        waits = "its first reading is under way" if live else "not read yet"
        return Finding(
            name="account", state="ok" if live else "off", text=f"{who}: {waits}{', ' + kept if kept else ''}"
        )
    text = f"{who}: seen {_ago(now - account.seen_at)}{', ' + kept if kept else ''}"
    if live and account.is_kept_up and now - account.seen_at > UNSEEN_AFTER:
        return Finding(name="account", state="warn", text=text, next_step=f"stillbell accounts test {account.name}")
    return Finding(name="account", state="ok", text=text)


def check_watched(places: Sequence[Seen], *, live: Live | None, now: datetime) -> list[Finding]:
    """One line for each watched place, or one that says that there is none; `now` is aware UTC."""
    if not places:
        return [Finding(name="watched", state="off", text="nothing", next_step="stillbell watch notes ~/Notes")]
    return [_check_place(one, live, now) for one in places]


def _check_place(place: Seen, live: Live | None, now: datetime) -> Finding:
    what = f"{place.path} ({place.kind})"
    if place.trouble:
        text = f"{what}: {place.trouble}"
        mend = f"mend it, or: stillbell unwatch {place.path}"
        return Finding(name="watched", state="warn", text=text, next_step=mend)
    if place.is_reading:
        return Finding(name="watched", state="ok", text=f"{what}: it is being read")
    if live is None:
        return Finding(name="watched", state="off", text=f"{what}: it is followed while Stillbell runs")
    if place.looked_at is None:
        return Finding(name="watched", state="ok", text=f"{what}: not looked at yet")
    text = f"{what}: looked at {_ago(now - place.looked_at)}, {_count(place.items, 'item')}"
    if place.bad:
        text = f"{text}, {place.bad:,} that can't be read"
        return Finding(name="watched", state="warn", text=text, next_step="stillbell watch names them")
    return Finding(name="watched", state="ok", text=text)


def check_imports(imports: Sequence[Begun]) -> Finding:
    """Whether what was brought in came in whole."""
    stopped = [one for one in imports if not one.is_done]
    if stopped:
        text = f"{stopped[-1].path} is not read to its end yet"
        return Finding(
            name="imports",
            state="warn",
            text=text,
            next_step=f"stillbell import mail {stopped[-1].path} goes on with it",
        )
    if not imports:
        return Finding(name="imports", state="off", text="no mail from files", next_step="stillbell import PATH")
    bad = sum(one.bad for one in imports)
    unread = f", {_count(bad, 'mail')} unreadable" if bad else ""
    return Finding(name="imports", state="ok", text=f"mail from {_count(len(imports), 'path')}, all whole{unread}")


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def check_meaning(setting: str | None, *, installed: Path | None, live: Live | None, passages: int) -> Finding:
    """Whether things are found by meaning, by which model, and how far its index has come."""
    if setting == "off":
        text = "turned off: search goes by words"
        return Finding(name="meaning", state="off", text=text, next_step="unset STILLBELL_EMBEDDER")
    if live is not None and live.parts.meaning_trouble is not None:
        return Finding(
            name="meaning",
            state="warn",
            text=f"{live.parts.meaning_trouble}; search goes by words",
            next_step="mend STILLBELL_EMBEDDER and start Stillbell again",
        )
    model = setting or (str(installed) if installed else None)
    if model is None:
        text = "no model is installed: search goes by words"
        return Finding(name="meaning", state="off", text=text, next_step="make embeddings")
    if live is None:
        text = f"{model} is used while Stillbell runs; {passages:,} passages can be found by words"
        return Finding(name="meaning", state="off", text=text)
    return _check_index(live.meaning)


def _check_index(meant: Meant) -> Finding:
    if meant.model is None:
        text = "the model is being loaded, once nothing else is to be done"
        return Finding(name="meaning", state="ok", text=text)
    if meant.embedded < meant.passages:
        text = f"{meant.model}: {meant.embedded:,} of {meant.passages:,} passages so far; the others by words"
        return Finding(name="meaning", state="ok", text=text)
    return Finding(name="meaning", state="ok", text=f"{meant.model}: all of {meant.passages:,} passages")


def _ago(gone_for: timedelta) -> str:
    minutes = int(gone_for.total_seconds() // 60)
    if minutes < 120:
        return f"{max(minutes, 0)} min ago"
    return f"{minutes // 60} h ago" if minutes < 48 * 60 else f"{minutes // 1440} days ago"


def check_exclusions(rules: int, passed_over: int, trouble: str | None) -> Finding:
    """How much is never read; a list that can't be understood stops every reading."""
    if trouble is not None:
        return Finding(name="excluded", state="bad", text=trouble)
    if not rules:
        return Finding(
            name="excluded", state="off", text="nothing", next_step="stillbell exclude names what is never read"
        )
    text = f"{rules} rule{'' if rules == 1 else 's'}, {passed_over:,} passed over so far"
    return Finding(name="excluded", state="ok", text=text)


def check_decision(learned: Fitted | None, *, mails: int, trouble: str | None = None) -> Finding:
    """What judges mail: what was learned from the owner's own history, or rules alone until there is enough of it."""
    if trouble is not None:
        return Finding(name="decision", state="warn", text=trouble)
    if learned is None:
        text = f"cold start: rules alone judge mail ({mails:,} mails are kept to learn from)"
        return Finding(name="decision", state="off", text=text)
    text = (
        f"trained {learned.trained_at:%Y-%m-%d %H:%M} UTC on {learned.mails:,} mails "
        f"from {learned.since:%Y-%m-%d} to {learned.until:%Y-%m-%d}, {learned.acted:,} of them answered or forwarded"
    )
    return Finding(name="decision", state="ok", text=text)


def check_chain(chain: Verified | None) -> Finding:
    """Whether no row of the audit was changed, removed or put in beside Stillbell."""
    if chain is None:
        return Finding(name="chain", state="off", text="there is no audit yet")
    if chain.broken is not None:
        return Finding(
            name="chain",
            state="bad",
            text=f"broken at place {chain.broken.place}: {chain.broken.because}",
            next_step="somebody changed the database beside Stillbell; compare it with a backup",
        )
    return Finding(name="chain", state="ok", text=f"whole: {chain.count:,} rows of the audit and of what left")


def check_disk(folder: Path, free_bytes: int) -> Finding:
    """There is room to write."""
    text = f"{free_bytes / 1e9:,.1f} GB free at {folder}"
    if free_bytes < DISK_BAD_BYTES:
        return Finding(name="disk", state="bad", text=text, next_step="free some space: soon nothing can be kept")
    if free_bytes < DISK_WARN_BYTES:
        return Finding(name="disk", state="warn", text=text, next_step="free some space")
    return Finding(name="disk", state="ok", text=text)


def _is_open_to_others(file: Path) -> bool:
    return bool(stat.S_IMODE(file.stat().st_mode) & 0o077)
