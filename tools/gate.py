"""The gate: every tool a model can see is ALLOW, ASK or DENY, and the model only ever gets the wrapped call.

    model's call ─► known? ─► arguments valid? ─► ALLOW: run │ ASK: put a card before the owner │ DENY: refuse ─► audit row ─► data

The audit row is written by the gate, for every call and every refusal; what a call changes is committed together with
its row. Errors come back to the model as data. Who calls (agent, owner, turn) comes from the connection that trusted
code opened, never from the arguments.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from memory.audit import AuditRow, Outcome, Permission, code
from memory.canonical import canonical
from memory.clock import Clock
from memory.errors import Refused, StillbellError
from memory.ledger import Ledger, Tables
from memory.legible import legible
from memory.piece import Piece
from memory.refusal import Refusal
from tools.declared import check
from tools.garbled import GarbledCall
from tools.model import ToolCall, ToolResult, ToolSpec

log = structlog.get_logger()

A = TypeVar("A", bound=BaseModel)

RESULT_MAX = 20_000
"""So many characters of a result reach the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a call is made."""

    agent: str
    owner_id: int
    turn_id: int | None
    signal_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """One typed tool. `arguments` is a pydantic model that forbids extra fields; what runs gets a valid instance of it."""

    name: str
    description: str
    permission: Permission
    arguments: type[A]

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        schema = self.arguments.model_json_schema()
        return ToolSpec(self.name, self.description, {**schema, "additionalProperties": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Tool[A]):
    """A tool that only looks. `read` runs on a read-only connection."""

    read: Callable[[Tables, A, Caller], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting(Tool[A]):
    """A tool that changes something. `act` does it and names the row ("loop:12"); `tell` reads from that row what was done.

    Both run in the transaction that also writes the audit row. They raise StillbellErrors for what can't be done.
    """

    act: Callable[[Tables, A, Caller], str]
    tell: Callable[[Tables, str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question put to the owner: the row that a tap decides ("approval:12"), and its card on its way, *handing*."""

    subject: str
    piece: Piece | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking(Tool[A]):
    """A tool whose effect only the owner's tap can bring about: `ask` puts the question, and that is all it can do.

    It runs in the transaction that also writes the audit row. A Refusal says why the question may not even be put.
    """

    ask: Callable[[Tables, A, Caller], Question | Refusal]


NOTHING_WAS_SENT = "nothing was sent; the owner decides on a card"


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that a tool did in a turn, told from the rows as they now stand."""

    tool: str
    told: Mapping[str, Any]


def _unposted(_: Piece | None) -> None:
    return None


class Gate:
    """Holds the tools of one agent. What is not declared is denied.

    `post` carries the cards of questions to the owner. Raises UnfitTool for a tool that could send by itself.
    """

    def __init__(
        self,
        tools: tuple[Tool[Any], ...],
        ledger: Ledger,
        clock: Clock,
        *,
        post: Callable[[Piece | None], None] = _unposted,
    ) -> None:
        for tool in tools:
            check(tool, kinds=(Tool, Reading, Acting, Asking), asks=isinstance(tool, Asking))
        self._tools = {tool.name: tool for tool in tools}
        self._ledger = ledger
        self._clock = clock
        self._post = post

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is shown: everything that is not denied."""
        return tuple(tool.spec for tool in self._tools.values() if tool.permission != "DENY")

    def only_reads(self, name: str) -> bool:
        """Whether this is a tool that looks and changes nothing."""
        return isinstance(self._tools.get(name), Reading)

    def attempt(self, caller: Caller) -> "Attempt":
        """The calls of one run of a turn."""
        return Attempt(self._tools, self._ledger, self._clock, caller, self._post)

    async def deeds(self, caller: Caller) -> list[Deed]:
        """What was done in the caller's turn so far, in this run of it and in earlier ones."""

        def told(t: Tables) -> list[Deed]:
            rows = t.audit.deeds(caller.turn_id) if caller.turn_id is not None else []
            return [Deed(row.tool, _told(t, self._tools.get(row.tool), row)) for row in rows]

        return await self._ledger.read(told)


