"""Which model answers and what writes voice down, by the settings."""

from collections.abc import Mapping

from pydantic import SecretStr

from bot.settings import Settings
from tools.choice import Choice, ModelSettings, choose
from tools.policy import LABELS, load_policy
from tools.prices import Price, load_prices
from tools.transcription.command import CommandTranscriber
from tools.transcription.openai import HttpTranscriber


def model(settings: Settings) -> Choice | None:
    """Which models answer, by the settings and the policy. Raises BadInput for what can't be used."""
    return choose(model_settings(settings), load_policy(settings.policy), load_prices())


def transcriber(settings: Settings) -> HttpTranscriber | CommandTranscriber | None:
    """What writes voice down, by the settings; the program wins over the address. Raises BadInput for bad settings."""
    if settings.transcriber_command:
        return CommandTranscriber(settings.transcriber_command, environment=settings.passed_on())
    if settings.transcriber_url:
        return HttpTranscriber(
            settings.transcriber_url, key=_secret(settings.transcriber_key), model=settings.transcriber_model
        )
    return None


def model_settings(settings: Settings) -> ModelSettings:
    """The part of the settings that is about models."""
    return ModelSettings(
        anthropic_api_key=_secret(settings.anthropic_api_key),
        anthropic_base_url=settings.anthropic_url,
        openrouter_api_key=_secret(settings.openrouter_api_key),
        ollama_url=settings.ollama_url,
        llamacpp_url=settings.llamacpp_url,
        local_model=settings.model,
        models=dict.fromkeys(LABELS, settings.model) if settings.model else {},
        prices=_prices(settings),
    )


def _secret(value: SecretStr | None) -> str | None:
    return value.get_secret_value() if value is not None else None


def _prices(settings: Settings) -> Mapping[str, Price]:
    if settings.model is None or settings.model_price_in is None or settings.model_price_out is None:
        return {}
    return {settings.model: Price(input_usd=settings.model_price_in, output_usd=settings.model_price_out)}


def said_of_model(settings: Settings) -> str | None:
    """Which model would answer, in a few words; None when none is connected. Raises BadInput for bad settings."""
    choice = model(settings)
    return choice.describe("instinct") if choice else None
