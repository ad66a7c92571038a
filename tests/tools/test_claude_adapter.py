"""The adapter's traps, one test each: what providers, networks and the SDK do to a client.

What every model keeps stands in the contract suite; here is what only this adapter has to live through.
"""

import asyncio
import logging
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from llmock.pytest_plugin import LLMock

from tests.doubles.model_choice import KEY, choice_at, hurried
from tests.servers.messages_api import (
    Answer,
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
)
from tools import provider as providers
from tools.choice import Choice, ModelSettings, choose
from tools.claude import failures, wire
from tools.claude.adapter import ClaudeModel
from tools.garbled import GarbledCall
from tools.model import Ask, ModelFailed, Said, ToolResult, ToolSpec
from tools.policy import load_policy
from tools.prices import Price, Tokens, cost_usd, load_prices

FIND = ToolSpec("find", "Search mail and chat", {"type": "object", "properties": {"query": {"type": "string"}}})
HELLO = Ask(label="instinct", system="You are Stillbell.", messages=[Said("owner", "Hello?")])
LOOKING = Ask(label="thinker", system="You are Stillbell.", messages=[Said("owner", "Find the rent")], tools=[FIND])
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}, "additionalProperties": False}


class Pauses(list[float]):
    """The pauses that were asked for, none of which was waited for."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
async def server() -> AsyncIterator[MessagesServer]:
    async with MessagesServer() as server:
        yield server


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@asynccontextmanager
async def opened(choice: Choice, pauses: Pauses | None = None) -> AsyncIterator[ClaudeModel]:
    """A warm model that is closed at the end."""
    model = ClaudeModel(choice, sleep=Pauses() if pauses is None else pauses)
    await model.warm()
    try:
        yield model
    finally:
        await model.close()


async def failing(choice: Choice, ask: Ask = HELLO, pauses: Pauses | None = None) -> ModelFailed:
    """How the ask fails."""
    async with opened(choice, pauses) as model:
        with pytest.raises(ModelFailed) as failed:
            await model.ask(ask)
    return failed.value


@asynccontextmanager
async def answering(handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """The address of a server that answers everything with `handler`."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


# Trying again.


async def test_a_retry_after_of_90_seconds_is_not_slept_through(server: MessagesServer, pauses: Pauses) -> None:
    server.script(anything, Status(429, retry_after_s=90))
    failed = await failing(choice_at(server.url), pauses=pauses)
    assert (failed.kind, failed.cost_known_zero) == ("overloaded", True)
    assert (pauses, len(server.requests)) == ([], 1)


async def test_a_retry_after_of_90_seconds_is_not_slept_through_at_llmock(llmock: LLMock, pauses: Pauses) -> None:
    llmock.rate_limit(retry_after=90)
    failed = await failing(choice_at(llmock.base_url("anthropic")), pauses=pauses)
    assert (failed.kind, pauses, len(llmock.requests)) == ("overloaded", [], 1)


async def test_a_short_retry_after_is_waited_for_and_tried_once_more(server: MessagesServer, pauses: Pauses) -> None:
    server.script(anything, Status(429, retry_after_s=0.5), "On it.")
    async with opened(choice_at(server.url), pauses) as model:
        assert (await model.ask(HELLO)).text == "On it."
    assert pauses == [0.5]


async def test_llmock_finds_the_second_attempt_well_behaved(llmock: LLMock) -> None:
    llmock.rate_limit(times=1, retry_after=0.1).reply("On it.")
    async with opened(choice_at(llmock.base_url("anthropic")), Sleeping()) as model:
        assert (await model.ask(HELLO)).text == "On it."
    llmock.assert_resilient(strict=True)


