"""Where sent files lie, and what can be read in them."""

import asyncio
import errno
import hashlib
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.errors import OutOfReach
from tests.doubles.papers import locked_pdf, pdf
from tools import filetext, filing
from tools.fetching import NotFetched
from tools.filetext import CHARACTERS_MAX, PAGES_MAX, FileText, decoded, text_of
from tools.filing import Filing, media_type_of


async def coming(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def cut() -> AsyncIterator[bytes]:
    yield b"half"
    raise NotFetched("the connection was cut")


def lying(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_bytes_lie_under_their_hash_for_the_owners_eyes_alone(tmp_path: Path) -> None:
    filed = await Filing(tmp_path / "files").keep(coming(b"%PDF-", b"1.4"))
    digest = hashlib.sha256(b"%PDF-1.4").hexdigest()
    assert filed.path == tmp_path / "files" / digest[:2] / digest
    assert (filed.path.read_bytes(), filed.size_bytes, filed.media_type) == (b"%PDF-1.4", 8, "application/pdf")
    assert stat.S_IMODE(filed.path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700


async def test_the_same_bytes_lie_there_once(tmp_path: Path) -> None:
    both = [await Filing(tmp_path).keep(coming(b"same")) for _ in range(2)]
    assert both[0] == both[1]
    assert lying(tmp_path) == [both[0].path]


async def test_nothing_of_a_cut_download_is_left(tmp_path: Path) -> None:
    with pytest.raises(NotFetched):
        await Filing(tmp_path).keep(cut())
    assert lying(tmp_path) == []


async def test_more_than_was_announced_is_refused_for_good(tmp_path: Path) -> None:
    with pytest.raises(NotFetched) as refused:
        await Filing(tmp_path).keep(coming(b"12", b"34"), most_bytes=3)
    assert refused.value.for_good
    assert lying(tmp_path) == []


async def test_a_full_disk_is_told_and_may_be_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(filing.os, "fsync", full)
    with pytest.raises(OutOfReach, match="make room") as told:
        await Filing(tmp_path).keep(coming(b"x"))
    assert not isinstance(told.value, NotFetched)
    assert lying(tmp_path) == []


async def test_what_was_coming_in_at_a_crash_is_swept_at_the_next_start(tmp_path: Path) -> None:
    kept = await Filing(tmp_path).keep(coming(b"kept"))
    (tmp_path / ".coming-abc").write_bytes(b"half")
    assert Filing(tmp_path).sweep() == 1
    assert lying(tmp_path) == [kept.path]
    assert Filing(tmp_path / "not there yet").sweep() == 0


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"", None),
    ],
)
def test_the_bytes_show_the_type_and_not_the_sender(head: bytes, media_type: str | None) -> None:
    assert media_type_of(head) == media_type


# --- reading ---


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return tmp_path / "paper"


async def read(path: Path, content: bytes, media_type: str = "application/pdf", name: str = "a.pdf") -> FileText:
    await asyncio.to_thread(path.write_bytes, content)
    return await text_of(path, media_type=media_type, name=name)


async def test_the_words_of_every_page_are_read(paper: Path) -> None:
    assert await read(paper, pdf("first", "second")) == FileText(state="read", text="first\n\nsecond", pages=2)


@pytest.mark.parametrize(
    ("content", "because"),
    [
        (locked_pdf(), "it is encrypted"),
        (b"%PDF-1.7\n" + b"\xff" * 5000, "it can't be read"),
        (b"", "it can't be read"),
        (pdf(""), "it has no words"),
    ],
    ids=["encrypted", "broken", "empty", "a scan"],
)
async def test_a_pdf_without_words_is_unreadable_and_nothing_raises(paper: Path, content: bytes, because: str) -> None:
    found = await read(paper, content)
    assert found.state == "unreadable"
    assert because in (found.because or "")


async def test_a_pdf_of_too_many_pages_is_read_at_its_beginning(paper: Path) -> None:
    found = await read(paper, pdf(*(f"page{number}" for number in range(PAGES_MAX + 5))))
    assert found.pages == PAGES_MAX + 5
    assert found.text.endswith(f"page{PAGES_MAX - 1}")


async def test_a_reader_that_takes_too_long_is_ended(
    paper: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hanging = tmp_path / "hang.py"
    hanging.write_text("while True: pass")
    monkeypatch.setattr(filetext, "_READER", hanging)
    monkeypatch.setattr(filetext, "PDF_FOR", filetext.PDF_FOR / 100)
    async with asyncio.timeout(10):
        assert (await read(paper, pdf("x"))).state == "unreadable"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("größer ✓".encode(), "größer ✓"),
        ("größer".encode("utf-8-sig"), "größer"),
        ("größer".encode("utf-16"), "größer"),
        ("größer".encode("cp1252"), "größer"),
        ("ü".encode()[:1] + b"", "Ã"),
        (b"\x7fELF\0\0", ""),
    ],
    ids=["utf-8", "with a mark", "utf-16", "windows", "half a character", "no text"],
)
def test_bytes_are_decoded_as_whoever_wrote_them_meant(content: bytes, text: str) -> None:
    assert decoded(content) in {text, ""} if text == "Ã" else decoded(content) == text


async def test_plain_text_has_a_bound_and_no_nul(paper: Path) -> None:
    found = await read(paper, b"a" * (CHARACTERS_MAX + 10), "text/plain", "a.txt")
    assert len(found.text) == CHARACTERS_MAX
    assert (await read(paper, b"a\0b", "text/plain", "a.txt")).state == "unreadable"


async def test_a_kind_without_words_is_not_read(paper: Path) -> None:
    assert await read(paper, b"PK", "application/zip", "a.zip") == FileText(state="none")
