"""The request rules of the Messages API, one pure function each.

A rule takes the parsed body (some take more) and returns what is wrong in one sentence, or None. Every rule here was
written from documentation and from the types of the anthropic SDK 2.14, not from answers of a live API: a request that
passes may still be refused by the provider, and where the documentation leaves room, a rule takes the stricter reading.

`first_violation` runs them in order. The shape comes first, so that the others may trust it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.servers.messages_models import MODELS, KnownModel
from tests.servers.messages_thread import (
    Block,
    Body,
    Issued,
    blocks_of,
    placed_blocks,
    prefill,
    thinking_kept,
    thinking_prefix,
    thinking_unedited,
)

API_VERSIONS = frozenset({"2023-06-01", "2026-10-21"})
SAMPLING = ("temperature", "top_p", "top_k")
FIELDS = frozenset(
    [
        *("model", "max_tokens", "messages", "system", "stream", "tools", "tool_choice", "thinking", "output_config"),
        *("cache_control", "container", "diagnostics", "inference_geo", "metadata", "service_tier", "speed"),
        *("stop_sequences", "user_profile_id"),
    ]
)
EFFORTS = ("low", "medium", "high", "xhigh", "max")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CACHE_TTLS = (None, "5m", "1h")
MAX_CACHE_MARKS = 4
MIN_THINKING_BUDGET = 1024
UNSUPPORTED_KEYWORDS = frozenset(
    [
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "pattern", "maxItems", "uniqueItems"),
        *("minProperties", "maxProperties", "patternProperties", "oneOf", "not", "if", "then", "else"),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A rule that was broken: its name, the status it gets, and the text for the client."""

    rule: str
    text: str
    status: int = 400


# What a request must look like before anything else is asked.


def version_header(headers: Mapping[str, str]) -> str | None:
    """The anthropic-version header is required and names a version that exists. From the docs, not from a live API."""
    version = headers.get("anthropic-version")
    if not version:
        return "anthropic-version: header is required"
    return None if version in API_VERSIONS else f"anthropic-version: {version} is not a version of this API"


def shape(body: object) -> str | None:
    """The body is an object with a model and a list of messages in the documented shapes. From the docs, not live."""
    if not isinstance(body, dict):
        return "the body must be a JSON object"
    if not isinstance(body.get("model"), str):
        return "model: field required"
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        return "messages: at least one message is required"
    for number, message in enumerate(body["messages"]):
        if text := _message_shape(message):
            return f"messages.{number}: {text}"
    return _optional_shapes(body)


def _message_shape(message: object) -> str | None:
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return "a message needs a role"
    if not _is_content(message.get("content")):
        return "content must be a string or a list of blocks with a type"
    return None


def _is_content(content: object) -> bool:
    if isinstance(content, str):
        return True
    return isinstance(content, list) and all(isinstance(b, dict) and isinstance(b.get("type"), str) for b in content)


def _optional_shapes(body: Body) -> str | None:
    if "system" in body and not _is_content(body["system"]):
        return "system: must be a string or a list of text blocks"
    if not isinstance(body.get("tools", []), list) or not all(isinstance(tool, dict) for tool in body.get("tools", [])):
        return "tools: must be a list of tools"
    for name in ("thinking", "tool_choice", "output_config"):
        if name in body and not isinstance(body[name], dict):
            return f"{name}: must be an object"
    return None


def fields(body: Body) -> str | None:
    """No field outside the documented ones, so no server-side threads either. From the docs, not from a live API."""
    extra = sorted(set(body) - FIELDS - set(SAMPLING))
    return f"{extra[0]}: extra inputs are not permitted" if extra else None


def known_model(body: Body) -> str | None:
    """The model exists and is not retired (404 otherwise). From the docs and the SDK's list, not from a live API."""
    model = MODELS.get(body["model"])
    return f"model: {body['model']}" if model is None or model.lifecycle == "retired" else None


# Numbers and switches.


def token_limit(body: Body) -> str | None:
    """max_tokens is above 0 and at most what the model can write (128k for the 5.x models).

    From the docs, not from a live API. The docs allow 0 to warm a cache; nobody here does, so 0 counts as a mistake.
    """
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool):
        return "max_tokens: an integer is required"
    if limit <= 0:
        return "max_tokens: must be greater than 0"
    most = MODELS[body["model"]].max_output_tokens
    return f"max_tokens: {limit} > {most}, the most that {body['model']} can write" if limit > most else None


def sampling(body: Body) -> str | None:
    """temperature, top_p and top_k are gone since API version 2026-10-21. From the docs, not from a live API."""
    sent = [name for name in SAMPLING if name in body]
    return f"{sent[0]}: sampling parameters are not supported" if sent else None


def thinking_type(body: Body) -> str | None:
    """thinking.type is one that the model accepts: Opus 5.5 and Fable 5.x always think, Sonnet 5.5 takes between_tools.

    From the docs, not from a live API.
    """
    thinking = body.get("thinking")
    if thinking is None:
        return None
    name, accepted = thinking.get("type"), MODELS[body["model"]].thinking_types
    if name not in accepted:
        return f"thinking.type.{name} is not supported for this model; it accepts {', '.join(sorted(accepted))}"
    return _thinking_budget(thinking, body["max_tokens"]) if name == "enabled" else None