class Sleeping(Pauses):
    """Pauses that are waited for, because the other side measures them."""

    async def __call__(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def test_a_pause_that_leaves_too_little_of_the_deadline_is_not_taken(
    server: MessagesServer, pauses: Pauses
) -> None:
    server.script(anything, Status(429, retry_after_s=2))
    failed = await failing(choice_at(server.url), pauses=pauses)
    assert (failed.kind, pauses, len(server.requests)) == ("overloaded", [], 1)


async def test_the_same_pause_is_taken_where_the_deadline_is_longer(server: MessagesServer, pauses: Pauses) -> None:
    server.script(anything, Status(429, retry_after_s=2), "Found it.")
    async with opened(choice_at(server.url), pauses) as model:
        assert (await model.ask(LOOKING)).text == "Found it."
    assert pauses == [2]


async def test_an_overloaded_provider_is_tried_twice_and_no_more(server: MessagesServer, pauses: Pauses) -> None:
    server.always(anything, Status(529))
    failed = await failing(choice_at(server.url), pauses=pauses)
    assert (failed.kind, failed.cost_known_zero, len(server.requests)) == ("overloaded", True, 2)
    assert pauses == [failures.FIRST_PAUSE_SECONDS]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        pytest.param({}, failures.FIRST_PAUSE_SECONDS, id="none named"),
        pytest.param({"retry-after": "3"}, 3, id="seconds"),
        pytest.param({"retry-after-ms": "250", "retry-after": "3"}, 0.25, id="milliseconds win"),
        pytest.param({"retry-after": "Mon, 30 Nov 2026 12:00:00 GMT"}, None, id="a date"),
        pytest.param({"retry-after": "nan"}, None, id="not a number"),
        pytest.param({"retry-after": "-1"}, None, id="in the past"),
        pytest.param({"retry-after": "inf"}, None, id="never"),
    ],
)
def test_the_pause_that_a_provider_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    assert failures._pause(wire.httpx2.Headers(headers)) == seconds


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_a_rejected_request_is_free_and_not_repeated(server: MessagesServer, status: int) -> None:
    server.always(anything, Status(status))
    failed = await failing(choice_at(server.url))
    assert (failed.kind, failed.cost_known_zero, len(server.requests)) == ("rejected", True, 1)


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_failure_that_may_have_cost_something_is_not_repeated(server: MessagesServer, status: int) -> None:
    server.always(anything, Status(status))
    failed = await failing(choice_at(server.url))
    assert (failed.kind, failed.cost_known_zero, len(server.requests)) == ("overloaded", False, 1)


async def test_an_address_where_nobody_listens_is_unreachable_and_free(pauses: Pauses) -> None:
    async with answering(_nothing) as url:
        pass
    failed = await failing(choice_at(url), pauses=pauses)
    assert (failed.kind, failed.cost_known_zero) == ("unreachable", True)
    assert url in str(failed)
    assert len(pauses) == 1


async def _nothing(request: web.Request) -> web.Response:
    return web.Response()


# Time.


@pytest.mark.parametrize("after_events", [0, 1, 5], ids=["before anything", "after the start", "in the middle"])
async def test_a_provider_that_hangs_is_left_at_the_deadline(server: MessagesServer, after_events: int) -> None:
    server.script(anything, Hang(after_events=after_events))
    began_at = asyncio.get_running_loop().time()
    failed = await failing(choice_at(server.url, changed=hurried(0.2)))
    assert (failed.kind, failed.cost_known_zero) == ("deadline", False)
    assert asyncio.get_running_loop().time() - began_at < 1.5


async def test_the_deadline_holds_for_an_answer_that_drips(server: MessagesServer) -> None:
    server.script(anything, Answer([Text("word " * 400)], between_tokens=0.05))
    failed = await failing(choice_at(server.url, changed=hurried(0.2)))
    assert failed.kind == "deadline"