class Attempt:
    """Runs the calls of one run of a turn.

    A turn that runs again after a crash repeats itself: its n-th call of a tool with the same arguments is the n-th of
    the run before, and where that was done it is not done twice.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool[Any]],
        ledger: Ledger,
        clock: Clock,
        caller: Caller,
        post: Callable[[Piece | None], None] = _unposted,
    ) -> None:
        self._tools = tools
        self._ledger = ledger
        self._clock = clock
        self._caller = caller
        self._post = post
        self._done: Counter[tuple[str, str]] = Counter()

    async def call(self, call: ToolCall) -> ToolResult:
        """Make the call if it may be made. Never raises for what the model wrote or a tool refused; bugs do raise."""
        tool = self._tools.get(call.name)
        if tool is None:
            return await self._refused(call, "DENY", "there is no such tool")
        if tool.permission == "DENY":
            return await self._refused(call, "DENY", "this tool is denied")
        if isinstance(call, GarbledCall):
            return await self._refused(call, tool.permission, "the arguments were no JSON object")
        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            because = f"arguments refused: {error.error_count()} fields"
            return await self._refused(call, tool.permission, because, told=_reasons(error))
        if tool.permission == "ASK" and not isinstance(tool, Asking):
            await self._audit(call, "ASK", "asked", "needs the owner's yes")
            return _data(call, {"error": "this needs the owner's yes; it was not done"}, is_error=True)
        return await self._run(tool, arguments, call)

    async def _run(self, tool: Tool[Any], arguments: BaseModel, call: ToolCall) -> ToolResult:
        try:
            if isinstance(tool, Asking):
                return await self._ask(tool, arguments, call)
            if isinstance(tool, Acting):
                result = await self._act(tool, arguments, call)
            else:
                result = await self._read(tool, arguments, call)
        except StillbellError as error:
            await self._audit(call, tool.permission, "failed", code(error))
            return _data(call, {"error": str(error)}, is_error=True)
        return _data(call, result)

    async def _read(self, tool: Tool[Any], arguments: BaseModel, call: ToolCall) -> Mapping[str, Any]:
        if not isinstance(tool, Reading):
            raise TypeError(f"{tool.name} neither reads nor acts")
        result, looked_at = await self._ledger.read(
            lambda t: (tool.read(t, arguments, self._caller), t.quotes.looked_at())
        )
        await self._audit(call, tool.permission, "done", "allowed", shown=_spelled_out(result), read=looked_at)
        return result

    async def _act(self, tool: Acting[Any], arguments: BaseModel, call: ToolCall) -> Mapping[str, Any]:
        digest = arguments_digest(arguments.model_dump(mode="json"))
        nth = self._done[tool.name, digest]

        def once(t: Tables) -> tuple[Outcome, Mapping[str, Any]]:
            before = self._before(t, tool.name, digest)
            if len(before) > nth:
                self._record(
                    t, tool.name, tool.permission, outcome="repeated", because="done before in this turn", digest=digest
                )
                return "repeated", _told(t, tool, before[nth])
            self._refuse_if_stopped(t)
            subject = tool.act(t, arguments, self._caller)
            self._record(
                t, tool.name, tool.permission, outcome="done", because="allowed", digest=digest, subject=subject
            )
            told = tool.tell(t, subject)
            self._note_read(t, _spelled_out(told), t.quotes.looked_at())
            return "done", told

        outcome, result = await self._ledger.write(once)
        self._done[tool.name, digest] += 1
        log.info("tool call", action=f"tool.{outcome}", tool=tool.name, agent=self._caller.agent)
        return result

    async def _ask(self, tool: Asking[Any], arguments: BaseModel, call: ToolCall) -> ToolResult:
        """Put the question; what comes of it is the owner's to say. A turn that runs again asks nothing twice."""
        digest = arguments_digest(arguments.model_dump(mode="json"))
        nth = self._done[tool.name, digest]

        def once(t: Tables) -> Question | Refusal:
            before = self._before(t, tool.name, digest, "asked")
            if len(before) > nth:
                because = "asked before in this turn"
                self._record(t, tool.name, "ASK", outcome="repeated", because=because, digest=digest)
                return Question(str(before[nth].subject))
            self._refuse_if_stopped(t)
            asked = tool.ask(t, arguments, self._caller)
            if isinstance(asked, Refusal):
                self._record(t, tool.name, "ASK", outcome="refused", because=asked.because, digest=digest)
                return asked
            because, subject = "needs the owner's yes", asked.subject
            self._record(t, tool.name, "ASK", outcome="asked", because=because, digest=digest, subject=subject)
            return asked

        asked = await self._ledger.write(once)
        if isinstance(asked, Refusal):
            log.info("not asked", action="tool.refused", tool=tool.name, because=asked.because)
            return _data(call, {"error": asked.because}, is_error=True)
        self._done[tool.name, digest] += 1
        self._post(asked.piece)
        log.info("asked", action="tool.asked", tool=tool.name, agent=self._caller.agent)
        return _data(call, {"asked": asked.subject, "note": NOTHING_WAS_SENT})

    def _refuse_if_stopped(self, t: Tables) -> None:
        """A newer message or /stop ends the acts of a turn as it ends its words, in the transaction of the act."""
        because = t.thread.stopped(self._caller.turn_id) if self._caller.turn_id is not None else None
        if because is not None:
            raise Refused(f"nothing was done: the turn was stopped by {because}")

    def _before(self, t: Tables, tool: str, digest: str, outcome: Outcome = "done") -> list[AuditRow]:
        """The same call where it was done (or asked) in this turn, in order."""
        rows = t.audit.deeds(self._caller.turn_id, outcome) if self._caller.turn_id is not None else []
        return [row for row in rows if (row.tool, row.arguments_digest) == (tool, digest)]

    async def _refused(self, call: ToolCall, permission: Permission, because: str, *, told: str = "") -> ToolResult:
        await self._audit(call, permission, "refused", because)
        return _data(call, {"error": told or because}, is_error=True)

    async def _audit(
        self,
        call: ToolCall,
        permission: Permission,
        outcome: Outcome,
        because: str,
        *,
        shown: str = "",
        read: frozenset[str] = frozenset(),
    ) -> None:
        """The row of a call. shown, read: what the model was given to read, and of what it may be."""
        name, digest = _plain(call.name), arguments_digest(call.arguments)

        def put(t: Tables) -> None:
            self._record(t, name, permission, outcome=outcome, because=because, digest=digest)
            self._note_read(t, shown, read)

        await self._ledger.write(put)
        log.info("tool call", action=f"tool.{outcome}", tool=name, agent=self._caller.agent, because=because)

    def _note_read(self, t: Tables, shown: str, read: frozenset[str]) -> None:
        """From here on every word of the turn may be of what the model has read."""
        if self._caller.turn_id is not None:
            t.quotes.tie(self._caller.owner_id, f"turn:{self._caller.turn_id}", shown, read)

    def _record(
        self,
        t: Tables,
        tool: str,
        permission: Permission,
        *,
        outcome: Outcome,
        because: str,
        digest: str,
        subject: str | None = None,
    ) -> None:
        t.audit.record(
            owner_id=self._caller.owner_id,
            agent=self._caller.agent,
            tool=tool,
            permission=permission,
            outcome=outcome,
            because=because,
            arguments_digest=digest,
            now=self._clock.now(),
            turn_id=self._caller.turn_id,
            subject=subject,
        )


