"""Carries out what plain words ask for. "Done" is said here and nowhere else: in the transaction that made it so."""

import json
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import assert_never

from handlers import recollect, undo
from handlers.scene import Reply, Scene
from memory.card import Card
from memory.command.intent import (
    Close,
    Disremember,
    Intent,
    ListLoops,
    Move,
    OpenLoop,
    Recollect,
    Remember,
    Remind,
    SetQuiet,
    ShowDay,
    Snooze,
    Speak,
    Stop,
    Target,
    Undo,
    from_plain,
)
from memory.command.parse import InThePast, Parsed, Unsure, WhenMissing
from memory.command.target import Which, resolve
from memory.ledger import Tables
from memory.loop import Loop, is_listed, subject, title_of
from memory.markdown import escaped
from memory.recollection import EXTRACT
from memory.reminder import Reminder
from memory.reminder import subject as reminder_subject
from memory.rulewords import in_words
from memory.when.recurrence import Recurrence
from memory.wording import say
from tools import cards, day_card


def carry_out(t: Tables, intent: Intent, scene: Scene) -> Reply:  # noqa: PLR0911, PLR0912  one line for each intent
    """Do it, within the caller's transaction, and return what is said of it."""
    match intent:
        case Close():
            return _close(t, intent, scene)
        case Snooze():
            return _snooze(t, intent, scene)
        case Remind():
            return _remind(t, intent, scene)
        case OpenLoop():
            return _open(t, intent, scene)
        case Undo():
            return undo.last(t, scene)
        case ListLoops():
            return list_loops(t, scene)
        case ShowDay():
            return day_card.today(t, scene.owner, scene.now)
        case Stop():
            return _stop(t, scene)
        case Move():
            return _move(t, intent, scene)
        case Speak():
            undo.note_setting(t, "language", scene)
            t.owners.set(scene.owner.id, language=intent.language)
            return say(intent.language, "speak")
        case SetQuiet():
            return _quiet(t, intent, scene)
        case Remember():
            return recollect.remember(t, intent.text, scene)
        case Recollect():
            return recollect.show(t, intent.words, scene)
        case Disremember():
            return recollect.disremember(t, intent.words, scene) or _close(t, _named_so(intent), scene)
        case _:
            assert_never(intent)


def answer(t: Tables, parsed: Parsed, scene: Scene) -> Reply | None:
    """The same for anything that the parser may have returned; None when it is nothing for plain code."""
    if parsed is None:
        return None
    if isinstance(parsed, Unsure):
        if _means_nothing(t, parsed.options[0], scene):
            return None
        options = [(option, label(option, scene)) for option in parsed.options]
        return cards.choose(scene.say("which_time"), options, scene.language, turn_id=scene.turn_id)
    if isinstance(parsed, WhenMissing):
        return _ask_when(t, parsed.intent, scene)
    if isinstance(parsed, InThePast):
        return scene.say("past", text=escaped(parsed.text))
    return None if _means_nothing(t, parsed, scene) else carry_out(t, parsed, scene)


def _means_nothing(t: Tables, intent: Intent, scene: Scene) -> bool:
    """ "Done with the slides" is a command only when a loop goes by that name; else it is talk."""
    if isinstance(intent, Undo) and intent.only_done:
        found = undo.meant(t, scene)
        return found is None or found.decision.decided != "done"
    if isinstance(intent, Disremember):
        return not recollect.knows(t, intent.words, scene) and _means_nothing(t, _named_so(intent), scene)
    if not isinstance(intent, Close | Snooze) or intent.target.how not in {"words", "mentioned"}:
        return False
    meant = _meant(t, intent.target, scene)
    return isinstance(meant, Which) and not meant.candidates


