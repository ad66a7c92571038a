"""What ties the requests of one conversation together: thinking blocks and paused turns that come back.

The rules here need to know what the server has issued; like all rules in messages_rules they were written from the
documentation, not from answers of a live API.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.servers.messages_models import MODELS

Body = Mapping[str, Any]
Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedThinking:
    """A thinking block as it left the server: what it said, which model wrote it, and behind which prefix."""

    block: Block
    model: str
    prefix: str


@dataclass(slots=True)
class Issued:
    """What the server has given out and must see again unchanged."""

    thinking: dict[str, IssuedThinking] = field(default_factory=dict)  # by signature, or by data when redacted
    thinking_of_call: dict[str, tuple[str, ...]] = field(default_factory=dict)  # tool_use id -> seals of its message
    paused: set[str] = field(default_factory=set)  # digests of pause_turn contents, which may come back last


# The rules.


def prefill(body: Body, issued: Issued) -> str | None:
    """The last message is not the assistant's, on models from 4.6 on, unless it hands back a paused turn as it was.

    From the docs, not from a live API.
    """
    last = body["messages"][-1]
    if last["role"] != "assistant" or MODELS[body["model"]].accepts_prefill:
        return None
    if content_digest(last["content"]) in issued.paused:
        return None
    return "this model does not support assistant message prefill: the conversation must end with a user message"


def thinking_unedited(body: Body, issued: Issued) -> str | None:
    """A thinking block comes back with the signature and the text it was issued with. From the docs, not live."""
    for where, _, block in placed_blocks(body):
        if (seal := seal_of(block)) is None:
            continue
        known = issued.thinking.get(seal)
        if known is None:
            return f"{where}: invalid signature in {block['type']} block"
        if _bare(block) != _bare(known.block):
            return f"{where}: {block['type']} blocks cannot be modified"
    return None


def thinking_prefix(body: Body, issued: Issued) -> str | None:
    """Nothing before a thinking block has changed: system, tools and earlier messages are as they were.

    From the docs on preserved thinking (5.1, 5.2 and 5.5 models), not from a live API. Another model's block is left
    alone, because the API drops such a block without an error. A moved cache_control mark is no change.
    """
    model = MODELS[body["model"]]
    if not model.binds_thinking:
        return None
    for number, message in enumerate(body["messages"]):
        for place, block in enumerate(blocks_of(message["content"])):
            known = issued.thinking.get(seal_of(block) or "")
            if known and known.model == model.id and known.prefix != prefix_digest(body, number, place):
                return f"messages.{number}.content.{place}: the thinking block is bound to a different conversation"
    return None


def thinking_kept(body: Body, issued: Issued) -> str | None:
    """Within a running tool turn, thinking blocks come back with the tool calls they came with.

    From the docs, not from a live API: they ask for it, and this server makes it an error.
    """
    if not _thinks(body):
        return None
    for number in range(turn_start(body), len(body["messages"])):
        blocks = blocks_of(body["messages"][number]["content"])
        for call in (block for block in blocks if block["type"] == "tool_use"):
            expected = issued.thinking_of_call.get(str(call.get("id")), ())
            readable = [seal for seal in expected if issued.thinking[seal].model == body["model"]]
            if [seal for block in blocks if (seal := seal_of(block))] != readable and readable:
                return f"messages.{number}: the thinking blocks of this tool call are missing or out of order"
    return None


def _thinks(body: Body) -> bool:
    return MODELS[body["model"]].thinking_type((body.get("thinking") or {}).get("type")) != "disabled"


# What the rules and the server share.


def blocks_of(content: str | Sequence[Block]) -> list[Block]:
    """Content as blocks: a string is short for one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def placed_blocks(body: Body) -> Iterator[tuple[str, str, Block]]:
    """Every block of every message: where it stands (as errors name it), its message's role, and the block."""
    for number, message in enumerate(body["messages"]):
        for place, block in enumerate(blocks_of(message["content"])):
            yield f"messages.{number}.content.{place}", message["role"], block


def seal_of(block: Block) -> str | None:
    """What a thinking block is recognised by: its signature, or its data when it is redacted. None for other blocks."""
    if block["type"] == "thinking":
        return str(block.get("signature"))
    return str(block.get("data")) if block["type"] == "redacted_thinking" else None


def turn_start(body: Body) -> int:
    """Where the running turn begins: at the last user message that brings no tool results."""
    starts = [
        number
        for number, message in enumerate(body["messages"])
        if message["role"] == "user" and not any(b["type"] == "tool_result" for b in blocks_of(message["content"]))
    ]
    return starts[-1] if starts else 0


def in_tool_turn(body: Body) -> bool:
    """Whether the request brings tool results, so that the answer comes after a tool call."""
    return any(block["type"] == "tool_result" for block in blocks_of(body["messages"][-1]["content"]))


def prefix_digest(body: Body, number: int, place: int) -> str:
    """The digest of all that stands before block `place` of message `number`."""
    message = body["messages"][number]
    begun = {"role": message["role"], "content": blocks_of(message["content"])[:place]}
    before = [*body["messages"][:number], begun]
    system = blocks_of(body.get("system") or [])
    return _digest({"system": system, "tools": body.get("tools") or [], "messages": _merged(before)})


def content_digest(content: str | Sequence[Block]) -> str:
    """The digest of one message's content, blind to cache marks and to fields that are null."""
    return _digest(blocks_of(content))


def _merged(messages: Sequence[Body]) -> list[dict[str, Any]]:
    # The API joins consecutive messages of one role, so they must have one digest however they were cut.
    merged: list[dict[str, Any]] = []
    for message in messages:
        blocks = blocks_of(message["content"])
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"].extend(blocks)
        elif blocks:
            merged.append({"role": message["role"], "content": blocks})
    return merged


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(_bare(value), sort_keys=True).encode()).hexdigest()


def _bare(value: object) -> object:
    if isinstance(value, Mapping):
        kept = {key: item for key, item in value.items() if key != "cache_control" and item is not None}
        if kept.get("type") == "tool_result" and isinstance(kept.get("content"), str):
            kept["content"] = blocks_of(kept["content"])
        return {key: _bare(item) for key, item in kept.items()}
    return [_bare(item) for item in value] if isinstance(value, list | tuple) else value