def arguments_digest(arguments: Mapping[str, Any]) -> str:
    """sha-256 of the arguments, whatever a model put there."""
    try:
        spelled = _spelled(arguments)
    except RecursionError:
        spelled = b"nested deeper than anybody reads"
    return hashlib.sha256(spelled).hexdigest()


def _spelled(arguments: Mapping[str, Any]) -> bytes:
    try:
        return canonical(dict(arguments))
    except (ValueError, TypeError):
        return json.dumps(dict(arguments), sort_keys=True, default=str).encode("utf-8", "backslashreplace")


def _told(t: Tables, tool: Tool[Any] | None, row: AuditRow) -> Mapping[str, Any]:
    """What stands of a deed now; its row may have been erased since."""
    try:
        told = tool.tell(t, str(row.subject)) if isinstance(tool, Acting) else {}
    except StillbellError:
        told = {}
    return {"done_before": row.subject, **told}


def _plain(name: str) -> str:
    """A model may write any name: what is kept of it is short and plain."""
    return "".join(ch if ch.isascii() and (ch.isalnum() or ch in "_-.") else "?" for ch in name)[:64]


def _reasons(error: ValidationError) -> str:
    reasons = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_url=False)[:5]]
    return f"the arguments are wrong: {'; '.join(reasons)}"


def _spelled_out(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, default=str)


def _data(call: ToolCall, content: Mapping[str, Any], *, is_error: bool = False) -> ToolResult:
    text = legible(_spelled_out(content))
    return ToolResult(call.id, text[:RESULT_MAX], is_error=is_error)
