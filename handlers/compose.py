"""Compose: a letter that the owner wished for becomes an envelope, and its card. Nothing is sent from here.

Who it goes to is found in headers and records (tools/letters), never in what a mail says; the words are the owner's own,
or a draft's, which had nothing but text to work with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from handlers import meeting
from memory.approval import WAITING
from memory.audit import code
from memory.canonical import digest
from memory.clock import Clock
from memory.command.correspondence import from_payload
from memory.draft import Draft
from memory.envelope import MAIL, Envelope, new_message_id
from memory.envelope_words import reason
from memory.errors import StillbellError
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.refusal import Refusal
from memory.tone import choose_examples
from memory.wording import say, when
from tools.attaching import Attaching, Kept
from tools.chat import Post
from tools.drafter import Drafter, DraftWish, Earlier
from tools.exit import asking
from tools.exit.asking import Asked, Refused, Wait, Wish
from tools.exit.lapsing import supersede
from tools.letters import Letters, NoLetter, Started
from tools.meetings import Meetings
from tools.unsubscribing import leave

log = structlog.get_logger()

COMPOSE = "compose"
"""The kind of job that makes a card of a wish."""

ASKED_FOR = ("edit", "meeting", "leave", "wish")
"""What a job may be about, as its payload names it."""

EARLIER_MAX = 8
EXAMPLES_OF = 40


@dataclass(frozen=True, slots=True)
class _Written:
    """A letter as it will be asked about."""

    wish: Wish
    replaces: int | None = None


class Compose:
    """Handles jobs of the kind *compose*. `drafter` is None when no model is connected: then there are no drafts."""

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        clock: Clock,
        *,
        letters: Letters,
        meetings: Meetings,
        attaching: Attaching,
        drafter: Drafter | None,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._letters = letters
        self._meetings = meetings
        self._attaching = attaching
        self._drafter = drafter

    async def __call__(self, job: Job) -> None:
        """Make the card, once, in the place of the word that it is being made; or say there why there is none."""
        turn_id = int(job.payload["turn"])
        owner = await self._ledger.read(lambda t: t.owners.get(job.owner_id))
        try:
            written = await self._write(job, owner)
        except StillbellError as error:
            await self._not_asked(job, error)
            await self._say(owner, turn_id, escaped(str(error)))
            return
        now = self._clock.now()

        def ask(t: Tables) -> tuple[Piece | None, ...]:
            replaced = t.approvals.get(written.replaces) if written.replaces is not None else None
            if replaced is not None and replaced.state not in WAITING:
                # It was decided while the new text was written: nobody is asked about two drafts of one letter.
                return (_told(t, owner, turn_id, Refused({"": Refusal("already decided")}), now),)
            first = t.pieces.get(_first(turn_id))
            channel = first.channel if first else self._post.home()
            asked = asking.ask(
                t, owner.id, written.wish, channel=channel, now=now, turn_id=None, amends=first.key if first else ""
            )
            if not isinstance(asked, Asked):
                return (_told(t, owner, turn_id, asked, now),)
            # Only now: where the new one may not be asked, the old one stays.
            return (asked.piece, supersede(t, replaced, now) if replaced is not None else None)

        self._post.post(*await self._ledger.write(ask))

    async def _write(self, job: Job, owner: Owner) -> _Written:
        if "edit" in job.payload:
            return await self._edit(job, owner)
        if "meeting" in job.payload:
            return _Written(await self._ledger.read(lambda t: meeting.wished(t, job, owner, self._meetings)))
        if "leave" in job.payload:
            return _Written(await self._ledger.read(lambda t: self._leaving(t, int(job.payload["leave"]), owner)))
        wish = from_payload(job.payload["wish"])
        thread_id = job.payload.get("thread")
        started = await self._ledger.read(lambda t: self._letters.start(t, owner, wish, thread_id, self._clock.now()))
        files = [await self._attaching.propose(path) for path in wish.files]
        body = wish.text if wish.how != "draft" else await self._draft(owner, started, wish.text, so_far="")
        chosen = tuple((str(address), int(card_id)) for address, card_id in job.payload.get("chosen") or ())
        return _Written(replace(_wish(started, body, files, "you asked for it"), chosen=chosen))

    async def _edit(self, job: Job, owner: Owner) -> _Written:
        """The same letter with another text: a new envelope, so a new digest; the old card is void."""
        approval_id = int(job.payload["edit"])
        draft = await self._ledger.read(lambda t: _draft_of(t, approval_id))
        text, instruction = str(job.payload.get("text") or ""), job.payload.get("instruction")
        if instruction:
            started = await self._ledger.read(lambda t: _started(t, draft))
            text = await self._draft(owner, started, str(instruction), so_far=draft.envelope.body)
        envelope = _reworded(draft.envelope, text, str(job.payload.get("subject") or ""))
        wish = Wish(
            envelope=envelope,
            because="you changed it",
            answers_id=draft.answers_id,
            event_id=draft.event_id,
            chosen=tuple(draft.chosen),
            doubts=draft.doubts,
            playbook=draft.playbook,
        )
        return _Written(wish, replaces=approval_id)

    def _leaving(self, t: Tables, mail_id: int, owner: Owner) -> Wish:
        return leave(t, owner, t.mails.get(mail_id), self._letters, because="you asked for it")

    async def _draft(self, owner: Owner, started: Started, instruction: str, *, so_far: str) -> str:
        """A model's words, without faults. Raises NoLetter when there is no model, or no words that may be shown."""
        if self._drafter is None:
            raise NoLetter(say(owner.language, "letter_no_model"))
        wish = await self._ledger.read(
            lambda t: _draft_wish(t, owner, started, instruction, so_far=so_far, clock=self._clock)
        )
        drafted = await self._drafter.draft(wish)
        if drafted.faults:
            raise NoLetter(say(owner.language, "letter_faulty", faults=", ".join(drafted.faults)))
        return drafted.body

    async def _not_asked(self, job: Job, error: StillbellError) -> None:
        """That it may not even be asked is a row, too."""
        now, wanted = self._clock.now(), next((name for name in ASKED_FOR if name in job.payload), "wish")
        await self._ledger.write(
            lambda t: t.audit.record(
                owner_id=job.owner_id,
                agent=asking.AGENT,
                tool=f"ask.{wanted}",
                permission="ASK",
                outcome="refused",
                because=code(error),
                arguments_digest=digest(f"{job.payload.get(wanted)!r}"),
                now=now,
                turn_id=int(job.payload["turn"]),
            )
        )

    async def _say(self, owner: Owner, turn_id: int, text: str) -> None:
        now = self._clock.now()
        self._post.post(await self._ledger.write(lambda t: _amend(t, owner, turn_id, text, now)))


