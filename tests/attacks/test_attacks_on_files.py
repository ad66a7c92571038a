"""Attack case 25 (attachments), end to end: what is sent is the file that was shown, and some files are never sent."""

import os
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from memory.contact import Contact
from memory.envelope import ATTACHED_MAX_BYTES
from tests.doubles.clock import FakeClock
from tests.exit_room import ANNA, Office, open_office

WORDS = "Turn left at the mill, then go on along the river until the bridge.\n"
CONTACTS = (Contact("Anna Muster", (ANNA,), "owner"),)

MRZ = "P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<<<<<<<<<\nC01X00T478D<<6408125F2702283<<<<<<<<<<<<<<<4\n"


@dataclass(frozen=True, slots=True)
class Rooms:
    """A folder that may be attached from, and one that may not."""

    papers: Path
    private: Path


@pytest.fixture
def rooms(database: Path) -> Rooms:
    made = Rooms(database.parent / "papers", database.parent / "private")
    for folder in (made.papers, made.private):
        folder.mkdir()
    (made.papers / "map.txt").write_text(WORDS)
    (made.private / "diary.txt").write_text("Nobody is to read this diary, least of all by mail.\n")
    return made


async def writes(office: Office, path: Path | str) -> list[str]:
    return await office.says(f"write to Anna Muster with {path}: The map\nHere it is.")


def parts(office: Office) -> list[tuple[str | None, bytes]]:
    return [(part.get_filename(), part.get_content().encode() if isinstance(part.get_content(), str) else part.get_content())
            for part in office.sent[-1].message.iter_attachments()]  # fmt: skip


async def test_attack_25_what_is_sent_is_what_was_shown_whatever_became_of_the_file(
    database: Path, clock: FakeClock, rooms: Rooms
) -> None:
    path = rooms.papers / "map.txt"
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(rooms.papers)) as office:
        await writes(office, path)
        assert f"Attachment: map.txt · text/plain · {len(WORDS)} bytes" in office.text(office.card())
        path.unlink()
        path.symlink_to(rooms.private / "diary.txt")
        await office.taps("Send")
        ((name, content),) = parts(office)
        assert (name, content.replace(b"\r\n", b"\n")) == ("map.txt", WORDS.encode())


def a_link(rooms: Rooms) -> Path:
    (rooms.papers / "link.txt").symlink_to(rooms.private / "diary.txt")
    return rooms.papers / "link.txt"


def a_link_to_what_is_allowed(rooms: Rooms) -> Path:
    (rooms.papers / "inner.txt").symlink_to(rooms.papers / "map.txt")
    return rooms.papers / "inner.txt"


def a_linked_folder(rooms: Rooms) -> Path:
    (rooms.papers / "more").symlink_to(rooms.private)
    return rooms.papers / "more" / "diary.txt"


def a_hard_link(rooms: Rooms) -> Path:
    os.link(rooms.private / "diary.txt", rooms.papers / "hard.txt")
    return rooms.papers / "hard.txt"


def a_pipe(rooms: Rooms) -> Path:
    os.mkfifo(rooms.papers / "pipe.txt")
    return rooms.papers / "pipe.txt"


def a_folder(rooms: Rooms) -> Path:
    (rooms.papers / "folder").mkdir()
    return rooms.papers / "folder"


def upwards(rooms: Rooms) -> str:
    return f"{rooms.papers}/../private/diary.txt"


def outside(rooms: Rooms) -> Path:
    return rooms.private / "diary.txt"


def nothing_in_it(rooms: Rooms) -> Path:
    (rooms.papers / "empty.txt").touch()
    return rooms.papers / "empty.txt"


def far_too_large(rooms: Rooms) -> Path:
    with (rooms.papers / "large.bin").open("wb") as file:
        file.truncate(40_000_000)
    return rooms.papers / "large.bin"


def the_secrets(rooms: Rooms) -> Path:
    return rooms.papers.parent / "secrets" / "work"


def not_there(rooms: Rooms) -> Path:
    return rooms.papers / "gone.txt"


def a_device(rooms: Rooms) -> str:
    return "/dev/zero"


def a_passport(rooms: Rooms) -> Path:
    (rooms.papers / "Reisepass.txt").write_text("nothing special in here, just a few words\n")
    return rooms.papers / "Reisepass.txt"


def in_a_folder_of_passports(rooms: Rooms) -> Path:
    (rooms.papers / "Passports").mkdir()
    (rooms.papers / "Passports" / "a.txt").write_text("nothing special in here, just a few words\n")
    return rooms.papers / "Passports" / "a.txt"


def a_passport_by_another_name(rooms: Rooms) -> Path:
    (rooms.papers / "holiday.txt").write_text(f"Some words about a holiday.\n{MRZ}")
    return rooms.papers / "holiday.txt"


REFUSED: tuple[Callable[[Rooms], Path | str], ...] = (
    a_link, a_link_to_what_is_allowed, a_linked_folder, a_hard_link, a_pipe, a_folder, upwards, outside, nothing_in_it,
    far_too_large, the_secrets, not_there, a_device, a_passport, in_a_folder_of_passports, a_passport_by_another_name,
)  # fmt: skip


async def test_attack_25_what_is_no_plain_file_of_the_open_folders_and_every_passport_is_refused(
    database: Path, clock: FakeClock, rooms: Rooms
) -> None:
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(rooms.papers)) as office:
        for make in REFUSED:
            before = len(office.server.bot_messages())
            await writes(office, make(rooms))
            assert (office.cards(), office.approvals) == ([], []), make.__name__
            # Said why, and nothing of what stands in it.
            assert len(office.server.bot_messages()) > before, make.__name__
        assert "diary, least of all" not in office.whole_chat()
        assert office.sent == []


async def test_attack_25_a_zip_bomb_is_bytes_like_all_others(database: Path, clock: FakeClock, rooms: Rooms) -> None:
    bomb = rooms.papers / "bomb.zip"
    with ZipFile(bomb, "w", ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"\0" * 200_000_000)
    assert bomb.stat().st_size < ATTACHED_MAX_BYTES
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(rooms.papers)) as office:
        await writes(office, bomb)
        # It can't be read, so it may hold an identity document: that takes a second tap.
        await office.taps("Send")
        assert (office.sent, office.approvals) == ([], ["confirming"])
        await office.taps("Yes, send")
        ((_, content),) = parts(office)
        assert content == bomb.read_bytes()


async def test_attack_25_a_picture_that_nobody_can_read_takes_two_taps(
    database: Path, clock: FakeClock, rooms: Rooms
) -> None:
    (rooms.papers / "me.png").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(2000))
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(rooms.papers)) as office:
        await writes(office, rooms.papers / "me.png")
        assert "I can't read it, so it may show an identity document" in office.text(office.card())
        first = office.card()
        await office.taps("Send")
        assert (office.sent, office.approvals) == ([], ["confirming"])
        # The first card's token does not count twice.
        await office.after(lambda: office.server.taps(first, label="Send"))
        assert (office.sent, office.approvals) == ([], ["confirming"])
        await office.taps("Yes, send")
        assert len(office.sent) == 1


async def test_attack_25_bytes_and_fingerprint_belong_together(database: Path, clock: FakeClock, rooms: Rooms) -> None:
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(rooms.papers)) as office:
        await writes(office, rooms.papers / "map.txt")
        await office.taps("Send")
        assert b64encode(WORDS.encode())[:40] in office.sent[0].content.replace(b"\r\n", b"")
