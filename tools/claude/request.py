"""From an ask to the body of a request. Pictures are read from their files here: call it off the event loop for those."""

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tools.choice import Assignment
from tools.model import IMAGE_MAX_BYTES, Ask, Image, Said, ToolResult, ToolSpec
from tools.provider import Provider

Block = Mapping[str, Any]

_UNSEEN: Block = {"type": "text", "text": "[A picture was sent here, and you can't see it. Say so.]"}
_TOO_LARGE: Block = {"type": "text", "text": "[A picture was sent here that is too large for you to see. Say so.]"}


def request_of(ask: Ask, assignment: Assignment, provider: Provider) -> dict[str, Any]:
    """The request's body. It holds what this provider and this model take and no more; sampling parameters never.

    Tools are left out where the policy allows none.
    """
    tools = ask.tools if assignment.tools else ()
    body: dict[str, Any] = {
        "model": assignment.model,
        "max_tokens": assignment.max_tokens,
        "messages": list(_messages(ask.messages, sees=provider.sees)),
    }
    if system := _system(ask, in_words=ask.schema is not None and not provider.sends_schema):
        body["system"] = system
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    if assignment.thinking is not None:
        body["thinking"] = {"type": assignment.thinking}
    if config := _output_config(ask, assignment, provider):
        body["output_config"] = config
    if assignment.cache and tools:
        # A turn with tools asks several times with a growing prompt; for a single question writing would only cost.
        body["cache_control"] = {"type": "ephemeral"}
    return body


def _system(ask: Ask, *, in_words: bool) -> str:
    if not in_words:
        return _clean(ask.system).strip()
    schema = json.dumps(ask.schema, ensure_ascii=False)
    return (
        f"{_clean(ask.system)}\n\nAnswer with one JSON object of this schema and with nothing else:\n{schema}".strip()
    )


def _output_config(ask: Ask, assignment: Assignment, provider: Provider) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if assignment.effort is not None:
        config["effort"] = assignment.effort
    if ask.schema is not None and provider.sends_schema:
        config["format"] = {"type": "json_schema", "schema": dict(ask.schema)}
    return config


def _tool(tool: ToolSpec) -> Block:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}


def _messages(said: Sequence[Said], *, sees: bool) -> Iterator[Block]:
    """The conversation without what the API refuses: empty texts, and a model that speaks first."""
    begun = False
    for one in said:
        content = list(_owners(one, sees=sees) if one.by == "owner" else _models(one))
        if content and (begun or one.by == "owner"):
            begun = True
            yield {"role": "user" if one.by == "owner" else "assistant", "content": content}


def _owners(said: Said, *, sees: bool) -> Iterator[Block]:
    # Results come before any other content of their message; the API insists.
    yield from (_result(result) for result in said.results)
    yield from (_image(image) if sees else _UNSEEN for image in said.images)
    if said.text.strip():
        yield {"type": "text", "text": _clean(said.text)}


def _image(image: Image) -> Block:
    try:
        data = image.path.read_bytes()
    except OSError:
        return _UNSEEN
    source = {"type": "base64", "media_type": image.media_type, "data": base64.b64encode(data).decode()}
    return {"type": "image", "source": source} if len(data) <= IMAGE_MAX_BYTES else _TOO_LARGE


def _models(said: Said) -> Iterator[Block]:
    if not said.raw:
        if said.text.strip():
            yield {"type": "text", "text": _clean(said.text)}
        return
    for block in said.raw:
        # A model may write a blank text block, and the API then refuses to take it back. All else goes back untouched.
        if block.get("type") != "text" or str(block.get("text", "")).strip():
            yield block


def _result(result: ToolResult) -> Block:
    content = _clean(result.content) if result.content.strip() else "(nothing)"
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": content, "is_error": result.is_error}


def _clean(text: str) -> str:
    """`text` without halves of characters, which broken mail can hold and no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