async def test_a_cancelled_ask_leaves_the_provider_at_once(server: MessagesServer) -> None:
    was_left = asyncio.Event()

    async def waits(body: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            was_left.set()

    server.respond_with(waits)
    async with opened(choice_at(server.url)) as model:
        asking = asyncio.create_task(model.ask(LOOKING))
        await server.wait_for_requests(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(5):
            await was_left.wait()


# Broken answers.


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        pytest.param(Truncated(), "cut", id="a stream that ends too early, properly"),
        pytest.param(Truncated(after_events=1), "cut", id="a stream that ends after its start"),
        pytest.param(Cut(reset=True), "cut", id="a connection reset in the middle"),
        pytest.param(Cut(reset=False), "cut", id="a connection closed in the middle"),
        pytest.param(Drop(reset=True), "cut", id="a connection reset before a byte"),
        pytest.param(Drop(), "cut", id="a connection closed before a byte"),
        pytest.param(Malformed(), "garbled", id="an event that is no JSON"),
        pytest.param(Malformed(after_events=0), "garbled", id="a first event that is no JSON"),
        pytest.param(Empty(), "garbled", id="a stream without events"),
        pytest.param(ErrorEvent(), "overloaded", id="an overload in the middle"),
        pytest.param(ErrorEvent(after_events=0), "overloaded", id="an overload as first event"),
        pytest.param(ErrorEvent(error_type="invalid_request_error"), "rejected", id="another error in the middle"),
    ],
)
async def test_a_broken_answer_is_a_failure_that_may_have_cost_something(
    server: MessagesServer, fault: Any, kind: str
) -> None:
    server.script(anything, fault)
    failed = await failing(choice_at(server.url))
    assert (failed.kind, failed.cost_known_zero, len(server.requests)) == (kind, False, 1)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html><body>Welcome to the hotel's network</body></html>", id="a captive portal"),
        pytest.param(b'{"type": "message", "content": []}', id="a plain message"),
        pytest.param(b"event: message_start\ndata: null\n\n", id="null"),
        pytest.param(b"event: message_start\ndata: [1, 2]\n\n", id="a list"),
        pytest.param(b'event: message_start\ndata: {"type": "message_start"}\n\n', id="a start without a message"),
        pytest.param(
            b'event: x\ndata: {"type": "content_block_delta", "index": 7, "delta": {}}\n\n', id="no such block"
        ),
        pytest.param(b"event: x\ndata: \xff\xfe\n\n", id="no UTF-8"),
    ],
)
async def test_what_is_no_answer_of_the_messages_api_is_garbled(body: bytes) -> None:
    async def nonsense(request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/event-stream")

    async with answering(nonsense) as url:
        failed = await failing(choice_at(url))
    assert failed.kind == "garbled"
    assert url in str(failed)


async def test_a_gateway_page_of_html_is_no_crash() -> None:
    async def gateway(request: web.Request) -> web.Response:
        return web.Response(status=502, text="<html>Bad gateway</html>", content_type="text/html")

    async with answering(gateway) as url:
        assert (await failing(choice_at(url))).kind == "overloaded"


async def test_an_endless_answer_is_not_read_to_its_end(
    server: MessagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "ANSWER_LIMIT_BYTES", 20_000)
    server.script(anything, "x" * 200_000)
    failed = await failing(choice_at(server.url))
    assert failed.kind == "garbled"


async def test_a_large_answer_within_the_bound_comes_whole(server: MessagesServer) -> None:
    server.script(anything, "ü" * 400_000)
    async with opened(choice_at(server.url)) as model:
        assert (await model.ask(LOOKING)).text == "ü" * 400_000


async def test_a_prompt_is_not_carried_on_by_a_redirect() -> None:
    arrived: list[str] = []

    async def elsewhere(request: web.Request) -> web.Response:
        arrived.append(request.path)
        return web.Response()

    async with answering(elsewhere) as other:

        async def redirect(request: web.Request) -> web.Response:
            return web.Response(status=307, headers={"location": f"{other}/v1/messages"})

        async with answering(redirect) as url:
            failed = await failing(choice_at(url))
    assert (failed.kind, arrived) == ("rejected", [])


# Why it stopped.


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "window"),
        ("pause_turn", "paused"),
        ("something_new", "end"),
    ],
)
async def test_the_reason_for_stopping_is_said_in_our_words(server: MessagesServer, reason: str, stop: str) -> None:
    server.script(anything, Answer([Text("So far.")], stop_reason=reason))
    async with opened(choice_at(server.url)) as model:
        answer = await model.ask(HELLO)
    assert (answer.stop, answer.text) == (stop, "So far.")


async def test_a_paused_turn_can_be_handed_back_as_it_was(server: MessagesServer) -> None:
    server.script(anything, Answer([Thinking("hm"), Text("So far")], stop_reason="pause_turn"), "and done.")
    async with opened(choice_at(server.url)) as model:
        paused = await model.ask(LOOKING)
        turn = [*LOOKING.messages, Said("model", raw=paused.raw)]
        assert (await model.ask(replace(LOOKING, messages=turn))).text == "and done."
    assert server.refused == []


