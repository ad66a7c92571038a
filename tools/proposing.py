"""Proposing: what the thinker may ask the owner to let leave. Each tool puts a card; none sends, whatever a model wrote.

A model names a mail, an event, a person of the owner's records or an address. To whom it goes, from whom and in which
thread is found by code; an address stands only where it can be traced (memory/provenance).
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from memory.clock import Clock
from memory.command.correspondence import Correspondence
from memory.drafted import checked
from memory.envelope import Action
from memory.errors import BadInput, NotFound
from memory.event import StoredEvent
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.refusal import Refusal
from tools.arguments import Arguments, Id
from tools.exit import asking
from tools.exit.asking import Asked, Refused, Wish
from tools.gate import Asking, Caller, Question, Tool
from tools.letters import Letters, one_line
from tools.meetings import Meetings, NewMeeting
from tools.toolbox import Line, wall_time

BODY_MAX, COMMENT_MAX, GUESTS_MAX = 20_000, 2_000, 20

WAIT = "too many cards in an hour; the owner can be asked later"

Words = Annotated[str, Field(min_length=1, max_length=BODY_MAX)]
Comment = Annotated[str, Field(default="", max_length=COMMENT_MAX, description="a word to those concerned")]
Wall = Annotated[
    str, AfterValidator(wall_time), Field(max_length=40, description="the owner's own clock, as 2026-12-03T12:00")
]

ANSWERS: dict[str, Action] = {"yes": "accept", "no": "decline", "maybe": "tentative"}


class ReplyProposal(Arguments):
    """An answer to a mail."""

    mail_id: Id = Field(description="the number of the mail that is answered, as a reading tool gave it")
    body: Words = Field(description="the whole text, greeting and ending included; no subject, no recipients")


class NewMailProposal(Arguments):
    """A mail that answers none."""

    to: Line = Field(description="a name from the owner's contacts, or an address that the owner typed in this chat")
    subject: Line
    body: Words = Field(description="the whole text, greeting and ending included")


class AnswerProposal(Arguments):
    """An answer to an invitation."""

    event_id: Id = Field(description="the number of the event, as a reading tool gave it")
    answer: Literal["yes", "no", "maybe"]
    comment: Comment


class CreateProposal(Arguments):
    """A new event."""

    title: Line
    start: Wall
    end: Wall | None = Field(default=None, description="an hour after the start if left out")
    guests: list[Line] = Field(
        default_factory=list,
        max_length=GUESTS_MAX,
        description="names from the owner's contacts, or addresses that the owner typed in this chat",
    )
    place: str = Field(default="", max_length=300)
    comment: Comment


class MoveProposal(Arguments):
    """An event at another time, as long as it was."""

    event_id: Id
    start: Wall
    comment: Comment


class CancelProposal(Arguments):
    """An event called off."""

    event_id: Id
    comment: Comment


class Proposals:
    """Makes the tools. `home` gives the channel for the cards of a turn that is not known."""

    def __init__(self, letters: Letters, meetings: Meetings, clock: Clock, *, home: Callable[[], str]) -> None:
        self._letters = letters
        self._meetings = meetings
        self._clock = clock
        self._home = home

    def tools(self) -> tuple[Tool[Any], ...]:
        """Every tool; all of them ASK."""
        return (*self._mail_tools(), *self._event_tools())

    def _mail_tools(self) -> tuple[Tool[Any], ...]:
        return (
            Asking(
                name="mail_reply_propose",
                description="Put an answer to a mail before the owner, on a card that they may send, edit or discard. "
                "It goes to the one who wrote that mail. Nothing is sent by this.",
                permission="ASK",
                arguments=ReplyProposal,
                ask=self._reply,
            ),
            Asking(
                name="mail_new_propose",
                description="Put a new mail before the owner, on a card that they may send, edit or discard. "
                "Nothing is sent by this.",
                permission="ASK",
                arguments=NewMailProposal,
                ask=self._new,
            ),
        )

    def _event_tools(self) -> tuple[Tool[Any], ...]:
        return (
            Asking(
                name="event_answer_propose",
                description="Put an answer to an event's organizer before the owner. Nothing is sent by this.",
                permission="ASK",
                arguments=AnswerProposal,
                ask=self._answer,
            ),
            Asking(
                name="event_create_propose",
                description="Put a new event, with its guests, before the owner. Nothing is made or sent by this.",
                permission="ASK",
                arguments=CreateProposal,
                ask=self._create,
            ),
            Asking(
                name="event_move_propose",
                description="Put another time for an event before the owner: their own is moved, of another's it is a "
                "proposal to its organizer. Nothing is moved or sent by this.",
                permission="ASK",
                arguments=MoveProposal,
                ask=self._move,
            ),
            Asking(
                name="event_cancel_propose",
                description="Put the end of an event before the owner: their own is cancelled, another's declined. "
                "Nothing is cancelled or sent by this.",
                permission="ASK",
                arguments=CancelProposal,
                ask=self._cancel,
            ),
        )

    # Mail

    def _reply(self, t: Tables, arguments: ReplyProposal, caller: Caller) -> Question | Refusal:
        owner = t.owners.get(caller.owner_id)
        kept = _mail(t, arguments.mail_id, caller)
        started = self._letters.reply_to(t, owner, kept)
        thread = [one.mail.text for one in t.mails.thread(kept.thread_id)]
        body = _fit(t, arguments.body, thread, kept.mail.text, caller)
        if isinstance(body, Refusal):
            return body
        envelope = replace(started.envelope, body=body)
        return self._put(t, Wish(envelope=envelope, because=_because(caller), answers_id=kept.id), caller)

    def _new(self, t: Tables, arguments: NewMailProposal, caller: Caller) -> Question | Refusal:
        owner, now = t.owners.get(caller.owner_id), self._clock.now()
        wish = Correspondence(how="new", who=arguments.to, subject=arguments.subject)
        started = self._letters.start(t, owner, wish, None, now)
        body = _fit(t, arguments.body, (), "", caller)
        if isinstance(body, Refusal):
            return body
        envelope = replace(started.envelope, subject=one_line(arguments.subject), body=body)
        return self._put(t, Wish(envelope=envelope, because=_because(caller)), caller)

    # Events

    def _answer(self, t: Tables, arguments: AnswerProposal, caller: Caller) -> Question | Refusal:
        owner, stored, comment = self._event(t, arguments.event_id, arguments.comment, caller)
        answer = ANSWERS[arguments.answer]
        return self._put(t, self._meetings.answer(t, owner, stored, answer, comment, because=_because(caller)), caller)

    def _create(self, t: Tables, arguments: CreateProposal, caller: Caller) -> Question | Refusal:
        owner = t.owners.get(caller.owner_id)
        new = NewMeeting(
            title=arguments.title,
            start=datetime.fromisoformat(arguments.start),
            end=datetime.fromisoformat(arguments.end) if arguments.end else None,
            guests=tuple(arguments.guests),
            place=arguments.place,
            comment=_words(t, arguments.comment, caller),
        )
        return self._put(t, self._meetings.create(t, owner, new, because=_because(caller)), caller)

    def _move(self, t: Tables, arguments: MoveProposal, caller: Caller) -> Question | Refusal:
        owner, stored, comment = self._event(t, arguments.event_id, arguments.comment, caller)
        start = datetime.fromisoformat(arguments.start)
        return self._put(t, self._meetings.move(t, owner, stored, start, comment, because=_because(caller)), caller)

    def _cancel(self, t: Tables, arguments: CancelProposal, caller: Caller) -> Question | Refusal:
        owner, stored, comment = self._event(t, arguments.event_id, arguments.comment, caller)
        return self._put(t, self._meetings.cancel(t, owner, stored, comment, because=_because(caller)), caller)

    def _event(self, t: Tables, event_id: int, comment: str, caller: Caller) -> tuple[Owner, StoredEvent, str]:
        stored = t.calendars.get(event_id)
        if stored.owner_id != caller.owner_id:
            raise NotFound(f"there is no event {event_id}")
        return t.owners.get(caller.owner_id), stored, _words(t, comment, caller)

    def _put(self, t: Tables, wish: Wish, caller: Caller) -> Question | Refusal:
        channel = t.thread.turn(caller.turn_id).channel if caller.turn_id is not None else self._home()
        asked = asking.ask(t, caller.owner_id, wish, channel=channel, now=self._clock.now())
        if isinstance(asked, Asked):
            return Question(f"approval:{asked.approval.id}", asked.piece)
        if isinstance(asked, Refused):
            return Refusal("; ".join(dict.fromkeys(one.because for one in asked.refused.values())))
        return Refusal(WAIT)


def _mail(t: Tables, mail_id: int, caller: Caller) -> KeptMail:
    kept = t.mails.get(mail_id)
    if kept.owner_id != caller.owner_id:
        raise NotFound(f"there is no mail {mail_id}")
    return kept


def _fit(t: Tables, body: str, thread: tuple[str, ...] | list[str], answered: str, caller: Caller) -> str | Refusal:
    """The words as they may be asked about. What a model made up (a link, an address, a blank to fill in) is refused."""
    drafted = checked(body, sources=(*thread, *_asked(t, caller)), answered=answered)
    return Refusal(f"the text was not fit to be shown: {', '.join(drafted.faults)}") if drafted.faults else drafted.body


def _words(t: Tables, comment: str, caller: Caller) -> str:
    if not comment:
        return ""
    drafted = checked(comment, sources=_asked(t, caller))
    if drafted.faults:
        raise BadInput(f"the comment was not fit to be shown: {', '.join(drafted.faults)}")
    return drafted.body


def _asked(t: Tables, caller: Caller) -> list[str]:
    """The owner's own words in this turn."""
    parts = t.thread.parts(caller.turn_id) if caller.turn_id is not None else []
    return [message.text for message, _ in parts]


def _because(caller: Caller) -> str:
    """A card says who had the idea: a model may have been talked into it by what it read."""
    return f"the {caller.agent} proposes it" + (" in answer to you" if caller.turn_id is not None else "")
