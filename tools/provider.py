"""Providers: who runs the model, where, and what of the Messages API they understand."""

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from memory.errors import BadInput

ANTHROPIC_URL = "https://api.anthropic.com"
OPENROUTER_URL = "https://openrouter.ai/api"
OLLAMA_URL = "http://127.0.0.1:11434"
LLAMACPP_URL = "http://127.0.0.1:8080"

NO_KEY = "none"
"""Sent where no key is needed. Without any, the SDK would look for one by itself and hand it to whoever listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One address that speaks the Messages API (/v1/messages is added to `base_url`).

    `sends_thinking`: it understands `thinking` and `effort`; `sends_schema`: it holds an answer to a JSON schema, where
    others are only asked to; `caches`: it takes `cache_control` for the whole prompt; `sees`: its models read pictures.
    """

    name: Literal["anthropic", "openrouter", "ollama", "llamacpp", "custom"]
    title: str
    base_url: str
    api_key: str = field(default=NO_KEY, repr=False)
    sends_thinking: bool = False
    sends_schema: bool = False
    caches: bool = False
    sees: bool = False

    def __post_init__(self) -> None:
        """An address or a key that can't be used is named before the first call fails on it."""
        parts = address(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(
                "the address of the model's provider is no http or https address; correct it in the settings"
            )
        if not self.api_key.isascii() or not self.api_key.isprintable() or " " in self.api_key or not self.api_key:
            raise BadInput(f"the key for {self.title} holds characters that no key has; copy it once more, whole")

    @property
    def is_local(self) -> bool:
        """Whether it serves the owner's own models, which have to be named in the settings."""
        return self.name in ("ollama", "llamacpp")


def address(url: str) -> SplitResult:
    """The parts of an address; empty ones for what is none (an open bracket makes the library raise)."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _host(url: str) -> str:
    """Where it is, without the name and password that an address may hold."""
    return address(url).netloc.rpartition("@")[2] or "that address"


def anthropic(api_key: str, base_url: str | None = None) -> Provider:
    """Anthropic, or whatever stands at `base_url` and takes the key in its place."""
    url = base_url or ANTHROPIC_URL
    title = "Anthropic" if url.rstrip("/") == ANTHROPIC_URL else f"Anthropic by way of {_host(url)}"
    return Provider(
        name="anthropic",
        title=title,
        base_url=url,
        api_key=api_key,
        sends_thinking=True,
        sends_schema=True,
        caches=True,
        sees=True,
    )


def openrouter(api_key: str) -> Provider:
    """OpenRouter's endpoint for the Messages API."""
    return Provider(
        name="openrouter",
        title="OpenRouter",
        base_url=OPENROUTER_URL,
        api_key=api_key,
        sends_thinking=True,
        sends_schema=True,
        sees=True,
    )


def custom(base_url: str) -> Provider:
    """Some other server that needs no key from us; it is sent what a Claude model takes when it serves one."""
    title = f"the server at {_host(base_url)}"
    return Provider(name="custom", title=title, base_url=base_url, sends_thinking=True)


def ollama(base_url: str = OLLAMA_URL) -> Provider:
    """Ollama on this machine or the owner's network."""
    return Provider(name="ollama", title="Ollama", base_url=base_url)


def llamacpp(base_url: str = LLAMACPP_URL) -> Provider:
    """llama.cpp's own server."""
    return Provider(name="llamacpp", title="llama.cpp", base_url=base_url)
