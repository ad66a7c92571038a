"""The cards of the day: today with a button for each line, and what landed in silence, by kind and page."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from memory.brief import cost_words
from memory.card import Card, Choice
from memory.conflict import Conflict
from memory.day import Day, Line, Thread, landed
from memory.day_words import letters_words, marked
from memory.ledger import Tables
from memory.loop import Loop
from memory.owner import Language, Owner
from memory.promised import Promised
from memory.promisewords import say as say_of_promises
from memory.wording import day as day_in_words
from memory.wording import say, when
from tools import day as days
from tools import mail_card, promise_card, promised

KIND, SILENT = "day", "day_silent"
"""The kinds of these cards."""

SUBJECT = "day"

ANSWERED_MAX = 8
"""So many lines are numbered and have a button; with the one for what landed in silence that fills three rows."""

KEPT_FOR_OTHERS = 2
"""So many of them are kept for what waits, and for what is open, however much needs the owner."""

PROMISED_MAX = 3
"""So many mails and messages in which something was promised are asked about."""

AGENDA_MAX = 15
MAILS_A_PAGE = 8

BUTTON_MAX = 20
"""So many letters of a name stand on a button."""

REFERENCE_LETTERS = 12
"""So much of a conflict's key stands on a button."""


def today(t: Tables, owner: Owner, now: datetime) -> Card:
    """The day as it stands now, as a card for the chat."""
    return card(days.of_now(t, owner, now), promised.standing(t, owner.id, now))


def card(day: Day, promises: Sequence[Promised] = ()) -> Card:
    """The day as a card for the chat, with what the owner seems to have promised and has not confirmed."""
    language = day.owner.language
    needs, waiting, opened = _shares(day)
    numbers = {line.key: number for number, line in enumerate((*needs, *waiting, *opened), 1)}
    parts = [
        say(language, "day_title", day=_date(day)),
        _numbered(day, "day_needs", needs, len(day.needs_you), numbers) or say(language, "day_nothing"),
        letters_words(day),
        _agenda(day),
        _numbered(day, "day_waiting", waiting, len(day.waiting_on), numbers),
        _numbered(day, "day_open", opened, len(day.open), numbers),
        _promised(day, promises),
        silent_words(day),
        cost_words("tally_since", day, when=_since(day)) if day.tally.mails else "",
        say(language, "day_dot") if any(line.is_new for line in (*needs, *waiting, *opened, *day.agenda)) else "",
    ]
    choices = [_choice(line, numbers[line.key], language) for line in (*needs, *waiting, *opened)]
    choices += [
        Choice(
            f"{promise_card.KIND}.{promise_card.reference(one)}",
            say_of_promises(language, "day_button", who=_told_apart(one, promises, language)[:BUTTON_MAX]),
        )
        for one in promises[:PROMISED_MAX]
    ]
    if day.silent:
        choices.append(Choice("silent", say(language, "button_silent", count=day.silent)))
    return Card(
        kind=KIND,
        subject=SUBJECT,
        text="\n\n".join(part for part in parts if part),
        choices=tuple(choices),
        because="the owner asked for the day",
        state_of_subject=day.tally.since.isoformat(),
    )


def _told_apart(one: Promised, promises: Sequence[Promised], language: Language) -> str:
    """Whom it was promised to; where there are several to the same person, what."""
    several = sum(other.who == one.who for other in promises[:PROMISED_MAX]) > 1
    return promise_card.what(one.items[0][1]) if several else promise_card.who(one, language)


def _promised(day: Day, promises: Sequence[Promised]) -> str:
    language = day.owner.language
    lines = [
        say_of_promises(
            language,
            "day_line",
            who=promise_card.who(one, language),
            what=promise_card.what(promise),
            due=promise_card.due(promise, day.owner, day.now),
        )
        for one in promises[:PROMISED_MAX]
        for _, promise in one.items
    ]
    more = len(promises) - PROMISED_MAX
    lines += [say(language, "day_more", count=more)] if more > 0 else []
    return "\n".join((say_of_promises(language, "day"), *lines)) if lines else ""


def reference(clash: Conflict) -> str:
    """How a button names a conflict."""
    return clash.key[:REFERENCE_LETTERS]


def _shares(day: Day) -> tuple[Sequence[Line], Sequence[Line], Sequence[Line]]:
    """What of each section is numbered: as much as there is room for, with a little kept for those behind."""
    waiting = min(len(day.waiting_on), KEPT_FOR_OTHERS)
    opened = min(len(day.open), KEPT_FOR_OTHERS)
    needs = min(len(day.needs_you), ANSWERED_MAX - waiting - opened)
    waiting = min(len(day.waiting_on), ANSWERED_MAX - needs - opened)
    opened = min(len(day.open), ANSWERED_MAX - needs - waiting)
    return day.needs_you[:needs], day.waiting_on[:waiting], day.open[:opened]


