"""Who is asked to an event, and by whom."""

from collections.abc import Iterable, Mapping
from typing import Any

from icalendar import Component

from memory.event import Answer, Attendee
from tools.ics.plain import address, one_line

NAME_MOST = 120
MOST_ATTENDEES = 300

_ANSWERS: Mapping[str, Answer] = {
    "ACCEPTED": "accepted",
    "DECLINED": "declined",
    "TENTATIVE": "tentative",
    "NEEDS-ACTION": "needs-action",
    "": "needs-action",
}


def organizer_of(event: Component) -> Attendee | None:
    """Who organises it; None when nobody is named."""
    found = first(event.get("ORGANIZER"))
    return _person(found, answer="") if found is not None else None


def attendees_of(event: Component) -> tuple[Attendee, ...]:
    """Everybody who is asked, in the calendar's order, each address once; at most MOST_ATTENDEES."""
    written = event.get("ATTENDEE", [])
    people = [_attendee(one) for one in (written if isinstance(written, list) else [written])[:MOST_ATTENDEES]]
    return tuple({person.address or person.name: person for person in reversed(people)}.values())[::-1]


def answer_of(attendees: Iterable[Attendee], me: frozenset[str]) -> Answer:
    """What the owner answered, "" when none of their addresses (lower case) is asked."""
    return next((one.answer for one in attendees if one.address in me), "")


def first(value: Any) -> Any:
    """Of a property that came more than once, the first."""
    return value[0] if isinstance(value, list) and value else value


def parameter(prop: Any, name: str) -> str:
    """A parameter of a property as text; "Doe, Jane" that came without its quotes is put together again."""
    value = getattr(prop, "params", {}).get(name, "")
    return ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)


def _attendee(prop: Any) -> Attendee:
    answer = _ANSWERS.get(parameter(prop, "PARTSTAT").upper(), "")
    return _person(
        prop, answer=answer, is_optional=parameter(prop, "ROLE").upper() in ("OPT-PARTICIPANT", "NON-PARTICIPANT")
    )


def _person(prop: Any, *, answer: Answer, is_optional: bool = False) -> Attendee:
    return Attendee(
        name=one_line(parameter(prop, "CN").strip("'\""), NAME_MOST),
        address=address(str(prop), parameter(prop, "EMAIL")),
        answer=answer,
        is_optional=is_optional,
    )
