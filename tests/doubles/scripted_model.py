"""A model for unit tests: it says what it was told to say, under the port's own rules.

    model = ScriptedModel()
    model.answers("instinct", "On it.")
    model.answers("thinker", calls("find", {"query": "rent"}), "The rent is due on the 3rd.")
    model.fails("instinct", "overloaded")
    model.hangs("instinct")

The contract suite of the port holds for it as for the real adapter.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from memory.spending import Label
from tools.model import Answer, Ask, ModelFailed, ToolCall

FREE = frozenset({"overloaded", "unreachable", "rejected", "off"})

Step = str | Answer | ModelFailed | Callable[[Ask], "Step"]

_ids = count(1)


def calls(name: str, arguments: Mapping[str, Any] | None = None, *, text: str = "") -> Answer:
    """An answer that asks for one tool call."""
    call = ToolCall(f"call_{next(_ids)}", name, dict(arguments or {}))
    block = {"type": "tool_use", "id": call.id, "name": name, "input": dict(call.arguments)}
    said = [{"type": "text", "text": text}] if text else []
    return Answer(text=text, calls=(call,), raw=(*said, block), stop="tools")


def failed(kind: Any) -> ModelFailed:
    """The failure of this kind, free where the port says that it is."""
    return ModelFailed(f"the scripted model was told to fail ({kind})", kind=kind, cost_known_zero=kind in FREE)


class ScriptedModel:
    """Says its script, label by label; without one it repeats the last thing it was told.

    `asks` holds every request. A hanging ask ends by the deadline as soon as `let_deadlines_pass` was called, without
    waiting for any clock.
    """

    def __init__(self, *, model: str = "scripted", cost_usd: float = 0.0) -> None:
        self.asks: list[Ask] = []
        self.asked = asyncio.Event()
        self._model = model
        self._cost_usd = cost_usd
        self._script: defaultdict[Label, deque[Step]] = defaultdict(deque)
        self._deadlines_pass = asyncio.Event()

    def answers(self, label: Label, *steps: Step) -> None:
        """One step for each of the next asks under `label`."""
        self._script[label].extend(steps)

    def fails(self, label: Label, kind: str) -> None:
        """The next ask under `label` fails."""
        self._script[label].append(failed(kind))

    def hangs(self, label: Label) -> None:
        """The next ask under `label` never answers: its deadline passes when the test says so."""
        self._script[label].append(_hang_mark)

    def let_deadlines_pass(self) -> None:
        """Every ask that hangs, now or later, runs into its deadline."""
        self._deadlines_pass.set()

    def describe(self, label: Label) -> str:
        """As the port has it."""
        return f"{self._model} in this test"

    async def ask(self, ask: Ask) -> Answer:
        """The next step of the script."""
        self.asks.append(ask)
        self.asked.set()
        steps = self._script[ask.label]
        return await self._played(steps.popleft() if steps else _echo(ask), ask)

    async def _played(self, step: Step, ask: Ask) -> Answer:
        await asyncio.sleep(0)  # a real model lets others run too
        if step is _hang_mark:
            await self._deadlines_pass.wait()
            raise ModelFailed("the scripted deadline passed", kind="deadline")
        if isinstance(step, ModelFailed):
            raise step
        if callable(step):
            return await self._played(step(ask), ask)
        return self._complete(Answer(text=step) if isinstance(step, str) else step, ask)

    def _complete(self, answer: Answer, ask: Ask) -> Answer:
        """With what every answer of the port has: the model, its blocks, tokens and cost."""
        written = sum(len(said.text) for said in ask.messages) + len(ask.system)
        return replace(
            answer,
            raw=answer.raw or ({"type": "text", "text": answer.text},),
            model=answer.model or self._model,
            input_tokens=answer.input_tokens or written // 4 + 1,
            output_tokens=answer.output_tokens or len(answer.text) // 4 + 1,
            cost_usd=answer.cost_usd or self._cost_usd,
        )


def _hang_mark(ask: Ask) -> Step:
    raise AssertionError("a mark in the script")


def _echo(ask: Ask) -> str:
    said = ask.messages[-1]
    return said.text or "\n".join(result.content for result in said.results) or "(nothing to echo)"
