"""Attaching: the bytes that are sent are those that were looked at (attack case 25)."""

import hashlib
import os
import socket
import zipfile
from pathlib import Path

import pytest

import tools.filetext
from memory.envelope import ATTACHED_MAX_BYTES
from memory.errors import BadInput, NotFound
from memory.identity_document import AskTwice
from memory.mail import Attachment
from tests.doubles.papers import locked_pdf, pdf
from tools.attaching import Attaching, Kept, NotAttachable, check_together
from tools.filing import Filing

CONTRACT = pdf("The lease runs for three years from March on and ends by itself")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / "papers").mkdir(parents=True)
    (folder / "papers" / "lease.pdf").write_bytes(CONTRACT)
    return folder


@pytest.fixture
def attaching(home: Path, tmp_path: Path) -> Attaching:
    return Attaching(Filing(tmp_path / "kept"), [home])


async def test_what_is_kept_is_what_was_read(attaching: Attaching, home: Path) -> None:
    kept = await attaching.propose(str(home / "papers" / "lease.pdf"))
    digest = hashlib.sha256(CONTRACT).hexdigest()
    assert kept.attachment == Attachment("lease.pdf", "application/pdf", len(CONTRACT), digest)
    assert (kept.real_name, kept.caution) == (None, None)
    assert "three years" in (kept.text or "")
    assert await attaching.open_kept(kept.attachment) == CONTRACT


async def test_a_file_changed_or_replaced_after_it_was_shown_is_sent_as_it_was_shown(
    attaching: Attaching, home: Path
) -> None:
    path = home / "papers" / "lease.pdf"
    kept = await attaching.propose(str(path))
    path.write_bytes(b"another lease")
    assert await attaching.open_kept(kept.attachment) == CONTRACT
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert await attaching.open_kept(kept.attachment) == CONTRACT


@pytest.mark.parametrize("swap", ["other bytes", "same size", "a link", "a pipe", "a folder"])
async def test_a_kept_copy_that_is_not_what_it_was_is_never_sent(
    swap: str, attaching: Attaching, home: Path, tmp_path: Path
) -> None:
    kept = await attaching.propose(str(home / "papers" / "lease.pdf"))
    copy = Filing(tmp_path / "kept").path(kept.attachment.sha256)
    whole = copy.read_bytes()
    copy.unlink()
    match swap:
        case "other bytes":
            copy.write_bytes(b"something else")
        case "same size":
            copy.write_bytes(whole[:-1] + b"!")
        case "a link":
            copy.symlink_to(home / "papers" / "lease.pdf")
        case "a pipe":
            os.mkfifo(copy)
        case "a folder":
            copy.mkdir()
    with pytest.raises((NotAttachable, NotFound), match="anew"):
        await attaching.open_kept(kept.attachment)


async def test_a_kept_copy_that_is_gone_is_said_to_be(attaching: Attaching) -> None:
    with pytest.raises(NotFound, match="anew"):
        await attaching.open_kept(Attachment("x.pdf", "application/pdf", 1, "0" * 64))


# What is no file of the owner's


async def refused(attaching: Attaching, path: Path | str) -> str:
    with pytest.raises((NotAttachable, BadInput, NotFound)) as refusal:
        await attaching.propose(str(path))
    return str(refusal.value)


