"""The local Messages API server, seen through the official client over a real socket.

Two things are kept here: that the server behaves as documented, and what the SDK makes of each fault, which is what the
code that uses the SDK must live with.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic
from pydantic import BaseModel

from tests.servers.messages_api import (
    Answer,
    AnswerLike,
    Cut,
    Drop,
    Empty,
    ErrorEvent,
    Hang,
    Malformed,
    MessagesServer,
    RedactedThinking,
    Status,
    Text,
    Thinking,
    ToolUse,
    Truncated,
    Usage,
    anything,
    user_says,
)

HAIKU, SONNET, OPUS, FABLE = "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5-2"
HELLO = {"role": "user", "content": "Hello there"}
LOOK_UP = {"name": "look_up", "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}}}
SHOWN = {"type": "adaptive", "display": "summarized"}


@pytest.fixture
async def server() -> AsyncIterator[MessagesServer]:
    async with MessagesServer() as running:
        yield running


@pytest.fixture
async def client(server: MessagesServer) -> AsyncIterator[AsyncAnthropic]:
    async with client_of(server) as made:
        yield made


def client_of(server: MessagesServer, **options: Any) -> AsyncAnthropic:
    # Without verify=False every client reads the certificate store, a third of the whole run, for plain http.
    http = anthropic.DefaultAsyncHttpxClient(verify=False)
    chosen = {"api_key": "sk-test", "max_retries": 0, "timeout": 5.0, "http_client": http, **options}
    return AsyncAnthropic(base_url=server.url, **chosen)


def request(**changes: Any) -> dict[str, Any]:
    return {"model": HAIKU, "max_tokens": 1000, "messages": [HELLO], **changes}


async def ask(client: AsyncAnthropic, streaming: bool, **changes: Any) -> anthropic.types.Message:
    """One message, by messages.create or by messages.stream."""
    if not streaming:
        return await client.messages.create(**request(**changes))
    async with client.messages.stream(**request(**changes)) as stream:
        return await stream.get_final_message()


async def post(client: AsyncAnthropic, body: dict[str, Any]) -> Any:
    """Sends a body as it stands, past the checks that the SDK makes by its signatures."""
    return await client.post("/v1/messages", body=body, cast_to=object)


both_ways = pytest.mark.parametrize("streaming", [False, True], ids=["json", "stream"])


# Answers.


@both_ways
async def test_what_nothing_was_scripted_for_is_echoed(client: AsyncAnthropic, streaming: bool) -> None:
    message = await ask(client, streaming)
    assert [block.text for block in message.content] == ["Hello there"]
    assert (message.role, message.model, message.stop_reason) == ("assistant", HAIKU, "end_turn")
    assert message.stop_details is None


ANSWERS: dict[str, AnswerLike] = {
    "text": Text("Grüße, in a text long enough to be cut into several deltas, 日本語 included."),
    "two texts": [Text("One."), Text("Two.")],
    "tool call": ToolUse("look_up", {"name": "Ada", "nested": {"a": [1, None, "ä"]}}),
    "parallel tool calls": [ToolUse("look_up", {"name": "Ada"}), ToolUse("look_up", {"name": "Grace"})],
    "tool call without arguments": ToolUse("look_up"),
    "text and tool call": [Text("I look."), ToolUse("look_up", {"name": "Ada"})],
    "thinking and text": [Thinking("Let me see, this takes a few words of thought."), Text("Yes.")],
    "redacted thinking": [RedactedThinking(), Text("Yes.")],
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
async def test_a_stream_adds_up_to_the_message_sent_whole(
    server: MessagesServer, client: AsyncAnthropic, answer: AnswerLike
) -> None:
    server.script(HAIKU, answer, answer)
    whole, streamed = [await ask(client, way, tools=[LOOK_UP], thinking=SHOWN) for way in (False, True)]
    made_up = {"id", "signature", "data", "parsed_output"}
    assert [block.to_dict().keys() - made_up for block in streamed.content] == [
        block.to_dict().keys() - made_up for block in whole.content
    ]
    for one, other in zip(whole.content, streamed.content, strict=True):
        assert other.model_dump(exclude=made_up) == one.model_dump(exclude=made_up)
    assert (streamed.usage.output_tokens, streamed.stop_reason) == (whole.usage.output_tokens, whole.stop_reason)


async def test_the_events_of_a_stream_come_in_the_documented_order(
    server: MessagesServer, client: AsyncAnthropic
) -> None:
    server.script(HAIKU, [Thinking("Hm."), Text("Short."), ToolUse("look_up", {"name": "Ada"})])
    async with client.messages.with_streaming_response.create(
        **request(stream=True, thinking=SHOWN, tools=[LOOK_UP])
    ) as response:
        lines = [line async for line in response.iter_lines()]
    data = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert [line.removeprefix("event: ") for line in lines if line.startswith("event: ")] == [e["type"] for e in data]
    assert [event["delta"]["type"] if "index" in event and "delta" in event else event["type"] for event in data] == [
        "message_start",
        *("content_block_start", "ping", "thinking_delta", "signature_delta", "content_block_stop"),
        *("content_block_start", "text_delta", "content_block_stop"),
        *("content_block_start", "input_json_delta", "input_json_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    ]


@both_ways
async def test_usage_is_exactly_what_was_scripted(
    server: MessagesServer, client: AsyncAnthropic, streaming: bool
) -> None:
    usage = Usage(input_tokens=12, output_tokens=34, cache_read_tokens=56, cache_write_tokens=78)
    server.script(HAIKU, Answer([Text("Counted.")], usage=usage))
    counted = (await ask(client, streaming)).usage
    assert (counted.input_tokens, counted.output_tokens) == (12, 34)
    assert (counted.cache_read_input_tokens, counted.cache_creation_input_tokens) == (56, 78)


STOPS = ["end_turn", "max_tokens", "stop_sequence", "refusal", "pause_turn", "model_context_window_exceeded"]


@both_ways
@pytest.mark.parametrize("reason", STOPS)
async def test_every_stop_reason_arrives(
    server: MessagesServer, client: AsyncAnthropic, streaming: bool, reason: str
) -> None:
    server.script(HAIKU, Answer([Text("As far as")], stop_reason=reason))
    assert (await ask(client, streaming)).stop_reason == reason


@both_ways
async def test_a_refusal_names_its_category(server: MessagesServer, client: AsyncAnthropic, streaming: bool) -> None:
    server.script(HAIKU, Answer([], stop_reason="refusal", refusal_category="cyber"))
    message = await ask(client, streaming)
    assert message.content == []
    assert message.stop_details is not None
    assert message.stop_details.category == "cyber"


@both_ways
async def test_a_megabyte_of_text_arrives_whole(
    server: MessagesServer, client: AsyncAnthropic, streaming: bool
) -> None:
    text = "0123456789abcdef" * 65_536
    server.script(HAIKU, Text(text))
    assert (await ask(client, streaming)).content[0].text == text


async def test_structured_output_is_parsed(server: MessagesServer, client: AsyncAnthropic) -> None:
    class Verdict(BaseModel):
        urgent: bool
        reason: str | None = None

    server.script(HAIKU, Text('{"urgent": true, "reason": "it burns"}'))
    parsed = await client.messages.parse(**request(), output_format=Verdict)
    assert parsed.parsed_output == Verdict(urgent=True, reason="it burns")
    assert server.requests[0].body["output_config"]["format"]["type"] == "json_schema"


async def test_a_tool_turn_goes_round(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, [Thinking("Who?"), ToolUse("look_up", {"name": "Ada"})], Text("She wrote the first program."))
    messages: list[Any] = [HELLO]
    first = await ask(client, True, messages=messages, tools=[LOOK_UP])
    assert first.stop_reason == "tool_use"
    call = first.content[1]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Ada Lovelace, 1843"}
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    last = await ask(client, True, messages=messages, tools=[LOOK_UP])
    assert last.content[0].text == "She wrote the first program."
    assert server.refused == []


THINKING_SHOWN = {
    "haiku hides it": (HAIKU, None, [""]),
    "haiku summarizes on request": (HAIKU, SHOWN, ["Hm."]),
    "haiku may turn it off": (HAIKU, {"type": "disabled"}, []),
    "opus hides it": (OPUS, None, [""]),
    "sonnet has none before tools": (SONNET, {"type": "between_tools"}, []),
    "opus 4.6 shows it": ("claude-opus-4-6", {"type": "adaptive"}, ["Hm."]),
    "opus 4.8 does not think unasked": ("claude-opus-4-8", None, []),
}


@pytest.mark.parametrize(("model", "thinking", "shown"), THINKING_SHOWN.values(), ids=THINKING_SHOWN.keys())
async def test_thinking_shows_where_model_and_request_let_it(
    server: MessagesServer, client: AsyncAnthropic, model: str, thinking: dict[str, str] | None, shown: list[str]
) -> None:
    server.script(model, [Thinking("Hm."), Text("Yes.")])
    message = await post(client, request(model=model, **({"thinking": thinking} if thinking else {})))
    assert [block["thinking"] for block in message["content"] if block["type"] == "thinking"] == shown


@pytest.mark.parametrize(("model", "kinds"), [(OPUS, ["thinking", "tool_use"]), (HAIKU, ["text", "tool_use"])])
async def test_text_between_tool_calls_becomes_thinking_on_opus(
    server: MessagesServer, client: AsyncAnthropic, model: str, kinds: list[str]
) -> None:
    server.script(model, ToolUse("look_up"), [Text("One more look."), ToolUse("look_up")])
    messages = await through_a_tool_call(client, model=model)
    message = await ask(client, False, model=model, messages=messages, tools=[LOOK_UP])
    assert [block.type for block in message.content] == kinds


async def test_text_before_the_first_tool_call_stays_text(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(OPUS, [Text("I look."), ToolUse("look_up")])
    message = await ask(client, False, model=OPUS, tools=[LOOK_UP])
    assert [block.type for block in message.content] == ["text", "tool_use"]


async def test_sonnet_shows_what_it_thinks_between_tools(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(SONNET, ToolUse("look_up"), [Text("One more look."), ToolUse("look_up")])
    quiet: dict[str, Any] = {"model": SONNET, "thinking": {"type": "between_tools"}, "tools": [LOOK_UP]}
    messages = await through_a_tool_call(client, **quiet)
    message = await ask(client, False, messages=messages, **quiet)
    assert message.content[0].thinking == "One more look."


# Other endpoints.


async def test_tokens_are_counted(server: MessagesServer, client: AsyncAnthropic) -> None:
    short = await client.messages.count_tokens(model=HAIKU, messages=[HELLO])
    long = await client.messages.count_tokens(model=HAIKU, messages=[HELLO], system="You are brief. " * 100)
    assert 0 < short.input_tokens < long.input_tokens
    server.token_counter = lambda body: 4711
    assert (await client.messages.count_tokens(model=HAIKU, messages=[HELLO])).input_tokens == 4711
    assert (await ask(client, False)).usage.input_tokens == 4711


async def test_counting_tokens_holds_to_the_rules(client: AsyncAnthropic) -> None:
    with pytest.raises(anthropic.BadRequestError, match="first message"):
        await client.messages.count_tokens(model=HAIKU, messages=[{"role": "assistant", "content": "Hi"}, HELLO])


async def test_models_are_listed_page_by_page(client: AsyncAnthropic) -> None:
    listed = [model.id async for model in client.models.list(limit=5)]
    assert {HAIKU, SONNET, OPUS, FABLE} < set(listed)
    assert len(listed) == len(set(listed)) > 5
    assert "claude-mythos-preview" not in listed, "retired models are listed on request alone"


async def test_a_model_tells_what_it_can_do(client: AsyncAnthropic) -> None:
    opus, haiku = await client.models.retrieve(OPUS), await client.models.retrieve(HAIKU)
    assert (opus.line, opus.max_tokens, opus.lifecycle, opus.retires_at) == ("opus", 128_000, "active", None)
    assert opus.capabilities is not None
    assert haiku.capabilities is not None
    assert not opus.capabilities.thinking.types.disabled.supported
    assert haiku.capabilities.thinking.types.disabled.supported
    retiring = await client.models.retrieve("claude-opus-4-5")
    assert retiring.retires_at is not None
    with pytest.raises(anthropic.NotFoundError):
        await client.models.retrieve("claude-none")


async def test_an_unknown_path_gets_an_error_of_the_api_s_shape(client: AsyncAnthropic) -> None:
    with pytest.raises(anthropic.NotFoundError) as caught:
        await client.post("/v1/nothing", body={}, cast_to=object)
    assert caught.value.type == "not_found_error"


# Keys and headers.


async def test_only_a_configured_key_is_let_in() -> None:
    async with (
        MessagesServer(keys={"sk-good"}) as server,
        client_of(server, api_key="sk-good") as good,
        client_of(server, api_key="sk-bad") as bad,
    ):
        await ask(good, False)
        with pytest.raises(anthropic.AuthenticationError):
            await ask(bad, False)
        with pytest.raises(anthropic.AuthenticationError):
            await bad.models.retrieve(HAIKU)


KEYS = {
    "bearer": ({"authorization": "Bearer sk-x"}, 200),
    "x-api-key": ({"x-api-key": "sk-x"}, 200),
    "none": ({}, 401),
    "empty bearer": ({"authorization": "Bearer"}, 401),
    "another scheme": ({"authorization": "Basic c2stOng="}, 401),
}


@pytest.mark.parametrize(("headers", "status"), KEYS.values(), ids=KEYS.keys())
async def test_a_key_comes_as_bearer_or_as_x_api_key(
    server: MessagesServer, headers: dict[str, str], status: int
) -> None:
    async with httpx2.AsyncClient(base_url=server.url) as plain:
        sent = {"anthropic-version": "2026-10-21", **headers}
        assert (await plain.post("/v1/messages", json=request(), headers=sent)).status_code == status


async def test_keys_are_not_kept(server: MessagesServer, client: AsyncAnthropic) -> None:
    await ask(client, False)
    assert "sk-test" not in str(server.requests)
    assert server.requests[0].headers["authorization"] == "redacted"
    assert server.requests[0].headers["anthropic-version"] == "2026-10-21"


PLAIN = {
    "no version": ({}, json.dumps(request()), "anthropic-version"),
    "a version that never was": ({"anthropic-version": "2020-01-01"}, json.dumps(request()), "anthropic-version"),
    "no JSON": ({"anthropic-version": "2026-10-21"}, "{'model'", "not valid JSON"),
    "no object": ({"anthropic-version": "2026-10-21"}, "[]", "must be a JSON object"),
}


@pytest.mark.parametrize(("headers", "content", "text"), PLAIN.values(), ids=PLAIN.keys())
async def test_what_the_sdk_never_sends_is_refused_too(
    server: MessagesServer, headers: dict[str, str], content: str, text: str
) -> None:
    async with httpx2.AsyncClient(base_url=server.url, headers={"x-api-key": "sk-x"}) as plain:
        response = await plain.post("/v1/messages", content=content, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["type"] == "invalid_request_error"
    assert text in response.json()["error"]["message"]


async def test_errors_and_answers_carry_a_request_id(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Status(500))
    with pytest.raises(anthropic.InternalServerError) as caught:
        await ask(client, False)
    assert caught.value.request_id == caught.value.response.json()["request_id"]
    answer = await ask(client, False)
    assert answer._request_id not in (None, caught.value.request_id)


async def test_a_body_over_the_limit_gets_413() -> None:
    async with MessagesServer(max_body_bytes=100_000) as server, client_of(server) as client:
        with pytest.raises(anthropic.ContentTooLargeError) as caught:
            await ask(client, False, system="x" * 1_000_000)
        assert caught.value.type == "request_too_large"
        await ask(client, False, system="x" * 50_000)


# The rules. Each case breaks one rule and no other.


def said(*blocks: dict[str, Any], role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def tool(**changes: Any) -> list[dict[str, Any]]:
    return [{**LOOK_UP, **changes}]


def call(name: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look_up", "input": {}}


def result(name: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": "found"}


def wanted(**schema: Any) -> dict[str, Any]:
    return {"format": {"type": "json_schema", "schema": schema}}


ANSWERED = {"role": "assistant", "content": "Hi."}
MARK = {"cache_control": {"type": "ephemeral"}}
DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}

BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "temperature": ("sampling", {"temperature": 0.2}),
    "top_p": ("sampling", {"top_p": 0.9}),
    "top_k": ("sampling", {"top_k": 40}),
    "a server-side thread": ("fields", {"thread": {"type": "create"}}),
    "no model": ("shape", {"model": None}),
    "no messages": ("shape", {"messages": []}),
    "messages that are no list": ("shape", {"messages": "Hi"}),
    "a message that is no object": ("shape", {"messages": ["Hi"]}),
    "content that is a number": ("shape", {"messages": [{"role": "user", "content": 5}]}),
    "a block that is no object": ("shape", {"messages": [{"role": "user", "content": ["Hi"]}]}),
    "a system prompt that is a number": ("shape", {"system": 5}),
    "a tool that is no object": ("shape", {"tools": ["look_up"]}),
    "a message without role": ("shape", {"messages": [{"content": "Hi"}]}),
    "content of no known shape": ("shape", {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]}),
    "tools that are no list": ("shape", {"tools": {}}),
    "a thinking switch that is no object": ("shape", {"thinking": "disabled"}),
    "an unknown model": ("known_model", {"model": "claude-haiku-9"}),
    "a retired model": ("known_model", {"model": "claude-mythos-preview"}),
    "no max_tokens": ("token_limit", {"max_tokens": None}),
    "max_tokens 0": ("token_limit", {"max_tokens": 0}),
    "max_tokens true": ("token_limit", {"max_tokens": True}),
    "max_tokens below 0": ("token_limit", {"max_tokens": -1}),
    "max_tokens above 128k": ("token_limit", {"max_tokens": 128_001}),
    "max_tokens above 64k on 4.5": ("token_limit", {"model": "claude-haiku-4-5", "max_tokens": 64_001}),
    "the assistant first": ("roles", {"messages": [ANSWERED, HELLO]}),
    "an unknown role": ("roles", {"messages": [HELLO, {"role": "tool", "content": "x"}]}),
    "a system message first": ("roles", {"messages": [{"role": "system", "content": "x"}, HELLO]}),
    "a system message after the assistant": (
        "roles",
        {"messages": [HELLO, ANSWERED, {"role": "system", "content": "x"}]},
    ),
    "prefill": ("prefill", {"messages": [HELLO, ANSWERED]}),
    "prefill on opus": ("prefill", {"model": OPUS, "messages": [HELLO, ANSWERED]}),
    "an empty text": ("no_empty_text", {"messages": [said(text("Hi"), text(""))]}),
    "a blank text": ("no_empty_text", {"messages": [said(text(" \n"))]}),
    "a text that is a number": ("no_empty_text", {"messages": [said({"type": "text", "text": 5})]}),
    "an empty message": ("no_empty_text", {"messages": [{"role": "user", "content": ""}]}),
    "a message without blocks": ("no_empty_text", {"messages": [said()]}),
    "an empty system block": ("no_empty_text", {"system": [text("")]}),
    "a document of the assistant": ("block_places", {"messages": [HELLO, said(DOCUMENT, role="assistant"), HELLO]}),
    "citations on a user's text": ("block_places", {"messages": [said(text("Hi", citations=[{"type": "x"}]))]}),
    "a tool call of the user": ("block_places", {"messages": [said(call())]}),
    "a tool result of the assistant": ("block_places", {"messages": [HELLO, said(result(), role="assistant"), HELLO]}),
    "a tool name with a space": ("declared_tools", {"tools": tool(name="look up")}),
    "a tool name too long": ("declared_tools", {"tools": tool(name="x" * 65)}),
    "a tool without name": ("declared_tools", {"tools": tool(name=None)}),
    "a tool of the provider's": ("declared_tools", {"tools": tool(type="bash_20250124")}),
    "a tool without schema": ("declared_tools", {"tools": [{"name": "look_up"}]}),
    "a tool schema that is no object": ("declared_tools", {"tools": tool(input_schema={"type": "string"})}),
    "a tool schema with a choice on top": (
        "declared_tools",
        {"tools": tool(input_schema={"type": "object", "anyOf": [{"required": ["a"]}]})},
    ),
    "a strict tool with an open schema": ("declared_tools", {"tools": tool(strict=True)}),
    "one tool twice": ("declared_tools", {"tools": tool() + tool()}),
    "a server tool": ("declared_tools", {"tools": [{"type": "web_search_20260318", "name": "web_search"}]}),
    "an unknown tool choice": ("tool_choice", {"tools": tool(), "tool_choice": {"type": "must"}}),
    "a tool choice without tools": ("tool_choice", {"tool_choice": {"type": "auto"}}),
    "a choice of no declared tool": (
        "tool_choice",
        {"tools": tool(), "tool_choice": {"type": "tool", "name": "other"}},
    ),
    **{
        f"{model} forced by {choice['type']}": (
            "tool_choice",
            {"model": model, "tools": tool(), "tool_choice": choice},
        )
        for model in (OPUS, SONNET, FABLE)
        for choice in ({"type": "any"}, {"type": "tool", "name": "look_up"})
    },
    "a call without result": ("tool_pairs", {"messages": [HELLO, said(call(), role="assistant"), HELLO]}),
    "a call at the very end": ("tool_pairs", {"messages": [HELLO, said(call(), role="assistant")]}),
    "one of two calls without result": (
        "tool_pairs",
        {"messages": [HELLO, said(call("a"), call("b"), role="assistant"), said(result("a"))]},
    ),
    "a result without call": ("tool_pairs", {"messages": [HELLO, ANSWERED, said(result())]}),
    "a result given twice": (
        "tool_pairs",
        {"messages": [HELLO, said(call(), role="assistant"), said(result(), result())]},
    ),
    "a result after text": (
        "tool_pairs",
        {"messages": [HELLO, said(call(), role="assistant"), said(text("Here:"), result())]},
    ),
    "a result too late": (
        "tool_pairs",
        {"messages": [HELLO, said(call(), role="assistant"), HELLO, ANSWERED, said(result())]},
    ),
    "one call id twice": (
        "tool_pairs",
        {"messages": [HELLO, *2 * [said(call(), role="assistant"), said(result())]]},
    ),
    "thinking disabled on opus": ("thinking_type", {"model": OPUS, "thinking": {"type": "disabled"}}),
    "thinking disabled on fable": ("thinking_type", {"model": FABLE, "thinking": {"type": "disabled"}}),
    "thinking disabled on sonnet": ("thinking_type", {"model": SONNET, "thinking": {"type": "disabled"}}),
    "a thinking budget on haiku": (
        "thinking_type",
        {"thinking": {"type": "enabled", "budget_tokens": 2000}, "max_tokens": 4000},
    ),
    "a thinking budget too small": (
        "thinking_type",
        {"model": "claude-haiku-4-5", "thinking": {"type": "enabled", "budget_tokens": 100}},
    ),
    "no thinking budget": ("thinking_type", {"model": "claude-haiku-4-5", "thinking": {"type": "enabled"}}),
    "a thinking budget over max_tokens": (
        "thinking_type",
        {"model": "claude-haiku-4-5", "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    "an unknown effort": ("effort", {"output_config": {"effort": "extreme"}}),
    "much effort without thinking": (
        "effort",
        {"thinking": {"type": "disabled"}, "output_config": {"effort": "xhigh"}},
    ),
    "much effort between tools": (
        "effort",
        {"model": SONNET, "thinking": {"type": "between_tools"}, "output_config": {"effort": "max"}},
    ),
    "a format that is no json_schema": ("output_format", {"output_config": {"format": {"type": "json"}}}),
    "a format without schema": ("output_format", {"output_config": {"format": {"type": "json_schema"}}}),
    "a format that is a word": ("output_format", {"output_config": {"format": "json"}}),
    "a format without type": ("output_format", {"output_config": {"format": {"schema": {"type": "string"}}}}),
    "an empty schema": ("output_format", {"output_config": wanted()}),
    "an open object": ("output_format", {"output_config": wanted(type="object", properties={})}),
    "an open object within": (
        "output_format",
        {
            "output_config": wanted(
                type="object", additionalProperties=False, properties={"a": {"type": "object", "properties": {}}}
            )
        },
    ),
    "a limit in a schema": ("output_format", {"output_config": wanted(type="array", items={"minimum": 1})}),
    "a long list asked for": ("output_format", {"output_config": wanted(type="array", minItems=2)}),
    "a schema from elsewhere": ("output_format", {"output_config": wanted(**{"$ref": "other.json"})}),
    "five cache marks": ("cache_marks", {"system": [text(str(n), **MARK) for n in range(5)]}),
    "an unknown ttl": ("cache_marks", {"cache_control": {"type": "ephemeral", "ttl": "2h"}}),
    "an unknown cache": ("cache_marks", {"cache_control": {"type": "eternal"}}),
}


@pytest.mark.parametrize(("rule", "changes"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_request_against_the_rules_is_refused(
    server: MessagesServer, client: AsyncAnthropic, rule: str, changes: dict[str, Any]
) -> None:
    missing = anthropic.NotFoundError if rule == "known_model" else anthropic.BadRequestError
    server.script(anything, Text("never to be used"))
    with pytest.raises(missing) as caught:
        await post(client, {name: value for name, value in request(**changes).items() if value is not None})
    [refused] = server.refused
    assert refused.violation is not None
    assert refused.violation.rule == rule
    assert caught.value.api_message == refused.violation.text
    assert len(server.unused_answers) == 1


KEPT: dict[str, dict[str, Any]] = {
    "haiku without thinking": {"thinking": {"type": "disabled"}, "output_config": {"effort": "low"}},
    "sonnet thinking between tools": {"model": SONNET, "thinking": {"type": "between_tools"}},
    "opus at full effort": {"model": OPUS, "output_config": {"effort": "max"}},
    "haiku forced": {"tools": tool(), "tool_choice": {"type": "tool", "name": "look_up"}},
    "opus free to choose": {"model": OPUS, "tools": tool(), "tool_choice": {"type": "auto"}},
    "opus without tools for once": {"model": OPUS, "tools": tool(), "tool_choice": {"type": "none"}},
    "no tools and none to use": {"tool_choice": {"type": "none"}},
    "texts as the sdk hands them back": {
        "messages": [said(text("Hi", citations=None)), said(text("Hi.", citations=[{}]), role="assistant"), HELLO]
    },
    "prefill on an old model": {"model": "claude-haiku-4-5", "messages": [HELLO, ANSWERED]},
    "a budget on an old model": {
        "model": "claude-haiku-4-5",
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "max_tokens": 2000,
    },
    "128k tokens": {"max_tokens": 128_000},
    "users in a row": {"messages": [HELLO, HELLO]},
    "a system message after the user": {"messages": [HELLO, {"role": "system", "content": "Be brief."}]},
    "results before text": {"messages": [HELLO, said(call(), role="assistant"), said(result(), text("So?"))]},
    "a result without content": {
        "messages": [
            HELLO,
            said(call(), role="assistant"),
            said({"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True}),
        ]
    },
    "two calls and their results": {
        "messages": [HELLO, said(call("a"), call("b"), role="assistant"), said(result("b"), result("a"))]
    },
    "four cache marks": {"system": [text(str(n), **MARK) for n in range(4)]},
    "a strict tool": {
        "tools": tool(strict=True, input_schema={"type": "object", "properties": {}, "additionalProperties": False})
    },
    "a closed schema": {
        "output_config": wanted(
            type="object",
            additionalProperties=False,
            properties={"a": {"type": "array", "items": {"$ref": "#/$defs/B"}, "minItems": 1}},
            **{"$defs": {"B": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        )
    },
}


@pytest.mark.parametrize("changes", KEPT.values(), ids=KEPT.keys())
async def test_a_request_within_the_rules_is_answered(client: AsyncAnthropic, changes: dict[str, Any]) -> None:
    assert (await post(client, request(**changes)))["type"] == "message"


async def test_a_paused_turn_may_come_back_last(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Answer([Text("So far.")], stop_reason="pause_turn"), Text("And on."))
    paused = await ask(client, False)
    handed_back = {"role": "assistant", "content": paused.content}
    assert (await ask(client, False, messages=[HELLO, handed_back])).content[0].text == "And on."
    with pytest.raises(anthropic.BadRequestError, match="prefill"):
        await ask(client, False, messages=[HELLO, {"role": "assistant", "content": "So near."}])


# Thinking that comes back.


async def through_a_tool_call(client: AsyncAnthropic, **changes: Any) -> list[dict[str, Any]]:
    """Asks, takes the tool call that comes, and returns the history with the call and its result."""
    asked = request(**{"tools": [LOOK_UP], **changes})
    answer = await client.messages.create(**asked)
    used = next(block for block in answer.content if block.type == "tool_use")
    content = [block.to_dict() for block in answer.content]
    return [*asked["messages"], {"role": "assistant", "content": content}, said(result(used.id))]


def untouched(body: dict[str, Any]) -> None:
    """Nothing is changed."""


def edit_thinking(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][0]["thinking"] = "Something else."


def forge_signature(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][0]["signature"] = "sig_forged"


def leave_thinking_out(body: dict[str, Any]) -> None:
    del body["messages"][1]["content"][0]


def swap_thinking(body: dict[str, Any]) -> None:
    blocks = body["messages"][1]["content"]
    blocks[0], blocks[1] = blocks[1], blocks[0]


def change_system(body: dict[str, Any]) -> None:
    body["system"] = "It is now 12:01."


def change_tools(body: dict[str, Any]) -> None:
    body["tools"] = [{**LOOK_UP, "description": "new"}]


def change_history(body: dict[str, Any]) -> None:
    body["messages"][0] = {"role": "user", "content": "Hello here"}


def move_cache_mark(body: dict[str, Any]) -> None:
    body["messages"][0] = said(text("Hello there", **MARK))


def change_model(body: dict[str, Any]) -> None:
    body["model"] = SONNET


def begin_a_new_turn_without_thinking(body: dict[str, Any]) -> None:
    body["messages"][1]["content"] = [b for b in body["messages"][1]["content"] if b["type"] != "thinking"]
    body["messages"] += [ANSWERED, HELLO]


def forge_redacted(body: dict[str, Any]) -> None:
    body["messages"][1]["content"][1]["data"] = "redacted_forged"


def split_the_question(body: dict[str, Any]) -> None:
    body["messages"] = [said(text("Hello")), said(text("there")), *body["messages"][1:]]


def join_the_question(body: dict[str, Any]) -> None:
    body["messages"] = [said(text("Hello"), text("there")), *body["messages"][2:]]


def write_the_result_as_a_block(body: dict[str, Any]) -> None:
    body["messages"][3]["content"][0]["content"] = [text("found")]


def stop_thinking(body: dict[str, Any]) -> None:
    body["thinking"] = {"type": "disabled"}
    leave_thinking_out(body)


BROKEN_THREADS = [
    (edit_thinking, "thinking_unedited"),
    (forge_signature, "thinking_unedited"),
    (forge_redacted, "thinking_unedited"),
    (leave_thinking_out, "thinking_kept"),
    (swap_thinking, "thinking_kept"),
    (change_system, "thinking_prefix"),
    (change_tools, "thinking_prefix"),
    (change_history, "thinking_prefix"),
    (split_the_question, "thinking_prefix"),
]
THREAD = {"system": "It is now 12:00.", "tools": [LOOK_UP]}


def named(value: Any) -> str:
    return getattr(value, "__name__", str(value))


@pytest.mark.parametrize("model", [HAIKU, OPUS])
@pytest.mark.parametrize(("change", "rule"), BROKEN_THREADS, ids=named)
async def test_a_thread_whose_thinking_was_touched_is_refused(
    server: MessagesServer, client: AsyncAnthropic, model: str, change: Any, rule: str
) -> None:
    server.script(model, [Thinking("One."), RedactedThinking(), ToolUse("look_up")])
    body = request(model=model, **THREAD, messages=await through_a_tool_call(client, model=model, **THREAD))
    change(body)
    with pytest.raises(anthropic.BadRequestError, match="thinking"):
        await post(client, body)
    assert [request.violation.rule for request in server.refused if request.violation] == [rule]


WHOLE_THREADS = [
    (OPUS, untouched),
    (OPUS, move_cache_mark),
    (OPUS, change_model),
    (OPUS, begin_a_new_turn_without_thinking),
    ("claude-opus-5", change_system),
    (HAIKU, stop_thinking),
]


@pytest.mark.parametrize(("model", "change"), WHOLE_THREADS, ids=named)
async def test_a_thread_that_was_only_added_to_goes_on(
    server: MessagesServer, client: AsyncAnthropic, model: str, change: Any
) -> None:
    server.script(model, [Thinking("One."), ToolUse("look_up")])
    body = request(model=model, **THREAD, messages=await through_a_tool_call(client, model=model, **THREAD))
    change(body)
    assert (await post(client, body))["stop_reason"] == "end_turn"


@pytest.mark.parametrize("change", [untouched, join_the_question, write_the_result_as_a_block], ids=named)
async def test_other_spellings_of_the_same_thread_go_on(
    server: MessagesServer, client: AsyncAnthropic, change: Any
) -> None:
    server.script(OPUS, [Thinking("One."), ToolUse("look_up")], [Thinking("Two."), ToolUse("look_up")])
    questions = [{"role": "user", "content": "Hello"}, {"role": "user", "content": "there"}]
    messages = await through_a_tool_call(client, model=OPUS, messages=questions)
    messages = await through_a_tool_call(client, model=OPUS, messages=messages)
    body = request(model=OPUS, tools=[LOOK_UP], messages=messages)
    change(body)
    assert (await post(client, body))["stop_reason"] == "end_turn"


# Faults, and what the SDK makes of them.

STATUSES: dict[str, tuple[Status, type[anthropic.APIStatusError], str]] = {
    "400": (Status(400), anthropic.BadRequestError, "invalid_request_error"),
    "401": (Status(401), anthropic.AuthenticationError, "authentication_error"),
    "403": (Status(403), anthropic.PermissionDeniedError, "permission_error"),
    "404": (Status(404), anthropic.NotFoundError, "not_found_error"),
    "413": (Status(413), anthropic.ContentTooLargeError, "request_too_large"),
    "429": (Status(429, retry_after_s=90), anthropic.RateLimitError, "rate_limit_error"),
    "500": (Status(500), anthropic.InternalServerError, "api_error"),
    "503": (Status(503), anthropic.ServiceUnavailableError, "api_error"),
    "504": (Status(504), anthropic.GatewayTimeoutError, "timeout_error"),
    "529": (Status(529), anthropic.OverloadedError, "overloaded_error"),
    "billing": (Status(402, error_type="billing_error"), anthropic.PaymentRequiredError, "billing_error"),
}


@both_ways
@pytest.mark.parametrize(("fault", "raised", "error_type"), STATUSES.values(), ids=STATUSES.keys())
async def test_an_error_status_is_raised_as_its_class(
    server: MessagesServer,
    client: AsyncAnthropic,
    streaming: bool,
    fault: Status,
    raised: type[anthropic.APIStatusError],
    error_type: str,
) -> None:
    server.script(HAIKU, fault)
    with pytest.raises(raised) as caught:
        await ask(client, streaming)
    assert type(caught.value) is raised
    assert (caught.value.status_code, caught.value.type) == (fault.status, error_type)
    assert server.requests[0].status == fault.status


async def test_retry_after_is_sent_as_scripted(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Status(429, retry_after_s=90))
    with pytest.raises(anthropic.RateLimitError) as caught:
        await ask(client, False)
    assert caught.value.response.headers["retry-after"] == "90"


async def test_a_client_that_retries_comes_through(server: MessagesServer) -> None:
    server.script(HAIKU, Status(429, retry_after_s=0.01), Status(529, retry_after_s=0.01), Text("Third time."))
    async with client_of(server, max_retries=2) as client:
        assert (await ask(client, False)).content[0].text == "Third time."
    assert [request.status for request in server.requests] == [429, 529, 200]


TWO_PIECES = Answer([Text("All is well, you think")], chunk_chars=11)
CONNECTION, REFUSED_JSON = anthropic.APIConnectionError, json.JSONDecodeError
FAULTS: dict[str, tuple[AnswerLike, type[Exception], type[Exception]]] = {
    # name: the fault, what create raises, what stream raises
    "closed before the answer": (Drop(), CONNECTION, CONNECTION),
    "reset before the answer": (Drop(reset=True), CONNECTION, CONNECTION),
    "reset midway": (Cut(), CONNECTION, httpx2.ReadError),
    "closed midway": (Cut(reset=False), CONNECTION, httpx2.RemoteProtocolError),
    "broken JSON": (Malformed(), REFUSED_JSON, REFUSED_JSON),
    "an error event": (ErrorEvent(), anthropic.OverloadedError, anthropic.APIStatusError),
    "nothing at all": (Empty(), REFUSED_JSON, AssertionError),
}


@both_ways
@pytest.mark.parametrize(("fault", "whole", "streamed"), FAULTS.values(), ids=FAULTS.keys())
async def test_a_fault_is_raised_as_the_sdk_raises_it(
    server: MessagesServer,
    client: AsyncAnthropic,
    streaming: bool,
    fault: AnswerLike,
    whole: type[Exception],
    streamed: type[Exception],
) -> None:
    server.script(HAIKU, fault)
    with pytest.raises(streamed if streaming else whole) as caught:
        await ask(client, streaming)
    assert type(caught.value) is (streamed if streaming else whole)
    assert (await ask(client, streaming)).content[0].text == "Hello there", "the client stays usable"


MIDWAY: dict[str, AnswerLike] = {
    "reset": Cut(TWO_PIECES, after_events=4),
    "closed": Cut(TWO_PIECES, after_events=4, reset=False),
    "broken JSON": Malformed(TWO_PIECES, after_events=4),
    "an error event": ErrorEvent(answer=TWO_PIECES, after_events=4),
}


@pytest.mark.parametrize("fault", MIDWAY.values(), ids=MIDWAY.keys())
async def test_what_came_before_a_fault_in_the_stream_was_seen(
    server: MessagesServer, client: AsyncAnthropic, fault: AnswerLike
) -> None:
    server.script(HAIKU, fault)
    seen: list[str] = []

    async def listen() -> None:
        async with client.messages.stream(**request()) as stream:
            async for part in stream.text_stream:
                seen.append(part)

    with pytest.raises((httpx2.TransportError, json.JSONDecodeError, anthropic.APIStatusError)):
        await listen()
    assert seen == ["All is well"]


async def test_a_stream_that_ends_too_early_raises_nothing(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Truncated(TWO_PIECES, after_events=4))
    message = await ask(client, True)
    assert message.stop_reason is None
    assert message.content[0].text == "All is well"


async def test_a_body_that_ends_too_early_is_no_json(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Truncated())
    with pytest.raises(json.JSONDecodeError):
        await ask(client, False)


async def test_an_error_event_keeps_status_200(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, ErrorEvent("overloaded_error", "too much to do"))
    with pytest.raises(anthropic.APIStatusError) as caught:
        await ask(client, True)
    assert (caught.value.status_code, caught.value.type) == (200, "overloaded_error")


async def test_tool_arguments_that_are_no_json_break_a_stream(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, ToolUse("look_up", raw_input="name = Ada"))
    with pytest.raises(ValueError, match="Unable to parse tool parameter JSON"):
        await ask(client, True, tools=[LOOK_UP])


async def test_tool_arguments_cut_short_pass_for_whole_ones(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, ToolUse("look_up", raw_input='{"name": "Ada", "born": 1815'))
    message = await ask(client, True, tools=[LOOK_UP])
    assert message.content[0].input == {"name": "Ada", "born": 1815}


async def test_tool_arguments_that_are_no_object_arrive_as_they_are(
    server: MessagesServer, client: AsyncAnthropic
) -> None:
    server.script(HAIKU, ToolUse("look_up", raw_input="name = Ada"))
    message = await ask(client, False, tools=[LOOK_UP])
    assert message.content[0].input == "name = Ada"


# Hanging and pace.

HANGS: dict[str, tuple[Hang, bool, type[Exception]]] = {
    "json": (Hang(), False, anthropic.APITimeoutError),
    "stream before the first byte": (Hang(), True, anthropic.APITimeoutError),
    "stream midway": (Hang(after_events=5), True, httpx2.ReadTimeout),
}


@pytest.mark.parametrize(("fault", "streaming", "raised"), HANGS.values(), ids=HANGS.keys())
async def test_a_hang_ends_by_the_client_s_timeout(
    server: MessagesServer, fault: Hang, streaming: bool, raised: type[Exception]
) -> None:
    server.script(HAIKU, fault)
    async with client_of(server, timeout=0.1) as client:
        with pytest.raises(raised) as caught:
            await ask(client, streaming)
        assert type(caught.value) is raised


@pytest.mark.parametrize(("fault", "streaming", "raised"), HANGS.values(), ids=HANGS.keys())
async def test_a_released_hang_ends_in_its_answer(
    server: MessagesServer, client: AsyncAnthropic, fault: Hang, streaming: bool, raised: type[Exception]
) -> None:
    server.script(HAIKU, fault)
    asking = asyncio.create_task(ask(client, streaming))
    await server.wait_for_requests(1)
    assert not asking.done()
    server.release()
    assert (await asking).content[0].text == fault.answer.blocks[0].text


@pytest.mark.parametrize(("fault", "streaming", "raised"), HANGS.values(), ids=HANGS.keys())
async def test_a_hang_does_not_hold_up_the_end_of_the_server(
    fault: Hang, streaming: bool, raised: type[Exception]
) -> None:
    async with MessagesServer() as server:
        server.script(HAIKU, fault)
        client = client_of(server)
        asking = asyncio.create_task(ask(client, streaming))
        await server.wait_for_requests(1)
        began_s = time.monotonic()
    assert time.monotonic() - began_s < 0.9, "the server waited for its handlers"
    with pytest.raises((anthropic.APIConnectionError, httpx2.TransportError)):
        await asking
    await client.close()


async def test_a_client_that_goes_away_is_noticed(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Hang())
    asking = asyncio.create_task(ask(client, True))
    await server.wait_for_requests(1)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    [request] = await server.wait_for_answers(1)
    assert request.left


async def test_the_first_token_waits_for_its_event(server: MessagesServer, client: AsyncAnthropic) -> None:
    go = asyncio.Event()
    server.script(HAIKU, Answer([Text("Now.")], before_first_token=go))
    async with client.messages.stream(**request()) as stream:
        events = aiter(stream)
        assert [(await anext(events)).type for _ in range(2)] == ["message_start", "content_block_start"]
        waiting = asyncio.create_task(anext(events))
        done, _ = await asyncio.wait([waiting], timeout=0.05)
        assert not done
        go.set()
        assert (await waiting).type == "content_block_delta"


async def test_the_record_tells_the_provider_s_own_time(server: MessagesServer, client: AsyncAnthropic) -> None:
    slow = Answer(
        [Text("One two three four.")], before=0.05, before_first_token=0.05, between_tokens=0.02, chunk_chars=5
    )
    server.script(HAIKU, slow)
    began_s = time.monotonic()
    await ask(client, True)
    took_s = time.monotonic() - began_s
    [request] = server.requests
    assert 0.05 <= request.first_byte_for_s < request.held_for_s
    assert 0.05 + 0.05 + 3 * 0.02 <= request.held_for_s <= took_s


# Scripts and records.


async def test_scripts_are_asked_in_order_and_used_up(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script("triage", Text("by system prompt"))
    server.script(OPUS, Text("by model"))
    server.script(user_says("there"), Text("by message"))
    server.script(lambda body: body["max_tokens"] == 7, Text("by function"))
    asked = [
        {"system": "You do triage."},
        {"system": [text("You do triage.")]},
        {"model": OPUS},
        {"max_tokens": 7},
        {},
    ]
    answers = [(await ask(client, False, **changes)).content[0].text for changes in asked]
    assert answers == ["by system prompt", "by message", "by model", "by function", "Hello there"]
    assert server.unused_answers == []


async def test_an_answer_for_always_is_never_used_up(server: MessagesServer, client: AsyncAnthropic) -> None:
    server.script(HAIKU, Text("first"))
    server.always(HAIKU, Text("ever after"))
    assert [(await ask(client, False)).content[0].text for _ in range(3)] == ["first", "ever after", "ever after"]
    assert server.unused_answers == []


async def test_a_function_answers_what_no_script_does(server: MessagesServer, client: AsyncAnthropic) -> None:
    async def shout(body: Any) -> AnswerLike | None:
        await asyncio.sleep(0)
        return body["messages"][-1]["content"].upper() if body["model"] == HAIKU else None

    server.script(HAIKU, "scripted")
    server.respond_with(shout)
    assert (await ask(client, False)).content[0].text == "scripted"
    assert (await ask(client, False)).content[0].text == "HELLO THERE"
    assert (await ask(client, False, model=OPUS)).content[0].text == "Hello there"
    server.respond_with(lambda body: [Text("plain")])
    assert (await ask(client, False)).content[0].text == "plain"


async def test_a_script_that_fails_is_heard_of_when_the_server_closes() -> None:
    server = MessagesServer()
    async with client_of(await server.__aenter__()) as client:
        server.respond_with(lambda body: str(1 // 0))
        with pytest.raises(anthropic.InternalServerError):
            await ask(client, False)
    with pytest.raises(ZeroDivisionError):
        await server.__aexit__(None, None, None)


async def test_requests_are_recorded_as_they_were_sent(server: MessagesServer, client: AsyncAnthropic) -> None:
    await ask(client, False, system="You are brief.", tools=[LOOK_UP])
    await client.models.retrieve(HAIKU)
    [recorded] = server.requests
    assert recorded.body == request(system="You are brief.", tools=[LOOK_UP])
    assert (recorded.status, recorded.violation, recorded.left) == (200, None, False)
    assert [other.path for other in server.other_requests] == [f"/v1/models/{HAIKU}"]


async def test_waiting_for_requests_ends_with_them_or_with_the_timeout(
    server: MessagesServer, client: AsyncAnthropic
) -> None:
    waiting = asyncio.create_task(server.wait_for_requests(2))
    await ask(client, False)
    assert not waiting.done()
    await ask(client, False)
    assert len(await waiting) == 2
    with pytest.raises(TimeoutError):
        await server.wait_for_requests(3, timeout=0.01)


async def test_many_requests_at_once_are_all_answered(server: MessagesServer, client: AsyncAnthropic) -> None:
    asked = [ask(client, bool(n % 2), messages=[{"role": "user", "content": f"number {n}"}]) for n in range(40)]
    answers = await asyncio.gather(*asked)
    assert [answer.content[0].text for answer in answers] == [f"number {n}" for n in range(40)]