def _numbered(day: Day, title: str, shown: Sequence[Line], total: int, numbers: Mapping[str, int]) -> str:
    language = day.owner.language
    if not total:
        return ""
    lines = [f"{numbers[line.key]}. {marked(line, day.owner, day.now)}" for line in shown]
    more = total - len(shown)
    return "\n".join((say(language, title), *lines, *([say(language, "day_more", count=more)] if more else [])))


def _agenda(day: Day) -> str:
    language = day.owner.language
    if not day.agenda:
        return say(language, "day_no_events" if day.has_calendar else "day_no_calendar")
    lines = [f"- {marked(line, day.owner, day.now)}" for line in day.agenda[:AGENDA_MAX]]
    more = len(day.agenda) - AGENDA_MAX
    lines += [say(language, "day_more", count=more)] if more > 0 else []
    return "\n".join((say(language, "day_agenda"), *lines))


def silent_words(day: Day) -> str:
    """What landed in silence, counted by kind."""
    language = day.owner.language
    if not day.landed:
        return say(language, "day_silent_none", when=_since(day)) if day.tally.mails else ""
    kinds = ", ".join(f"{len(one.mail_ids)} {say(language, f'silent_{one.kind}')}" for one in day.landed)
    return say(language, "day_silent", when=_since(day), count=day.silent, kinds=kinds)


def _since(day: Day) -> str:
    zones, language = day.owner.zones, day.owner.language
    return when(zones.wall_at(day.tally.since), zones.wall_at(day.now).date(), language)


def _date(day: Day) -> str:
    """The date with its weekday: words for a day that is far away name both."""
    on = day.owner.zones.wall_at(day.now).date()
    said = day_in_words(on, on - timedelta(days=7), day.owner.language)
    return said.removeprefix("on ").removeprefix("am ")


def _choice(line: Line, number: int, language: Language) -> Choice:
    match line.of:
        case Thread(id=thread_id, by_owner=True):
            return Choice(f"mail-done.{thread_id}", say(language, "button_tick", number=number), "good")
        case Thread(id=thread_id):
            return Choice(f"open.{thread_id}", say(language, "button_open", number=number))
        case Loop(id=loop_id):
            return Choice(f"done.{loop_id}", say(language, "button_tick", number=number), "good")
        case Conflict() as clash:
            return Choice(f"seen.{reference(clash)}", say(language, "button_tick", number=number), "good")
        case _:
            raise AssertionError(f"{line.key} can't be answered")


# What landed in silence


def silent(t: Tables, owner: Owner, since: datetime) -> Card:
    """What landed in silence since then, a button for each kind."""
    found = landed(t.verdicts.since(owner.id, since))
    language = owner.language
    lines = [f"- {say(language, f'silent_{one.kind}')}: {len(one.mail_ids)}" for one in found]
    return Card(
        kind=SILENT,
        subject=SUBJECT,
        text="\n".join(lines) or say(language, "day_gone"),
        choices=tuple(
            Choice(
                f"{one.kind}.0",
                say(language, "button_kind", kind=say(language, f"silent_{one.kind}"), count=len(one.mail_ids)),
            )
            for one in found
        ),
        because="the owner asked what landed in silence",
        state_of_subject=since.isoformat(),
    )


def silent_page(t: Tables, owner: Owner, since: datetime, kind: str, page: int) -> Card:
    """The mails of one kind, a page of them, the newest first."""
    found = next((one for one in landed(t.verdicts.since(owner.id, since)) if one.kind == kind), None)
    if found is None or not 0 <= page * MAILS_A_PAGE < len(found.mail_ids):
        return silent(t, owner, since)
    language, total = owner.language, len(found.mail_ids)
    some = found.mail_ids[page * MAILS_A_PAGE : (page + 1) * MAILS_A_PAGE]
    first, last = page * MAILS_A_PAGE + 1, page * MAILS_A_PAGE + len(some)
    head = say(language, "silent_page", kind=say(language, f"silent_{kind}"), first=first, last=last, count=total)
    choices = [
        *([Choice(f"{kind}.{page - 1}", say(language, "button_later_page"))] if page else []),
        *([Choice(f"{kind}.{page + 1}", say(language, "button_earlier"))] if last < total else []),
        Choice("kinds", say(language, "button_kinds")),
    ]
    return Card(
        kind=SILENT,
        subject=SUBJECT,
        text="\n".join((head, *(f"- {words}" for words in mails_in_lines(t, owner, some)))),
        choices=tuple(choices),
        because="the owner asked what landed in silence",
        state_of_subject=since.isoformat(),
    )


def mails_in_lines(t: Tables, owner: Owner, mail_ids: Iterable[int]) -> list[str]:
    """Mails in a line each, in this order; what is excluded or gone since is left out."""
    wanted = list(mail_ids)
    known = {kept.id: kept for kept in t.mails.some(wanted)}
    return [mail_card.in_line(known[mail_id], owner.language) for mail_id in wanted if mail_id in known]