async def test_a_link_is_followed_nowhere(attaching: Attaching, home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the words of a secret that lies elsewhere")
    (home / "innocent.txt").symlink_to(secret)
    (home / "dangling.txt").symlink_to(tmp_path / "nothing.txt")
    (home / "round.txt").symlink_to(home / "round.txt")
    (home / "folder").symlink_to(tmp_path)
    (home / "inside.pdf").symlink_to(home / "papers" / "lease.pdf")
    for path in ("innocent.txt", "dangling.txt", "round.txt", "folder/secret.txt", "inside.pdf"):
        assert "link" in await refused(attaching, home / path)


async def test_a_hard_link_is_not_taken_for_the_file(attaching: Attaching, home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the words of a secret that lies elsewhere")
    (home / "innocent.txt").hardlink_to(secret)
    assert "hard link" in await refused(attaching, home / "innocent.txt")


async def test_only_plain_files_are_attached_and_none_is_waited_for(attaching: Attaching, home: Path) -> None:
    os.mkfifo(home / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(home / "door.txt"))
    assert "no plain file" in await refused(attaching, home / "pipe.txt")
    assert await refused(attaching, home / "door.txt")
    assert "folder" in await refused(attaching, home / "papers")
    assert await refused(attaching, home / "papers" / "lease.pdf" / "x")


async def test_a_device_is_no_file(tmp_path: Path) -> None:
    attaching = Attaching(Filing(tmp_path / "kept"), [Path("/dev")])
    assert "no plain file" in await refused(attaching, "/dev/zero")


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "{home}/../secret.txt",
        "{home}/papers/../../secret.txt",
        "{home}",
        "{home}2/x.txt",
        "papers/lease.pdf",
        "",
        "{home}/a\0b",
    ],
)
async def test_nothing_outside_the_open_folders_is_attached(
    path: str, attaching: Attaching, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("the words of a secret that lies elsewhere")
    (tmp_path / "home2").mkdir()
    (tmp_path / "home2" / "x.txt").write_text("the words of a secret that lies elsewhere")
    await refused(attaching, path.format(home=home))
    assert not (tmp_path / "kept").exists(), "it was not even kept"


async def test_a_root_may_itself_be_a_link(home: Path, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(home)
    attaching = Attaching(Filing(tmp_path / "kept"), [tmp_path / "shortcut"])
    for start in (tmp_path / "shortcut", home):
        kept = await attaching.propose(str(start / "papers" / "lease.pdf"))
        assert kept.attachment.name == "lease.pdf"


async def test_the_home_folder_may_be_written_short(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    attaching = Attaching(Filing(tmp_path / "kept"), [Path("~/papers")])
    assert (await attaching.propose("~/papers/lease.pdf")).attachment.name == "lease.pdf"


# Size


async def test_an_empty_file_is_refused(attaching: Attaching, home: Path) -> None:
    (home / "empty.txt").touch()
    assert "empty" in await refused(attaching, home / "empty.txt")


async def test_a_file_of_40_mb_is_refused_without_being_read(attaching: Attaching, home: Path, tmp_path: Path) -> None:
    with (home / "large.bin").open("wb") as file:
        file.truncate(40_000_000)
    assert "40.0 MB" in await refused(attaching, home / "large.bin")
    assert not (tmp_path / "kept").exists()
    with pytest.raises(BadInput, match="MB"):
        await attaching.propose_content(b"x" * (ATTACHED_MAX_BYTES + 1), name="large.bin")


async def test_files_that_are_too_large_together_are_refused() -> None:
    half = Attachment("half.bin", "application/octet-stream", ATTACHED_MAX_BYTES // 2 + 1, "0" * 64)
    check_together([half])
    with pytest.raises(BadInput, match="all files together"):
        check_together([half, half])
    with pytest.raises(BadInput, match="at most 20"):
        check_together([Attachment(f"{n}.txt", "text/plain", 1, "0" * 64) for n in range(21)])


async def test_a_file_that_grows_while_it_is_read_is_not_taken(
    attaching: Attaching, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home / "papers" / "lease.pdf"
    real = os.read

    def read(handle: int, most: int) -> bytes:
        with path.open("ab") as file:
            file.write(b"more")
        return real(handle, most)

    monkeypatch.setattr(os, "read", read)
    assert "being written" in await refused(attaching, path)


async def test_an_archive_is_never_unpacked(attaching: Attaching, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(home / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * (200 << 20))

    def unpacked(*_: object) -> None:
        raise AssertionError("somebody unpacks it")

    monkeypatch.setattr(zipfile, "ZipFile", unpacked)
    kept = await attaching.propose(str(home / "bomb.zip"))
    assert kept.attachment.media_type == "application/zip"
    assert kept.attachment.size_bytes < 1 << 20
    assert isinstance(kept.caution, AskTwice), "nobody has looked into it"


# Names


@pytest.mark.parametrize(
    ("real", "shown"),
    [
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("lease\u200b.pdf", "lease.pdf"),
        ("le\nase.pdf", "lease.pdf"),
        (" .lease.pdf", "lease.pdf"),
        ("lease\u3164.pdf", "lease.pdf"),
        ("x" * 200 + ".pdf", "x" * 116 + ".pdf"),
        ("März – Entwurf.pdf", "März – Entwurf.pdf"),
    ],
)
async def test_a_name_hides_nothing_and_says_that_it_was_another(
    real: str, shown: str, attaching: Attaching, home: Path
) -> None:
    (home / real).write_bytes(CONTRACT)
    kept = await attaching.propose(str(home / real))
    assert kept.attachment.name == shown
    assert kept.real_name == (None if real == shown else real)


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("lease.txt", CONTRACT, "application/pdf"),
        ("notes.txt", b"a few plain words that anybody can read", "text/plain"),
        ("old.eml", b"Subject: x\n\na few plain words that anybody can read", "application/octet-stream"),
        ("thing", b"\x01\x02", "application/octet-stream"),
        ("photo.pdf", b"\xff\xd8\xff\xe0 a photo", "image/jpeg"),
        ("all.tar.gz", b"\x1f\x8b", "application/octet-stream"),
    ],
)
@pytest.mark.parametrize("told", ["message/rfc822", "", "text/html; charset=x", "../x"])
async def test_the_type_is_what_the_bytes_show(
    name: str, content: bytes, media_type: str, told: str, attaching: Attaching
) -> None:
    kept = await attaching.propose_content(content, name=name, media_type=told)
    assert kept.attachment.media_type == media_type


async def test_a_type_that_was_told_counts_where_nothing_else_does(attaching: Attaching) -> None:
    kept = await attaching.propose_content(b"\x01", name="thing", media_type="Application/X-Thing")
    assert kept.attachment.media_type == "application/x-thing"


# Identity documents

ZONE = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"


async def test_a_passport_is_never_attached_whatever_it_is_called(attaching: Attaching, home: Path) -> None:
    (home / "passport.pdf").write_bytes(CONTRACT)
    (home / "Ausweise").mkdir()
    (home / "Ausweise" / "scan.pdf").write_bytes(CONTRACT)
    (home / "holiday.txt").write_text(ZONE)
    (home / "holiday.pdf").write_bytes(pdf(*ZONE.splitlines()))
    for path in ("passport.pdf", "Ausweise/scan.pdf", "holiday.txt", "holiday.pdf"):
        assert "never sent" in await refused(attaching, home / path)


async def test_nor_does_it_matter_where_it_comes_from(attaching: Attaching) -> None:
    for name, content in (("passport.pdf", CONTRACT), ("holiday.txt", ZONE.encode())):
        with pytest.raises(NotAttachable, match="never sent"):
            await attaching.propose_content(content, name=name)


@pytest.mark.parametrize(("name", "content"), [("photo.jpg", b"\xff\xd8\xff\xe0 x"), ("locked.pdf", locked_pdf())])
async def test_what_cannot_be_read_asks_twice(name: str, content: bytes, attaching: Attaching) -> None:
    kept: Kept = await attaching.propose_content(content, name=name)
    assert isinstance(kept.caution, AskTwice)
    assert kept.text is None


async def test_a_text_that_takes_too_long_to_read_counts_as_unread(
    attaching: Attaching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools.filetext, "PAGES_MAX", 0)
    kept = await attaching.propose_content(CONTRACT, name="lease.pdf")
    assert isinstance(kept.caution, AskTwice)
