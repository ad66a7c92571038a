"""Measures the reader of times against two public sets: duckling's corpora and those of Recognizers-Text.

    STILLBELL_DATA=../shared/data python -m evals.dates [--wrong] [--half 0|1]

right: one reading, and it is the expected one at the expected grain. asked: several, the expected one among them.
wrong: readings, none of them expected. none: nothing found. Even rows (half 0) were looked at while the grammar grew; odd
rows (half 1) were not, so their column is the one to believe.
"""

import argparse
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from evals.report import Report
from memory.when.reader import read
from memory.when.reading import Mention, Reading

Row = dict[str, Any]
KEPT = {"second": 19, "minute": 16, "hour": 13, "day": 10, "week": 10, "month": 7, "quarter": 7, "year": 4}
"""How many characters of an ISO time count at a grain."""
VERDICTS = ("right", "asked", "wrong", "none")
DUCKLING_NOW = datetime.fromisoformat("2013-02-12T04:30:00-02:00")
DUCKLING_ZONE = ZoneInfo("Etc/GMT+2")
"""Etc counts the other way round: this is UTC-2."""


def rows_of(path: Path, half: int | None) -> Iterator[Row]:
    """The rows of a set, all or every other one."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if half is None or number % 2 == half:
                yield json.loads(line)


def duckling_verdict(row: Row, language: str) -> str:
    """How the whole text of a row was understood."""
    mentions = read(row["text"], now=DUCKLING_NOW, zone=DUCKLING_ZONE, language=language)
    if row["kind"] == "negative":
        return "wrong" if mentions else "right"
    longest = max(mentions, key=lambda mention: mention.span[1] - mention.span[0], default=None)
    if longest is None:
        return "none"
    fits = [_fits_duckling(row, reading) for reading in longest.readings]
    return "wrong" if not any(fits) else "right" if len(fits) == 1 else "asked"


def _fits_duckling(row: Row, reading: Reading) -> bool:
    grain = row.get("grain", "Day").lower()
    if "value" in row:
        return _same(row["value"], reading.wall, grain)
    if "start" not in row:
        return False
    if reading.bound in ("by", "before", "until"):
        return _same(row["end"], reading.wall, "minute")
    step = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)}.get(
        grain, timedelta()
    )
    ends = [reading.end, reading.end + step] if reading.end else []
    return _same(row["start"], reading.wall, grain) and any(_same(row["end"], end, grain) for end in ends)


def _same(expected: str, wall: datetime, grain: str) -> bool:
    """Equal at the grain. Some expected values name no month or no day ("2013-00-00"): then the year or month is all."""
    kept = KEPT[grain]
    for hole, left in (("-00-00T", 4), ("-00T", 7)):
        if hole in expected:
            kept = min(kept, left)
    return expected[:kept] == wall.isoformat()[:kept]


def recognizers_verdicts(row: Row, language: str) -> list[tuple[str, str]]:
    """A verdict for each expected mention, and "false" for each of ours where none is expected."""
    now = datetime.fromisoformat(row["ref"] or "2019-01-01T00:00:00").replace(tzinfo=DUCKLING_ZONE)
    mentions = read(row["text"], now=now, zone=DUCKLING_ZONE, language=language)
    if not row["results"]:
        return [("no time in it", "wrong" if mentions else "right")]
    verdicts = []
    for expected in row["results"]:
        kind = (expected.get("TypeName") or expected.get("Typename") or "").partition(".")[2]
        near = [m for m in mentions if m.span[0] <= expected["End"] and expected["Start"] < m.span[1]]
        verdicts.append((kind, _verdict(kind, expected, near, now.replace(tzinfo=None))))
    return verdicts


def _verdict(kind: str, expected: Row, near: list[Mention], now: datetime) -> str:
    if not near:
        return "none"
    values = (expected.get("Resolution") or {}).get("values", [])
    best = max(near, key=lambda mention: mention.span[1] - mention.span[0])
    fits = [any(_fits_recognizers(kind, value, reading, now) for value in values) for reading in best.readings]
    return "wrong" if not any(fits) else "right" if len(fits) == 1 else "asked"


def _fits_recognizers(kind: str, value: Row, reading: Reading, now: datetime) -> bool:
    wall = reading.wall.isoformat(sep=" ")
    if kind == "set":
        return reading.recurrence is not None
    if kind == "duration":
        return abs((reading.wall - now).total_seconds() - float(value["value"])) < 86400 * 0.04 * max(
            1, float(value["value"]) / 86400
        )
    if value.get("value") == "not resolved":
        return True
    if "range" not in kind:
        text = str(value.get("value"))
        return wall.endswith(text) if kind == "time" else wall.startswith(text)
    start, end = str(value.get("start") or ""), str(value.get("end") or "")
    shown = wall[11:] if kind == "timerange" else wall
    return (
        shown.startswith(start or end)
        or (bool(start) and wall.startswith(start[:10]))
        or (bool(end) and shown.startswith(end))
    )


def _table(title: str, counts: dict[str, Counter[str]]) -> None:
    print(f"\n{title:<34}" + "".join(f"{verdict:>8}" for verdict in VERDICTS) + "   right   wrong")
    for kind, counted in sorted(counts.items()):
        total = sum(counted.values())
        shares = "".join(f"{100 * counted[verdict] / total:7.1f}%" for verdict in ("right", "wrong"))
        print(f"  {kind:<32}" + "".join(f"{counted[verdict]:8}" for verdict in VERDICTS) + shares)


GOALS = {"en": 85.0, "de": 80.0}
"""Percent of duckling's datetimes that are to be right; dateparser 1.5 gets 37 and 35."""


