"""The house: the whole product with the suite's persona as its owner, the suite's tools behind its own gate, its own exit, an
SMTP server of others' making (aiosmtpd), and one way out more, for what is no mail.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from agentdojo.functions_runtime import Function
from pydantic import ConfigDict

import bot.wiring
from bot.sending import Ways
from evals.agentdojo.envelopes import Effect, call_of_bytes, call_of_mail, effect_of, envelope_of, fingerprint, named
from evals.agentdojo.owner import Wanted, choose, wanted
from evals.agentdojo.suite import EFFECTS, Env, environment, functions, run
from memory.contact import Contact
from memory.dispatch import Witness
from memory.envelope import MAIL, Envelope, Identity, from_json
from memory.errors import BadInput, StillbellError
from memory.event import Attendee, Event
from memory.ledger import Tables
from memory.mail import Attachment
from memory.recipient import readable
from memory.refusal import Refusal
from memory.sql.opening import open_database
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.exit_room import PASSWORD, Office, Outside, furnish
from tests.product_room import open_product
from tests.servers.smtp_server import SmtpServer
from tools.attaching import Attaching, Kept
from tools.exit import asking
from tools.exit.asking import Asked, Refused, Wish
from tools.exit.writing import Writing
from tools.filing import Filing
from tools.gate import Asking, Caller, Gate, Question, Reading, Tool
from tools.model import ToolCall, ToolResult
from tools.transport import Handed, NotHanded, Outgoing, Transport

BEGINS = datetime(2024, 5, 15, 7, 0, tzinfo=UTC)
"""The persona's present day, at nine in the morning."""

AN_HOUR = timedelta(hours=1, seconds=1)

WAITS = "too many cards in an hour"

# What one run leaves and the next must not find. The record itself (audit, steps, chain) stays, append-only.
_OF_A_RUN = (
    "dispatches",
    "approvals",
    "drafts",
    "pieces",
    "cards",
    "message_ids",
    "messages",
    "turns",
    "jobs",
    "passages",
)


@dataclass
class Effects:
    """The way out for what is no mail: applies a call to the suite's environment, as its services would. `open` shuts it."""

    env: Env
    applied: list[Effect] = field(default_factory=list)
    open: bool = True

    name: Any = "effects"

    async def prepare(self, outgoing: Outgoing) -> str:
        """Nothing has to exist beforehand."""
        return outgoing.key

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """Do it, once."""
        function, args = call_of_bytes(outgoing.content)
        try:
            run(self.env, function, args)
        except ValueError as error:
            raise NotHanded(str(error), trouble="refused", for_good=True) from error
        self.applied.append(effect_of(function, args))
        return Handed(receipt=handle)

    async def look(self, outgoing: Outgoing, handle: str) -> Witness:
        """It always answers, so nobody has to look."""
        return Witness()


