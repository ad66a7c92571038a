"""Reports: what the commands print."""

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bot.doctor import Finding, State
from bot.terminal.drawing import harmless
from memory.search.passage import Corpus

FAULTS_SHOWN = 20
"""How many of the mails that could not be read are named."""

SKIPPED_SHOWN = 5
"""How many of the files that hold no mail are named."""

_STYLES: Mapping[State, str] = {"ok": "green", "off": "dim", "warn": "yellow", "bad": "bold red"}


def console() -> Console:
    """Standard output. Into a file or a pipe nothing is folded, so that one finding stays one line."""
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())


_CORPORA: Mapping[Corpus, str] = {
    "note": "Notes",
    "mail": "Mail",
    "whatsapp": "WhatsApp",
    "imessage": "iMessage",
    "telegram": "Telegram",
    "chat": "Chat with Stillbell",
    "calendar": "Calendar",
    "meeting": "Meetings",
    "person": "People",
    "file": "Files",
}


def print_found(to: Console, found: Mapping[str, Any]) -> None:
    """By corpus: who, when, what about, the line, and the ref that opens it; then by what it was found."""
    heading = None
    for hit in found["hits"]:
        if hit["where"] != heading:
            heading = hit["where"]
            to.print(Text(_CORPORA[heading], "bold underline"))
        head = Text.assemble((_when(hit["when"]), "cyan"), "  ", (harmless(hit["who"]), "bold"))
        if hit["title"]:
            head.append(f"  {harmless(hit['title'])}")
        to.print(head)
        if hit["line"]:
            to.print(Text(f"    {harmless(hit['line'])}"))
        place = f"   {harmless(hit['place'])}" if hit["place"] else ""
        to.print(Text(f"    {harmless(hit['ref'])}{place}", "dim"))
    for line in [_foot(found)] if found["hits"] else found["how"]:
        to.print(Text(harmless(line), "dim"))


def _foot(found: Mapping[str, Any]) -> str:
    more = found["count"] - len(found["hits"])
    told = [*found["how"], *([f"{more:,} more with --limit"] if more else []), "open one with: stillbell show REF"]
    return "; ".join((told[0].capitalize(), *told[1:]))


def print_opened(to: Console, opened: Mapping[str, Any]) -> None:
    """A document: its head, and all of it; of a talk the turns around it."""
    to.print(Text.assemble((_when(opened["when"]), "cyan"), "  ", (harmless(opened["who"]), "bold")))
    if opened["people"]:
        to.print(Text(f"to {harmless(', '.join(opened['people']))}"))
    if opened["title"]:
        to.print(Text(harmless(opened["title"]), "bold"))
    place = f"   {harmless(opened['place'])}" if opened["place"] else ""
    to.print(Text(f"{_CORPORA[opened['where']]}   {harmless(opened['ref'])}{place}", "dim"))
    to.print()
    for turn in opened["turns"]:
        is_it = turn["ref"] == opened["ref"]
        head = (f"{_when(turn['when'])}  {harmless(turn['who'])}:", "bold" if is_it else "dim")
        to.print(Text.assemble("> " if is_it else "  ", head, f" {harmless(turn['text'])}"))
    if not opened["turns"]:
        to.print(Text(harmless(opened["text"])))


def _when(iso: str | None) -> str:
    return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M}" if iso else "undated"


def print_usage(to: Console, usage: Mapping[str, Any]) -> None:
    """The day by label."""
    table = Table(title=f"{usage['day']}: {usage['spent_usd']:.4f} of {usage['cap_usd']:.2f} USD", title_justify="left")
    table.add_column("label")
    table.add_column("model", overflow="fold")
    for name in ("calls", "in", "out", "USD"):
        table.add_column(name, justify="right")
    for row in usage["rows"]:
        counts = (f"{row[name]:,}" for name in ("calls", "input_tokens", "output_tokens"))
        table.add_row(row["label"], row["model"], *counts, f"{row['cost_usd']:.4f}")
    if usage["rows"]:
        to.print(table)
    else:
        to.print(f"{usage['day']}: no model was called; {usage['spent_usd']:.4f} of {usage['cap_usd']:.2f} USD spent")


def print_findings(to: Console, findings: Sequence[Finding]) -> None:
    """One line each, and what to do."""
    for finding in findings:
        line = Text.assemble(
            f"{finding.name:<9} ", (f"{finding.state:<5}", _STYLES[finding.state]), harmless(finding.text)
        )
        if finding.next_step:
            line.append(f"; {finding.next_step}" if finding.state in ("ok", "off") else f". Next: {finding.next_step}")
        to.print(line)