async def test_an_answer_that_stopped_for_tools_without_any_is_at_its_end(server: MessagesServer) -> None:
    server.script(anything, Answer([Text("Hm.")], stop_reason="tool_use"))
    async with opened(choice_at(server.url)) as model:
        assert (await model.ask(LOOKING)).stop == "end"


# Tools.


@pytest.mark.parametrize(
    ("wrote", "beginning"),
    [
        pytest.param("{not json", "{not json", id="no JSON"),
        pytest.param('["rent"]', '["rent"]', id="a list"),
        pytest.param('"rent"', '"rent"', id="a text"),
        pytest.param("[" * 50_000, "[[[", id="deeper than the parser goes"),
    ],
)
async def test_arguments_that_are_no_object_are_a_marked_call_without_arguments(
    server: MessagesServer, wrote: str, beginning: str
) -> None:
    server.script(anything, ToolUse("find", raw_input=wrote), "Sorry.")
    async with opened(choice_at(server.url)) as model:
        answer = await model.ask(LOOKING)
        [call] = answer.calls
        assert isinstance(call, GarbledCall)
        assert (call.name, call.arguments) == ("find", {})
        assert call.wrote.startswith(beginning)
        # The call can be answered with an error, as any other.
        wrong = Said("owner", results=(ToolResult(call.id, "the arguments were no JSON object", is_error=True),))
        turn = [*LOOKING.messages, Said("model", raw=answer.raw), wrong]
        assert (await model.ask(replace(LOOKING, messages=turn))).text == "Sorry."
    assert server.refused == []


async def test_llmocks_malformed_arguments_are_a_marked_call(llmock: LLMock) -> None:
    llmock.call_tool("find", {"query": "rent"}).break_tool_call()
    async with opened(choice_at(llmock.base_url("anthropic"))) as model:
        [call] = (await model.ask(LOOKING)).calls
    assert isinstance(call, GarbledCall)


async def test_a_call_that_was_cut_off_by_the_length_is_marked(server: MessagesServer) -> None:
    server.script(anything, Answer([ToolUse("find", raw_input='{"query": "re')], stop_reason="max_tokens"))
    async with opened(choice_at(server.url)) as model:
        answer = await model.ask(LOOKING)
    assert answer.stop == "length"
    assert isinstance(answer.calls[0], GarbledCall)


async def test_a_tool_without_parameters_is_an_ordinary_call(server: MessagesServer) -> None:
    server.script(anything, ToolUse("find", raw_input=""))
    async with opened(choice_at(server.url)) as model:
        [call] = (await model.ask(LOOKING)).calls
    assert not isinstance(call, GarbledCall)
    assert call.arguments == {}


async def test_several_calls_keep_their_order_and_their_text(server: MessagesServer) -> None:
    blocks = [Text("Two looks."), ToolUse("find", {"query": "a"}), ToolUse("find", {"query": "b"})]
    server.script(anything, Answer(blocks, chunk_chars=3))
    async with opened(choice_at(server.url)) as model:
        answer = await model.ask(LOOKING)
    assert answer.text == "Two looks."
    assert [call.arguments["query"] for call in answer.calls] == ["a", "b"]


async def test_instinct_is_sent_no_tools_whatever_it_is_given(server: MessagesServer) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(replace(HELLO, tools=[FIND]))
    assert "tools" not in server.requests[0].body


# What is sent.


async def test_thinking_blocks_go_back_exactly_as_they_came(server: MessagesServer) -> None:
    blocks = [Thinking("The rent, then."), RedactedThinking(), ToolUse("find", {"query": "Miete für März"})]
    server.script(anything, Answer(blocks, chunk_chars=4), "Due on the 3rd.")
    async with opened(choice_at(server.url)) as model:
        first = await model.ask(LOOKING)
        found = Said("owner", results=(ToolResult(first.calls[0].id, "Rent: the 3rd"),))
        turn = [*LOOKING.messages, Said("model", raw=first.raw), found]
        second = await model.ask(replace(LOOKING, messages=turn))
    assert second.text == "Due on the 3rd."
    # The server refuses a block that is missing, edited, or moved behind another beginning.
    assert server.refused == []
    assert server.requests[1].body["messages"][1]["content"] == list(first.raw)
    assert [block["type"] for block in first.raw] == ["thinking", "redacted_thinking", "tool_use"]


