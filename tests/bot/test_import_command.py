"""`stillbell import`, `watch` and `unwatch`: every kind, with a daemon and without, told in lines that a person can act on."""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot import command_room
from tests.bot.command_room import Run, running_house
from tests.tools.test_following import CHAT, EVENT, calendar
from tests.tools.test_imessage import TABLES, say
from tests.tools.test_importing import mail, mbox
from tests.tools.test_officetext import word
from tests.tools.test_telegram_export import message, personal

home, run = command_room.home, command_room.run

VCARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Anna Winter\nEMAIL:anna@winter.example\nEND:VCARD\n"


def write(path: Path, text: str, *, hours_ago: int = 2) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    at = path.stat().st_mtime - 3600 * hours_ago
    os.utime(path, (at, at))
    return path


def chat_db(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        say(connection, 1, "The heron lands at noon")
    return path


MAKERS: dict[str, Callable[[Path], Path]] = {
    "mail": lambda folder: mbox(folder / "box", mail(1, "The heron lands at noon")),
    "whatsapp": lambda folder: write(
        folder / "WhatsApp Chat with Anna.txt", CHAT.replace("Bring", "The heron at noon:")
    ),
    "telegram": lambda folder: write(
        folder / "result.json", json.dumps(personal(message(1, "The heron lands at noon")))
    ),
    "imessage": lambda folder: chat_db(folder / "chat.db"),
    "notes": lambda folder: write(folder / "a.md", "The heron lands at noon"),
    "meetings": lambda folder: write(folder / "a.vtt", "00:01.000 --> 00:02.000\nAnna: The heron lands at noon"),
    "calendar": lambda folder: write(
        folder / "a.ics",
        calendar(
            EVENT.format(uid="a", start="20260303T090000Z", end="20260303T100000Z", title="The heron at noon", more="")
        ),
    ),
    "files": lambda folder: word(folder / "a.docx", "The heron lands at noon"),
}


def until(run: Run, *words: str, shows: str) -> str:
    """What the command prints once it shows that; each asking waits for the daemon's answer."""
    ends = time.monotonic() + 20
    while shows not in (out := run(*words)[1]):
        assert time.monotonic() < ends, out
    return out


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("is_told", [False, True], ids=["recognised", "told"])
def test_every_kind_is_brought_in_and_found(run: Run, tmp_path: Path, kind: str, is_told: bool) -> None:
    path = MAKERS[kind](tmp_path)
    code, out, err = run("import", *([kind] if is_told else []), str(path))
    assert (code, err) == (0, "")
    assert " new" in out
    assert "heron" in run("find", "heron", "noon")[1]
    assert run("import", str(path))[0] == 0


def test_contacts_are_brought_in(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("import", str(write(tmp_path / "a.vcf", VCARD)))
    assert (code, out.startswith("1 contact new")) == (0, True)


def test_the_second_time_nothing_is_new_and_what_is_gone_is_told(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", "heron")
    gone = write(tmp_path / "notes" / "b.md", "swift")
    assert (
        "Read 2 files as notes: 2 new, 0 changed, 0 known already."
        in run("import", "notes", str(tmp_path / "notes"))[1]
    )
    gone.unlink()
    assert (
        "Read 1 file as notes: 0 new, 0 changed, 1 known already, 1 no longer there."
        in run("import", "notes", str(tmp_path / "notes"))[1]
    )


def test_bad_files_and_lines_are_listed_and_the_rest_is_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "WhatsApp Chat with Anna.txt").write_bytes(CHAT.encode() + b"\xff\xfe\n")
    write(tmp_path / "WhatsApp Chat with Bob.txt", "no chat at all")
    code, out, _ = run("import", str(tmp_path))
    assert code == 0
    assert "WhatsApp Chat with Anna.txt, line 4: bytes that are no UTF-8" in out
    assert "WhatsApp Chat with Bob.txt: there is no message of WhatsApp in it" in out


def test_an_export_without_a_message_is_said_and_nothing_is_promised(run: Run, tmp_path: Path) -> None:
    out = run("import", str(write(tmp_path / "result.json", "{}")))[1]
    assert "result.json: there is no message of Telegram in it" in out
    assert "Find in them" not in out


def test_who_the_owner_is_can_be_told(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "WhatsApp Chat with Plans.txt", CHAT)
    assert "it is not clear who you are" in run("import", str(path))[1]
    assert "not clear" not in run("import", str(path), "--me", "Jo Baker")[1]
    assert "  you" in run("find", "from:me", "bring")[1]


def test_mail_from_files_is_the_owners_once_they_told_their_address(run: Run, tmp_path: Path) -> None:
    path = mbox(tmp_path / "box", mail(1, "The heron lands at noon"), mail(2, "The swift, too"))
    assert "--me owner@example.org" in run("import", str(path))[1]
    assert "Nothing found" in run("find", "from:me", "heron")[1]
    # That it was in there before makes no difference.
    out = run("import", str(path), "--me", "Anna@Example.org")[1]
    assert "--me" not in out
    assert "heron" in run("find", "from:me", "heron")[1]
    mbox(tmp_path / "more", mail(3, "A third heron"))
    run("import", str(tmp_path / "more"))
    assert "A third heron" in run("find", "from:me", "third")[1]


def test_what_is_no_address_is_not_taken_for_the_owners(run: Run, tmp_path: Path) -> None:
    path = mbox(tmp_path / "box", mail(1, "The heron lands at noon"))
    code, _, err = run("import", str(path), "--me", "Anna")
    assert (code, "as in --me anna@example.org" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(("pictures", "{here}"), "say one of: mail", id="no such kind"),
        pytest.param(("notes", "{here}/nowhere"), "not there", id="nothing there"),
        pytest.param(("imessage", "{here}/text.md"), "chat.db", id="no such database"),
        pytest.param(("{here}",), "say which, as in: stillbell import", id="several things"),
        pytest.param(("a", "b", "c"), "one file or folder", id="too many words"),
    ],
)
def test_what_can_not_be_brought_in_is_told_in_a_line(
    run: Run, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    write(tmp_path / "text.md", "x")
    write(tmp_path / "text.pdf", "x")
    code, out, err = run("import", *(word.format(here=tmp_path) for word in words))
    assert code in (1, 2)
    assert told in err
    assert "Traceback" not in out + err


def test_a_folder_is_watched_by_the_daemon_and_let_go(run: Run, home: Path, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", "The heron lands at noon")
    write(tmp_path / "notes" / "bad.md", "\0\0\0")
    assert "Nothing is watched" in run("watch")[1]
    with running_house():
        assert "is watched as notes" in run("watch", "notes", str(tmp_path / "notes"))[1]
        assert run("watch", "notes", str(tmp_path / "notes"))[0] == 2
        listed = until(run, "watch", shows=": looked at")
        assert f"{tmp_path / 'notes'}: looked at" in listed
        assert "2 items" in listed
        assert "notes/bad.md: it is no text" in listed
        assert "heron" in run("find", "heron")[1]
        assert "1 document of it can no longer be found" in run("unwatch", str(tmp_path / "notes"))[1]
        assert "Nothing found" in run("find", "heron")[1]
        assert run("unwatch", str(tmp_path / "notes"))[0] == 1


def test_what_was_read_can_be_kept_when_a_folder_is_let_go(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", "The heron lands at noon")
    run("import", "notes", str(tmp_path / "notes"))
    assert "for as long as Stillbell runs" in run("watch", str(tmp_path / "notes"))[1]
    assert "not looked at yet" in run("watch")[1]
    assert "no longer watched.\n" in run("unwatch", str(tmp_path / "notes"), "--keep")[1]
    assert "heron" in run("find", "heron")[1]


def test_a_folder_that_is_watched_again_is_read_again(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "notes" / "a.md", "The heron lands at noon")
    with running_house():
        for _ in range(2):
            run("watch", "notes", str(tmp_path / "notes"))
            until(run, "find", "heron", shows="noon")
            run("unwatch", str(tmp_path / "notes"))
            assert "Nothing found" in run("find", "heron")[1]


def test_mail_and_contacts_are_not_watched(run: Run, tmp_path: Path) -> None:
    assert "can't be watched" in run("watch", str(mbox(tmp_path / "box", mail(1))))[2]
    shutil.rmtree(tmp_path)
    assert "not there" in run("watch", "notes", str(tmp_path))[2]
