"""Gathering: from the events of a stream to an answer.

The events are taken as plain mappings and nothing in them is trusted: whoever stands at the address may be anybody's
server. The blocks are put together exactly as they came, since thinking blocks must go back unchanged.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

from tools.garbled import GarbledCall
from tools.model import ToolCall
from tools.prices import Tokens

Stop = Literal["end", "tools", "length", "refused", "window", "paused"]

STOPS: Mapping[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "refusal": "refused",
    "model_context_window_exceeded": "window",
    "pause_turn": "paused",
}

# Which field of a block each kind of delta lengthens, by the field in which the delta brings it.
GROWING = {"text_delta": "text", "thinking_delta": "thinking"}

WROTE_CHARS = 200


class GarbledStreamError(Exception):
    """The events are none of the Messages API's."""


class ErrorEventError(Exception):
    """The provider sent an error in the middle of its answer. `kind` is the API's name for it."""

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(f"{kind}: {said}")
        self.kind = kind
        self.said = said


class Gathering:
    """One answer while its events come in."""

    def __init__(self) -> None:
        self.model = ""
        self._begun = False
        self._stop_reason: str | None = None
        self._usage: dict[str, int] = {}
        self._blocks: list[dict[str, Any]] = []
        self._arguments: dict[int, list[str]] = {}

    def take(self, event: object) -> None:
        """One more event. Unknown kinds are passed over, as the API's documentation asks.

        Raises ErrorEventError when it says that something went wrong, and GarbledStreamError.
        """
        shape = _mapping(event)
        match shape.get("type"):
            case "message_start":
                self._start(_mapping(shape.get("message")))
            case "content_block_start":
                self._begin(_index(shape), _mapping(shape.get("content_block")))
            case "content_block_delta":
                self._grow(_index(shape), _mapping(shape.get("delta")))
            case "error":
                error = _mapping(shape.get("error"))
                raise ErrorEventError(_text(error.get("type")), _text(error.get("message")))
            case "message_delta":
                self._count(shape.get("usage"))
                self._stop_reason = _text(_mapping(shape.get("delta")).get("stop_reason")) or self._stop_reason

    def _start(self, message: Mapping[str, Any]) -> None:
        self._begun = True
        self.model = _text(message.get("model"))
        self._count(message.get("usage"))

    def _begin(self, index: int, block: Mapping[str, Any]) -> None:
        if not self._begun or index != len(self._blocks):
            raise GarbledStreamError(f"block {index} begins where block {len(self._blocks)} should")
        self._blocks.append(dict(block))

    def _grow(self, index: int, delta: Mapping[str, Any]) -> None:
        if index >= len(self._blocks):
            raise GarbledStreamError(f"block {index} goes on but has not begun")
        block, kind = self._blocks[index], str(delta.get("type"))
        if kind in GROWING:
            name = GROWING[kind]
            block[name] = _text(block.get(name)) + _text(delta.get(name))
        elif kind == "signature_delta":
            block["signature"] = _text(delta.get("signature"))
        elif kind == "input_json_delta":
            self._arguments.setdefault(index, []).append(_text(delta.get("partial_json")))

    def _count(self, usage: object) -> None:
        """The counts are running totals: a later one replaces an earlier one."""
        if isinstance(usage, Mapping):
            counts = {name: int(value) for name, value in usage.items() if isinstance(value, int) and value >= 0}
            self._usage.update(counts)

    @property
    def has_begun(self) -> bool:
        """Whether anything of an answer has come."""
        return self._begun

    @property
    def is_whole(self) -> bool:
        """Whether the model said that, and why, it stopped. A stream that was cut ends without it, and without error."""
        return self._stop_reason is not None

    @property
    def text(self) -> str:
        """What was written for the reader."""
        return "".join(_text(block.get("text")) for block in self._blocks if block.get("type") == "text")

    @property
    def tokens(self) -> Tokens | None:
        """What was used, or None when the provider did not say."""
        if "input_tokens" not in self._usage or "output_tokens" not in self._usage:
            return None
        return Tokens(
            input=self._usage["input_tokens"],
            output=self._usage["output_tokens"],
            cache_write=self._usage.get("cache_creation_input_tokens", 0),
            cache_read=self._usage.get("cache_read_input_tokens", 0),
        )

    @property
    def stop(self) -> Stop:
        """Why it stopped. A call is a call whatever reason is given, and without one there is nothing to run."""
        given = STOPS.get(self._stop_reason or "", "end")
        if given in ("end", "tools"):
            return "tools" if any(block.get("type") == "tool_use" for block in self._blocks) else "end"
        return given

    def calls_and_raw(self) -> tuple[tuple[ToolCall, ...], tuple[Mapping[str, Any], ...]]:
        """The tool calls, and every block as it is to be sent back. Raises GarbledStreamError for a call without a name."""
        calls: list[ToolCall] = []
        raw: list[Mapping[str, Any]] = []
        for index, block in enumerate(self._blocks):
            if block.get("type") != "tool_use":
                raw.append(block)
                continue
            call = _call(block, self._arguments.get(index))
            calls.append(call)
            raw.append({**block, "input": dict(call.arguments)})
        return tuple(calls), tuple(raw)


def _call(block: Mapping[str, Any], parts: list[str] | None) -> ToolCall:
    name, call_id = _text(block.get("name")), _text(block.get("id"))
    if not name or not call_id:
        raise GarbledStreamError("a tool call without a name or an id")
    wrote = "".join(parts or ())
    arguments = _parsed(wrote) if wrote.strip() else block.get("input", {})
    if isinstance(arguments, Mapping):
        return ToolCall(call_id, name, arguments)
    return GarbledCall(call_id, name, {}, (wrote or repr(arguments))[:WROTE_CHARS])


def _parsed(wrote: str) -> object:
    try:
        return json.loads(wrote)
    except (ValueError, RecursionError):  # RecursionError: ten thousand brackets are no arguments either
        return None


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise GarbledStreamError(f"{type(value).__name__} where an object belongs")
    return value


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    if not isinstance(index, int) or index < 0:
        raise GarbledStreamError("an event of a block without its number")
    return index


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise GarbledStreamError(f"{type(value).__name__} where a text belongs")
    return value