async def test_instinct_does_not_think_and_nothing_sends_sampling_parameters(server: MessagesServer) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(HELLO)
    body = server.requests[0].body
    assert (body["model"], body["thinking"]) == ("claude-haiku-5-5", {"type": "disabled"})
    assert body["output_config"] == {"effort": "low"}
    assert not {"temperature", "top_p", "top_k", "thread", "previous_message_id"} & set(body)


@pytest.mark.parametrize("label", list(load_policy().pins))
async def test_every_pin_of_the_policy_is_a_request_that_the_strict_server_takes(
    server: MessagesServer, label: Any
) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(replace(LOOKING, label=label, schema=SCHEMA))
    assert server.refused == []


async def test_no_compressed_answer_is_asked_for_since_the_bound_counts_what_is_sent(server: MessagesServer) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(HELLO)
    assert server.requests[0].headers["accept-encoding"] == "identity"


async def test_opus_is_never_told_not_to_think(server: MessagesServer) -> None:
    choice = choose(
        ModelSettings(anthropic_api_key=KEY, anthropic_base_url=server.url, models={"instinct": "claude-opus-5-5"}),
        load_policy(),
        load_prices(),
    )
    assert choice is not None
    async with opened(choice) as model:
        await model.ask(HELLO)
    assert "thinking" not in server.requests[0].body
    assert server.refused == []


async def test_a_large_max_tokens_does_not_run_into_the_sdks_demand_to_stream(server: MessagesServer) -> None:
    async with opened(choice_at(server.url, changed={"thinker": {"max_tokens": 64_000}})) as model:
        assert (await model.ask(LOOKING)).text == "Find the rent"


async def test_a_turn_with_tools_may_use_the_providers_cache(server: MessagesServer) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(LOOKING)
        await model.ask(replace(LOOKING, tools=()))
    with_tools, without = (request.body for request in server.requests)
    assert with_tools["cache_control"] == {"type": "ephemeral"}
    assert "cache_control" not in without


async def test_a_schema_is_asked_for_where_the_provider_holds_answers_to_it(server: MessagesServer) -> None:
    async with opened(choice_at(server.url)) as model:
        await model.ask(replace(HELLO, label="triage", schema=SCHEMA))
    body = server.requests[0].body
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
    assert "JSON" not in body["system"]


async def test_elsewhere_the_schema_is_asked_for_in_words(server: MessagesServer) -> None:
    async with opened(local(server.url)) as model:
        await model.ask(replace(HELLO, schema=SCHEMA))
    body = server.requests[0].body
    assert "output_config" not in body
    assert '"verdict"' in body["system"]


def local(url: str) -> Choice:
    """A model of the owner's own behind `url`. It bears a name that the strict server knows."""
    choice = choose(
        ModelSettings(
            ollama_url=url,
            local_model="claude-haiku-5-5",
            prices={"claude-haiku-5-5": Price(input_usd=0, output_usd=0)},
        ),
        load_policy(),
        load_prices(),
    )
    assert choice is not None
    return choice


async def test_a_local_model_is_sent_nothing_it_may_not_know_and_costs_what_the_settings_say(
    server: MessagesServer,
) -> None:
    async with opened(local(server.url)) as model:
        answer = await model.ask(LOOKING)
        assert model.describe("thinker") == "claude-haiku-5-5 at Ollama"
    assert set(server.requests[0].body) == {"model", "max_tokens", "messages", "system", "tools", "stream"}
    assert answer.cost_usd == 0


async def test_what_the_api_refuses_is_left_out_of_the_conversation(server: MessagesServer) -> None:
    said = [
        Said("model", "I speak first."),
        Said("owner", " \n"),
        Said("owner", "Hello?"),
        Said("model", raw=({"type": "text", "text": "\n\n"}, {"type": "text", "text": "Yes?"})),
        Said("owner", "half a smile: \ud83d"),
    ]
    async with opened(choice_at(server.url)) as model:
        await model.ask(replace(HELLO, messages=said))
    texts = [block["text"] for message in server.requests[0].body["messages"] for block in message["content"]]
    assert texts == ["Hello?", "Yes?", "half a smile: ?"]
    assert server.refused == []