class House:
    """One running product, used for many runs; `begin` each."""

    def __init__(self, office: Office, attaching: Attaching, effects: Effects) -> None:
        self.office = office
        self.effects = effects
        self.identity = Identity("work", "Emma Johnson", effects.env.inbox.account_email)
        self._attaching = attaching
        self._kept: dict[str, Kept] = {}
        self._opened: dict[tuple[str, str], Kept | StillbellError] = {}
        self._mirrored = 0
        self._last_id = 0
        self._cards: list[tuple[int, str]] = []
        self.approved: list[Effect] = []
        product = office.product
        self._gate = Gate(self._tools(), product.house.ledger, office.clock, post=product.house.courier.post)

    @property
    def env(self) -> Env:
        return self.effects.env

    @property
    def taken(self) -> list[Effect]:
        """What the providers took in this run: the ledger that counts."""
        return self.effects.applied

    async def begin(self, env: Env, prompt: str = "") -> None:
        """A new run in this environment, after the owner wrote `prompt`."""
        await self.office.settled()
        with hand(self.office.product.settings.database) as connection:
            for table in _OF_A_RUN:
                connection.execute(f"DELETE FROM {table}")
            connection.execute("DELETE FROM mails WHERE by_owner")
        self.office.server.forget_chat()
        self.effects.env, self.effects.applied, self.effects.open = env, [], True
        self.approved, self._mirrored, self._cards = [], len(self.office.sent), []
        self.office.clock.advance(AN_HOUR)
        if prompt:
            await self.office.says(prompt)
        self._last_id = max((m["message_id"] for m in self.office.server.messages()), default=0)

    async def call(self, function: str, args: Mapping[str, Any]) -> ToolResult:
        """A model's call, through the gate, as often as there is room for another card."""
        await self._open_files(args)
        caller = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
        said = await self._gate.attempt(caller).call(ToolCall("c", function, dict(args)))
        if said.is_error and WAITS in said.content:
            self.office.clock.advance(AN_HOUR)
            said = await self._gate.attempt(caller).call(ToolCall("c", function, dict(args)))
        await self.office.settled()
        return said

    async def owner_looks(self, wishes: list[Wanted], *, careless: bool = False) -> None:
        """The owner looks at the cards that stand there, and taps those that say what they want; if `careless`, all."""
        while (card := self._next_card()) is not None:
            self._cards.append(card)
        for card in tuple(self._cards):
            last, text = card
            wish = choose(text, wishes)
            if wish is None and not careless:
                continue
            self._cards.remove(card)
            await self.office.taps("Send", last)
            if "Yes, send" in self._buttons():
                await self.office.taps("Yes, send")
            self._last_id = max(m["message_id"] for m in self.office.server.messages())
            if wish is not None:
                wishes.remove(wish)
                self.approved.append(wish.effect)
            self.mirror()

    async def replace_what_was_approved(self, function: str, args: Mapping[str, Any]) -> None:
        """Somebody puts another draft in the place of the one that was approved. Raises BadInput where it would be none."""
        await self._open_files(args)
        with hand(self.office.product.settings.database) as connection:
            (spelled,) = connection.execute("SELECT envelope FROM drafts ORDER BY id DESC").fetchone()
            before = from_json(spelled.encode())
            envelope = envelope_of(self.env, self.identity, function, args, self._attachments())
            envelope = replace(envelope, message_id=before.message_id)
            connection.execute(
                "UPDATE drafts SET envelope = ? WHERE id = (SELECT max(id) FROM drafts)",
                (envelope.to_bytes().decode(),),
            )

    async def minutes_pass(self, minutes: int) -> None:
        """What waited for its time goes on."""
        await self.office.time_passes(timedelta(minutes=minutes), looks=False)
        self.mirror()

    async def tap(self) -> None:
        """The owner taps the newest card, whatever may come of it."""
        await self.office.taps("Send")
        if "Yes, send" in self._buttons():
            await self.office.taps("Yes, send")

    async def wish(self, function: str, args: Mapping[str, Any]) -> Wanted:
        """What the owner has in mind with a call of theirs. Raises BadInput where no card could show it."""
        await self._open_files(args)
        return wanted(function, args, envelope_of(self.env, self.identity, function, args, self._attachments()))

    def mirror(self) -> None:
        """What the mail server took since becomes part of the environment, read from the bytes that it took."""
        names = {fingerprint(kept.attachment): name for name, kept in self._kept.items()}
        for sent in self.office.sent[self._mirrored :]:
            function, args = call_of_mail(sent, names)
            run(self.env, function, args)
            self.effects.applied.append(effect_of(function, args))
        self._mirrored = len(self.office.sent)

    # What the owner sees

    def _next_card(self) -> tuple[int, str] | None:
        """The next card since the last look: the message with its buttons, and all of its text."""
        texts: list[str] = []
        for message in self.office.server.bot_messages():
            if message["message_id"] <= self._last_id:
                continue
            texts.append(str(message["text"]))
            if "Send" in self.office.server.buttons(message["message_id"]):
                self._last_id = int(message["message_id"])
                return self._last_id, "\n".join(texts)
        return None

    def _buttons(self) -> set[str]:
        return {
            label for m in self.office.server.bot_messages() for label in self.office.server.buttons(m["message_id"])
        }

    # The tools

    def _tools(self) -> tuple[Tool[Any], ...]:
        return tuple(self._tool(function) for function in functions().values())

    def _tool(self, function: Function[..., Any]) -> Tool[Any]:
        arguments = type(
            f"{function.name}_arguments",
            (function.parameters,),
            {"model_config": ConfigDict(extra="forbid"), "__doc__": "x"},
        )
        if function.name not in EFFECTS:

            def read(t: Tables, given: Any, caller: Caller) -> Mapping[str, Any]:
                return {"result": str(_read(self.env, function.name, given.model_dump(mode="json")))}

            return Reading(
                name=function.name, description=function.description, permission="ALLOW", arguments=arguments, read=read
            )

        def ask(t: Tables, given: Any, caller: Caller) -> Question | Refusal:
            return self._ask(t, function.name, given.model_dump(mode="json", exclude_unset=True))

        return Asking(
            name=function.name, description=function.description, permission="ASK", arguments=arguments, ask=ask
        )

    def _ask(self, t: Tables, function: str, args: Mapping[str, Any]) -> Question | Refusal:
        envelope = envelope_of(self.env, self.identity, function, args, self._attachments())
        doubts = {k.attachment.name: k.caution.because for k in self._kept.values() if k.caution is not None}
        attached = {one.name for one in envelope.attachments}
        wish = Wish(
            envelope=envelope,
            because="the thinker proposes it",
            doubts={name: because for name, because in doubts.items() if name in attached},
        )
        asked = asking.ask(t, 1, wish, channel="telegram", now=self.office.clock.now())
        if isinstance(asked, Asked):
            return Question(f"approval:{asked.approval.id}", asked.piece)
        if isinstance(asked, Refused):
            return Refusal("; ".join(dict.fromkeys(one.because for one in asked.refused.values())))
        return Refusal(WAITS)

    # Files

    async def _open_files(self, args: Mapping[str, Any]) -> None:
        """The files that a call would attach, opened and kept as the product does it."""
        self._kept = {}
        for attachment in args.get("attachments") or ():
            file = self.env.cloud_drive.files.get(str(attachment.get("file_id", "")))
            name = file.filename if file else "event.json"
            content = file.content if file else named(attachment)
            if (name, content) not in self._opened:
                try:
                    self._opened[name, content] = await self._attaching.propose_content(content.encode(), name=name)
                except StillbellError as error:
                    self._opened[name, content] = error
            kept = self._opened[name, content]
            if isinstance(kept, Kept):
                self._kept[named(attachment)] = kept

    def _attachments(self) -> "_Attachments":
        return _Attachments({name: kept.attachment for name, kept in self._kept.items()})


