"""Leaving: an approved envelope is spent, dispatched and handed over once; what is in doubt is settled by looking.

    approved ─► spent + taken (one commit) ─► prepared (handle committed) ─► handed (committed) ─► transport
        digest recomputed from the bytes in hand before each step                    ├─ took it        ─► sent
                                                                                     ├─ certainly not  ─► taken again, or failed
                                                                                     └─ answer lost    ─► unknown ─► look

Nothing here sends a second time, and nothing here knows of any model.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from memory import dispatch as moves
from memory.approval import Approval, spend, withdraw
from memory.clock import Clock
from memory.dispatch import AskOwner, Dispatch, GoOn, LookAgain, Settle
from memory.draft import Draft
from memory.envelope import MAIL, Envelope
from memory.envelope_words import reason
from memory.errors import BadInput, NotFound, OutOfReach, StillbellError
from memory.ledger import Ledger, Tables
from memory.piece import Piece
from memory.refusal import Refusal
from memory.wording import say
from tools.alarm import Alarm
from tools.chat import Post
from tools.exit import keeping, playbook, telling
from tools.exit.asking import AGENT
from tools.exit.lapsing import lapse
from tools.transport import Handed, MaybeHanded, NotHanded, Outgoing, Transport, let_go

log = structlog.get_logger()

DISPATCH = "dispatch"
"""The kind of job that takes an approval, or a dispatch, further."""

ANOTHER = "what would leave is not what was approved"

HELD_AGAIN_FOR = timedelta(minutes=1)
"""How often is looked whether a way out is there again for what was approved."""


class Ways(Protocol):
    """What gives the way out of an envelope's identity."""

    async def __call__(self, envelope: Envelope) -> Transport | None:
        """Its transport; None while there is none: no grant yet, or a sign-in that was refused and not renewed since."""
        ...

    def refused(self, envelope: Envelope) -> None:
        """The provider refused the sign-in: there is no way until the owner has renewed it."""
        ...


class Writes(Protocol):
    """Makes the exact bytes of an envelope, with its attachments opened and fingerprinted anew."""

    async def __call__(self, envelope: Envelope, *, at: datetime) -> Outgoing:
        """The same envelope at the same moment gives the same bytes. Raises StillbellError when it can't be written."""
        ...


def _uncopied(t: Tables, dispatch: Dispatch, draft: Draft, now: datetime) -> None:
    """Nobody keeps copies elsewhere."""