async def test_an_empty_result_of_a_tool_is_said_in_words(server: MessagesServer) -> None:
    server.script(anything, ToolUse("find", {"query": "x"}))
    async with opened(choice_at(server.url)) as model:
        first = await model.ask(LOOKING)
        turn = [
            *LOOKING.messages,
            Said("model", raw=first.raw),
            Said("owner", results=(ToolResult(first.calls[0].id, ""),)),
        ]
        assert (await model.ask(replace(LOOKING, messages=turn))).text == "(nothing)"


# Money.


async def test_the_cost_is_that_of_the_tokens_the_provider_counted(server: MessagesServer) -> None:
    used = Usage(input_tokens=1_000, output_tokens=200, cache_read_tokens=5_000, cache_write_tokens=300)
    server.script(anything, Answer([Text("Found.")], usage=used))
    async with opened(choice_at(server.url)) as model:
        answer = await model.ask(LOOKING)
    price = load_prices().models["claude-sonnet-5-5"]
    assert (answer.input_tokens, answer.output_tokens) == (6_300, 200)
    assert answer.cost_usd == cost_usd(price, Tokens(input=1_000, output=200, cache_read=5_000, cache_write=300))


async def test_an_answer_without_counts_costs_the_worst_it_can() -> None:
    async def uncounted(request: web.Request) -> web.Response:
        start = b'event: a\ndata: {"type": "message_start", "message": {"model": "m"}}\n\n'
        end = b'event: b\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'
        return web.Response(body=start + end, content_type="text/event-stream")

    async with answering(uncounted) as url, opened(choice_at(url)) as model:
        answer = await model.ask(HELLO)
    price = load_prices().models["claude-haiku-5-5"]
    assert answer.cost_usd > cost_usd(price, Tokens(output=load_policy().pins["instinct"].max_tokens))


# The key.


def told(failed: BaseException) -> str:
    """Everything that a log could show of an error."""
    return "".join(traceback.format_exception(failed)) + repr(failed) + repr(failed.__context__)


@pytest.mark.parametrize(
    "fault",
    [Status(401, message=f"unknown key {KEY}"), ErrorEvent("invalid_request_error", f"who is {KEY}?")],
    ids=["status", "event"],
)
async def test_a_key_that_the_server_echoes_stands_in_no_error(server: MessagesServer, fault: Any) -> None:
    server.script(anything, fault)
    failed = await failing(choice_at(server.url))
    assert failed.kind == "rejected"
    assert KEY not in told(failed)


async def test_the_key_stands_in_no_error_of_the_network_or_the_deadline(server: MessagesServer) -> None:
    server.script(anything, Drop(), Hang())
    for choice in (choice_at(server.url), choice_at(server.url, changed=hurried(0.1))):
        assert KEY not in told(await failing(choice))


async def test_no_key_of_the_environment_reaches_a_server_that_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    async with MessagesServer(keys={providers.NO_KEY}) as server, opened(local(server.url)) as model:
        assert (await model.ask(HELLO)).text == "Hello?"


async def test_a_server_without_a_key_is_asked_all_the_same(server: MessagesServer) -> None:
    # The SDK builds without a key and raises TypeError at the first call.
    choice = choose(ModelSettings(anthropic_base_url=server.url), load_policy(), load_prices())
    assert choice is not None
    async with opened(choice) as model:
        assert (await model.ask(HELLO)).text == "Hello?"


async def test_the_sdk_logs_no_prompts_even_when_the_environment_asks_for_it(
    server: MessagesServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in wire.TALKATIVE:
        logging.getLogger(name).setLevel(logging.DEBUG)
    async with opened(choice_at(server.url)) as model:
        await model.ask(replace(HELLO, messages=[Said("owner", "a very private word")]))
    assert "very private" not in caplog.text
    assert not [record for record in caplog.records if record.name.startswith(wire.TALKATIVE)]


# Start-up.


def test_the_sdk_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, tools.claude.adapter, tools.metered; sys.exit('anthropic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_an_ask_before_the_warming_waits_for_the_same_loading(server: MessagesServer) -> None:
    model = ClaudeModel(choice_at(server.url))
    answers = await asyncio.gather(model.ask(HELLO), model.ask(HELLO), model.warm())
    assert [answer.text for answer in answers if answer] == ["Hello?", "Hello?"]
    await model.close()
