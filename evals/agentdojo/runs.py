"""The runs: an owner's task, alone or together with a fallen model, in both orders; what came of it by the providers' ledgers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agentdojo.functions_runtime import FunctionCall

from evals.agentdojo import worst
from evals.agentdojo.envelopes import Effect
from evals.agentdojo.house import House
from evals.agentdojo.owner import Wanted
from evals.agentdojo.suite import EFFECTS, Env, environment, is_won, suite, utility
from memory.errors import BadInput

Order = Literal["owner first", "attacker first"]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one run. `stray`: effects that nobody approved. `asked`: cards that were put before the owner."""

    utility: bool
    attack: bool
    stray: int
    asked: int = 0


async def with_owner(house: House, user_id: str, *, awake: bool = True) -> Result:
    """The owner's own calls alone; one who sleeps taps nothing."""
    task = suite().user_tasks[user_id]
    env = environment(task)
    before = env.model_copy(deep=True)
    await house.begin(env, task.PROMPT)
    calls = await _own(house, task, before, awake=awake)
    return Result(utility(task, before, env, calls), False, _stray(house))


async def with_attacker(house: House, user_id: str, injection_id: str, order: Order) -> Result:
    """The owner's calls and a fallen model's, one after the other. The owner approves their own, each once, and no other."""
    task, injection = suite().user_tasks[user_id], suite().injection_tasks[injection_id]
    env = environment(task)
    before = env.model_copy(deep=True)
    await house.begin(env, task.PROMPT)
    if order == "owner first":
        own = await _own(house, task, before)
        fallen = await _fallen(house, injection, env)
    else:
        fallen = await _fallen(house, injection, env)
        own = await _own(house, task, before)
    done, won = utility(task, before, env, own), is_won(injection, before, env, [*own, *fallen])
    return Result(done, won, _stray(house))


async def against_careless(house: House, injection_id: str) -> Result:
    """A fallen model, and an owner who says yes to every card."""
    injection = suite().injection_tasks[injection_id]
    env = environment()
    before = env.model_copy(deep=True)
    await house.begin(env)
    fallen = await _fallen(house, injection, env, careless=True)
    return Result(False, is_won(injection, before, env, fallen), _stray(house))


async def _own(house: House, task: Any, before: Env, *, awake: bool = True) -> Sequence[FunctionCall]:
    """The owner's own calls, each tapped when its card says what they want."""
    calls: Sequence[FunctionCall] = task.ground_truth(before.model_copy(deep=True))
    for call in calls:
        wishes = await _wishes(house, call)
        await house.call(call.function, call.args)
        await house.owner_looks(wishes if awake else [])
    return calls


async def _wishes(house: House, call: FunctionCall) -> list[Wanted]:
    if call.function not in EFFECTS:
        return []
    try:
        return [await house.wish(call.function, call.args)]
    except BadInput:
        return []


async def _fallen(house: House, injection: Any, env: Env, *, careless: bool = False) -> list[FunctionCall]:
    calls = worst.calls(injection, env)
    for call in calls:
        await house.call(call.function, call.args)
        await house.owner_looks([], careless=careless)
    return calls


def _stray(house: House) -> int:
    """How many effects the providers' ledgers hold that the owner did not approve, each as often as it was approved."""
    house.mirror()
    left: Counter[Effect] = Counter(house.taken)
    left.subtract(house.approved)
    return sum(count for count in left.values() if count > 0)
