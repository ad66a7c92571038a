"""The gate: every tool a model can see is ALLOW, ASK or DENY, and the model only ever gets the wrapped call.

    model's call ─► known? ─► arguments valid? ─► ALLOW: run │ ASK: not here, say so │ DENY: refuse ─► audit row ─► data

The audit row is written by the gate, for every call and every refusal. Errors come back to the model as data. Who calls
(agent, owner, turn) comes from the connection that trusted code opened, never from the arguments.
"""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from memory.audit import Outcome, Permission
from memory.canonical import canonical
from memory.clock import Clock
from memory.errors import StillbellError
from memory.ledger import Ledger
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
    """One typed tool. `arguments` is a pydantic model that forbids extra fields; `run` gets a valid instance of it."""

    name: str
    description: str
    permission: Permission
    arguments: type[A]
    run: Callable[[A, Caller], Awaitable[Mapping[str, Any]]]

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        schema = self.arguments.model_json_schema()
        return ToolSpec(self.name, self.description, {**schema, "additionalProperties": False})


class Gate:
    """Holds the tools of one agent and runs its calls. What is not declared is denied."""

    def __init__(self, tools: tuple[Tool[Any], ...], ledger: Ledger, clock: Clock) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._ledger = ledger
        self._clock = clock

    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is shown: everything that is not denied."""
        return tuple(tool.spec for tool in self._tools.values() if tool.permission != "DENY")

    async def call(self, call: ToolCall, caller: Caller) -> ToolResult:
        """Make the call if it may be made. Never raises for what the model wrote or a tool refused; bugs do raise."""
        tool = self._tools.get(call.name)
        if tool is None:
            return await self._refused(call, caller, "DENY", "there is no such tool")
        if tool.permission == "DENY":
            return await self._refused(call, caller, "DENY", "this tool is denied")
        if isinstance(call, GarbledCall):
            return await self._refused(call, caller, tool.permission, "the arguments were no JSON object")
        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            reasons = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])
            return await self._refused(call, caller, tool.permission, f"the arguments are wrong: {reasons}")
        if tool.permission == "ASK":
            await self._audit(call, caller, "ASK", "asked", "needs the owner's yes")
            return _data(call, {"error": "this needs the owner's yes; it was not done"}, is_error=True)
        return await self._run(tool, arguments, call, caller)

    async def _run(self, tool: Tool[Any], arguments: BaseModel, call: ToolCall, caller: Caller) -> ToolResult:
        try:
            result = await tool.run(arguments, caller)
        except StillbellError as error:
            await self._audit(call, caller, tool.permission, "failed", str(error))
            return _data(call, {"error": str(error)}, is_error=True)
        await self._audit(call, caller, tool.permission, "done", "allowed")
        return _data(call, result)

    async def _refused(self, call: ToolCall, caller: Caller, permission: Permission, because: str) -> ToolResult:
        await self._audit(call, caller, permission, "refused", because)
        return _data(call, {"error": because}, is_error=True)

    async def _audit(
        self, call: ToolCall, caller: Caller, permission: Permission, outcome: Outcome, because: str
    ) -> None:
        now = self._clock.now()
        # A model may write any name: what is kept of it is short and plain.
        name = "".join(ch if ch.isalnum() or ch in "_-." else "?" for ch in call.name)[:64]
        await self._ledger.write(
            lambda t: t.audit.record(
                owner_id=caller.owner_id,
                agent=caller.agent,
                tool=name,
                permission=permission,
                outcome=outcome,
                because=because[:300],
                arguments_digest=arguments_digest(call.arguments),
                now=now,
                turn_id=caller.turn_id,
            )
        )
        log.info("tool call", action=f"tool.{outcome}", tool=name, agent=caller.agent, because=because)


def arguments_digest(arguments: Mapping[str, Any]) -> str:
    """sha-256 of the arguments, whatever a model put there."""
    try:
        spelled = canonical(dict(arguments))
    except (ValueError, TypeError):
        spelled = json.dumps(dict(arguments), sort_keys=True, default=str).encode("utf-8", "backslashreplace")
    return hashlib.sha256(spelled).hexdigest()


def _data(call: ToolCall, content: Mapping[str, Any], *, is_error: bool = False) -> ToolResult:
    text = json.dumps(content, ensure_ascii=False, default=str)
    return ToolResult(call.id, text[:RESULT_MAX], is_error=is_error)
