"""The container and the unit, read as text: no engine runs here, so what matters about them is looked up in them."""

import configparser
import re
import shlex
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from bot.__main__ import app
from bot.ends import WAITS_S
from bot.settings import Settings
from bot.wiring import LAST_WORDS_FOR
from bot.worker import GRACE_FOR, STALLED_AFTER_S
from memory.sql.opening import MIGRATIONS

ROOT = Path(__file__).parents[1]
SECRETS = re.compile(r"TOKEN|API_KEY|PASSWORD|SECRET", re.IGNORECASE)
UNITS_S = {"s": 1, "sec": 1, "min": 60, "h": 3600}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, broken lines joined."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def all_of(word: str) -> list[str]:
    return [rest for instruction, rest in instructions() if instruction == word]


def copied() -> list[str]:
    """What is taken out of the checkout."""
    found = [shlex.split(rest) for rest in all_of("COPY")]
    return [source for words in found if not words[0].startswith("--from") for source in words[:-1]]


def span(text: str) -> timedelta:
    """A time such as "30s" or "3min"."""
    found = re.fullmatch(r"(\d+)\s*([a-z]+)", text)
    assert found is not None, text
    return timedelta(seconds=int(found[1]) * UNITS_S[found[2]])


@pytest.fixture(scope="module")
def service() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["stillbell"]


@pytest.fixture(scope="module")
def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(ROOT / "docs" / "stillbell.service")
    return parser


def is_a_command(words: list[str]) -> bool:
    """Whether the command line knows this command with these options."""
    command = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)}
    return set(words[1:]) <= known


# --- the image ---


def test_everything_that_is_copied_is_there() -> None:
    assert copied()
    assert [source for source in copied() if not (ROOT / source).exists()] == []


def test_every_package_and_the_migrations_are_in_the_image() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"evals"}
    assert packages <= set(copied())
    # They are looked for beside the packages.
    assert MIGRATIONS == ROOT / "alembic"
    assert "alembic" in copied()


def test_what_is_copied_is_let_through_and_nothing_else_is() -> None:
    lines = (ROOT / ".dockerignore").read_text().split()
    assert lines[0] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == set(copied())


def test_what_is_installed_is_checked_by_its_hashes() -> None:
    installs = [command for rest in all_of("RUN") for command in rest.split("&&") if "pip install" in command]
    assert len(installs) == 2
    assert all("--require-hashes -r requirements/run.lock" in command or "--no-deps" in command for command in installs)
    assert "--hash=sha256:" in (ROOT / "requirements" / "run.lock").read_text()


def test_the_base_is_the_python_that_is_asked_for_by_its_tag() -> None:
    bases = [rest.split()[0] for rest in all_of("FROM")]
    assert len(bases) == 2
    assert {base.partition("-")[0] for base in bases} == {"python:3.11"}


def test_it_runs_as_nobody_special_and_keeps_everything_in_one_volume() -> None:
    assert all_of("USER") == ["stillbell"]
    assert all_of("VOLUME") == ["/data"]
    assert any("STILLBELL_HOME=/data" in rest for rest in all_of("ENV"))
    last = [word for word, _ in instructions()]
    assert last.index("USER") > len(last) - 1 - last[::-1].index("RUN")


@pytest.mark.parametrize("word", ["ENTRYPOINT", "CMD"])
def test_signals_reach_the_process_because_no_shell_stands_between(word: str) -> None:
    (form,) = all_of(word)
    assert form.startswith("[")
    assert form.endswith("]")


def test_what_the_image_runs_is_a_command() -> None:
    (entry,), (command,), (check,) = all_of("ENTRYPOINT"), all_of("CMD"), all_of("HEALTHCHECK")
    assert yaml.safe_load(entry) == ["stillbell"]
    assert is_a_command(yaml.safe_load(command))
    words = yaml.safe_load(check.partition("CMD ")[2])
    assert words[0] == "stillbell"
    assert is_a_command(words[1:])


def test_no_layer_holds_a_secret() -> None:
    assert [rest for word, rest in instructions() if word in ("ENV", "ARG") and SECRETS.search(rest)] == []
    assert not any("env" in source.rsplit("/", 1)[-1] for source in copied() if "." in source)


# --- compose ---


def test_the_container_has_one_volume_no_port_and_nothing_it_does_not_need(service: Any) -> None:
    assert service["volumes"] == ["stillbell:/data"]
    assert "ports" not in service
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"privileged", "network_mode", "cap_add", "user"} & set(service)


def test_a_new_container_is_the_same_host(service: Any) -> None:
    assert service["environment"]["STILLBELL_HOST"]


def test_every_variable_that_compose_sets_is_a_setting(service: Any) -> None:
    known = {f"STILLBELL_{name.upper()}" for name in Settings.model_fields}
    assert set(service["environment"]) <= known
    assert not any(SECRETS.search(name) for name in service["environment"])
    assert service["env_file"] == [{"path": "stillbell.env", "required": False}]


def test_there_is_time_to_finish_what_is_in_hand(service: Any, unit: configparser.ConfigParser) -> None:
    needed = GRACE_FOR + LAST_WORDS_FOR
    assert span(service["stop_grace_period"]) > needed
    assert span(unit["Service"]["TimeoutStopSec"]) > needed


# --- systemd ---


def test_the_unit_waits_for_ready_and_watches(unit: configparser.ConfigParser) -> None:
    service = unit["Service"]
    assert service["Type"] == "notify"
    # A worker counts as stalled, and two signs of life are due, within its patience.
    assert span(service["WatchdogSec"]) > timedelta(seconds=STALLED_AFTER_S)
    assert service["Restart"] == "on-failure"


def test_the_unit_has_the_patience_for_a_start_that_waits_after_a_crash_loop(unit: configparser.ConfigParser) -> None:
    assert span(unit["Service"]["TimeoutStartSec"]) > timedelta(seconds=max(WAITS_S) + 60)
    # systemd itself gives up after five starts in ten seconds: those that come first don't wait.
    assert span(unit["Service"]["RestartSec"]) + timedelta(seconds=sum(WAITS_S[:5])) >= timedelta(seconds=10)


def test_the_unit_starts_the_daemon_in_its_own_folder(unit: configparser.ConfigParser) -> None:
    service = unit["Service"]
    words = service["ExecStart"].split()
    assert words[0].endswith("/.venv/bin/stillbell")
    assert is_a_command(words[1:])
    assert service["Environment"] == f"STILLBELL_HOME=/var/lib/{service['StateDirectory']}"
    assert service["User"] != "root"


def test_the_unit_may_write_nowhere_else(unit: configparser.ConfigParser) -> None:
    service = unit["Service"]
    assert service["ProtectSystem"] == "strict"
    assert "ReadWritePaths" not in service
    assert service["CapabilityBoundingSet"] == ""
    assert [service[name] for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp")] == ["yes"] * 3
    assert set(service["RestrictAddressFamilies"].split()) == {"AF_INET", "AF_INET6", "AF_UNIX"}
