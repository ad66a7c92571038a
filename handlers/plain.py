"""Carries out what plain words ask for. "Done" is said here and nowhere else: in the transaction that made it so."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import assert_never, cast

from handlers import recollect
from memory import setting
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
from memory.command.target import TakeBack, Which, is_change, resolve, to_take_back
from memory.decision import Decision
from memory.errors import NotFound
from memory.ledger import Tables
from memory.loop import Loop, is_listed, subject, title_of
from memory.markdown import escaped
from memory.owner import Language, Owner
from memory.recollection import EXTRACT, RECOLLECTION
from memory.reminder import Reminder
from memory.reminder import subject as reminder_subject
from memory.rulewords import in_words
from memory.when.recurrence import Recurrence
from memory.wording import say, until, when
from tools import cards, contact_notes, day_card, fact_notes, mail_acts, person_notes

DECISIONS_LOOKED_AT = 50

EDIT_LOOKED_AT = 500
"""So far back what an edited message changed is looked for: it is the last one, but mail may have come since."""


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The moment in which something is asked: who, when, in answer to what, about which loop."""

    owner: Owner
    now: datetime
    signal_id: int
    turn_id: int
    because: str
    about: Callable[[], int | None] = _nothing
    """The id of the loop that is being talked about, looked up when a command says "it"."""
    interrupted: bool = False
    """Whether hearing this ended something that was still being thought about."""

    @property
    def language(self) -> Language:
        """The owner's language."""
        return self.owner.language

    @property
    def wall(self) -> datetime:
        """What the owner's clock shows (naive)."""
        return self.owner.zones.wall_at(self.now)

    def say(self, key: str, **values: object) -> str:
        """A text in the owner's language."""
        return say(self.language, key, **values)

    def when(self, wall: datetime) -> str:
        """A wall time as one says it now."""
        return when(wall, self.wall.date(), self.language)

    def until(self, wall: datetime) -> str:
        """A wall time as one says it after "until"."""
        return until(wall, self.wall.date(), self.language)


Reply = str | Card
"""What is said: a text, or a card whose text that is."""


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
            return undo(t, scene)
        case ListLoops():
            return list_loops(t, scene)
        case ShowDay():
            return day_card.today(t, scene.owner, scene.now)
        case Stop():
            return _stop(t, scene)
        case Move():
            return _move(t, intent, scene)
        case Speak():
            note_setting(t, "language", scene)
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
        found = to_take_back(t.decisions.latest(scene.owner.id, DECISIONS_LOOKED_AT), scene.now)
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


def undo(t: Tables, scene: Scene) -> Reply:
    """Take the last change back, or ask when it is an older one."""
    found = to_take_back(t.decisions.latest(scene.owner.id, DECISIONS_LOOKED_AT), scene.now)
    if found is None:
        return scene.say("nothing_to_undo")
    if not found.at_once:
        text = scene.say("undo_older", title=_title(t, found.decision.subject, scene.owner.id))
        return cards.after_change(
            found.decision.subject, text, scene.language, because="an older change may not be meant"
        )
    return take_back(t, found, scene)


def take_back(t: Tables, found: TakeBack, scene: Scene) -> Reply:
    """Reverse one decision."""
    title = _title(t, found.decision.subject, scene.owner.id)
    if found.decision.subject.startswith(setting.PREFIX):
        return _setting_back(t, found.decision, scene)
    done = _reverse(t, found.decision, scene)
    return scene.say(done, title=title) if done else scene.say("nothing_to_undo")


def take_back_of(t: Tables, signal_id: int, scene: Scene) -> None:
    """Quietly take back what the message of `signal_id` changed: its words have been edited, and are weighed anew.

    `scene` is that of the edit, which has a signal of its own. What was changed again since, or taken back already (by
    a tap, by "undo", by this), stays as it is; so a second call does nothing.
    """
    changes = [
        decision
        for decision in t.decisions.latest(scene.owner.id, EDIT_LOOKED_AT)
        if decision.signal_id == signal_id and is_change(decision) and _stands(t, decision)
    ]
    # A reminder comes and goes with its loop: loops first, and then the reminders that are still as the message left them.
    for decision in sorted(changes, key=lambda one: one.subject.startswith("reminder:")):
        if decision.subject.startswith(setting.PREFIX):
            _setting_back(t, decision, scene)
        elif not decision.subject.startswith("reminder:") or _stands(t, decision):
            _reverse(t, decision, scene)


def _stands(t: Tables, decision: Decision) -> bool:
    """Whether the last word about its subject came with the same signal."""
    return t.decisions.about(decision.owner_id, decision.subject)[-1].signal_id == decision.signal_id


