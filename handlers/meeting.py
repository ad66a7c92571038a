"""Meetings by words and by buttons: which invitation or event is meant, and the card that asks about it.

Words put a job that makes the card in the place of the first word (handlers/compose); a button on the card of a mail puts
the question at once, as nothing has to be looked for.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from handlers import mentioned
from handlers.envelope_tap import Outcome
from handlers.scene import Reply, Scene
from memory.audit import code
from memory.card import Card, Choice, StoredCard
from memory.command.meeting import MeetingWish, read_meeting
from memory.command.naming import named
from memory.confusable import folded
from memory.envelope import Action
from memory.envelope_words import reason
from memory.errors import BadInput, NotFound, StillbellError
from memory.event import StoredEvent
from memory.job import Job
from memory.ledger import Tables
from memory.loop import is_listed
from memory.mail import KeptMail
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.recipient import among
from memory.thread import Message
from memory.wording import when
from tools.exit import asking
from tools.exit.asking import Asked, Refused, Wish
from tools.letters import addresses_named
from tools.meetings import Meetings, NewMeeting, invitation_in
from tools.oneself import own_addresses

COMPOSE = "compose"
"""The kind of job that makes the card (handlers/compose)."""

WHICH = "meeting"
"""The kind of the card that asks which event is meant."""

BUTTONS: Mapping[str, Action] = {"accept": "accept", "maybe": "tentative", "decline": "decline"}
"""The buttons of an invitation on the card of its mail, and what they ask for."""

LOOKS_BACK_FOR, LOOKS_AHEAD_FOR = timedelta(hours=1), timedelta(days=90)
INVITATIONS_LOOKED_AT, OPTIONS_MAX, LABEL_MAX = 30, 6, 40

_ACTIONS: Mapping[str, Action] = {"accept": "accept", "decline": "decline", "tentative": "tentative"}
_SMALL = frozenset(
    folded(
        "the a an my our this that with from of at on in to for and meeting event appointment invitation der die das den dem "
        "mein meine meinen unser mit von am im um zu zum zur und termin treffen einladung"
    ).split()
)


# By words


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words about a meeting; None when they are about something else, or name nothing that there is."""
    wish = read_meeting(words, now=scene.now, zone=scene.owner.zones.zone_at(scene.now))
    if wish is None:
        return None
    if wish.what == "create":
        return _create(t, wish, scene)
    if wish.by_mail:
        return _answer_mail(t, wish, asked, scene)
    found = _events(t, wish, scene)
    if not found or named(wish.words, [one for one in t.loops.list_open(scene.owner.id) if is_listed(one)])[0]:
        return None
    if len(found) > 1:
        return _ask_which(found, wish, scene)
    return _about(t, found[0], wish, scene)


