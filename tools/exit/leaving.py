"""Leaving: an approved envelope is spent, dispatched and handed over once; what is in doubt is settled by looking.

    approved ─► spent + taken (one commit) ─► prepared (handle committed) ─► handed (committed) ─► transport
        digest recomputed from the bytes in hand before each step                    ├─ took it        ─► sent
                                                                                     ├─ certainly not  ─► taken again, or failed
                                                                                     └─ answer lost    ─► unknown ─► look

Nothing here sends a second time, and nothing here knows of any model.
"""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from memory import dispatch as moves
from memory.approval import Approval, spend
from memory.card import Card, Choice, StoredCard
from memory.clock import Clock
from memory.dispatch import AskOwner, Dispatch, GoOn, LookAgain, Settle
from memory.draft import Draft
from memory.envelope import MAIL, Envelope
from memory.errors import BadInput, NotFound, StillbellError
from memory.ledger import Ledger, Tables
from memory.owner import Language
from memory.piece import NewPiece, Piece
from memory.refusal import Refusal
from memory.signal import NewSignal
from memory.wording import say
from tools.alarm import Alarm
from tools.chat import Post
from tools.exit.asking import AGENT
from tools.exit.lapsing import AFRESH
from tools.files.mail import read_mail
from tools.incoming import MAIL as ARRIVED
from tools.transport import Handed, MaybeHanded, NotHanded, Outgoing, Transport

log = structlog.get_logger()

DISPATCH = "dispatch"
"""The kind of job that takes an approval, or a dispatch, further."""

UNKNOWN = "dispatch_unknown"
"""The kind of the card that asks the owner what became of something."""

SENT = "Sent"
"""The folder under which it is kept here until the account's own Sent folder brings it."""

HELD_AGAIN_FOR = timedelta(minutes=1)
"""How often is looked whether a way out is there again for what was approved."""


class Writes(Protocol):
    """Makes the exact bytes of an envelope, with its attachments opened and fingerprinted anew."""

    async def __call__(self, envelope: Envelope, *, at: datetime) -> Outgoing:
        """The same envelope at the same moment gives the same bytes. Raises StillbellError when it can't be written."""
        ...