class Exit:
    """Takes approved envelopes out, each once. It alone is handed the ways out.

    copies: asks, with what is put on record as sent, for a copy in the mailbox (tools/exit/copying).
    """

    def __init__(
        self,
        ledger: Ledger,
        post: Post,
        clock: Clock,
        alarm: Alarm,
        *,
        ways: Ways,
        writes: Writes,
        copies: Callable[[Tables, Dispatch, Draft, datetime], None] = _uncopied,
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._alarm = alarm
        self._ways = ways
        self._writes = writes
        self._copies = copies
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
            log.warning("a draft can't be read", action="exit.unreadable", approval=approval.id, because=str(error))
            return None
        if found is None and draft.envelope.digest != approval.digest:
            await self._refuse(approval, ANOTHER)
            return None
        way = await self._ways(draft.envelope)
        if way is None:
            await self._held(approval, found, draft)
            return self._clock.now() + HELD_AGAIN_FOR
        try:
            taken = found or await self._spend(approval, draft, way)
            return await self._further(taken, draft, way) if taken is not None else None
        finally:
            await let_go(way)

    async def _spend(self, approval: Approval, draft: Draft, way: Transport) -> Dispatch | None:
        """The yes is used up and the dispatch begun, in one transaction; a digest that differs holds it."""
        now = self._clock.now()

        def work(t: Tables) -> Dispatch | Refusal:
            against = playbook.weigh(t, draft.owner_id, draft.playbook, draft.envelope, now)
            if against is not None:
                return against
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
        if dispatch.state in moves.OPEN and dispatch.transport != way.name:
            await self._by_another_way(dispatch, draft)
            return None
        if dispatch.state == "taken":
            return await self._hand_over(dispatch, draft, way)
        if dispatch.state in moves.OPEN:
            return await self._settle(dispatch, draft, way)
        return None

    async def _by_another_way(self, dispatch: Dispatch, draft: Draft) -> None:
        """The account was set up anew meanwhile: what was begun by the one way can't be looked up by the other."""
        now, because = self._clock.now(), "the account sends in another way now"
        if dispatch.state == "taken" and not dispatch.attempts:
            await self._end(dispatch, moves.failed(dispatch, now, because=because), draft)
            return
        after = (
            dispatch
            if dispatch.state == "unknown"
            else replace(dispatch, state="unknown", because=because, changed_at=now)
        )
        await self._ask_owner(dispatch, after, draft, because)

    # ── handing over ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _hand_over(self, dispatch: Dispatch, draft: Draft, way: Transport) -> datetime | None:
        step = moves.next_step(dispatch, await self._seen(dispatch, draft, way), self._clock.now())
        if not isinstance(step, GoOn):
            return await self._act(step, dispatch, draft)
        try:
            outgoing = await self._write(dispatch, draft.envelope)
            handle = dispatch.handle or await way.prepare(outgoing)
        except NotHanded as error:
            return await self._not_handed(dispatch, draft, error)
        except OutOfReach:
            # A disk of our own: it heals, and nothing was given away.
            raise
        except StillbellError as error:
            await self._end(dispatch, moves.failed(dispatch, self._clock.now(), because=str(error)), draft)
            return None
        if not dispatch.handle:
            dispatch = await self._move(dispatch, moves.prepared(dispatch, handle, self._clock.now()))
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
            return await self._signed_out(dispatch, draft, error)
        asked_at = now + (error.wait_for or timedelta())
        if dispatch.state == "taken":
            return max(now + HELD_AGAIN_FOR, asked_at)
        back = moves.given_back(dispatch, now, because=str(error))
        if isinstance(back, Refusal):
            return None
        moved, again_at = back
        if moved.state == "failed":
            await self._end(dispatch, moved, draft)
            return None
        await self._move(dispatch, moved)
        return max(again_at, asked_at)

    async def _signed_out(self, dispatch: Dispatch, draft: Draft, error: NotHanded) -> datetime:
        """Only the owner can renew it, so the provider is not asked again before; servers count refusals and lock accounts."""
        now = self._clock.now()
        await self._alarm.daily(f"exit:{draft.envelope.identity.address}", str(error))
        if dispatch.state == "handed":
            dispatch = await self._move(dispatch, moves.held(dispatch, now, because=str(error)))
        self._ways.refused(draft.envelope)
        await self._tell_held(dispatch.approval_id)
        return now + HELD_AGAIN_FOR

    async def _write(self, dispatch: Dispatch, envelope: Envelope) -> Outgoing:
        """The bytes in hand. Raises BadInput where they are not those that were approved."""
        outgoing = await self._writes(envelope, at=dispatch.taken_at)
        if outgoing.digest != dispatch.digest or envelope.digest != dispatch.digest:
            raise BadInput(ANOTHER)
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
            return telling.ask_what_became(t, unknown, draft, because, channel=self._post.home(), now=self._clock.now())

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
            playbook.tell(t, draft, settled.state, now)
            if settled.state == "sent":
                self._copies(t, settled, draft, now)
            return telling.mark(t, settled, now)

        self._post.post(await self._ledger.write(work))
        log.info("settled", action=f"exit.{settled.state}", dispatch=settled.id, because=settled.because)
        if settled.state == "sent" and outgoing is not None and draft.envelope.channel == MAIL:
            await self._keep(draft, outgoing, now)

    async def _keep(self, draft: Draft, outgoing: Outgoing, now: datetime) -> None:
        """The copy of what has left. That it left is on record by now, whatever becomes of the copy."""
        try:
            await self._ledger.write(lambda t: keeping.keep_sent(t, draft, outgoing, now))
        except StillbellError as error:
            log.warning("the copy of what was sent is not kept", action="exit.not_kept", because=str(error))

    async def _held(self, approval: Approval, dispatch: Dispatch | None, draft: Draft) -> None:
        account = draft.envelope.identity.account
        log.info("it waits for a way out", action="exit.held", approval=approval.id, account=account)
        if dispatch is None or dispatch.state == "taken":
            await self._tell_held(approval.id)

    async def _tell_held(self, approval_id: int) -> None:
        """Its card says that it waits, silently."""
        now = self._clock.now()
        if not await self._ledger.read(lambda t: t.pieces.has(telling.held_key(approval_id))):
            self._post.post(await self._ledger.write(lambda t: telling.mark_held(t, approval_id, now)))

    async def _refuse(self, approval: Approval, because: str) -> None:
        """Nothing leaves. A yes for other bytes than those in hand counts no more; what is there may be asked about."""
        now = self._clock.now()

        def work(t: Tables) -> Piece | None:
            t.audit.record(
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
            withdrawn = withdraw(approval, now, because=because) if because == ANOTHER else None
            if withdrawn is None or isinstance(withdrawn, Refusal):
                return None
            language = t.owners.get(approval.owner_id).language
            line = say(language, "dispatch_failed", because=reason(language, because))
            return lapse(t, approval, withdrawn, now, line=line)

        self._post.post(await self._ledger.write(work))
        log.warning("it was not let out", action="exit.refused", approval=approval.id, because=because)
        await self._alarm(f"exit:{approval.id}:{because}", because)


def begin(t: Tables, approval: Approval, now: datetime) -> None:
    """The job that takes an approved envelope out, or further. Harmless when there is one already."""
    t.jobs.add(
        owner_id=approval.owner_id,
        kind=DISPATCH,
        lane="background",
        thread=f"owner:{approval.owner_id}",
        payload={"approval": approval.id},
        now=now,
    )
