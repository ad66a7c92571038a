import os
from pathlib import Path

import pytest

from tools.files import mailbox
from tools.files.mail import read_mail
from tools.files.mailbox import MailFile, MailFilesError, RawMail, find_mail_files, read_from, survey

POSTMARK = "From ann@example.org Tue Mar  5 10:15:00 2024"


def mail(number: int, text: str = "Hello.\n") -> str:
    return f"From: ann@example.org\nSubject: number {number}\n\n{text}"


def mbox(*mails: str, postmark: str = POSTMARK) -> str:
    return "".join(f"{postmark}\n{each}\n" for each in mails)


def written(path: Path, content: str | bytes) -> MailFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (file,) = find_mail_files(path)
    return file


def subjects(mails: list[RawMail]) -> list[str]:
    return [read_mail(each.raw).subject for each in mails]


@pytest.fixture
def archive(tmp_path: Path) -> MailFile:
    return written(tmp_path / "archive", mbox(mail(1), mail(2), mail(3)))


def test_the_mails_of_an_mbox_come_one_after_the_other(archive: MailFile) -> None:
    mails = list(read_from(archive))
    assert archive.kind == "mbox"
    assert subjects(mails) == ["number 1", "number 2", "number 3"]
    assert mails[0].raw == mail(1).encode() + b"\n"


def test_places_touch_from_the_first_byte_to_the_last(archive: MailFile) -> None:
    places = [(each.start_byte, each.end_byte) for each in read_from(archive)]
    assert [start for start, _ in places] == [0, *(end for _, end in places[:-1])]
    assert places[-1][1] == archive.size_bytes == archive.path.stat().st_size


def test_reading_goes_on_where_it_was_left(archive: MailFile) -> None:
    whole = list(read_from(archive))
    for taken in range(4):
        start_byte = whole[taken - 1].end_byte if taken else 0
        assert list(read_from(archive, start_byte=start_byte)) == whole[taken:]


def test_mail_that_was_added_later_is_found_from_the_old_end(archive: MailFile) -> None:
    with archive.path.open("a") as opened:
        opened.write(mbox(mail(4)))
    assert subjects(list(read_from(archive, start_byte=archive.size_bytes))) == ["number 4"]


@pytest.mark.parametrize(
    "postmark",
    [
        "From ann@example.org Tue Mar  5 10:15:00 2024",
        "From ann at example.org  Tue Mar  5 10:15:00 2024",
        "From - Tue Mar 05 10:15:00 2024",
        "From MAILER-DAEMON Tue Mar  5 10:15:00 2024 +0100",
        "From 17@xxx Tue Mar 05 10:15:00 +0000 2024",
        "From ann@example.org Tue Mar  5 10:15 MET DST 2024",
        "From ann@example.org Tue, 5 Mar 2024 10:15:00 +0100",
        "From @nn @ending from ex@mple@org  Tue Mar  5 10:15:00 2024",
        "From ann@example.org Tue Mar  5 10:15:00 2024 remote from host",
    ],
)
def test_every_usual_form_of_the_line_between_mails_parts_them(tmp_path: Path, postmark: str) -> None:
    file = written(tmp_path / "archive.txt", mbox(mail(1), mail(2), postmark=postmark))
    assert subjects(list(read_from(file))) == ["number 1", "number 2"]


@pytest.mark.parametrize(
    "line",
    [
        "From there you can see the sea.",
        "From my desk, on Tuesday, in March 2024",
        "From Monday at 10:15 on we are closed until 2024",
        "From Tue Mar  5 10:15:00 2024 onwards all is well",
    ],
)
def test_a_paragraph_that_begins_with_from_parts_nothing(tmp_path: Path, line: str) -> None:
    file = written(tmp_path / "archive", mbox(mail(1, f"Hello.\n\n{line}\n\nBye.\n"), mail(2)))
    mails = list(read_from(file))
    assert subjects(mails) == ["number 1", "number 2"]
    assert line.encode() in mails[0].raw


def test_such_a_line_within_a_paragraph_parts_nothing_unless_a_header_follows(tmp_path: Path) -> None:
    file = written(tmp_path / "archive", mbox(mail(1, f"He wrote:\n{POSTMARK}\nand so on\n")))
    assert len(list(read_from(file))) == 1
    lost_line = mbox(mail(1)).rstrip("\n") + "\n" + mbox(mail(2))
    assert subjects(list(read_from(written(tmp_path / "lost", lost_line)))) == ["number 1", "number 2"]


def test_quoted_from_lines_lose_one_mark_each(tmp_path: Path) -> None:
    file = written(tmp_path / "archive", mbox(mail(1, ">From here.\n>>From there.\n> From afar.\n>Fromage\n")))
    (only,) = read_from(file)
    assert only.raw.decode().endswith("\n\nFrom here.\n>From there.\n> From afar.\n>Fromage\n\n")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(mbox(mail(1), mail(2)).replace("\n", "\r\n").encode(), id="crlf"),
        pytest.param(mbox(mail(1), mail(2)).rstrip("\n").encode(), id="no-last-line-end"),
        pytest.param(b"\xef\xbb\xbf" + mbox(mail(1), mail(2)).encode(), id="byte-order-mark"),
        pytest.param(b"\n\r\n" + mbox(mail(1), mail(2)).encode(), id="blank-lines-first"),
    ],
)
def test_an_mbox_may_be_a_little_odd(tmp_path: Path, content: bytes) -> None:
    file = written(tmp_path / "archive", content)
    first, second = read_from(file)
    assert subjects([first, second]) == ["number 1", "number 2"]
    assert content[second.start_byte :].startswith(b"From ")
    assert (first.end_byte, second.end_byte) == (second.start_byte, file.size_bytes)


