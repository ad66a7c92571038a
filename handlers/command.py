"""Slash commands: what the menu of the chat offers, answered by plain code."""

import re
from collections.abc import Callable
from datetime import datetime

from handlers import audit, one_person, plain, recollect, undo, who, wishes
from handlers.forgotten import UNHELD
from handlers.scene import Reply, Scene
from memory.clock import Clock
from memory.command.intent import Stop
from memory.command.parse import parse
from memory.file import FORGOTTEN
from memory.ledger import Tables
from memory.mail_thread import thread_of
from memory.markdown import escaped
from memory.thread import Forgotten
from memory.wording import usd
from tools import day_card, found_card, why
from tools.brief import compose_now

Command = Callable[[Tables, str, Scene], Reply]

TELLING = ("portrait", "company", "fact", "recollections", "recollection")
"""The kinds of cards that tell what is known from messages of the owner's: they can be asked for anew."""


class Commands:
    """Runs a slash command within the caller's transaction."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._commands: dict[str, Command] = {
            "brief": lambda t, _, scene: compose_now(t, scene.owner, scene.now, key=f"turn:{scene.turn_id}:1"),
            "today": lambda t, _, scene: day_card.today(t, scene.owner, scene.now),
            "loops": lambda t, _, scene: plain.list_loops(t, scene),
            "remind": self._remind,
            "find": self._find,
            "who": who.command,
            "people": one_person.command,
            "usage": self._usage,
            "allowance": self._allowance,
            "quiet": self._quiet,
            "why": self._why,
            "memory": recollect.command,
            "audit": audit.read_back,
            "stop": lambda t, _, scene: plain.carry_out(t, Stop(), scene),
            "forget": self._forget,
            "help": lambda t, _, scene: scene.say("help"),
            "start": lambda t, _, scene: scene.say("help"),
            "undo": lambda t, _, scene: undo.last(t, scene),
        }

    def run(self, t: Tables, text: str, scene: Scene) -> Reply:
        """What `text`, which begins with a slash, asks for."""
        word, *more = text[1:].split(maxsplit=1) or [""]
        rest = more[0] if more else ""
        # In groups and from menus a command may bear the bot's name: /help@some_bot.
        command = self._commands.get(word.split("@")[0].lower())
        if command is None:
            return scene.say("unknown_command", command=escaped(f"/{word}"[:40]))
        return command(t, rest.strip(), scene)

    def _remind(self, t: Tables, rest: str, scene: Scene) -> Reply:
        zone = scene.owner.zones.zone_at(scene.now)
        found = parse(f"remind me {rest}", now=scene.now, zone=zone, language=scene.language) if rest else None
        reply = plain.answer(t, found, scene)
        return reply if reply is not None else scene.say("remind_usage")

    def _find(self, t: Tables, rest: str, scene: Scene) -> Reply:
        if not rest:
            return scene.say("find_usage")
        question = f"message:{t.thread.turn(scene.turn_id).question_id}"
        sought = found_card.Sought(words=rest, asked_at=scene.now.isoformat(), without=question)
        subject = f"found:{scene.turn_id}"
        lines = found_card.lines(t, scene.owner, sought, subject=subject, because=scene.because, now=scene.now)
        return lines or found_card.nothing(t, scene.owner, sought)

    def _usage(self, t: Tables, _: str, scene: Scene) -> Reply:
        since = midnight(scene)
        rows = t.spendings.by_label(scene.owner.id, since)
        cap = usd(scene.owner.cap_usd)
        if not rows:
            return scene.say("usage_none", cap=cap)
        lines = [
            f"- {label}: {usd(cost)} ({calls} × {escaped(model)}, {tokens_in:,} → {tokens_out:,} tokens)"
            for label, model, calls, tokens_in, tokens_out, cost in rows
        ]
        spent = usd(t.spendings.spent_usd(scene.owner.id, since))
        return "\n".join((scene.say("usage", spent=spent, cap=cap), *lines))

    def _allowance(self, t: Tables, rest: str, scene: Scene) -> Reply:
        amount = re.fullmatch(r"\$?(\d{1,4}(?:[.,]\d{1,2})?)\s*(?:usd|\$|dollars?)?(?:\s*/\s*day)?", rest.lower())
        if not amount:
            return scene.say("allowance_usage", cap=usd(scene.owner.cap_usd))
        cap = float(amount[1].replace(",", "."))
        undo.note_setting(t, "allowance", scene)
        t.owners.set(scene.owner.id, cap_usd=cap)
        return scene.say("allowance", cap=usd(cap), spent=usd(t.spendings.spent_usd(scene.owner.id, midnight(scene))))

    def _forget(self, t: Tables, rest: str, scene: Scene) -> Reply:
        """Erase the message that is answered, else the last thing the owner said before this, all of it.

        Words behind it name something else ("/forget Anna"): nothing is erased that they don't mean.
        """
        question = t.thread.get(t.thread.turn(scene.turn_id).question_id)
        wanted = [question.reply_to_id] if question.reply_to_id else _last_said(t, scene, question.id)
        if not wanted or rest:
            return scene.say("forget_usage")
        left = [_forget_one(t, message_id, scene) for message_id in wanted]
        loops = sorted({number for one in left for number in one.loops})
        lines = [scene.say("forgotten")]
        if loops:
            ids = ", ".join(f"#{number}" for number in loops)
            lines.append(scene.say("forgotten_loops", ids=escaped(ids), first=escaped(f"#{loops[0]}")))
        if any(one.reminders for one in left):
            lines.append(scene.say("forgotten_reminders"))
        return "\n".join(lines)

    def _why(self, t: Tables, rest: str, scene: Scene) -> Reply:
        """What became of a mail: of the card that is answered, or of what the words find."""
        if rest:
            return why.asked(t, scene.owner, rest, scene.now)
        question = t.thread.get(t.thread.turn(scene.turn_id).question_id)
        about = t.thread.get(question.reply_to_id) if question.reply_to_id else None
        stored = t.cards.get(about.card_id) if about and about.card_id else None
        thread_id = thread_of(stored.card.subject) if stored else None
        if thread_id is None:
            return scene.say("why_usage")
        return why.of_thread(t, scene.owner, thread_id, scene.now) or scene.say("why_none")

    def _quiet(self, t: Tables, rest: str, scene: Scene) -> Reply:
        if (said := wishes.said(t, rest, scene)) is not None:
            return said
        zone = scene.owner.zones.zone_at(scene.now)
        found = parse(f"quiet {rest}", now=scene.now, zone=zone, language=scene.language) if rest else None
        reply = plain.answer(t, found, scene)
        if reply is not None:
            return reply
        said = plain.quiet_said(scene.owner.quiet_from, scene.owner.quiet_to, scene)
        return f"{said} {scene.say('quiet_help')}\n{wishes.standing(t, scene)}\n{scene.say('quiet_more')}"


def _last_said(t: Tables, scene: Scene, before_id: int) -> list[int]:
    """The messages of the owner's last turn that there is still something to forget of."""
    for message in reversed(t.thread.history(scene.owner.id, limit=20, before_id=before_id)):
        if message.role != "owner" or message.text.startswith("/forget"):
            continue
        files = t.files.of_messages([message.id])
        if message.text or any(file.because != FORGOTTEN for file in files):
            return [part.id for part, _ in t.thread.parts(message.turn_id)] if message.turn_id else [message.id]
    return []