def pick(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """The owner chose one of several events."""
    if choice == "none":
        return card.text
    payload = json.loads(card.state_of_subject)[int(choice.removeprefix("pick."))]
    turn_id = int(card.subject.removeprefix("turn:"))
    _put(t, scene, payload, turn_id=turn_id)
    return scene.say("letter_writing")


def _create(t: Tables, wish: MeetingWish, scene: Scene) -> Reply | None:
    if not wish.words or not wish.who:
        return None
    if wish.start is None or wish.start <= scene.wall:
        return scene.say("meeting_when", example=scene.say("meeting_example_create"))
    end = wish.start + wish.lasts_for if wish.lasts_for else None
    payload = {
        "what": "create",
        "title": wish.words,
        "guests": list(wish.who),
        "start": wish.start.isoformat(),
        "end": end.isoformat() if end else None,
        "comment": wish.comment,
    }
    _put(t, scene, payload)
    return scene.say("letter_writing")


def _answer_mail(t: Tables, wish: MeetingWish, asked: Message, scene: Scene) -> Reply:
    kept = _invitation(t, wish, asked, scene.owner)
    if kept is None:
        who = escaped(wish.who[0]) if wish.who else ""
        return scene.say("meeting_nobody", who=who) if who else scene.say("meeting_none")
    _put(t, scene, {"what": wish.what, "mail": kept.id, "comment": wish.comment})
    return scene.say("letter_writing")


def _invitation(t: Tables, wish: MeetingWish, asked: Message, owner: Owner) -> KeptMail | None:
    """The newest mail with an invitation: of the one who is named, else of the thread that is talked about."""
    if not wish.who:
        thread_id = mentioned.thread_of(t, asked)
        mails: Sequence[KeptMail] = t.mails.thread(thread_id)[::-1] if thread_id is not None else ()
    else:
        who = wish.who[0]
        addresses = [who.lower()] if "@" in who else addresses_named(t, owner, who)
        mails = t.mails.latest_from(owner.id, addresses, limit=INVITATIONS_LOOKED_AT) if addresses else ()
    for kept in mails:
        invited = invitation_in(kept, owner) if not kept.by_owner else None
        if invited is not None and _tells(wish.words) <= _tells(invited.title):
            return kept
    return None


def _events(t: Tables, wish: MeetingWish, scene: Scene) -> list[StoredEvent]:
    """The events that the words name, the next of each series, by start."""
    wanted = _tells(wish.words)
    if not wanted:
        return []
    own = own_addresses(t, scene.owner.id)
    around = t.calendars.between(scene.owner.id, scene.now - LOOKS_BACK_FOR, scene.now + LOOKS_AHEAD_FOR)
    found: dict[str, StoredEvent] = {}
    for one in around:
        event = one.event
        on = scene.owner.zones.wall_at(event.start_at).date()
        is_own = event.organizer is None or among(event.organizer.address, own)
        is_meant = event.status != "cancelled" and wanted <= _names(one) and wish.on in (None, on)
        if is_meant and (wish.what in ("move", "cancel") or not is_own):
            found.setdefault(event.uid, one)
    return list(found.values())


def _names(stored: StoredEvent) -> set[str]:
    """The words by which an event may be called: its title's, and its people's."""
    event = stored.event
    people = (*((event.organizer,) if event.organizer else ()), *event.attendees)
    return _tells(event.title).union(*(_tells(f"{one.name} {one.address.partition('@')[0]}") for one in people))


def _tells(words: str) -> set[str]:
    return {word for word in "".join(ch if ch.isalnum() else " " for ch in folded(words)).split() if word not in _SMALL}


def _about(t: Tables, stored: StoredEvent, wish: MeetingWish, scene: Scene) -> Reply:
    payload = _payload(stored, wish, scene)
    if payload is None:
        return scene.say("meeting_when", example=scene.say("meeting_example_move"))
    _put(t, scene, payload)
    return scene.say("letter_writing")


def _payload(stored: StoredEvent, wish: MeetingWish, scene: Scene) -> dict[str, Any] | None:
    """What the job needs to know; None for a move of which nobody said when to."""
    plain: dict[str, Any] = {"what": wish.what, "event": stored.id, "comment": wish.comment}
    if wish.what != "move":
        return plain
    was = scene.owner.zones.wall_at(stored.event.start_at)
    start = wish.start
    if start is None and (wish.at or wish.day):
        start = datetime.combine(wish.day or was.date(), wish.at or was.time())
    return {**plain, "start": start.isoformat()} if start is not None and start > scene.wall else None


def _ask_which(found: Sequence[StoredEvent], wish: MeetingWish, scene: Scene) -> Reply:
    some = [(one, payload) for one in found[:OPTIONS_MAX] if (payload := _payload(one, wish, scene)) is not None]
    if not some:
        return scene.say("meeting_when", example=scene.say("meeting_example_move"))
    choices = [Choice(f"pick.{n}", _label(one, scene)) for n, (one, _) in enumerate(some)]
    return Card(
        kind=WHICH,
        subject=f"turn:{scene.turn_id}",
        text=scene.say("meeting_which"),
        choices=(*choices, Choice("none", scene.say("button_none"))),
        because="the words name more than one event",
        state_of_subject=json.dumps([payload for _, payload in some], sort_keys=True),
    )


def _label(stored: StoredEvent, scene: Scene) -> str:
    at = when(scene.owner.zones.wall_at(stored.event.start_at), scene.wall.date(), scene.language)
    return f"{' '.join(stored.event.title.split())[:LABEL_MAX]}, {at}"


def _put(t: Tables, scene: Scene, payload: Mapping[str, Any], *, turn_id: int | None = None) -> None:
    t.jobs.add(
        owner_id=scene.owner.id,
        kind=COMPOSE,
        lane="background",
        thread=f"owner:{scene.owner.id}",
        payload={"meeting": dict(payload), "turn": scene.turn_id if turn_id is None else turn_id},
        now=scene.now,
    )


def wished(t: Tables, job: Job, owner: Owner, meetings: Meetings) -> Wish:
    """What a job of words about a meeting asks for, as an envelope. Raises NoLetter, NotFound."""
    given = job.payload["meeting"]
    comment, because = str(given.get("comment") or ""), "you asked for it"
    if "mail" in given:
        return meetings.answer_mail(
            t, owner, t.mails.get(int(given["mail"])), _ACTIONS[given["what"]], comment, because=because
        )
    if given["what"] == "create":
        new = NewMeeting(
            title=str(given["title"]),
            start=datetime.fromisoformat(given["start"]),
            end=datetime.fromisoformat(given["end"]) if given.get("end") else None,
            guests=tuple(given["guests"]),
            comment=comment,
        )
        return meetings.create(t, owner, new, because=because)
    stored = t.calendars.get(int(given["event"]))
    if given["what"] == "move":
        return meetings.move(t, owner, stored, datetime.fromisoformat(given["start"]), comment, because=because)
    if given["what"] == "cancel":
        return meetings.cancel(t, owner, stored, comment, because=because)
    return meetings.answer(t, owner, stored, _ACTIONS[given["what"]], comment, because=because)


# By a button


def feel(t: Tables, stored: StoredCard, choice: str, scene: Scene, meetings: Meetings, *, thread_id: int) -> Outcome:
    """A tap on Accept, Maybe or Decline: the question is put, with a card of its own; the mail's card stays as it is."""
    kept = _invited_by(t, thread_id, scene.owner)
    if kept is None:
        return Outcome(scene.say("stale_gone"))
    because = f"you tapped {choice} on its mail"
    return put(
        t,
        stored,
        scene,
        lambda: meetings.answer_mail(t, scene.owner, kept, BUTTONS[choice], because=because),
        note=choice,
    )


def put(t: Tables, stored: StoredCard, scene: Scene, wish: Callable[[], Wish], *, note: str) -> Outcome:
    """Put the question that a button on this card asks for; or say why it may not be put."""
    shown = t.pieces.of_card(stored.id)
    if shown is None:
        return Outcome(scene.say("stale_gone"))
    try:
        asked = asking.ask(t, scene.owner.id, wish(), channel=shown.channel, now=scene.now)
    except (BadInput, NotFound) as error:
        _record(t, stored, note, error, scene)
        return Outcome(scene.say("tap_ok"), (_note(t, stored, note, str(error), scene, channel=shown.channel),))
    if isinstance(asked, Asked):
        return Outcome(scene.say("meeting_asked"), (asked.piece,))
    if isinstance(asked, Refused):
        because = " ".join(dict.fromkeys(reason(scene.language, one.because) for one in asked.refused.values()))
        return Outcome(because, (_note(t, stored, note, because, scene, channel=shown.channel),))
    until = when(scene.owner.zones.wall_at(asked.until), scene.wall.date(), scene.language)
    return Outcome(scene.say("approval_wait", when=until))


def _record(t: Tables, stored: StoredCard, note: str, error: StillbellError, scene: Scene) -> None:
    """That it may not even be asked is a row, too."""
    t.audit.record(
        owner_id=scene.owner.id,
        agent=asking.AGENT,
        tool=f"ask.{note}",
        permission="ASK",
        outcome="refused",
        because=code(error),
        arguments_digest=stored.digest,
        now=scene.now,
        subject=stored.card.subject,
    )


def _invited_by(t: Tables, thread_id: int, owner: Owner) -> KeptMail | None:
    mails = reversed(t.mails.thread(thread_id, limit=20))
    return next((kept for kept in mails if not kept.by_owner and invitation_in(kept, owner) is not None), None)


def _note(t: Tables, stored: StoredCard, choice: str, text: str, scene: Scene, *, channel: str) -> Piece | None:
    """Why nothing is asked, where it stays to be read: a thumb's word is gone in a second."""
    key = f"card:{stored.id}:{choice}:{scene.signal_id}"
    new = NewPiece(key=key, owner_id=scene.owner.id, channel=channel, text=escaped(text))
    return t.pieces.say(new, now=scene.now, handing=True)
