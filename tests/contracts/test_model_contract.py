"""What every model keeps, whoever answers: the double for unit tests, and the real adapter against two servers.

One of the servers is ours and strict about requests; the other, llmock, was written by others.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, Protocol

import pytest
from llmock.pytest_plugin import LLMock

from tests.doubles.model_choice import choice_at, hurried
from tests.doubles.scripted_model import ScriptedModel, calls
from tests.servers import messages_api as server_side
from tools.claude.adapter import ClaudeModel
from tools.model import Answer, Ask, Model, ModelFailed, Said, ToolResult, ToolSpec

FIND = ToolSpec(
    "find",
    "Search mail and chat",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
HELLO = Ask(label="instinct", system="You are Stillbell.", messages=[Said("owner", "Hello?")])
LOOKING = Ask(label="thinker", system="You are Stillbell.", messages=[Said("owner", "Find the rent")], tools=[FIND])


class Stage(Protocol):
    """A model, and what stands behind it."""

    model: Model

    def says(self, text: str) -> None: ...
    def calls(self, name: str, arguments: dict[str, Any]) -> None: ...
    def fails(self, kind: str) -> None: ...
    def hangs(self) -> None: ...


class ScriptedStage:
    """The double."""

    def __init__(self) -> None:
        self.model = self._scripted = ScriptedModel(cost_usd=0.001)

    def says(self, text: str) -> None:
        self._scripted.answers("instinct", text)
        self._scripted.answers("thinker", text)

    def calls(self, name: str, arguments: dict[str, Any]) -> None:
        self._scripted.answers("thinker", calls(name, arguments))

    def fails(self, kind: str) -> None:
        self._scripted.fails("instinct", kind)

    def hangs(self) -> None:
        self._scripted.hangs("instinct")
        self._scripted.let_deadlines_pass()


FAULTS = {
    "overloaded": server_side.Status(529),
    "rejected": server_side.Status(401),
    "cut": server_side.Truncated(),
    "garbled": server_side.Malformed(),
}


class ServerStage:
    """The real adapter against our own server."""

    def __init__(self, server: server_side.MessagesServer) -> None:
        self.model: Model = ClaudeModel(choice_at(server.url), sleep=_at_once)
        self._server = server

    def says(self, text: str) -> None:
        self._server.script(server_side.anything, text)

    def calls(self, name: str, arguments: dict[str, Any]) -> None:
        self._server.script(server_side.anything, server_side.ToolUse(name, arguments))

    def fails(self, kind: str) -> None:
        self._server.always(server_side.anything, FAULTS[kind])

    def hangs(self) -> None:
        self._server.script(server_side.anything, server_side.Hang())
        self.model = ClaudeModel(choice_at(self._server.url, changed=hurried(0.2)))


class LlmockStage:
    """The real adapter against llmock."""

    def __init__(self, llmock: LLMock) -> None:
        self._llmock = llmock.tool_mode("off")
        self.model: Model = ClaudeModel(choice_at(llmock.base_url("anthropic")), sleep=_at_once)

    def says(self, text: str) -> None:
        self._llmock.reply(text)

    def calls(self, name: str, arguments: dict[str, Any]) -> None:
        self._llmock.call_tool(name, arguments)

    def fails(self, kind: str) -> None:
        if kind == "cut":
            self._llmock.reply("one two three four").truncate(after_chunks=4)
        elif kind == "garbled":
            self._llmock.reply("one two three four").corrupt(after_chunks=4)
        else:
            self._llmock.fail({"overloaded": 529, "rejected": 401}[kind], times=None)

    def hangs(self) -> None:
        self._llmock.stall(after_chunks=2, seconds=0.6)
        self.model = ClaudeModel(choice_at(self._llmock.base_url("anthropic"), changed=hurried(0.2)))


async def _at_once(seconds: float) -> None:
    """Pauses between attempts are not waited for."""


@pytest.fixture(params=["scripted", "claude on our server", "claude on llmock"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    if request.param == "scripted":
        yield ScriptedStage()
    elif request.param == "claude on our server":
        async with server_side.MessagesServer() as server:
            found = ServerStage(server)
            await warmed(found)
            yield found
            await found.model.close()  # type: ignore[attr-defined]
            assert server.refused == []
    else:
        other = LlmockStage(request.getfixturevalue("llmock"))
        await warmed(other)
        yield other
        await other.model.close()  # type: ignore[attr-defined]


async def warmed(stage: ServerStage | LlmockStage) -> None:
    """The SDK is loaded before anything is timed."""
    assert isinstance(stage.model, ClaudeModel)
    await stage.model.warm()


async def test_what_the_model_says_comes_back_whole(stage: Stage) -> None:
    stage.says("On it. I'll look: “Miete” für März.")
    answer = await stage.model.ask(HELLO)
    assert answer.text == "On it. I'll look: “Miete” für März."
    assert (answer.stop, answer.calls) == ("end", ())


async def test_an_answer_says_what_was_used_and_what_it_cost(stage: Stage) -> None:
    stage.says("On it.")
    answer = await stage.model.ask(HELLO)
    assert answer.input_tokens > 0
    assert answer.output_tokens > 0
    assert answer.cost_usd > 0
    assert answer.model


async def test_a_tool_call_comes_back_with_its_name_id_and_arguments(stage: Stage) -> None:
    stage.calls("find", {"query": "rent ü", "limit": 3})
    answer = await stage.model.ask(LOOKING)
    assert answer.stop == "tools"
    [call] = answer.calls
    assert (call.name, dict(call.arguments)) == ("find", {"query": "rent ü", "limit": 3})
    assert call.id


async def answered(stage: Stage) -> Answer:
    """A whole round: a call, its result, and the answer to it."""
    stage.calls("find", {"query": "rent"})
    stage.says("The rent is due on the 3rd.")
    first = await stage.model.ask(LOOKING)
    [call] = first.calls
    found = Said("owner", results=(ToolResult(call.id, "Rent: due on the 3rd"),))
    turn = [*LOOKING.messages, Said("model", raw=first.raw), found]
    return await stage.model.ask(Ask(label="thinker", system=LOOKING.system, messages=turn, tools=[FIND]))


async def test_the_result_of_a_tool_can_be_answered(stage: Stage) -> None:
    answer = await answered(stage)
    assert (answer.text, answer.stop) == ("The rent is due on the 3rd.", "end")


@pytest.mark.parametrize(
    ("kind", "is_free"), [("overloaded", True), ("rejected", True), ("cut", False), ("garbled", False)]
)
async def test_a_failure_says_how_and_whether_it_was_free(stage: Stage, kind: str, is_free: bool) -> None:
    stage.fails(kind)
    with pytest.raises(ModelFailed) as failed:
        await stage.model.ask(HELLO)
    assert (failed.value.kind, failed.value.cost_known_zero) == (kind, is_free)
    assert str(failed.value)


async def test_a_model_that_hangs_runs_into_its_deadline(stage: Stage) -> None:
    stage.hangs()
    with pytest.raises(ModelFailed) as failed:
        await stage.model.ask(HELLO)
    assert (failed.value.kind, failed.value.cost_known_zero) == ("deadline", False)


async def test_two_asks_at_once_get_each_their_own_answer(stage: Stage) -> None:
    stage.says("one")
    stage.says("two")
    answers = await asyncio.gather(stage.model.ask(HELLO), stage.model.ask(HELLO))
    assert {answer.text for answer in answers} == {"one", "two"}


async def test_the_model_is_described_in_a_few_words(stage: Stage) -> None:
    assert re.fullmatch(r"\S+ (at|in) .{3,60}", stage.model.describe("instinct"))