async def run() -> Report:
    """The goals alone, for the run over all evals; the tables are printed beside them."""
    report = Report("dates", "none")
    if not folder_of_data().is_dir():
        report.figures.append("not run: no data")
        return report
    shares = measure(folder_of_data(), None, show=False)
    for language, goal in GOALS.items():
        report.check(
            f"duckling's datetimes, {language}: at least {goal:.0f} % right",
            shares[language] >= goal,
            f"{shares[language]:.1f} %",
        )
    return report


def folder_of_data() -> Path:
    """Where the sets of dates are, if they are anywhere."""
    default = Path(__file__).resolve().parent.parent / "../shared/data"
    return Path(os.environ.get("STILLBELL_DATA") or default) / "dates"


def measure(folder: Path, half: int | None, *, show: bool) -> dict[str, float]:
    """Run every set and print a table for each; the percentage of right datetimes by language."""
    shares: dict[str, float] = {}
    for language, name in (("en", "english"), ("de", "german")):
        counts: dict[str, Counter[str]] = {}
        for row in rows_of(folder / f"duckling-{language}.jsonl.gz", half):
            verdict = duckling_verdict(row, language)
            counts.setdefault(row["kind"], Counter())[verdict] += 1
            _show(show and row["kind"] not in ("holiday", "other") and verdict != "right", verdict, row, language)
        _table(f"duckling, {name}", counts)
        shares[language] = 100 * counts["datetime"]["right"] / counts["datetime"].total()
        counts = {}
        for row in rows_of(folder / f"recognizers-{name}.jsonl.gz", half):
            for kind, verdict in recognizers_verdicts(row, language):
                counts.setdefault(kind, Counter())[verdict] += 1
        _table(f"recognizers, {name}", counts)
    return shares


def _show(wanted: bool, verdict: str, row: Row, language: str) -> None:
    if not wanted:
        return
    mentions = read(row["text"], now=DUCKLING_NOW, zone=DUCKLING_ZONE, language=language)
    said = [
        (m.text, [(r.wall.isoformat(), r.end and r.end.isoformat(), r.bound) for r in m.readings]) for m in mentions
    ]
    print(
        f"{verdict:>6}  {row['text']!r}: expected {row.get('value') or (row.get('start'), row.get('end'))}, read {said}"
    )


def main() -> None:
    """Print the tables, or that there is nothing to measure on."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", type=int, choices=(0, 1), default=None)
    parser.add_argument("--wrong", action="store_true", help="print what was not right in the duckling sets")
    wished = parser.parse_args()
    if not folder_of_data().is_dir():
        print("not run: no data")
        sys.exit(0)
    measure(folder_of_data(), wished.half, show=wished.wrong)


if __name__ == "__main__":
    main()
