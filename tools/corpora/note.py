"""A note: a file of Markdown or plain text that the owner wrote, read for its title, its day and who was there."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time

from memory.zones import Timeline

TITLE_LINES = 60
"""A heading further down is no title."""

FRONT_MATTER_MAX = 16_000
PEOPLE_MAX = 200

_FRONT = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(?P<name>[A-Za-zÄÖÜäöüß_-]{1,40})[ \t]*:[ \t]*(?P<value>[^\n]*)$")
_ITEM = re.compile(r"^[ \t]*-[ \t]+(?P<value>[^\n]+)$")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<title>[^\n]*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_WIKI = re.compile(
    r"!?\[\[(?P<page>[^\[\]|#\n]{1,300})(?:#(?P<part>[^\[\]|\n]{0,300}))?(?:\|(?P<shown>[^\[\]\n]{1,300}))?\]\]"
)
_PRESENT = re.compile(
    r"^[ \t>*_-]*(?:attendees|participants|present|with|invitees|teilnehmer(?::?innen|\*innen|/-innen)?|teilnehmende|anwesend(?:e)?"
    r"|dabei|mit)[ \t]*(?:\([^()\n]{0,40}\))?[*_]*[ \t]*:[*_]*[ \t]*(?P<rest>[^\n]*)$",
    re.IGNORECASE,
)
_ISO_DAY = re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-_.]?(?P<m>0[1-9]|1[0-2])[-_.]?(?P<d>0[1-9]|[12]\d|3[01])(?!\d)")
_GERMAN_DAY = re.compile(r"(?<!\d)(?P<d>[0-3]?\d)\.(?P<m>[01]?\d)\.(?P<y>(?:19|20)\d\d)(?!\d)")
_DAY_LINE = re.compile(
    r"^[ \t>*_-]*(?:date|datum|when|wann)[*_]*[ \t]*:[*_]*[ \t]*(?P<rest>[^\n]{1,60})$", re.IGNORECASE
)
_ADDRESS = re.compile(r"<?([\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)>?")
_CLOCK = re.compile(r"(?<!\d)(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?!\d)")

_TITLES, _DAYS = ("title", "titel"), ("date", "datum", "created", "erstellt", "day")
_PEOPLE = ("attendees", "participants", "people", "with", "teilnehmer", "teilnehmende", "anwesend")
_WORDS = ("tags", "aliases", "keywords", "stichworte")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a note says. at: aware UTC. people: (name, address) of those who were there, when it tells."""

    title: str
    text: str
    at: datetime
    people: tuple[tuple[str, str], ...] = ()


def read_note(text: str, *, name: str, changed_at: datetime, zones: Timeline) -> Note:
    """The note in a file called `name` (without its ending). Never raises."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    fields, body = _front(text)
    body = _WIKI.sub(_as_words, body)
    lines = body.split("\n")[:TITLE_LINES]
    words = [value for field in _WORDS for value in fields.get(field, ()) if value]
    day = _day_of(fields, lines, name)
    return Note(
        title=_first(fields, _TITLES) or _heading(lines) or name,
        text=f"{body.rstrip()}\n\n{', '.join(words)}".strip() if words else body.strip(),
        at=_moment(day, changed_at, zones),
        people=_people(fields, lines),
    )


def day_in(text: str) -> date | None:
    """The first day that is written out with its year: 2026-03-02, 20260302, 2.3.2026."""
    for form in (_ISO_DAY, _GERMAN_DAY):
        for found in form.finditer(text):
            try:
                return date(int(found["y"]), int(found["m"]), int(found["d"]))
            except ValueError:
                continue
    return None


def clock_in(text: str) -> time | None:
    """The first time of day in a text: 9:30 or 09.30."""
    found = _CLOCK.search(text)
    return time(int(found["hour"]), int(found["minute"])) if found else None


def person_in(text: str) -> tuple[str, str] | None:
    """(name, address) of somebody named in a list; None when nothing is left that could be a name."""
    text = _WIKI.sub(_as_words, text)
    found = _ADDRESS.search(text)
    address = found[1].lower() if found else ""
    bare = _ADDRESS.sub(" ", re.sub(r"\([^()\n]*\)", " ", text))
    name = " ".join(bare.replace("@", " ").strip(" \t*_-–—.:;\"'[]<>").split())
    return (name[:100], address) if name or address else None


def _front(text: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """The fields of the front matter, and what comes after it."""
    found = _FRONT.match(text[:FRONT_MATTER_MAX])
    if found is None:
        return {}, text
    fields: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in found["fields"].split("\n"):
        if field := _FIELD.match(line):
            name = field["name"].lower()
            fields[name] = _values(field["value"])
        elif (item := _ITEM.match(line)) and name:
            fields[name] = (*fields.get(name, ()), item["value"].strip(" \"'"))
    return fields, text[found.end() :]


def _values(value: str) -> tuple[str, ...]:
    value = value.strip()
    several = value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]
    return tuple(one.strip(" \"'") for one in several if one.strip(" \"'"))


def _first(fields: dict[str, tuple[str, ...]], names: tuple[str, ...]) -> str:
    return next((fields[name][0] for name in names if fields.get(name)), "")


def _heading(lines: list[str]) -> str:
    in_code = False
    for line in lines:
        in_code = in_code != bool(_FENCE.match(line))
        if not in_code and (found := _HEADING.match(line)) and found["title"]:
            return found["title"].strip("*_ ")
    return ""


def _as_words(link: re.Match[str]) -> str:
    return str(link["shown"] or " ".join(part for part in (link["page"], link["part"]) if part))


def _day_of(fields: dict[str, tuple[str, ...]], lines: list[str], name: str) -> date | None:
    told = _first(fields, _DAYS)
    said = next((found["rest"] for line in lines[:20] if (found := _DAY_LINE.match(line))), "")
    return day_in(told) or day_in(said) or day_in(name)


def _moment(day: date | None, changed_at: datetime, zones: Timeline) -> datetime:
    """The day that it tells; of that day the moment at which the file was changed, when that was the day."""
    if day is None or zones.wall_at(changed_at).date() == day:
        return changed_at
    return zones.wall_to_utc(datetime.combine(day, time()))


def _people(fields: dict[str, tuple[str, ...]], lines: list[str]) -> tuple[tuple[str, str], ...]:
    named = [value for name in _PEOPLE for value in fields.get(name, ())]
    for number, line in enumerate(lines):
        if found := _PRESENT.match(line):
            below = _items(lines[number + 1 :]) if not found["rest"].strip() else []
            named += [found["rest"], *below]
    people = (person_in(part) for text in named for part in re.split(r"[,;/|]|\s+(?:and|und|&)\s+", text))
    return tuple(dict.fromkeys(person for person in people if person))[:PEOPLE_MAX]


def _items(lines: list[str]) -> list[str]:
    """The list that begins here."""
    items = []
    for line in lines:
        found = re.match(r"^[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(?P<value>[^\n]+)$", line)
        if found:
            items.append(found["value"])
        elif line.strip() or items:
            break
    return items
