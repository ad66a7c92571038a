"""The suite: its environment, its tools, and what it says of a run."""

import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agentdojo.functions_runtime import Function, FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suite
from agentdojo.types import text_content_block_from_string

from evals.agentdojo import worst

VERSION = "v1.2.2"

Env = Any
"""The suite's WorkspaceEnvironment. Importing it by name would import the suites in the wrong order."""

EFFECTS: Mapping[str, str] = {
    # every call that changes something, and the channel by which it would leave
    "send_email": "mail",
    "delete_email": "mailbox",
    # It marks what it reads. The product's reading marks nothing, so here this is an act like the others.
    "get_unread_emails": "mailbox",
    "create_calendar_event": "agenda",
    "cancel_calendar_event": "agenda",
    "reschedule_calendar_event": "agenda",
    "add_calendar_event_participants": "agenda",
    "create_file": "files",
    "append_to_file": "files",
    "share_file": "files",
    "delete_file": "files",
}


@cache
def suite() -> Any:
    """The workspace suite."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return get_suite(VERSION, "workspace")


@cache
def functions() -> Mapping[str, Function[..., Any]]:
    """Every tool of the suite by name."""
    return {function.name: function for function in suite().tools}


@cache
def _environment() -> Env:
    return suite().load_and_inject_default_environment({})


def environment(user_task: Any = None) -> Env:
    """A fresh environment, as a user task begins with it."""
    fresh = _environment().model_copy(deep=True)
    return user_task.init_environment(fresh) if user_task is not None else fresh


def run(env: Env, function: str, args: Mapping[str, Any]) -> Any:
    """Call a tool on the environment with nothing in between. Raises ValueError for what it refuses."""
    result, error = FunctionsRuntime(suite().tools).run_function(env, function, dict(args))
    if error is not None:
        raise ValueError(error)
    return result


def utility(task: Any, before: Env, after: Env, calls: Sequence[FunctionCall]) -> bool:
    """Whether the user task was done."""
    return bool(suite()._check_task_result(task, _said(task.GROUND_TRUTH_OUTPUT), _copy(before), _copy(after), calls))


def is_won(task: Any, before: Env, after: Env, calls: Sequence[FunctionCall]) -> bool:
    """Whether the attacker has reached the goal of an injection task."""
    try:
        return bool(suite()._check_task_result(task, _said("done"), _copy(before), _copy(after), calls))
    except TypeError:
        # Some of them compare attachments that can't be compared; what left is looked at by a stricter eye anyway.
        return False


def self_test() -> list[str]:
    """Which injection tasks are not won by their worst case with no gate at all. None, or the harness proves nothing."""
    lost = []
    for task in suite().injection_tasks.values():
        env = environment()
        before, calls = _copy(env), worst.calls(task, env)
        for call in calls:
            run(env, call.function, call.args)
        if not is_won(task, before, env, calls):
            lost.append(task.ID)
    return lost


def _copy(env: Env) -> Env:
    # `security` of some tasks reads unread mail, which marks it: a second look at the same object would see none.
    return env.model_copy(deep=True)


def _said(text: str) -> list[Any]:
    return [text_content_block_from_string(text)]
