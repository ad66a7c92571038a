"""The policy file, and what follows from it together with the settings."""

from pathlib import Path
from typing import Any

import pytest

from memory.errors import BadInput
from tools.choice import Choice, ModelSettings, choose
from tools.model import ModelFailed
from tools.policy import LABELS, Policy, load_policy
from tools.prices import Price, load_prices

FREE = Price(input_usd=0, output_usd=0)
KEY = "sk-test-0123456789"


def chosen(settings: ModelSettings, policy: Policy | None = None) -> Choice:
    """The choice for these settings, which must be one."""
    choice = choose(settings, policy or load_policy(), load_prices())
    assert choice is not None
    return choice


def override(folder: Path, text: str) -> Policy:
    """The policy with the owner's file over it."""
    path = folder / "policy.toml"
    path.write_text(text, "utf-8")
    return load_policy(path)


def without(*labels: str) -> Policy:
    """The default policy, these pins taken out."""
    document = load_policy().model_dump()
    document["pins"] = {label: pin for label, pin in document["pins"].items() if label not in labels}
    return Policy.model_validate(document)


# The file.


def test_the_default_pins_every_label() -> None:
    assert set(load_policy().pins) == set(LABELS)


def test_instinct_does_not_think_has_no_tools_and_answers_inside_three_seconds() -> None:
    instinct = load_policy().pins["instinct"]
    assert (instinct.thinking, instinct.effort, instinct.tools) == ("disabled", "low", False)
    assert instinct.deadline_seconds == 2.5


def test_no_pin_of_haiku_reaches_into_the_dear_tier() -> None:
    tier = load_prices().models["claude-haiku-5-5"].long_prompt
    assert tier is not None
    pins = [pin for pin in load_policy().pins.values() if pin.model == "claude-haiku-5-5"]
    assert pins
    assert all(pin.max_input_tokens <= tier.above_tokens for pin in pins)


def test_the_owner_changes_one_key_and_the_rest_stays(tmp_path: Path) -> None:
    changed = override(tmp_path, '[pins.thinker]\neffort = "high"\n')
    before = load_policy().pins["thinker"]
    assert changed.pins["thinker"] == before.model_copy(update={"effort": "high"})
    assert changed.pins["instinct"] == load_policy().pins["instinct"]


def test_without_a_file_of_the_owners_the_default_holds(tmp_path: Path) -> None:
    assert load_policy(tmp_path / "policy.toml") == load_policy()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("[pins.thinker]\neffrot = 'high'\n", "pins.thinker.effrot is not a setting", id="unknown key"),
        pytest.param("[pin.thinker]\neffort = 'high'\n", "pin is not a setting", id="unknown table"),
        pytest.param("[pins.thinkr]\nmodel = 'm'\n", "pins.thinkr", id="unknown label"),
        pytest.param("[pins.thinker]\nmax_tokens = 0\n", "pins.thinker.max_tokens", id="no tokens"),
        pytest.param("[pins.thinker]\neffort = 'huge'\n", "pins.thinker.effort", id="unknown effort"),
        pytest.param("[pins.instinct]\ntools = true\n", "pins.instinct.tools", id="tools for instinct"),
        pytest.param("[pins.instinct]\ndeadline_seconds = 3\n", "pins.instinct.deadline_seconds", id="slow instinct"),
        pytest.param("[fallback]\ndiagnose = ['thinker']\n", "fallback.diagnose", id="diagnose falls back"),
        pytest.param("[pins.diagnose]\nthinking = 'disabled'\n", "pins.diagnose.thinking", id="opus must think"),
        pytest.param("[pins.thinker]\nthinking = 'disabled'\n", "pins.thinker.thinking", id="sonnet must think"),
        pytest.param("[pins.triage]\neffort = 'max'\n", "pins.triage", id="effort without thinking"),
        pytest.param("[pins.thinker\n", "is not TOML", id="no TOML"),
    ],
)
def test_what_is_wrong_in_the_owners_file_is_named_with_file_and_key_and_what_to_do(
    tmp_path: Path, text: str, named: str
) -> None:
    with pytest.raises(BadInput) as refused:
        override(tmp_path, text)
    assert named in str(refused.value)
    assert str(tmp_path / "policy.toml") in str(refused.value)
    assert "orrect" in str(refused.value)


