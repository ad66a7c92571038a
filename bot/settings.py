"""Settings: the only reader of the environment."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import tzlocal
from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory.backup import FOLDER
from memory.errors import BadInput
from memory.owner import Language

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES")


class Settings(BaseSettings):
    """What can be set, each by an environment variable or a line in `settings.env` in the data folder.

    Every setting has a default that works without keys, accounts or services.
    """

    model_config = SettingsConfigDict(env_prefix="STILLBELL_", extra="ignore", frozen=True, populate_by_name=True)

    home: Path = Field(default_factory=lambda: user_data_path("stillbell"), description="the data folder")
    host: str = Field(default="", description="the name of this host; a container sets it, else the machine id is used")
    zone: str = Field(default="", description="the first owner's time zone, such as Europe/Berlin; else the machine's")
    language: str = Field(default="", description="the first owner's language, en or de; else from LANG")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="debug, info, warning or error"
    )

    metrics_port: int | None = Field(
        default=None, ge=0, le=65535, description="figures for Prometheus at this port of 127.0.0.1; 0 takes a free one"
    )

    web_port: int = Field(
        default=8787, ge=0, le=65535, description="the web chat and its API, at this port of 127.0.0.1; 0 or empty: off"
    )
    web_hosts: str = Field(
        default="", description="further hosts the web chat is asked under, through a tunnel: my-pc.example.ts.net"
    )

    telegram_token: SecretStr | None = Field(default=None, description="the bot token that @BotFather gave")
    telegram_url: str = Field(default="https://api.telegram.org", description="the Bot API server")

    anthropic_api_key: SecretStr | None = Field(
        default=None, description="a key of Anthropic", validation_alias="ANTHROPIC_API_KEY"
    )
    anthropic_url: str | None = Field(default=None, description="another address that speaks the Messages API")
    openrouter_api_key: SecretStr | None = Field(
        default=None, description="a key of OpenRouter", validation_alias="OPENROUTER_API_KEY"
    )
    ollama_url: str | None = Field(default=None, description="a local Ollama, such as http://127.0.0.1:11434")
    llamacpp_url: str | None = Field(default=None, description="a llama.cpp server, such as http://127.0.0.1:8080")
    model: str | None = Field(default=None, description="one model for every label (needed with a local server)")
    model_price_in: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="USD per million input tokens of that model"
    )
    model_price_out: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="USD per million output tokens of that model"
    )

    google_client: Path | None = Field(
        default=None,
        description="the client file of your own Google project; else google-client.json in the data folder",
    )
    google_url: str | None = Field(default=None, description="another address that speaks Google's APIs")
    band: float = Field(
        default=0.3,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="how wide the band of doubt is in which the model is asked about a mail: 0 never, 1 always",
    )

    embedder: str | None = Field(
        default=None,
        description="what finds by meaning: off, or a path to a model; else the installed one (make embeddings), if any",
    )

    attach_from: str = Field(
        default="~/Documents:~/Downloads:~/Desktop",
        description="folders that files may be attached from, with : between",
    )

    notify_socket: str | None = Field(default=None, description="set by systemd", validation_alias="NOTIFY_SOCKET")
    watchdog_usec: int | None = Field(default=None, description="set by systemd", validation_alias="WATCHDOG_USEC")

    transcriber_url: str | None = Field(
        default=None, description="a server that transcribes voice as OpenAI's does (/v1/audio/transcriptions)"
    )
    transcriber_key: SecretStr | None = Field(default=None, description="the key for it, if it needs one")
    transcriber_model: str | None = Field(default=None, description="the model it is asked for (whisper-1)")
    transcriber_command: str | None = Field(
        default=None, description="a program that transcribes instead, such as: my-whisper {file}"
    )

    @field_validator(
        "telegram_token",
        "embedder",
        "anthropic_api_key",
        "openrouter_api_key",
        "transcriber_url",
        "transcriber_key",
        "transcriber_model",
        "transcriber_command",
        "google_client",
        "google_url",
        mode="before",
    )
    @classmethod
    def _blank_is_none(cls, value: str | None) -> str | None:
        return value.strip() or None if isinstance(value, str) else value

    @field_validator("web_port", mode="before")
    @classmethod
    def _blank_is_off(cls, value: str | int) -> str | int:
        return value.strip() or 0 if isinstance(value, str) else value

    @property
    def database(self) -> Path:
        """The one file that is kept."""
        return self.home / "stillbell.db"

    @property
    def files(self) -> Path:
        """Where what was sent as a file lies."""
        return self.home / "files"

    @property
    def backups(self) -> Path:
        """Where backups lie."""
        return self.home / FOLDER

    @property
    def socket(self) -> Path:
        """Where the daemon listens for the terminal and the commands."""
        return self.home / "stillbell.sock"

    @property
    def web_token(self) -> Path:
        """What lets browsers and scripts in."""
        return self.home / "web.token"

    @property
    def exclusions(self) -> Path:
        """What is never read."""
        return self.home / "exclusions.txt"

    @property
    def outgoing(self) -> Path:
        """Where the copies of what is attached lie; they are sent from there."""
        return self.home / "outgoing"

    @property
    def attach_roots(self) -> tuple[Path, ...]:
        """The folders that files may be attached from."""
        return tuple(Path(one.strip()).expanduser() for one in self.attach_from.split(":") if one.strip())

    @property
    def vault(self) -> Path:
        """Where the secrets of accounts lie."""
        return self.home / "secrets"

    @property
    def decision(self) -> Path:
        """Where the local decision model lies."""
        return self.home / "decision"

    @property
    def google_client_file(self) -> Path:
        """The client file of the owner's Google project."""
        return self.google_client or self.home / "google-client.json"

    @property
    def lock(self) -> Path:
        """The lock of the one writer."""
        return self.home / "stillbell.lock"

    @property
    def ends(self) -> Path:
        """How the last runs ended."""
        return self.home / "stillbell.ends"

    @property
    def policy(self) -> Path:
        """The owner's own model policy, if there is one."""
        return self.home / "policy.toml"

    @property
    def log(self) -> Path:
        """The daemon's log when a chat has the terminal."""
        return self.home / "stillbell.log"

    @property
    def watchdog_for(self) -> timedelta | None:
        """How long systemd waits for a sign of life; None when nobody watches."""
        return timedelta(microseconds=self.watchdog_usec) if self.watchdog_usec else None

    @property
    def host_name(self) -> str:
        """The name by which the database knows this host."""
        return self.host or _machine_id()

    @property
    def first_zone(self) -> str:
        """The zone of a new database's owner. Raises BadInput for a name that is no zone."""
        name = self.zone or tzlocal.get_localzone_name() or "UTC"
        try:
            return ZoneInfo(name).key
        except (ZoneInfoNotFoundError, ValueError, OSError, RecursionError) as error:
            raise BadInput(f"STILLBELL_ZONE={name!r} is no time zone; one looks like Europe/Berlin") from error

    @property
    def first_language(self) -> Language:
        """The language of a new database's owner."""
        spoken = self.language or os.environ.get("LC_ALL") or os.environ.get("LANG") or "en"
        return "de" if spoken.lower().startswith("de") else "en"

    def passed_on(self) -> dict[str, str]:
        """What of the environment a program of the owner's sees: where things are, and no key."""
        return {name: os.environ[name] for name in PASSED_ON if name in os.environ}

    def secrets(self) -> tuple[str, ...]:
        """Everything that may never stand in a log."""
        given = (self.telegram_token, self.anthropic_api_key, self.openrouter_api_key, self.transcriber_key)
        return tuple(secret.get_secret_value() for secret in given if secret is not None)


def load() -> Settings:
    """The settings of this process. Raises BadInput naming the variable and what is wrong with it."""
    home = Path(os.environ.get("STILLBELL_HOME") or user_data_path("stillbell")).expanduser()
    try:
        return Settings(_env_file=home / "settings.env", home=home)  # type: ignore[call-arg]
    except UnicodeDecodeError as error:
        raise BadInput(f"{home / 'settings.env'} is not UTF-8: save it anew as UTF-8 text") from error
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).upper()
        name = name if name in _UNPREFIXED else f"STILLBELL_{name}"
        raise BadInput(f"the setting {name} can't be used: {first['msg']}. See: stillbell --help") from None


_UNPREFIXED = frozenset({"ANTHROPIC_API_KEY", "OPENROUTER_API_KEY"})
"""Keys go by the names that their providers gave them."""


def _machine_id() -> str:
    for path in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        try:
            if found := path.read_text().strip():
                return found
        except OSError:
            continue
    return os.uname().nodename
