"""Taking back what was done: the last change, one that a button names, or all that an edited message had changed."""

from typing import cast

from handlers.scene import Reply, Scene
from memory import setting
from memory.command.target import TakeBack, is_change, to_take_back
from memory.decision import Decision
from memory.errors import NotFound
from memory.ledger import Tables
from memory.loop import subject
from memory.markdown import escaped
from memory.recollection import RECOLLECTION
from memory.reminder import subject as reminder_subject
from memory.wording import say
from tools import cards, contact_notes, fact_notes, mail_acts, person_notes

DECISIONS_LOOKED_AT = 50

EDIT_LOOKED_AT = 500
"""So far back what an edited message changed is looked for: it is the last one, but mail may have come since."""


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


def meant(t: Tables, scene: Scene) -> TakeBack | None:
    """The change that a bare "undo" means."""
    return to_take_back(t.decisions.latest(scene.owner.id, DECISIONS_LOOKED_AT), scene.now)


def last(t: Tables, scene: Scene) -> Reply:
    """Take the last change back, or ask when it is an older one."""
    found = meant(t, scene)
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


def of_message(t: Tables, signal_id: int, scene: Scene) -> None:
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