def test_a_policy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").mkdir()
    with pytest.raises(BadInput, match="can't be read"):
        load_policy(tmp_path / "policy.toml")


# The provider.


def test_without_any_setting_there_is_no_model() -> None:
    assert choose(ModelSettings(), load_policy(), load_prices()) is None


def test_blank_settings_are_no_settings() -> None:
    blank = ModelSettings(anthropic_api_key=" \n", openrouter_api_key="", anthropic_base_url="", ollama_url=" ")
    assert choose(blank, load_policy(), load_prices()) is None


LOCAL: dict[str, Any] = {"local_model": "qwen", "prices": {"qwen": FREE}}


@pytest.mark.parametrize(
    ("settings", "name", "address"),
    [
        pytest.param({"anthropic_api_key": KEY}, "anthropic", "https://api.anthropic.com", id="anthropic"),
        pytest.param({"openrouter_api_key": KEY}, "openrouter", "https://openrouter.ai/api", id="openrouter"),
        pytest.param(
            {"ollama_url": "http://127.0.0.1:11434", **LOCAL}, "ollama", "http://127.0.0.1:11434", id="ollama"
        ),
        pytest.param(
            {"llamacpp_url": "http://127.0.0.1:8080", **LOCAL}, "llamacpp", "http://127.0.0.1:8080", id="llama"
        ),
        pytest.param({"anthropic_base_url": "http://10.0.0.2:9"}, "custom", "http://10.0.0.2:9", id="another address"),
        pytest.param(
            {"anthropic_api_key": KEY, "anthropic_base_url": "http://10.0.0.2:9"},
            "anthropic",
            "http://10.0.0.2:9",
            id="another address that takes the key",
        ),
    ],
)
def test_the_settings_choose_the_provider(settings: dict[str, Any], name: str, address: str) -> None:
    provider = chosen(ModelSettings(**settings)).provider
    assert (provider.name, provider.base_url) == (name, address)


def test_an_anthropic_key_wins_over_everything() -> None:
    everything = ModelSettings(
        anthropic_api_key=KEY,
        openrouter_api_key="other",
        ollama_url="http://127.0.0.1:11434",
        llamacpp_url="http://127.0.0.1:8080",
        **LOCAL,
    )
    assert chosen(everything).provider.name == "anthropic"


def test_an_address_that_goes_unused_is_said() -> None:
    choice = chosen(ModelSettings(openrouter_api_key=KEY, anthropic_base_url="http://10.0.0.2:9"))
    assert any("http://10.0.0.2:9 is not used" in note for note in choice.notes)


def test_openrouter_is_asked_for_models_by_its_own_names() -> None:
    choice = chosen(ModelSettings(openrouter_api_key=KEY))
    assert choice.at("instinct").model == "anthropic/claude-haiku-5.5"
    assert choice.at("instinct").price == load_prices().models["claude-haiku-5-5"]
    assert choice.at("instinct").thinking == "disabled"


def test_a_key_with_strange_characters_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadInput, match="copy it once more") as refused:
        chosen(ModelSettings(anthropic_api_key="sk-test\n-secret"))
    assert "secret" not in str(refused.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="no http or https address"):
        chosen(ModelSettings(ollama_url="localhost:11434", **LOCAL))


def test_no_key_shows_when_settings_or_choice_are_printed() -> None:
    settings = ModelSettings(anthropic_api_key=KEY, openrouter_api_key=KEY)
    assert KEY not in repr(settings) + repr(chosen(settings))


# Models.


def test_a_setting_names_the_model_of_one_label() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY, models={"thinker": "claude-opus-5-5"}))
    assert choice.at("thinker").model == "claude-opus-5-5"
    assert choice.at("draft").model == "claude-sonnet-5-5"


def test_thinking_is_never_disabled_on_a_model_that_always_thinks() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY, models={"instinct": "claude-opus-5-5"}))
    assert choice.at("instinct").thinking is None
    assert any("instinct" in note and "thinks as it will" in note for note in choice.notes)


