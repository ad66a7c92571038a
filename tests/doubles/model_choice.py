"""The choice of a model for tests: the default policy at an address of the test's own."""

from memory.spending import Label
from tools.choice import Choice, ModelSettings, choose
from tools.policy import Pin, Policy, load_policy
from tools.prices import load_prices

KEY = "sk-test-key-0123456789"


def choice_at(url: str, *, key: str = KEY, changed: dict[Label, dict[str, object]] | None = None) -> Choice:
    """The default policy's choice at `url`, with some keys of some pins `changed`."""
    policy = load_policy()
    pins = dict(policy.pins)
    for label, keys in (changed or {}).items():
        pins[label] = Pin.model_validate({**pins[label].model_dump(), **keys})
    settings = ModelSettings(anthropic_api_key=key, anthropic_base_url=url)
    choice = choose(settings, Policy(pins=pins, fallback=policy.fallback, models=policy.models), load_prices())
    assert choice is not None
    return choice


def hurried(seconds: float) -> dict[Label, dict[str, object]]:
    """Every deadline that a test waits for, this short."""
    return {label: {"deadline_seconds": seconds} for label in load_policy().pins}
