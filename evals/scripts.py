"""What the scripted provider says in the evals: enough of a model to see that code does its part."""

import json
import re
from typing import Any

from tests.servers.messages_api import MessagesServer, ToolUse, user_text

INSTINCT = "You are the instinct"
THINKER = "You are the thinker"
TRIAGE = "You judge one mail"

URGENT = ("cancelled", "overdue", "deadline today", "locked out", "server is down")
NOISE = ("sale", "newsletter", "digest", "unsubscribe")


def instinct(reply: str, *, thought: bool) -> str:
    """Instinct's JSON."""
    return json.dumps({"reply": reply, "needs_thought": thought})


def triage(body: dict[str, Any]) -> str:
    """A judgement by a few words: a stand-in, not a measure of judgement."""
    text = user_text(body).lower()
    if any(word in text for word in URGENT):
        verdict, consequence = "notify", 0.9
    elif any(word in text for word in NOISE):
        verdict, consequence = "ignore", 0.0
    else:
        verdict, consequence = "hold", 0.4
    return json.dumps({"verdict": verdict, "consequence": consequence, "reason": "by the words in it"})


def results_in(body: dict[str, Any]) -> list[str]:
    """The tool results that the newest message brings."""
    content = body["messages"][-1]["content"]
    blocks = content if isinstance(content, list) else []
    return [str(block.get("content")) for block in blocks if block.get("type") == "tool_result"]


def with_tool(name: str, arguments: dict[str, Any], then: str) -> Any:
    """A thinker that makes one call and then says `then`, with the result in place of {result}."""

    def answer(body: dict[str, Any]) -> Any:
        results = results_in(body)
        return then.format(result=results[0]) if results else ToolUse(name, arguments)

    return answer


def system_of(body: dict[str, Any]) -> str:
    """The system prompt as one text."""
    system = body.get("system", "")
    return system if isinstance(system, str) else " ".join(block.get("text", "") for block in system)


def by_role(server: MessagesServer, *, felt: Any, thought: Any = None) -> None:
    """Script the server: `felt` and `thought` are texts or functions of the request's body."""

    def answer(body: dict[str, Any]) -> Any:
        system = system_of(body)
        if system.startswith(TRIAGE):
            return triage(body)
        said = felt if system.startswith(INSTINCT) else thought
        return said(body) if callable(said) else said

    server.respond_with(answer)


def first_loop(body: dict[str, Any]) -> int:
    """The id of the first open loop that the system prompt names."""
    found = re.search(r"#(\d+) \[", system_of(body))
    return int(found[1]) if found else 0
