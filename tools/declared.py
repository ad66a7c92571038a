"""Declared: what a tool may declare before a model is shown it. What could send by itself never gets so far.

A tool is one of the gate's own kinds and nothing besides, its handlers are plain functions that run in a transaction,
and none of them is a way out or holds one.
"""

import inspect
from collections.abc import Iterator
from dataclasses import fields
from functools import partial
from types import FunctionType
from typing import Any

from memory.errors import Refused

_WAYS_OUT = frozenset({"hand_over", "send_draft", "send_message", "sendmail"})
"""Whoever has one of these can send (tools/transport)."""

_EXIT = "tools.exit.leaving"
"""What takes an approved envelope out is handed to one handler, and to no tool."""


class UnfitTool(Refused):
    """A tool is declared so that it could do more than the gate lets it. The process does not start with it."""


def check(tool: Any, *, kinds: tuple[type, ...], asks: bool) -> None:
    """Raise UnfitTool unless this is a tool of one of these `kinds`, which sends nothing. `asks`: only the owner can let it."""
    if type(tool) not in kinds:
        odd = sorted({field.name for field in fields(tool)} - {field.name for kind in kinds for field in fields(kind)})
        raise UnfitTool(
            f"the tool {tool.name} declares {', '.join(odd) or 'a kind of its own'}: no tool sends by itself"
        )
    if asks and tool.permission == "ALLOW":
        raise UnfitTool(f"the tool {tool.name} asks the owner, and may not be ALLOW")
    for field in fields(tool):
        handler = getattr(tool, field.name)
        if isinstance(handler, type) or not callable(handler):
            continue
        if inspect.iscoroutinefunction(handler) or any(_is_way_out(one) for one in _held(handler)):
            raise UnfitTool(f"the tool {tool.name} has a send handler for its {field.name}: only the exit sends")


def _held(handler: Any) -> Iterator[Any]:
    """The handler and what it holds: an object it belongs to and its parts, arguments bound to it, what it closes over."""
    yield handler
    if isinstance(handler, partial):
        for one in (handler.func, *handler.args, *handler.keywords.values()):
            yield from _held(one)
    owner = getattr(handler, "__self__", None)
    if owner is not None:
        yield owner
        yield from getattr(owner, "__dict__", {}).values()
        slots = (name for kind in type(owner).__mro__ for name in getattr(kind, "__slots__", ()))
        yield from (getattr(owner, name, None) for name in slots)
    function = getattr(handler, "__func__", handler)
    if isinstance(function, FunctionType):
        for cell in function.__closure__ or ():
            yield cell.cell_contents


def _is_way_out(thing: Any) -> bool:
    is_of_exit = type(thing).__module__ == _EXIT or getattr(thing, "__module__", None) == _EXIT
    return is_of_exit or any(callable(getattr(thing, name, None)) for name in _WAYS_OUT)
