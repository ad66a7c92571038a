"""A WhatsApp export, as a chat: an Android or iOS text file, English or German, with either clock."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import PurePath

from memory.zones import Timeline
from tools.chats.chat import Chat, Fault, Said
from tools.chats.whatsapp_lines import Line, Lines, read_lines
from tools.chats.whatsapp_words import OWN, is_deleted, is_said_by_nobody, quotes_a_name, words_of

NAME_MAX = 120

_UNKNOWN = "~"
"""Stands before the name of a sender who is in no address book."""

_EXPORTED_AS = re.compile(
    r"whatsapp[ -]?chat(?: with| mit| -|-)\s+(?P<name>.+?)(?: ?\(\d{1,3}\))?(?:\.txt|\.zip)*(?: ?\(\d{1,3}\))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A line that somebody said, before it is known who the owner is."""

    key: str
    wall: datetime
    who: str
    text: str
    tags: tuple[str, ...]
    files: tuple[str, ...]


def exported_name(*names: str) -> str:
    """The chat's name, from what the export, its folder or its archive are called; "" when none of them tells."""
    for name in names:
        if found := _EXPORTED_AS.fullmatch(PurePath(name).name.strip()):
            return _plain(found["name"])
    return ""


def read_whatsapp(
    raw: bytes, *, names: Sequence[str], zones: Timeline, me: Iterable[str], now: datetime
) -> Chat | None:
    """The chat in an export; None when it is none. Never raises: what can't be read is named in the chat's faults.

    names: what the file, its folder and its archive are called. zones: the owner's, whose clock the export shows. me: what
    the owner is called in chats, as far as that is known.
    """
    found = read_lines(raw, today=zones.wall_at(now).date())
    if found.told is None:
        return None
    name = exported_name(*names)
    keys = _keys(found.lines)
    turns, actor = _turns(keys, found.lines)
    senders = Counter(turn.who for turn in turns)
    mine, is_known = _mine(senders, name, me)
    called = {who: _called(who, mine) for who in senders}
    others = tuple((called[who], "") for who in senders if who not in mine)
    of_file = _plain(PurePath(names[0]).stem)
    name = name or actor or (others[0][0] if len(others) == 1 and is_known else of_file)
    key, unsure_key = _key(name), _key(exported_name(*names) or actor or of_file)
    return Chat(
        kind="whatsapp",
        key=key,
        name=name,
        said=tuple(_said(turn, called[turn.who], turn.who in mine, zones) for turn in turns),
        others=others,
        first=min(keys),
        last=max(keys),
        by_name=True,
        is_mine_known=is_known,
        unsure_key=unsure_key if unsure_key != key else "",
        calls_me=tuple(sorted(one for one in mine - OWN if not one.startswith(_UNKNOWN))) if is_known else (),
        faults=_faults(found),
    )


def _key(name: str) -> str:
    return sha256(name.casefold().encode()).hexdigest()[:16]


def _turns(keys: Sequence[str], lines: Sequence[Line]) -> tuple[list[_Turn], str]:
    """What was said; and the chat's name where only what WhatsApp itself wrote tells it."""
    turns: list[_Turn] = []
    actor = ""
    for key, line in zip(keys, lines, strict=True):
        who, text = _who_and_what(line.rest)
        if not who or is_deleted(text):
            continue
        words = words_of(text)
        if not words.tags and is_said_by_nobody(text, is_marked=line.is_marked):
            actor = actor or who.removeprefix(_UNKNOWN)
            continue
        if words.text:
            turns.append(_Turn(key, line.wall, who, words.text, words.tags, words.files))
    spoke = {turn.who.removeprefix(_UNKNOWN) for turn in turns}
    return turns, actor if actor not in spoke else ""


def _who_and_what(rest: str) -> tuple[str, str]:
    """The sender and the words; no sender where WhatsApp tells of something that happened."""
    first, break_, more = rest.partition("\n")
    who, colon, text = first.partition(": ")
    if not colon and first.endswith(":"):
        who, colon, text = first[:-1], ":", ""
    if not colon or quotes_a_name(first) or len(who) > NAME_MAX:
        return "", rest
    name = _plain(who)
    is_unknown = who.lstrip().startswith(_UNKNOWN)
    return f"{_UNKNOWN}{name}" if is_unknown and name else name, f"{text}{break_}{more}".strip()


def _keys(lines: Sequence[Line]) -> list[str]:
    """A key for each line: its minute, and which of those of that minute it is. Only iPhones write down the second."""
    minutes: Counter[str] = Counter()
    keys = []
    for line in lines:
        minute = f"{line.wall:%Y%m%d%H%M}"
        keys.append(f"{minute}.{minutes[minute]:04}")
        minutes[minute] += 1
    return keys


def _mine(senders: Iterable[str], name: str, me: Iterable[str]) -> tuple[frozenset[str], bool]:
    """What the owner is called in this chat, and whether that is beyond doubt.

    Of two who speak, the one after whom the chat is not named is the owner.
    """
    several = set(senders)
    rest = several - {name, f"{_UNKNOWN}{name}"}
    if rest != several and len(rest) == 1:
        return frozenset(rest), True
    folded = {one.casefold() for one in me} | OWN
    mine = frozenset(who for who in senders if who.casefold() in folded)
    return mine, bool(mine) or not rest


def _called(who: str, mine: frozenset[str]) -> str:
    """A sender's name without the mark for somebody who is in no address book, and who chose it: never the owner's."""
    name = who.removeprefix(_UNKNOWN)
    return who if name != who and (name.casefold() in OWN or name in mine) else name


def _said(turn: _Turn, who: str, is_mine: bool, zones: Timeline) -> Said:
    return Said(
        key=turn.key,
        at=zones.wall_to_utc(turn.wall),
        who="you" if is_mine else who,
        text=turn.text,
        is_mine=is_mine,
        tags=turn.tags,
        files=turn.files,
    )


def _faults(found: Lines) -> tuple[Fault, ...]:
    told = found.told
    if told is None or told.is_sure:
        return found.faults
    words = {"dmy": "day, month", "mdy": "month, day", "ymd": "year, month", "ydm": "year, day"}[told.order]
    return (Fault(0, f"its dates can be read in two ways; they were taken as {words} …"), *found.faults)


def _plain(name: str) -> str:
    """A name on one line, without the mark for somebody who is in no address book."""
    return " ".join(name.replace("~", " ", 1).split() if name.lstrip().startswith("~") else name.split())[:NAME_MAX]