def _reverse(t: Tables, decision: Decision, scene: Scene) -> str | None:
    """Put a loop or a reminder back as it was; the key of what is said of it, None when there is nothing to put back."""
    name, number = decision.subject.split(":")
    if name in {mail_acts.SUBJECT, contact_notes.KIND, fact_notes.KIND, person_notes.KIND}:
        return _errand_back(t, decision, scene)
    if name == RECOLLECTION:
        because = "the owner undid it"
        done = t.recollections.withdraw(int(number), because=because, now=scene.now, signal_id=scene.signal_id)
        return "undone_recollection" if done else None
    back = _loop_back if name == "loop" else _reminder_back
    return back(t, int(number), decision.decided, scene)


def _errand_back(t: Tables, decision: Decision, scene: Scene) -> str | None:
    """The same for a small act on mail, which a job reverses, and for an address or a fact that was noted."""
    about, now, signal_id = decision.subject, scene.now, scene.signal_id
    if about.startswith(f"{contact_notes.KIND}:"):
        said = contact_notes.take_back_latest(t, about, scene.owner, now=now, signal_id=signal_id)
        return "contact_undone" if said else None
    if about.startswith(f"{fact_notes.KIND}:"):
        return fact_notes.take_back_latest(t, about, scene.owner, now=now, signal_id=signal_id)
    if about.startswith(f"{person_notes.KIND}:"):
        said = person_notes.take_back_latest(t, about, scene.owner, now=now, signal_id=signal_id)
        return "contact_undone" if said else None
    began = mail_acts.take_back_latest(t, about, owner_id=scene.owner.id, now=now, signal_id=signal_id)
    return "mail_act_going" if began else None


def _loop_back(t: Tables, loop_id: int, decided: str, scene: Scene) -> str | None:
    because, now, signal_id = "the owner undid it", scene.now, scene.signal_id
    if decided in {"done", "dropped"}:
        reopened = t.loops.reopen(loop_id, because=because, now=now, signal_id=signal_id)
        return "undone_reopened" if reopened else None
    if decided == "snoozed":
        t.loops.unsnooze(loop_id, because=because, now=now, signal_id=signal_id)
        return "undone_snooze"
    # Without the signal: what follows from an undo is no change of the owner's that another undo could take back.
    closed = t.loops.close(loop_id, state="dropped", because=because, now=now)
    _mark_undone(t, subject(loop_id), scene)
    return "undone_closed" if closed else None


def _reminder_back(t: Tables, reminder_id: int, decided: str, scene: Scene) -> str | None:
    because, now, signal_id = "the owner undid it", scene.now, scene.signal_id
    if decided == "cancelled":
        restored = t.reminders.restore(reminder_id, because=because, now=now, signal_id=signal_id)
        return "undone_reopened" if restored else None
    cancelled = t.reminders.cancel(reminder_id, because=because, now=now)
    _mark_undone(t, reminder_subject(reminder_id), scene)
    return "undone_reminder" if cancelled else None


def note_setting(t: Tables, name: setting.Name, scene: Scene) -> None:
    """Before a setting changes: a decision row that knows how it stood."""
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=setting.subject(name),
        decided=setting.value(scene.owner, name, scene.now),
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )


def _setting_back(t: Tables, decision: Decision, scene: Scene) -> str:
    name = cast(setting.Name, decision.subject.removeprefix(setting.PREFIX))
    setting.put_back(t.owners, scene.owner, name, decision.decided, now=scene.now)
    _mark_undone(t, decision.subject, scene)
    language = t.owners.get(scene.owner.id).language
    return say(language, "undone_setting", value=decision.decided)


def _mark_undone(t: Tables, about: str, scene: Scene) -> None:
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=about,
        decided="undone",
        because="the owner undid it",
        now=scene.now,
        signal_id=scene.signal_id,
    )


def _title(t: Tables, about: str, owner_id: int) -> str:
    """What a decision is about, as Markdown."""
    name, number = about.split(":")
    if name == "loop":
        loop = t.loops.get(int(number))
        return escaped(loop.title) if loop else ""
    if name == "setting":
        return number
    if name == RECOLLECTION:
        return _remembered(t, owner_id, int(number))
    if name == "reminder":
        reminder = t.reminders.get(int(number))
        return escaped(reminder.text) if reminder else ""
    if name in {fact_notes.KIND, person_notes.KIND}:
        title_of = fact_notes.title if name == fact_notes.KIND else person_notes.title
        return title_of(t, t.owners.get(owner_id), int(number))
    contact = next((one.contact for one in t.contacts.all(owner_id) if one.id == int(number)), None)
    return escaped(contact.name) if contact and name == contact_notes.KIND else ""


def _remembered(t: Tables, owner_id: int, number: int) -> str:
    try:
        return escaped(t.recollections.get(owner_id, number).text)
    except NotFound:
        return ""


def _move(t: Tables, intent: Move, scene: Scene) -> Reply:
    note_setting(t, "zone", scene)
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
    note_setting(t, "quiet", scene)
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
