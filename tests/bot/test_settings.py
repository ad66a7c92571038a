"""Settings: all of them have a default that works, and a wrong one is named."""

from pathlib import Path
from typing import Any

import pytest

from bot.settings import Settings, load
from memory.errors import BadInput


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STILLBELL_HOME", str(tmp_path))
    return tmp_path


def test_every_setting_says_what_it_is_for() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name


def test_nothing_needs_to_be_set(home: Path) -> None:
    settings = load()
    assert (settings.telegram_token, settings.anthropic_api_key, settings.openrouter_api_key) == (None, None, None)
    assert settings.secrets() == ()
    assert settings.host_name
    assert settings.first_zone
    assert settings.first_language in ("en", "de")
    assert {settings.database, settings.socket, settings.lock, settings.policy, settings.log} == {
        home / name for name in ("stillbell.db", "stillbell.sock", "stillbell.lock", "policy.toml", "stillbell.log")
    }


def test_the_data_folder_is_in_the_home_of_whoever_runs_it() -> None:
    assert load().home.is_relative_to(Path.home())


def test_a_tilde_is_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLBELL_HOME", "~/bell")
    assert load().home == Path.home() / "bell"


def test_the_file_in_the_data_folder_is_read_and_the_environment_goes_first(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "settings.env").write_text(
        "STILLBELL_ZONE=Asia/Tokyo\nSTILLBELL_HOST=attic\nANTHROPIC_API_KEY=sk-file\nSOMEBODY_ELSES=1\n"
    )
    monkeypatch.setenv("STILLBELL_HOST", "cellar")
    settings = load()
    assert (settings.first_zone, settings.host_name) == ("Asia/Tokyo", "cellar")
    assert settings.anthropic_api_key is not None
    assert settings.anthropic_api_key.get_secret_value() == "sk-file"


@pytest.mark.parametrize("name", ["STILLBELL_TELEGRAM_TOKEN", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"])
def test_a_secret_is_never_spelled_out(home: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "  s3cret-value ")
    settings = load()
    assert settings.secrets() == ("s3cret-value",)
    assert "s3cret" not in repr(settings) + str(settings) + str(settings.model_dump())


@pytest.mark.parametrize("name", ["STILLBELL_TELEGRAM_TOKEN", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"])
@pytest.mark.parametrize("blank", ["", "   "])
def test_a_line_left_blank_is_not_set(home: Path, monkeypatch: pytest.MonkeyPatch, name: str, blank: str) -> None:
    monkeypatch.setenv(name, blank)
    assert load().secrets() == ()


def test_a_value_that_can_not_be_used_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLBELL_MODEL_PRICE_IN", "cheap")
    with pytest.raises(BadInput, match="MODEL_PRICE_IN") as caught:
        load()
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "Berlin", "/etc/localtime"])
def test_a_zone_that_is_none_is_named(home: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("STILLBELL_ZONE", zone)
    with pytest.raises(BadInput, match="STILLBELL_ZONE"):
        _ = load().first_zone


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "de_AT"}, "de"),
        ({"LANG": "de_DE.UTF-8", "STILLBELL_LANGUAGE": "en"}, "en"),
        ({"LANG": "en_GB.UTF-8", "STILLBELL_LANGUAGE": "DE"}, "de"),
        ({}, "en"),
    ],
    ids=str,
)
def test_the_first_language_is_that_of_the_machine_unless_set(
    home: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], language: str
) -> None:
    monkeypatch.delenv("LANG", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert load().first_language == language


def test_settings_do_not_change(home: Path) -> None:
    settings: Any = load()
    with pytest.raises(ValueError, match="frozen"):
        settings.host = "other"
