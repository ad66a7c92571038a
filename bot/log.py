"""Logs: facts, one action word each, with data beside it; secrets never."""

import logging
import os
import sys
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import structlog

from bot.secrets import redact

QUIET = (
    "httpx",
    "httpx2",
    "httpcore",
    "httpcore2",
    "telegram",
    "anthropic",
    "apscheduler",
    "alembic",
    "aiosqlite",
    "asyncio",
    "caldav",
    "niquests",
    "urllib3",
    "googleapiclient",
)
"""Libraries whose INFO lines hold addresses with tokens in them, or say nothing."""

FILES = 3
FILE_BYTES = 5_000_000

Processor = Callable[[Any, str, MutableMapping[str, Any]], Mapping[str, Any]]


def redaction(secrets: Iterable[str]) -> Processor:
    """A processor that blots out every secret in every field, however deep it stands."""

    def blot(value: Any) -> Any:
        if isinstance(value, str):
            return redact(value, secrets)
        if isinstance(value, Mapping):
            return {blot(key): blot(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [blot(inner) for inner in value]
        return value if isinstance(value, int | float | bool | None) else blot(str(value))

    def process(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
        return {key: blot(value) for key, value in event.items()}

    return process


def quiet() -> None:
    """Keep the talkative libraries at warnings."""
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


class Rotating(RotatingFileHandler):
    """The log file and its two predecessors, each at most 5 MB, for their owner alone."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        file = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return os.fdopen(file, "a", encoding=self.encoding)


def start(*, level: str, secrets: Iterable[str], file: Path | None = None) -> None:
    """Log to `file`, in turns, or to standard error: for a person on a terminal, as JSON lines elsewhere."""
    for_person = file is None and sys.stderr.isatty()
    chain: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redaction(secrets),
    ]
    draw: Any = structlog.dev.ConsoleRenderer() if for_person else structlog.processors.JSONRenderer(ensure_ascii=False)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=chain, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, draw]
    )
    handler = Rotating(file) if file else logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    quiet()
    structlog.configure(
        processors=[*chain, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
