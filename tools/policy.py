"""The policy: which model answers under which label, how hard it thinks, and until when.

policy.toml beside this file is the default; a file of that shape in the data folder overrides it key by key.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memory.errors import BadInput
from memory.spending import Label

DEFAULT = Path(__file__).with_name("policy.toml")

LABELS: tuple[Label, ...] = get_args(Label)

Thinking = Literal["disabled", "adaptive", "between_tools", "default"]
"""What is asked for; *default* asks for nothing and takes what the model does by itself."""

Effort = Literal["low", "medium", "high", "xhigh", "max"]

INSTINCT_SECONDS = 2.5
"""The most that instinct may take: the owner has an answer inside three seconds, and sending it takes time too."""

MOST_OUTPUT_TOKENS = 128_000
"""What the 5.x models can write in one answer."""


class Pin(BaseModel):
    """What is pinned under one label."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: Annotated[str, Field(min_length=1)]
    deadline_seconds: Annotated[float, Field(gt=0, le=3600)]
    max_tokens: Annotated[int, Field(gt=0, le=MOST_OUTPUT_TOKENS)]
    max_input_tokens: Annotated[int, Field(gt=0)]
    thinking: Thinking = "default"
    effort: Effort | None = None
    tools: bool = False
    cache: bool = False

    @model_validator(mode="after")
    def _thinks_as_hard_as_it_may(self) -> Self:
        if self.thinking in ("disabled", "between_tools") and self.effort in ("xhigh", "max"):
            raise ValueError(f"effort {self.effort!r} needs thinking = 'adaptive'; lower it to 'high' or let it think")
        return self


class ModelTraits(BaseModel):
    """What is known of a model: the values of `thinking` it takes, and its name at OpenRouter."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    thinking: frozenset[Thinking]
    openrouter: str | None = None


class Policy(BaseModel):
    """The whole policy. A label without a pin falls back in the declared order, diagnose excepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pins: Mapping[Label, Pin]
    fallback: Mapping[Label, tuple[Label, ...]] = {}
    models: Mapping[str, ModelTraits] = {}

    @model_validator(mode="after")
    def _keeps_the_rules_of_labels(self) -> Self:
        instinct = self.pins.get("instinct")
        if instinct is not None and instinct.tools:
            raise ValueError("pins.instinct.tools: instinct has no tools; leave it at false")
        if instinct is not None and instinct.deadline_seconds > INSTINCT_SECONDS:
            raise ValueError(f"pins.instinct.deadline_seconds: instinct may take {INSTINCT_SECONDS} seconds at most")
        if self.fallback.get("diagnose"):
            raise ValueError("fallback.diagnose: diagnose does not fall back; without its own pin it refuses")
        for label, pin in self.pins.items():
            self._check_thinking(label, pin)
        return self

    def _check_thinking(self, label: Label, pin: Pin) -> None:
        traits = self.models.get(pin.model)
        if traits is not None and pin.thinking not in (*traits.thinking, "default"):
            accepted = ", ".join(sorted(traits.thinking))
            raise ValueError(f"pins.{label}.thinking: {pin.model} does not take {pin.thinking!r}; it takes {accepted}")


def load_policy(override: Path | None = None) -> Policy:
    """The default policy, with the owner's file over it where that exists.

    Raises BadInput when the file can't be read or names something that does not exist; the message says file and key.
    """
    document = tomllib.loads(DEFAULT.read_text("utf-8"))
    if override is None or not override.exists():
        return Policy.model_validate(document)
    try:
        given = tomllib.loads(override.read_text("utf-8"))
        return Policy.model_validate(_over(document, given))
    except OSError as error:
        raise BadInput(f"{override} can't be read ({error.strerror}); check its owner and mode") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{override} is not TOML: {error}; correct it or move it away, then start again") from error
    except ValidationError as error:
        raise BadInput(_complaint(override, error)) from error


def _over(document: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` laid over `document`, table by table; false takes a table away."""
    merged = dict(document)
    for key, value in given.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _over(below, value)
        elif isinstance(below, dict) and value is False:
            del merged[key]
        else:
            merged[key] = value
    return merged


def _complaint(path: Path, error: ValidationError) -> str:
    faults = [_fault(detail["loc"], detail["msg"], detail["type"]) for detail in error.errors()]
    return f"{path}: {'; '.join(faults)}. Correct or remove what is named, then start again"


def _fault(location: tuple[int | str, ...], message: str, kind: str) -> str:
    key = ".".join(str(part) for part in location if part != "[key]")
    if kind == "extra_forbidden":
        return f"{key} is not a setting of the policy"
    if location[-1:] == ("[key]",):
        return f"{key} is not a label; the labels are {', '.join(LABELS)}"
    said = message.removeprefix("Value error, ")
    return f"{key}: {said}" if key else said