class Exit:
    """`ways` gives the transport of an envelope's identity, None while there is none (no grant yet, or it was revoked)."""

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        clock: Clock,
        alarm: Alarm,
        *,
        ways: Callable[[Envelope], Awaitable[Transport | None]],
        writes: Writes,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._alarm = alarm
        self._ways = ways
        self._writes = writes
        self._going: set[int] = set()

    async def go(self, approval_id: int) -> datetime | None:
        """Take it as far as it goes now; when to look again, None when it is settled or waits for the owner.

        One run at a time for each: a second one returns at once.
        """
        if approval_id in self._going:
            return None
        self._going.add(approval_id)
        try:
            return await self._go(approval_id)
        finally:
            self._going.discard(approval_id)

    async def _go(self, approval_id: int) -> datetime | None:
        approval = await self._ledger.read(lambda t: t.approvals.get(approval_id))
        if approval is None:
            return None
        found = await self._ledger.read(lambda t: t.dispatches.of_approval(approval_id))
        if found is None and approval.state != "approved":
            return None
        try:
            draft = await self._ledger.read(lambda t: t.drafts.get(approval.draft_id))
        except (NotFound, BadInput) as error:
            await self._held(approval, str(error))
            return None
        way = await self._ways(draft.envelope)
        if way is None:
            await self._held(
                approval, f"there is no way out for the account {draft.envelope.identity.account} just now"
            )
            return self._clock.now() + HELD_AGAIN_FOR
        taken = found or await self._spend(approval, draft, way)
        return await self._further(taken, draft, way) if taken is not None else None

    async def _spend(self, approval: Approval, draft: Draft, way: Transport) -> Dispatch | None:
        """The yes is used up and the dispatch begun, in one transaction; a digest that differs holds it."""
        now = self._clock.now()

        def work(t: Tables) -> Dispatch | Refusal:
            spent = spend(approval, draft.envelope.digest, now)
            if isinstance(spent, Refusal):
                return spent
            if not t.approvals.store(spent, before=approval):
                return Refusal("already decided")
            return t.dispatches.take(spent, way.name, now=now)

        taken = await self._ledger.write(work)
        if isinstance(taken, Refusal):
            await self._refuse(approval, taken.because)
            return None
        return taken

    async def _further(self, dispatch: Dispatch, draft: Draft, way: Transport) -> datetime | None:
        if dispatch.state == "taken":
            return await self._hand_over(dispatch, draft, way)
        if dispatch.state in moves.OPEN:
            return await self._settle(dispatch, draft, way)
        return None

    # ── handing over ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _hand_over(self, dispatch: Dispatch, draft: Draft, way: Transport) -> datetime | None:
        step = moves.next_step(dispatch, await self._seen(dispatch, draft, way), self._clock.now())
        if not isinstance(step, GoOn):
            return await self._act(step, dispatch, draft)
        try:
            outgoing = await self._write(dispatch, draft.envelope)
            if not dispatch.handle:
                handle = await way.prepare(outgoing)
                dispatch = await self._move(dispatch, moves.prepared(dispatch, handle, self._clock.now()))
        except NotHanded as error:
            return await self._not_handed(dispatch, draft, error)
        except StillbellError as error:
            await self._end(dispatch, moves.failed(dispatch, self._clock.now(), because=str(error)), draft)
            return None
        handed = await self._move(dispatch, moves.hand_over(dispatch, self._clock.now()))
        return await self._hand(handed, draft, way, outgoing)

    async def _hand(self, handed: Dispatch, draft: Draft, way: Transport, outgoing: Outgoing) -> datetime | None:
        try:
            took: Handed = await way.hand_over(outgoing, handed.handle)
        except NotHanded as error:
            return await self._not_handed(handed, draft, error)
        except MaybeHanded as error:
            lost = moves.unknown(handed, self._clock.now(), because=str(error))
            return await self._settle(await self._move(handed, lost), draft, way)
        await self._end(handed, moves.sent(handed, self._clock.now(), witness=took.receipt), draft, outgoing)
        return None

    async def _not_handed(self, dispatch: Dispatch, draft: Draft, error: NotHanded) -> datetime | None:
        """Certainly not sent: for good, or to be handed over again later."""
        now = self._clock.now()
        if error.for_good:
            await self._end(dispatch, moves.failed(dispatch, now, because=str(error)), draft)
            return None
        if error.trouble == "sign-in":
            await self._alarm.daily(f"exit:{draft.envelope.identity.account}", str(error))
        if dispatch.state == "taken":
            return now + HELD_AGAIN_FOR
        if error.trouble == "sign-in":
            await self._move(dispatch, moves.held(dispatch, now, because=str(error)))
            return now + HELD_AGAIN_FOR
        back = moves.given_back(dispatch, now, because=str(error))
        if isinstance(back, Refusal):
            return None
        moved, again_at = back
        if moved.state == "failed":
            await self._end(dispatch, moved, draft)
            return None
        await self._move(dispatch, moved)
        return again_at

    async def _write(self, dispatch: Dispatch, envelope: Envelope) -> Outgoing:
        """The bytes in hand. Raises BadInput where they are not those that were approved."""
        outgoing = await self._writes(envelope, at=dispatch.taken_at)
        if outgoing.digest != dispatch.digest or envelope.digest != dispatch.digest:
            raise BadInput("what would leave is not what was approved")
        return outgoing

    # ── settling ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _settle(self, dispatch: Dispatch, draft: Draft, way: Transport) -> datetime | None:
        step = moves.next_step(dispatch, await self._seen(dispatch, draft, way), self._clock.now())
        return await self._act(step, dispatch, draft)

    async def _seen(self, dispatch: Dispatch, draft: Draft, way: Transport) -> moves.Witness:
        """What looking finds. Nothing was given away before it was handed over, so there nobody looks."""
        if dispatch.state == "taken" and not dispatch.attempts:
            return moves.Witness(sent="no")
        try:
            outgoing = await self._write(dispatch, draft.envelope)
        except StillbellError:
            return moves.Witness()
        return await way.look(outgoing, dispatch.handle)

    async def _act(self, step: moves.Step, dispatch: Dispatch, draft: Draft) -> datetime | None:
        match step:
            case LookAgain(at):
                return at
            case Settle(settled):
                outgoing = await self._write(dispatch, draft.envelope) if settled.state == "sent" else None
                await self._end(dispatch, settled, draft, outgoing)
                return None
            case AskOwner(unknown, because):
                await self._ask_owner(dispatch, unknown, draft, because)
        return None

    async def _ask_owner(self, dispatch: Dispatch, unknown: Dispatch, draft: Draft, because: str) -> None:
        def work(t: Tables) -> Piece | None:
            if unknown != dispatch and not t.dispatches.store(unknown, before=dispatch):
                return None
            return ask_what_became(t, unknown, draft, because, channel=self._post.home(), now=self._clock.now())

        self._post.post(await self._ledger.write(work))
        log.warning("nobody can tell whether it left", action="exit.unknown", dispatch=dispatch.id, because=because)

    # ── rows ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _move(self, before: Dispatch, after: Dispatch | Refusal) -> Dispatch:
        if isinstance(after, Refusal):
            raise AssertionError(f"dispatch {before.id}: {after.because}")  # noqa: TRY004  a refusal here is a bug
        moved = after
        if not await self._ledger.write(lambda t: t.dispatches.store(moved, before=before)):
            raise AssertionError(f"dispatch {before.id} was moved by somebody else")
        return moved

    async def _end(
        self, before: Dispatch, after: Dispatch | Refusal, draft: Draft, outgoing: Outgoing | None = None
    ) -> None:
        """Settled: the card says so, silently, and what was sent is known as the owner's own mail."""
        if isinstance(after, Refusal):
            raise AssertionError(f"dispatch {before.id}: {after.because}")  # noqa: TRY004  a refusal here is a bug
        settled, now = after, self._clock.now()

        def work(t: Tables) -> Piece | None:
            if not t.dispatches.store(settled, before=before):
                return None
            if settled.state == "sent" and outgoing is not None and draft.envelope.channel == MAIL:
                keep_sent(t, draft, outgoing, now)
            return mark(t, settled, now)

        self._post.post(await self._ledger.write(work))
        log.info("settled", action=f"exit.{settled.state}", dispatch=settled.id, because=settled.because)

    async def _held(self, approval: Approval, because: str) -> None:
        log.warning("an approval is held", action="exit.held", approval=approval.id, because=because)

    async def _refuse(self, approval: Approval, because: str) -> None:
        now = self._clock.now()
        await self._ledger.write(
            lambda t: t.audit.record(
                owner_id=approval.owner_id,
                agent=AGENT,
                tool="send",
                permission="ASK",
                outcome="refused",
                because=because,
                arguments_digest=approval.digest,
                now=now,
                subject=f"approval:{approval.id}",
            )
        )
        log.warning("it was not let out", action="exit.refused", approval=approval.id, because=because)
        await self._alarm(f"exit:{approval.id}:{because}", because)


