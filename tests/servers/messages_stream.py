"""A message as the API sends it: rendered from an answer, and cut into server-sent events.

All pure but for the ids and seals, which the server hands in.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.servers.messages_answers import Answer, Block, RedactedThinking, Text, Thinking, ToolUse
from tests.servers.messages_rules import model_of
from tests.servers.messages_thread import Body, in_tool_turn

Wire = dict[str, Any]
Event = tuple[str, Wire]  # the event's name and its data

CHARS_PER_TOKEN = 4  # a rule of thumb for English; exact counts are scripted
MAX_DELTAS_PER_BLOCK = 64


def wire_blocks(answer: Answer, body: Body, new_id: Callable[[str], str]) -> list[Wire]:
    """The answer's blocks as this model would return them to this request.

    Thinking is left out where it is turned off, and its text where it is not shown. On models that do so, text between
    two tool calls becomes thinking. `new_id` makes an id from its prefix.
    """
    return [_wire_block(block, body, new_id) for block in _returned(answer, body)]


def _returned(answer: Answer, body: Body) -> list[Block]:
    mode = model_of(body).thinking_type((body.get("thinking") or {}).get("type"))
    between_tools = in_tool_turn(body)
    blocks = list(answer.blocks)
    if between_tools and model_of(body).notes_between_tools:
        calls = [number for number, block in enumerate(blocks) if isinstance(block, ToolUse)]
        last_call = calls[-1] if calls else 0
        blocks = [
            Thinking(block.text) if isinstance(block, Text) and number < last_call else block
            for number, block in enumerate(blocks)
        ]
    if mode == "disabled" or (mode == "between_tools" and not between_tools):
        return [block for block in blocks if not isinstance(block, Thinking | RedactedThinking)]
    return blocks


def _wire_block(block: Block, body: Body, new_id: Callable[[str], str]) -> Wire:
    match block:
        case Text():
            return {"type": "text", "text": block.text, "citations": None}
        case ToolUse():
            given = dict(block.input) if block.raw_input is None else block.raw_input
            return {"type": "tool_use", "id": block.id or new_id("toolu"), "name": block.name, "input": given}
        case Thinking():
            text = block.text if _shows_thinking(body) else ""
            return {"type": "thinking", "thinking": text, "signature": new_id("sig")}
        case RedactedThinking():
            return {"type": "redacted_thinking", "data": new_id("redacted")}


def _shows_thinking(body: Body) -> bool:
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "between_tools":
        return True
    display = thinking.get("display")
    return display == "summarized" or (display is None and model_of(body).shows_thinking)


def wire_message(answer: Answer, body: Body, blocks: list[Wire], message_id: str, input_tokens: int) -> Wire:
    """The whole message, as it stands in a plain JSON response. `input_tokens` is the estimate for the request."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": blocks,
        "stop_reason": answer.stop_reason or _stop_reason(answer),
        "stop_sequence": answer.stop_sequence,
        "stop_details": _stop_details(answer),
        "usage": _usage(answer, blocks, input_tokens),
    }


def _stop_reason(answer: Answer) -> str:
    return "tool_use" if any(isinstance(block, ToolUse) for block in answer.blocks) else "end_turn"


def _stop_details(answer: Answer) -> Wire | None:
    if answer.stop_reason != "refusal":
        return None
    return {"type": "refusal", "category": answer.refusal_category, "explanation": None}


def _usage(answer: Answer, blocks: list[Wire], input_tokens: int) -> Wire:
    usage = answer.usage
    written, thought = estimated_tokens(answer_text(blocks)), sum(len(b.get("thinking", "")) for b in blocks)
    output_tokens = written if usage.output_tokens is None else usage.output_tokens
    return {
        "input_tokens": input_tokens if usage.input_tokens is None else usage.input_tokens,
        "output_tokens": output_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_creation": {"ephemeral_5m_input_tokens": usage.cache_write_tokens, "ephemeral_1h_input_tokens": 0},
        "output_tokens_details": {"thinking_tokens": min(thought // CHARS_PER_TOKEN, output_tokens)},
        "service_tier": "standard",
    }


def answer_text(blocks: list[Wire]) -> str:
    """All that was written in the blocks, tool arguments included."""
    return "".join(_written(block) for block in blocks)


def _written(block: Wire) -> str:
    if block["type"] == "tool_use":
        return f"{block['name']}{_arguments(block)}"
    return str(block.get("text") or block.get("thinking") or block.get("data") or "")


def estimated_tokens(text: str) -> int:
    """A token count for a text: one more than a quarter of its characters."""
    return len(text) // CHARS_PER_TOKEN + 1


def request_tokens(body: Body) -> int:
    """The estimated prompt size of a request: system prompt, tools and messages."""
    return estimated_tokens(json.dumps([body.get("system"), body.get("tools"), body["messages"]]))


def events_of(message: Wire, chunk_chars: int | None = None) -> Iterator[Event]:
    """The message as the events of a stream, in the documented order, with a ping after the first block's start."""
    yield _message_start(message)
    for index, block in enumerate(message["content"]):
        started = _emptied(block)
        yield _event("content_block_start", index=index, content_block=started)
        if index == 0:
            yield _event("ping")
        for delta in _deltas(block, chunk_chars):
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    yield _message_delta(message)
    yield _event("message_stop")


def _event(name: str, **data: object) -> Event:
    return name, {"type": name, **data}


def _message_start(message: Wire) -> Event:
    usage = {**message["usage"], "output_tokens": 1, "output_tokens_details": None}
    begun: Wire = {"content": [], "stop_reason": None, "stop_sequence": None, "stop_details": None, "usage": usage}
    return _event("message_start", message={**message, **begun})


def _message_delta(message: Wire) -> Event:
    delta = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    counted = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    usage = {name: message["usage"][name] for name in (*counted, "output_tokens_details")}
    return _event("message_delta", delta=delta, usage=usage)


def _emptied(block: Wire) -> Wire:
    empty: Mapping[str, Wire] = {
        "text": {"text": ""},
        "tool_use": {"input": {}},
        "thinking": {"thinking": "", "signature": ""},
    }
    return {**block, **empty.get(block["type"], {})}


def _deltas(block: Wire, chunk_chars: int | None) -> Iterator[Wire]:
    match block["type"]:
        case "text":
            for part in _parts(block["text"], chunk_chars):
                yield {"type": "text_delta", "text": part}
        case "tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            for part in _parts(_arguments(block), chunk_chars):
                yield {"type": "input_json_delta", "partial_json": part}
        case "thinking":
            for part in _parts(block["thinking"], chunk_chars):
                yield {"type": "thinking_delta", "thinking": part}
            yield {"type": "signature_delta", "signature": block["signature"]}


def _arguments(block: Wire) -> str:
    given = block["input"]
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _parts(text: str, chunk_chars: int | None) -> Iterator[str]:
    size = chunk_chars or max(16, math.ceil(len(text) / MAX_DELTAS_PER_BLOCK))
    yield from (text[start : start + size] for start in range(0, len(text), size))


def sse(name: str, data: Wire) -> bytes:
    """One server-sent event as bytes."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