def test_a_mail_that_is_too_large_is_cut_and_named_and_the_next_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "MAIL_LIMIT_BYTES", 200_000)
    monkeypatch.setattr(mailbox, "KEPT_BYTES", 1000)
    file = written(tmp_path / "archive", mbox(mail(1), mail(2, "x" * 300_000 + "\n"), mail(3)))
    first, large, last = read_from(file)
    assert subjects([first, large, last]) == ["number 1", "number 2", "number 3"]
    assert len(large.raw) == 1000
    assert large.fault is not None
    assert f"byte {first.end_byte} " in large.fault
    assert first.fault is last.fault is None
    (single,) = read_from(written(tmp_path / "one.eml", mail(4, "y" * 300_000)))
    assert single.fault is not None
    assert len(single.raw) == 1000


def test_a_line_that_seems_to_part_mails_inside_an_endless_line_does_not(tmp_path: Path) -> None:
    filler = "x" * (64 * 1024)  # what is read of a line at a time
    file = written(tmp_path / "archive", mbox(mail(1, f"{filler}{POSTMARK}\nFrom: x\n{filler}>From y\n")))
    (only,) = read_from(file)
    assert f"x{POSTMARK}".encode() in only.raw
    assert b"x>From y" in only.raw


def test_a_single_mail_is_told_by_its_header_whatever_its_name(tmp_path: Path) -> None:
    file = written(tmp_path / "17.", mail(1))
    assert file.kind == "eml"
    (only,) = read_from(file)
    assert only == RawMail(mail(1).encode(), 0, file.size_bytes)
    assert list(read_from(file, start_byte=only.end_byte)) == []
    assert list(read_from(file, start_byte=1)) == []


def test_a_folder_is_searched_in_the_order_of_paths_and_says_what_it_passed_over(tmp_path: Path) -> None:
    for name in ("b/2", "a.eml", "b/1", "list.txt", ".hidden", ".git/mail"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(mbox(mail(1)) if name == "list.txt" else mail(1))
    (tmp_path / "empty").touch()
    (tmp_path / "notes.md").write_text("# Notes\n\nSubject: none\n")
    (tmp_path / "old.gz").write_bytes(b"\x1f\x8b\x08\x00")
    os.mkfifo(tmp_path / "pipe")
    found = survey(tmp_path)
    assert [str(each.path.relative_to(tmp_path)) for each in found.files] == ["a.eml", "list.txt", "b/1", "b/2"]
    assert [each.kind for each in found.files] == ["eml", "mbox", "eml", "eml"]
    assert {each.path.name: each.because for each in found.skipped} == {
        ".git": "a hidden folder",
        ".hidden": "a hidden file",
        "empty": "empty",
        "notes.md": "not mail",
        "old.gz": "packed; unpack it first",
        "pipe": "not a plain file",
    }


def test_a_maildir_is_read_without_what_is_still_arriving(tmp_path: Path) -> None:
    for name in ("cur/1:2,S", "new/2", "tmp/3", ".Sent/cur/4:2,S"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(mail(1))
    assert sorted(each.path.name for each in find_mail_files(tmp_path)) == ["1:2,S", "2", "4:2,S"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    written(outside / "private", mail(1))
    written(inside / "mine", mail(2))
    (inside / "file").symlink_to(outside / "private")
    (inside / "folder").symlink_to(outside, target_is_directory=True)
    found = survey(inside)
    assert [each.path.name for each in found.files] == ["mine"]
    assert {each.path.name for each in found.skipped} == {"file", "folder"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"# Notes\n", "no mail found", id="not-mail"),
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"\x1f\x8b\x08\x00", "unpack", id="gzip"),
        pytest.param(b"PK\x03\x04", "unpack", id="zip"),
        pytest.param(None, "can't be read", id="missing"),
    ],
)
def test_what_cannot_be_read_says_what_to_give_instead(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "given"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MailFilesError, match=message):
        find_mail_files(path)


def test_an_empty_folder_says_what_to_give_instead(tmp_path: Path) -> None:
    with pytest.raises(MailFilesError, match=r"give an mbox file, \.eml files or a folder of them"):
        find_mail_files(tmp_path)


def test_a_file_that_went_away_is_named(archive: MailFile) -> None:
    archive.path.unlink()
    with pytest.raises(MailFilesError, match="archive can't be read"):
        list(read_from(archive))


def test_a_repeat_in_an_mbox_has_the_same_fingerprint(tmp_path: Path) -> None:
    file = written(tmp_path / "archive", mbox(mail(1), mail(1), mail(2)))
    first, again, other = (read_mail(each.raw).fingerprint for each in read_from(file))
    assert first == again != other
    assert first == read_mail(mail(1).encode()).fingerprint
