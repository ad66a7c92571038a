"""The model port: words in, words out, and nothing else.

The port knows labels, not model names: which model answers under a label, with how much thinking and until when, stands
in the policy file. An adapter (tools/claude) translates to and from one provider's protocol.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from memory.errors import OutOfReach
from memory.spending import Label

FailureKind = Literal["deadline", "refused", "overloaded", "unreachable", "garbled", "cut", "rejected", "off"]


class ModelFailed(OutOfReach):
    """The model gave no usable answer. `kind` says how; `cost_known_zero` that it certainly cost nothing."""

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind,
        cost_known_zero: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.cost_known_zero = cost_known_zero


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it. `schema` is the JSON schema of its arguments, an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wishes to make. The arguments are whatever it wrote: nobody has checked them."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call, as data for the model."""

    call_id: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture, as bytes in a file. `media_type` is one of memory.file.IMAGE_TYPES, as the bytes themselves show it."""

    path: Path
    media_type: str


IMAGE_MAX_BYTES = 5 * 1024 * 1024 * 3 // 4
"""The provider takes 5 MB of base64 for an image, so three quarters of that as bytes."""

IMAGES_MAX = 10
"""So many pictures stand in one request at most."""


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the conversation that a model is shown.

    For the owner's side: text with images, or the results of tools. For the model's side: text, or `raw`, the blocks of an earlier
    answer exactly as they came (they are bound to the model that made them and may not be rewritten).
    """

    by: Literal["owner", "model"]
    text: str = ""
    results: tuple[ToolResult, ...] = ()
    raw: tuple[Mapping[str, Any], ...] = ()
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request. With `schema` the answer's text is JSON of that shape (the adapter asks for it; code still checks)."""

    label: Label
    system: str
    messages: Sequence[Said]
    tools: Sequence[ToolSpec] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer. Token counts are the provider's own."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    raw: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)
    stop: Literal["end", "tools", "length", "refused", "window", "paused"] = "end"
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class Model(Protocol):
    """Answers requests. Implementations keep the label's own deadline and raise ModelFailed or CapReached."""

    async def ask(self, ask: Ask) -> Answer:
        """One request, one answer."""
        ...

    def describe(self, label: Label) -> str:
        """Which model answers under `label`, in a few words for a person ("claude-haiku-5-5 at Anthropic")."""
        ...
