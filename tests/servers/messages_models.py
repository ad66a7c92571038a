"""The models that the local Messages API server knows, and what each of them accepts.

The ids are those of the anthropic SDK 2.14. What a model accepts is taken from the provider's documentation as it stood
in November 2026 (models overview, the pages on what is new in Opus, Sonnet and Haiku 5.5, the page on preserved
thinking). None of it was tried on the live API.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

# The models endpoint gives the epoch for a release date that is not known.
UNKNOWN_RELEASE = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """One model: its catalogue entry, and the request rules that depend on it."""

    id: str
    released: str = UNKNOWN_RELEASE
    lifecycle: str = "active"  # active, deprecated, retired: requests to a retired model fail
    retires: str | None = None
    max_output_tokens: int = 128_000
    context_tokens: int = 1_000_000
    thinking_types: frozenset[str]  # values of thinking.type that do not get a 400
    thinks_by_default: bool = True  # what happens when the request has no thinking field
    shows_thinking: bool = False  # whether thinking text comes back when display is not set
    accepts_prefill: bool = False
    accepts_forced_tools: bool = True  # tool_choice any or tool
    binds_thinking: bool = False  # a thinking block is valid only behind the very prefix it was written for
    notes_between_tools: bool = False  # text between two tool calls comes back as thinking

    @property
    def line(self) -> str:
        """The family: haiku, sonnet, opus, fable or mythos."""
        return self.id.split("-")[1]

    def thinking_type(self, requested: str | None) -> str:
        """The thinking mode in force for a request that asked for `requested` (None: did not ask)."""
        if requested is not None:
            return requested
        return "adaptive" if self.thinks_by_default else "disabled"

    def catalogue_entry(self) -> dict[str, Any]:
        """The model as GET /v1/models shows it."""
        return {
            "type": "model",
            "id": self.id,
            "display_name": self.id.replace("-", " ").title(),
            "created_at": self.released,
            "deprecated_at": None,
            "lifecycle": self.lifecycle,
            "line": self.line,
            "max_input_tokens": self.context_tokens,
            "max_tokens": self.max_output_tokens,
            "retires_at": self.retires,
            "capabilities": _capabilities(self),
        }


def _capabilities(model: KnownModel) -> dict[str, Any]:
    yes, no = {"supported": True}, {"supported": False}
    types = ("adaptive", "between_tools", "disabled", "enabled")
    levels = ("low", "medium", "high", "xhigh", "max")
    return {
        "batch": no,  # the models can, this server cannot
        "citations": no,
        "code_execution": no,
        "context_management": no,
        "effort": {**yes, **dict.fromkeys(levels, yes)},
        "image_input": yes,
        "pdf_input": yes,
        "server_tools": {**no, "web_search": no, "code_execution": no},
        "structured_outputs": yes,
        "thinking": {**yes, "types": {name: yes if name in model.thinking_types else no for name in types}},
    }


_ALWAYS = frozenset({"adaptive"})
_SWITCHABLE = frozenset({"adaptive", "disabled"})
_FIVE = KnownModel(id="claude-five", thinking_types=_SWITCHABLE)
_ALWAYS_THINKING = replace(_FIVE, thinking_types=_ALWAYS, accepts_forced_tools=False)
_BOUND = replace(_ALWAYS_THINKING, binds_thinking=True)
_FOUR_SEVEN = replace(_FIVE, thinks_by_default=False)
_FOUR_SIX = replace(_FOUR_SEVEN, thinking_types=_SWITCHABLE | {"enabled"}, shows_thinking=True)
_FOUR_FIVE = replace(
    _FOUR_SIX,
    thinking_types=frozenset({"enabled", "disabled"}),
    accepts_prefill=True,
    max_output_tokens=64_000,
    context_tokens=200_000,
)


def _catalogue(models: Iterable[KnownModel]) -> dict[str, KnownModel]:
    return {model.id: model for model in models}


MODELS: dict[str, KnownModel] = _catalogue(
    [
        replace(_BOUND, id="claude-fable-5-2", released="2026-11-09T00:00:00Z"),
        replace(_BOUND, id="claude-mythos-5-2"),
        replace(_FIVE, id="claude-haiku-5-5", released="2026-10-07T00:00:00Z", binds_thinking=True),
        replace(
            _BOUND,
            id="claude-sonnet-5-5",
            thinking_types=frozenset({"adaptive", "between_tools"}),
            notes_between_tools=True,
        ),
        replace(_BOUND, id="claude-fable-5-1"),
        replace(_BOUND, id="claude-opus-5-5", released="2026-09-22T00:00:00Z", notes_between_tools=True),
        replace(_BOUND, id="claude-mythos-5-1"),
        replace(_FIVE, id="claude-sonnet-5"),
        replace(_ALWAYS_THINKING, id="claude-fable-5"),
        replace(_ALWAYS_THINKING, id="claude-mythos-5"),
        replace(_FIVE, id="claude-opus-5", released="2026-07-24T00:00:00Z"),
        replace(_FOUR_SEVEN, id="claude-opus-4-8"),
        replace(_FOUR_SEVEN, id="claude-opus-4-7"),
        replace(_ALWAYS_THINKING, id="claude-mythos-preview", lifecycle="retired", retires="2026-06-30T00:00:00Z"),
        replace(_FOUR_SIX, id="claude-opus-4-6"),
        replace(_FOUR_SIX, id="claude-sonnet-4-6"),
        replace(_FOUR_FIVE, id="claude-haiku-4-5"),
        replace(_FOUR_FIVE, id="claude-haiku-4-5-20251001"),
        replace(_FOUR_FIVE, id="claude-opus-4-5", lifecycle="deprecated", retires="2027-01-22T00:00:00Z"),
        replace(_FOUR_FIVE, id="claude-opus-4-5-20251101", lifecycle="deprecated", retires="2027-01-22T00:00:00Z"),
        replace(_FOUR_FIVE, id="claude-sonnet-4-5", lifecycle="deprecated", retires="2026-11-30T00:00:00Z"),
        replace(_FOUR_FIVE, id="claude-sonnet-4-5-20250929", lifecycle="deprecated", retires="2026-11-30T00:00:00Z"),
    ]
)
