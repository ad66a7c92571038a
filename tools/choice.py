"""The choice: from settings, policy and prices to one provider and one model for each label.

The first of these that is set wins: an Anthropic key, an OpenRouter key, another base address, Ollama, llama.cpp.
With none of them there is no model, and Stillbell does without.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memory.errors import BadInput
from memory.spending import Label
from tools import provider as providers
from tools.model import ModelFailed
from tools.policy import INSTINCT_SECONDS, LABELS, Effort, Pin, Policy, Thinking
from tools.prices import Price, PriceTable
from tools.provider import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What the settings say about models. Keys are stripped of white space; an empty string is the same as none.

    `anthropic_base_url` alone is a provider of its own; beside an Anthropic key it is where that key goes.
    `local_model` is the model for every label at a provider that serves the owner's own; `models` names one for a
    label at any provider. `prices` are per million tokens, by the name under which the model is asked for.
    """

    anthropic_api_key: str | None = field(default=None, repr=False)
    anthropic_base_url: str | None = None
    openrouter_api_key: str | None = field(default=None, repr=False)
    ollama_url: str | None = None
    llamacpp_url: str | None = None
    local_model: str | None = None
    models: Mapping[Label, str] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who answers under a label and within what bounds, everything resolved.

    `model` is the name the provider is sent. `thinking` and `effort` are None where they are not sent.
    """

    label: Label
    model: str
    price: Price
    thinking: Thinking | None
    effort: Effort | None
    deadline_seconds: float
    max_tokens: int
    max_input_tokens: int
    tools: bool
    cache: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One provider and an assignment for each label that has one. `notes` are for the console and the doctor."""

    provider: Provider
    assignments: Mapping[Label, Assignment]
    notes: tuple[str, ...] = ()

    def at(self, label: Label) -> Assignment:
        """The assignment of `label`. Raises ModelFailed (*off*) when it has none."""
        found = self.assignments.get(label)
        if found is None:
            raise ModelFailed(_none_for(label), kind="off", cost_known_zero=True)
        return found

    def describe(self, label: Label) -> str:
        """Which model answers under `label`, in a few words for a person."""
        found = self.assignments.get(label)
        return f"{found.model} at {self.provider.title}" if found else _none_for(label)


def _none_for(label: Label) -> str:
    return f"no model is pinned for {label}; give it one in policy.toml or in the settings"


def choose(settings: ModelSettings, policy: Policy, prices: PriceTable) -> Choice | None:
    """The provider and the models; None when the settings name no provider.

    Raises BadInput for settings that can't be used and for a model whose price is not known.
    """
    chosen = provider_of(settings)
    if chosen is None:
        return None
    provider, notes = chosen
    resolving = _Resolving(provider, settings, policy, prices, list(notes))
    assignments = {label: found for label in LABELS if (found := resolving.assignment(label)) is not None}
    if not assignments:
        raise BadInput(
            f"{provider.title} is set up, but no model is named; name one in the settings or take the address out"
        )
    return Choice(provider=provider, assignments=assignments, notes=tuple(resolving.notes))


def provider_of(settings: ModelSettings) -> tuple[Provider, tuple[str, ...]] | None:
    """The provider that the settings ask for, with notes on what they name in vain; None when there is none."""
    if key := _given(settings.anthropic_api_key):
        return providers.anthropic(key, _given(settings.anthropic_base_url)), ()
    base_url = _given(settings.anthropic_base_url)
    if key := _given(settings.openrouter_api_key):
        unused = f"the base address {base_url} is not used: it needs an Anthropic key, and OpenRouter's key is set"
        return providers.openrouter(key), (unused,) if base_url else ()
    if base_url:
        return providers.custom(base_url), ()
    if url := _given(settings.ollama_url):
        return providers.ollama(url), ()
    if url := _given(settings.llamacpp_url):
        return providers.llamacpp(url), ()
    return None


def _given(value: str | None) -> str | None:
    return (value or "").strip() or None


@dataclass(slots=True)
class _Resolving:
    """The choice while it is being made; `notes` grow."""

    provider: Provider
    settings: ModelSettings
    policy: Policy
    prices: PriceTable
    notes: list[str]

    def assignment(self, label: Label) -> Assignment | None:
        """The label's own pin with a model that the provider has, or a donor's; None when it has to refuse."""
        own = self.policy.pins.get(label)
        if own is not None and (model := self._model_for(label, own)):
            return self._assigned(label, own, model)
        for donor in self.policy.fallback.get(label, ()):
            lent = self.policy.pins.get(donor)
            if lent is not None and (model := self._model_for(donor, lent)):
                self.notes.append(f"{label} has no model of its own and uses that of {donor}: {model}")
                return self._assigned(label, own or lent, model)
        self.notes.append(_none_for(label))
        return None

    def _model_for(self, label: Label, pin: Pin) -> str | None:
        """The name to ask the provider for, or None when it has no such model."""
        named = self.settings.models.get(label)
        if self.provider.is_local:
            return named or _given(self.settings.local_model)
        if self.provider.name == "custom":
            return named or _given(self.settings.local_model) or pin.model
        wanted = named or pin.model
        if self.provider.name == "anthropic" or "/" in wanted:
            return wanted
        traits = self.policy.models.get(wanted)
        return traits.openrouter if traits else None

    def _assigned(self, label: Label, pin: Pin, model: str) -> Assignment:
        known_as = self._known_as(model)
        is_instinct = label == "instinct"
        thinking, effort = self._thinking(label, pin, known_as)
        return Assignment(
            label=label,
            model=model,
            price=self.prices.price_of(model, *([known_as] if known_as else []), given=self.settings.prices),
            thinking=thinking,
            effort=effort,
            deadline_seconds=min(pin.deadline_seconds, INSTINCT_SECONDS) if is_instinct else pin.deadline_seconds,
            max_tokens=pin.max_tokens,
            max_input_tokens=pin.max_input_tokens,
            tools=pin.tools and not is_instinct,
            cache=pin.cache and self.provider.caches,
        )

    def _known_as(self, model: str) -> str | None:
        """The id under which the policy knows a model that goes by another name at this provider."""
        names = {traits.openrouter: known for known, traits in self.policy.models.items()}
        return model if model in self.policy.models else names.get(model)

    def _thinking(self, label: Label, pin: Pin, known_as: str | None) -> tuple[Thinking | None, Effort | None]:
        """What of thinking and effort is sent: nothing that the provider or the model would refuse."""
        if not self.provider.sends_thinking or known_as is None:
            return None, None
        if pin.thinking == "default":
            return None, pin.effort
        if pin.thinking in self.policy.models[known_as].thinking:
            return pin.thinking, pin.effort
        self.notes.append(f"{label}: {known_as} does not take thinking = {pin.thinking!r}, so it thinks as it will")
        return None, pin.effort