def _reworded(envelope: Envelope, text: str, subject: str) -> Envelope:
    """The same with other words: a mail's text or subject, the word that goes along with an act on an event."""
    if subject and envelope.channel != MAIL:
        raise NoLetter("it has no subject of yours")
    if envelope.act is not None:
        return replace(envelope, act=replace(envelope.act, comment=text))
    if envelope.channel != MAIL:
        raise NoLetter("there are no words of yours in it")
    return replace(
        envelope,
        # A subject by itself leaves the text as it was.
        body=text if text or not subject else envelope.body,
        subject=subject or envelope.subject,
        message_id=new_message_id(envelope.identity.address),
    )


def _wish(started: Started, body: str, files: Sequence[Kept], because: str) -> Wish:
    envelope = replace(started.envelope, body=body, attachments=tuple(one.attachment for one in files))
    doubts = {one.attachment.name: one.caution.because for one in files if one.caution is not None}
    return Wish(
        envelope=envelope,
        because=because,
        answers_id=started.answers.id if started.answers else None,
        doubts=doubts,
    )


def _draft_of(t: Tables, approval_id: int) -> Draft:
    approval = t.approvals.get(approval_id)
    if approval is None:
        raise NoLetter("the draft is no longer known")
    return t.drafts.get(approval.draft_id)


def _started(t: Tables, draft: Draft) -> Started:
    return Started(draft.envelope, t.mails.get(draft.answers_id) if draft.answers_id else None)


def _draft_wish(t: Tables, owner: Owner, started: Started, instruction: str, *, so_far: str, clock: Clock) -> DraftWish:
    thread = t.mails.thread(started.answers.thread_id, limit=EARLIER_MAX) if started.answers else []
    address = started.envelope.to[0].address
    sent = t.mails.sent_to(owner.id, [address], limit=EXAMPLES_OF)
    wall = owner.zones.wall_at(clock.now())
    return DraftWish(
        owner=started.envelope.identity.name or started.envelope.identity.address,
        to=started.envelope.to[0].name or address,
        today=f"{wall:%A %Y-%m-%d}",
        subject=started.envelope.subject,
        thread=tuple(_earlier(kept, owner) for kept in thread),
        instruction=instruction,
        so_far=so_far,
        examples=choose_examples(sent, address),
        language=owner.language,
    )


def _earlier(kept: KeptMail, owner: Owner) -> Earlier:
    sender = kept.mail.sender
    return Earlier(
        by_owner=kept.by_owner,
        who=(sender.name or sender.address or "") if sender else "",
        on=f"{owner.zones.wall_at(kept.at):%Y-%m-%d}",
        text=kept.said if kept.said is not None else kept.mail.text,
    )


def _told(t: Tables, owner: Owner, turn_id: int, asked: Refused | Wait, now: datetime) -> Piece | None:
    if isinstance(asked, Wait):
        today = owner.zones.wall_at(now).date()
        text = say(owner.language, "approval_wait", when=when(owner.zones.wall_at(asked.until), today, owner.language))
    else:
        lines = [
            f"{f'`{address}`: ' if address else ''}{reason(owner.language, one.because)}"
            for address, one in asked.refused.items()
        ]
        text = say(owner.language, "approval_refused", because="; ".join(lines))
    return _amend(t, owner, turn_id, text, now)


def _first(turn_id: int) -> str:
    return f"turn:{turn_id}:1"


def _amend(t: Tables, owner: Owner, turn_id: int, text: str, now: datetime) -> Piece | None:
    """The word that a card is being made becomes the word why there is none."""
    first = t.pieces.get(_first(turn_id))
    if first is None:
        return None
    new = NewPiece(
        key=f"turn:{turn_id}:letter", owner_id=owner.id, channel=first.channel, text=text, amends_key=first.key
    )
    return t.pieces.say(new, now=now, handing=True)