def keep_sent(t: Tables, draft: Draft, outgoing: Outgoing, now: datetime) -> None:
    """What has left is the owner's mail from now on, whether or not a server files it: loops close, threads are answered."""
    owner_id, account = draft.owner_id, t.accounts.named(draft.owner_id, draft.envelope.identity.account)
    kept = t.mails.keep(
        owner_id,
        read_mail(outgoing.content, now=now),
        now=now,
        account_id=account.id if account else None,
        folder=SENT,
        by_owner=True,
    )
    if isinstance(kept, int):
        signal = NewSignal(
            source=AGENT, kind=ARRIVED, source_id=f"sent:{outgoing.digest}", owner_id=owner_id, payload={"mail": kept}
        )
        t.signals.publish(signal, now=now)


def mark(t: Tables, dispatch: Dispatch, now: datetime) -> Piece | None:
    """What became of it, on its card: the same card with a line above it and no buttons."""
    approval = t.approvals.get(dispatch.approval_id)
    stored = t.cards.get(approval.card_id) if approval and approval.card_id else None
    shown = t.pieces.of_card(stored.id) if stored else None
    if stored is None or shown is None:
        return None
    owner = t.owners.get(dispatch.owner_id)
    at = owner.zones.wall_at(now)
    line = say(owner.language, f"dispatch_{dispatch.state}", when=f"{at:%H:%M}", because=dispatch.because)
    again = _offered(t, dispatch, stored, line, now) if dispatch.state == "failed" else None
    new = NewPiece(
        key=f"dispatch:{dispatch.id}:{dispatch.state}:{dispatch.settled_by}",
        owner_id=owner.id,
        channel=shown.channel,
        text=f"{line}\n\n{stored.card.text}",
        card_id=again.id if again else None,
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)


def _offered(t: Tables, dispatch: Dispatch, stored: StoredCard, line: str, now: datetime) -> StoredCard:
    """What did not leave may be asked for once more; that is another question, with a yes of its own."""
    offer = Card(
        kind=AFRESH,
        subject=f"approval:{dispatch.approval_id}",
        text=f"{line}\n\n{stored.card.text}",
        choices=(Choice("afresh", say(t.owners.get(dispatch.owner_id).language, "approval_afresh")),),
        because=dispatch.because,
    )
    return t.cards.put(offer, owner_id=dispatch.owner_id, now=now)


def ask_what_became(
    t: Tables, dispatch: Dispatch, draft: Draft, because: str, *, channel: str, now: datetime
) -> Piece | None:
    """The question that only the owner can answer, with what is known."""
    owner = t.owners.get(dispatch.owner_id)
    card = unknown_card(dispatch, draft, because, owner.language)
    stored = t.cards.put(card, owner_id=owner.id, now=now)
    new = NewPiece(
        key=f"dispatch:{dispatch.id}:unknown",
        owner_id=owner.id,
        channel=channel,
        text=card.text,
        card_id=stored.id,
    )
    return t.pieces.say(new, now=now, handing=True)


def unknown_card(dispatch: Dispatch, draft: Draft, because: str, language: Language) -> Card:
    """Did it arrive? Asked when looking could not tell."""
    to = ", ".join(one.address for one in draft.envelope.recipients)
    return Card(
        kind=UNKNOWN,
        subject=f"dispatch:{dispatch.id}",
        text=say(language, "dispatch_ask", to=f"`{to}`", because=because),
        choices=(
            Choice("arrived", say(language, "button_arrived"), "good"),
            Choice("lost", say(language, "button_lost")),
        ),
        because=because,
        state_of_subject=dispatch.state,
    )