def _named_so(intent: Disremember) -> Close:
    """ "Forget that report for Anna" may mean what is open under that name."""
    return Close(Target("words", words=intent.words.lower()), "dropped")


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner chose one of several readings."""
    options = json.loads(card.state_of_subject)
    return carry_out(t, from_plain(options[int(choice.removeprefix("pick."))]), scene)


def label(intent: Intent, scene: Scene) -> str:
    """One of several readings on a button."""
    if isinstance(intent, Remind) and intent.rule:
        return f"{in_words(Recurrence.from_text(intent.rule), scene.language)} ({scene.when(intent.wall)})"
    if isinstance(intent, Remind | Snooze):
        return scene.when(intent.wall)
    return type(intent).__name__


def _stop(t: Tables, scene: Scene) -> Reply:
    thread = f"owner:{scene.owner.id}"
    t.jobs.cancel_pending(thread=thread, kind=EXTRACT, because="the owner said stop", now=scene.now)
    return scene.say("stopped" if scene.interrupted else "nothing_to_stop")


def list_loops(t: Tables, scene: Scene) -> Reply:
    """What is open."""
    every = t.loops.list_open(scene.owner.id, with_snoozed=True)
    listed = [loop for loop in every if is_listed(loop)]
    return cards.loop_list(listed, len(every) - len(listed), scene.wall.date(), scene.language)


def _about(target: Target, scene: Scene) -> int | None:
    return scene.about() if target.how in {"it", "mentioned"} else None


def _meant(t: Tables, target: Target, scene: Scene) -> Loop | Which:
    with_snoozed = target.how in {"loop_id", "words"}
    return resolve(target, t.loops.list_open(scene.owner.id, with_snoozed=with_snoozed), _about(target, scene))


def _ask_which(which: Which, intent: Close | Snooze, scene: Scene) -> Reply:
    if not which.candidates:
        return scene.say("no_such_loop")
    options: list[tuple[Intent, str]] = [
        (replace(intent, target=Target("loop_id", loop.id)), loop.title[:40]) for loop in which.candidates
    ]
    return cards.choose(scene.say("which_loop"), options, scene.language, turn_id=scene.turn_id)


def _close(t: Tables, intent: Close, scene: Scene) -> Reply:
    loop = _meant(t, intent.target, scene)
    if isinstance(loop, Which):
        return _ask_which(loop, intent, scene)
    t.loops.close(loop.id, state=intent.state, because=scene.because, now=scene.now, signal_id=scene.signal_id)
    text = scene.say(intent.state, title=escaped(loop.title))
    return cards.after_change(subject(loop.id), text, scene.language, because=f"the loop is {intent.state}")


def _snooze(t: Tables, intent: Snooze, scene: Scene) -> Reply:
    loop = _meant(t, intent.target, scene)
    if isinstance(loop, Which):
        return _ask_which(loop, intent, scene)
    t.loops.snooze(
        loop.id,
        until_wall=intent.wall,
        exact_at=intent.exact_at,
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )
    text = scene.say("snoozed", title=escaped(loop.title), when=scene.until(intent.wall))
    return cards.after_change(subject(loop.id), text, scene.language, because="the loop is snoozed")


def _remind(t: Tables, intent: Remind, scene: Scene) -> Reply:
    because, now, signal_id = scene.because, scene.now, scene.signal_id
    words, loop_id = title_of(intent.text), None
    if intent.rule is None:
        loop = t.loops.open(
            owner_id=scene.owner.id, kind="task", title=words, because=because, now=now, signal_id=signal_id
        )
        loop_id = loop.id
    reminder = t.reminders.set(
        owner_id=scene.owner.id,
        text=words,
        wall=intent.wall,
        rule=intent.rule,
        loop_id=loop_id,
        because=because,
        now=now,
        signal_id=signal_id,
        exact_at=intent.exact_at,
    )
    about = subject(loop_id) if loop_id else reminder_subject(reminder.id)
    return cards.after_change(about, _set(reminder, scene), scene.language, because="a reminder is set")


def _set(reminder: Reminder, scene: Scene) -> str:
    words, at = escaped(reminder.text), scene.when(reminder.wall)
    if reminder.rule is None:
        return scene.say("reminder", text=words, when=at)
    rule = in_words(Recurrence.from_text(reminder.rule), scene.language)
    return scene.say("reminder_rule", text=words, rule=rule, when=at)


def _open(t: Tables, intent: OpenLoop, scene: Scene) -> Reply:
    loop = t.loops.open(
        owner_id=scene.owner.id,
        kind=intent.kind,
        title=title_of(intent.title),
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )
    key = "waiting" if intent.kind == "waiting" else "opened"
    text = scene.say(key, title=escaped(loop.title))
    return cards.after_change(subject(loop.id), text, scene.language, because="a loop was opened")


def _move(t: Tables, intent: Move, scene: Scene) -> Reply:
    undo.note_setting(t, "zone", scene)
    home = scene.owner.zones.zone_at(scene.now).key
    t.owners.unmove(scene.owner.id, after=scene.now)
    t.owners.move(scene.owner.id, zone=intent.zone, from_at=scene.now, because=scene.because)
    place = intent.zone.split("/")[-1].replace("_", " ")
    if intent.until is None:
        return f"{scene.say('moved', place=place)} {scene.say('moved_note')}"
    moved = t.owners.get(scene.owner.id)
    back_at = moved.zones.wall_to_utc(intent.until)
    t.owners.move(scene.owner.id, zone=home, from_at=back_at, because=f"the owner is back: {scene.because}")
    there = replace(scene, owner=moved)
    return f"{scene.say('moved_until', place=place, when=there.until(intent.until))} {scene.say('moved_note')}"


def _quiet(t: Tables, intent: SetQuiet, scene: Scene) -> Reply:
    undo.note_setting(t, "quiet", scene)
    t.owners.set(scene.owner.id, quiet_from=intent.start, quiet_to=intent.end)
    return quiet_said(intent.start, intent.end, scene)


def quiet_said(start: time, end: time, scene: Scene) -> str:
    """The quiet hours in words."""
    if start == end:
        return scene.say("quiet_off")
    return scene.say("quiet", start=f"{start:%H:%M}", end=f"{end:%H:%M}")


def _ask_when(t: Tables, intent: Remind | Snooze, scene: Scene) -> Reply:
    if isinstance(intent, Snooze):
        loop = _meant(t, intent.target, scene)
        if isinstance(loop, Which):
            return (
                scene.say("no_such_loop")
                if not loop.candidates
                else _ask_which(loop, replace(intent, wall=_tomorrow(scene)), scene)
            )
        intent, text = replace(intent, target=Target("loop_id", loop.id)), loop.title
    else:
        text = intent.text
    question = scene.say("when", text=escaped(title_of(text)))
    return cards.ask_when(question, usual_times(scene), intent, scene.language, turn_id=scene.turn_id)


def usual_times(scene: Scene) -> list[tuple[str, datetime]]:
    """The times that a button offers: (label, naive wall time), all of them ahead."""
    wall = scene.wall.replace(second=0, microsecond=0)
    tonight = wall.replace(hour=19, minute=0)
    monday = (wall + timedelta(days=7 - wall.weekday())).replace(hour=9, minute=0)
    times = [(scene.say("button_hour"), wall + timedelta(hours=1))]
    if tonight > wall + timedelta(hours=1):
        times.append((scene.say("button_evening"), tonight))
    return [*times, (scene.say("button_tomorrow"), _tomorrow(scene)), (scene.say("button_monday"), monday)]


def _tomorrow(scene: Scene) -> datetime:
    return (scene.wall + timedelta(days=1)).replace(hour=9, minute=0, second=0, microsecond=0)