def print_backup(to: Console, made: Mapping[str, Any], *, files: Path) -> None:
    """Where it is, what it holds, and what it doesn't: the kept files in `files`."""
    held = ", ".join(f"{count:,} {name}" for name, count in made["counts"].items())
    to.print(f"{harmless(made['path'])}: {made['size_bytes'] / 1e6:,.1f} MB, checked; {held}")
    if files.is_dir() and any(files.iterdir()):
        to.print(f"Kept files are not in it: they lie in {files}. Copy that folder, too.")


def print_restored(to: Console, file: Path, *, aside: Path | None, is_of_this_host: bool) -> None:
    """What is in place now, where the old one is, and how to go on."""
    to.print(f"{file} is in place.")
    if aside is not None:
        to.print(f"The database that was there is now {aside}.")
    to.print("Start it with: stillbell run" + ("" if is_of_this_host else " --adopt   (it belongs to another host)"))


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def print_import(to: Console, result: Mapping[str, Any]) -> None:
    """One line of counts, and what could not be read."""
    if "contacts" in result:
        _print_contacts(to, result["contacts"])
        return
    if "kind" in result:
        _print_followed(to, result)
        return
    new, known, bad = result["new"], result["repeated"], result["bad"]
    if new or known or bad:
        to.print(
            f"Read {_count(new + known + bad, 'mail')} in {_count(result['files'], 'file')}: {new:,} new, {known:,} known already, "
            f"{bad:,} unreadable. {result['kept']:,} mails are kept; find in them with: stillbell find WORDS"
        )
    else:
        to.print(f"Nothing new: all of it was read before. {result['kept']:,} mails are kept.")
    named = [f"{one['file']}, byte {one['byte']:,}: {one['because']}" for one in result["faults"]]
    _print_some(to, "Could not be read:", named, FAULTS_SHOWN)
    passed = [f"{one['file']}: {one['because']}" for one in result["skipped"]]
    _print_some(to, "Passed over:", passed, SKIPPED_SHOWN)
    if result.get("asked"):
        to.print(
            "Which of this mail is your own is not known. Say your address, as often as you have one, and it is: "
            f"stillbell import mail PATH --me {result['asked']}   (most of it went there)"
        )


def _print_followed(to: Console, result: Mapping[str, Any]) -> None:
    new, changed, dropped, excluded = (result[name] for name in ("new", "changed", "dropped", "excluded"))
    told = [f"{new:,} new", f"{changed:,} changed", f"{result['same']:,} known already"]
    told += [f"{dropped:,} no longer there"] if dropped else []
    told += [f"{excluded:,} excluded"] if excluded else []
    find = " Find in them with: stillbell find WORDS" if new or changed or result["same"] else ""
    to.print(f"Read {_count(result['items'], 'file')} as {result['kind']}: {', '.join(told)}.{find}")
    if result["unsure"]:
        to.print(
            f"In {_count(result['unsure'], 'file')} it is not clear who you are: say it once, as in: "
            f'stillbell import {result["kind"]} PATH --me "Your Name"'
        )
    named = [
        f"{one['file']}{', line ' + format(one['line'], ',') if one['line'] else ''}: {one['because']}"
        for one in result["faults"]
    ]
    _print_some(to, "Could not be read:", named, FAULTS_SHOWN)
    passed = [f"{one['file']}: {one['because']}" for one in result["skipped"]]
    _print_some(to, "Passed over:", passed, SKIPPED_SHOWN)


def _print_contacts(to: Console, result: Mapping[str, Any]) -> None:
    new, changed, known, without = (result[name] for name in ("new", "changed", "known", "without_address"))
    beside = f"; {without:,} without an address" if without else ""
    to.print(
        f"{_count(new, 'contact')} new, {changed:,} changed, {known:,} known already{beside}. "
        f"{result['kept']:,} are kept; write to one with: write to NAME: …"
    )
    named = [f"card {one['card']}: {one['because']}" if one["card"] else one["because"] for one in result["faults"]]
    _print_some(to, "Could not be used:", named, FAULTS_SHOWN)


def _print_some(to: Console, title: str, lines: Sequence[str], most: int) -> None:
    if lines:
        to.print(title)
    for line in lines[:most]:
        to.print(f"  {harmless(line)}")
    if len(lines) > most:
        to.print("  …")


class ImportBar:
    """The progress of an import on standard error; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._bar = Progress(
            BarColumn(),
            DownloadColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False, markup=False, emoji=False),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task("import", total=None, counts="looking what is there …")

    def __enter__(self) -> "ImportBar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, progress: Mapping[str, Any]) -> None:
        """So far it has come."""
        counts = f"{progress['new']:,} new, {progress['repeated']:,} known, {progress['bad']:,} bad"
        self._bar.update(self._task, total=progress["total_bytes"], completed=progress["done_bytes"], counts=counts)
