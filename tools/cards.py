"""The cards that Stillbell shows: values made from rows, in the owner's language."""

import json
from collections.abc import Sequence
from datetime import date, datetime

from memory.card import Card, Choice
from memory.command.intent import Intent, Remind, Snooze, at_wall, to_plain
from memory.loop import EVERY_LOOP, Loop, subject
from memory.markdown import escaped
from memory.owner import Language
from memory.wording import say, when

LISTED_MAX = 20
"""So many loops stand in a list; more than that nobody reads on a phone."""

CHOICES_MAX = 6


def after_change(kind_of_subject: str, text: str, language: Language, *, because: str) -> Card:
    """What a change says of itself, with the way back. `kind_of_subject` is the subject: "loop:12", "reminder:5"."""
    return Card(
        kind="undo",
        subject=kind_of_subject,
        text=text,
        choices=(Choice("undo", say(language, "button_undo")),),
        because=because,
    )


def loop_due(loop: Loop, text: str, language: Language, *, because: str) -> Card:
    """A loop that has come round: done, or later."""
    return Card(
        kind="loop",
        subject=subject(loop.id),
        text=text,
        choices=(
            Choice("done", say(language, "button_done"), "good"),
            Choice("hour", say(language, "button_hour")),
            Choice("tomorrow", say(language, "button_tomorrow")),
        ),
        because=because,
        state_of_subject=loop.state,
    )


def loop_list(loops: Sequence[Loop], snoozed: int, today: date, language: Language) -> Card | str:
    """What is open, numbered, each with its button; a plain sentence when nothing is."""
    more = f"\n\n{say(language, 'loops_snoozed', count=snoozed)}" if snoozed else ""
    if not loops:
        return say(language, "no_loops") + more
    shown = loops[:LISTED_MAX]
    lines = [f"{number}. {line(loop, today, language)}" for number, loop in enumerate(shown, 1)]
    if len(loops) > len(shown):
        lines.append(say(language, "brief_more", count=len(loops) - len(shown)))
    return Card(
        kind="loops",
        subject=EVERY_LOOP,
        text=f"{say(language, 'loops')}\n" + "\n".join(lines) + more,
        choices=tuple(Choice(f"done.{loop.id}", f"✓ {number}", "good") for number, loop in enumerate(shown, 1)),
        because="the owner asked what is open",
        state_of_subject=",".join(str(loop.id) for loop in shown),
    )


def line(loop: Loop, today: date, language: Language) -> str:
    """One loop in a line: what, and when it comes round."""
    due = f" – {when(loop.remind_at_wall, today, language)}" if loop.remind_at_wall else ""
    return f"{escaped(loop.title)}{due}"


def choose(question: str, options: Sequence[tuple[Intent, str]], language: Language, *, turn_id: int) -> Card:
    """Several readings of one sentence: each with its button. What a button stands for is part of the card's digest."""
    some = options[:CHOICES_MAX]
    return Card(
        kind="choose",
        subject=f"turn:{turn_id}",
        text=question,
        choices=(
            *(Choice(f"pick.{n}", label) for n, (_, label) in enumerate(some)),
            Choice("none", say(language, "button_none")),
        ),
        because="the words can be read in more than one way",
        state_of_subject=json.dumps([to_plain(intent) for intent, _ in some], sort_keys=True),
    )


def ask_when(
    question: str, times: Sequence[tuple[str, datetime]], intent: Remind | Snooze, language: Language, *, turn_id: int
) -> Card:
    """A wish without a time: the usual ones as buttons (label, naive wall time)."""
    return choose(question, [(at_wall(intent, wall), label) for label, wall in times], language, turn_id=turn_id)
