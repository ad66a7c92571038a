"""A tool call whose arguments nobody can read."""

from dataclasses import dataclass

from tools.model import ToolCall


@dataclass(frozen=True, slots=True)
class GarbledCall(ToolCall):
    """The model wrote something that is no JSON object where the arguments belong; `arguments` is empty.

    It must not be carried out, not even by a tool that needs no arguments: answer it with an error result, so that the
    model can try again. `wrote` is the beginning of what stood there.
    """

    wrote: str