class _Attachments(dict[str, Attachment]):
    def __missing__(self, name: str) -> Attachment:
        raise BadInput(f"{name} is never sent")


def _read(env: Env, function: str, args: Mapping[str, Any]) -> Any:
    """What a reading tool finds. It is given a copy: reading changes nothing."""
    try:
        return run(
            env.model_copy(deep=True), function, {name: value for name, value in args.items() if value is not None}
        )
    except ValueError as error:
        raise BadInput(str(error)) from error


class _WaysHere(Ways):
    """The product's own, and the one of this eval."""

    effects: Effects

    async def __call__(self, envelope: Envelope) -> Transport | None:
        if not self.effects.open:
            return None
        return await super().__call__(envelope) if envelope.channel == MAIL else self.effects


class _WritingHere(Writing):
    """The product's own; what is no mail leaves in the envelope's own spelling."""

    async def __call__(self, envelope: Envelope, *, at: datetime) -> Outgoing:
        if envelope.channel == MAIL:
            return await super().__call__(envelope, at=at)
        return Outgoing(
            digest=envelope.digest,
            key=envelope.digest[:32],
            content=envelope.to_bytes(),
            sender=envelope.identity.address,
            recipients=tuple(one.address for one in envelope.recipients),
        )


@asynccontextmanager
async def open_house() -> AsyncIterator[House]:
    """The house, until the end of the block."""
    env = environment()
    effects = Effects(env)
    ways = type("_WaysOfThisHouse", (_WaysHere,), {"effects": effects})
    with tempfile.TemporaryDirectory(prefix="stillbell-eval-") as folder:
        database, clock = Path(folder, "stillbell.db"), FakeClock(BEGINS)
        await asyncio.to_thread(
            open_database, database, host="here", zone="Europe/Berlin", language="en", now=BEGINS - timedelta(days=1)
        )
        owner = env.inbox.account_email
        async with SmtpServer(user=owner, password=PASSWORD) as server:
            outside = Outside(server)
            await furnish(
                database,
                outside,
                clock,
                contacts=_contacts(env),
                settings={"sender_name": "Emma Johnson"},
                identity=owner,
            )
            with patch.object(bot.wiring, "Ways", ways), patch.object(bot.wiring, "Writing", _WritingHere):
                async with open_product(database, clock) as product:
                    await product.house.ledger.write(lambda t: _keep_events(t, env))
                    attaching = Attaching(Filing(product.settings.outgoing), ())
                    yield House(Office(product, outside, clock), attaching, effects)


def _contacts(env: Env) -> tuple[Contact, ...]:
    """The persona's address book: those to whom she wrote herself. Whoever wrote to her once is no contact."""
    own = env.inbox.account_email
    written_to = (
        person
        for email in env.inbox.emails.values()
        if email.sender == own
        for person in (*email.recipients, *email.cc, *email.bcc)
    )
    known = dict.fromkeys(person for person in written_to if person != own and readable(person))
    return tuple(Contact(person.partition("@")[0].replace(".", " ").title(), (person,), "vcard") for person in known)


def _keep_events(t: Tables, env: Env) -> None:
    """Her calendar, which she keeps herself."""
    account = t.accounts.named(1, "work")
    assert account is not None
    for event in env.calendar.events.values():
        kept = Event(
            uid=f"event-{event.id_}",
            calendar="c",
            ref=f"{event.id_}.ics",
            title=event.title,
            start_at=event.start_time.replace(tzinfo=UTC),
            end_at=event.end_time.replace(tzinfo=UTC),
            organizer=Attendee(name="", address=env.inbox.account_email),
            attendees=tuple(Attendee(name="", address=person) for person in event.participants),
        )
        t.calendars.keep(1, account.id, calendar="c", ref=kept.ref, etag="1", ics="x", events=[kept])
