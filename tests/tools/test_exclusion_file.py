"""The list as a file: whoever asks gets what stands in it now, and no answer at all when that can't be told."""

import os
import stat
from pathlib import Path

import pytest

from memory.errors import OutOfReach
from memory.exclusion import NOTHING, UnreadableExclusions
from tools.exclusions import MOST_BYTES, ExclusionFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "exclusions.txt"


def test_no_file_excludes_nothing(path: Path) -> None:
    assert ExclusionFile(path)() == NOTHING


def test_what_is_written_into_the_file_is_in_force_at_the_next_look(path: Path) -> None:
    asked = ExclusionFile(path)
    assert asked() == NOTHING
    path.write_text("domain clinic.example\n")
    assert asked().covers_address("a@clinic.example")
    path.write_text("domain school.example\n")
    assert not asked().covers_address("a@clinic.example")
    assert asked().covers_address("a@school.example")
    path.unlink()
    assert asked() == NOTHING


@pytest.mark.parametrize(
    "content",
    [b"domain clinic", b"\xff\xfe\x00", b"person Anna\n" * (MOST_BYTES // 10)],
    ids=["no rule", "no UTF-8", "endless"],
)
def test_a_file_that_cant_be_understood_gives_no_list_at_all(path: Path, content: bytes) -> None:
    asked = ExclusionFile(path)
    path.write_text("domain clinic.example\n")
    asked()
    path.write_bytes(content)
    for _ in range(2):
        with pytest.raises(UnreadableExclusions):
            asked()
    path.write_text("domain clinic.example\n")
    assert asked().covers_address("a@clinic.example")


def test_a_file_that_cant_be_opened_gives_no_list_at_all(path: Path) -> None:
    path.mkdir()
    with pytest.raises(UnreadableExclusions, match="nothing is read at all"):
        ExclusionFile(path)()


def test_a_folder_that_cant_be_entered_gives_no_list_at_all(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the data folder should be")
    with pytest.raises(UnreadableExclusions):
        ExclusionFile(tmp_path / "home" / "exclusions.txt")()


def test_a_rule_is_added_once_and_for_its_owners_eyes_alone(path: Path) -> None:
    path.write_text("# mine\ndomain clinic.example")
    path.chmod(0o644)
    asked = ExclusionFile(path)
    assert asked.add("person Anna Example")
    assert not asked.add("person Anna Example")
    assert path.read_text() == "# mine\ndomain clinic.example\nperson Anna Example\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert asked().covers_name("Anna Example")
    assert asked.lines() == ("domain clinic.example", "person Anna Example")
    assert [left.name for left in path.parent.iterdir()] == ["exclusions.txt"]


def test_the_first_rule_makes_the_file(path: Path) -> None:
    asked = ExclusionFile(path)
    assert asked.lines() == ()
    assert asked.add("folder Private")
    assert path.read_text() == "folder Private\n"


def test_a_rule_is_not_added_to_a_list_that_cant_be_understood(path: Path) -> None:
    path.write_text("nonsense\n")
    with pytest.raises(UnreadableExclusions):
        ExclusionFile(path).add("folder Private")
    assert path.read_text() == "nonsense\n"


def test_a_link_to_the_list_stays_a_link(path: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept elsewhere.txt"
    kept.write_text("folder Private\n")
    path.symlink_to(kept)
    ExclusionFile(path).add("folder Diary")
    assert path.is_symlink()
    assert kept.read_text() == "folder Private\nfolder Diary\n"


def test_a_rule_that_cant_be_kept_is_said_to_be_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("folder Private\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutOfReach, match="No space left"):
        ExclusionFile(path).add("folder Diary")
    assert path.read_text() == "folder Private\n"
