"""A transcript of what was said: WebVTT and SubRip, with their speakers and times.

00:12:05.000 --> 00:12:09.000          [0:12:05] Anna Winter: We ship in May.
<v Anna Winter>We ship in May.</v>
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TURN_MAX = 600
"""Characters of one line: what somebody says without a pause is cut into lines that can be quoted."""

PAUSE_MAX = 60
"""Seconds after which even the same speaker begins a line of its own."""

CUES_MAX = 100_000

_TIMES = re.compile(
    r"^[ \t]*(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,2}):(?P<seconds>\d{2})[.,]\d{1,3}[ \t]*-->[ \t]*[\d:.,]{5,15}[^\n]*$"
)
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?[ \t]+(?P<who>[^<>\n]{1,120})>", re.IGNORECASE)
_MARK = re.compile(r"<[^<>\n]{0,200}>|\{\\[^{}\n]{0,60}\}")
_SPEAKS = re.compile(r"^[-–\s>]*(?P<who>[^\W\d_][\w.'’()& -]{0,58}[\w.)])[ \t]*:[ \t]+(?P<said>.*)$", re.DOTALL)
_NO_NAMES = frozenset({"http", "https", "note", "re", "wichtig", "important", "question", "frage", "answer", "antwort"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """What one said: from which second on, until which the last of it began, who ("" when it is not told), and the words."""

    second: int
    until: int
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """speakers: in the order in which they speak first. text: a line for each turn. bad_lines: those with broken times."""

    spoken: tuple[Spoken, ...]
    bad_lines: tuple[int, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """In the order in which they speak first."""
        return tuple(dict.fromkeys(one.who for one in self.spoken if one.who))

    @property
    def text(self) -> str:
        """A line for each turn: [time] speaker: words."""
        return "\n".join(f"[{_clock(one.second)}] {one.who + ': ' if one.who else ''}{one.text}" for one in self.spoken)


def read_transcript(text: str) -> Transcript:
    """The turns in a .vtt or .srt file. Never raises; without a single cue there are none."""
    bad: list[int] = []
    spoken: list[Spoken] = []
    for cue in _cues(text.replace("\r\n", "\n").replace("\r", "\n"), bad):
        before = spoken[-1] if spoken else Spoken(0, 0, "", "")
        is_near = cue.second - before.until <= PAUSE_MAX
        # Whoever is not named goes on speaking, for as long as there is no pause.
        who = cue.who or (before.who if is_near else "")
        whole = f"{before.text} {cue.text}"
        if who == before.who and before.text and before.text.endswith(cue.text):
            continue  # captions that roll repeat what stood there
        if who and who == before.who and is_near and len(whole) <= TURN_MAX:
            spoken[-1] = Spoken(before.second, cue.second, who, whole)
        else:
            spoken.append(Spoken(cue.second, cue.second, who, cue.text))
    return Transcript(tuple(spoken), tuple(bad[:50]))


def _cues(text: str, bad: list[int]) -> Iterator[Spoken]:
    lines = text.split("\n")
    at, count = 0, 0
    while at < len(lines) and count < CUES_MAX:
        times = _TIMES.match(lines[at])
        at += 1
        if times is None:
            if "-->" in lines[at - 1]:
                bad.append(at)
            continue
        said = []
        while at < len(lines) and lines[at].strip() and "-->" not in lines[at]:
            said.append(lines[at].strip())
            at += 1
        count += 1
        if cue := _cue(times, " ".join(said)):
            yield cue


def _cue(times: re.Match[str], said: str) -> Spoken | None:
    second = int(times["hours"] or 0) * 3600 + int(times["minutes"]) * 60 + int(times["seconds"])
    voice = _VOICE.search(said)
    words = " ".join(_MARK.sub("", said).split())
    who = " ".join(voice["who"].split()) if voice else ""
    if not who and (found := _SPEAKS.match(words)) and _is_name(found["who"]):
        who, words = " ".join(found["who"].split()), found["said"].strip()
    return Spoken(second, second, who, words) if words else None


def _is_name(text: str) -> bool:
    return len(text.split()) <= 5 and text.casefold() not in _NO_NAMES


def _clock(second: int) -> str:
    return f"{second // 3600}:{second // 60 % 60:02}:{second % 60:02}"