def _forget_one(t: Tables, message_id: int, scene: Scene) -> Forgotten:
    owner_id = scene.owner.id
    was_known = _rests_on(t, owner_id, f"message:{message_id}")
    left = t.thread.forget(message_id, now=scene.now)
    if was_known:
        t.thread.forget_cards(owner_id, TELLING, now=scene.now)
    for sha256 in left.unheld:
        t.jobs.add(
            owner_id=owner_id,
            kind=UNHELD,
            lane="background",
            thread=f"owner:{owner_id}",
            payload={"sha256": sha256},
            now=scene.now,
        )
    t.decisions.record(
        owner_id=owner_id,
        subject=f"message:{message_id}",
        decided="forgotten",
        because=scene.because,
        now=scene.now,
        signal_id=None,
    )
    return left


def _rests_on(t: Tables, owner_id: int, ref: str) -> bool:
    """Whether anything is known from this message."""
    told = (fact.ref for fact in t.facts.told(owner_id))
    return ref in {*told, *(source.ref for one in t.recollections.live(owner_id) for source in one.sources)}


def midnight(scene: Scene) -> datetime:
    """The start of the owner's day, as an instant."""
    start = datetime.combine(scene.wall.date(), datetime.min.time())
    return scene.owner.zones.wall_to_utc(start)