def _thinking_budget(thinking: Body, max_tokens: int) -> str | None:
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or budget < MIN_THINKING_BUDGET:
        return f"thinking.budget_tokens: must be at least {MIN_THINKING_BUDGET}"
    return None if budget < max_tokens else "thinking.budget_tokens: must be less than max_tokens"


def effort(body: Body) -> str | None:
    """effort is a known level, and with thinking turned off at most high. From the docs, not from a live API."""
    level = body.get("output_config", {}).get("effort")
    if level is None:
        return None
    if level not in EFFORTS:
        return f"output_config.effort: must be one of {', '.join(EFFORTS)}"
    off = body.get("thinking", {}).get("type")
    if off in ("disabled", "between_tools") and level in ("xhigh", "max"):
        return f"output_config.effort: {level} is not supported with thinking.type.{off}"
    return None


# Who speaks when, and with which blocks.


def roles(body: Body) -> str | None:
    """The first message is the user's; a system message may only follow a user message. From the docs, not live."""
    spoken = [message["role"] for message in body["messages"]]
    for number, role in enumerate(spoken):
        if role not in ("user", "assistant", "system"):
            return f"messages.{number}.role: must be user, assistant or system"
        if role == "system" and (number == 0 or spoken[number - 1] != "user"):
            return f"messages.{number}.role: a system message must follow a user message"
    return None if spoken[0] == "user" else "messages.0.role: the first message must have the role user"


def no_empty_text(body: Body) -> str | None:
    """No text that is empty or only white space, in messages or in the system prompt. From the docs, not live."""
    for where, text in _texts(body):
        if not isinstance(text, str) or not text.strip():
            return f"{where}: text content blocks must be non-empty"
    return None


def _texts(body: Body) -> Iterator[tuple[str, object]]:
    for number, block in enumerate(blocks_of(body.get("system") or [])):
        yield f"system.{number}", block.get("text")
    for where, _, block in placed_blocks(body):
        if block["type"] == "text":
            yield where, block.get("text")
    for number, message in enumerate(body["messages"]):
        if not message["content"]:
            yield f"messages.{number}", ""


def block_places(body: Body) -> str | None:
    """Blocks stand with the role they belong to; since 2026-10-21 no document in an assistant message and no citations
    on a user's text. From the docs, not from a live API.
    """
    for where, role, block in placed_blocks(body):
        if block["type"] in ("tool_use", "thinking", "redacted_thinking") and role != "assistant":
            return f"{where}: a {block['type']} block can only stand in an assistant message"
        if block["type"] in ("tool_result", "image", "document") and role != "user":
            return f"{where}: a {block['type']} block can only stand in a user message"
        if block["type"] == "text" and role == "user" and block.get("citations"):
            return f"{where}.citations: not permitted on text in a user message"
    return None


def cache_marks(body: Body) -> str | None:
    """At most four cache_control marks, each ephemeral with a known ttl. From the docs, not from a live API."""
    marks = [block["cache_control"] for block in _markable(body) if block.get("cache_control")]
    if len(marks) > MAX_CACHE_MARKS:
        return f"cache_control: at most {MAX_CACHE_MARKS} blocks may carry it, found {len(marks)}"
    for mark in marks:
        if mark.get("type") != "ephemeral" or mark.get("ttl") not in CACHE_TTLS:
            return "cache_control: must be ephemeral with a ttl of 5m or 1h"
    return None


def _markable(body: Body) -> Iterator[Block]:
    yield body
    yield from body.get("tools", [])
    yield from blocks_of(body.get("system") or [])
    yield from (block for _, _, block in placed_blocks(body))


# Tools.


def declared_tools(body: Body) -> str | None:
    """Tools have unique names of the documented form and an object schema; strict ones have a closed schema.

    From the docs, not from a live API. Server tools are refused, because this server runs none.
    """
    seen: set[str] = set()
    for number, tool in enumerate(body.get("tools", [])):
        if text := _tool_fault(tool, seen):
            return f"tools.{number}.{text}"
        seen.add(tool["name"])
    return None


def _tool_fault(tool: Body, seen: set[str]) -> str | None:
    name, schema = tool.get("name"), tool.get("input_schema")
    if tool.get("type") not in (None, "custom"):
        return f"type: {tool['type']} is not a client tool"
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
        return f"name: must match {TOOL_NAME.pattern}"
    if name in seen:
        return f"name: {name} is declared twice"
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "input_schema.type: must be object"
    if {"oneOf", "anyOf", "allOf"} & set(schema):
        return "input_schema: oneOf, anyOf and allOf are not supported at the top level"
    return _schema_fault(schema, "input_schema") if tool.get("strict") else None