def test_a_local_model_is_sent_neither_thinking_nor_effort() -> None:
    choice = chosen(ModelSettings(ollama_url="http://127.0.0.1:11434", **LOCAL))
    sent = [(choice.at(label).thinking, choice.at(label).effort) for label in LABELS]
    assert sent == [(None, None)] * len(LABELS)


def test_a_model_nobody_knows_is_sent_neither_thinking_nor_effort() -> None:
    settings = ModelSettings(anthropic_api_key=KEY, models={"triage": "claude-next"}, prices={"claude-next": FREE})
    assigned = chosen(settings).at("triage")
    assert (assigned.thinking, assigned.effort) == (None, None)


def test_a_model_without_a_price_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadInput, match=r"'qwen'.*give its price.*0 is fine"):
        chosen(ModelSettings(ollama_url="http://127.0.0.1:11434", local_model="qwen"))


def test_a_price_of_zero_is_a_price() -> None:
    assert chosen(ModelSettings(ollama_url="http://127.0.0.1:11434", **LOCAL)).at("thinker").price == FREE


def test_a_price_in_the_settings_wins_over_the_table() -> None:
    dear = Price(input_usd=7, output_usd=7)
    choice = chosen(ModelSettings(anthropic_api_key=KEY, prices={"claude-haiku-5-5": dear}))
    assert choice.at("instinct").price == dear


# Absent pins.


def test_an_absent_pin_falls_back_in_the_declared_order_and_says_so() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY), without("triage"))
    assert choice.at("triage").model == "claude-haiku-5-5"
    assert choice.notes == ("triage has no model of its own and uses that of extract: claude-haiku-5-5",)


def test_the_fallback_goes_on_when_the_first_donor_is_absent_too() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY), without("draft", "thinker"))
    assert choice.at("draft").model == "claude-haiku-5-5"
    assert any("draft" in note and "instinct" in note for note in choice.notes)


def test_instinct_keeps_its_deadline_and_has_no_tools_whatever_pin_it_borrows() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY), without("instinct", "triage", "extract", "draft"))
    assert choice.at("instinct").model == "claude-sonnet-5-5"
    assert choice.at("instinct").deadline_seconds == 2.5
    assert not choice.at("instinct").tools


def test_diagnose_refuses_when_its_pin_is_absent() -> None:
    choice = chosen(ModelSettings(anthropic_api_key=KEY), without("diagnose"))
    with pytest.raises(ModelFailed, match="no model is pinned for diagnose") as refused:
        choice.at("diagnose")
    assert (refused.value.kind, refused.value.cost_known_zero) == ("off", True)
    assert any("diagnose" in note for note in choice.notes)
    assert "no model" in choice.describe("diagnose")


def test_the_owner_takes_a_pin_away_with_false(tmp_path: Path) -> None:
    policy = override(tmp_path, "[pins]\ndiagnose = false\ntriage = false\n")
    choice = chosen(ModelSettings(anthropic_api_key=KEY), policy)
    assert set(choice.assignments) == set(LABELS) - {"diagnose"}


def test_a_local_provider_with_one_named_model_serves_the_labels_that_fall_back_to_it() -> None:
    settings = ModelSettings(ollama_url="http://127.0.0.1:11434", models={"thinker": "qwen"}, prices={"qwen": FREE})
    choice = chosen(settings)
    assert choice.at("instinct").model == "qwen"
    assert choice.at("instinct").max_tokens == load_policy().pins["instinct"].max_tokens
    with pytest.raises(ModelFailed):
        choice.at("diagnose")


def test_a_local_provider_without_any_model_is_refused() -> None:
    with pytest.raises(BadInput, match="no model is named"):
        chosen(ModelSettings(llamacpp_url="http://127.0.0.1:8080"))


def test_a_model_is_described_for_a_person() -> None:
    assert chosen(ModelSettings(anthropic_api_key=KEY)).describe("instinct") == "claude-haiku-5-5 at Anthropic"
