"""The vault: secrets in files for their owner's eyes alone, each in one step, none outside the folder."""

import os
import stat
from pathlib import Path

import pytest

from memory.errors import BadInput, NotFound, OutOfReach, Refused
from tools.vault import Vault

SECRET = "a word that nobody guesses"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "home" / "secrets")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_secret_is_kept_and_replaced_and_forgotten(vault: Vault) -> None:
    assert not vault.has("work")
    vault.put("work", SECRET)
    assert (vault.has("work"), vault.get("work")) == (True, SECRET)
    vault.put("work", "another")
    assert vault.get("work") == "another"
    vault.drop("work")
    assert not vault.has("work")
    vault.drop("work")


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_nobody_else_can_read_a_secret_or_look_into_the_folder(vault: Vault, umask: int) -> None:
    before = os.umask(umask)
    try:
        vault.put("work", SECRET)
    finally:
        os.umask(before)
    assert mode(vault.folder) == 0o700
    assert [mode(path) for path in vault.folder.iterdir()] == [0o600]


def test_a_folder_that_stood_open_is_closed(vault: Vault) -> None:
    vault.folder.mkdir(parents=True)
    vault.folder.chmod(0o755)
    vault.put("work", SECRET)
    assert mode(vault.folder) == 0o700


def test_a_secret_that_others_can_read_is_not_used(vault: Vault) -> None:
    vault.put("work", SECRET)
    vault.path("work").chmod(0o640)
    with pytest.raises(Refused, match="chmod 600"):
        vault.get("work")
    vault.path("work").chmod(0o600)
    assert vault.get("work") == SECRET


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../work", "a/b", "/etc/passwd", ".hidden", "a..json", "a\0b", "a\n", "-x", "x" * 41, "wörk"],
)
def test_no_name_leads_out_of_the_folder(vault: Vault, name: str) -> None:
    for ask in (vault.path, vault.get, vault.has, vault.drop, lambda name: vault.put(name, SECRET)):
        with pytest.raises(BadInput):
            ask(name)
    assert not vault.folder.exists()


def test_a_secret_that_is_not_there_is_asked_for_again(vault: Vault) -> None:
    with pytest.raises(NotFound, match="stillbell accounts renew work"):
        vault.get("work")


def test_a_secret_that_a_hand_wrote_may_end_with_its_line(vault: Vault) -> None:
    vault.put("work", f" {SECRET} \r\n")
    assert vault.get("work") == f" {SECRET} "


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_what_cant_be_kept_leaves_what_was_there_and_nothing_else(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    vault.put("work", SECRET)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fails, full) if fails == "fsync" else monkeypatch.setattr(Path, fails, full)
    with pytest.raises(OutOfReach, match="No space left"):
        vault.put("work", "another")
    monkeypatch.undo()
    assert vault.get("work") == SECRET
    assert [path.name for path in vault.folder.iterdir()] == ["work"]


def test_an_account_is_forgotten_with_its_tokens_and_what_a_crash_left(vault: Vault) -> None:
    for name in ("work", "work.json", "work.send.json", "workshop", ".work-1x", ".work.json-2y"):
        (vault.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (vault.folder / name).write_text("{}")
    vault.drop("work")
    assert [path.name for path in vault.folder.iterdir()] == ["workshop"]


def test_everything_secret_is_known_to_whoever_blots_it_out(vault: Vault) -> None:
    assert vault.all() == ()
    vault.put("work", f"{SECRET}\n")
    vault.put("home.json", '{"refresh_token": "refresh-0123", "access_token": "access-0123", "expires_in": 3}')
    vault.put("broken.json", '{"refresh_')
    vault.put("empty", "")
    assert sorted(vault.all()) == sorted([SECRET, "access-0123", "refresh-0123"])