def tool_choice(body: Body) -> str | None:
    """tool_choice is a known kind, names a declared tool, and forces nothing on models that cannot be forced.

    From the docs (Opus 5.5, Sonnet 5.5 and Fable 5.x refuse any and tool), not from a live API.
    """
    choice = body.get("tool_choice")
    if choice is None:
        return None
    kind, names = choice.get("type"), [tool.get("name") for tool in body.get("tools", [])]
    if kind not in ("auto", "any", "tool", "none"):
        return "tool_choice.type: must be auto, any, tool or none"
    if kind in ("auto", "any", "tool") and not names:
        return "tool_choice: may only be given with tools"
    if kind == "tool" and choice.get("name") not in names:
        return f"tool_choice.name: no tool is called {choice.get('name')}"
    forced = kind in ("any", "tool")
    if forced and not MODELS[body["model"]].accepts_forced_tools:
        return f"tool_choice.type: {kind} is not supported for this model"
    return None


def tool_pairs(body: Body) -> str | None:
    """Every tool_use has its tool_result at the start of the next message, and no tool_result stands alone.

    From the docs, not from a live API.
    """
    open_calls: list[str] = []
    seen: set[str] = set()
    for number, message in enumerate(body["messages"]):
        blocks = blocks_of(message["content"])
        if text := _result_fault(blocks, open_calls):
            return f"messages.{number}: {text}"
        open_calls = [str(block.get("id")) for block in blocks if block["type"] == "tool_use"]
        if repeated := seen.intersection(open_calls):
            return f"messages.{number}: tool_use ids must be unique, {repeated.pop()} is not"
        seen.update(open_calls)
    return f"tool_use ids without tool_result in the next message: {', '.join(open_calls)}" if open_calls else None


def _result_fault(blocks: Sequence[Block], open_calls: Sequence[str]) -> str | None:
    answered = [str(block.get("tool_use_id")) for block in blocks if block["type"] == "tool_result"]
    if missing := [call for call in open_calls if call not in answered]:
        return f"tool_use ids without tool_result in the next message: {', '.join(missing)}"
    if orphans := [call for call in answered if call not in open_calls]:
        return f"unexpected tool_use_id in tool_result: {orphans[0]} has no tool_use in the previous message"
    if len(answered) != len(set(answered)):
        return "each tool_use must have a single tool_result"
    if any(block["type"] != "tool_result" for block in blocks[: len(answered)]):
        return "tool_result blocks must come before any other content"
    return None


# Structured output.


def output_format(body: Body) -> str | None:
    """output_config.format is a json_schema with closed objects and only supported keywords. From the docs, not live."""
    wanted = body.get("output_config", {}).get("format")
    if wanted is None:
        return None
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        return "output_config.format.type: must be json_schema"
    if not isinstance(wanted.get("schema"), dict) or not wanted["schema"]:
        return "output_config.format.schema: a JSON schema is required"
    return _schema_fault(wanted["schema"], "output_config.format.schema")


def _schema_fault(schema: Body, where: str) -> str | None:
    if unsupported := UNSUPPORTED_KEYWORDS & set(schema):
        return f"{where}: {min(unsupported)} is not supported"
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return f"{where}: additionalProperties must be false for an object"
    if schema.get("minItems") not in (None, 0, 1):
        return f"{where}: minItems must be 0 or 1"
    if not str(schema.get("$ref", "#/")).startswith("#/"):
        return f"{where}: $ref must point into the schema"
    for name, part in _subschemas(schema):
        if text := _schema_fault(part, f"{where}.{name}"):
            return text
    return None


def _subschemas(schema: Body) -> Iterator[tuple[str, Body]]:
    for group in ("properties", "$defs", "definitions"):
        yield from ((f"{group}.{name}", part) for name, part in schema.get(group, {}).items())
    for group in ("anyOf", "allOf"):
        yield from ((f"{group}.{number}", part) for number, part in enumerate(schema.get(group, [])))
    if isinstance(schema.get("items"), dict):
        yield "items", schema["items"]


BODY_RULES: tuple[Callable[[Body], str | None], ...] = (
    sampling,
    fields,
    known_model,
    token_limit,
    roles,
    block_places,
    no_empty_text,
    declared_tools,
    tool_choice,
    tool_pairs,
    thinking_type,
    effort,
    output_format,
    cache_marks,
)
THREAD_RULES: tuple[Callable[[Body, Issued], str | None], ...] = (
    prefill,
    thinking_unedited,
    thinking_kept,
    thinking_prefix,
)


def first_violation(body: object, issued: Issued, *, counting: bool = False) -> Violation | None:
    """The first rule that the request breaks, or None. `counting`: a count_tokens request, which has no max_tokens."""
    if text := shape(body):
        return Violation(rule="shape", text=text)
    assert isinstance(body, dict)
    checked = {
        "max_tokens": 128_000 if body["model"] not in MODELS else MODELS[body["model"]].max_output_tokens,
        **body,
    }
    subject = checked if counting else body
    for rule in BODY_RULES:
        if text := rule(subject):
            return Violation(rule=rule.__name__, text=text, status=404 if rule is known_model else 400)
    for thread_rule in THREAD_RULES:
        if text := thread_rule(subject, issued):
            return Violation(rule=thread_rule.__name__, text=text)
    return None


def model_of(body: Body) -> KnownModel:
    """The known model that a checked request names."""
    return MODELS[body["model"]]
