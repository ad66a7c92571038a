"""Following a place over the real ledger: everything once, edits and deletions followed, nothing lost by accident."""

import asyncio
import json
import os
import zipfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from memory.errors import BadInput, OutOfReach
from memory.exclusion import NOTHING, Exclusions, UnreadableExclusions, read_exclusions
from memory.search.passage import Hit
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.stumbling import StumblingLedger
from tests.tools.test_officetext import word
from tests.tools.test_telegram_export import message, personal
from tools.corpora import folder, following
from tools.corpora.circumstance import called
from tools.corpora.following import BATCH_DOCUMENTS, LOSS_MIN, Followed, Following, Progress, Vanished
from tools.corpora.kind import kind_of, place_of

CHAT = """31.12.23, 14:05 - Anna Winter: Bring the heron key
31.12.23, 14:06 - Jo Baker: I will bring it
31.12.23, 14:07 - Anna Winter: Thank you
"""


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    at = NOW.timestamp() - 3600
    os.utime(path, (at, at))
    return path


async def look(
    ledger: SqlLedger | StumblingLedger,
    kind: str,
    path: Path,
    marks: dict[str, str] | None = None,
    *,
    me: Sequence[str] = (),
    told: list[Progress] | None = None,
) -> Followed:
    place = place_of(kind_of(path, kind), path)
    tell = (told if told is not None else []).append
    return await Following(place, ledger=ledger, owner_id=1, clock=FakeClock(), tell=tell, me=me).look(marks)  # type: ignore[arg-type]


def counts(done: Followed) -> tuple[int, int, int, int]:
    return done.progress.new, done.progress.changed, done.progress.same, done.progress.dropped


async def found(ledger: SqlLedger, query: str) -> list[Hit]:
    return await ledger.read(lambda t: t.search.find(1, query))


async def lines(ledger: SqlLedger, query: str) -> list[str]:
    return [hit.line for hit in await found(ledger, query)]


# A folder of notes


async def test_notes_are_found_with_title_day_and_place(ledger: SqlLedger, tmp_path: Path) -> None:
    write(tmp_path / "Notes" / "plans" / "heron.md", "---\ndate: 2026-02-01\n---\n# Heron\nThe heron lands at noon.\n")
    assert counts(await look(ledger, "notes", tmp_path / "Notes")) == (1, 0, 0, 0)
    [hit] = await found(ledger, "heron noon")
    assert (hit.corpus, hit.who, hit.title, hit.line) == ("note", "you", "Heron", "The heron lands at noon.")
    assert hit.place == "Notes/plans/heron.md"
    assert "heron" not in hit.ref
    whole = await ledger.read(lambda t: t.search.text(1, hit.ref))
    assert whole[hit.span[0] : hit.span[1]] == "The heron lands at noon."


def opened_never(path: Path) -> str:
    raise AssertionError(f"{path} was opened")


async def test_looking_again_changes_nothing_and_reads_nothing_that_is_the_same(
    ledger: SqlLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "notes" / "a.md", "The heron lands.")
    done = await look(ledger, "notes", tmp_path / "notes")
    assert counts(await look(ledger, "notes", tmp_path / "notes")) == (0, 0, 1, 0)
    monkeypatch.setattr(folder, "text_in", opened_never)
    again = await look(ledger, "notes", tmp_path / "notes", dict(done.marks))
    assert (counts(again), again.faults, dict(again.marks)) == ((0, 0, 0, 0), (), dict(done.marks))


async def test_edits_renames_and_deletions_are_followed(ledger: SqlLedger, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    first, second = write(notes / "a.md", "The heron lands."), write(notes / "b.md", "The swift left.")
    marks = dict((await look(ledger, "notes", notes)).marks)
    write(first, "The heron stays for the night.")
    second.rename(notes / "c.md")
    done = await look(ledger, "notes", notes, marks)
    assert counts(done) == (1, 1, 0, 1)
    assert await lines(ledger, "heron") == ["The heron stays for the night."]
    assert [hit.place for hit in await found(ledger, "swift")] == ["notes/c.md"]
    (notes / "c.md").unlink()
    assert counts(await look(ledger, "notes", notes, dict(done.marks))) == (0, 0, 0, 1)
    assert await lines(ledger, "swift") == []


async def test_a_file_that_was_changed_just_now_is_looked_at_again(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "notes" / "a.md", "heron")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    marks = dict((await look(ledger, "notes", tmp_path / "notes")).marks)
    path.write_text("swift")
    os.utime(path, (NOW.timestamp(), NOW.timestamp()))
    await look(ledger, "notes", tmp_path / "notes", marks)
    assert await lines(ledger, "swift") == ["swift"]


async def test_a_file_that_can_not_be_read_is_named_and_what_was_read_of_it_stays(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    path = write(tmp_path / "notes" / "a.md", "The heron lands.")
    await look(ledger, "notes", tmp_path / "notes")
    write(path, b"\0\1\2\3" * 50)
    done = await look(ledger, "notes", tmp_path / "notes")
    assert [(fault.file, fault.because) for fault in done.faults] == [("notes/a.md", "it is no text")]
    assert await lines(ledger, "heron") == ["The heron lands."]


async def test_a_disk_that_is_away_drops_nothing(ledger: SqlLedger, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    for number in range(LOSS_MIN):
        write(notes / f"{number}.md", f"heron {number}")
    marks = dict((await look(ledger, "notes", notes)).marks)
    notes.rename(tmp_path / "away")
    with pytest.raises(BadInput, match="not there"):
        await look(ledger, "notes", notes, marks)
    notes.mkdir()
    with pytest.raises(Vanished):
        await look(ledger, "notes", notes, marks)
    assert len(await found(ledger, "heron")) == LOSS_MIN


async def test_hidden_files_links_and_what_is_no_note_are_left(ledger: SqlLedger, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.md", "kingfisher")
    notes = tmp_path / "notes"
    write(notes / ".obsidian" / "x.md", "kingfisher")
    write(notes / ".hidden.md", "kingfisher")
    write(notes / "photo.png", b"kingfisher")
    (notes / "link.md").symlink_to(secret)
    (notes / "loop").symlink_to(notes)
    assert counts(await look(ledger, "notes", notes)) == (0, 0, 0, 0)


async def test_two_folders_of_one_name_are_two(ledger: SqlLedger, tmp_path: Path) -> None:
    write(tmp_path / "a" / "notes" / "x.md", "heron one")
    write(tmp_path / "b" / "notes" / "x.md", "heron two")
    await look(ledger, "notes", tmp_path / "a" / "notes")
    await look(ledger, "notes", tmp_path / "b" / "notes")
    assert len(await found(ledger, "heron")) == 2


# Exclusions


async def excluding(database: Path, listed: list[Exclusions | None]) -> SqlLedger:
    def rules() -> Exclusions:
        if listed[0] is None:
            raise UnreadableExclusions("line 1 is no rule")
        return listed[0]

    return SqlLedger(database, rules)


@pytest.mark.parametrize("rule", ["folder Notes/Private", "folder Private", "folder {whole}"])
async def test_an_excluded_folder_is_not_opened_and_what_was_kept_of_it_is_dropped(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    listed: list[Exclusions | None] = [NOTHING]
    notes = tmp_path / "Notes"
    write(notes / "Private" / "a.md", "The kingfisher dives.")
    async with await excluding(database, listed) as ledger:
        await look(ledger, "notes", notes)
        listed[0] = read_exclusions(rule.format(whole=notes / "Private"))
        monkeypatch.setattr(folder, "text_in", opened_never)
        done = await look(ledger, "notes", notes)
        listed[0] = NOTHING
        assert (done.progress.dropped, await lines(ledger, "kingfisher")) == (1, [])


async def test_what_an_excluded_person_said_is_not_kept(database: Path, tmp_path: Path) -> None:
    listed: list[Exclusions | None] = [read_exclusions("person Anna Winter")]
    write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    async with await excluding(database, listed) as ledger:
        done = await look(ledger, "whatsapp", tmp_path)
        listed[0] = NOTHING
        assert (done.progress.excluded, done.progress.new, await found(ledger, "heron bring thank")) == (3, 0, [])


async def test_what_was_excluded_is_read_once_it_no_longer_is(database: Path, tmp_path: Path) -> None:
    listed: list[Exclusions | None] = [read_exclusions("person Anna Winter")]
    write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    async with await excluding(database, listed) as ledger:
        first = await look(ledger, "whatsapp", tmp_path)
        listed[0] = NOTHING
        second = await look(ledger, "whatsapp", tmp_path, dict(first.marks))
        assert second.progress.new == 3
        third = await look(ledger, "whatsapp", tmp_path, dict(second.marks))
        assert counts(third) == (0, 0, 0, 0)


async def test_an_unreadable_list_stops_it(database: Path, tmp_path: Path) -> None:
    write(tmp_path / "a.md", "heron")
    async with await excluding(database, [None]) as ledger:
        with pytest.raises(UnreadableExclusions):
            await look(ledger, "notes", tmp_path)


# Chats


async def test_a_chat_is_found_message_by_message(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    assert counts(await look(ledger, "whatsapp", path)) == (3, 0, 0, 0)
    [hit, *_] = await found(ledger, "heron key")
    assert (hit.corpus, hit.who, hit.line, hit.place) == (
        "whatsapp",
        "Anna Winter",
        "Bring the heron key",
        "Anna Winter",
    )
    assert f"{hit.at:%H:%M}" == "13:05"
    assert (await lines(ledger, "from:me bring"))[0] == "I will bring it"


async def test_a_newer_export_adds_and_what_was_deleted_goes(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    await look(ledger, "whatsapp", path)
    newer = CHAT.replace("Thank you", "This message was deleted").replace("I will bring it", "I won't")
    write(tmp_path / "b" / path.name, newer + "01.01.24, 09:00 - Anna Winter: Happy new year\n")
    assert counts(await look(ledger, "whatsapp", tmp_path / "b")) == (1, 1, 1, 1)
    assert await lines(ledger, "thank") == []


async def test_what_lies_before_a_shorter_export_stays(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    await look(ledger, "whatsapp", path)
    write(path, "\n".join(CHAT.splitlines()[2:]) + "\n01.01.24, 09:00 - Jo Baker: Happy new year\n")
    done = await look(ledger, "whatsapp", path)
    assert counts(done) == (1, 0, 1, 0)
    assert (await lines(ledger, "heron key"))[0] == "Bring the heron key"


async def test_that_an_export_is_thrown_away_means_nothing(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "x" / "WhatsApp Chat with Anna Winter.txt", CHAT)
    marks = dict((await look(ledger, "whatsapp", path.parent)).marks)
    path.unlink()
    assert counts(await look(ledger, "whatsapp", path.parent, marks)) == (0, 0, 0, 0)
    assert (await lines(ledger, "heron key"))[0] == "Bring the heron key"


async def test_two_chats_of_one_name_are_told_apart(ledger: SqlLedger, tmp_path: Path) -> None:
    name = "WhatsApp Chat with Family.txt"
    one = "".join(f"31.12.23, 14:{n:02} - Anna: heron {n}\n" for n in range(10))
    two = "".join(f"31.12.23, 14:{n:02} - Bob: swift {n}\n" for n in range(0, 30, 4))
    write(tmp_path / "a" / name, one)
    write(tmp_path / "b" / name, two)
    await look(ledger, "whatsapp", tmp_path / "a")
    done = await look(ledger, "whatsapp", tmp_path / "b")
    assert done.progress.dropped == 0
    assert {hit.place for hit in await found(ledger, "heron swift")} == {"Family", "Family (2)"}
    assert counts(await look(ledger, "whatsapp", tmp_path / "b"))[:2] == (0, 0)
    assert counts(await look(ledger, "whatsapp", tmp_path / "a"))[:2] == (0, 0)


async def test_what_the_owner_is_called_is_learned_from_one_chat_and_known_in_a_group(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    group = CHAT + "31.12.23, 14:08 - Bob Frost: the swift, too\n31.12.23, 14:09 - Jo Baker: swift indeed\n"
    write(tmp_path / "WhatsApp Chat with A group.txt", group)
    write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    done = await look(ledger, "whatsapp", tmp_path)
    assert done.unsure == 0
    assert {hit.who for hit in await found(ledger, 'swift in:"A group"')} == {"Bob Frost", "you"}
    assert await ledger.read(lambda t: called(t, 1)) == ["Jo Baker"]
    assert counts(await look(ledger, "whatsapp", tmp_path))[:2] == (0, 0)


async def test_the_owner_can_say_what_they_are_called(ledger: SqlLedger, tmp_path: Path) -> None:
    path = write(tmp_path / "WhatsApp Chat with Plans.txt", CHAT)
    assert (await look(ledger, "whatsapp", path)).unsure == 1
    assert (await look(ledger, "whatsapp", path, me=["Jo Baker"])).unsure == 0
    assert (await look(ledger, "whatsapp", path)).unsure == 0
    assert (await found(ledger, "I will bring it"))[0].who == "you"


async def test_a_chat_whose_owner_is_told_later_takes_the_place_of_what_was_kept_before(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    path = write(tmp_path / "holiday.txt", CHAT)
    assert (await look(ledger, "whatsapp", path)).unsure == 1
    done = await look(ledger, "whatsapp", path, me=["Jo Baker"])
    assert (done.progress.new, done.progress.dropped) == (3, 3)
    assert [hit.place for hit in await found(ledger, "heron")] == ["Anna Winter"]


async def test_another_chat_of_the_same_file_name_stays_when_an_owner_is_told(
    ledger: SqlLedger, tmp_path: Path
) -> None:
    write(tmp_path / "a" / "holiday.txt", CHAT.replace("31.12.23", "11.02.22").replace("heron", "swift"))
    path = write(tmp_path / "b" / "holiday.txt", CHAT.replace("Anna Winter", "Bob Frost"))
    await look(ledger, "whatsapp", tmp_path / "a" / "holiday.txt")
    assert (await look(ledger, "whatsapp", path, me=["Jo Baker"])).progress.dropped == 0
    assert await lines(ledger, "swift") == ["Bring the swift key"]


async def test_an_archive_is_read_with_the_papers_in_it_and_nothing_else(ledger: SqlLedger, tmp_path: Path) -> None:
    lease = word(tmp_path / "lease.docx", "The rent is 950 euros.")
    said = (
        "[31.12.23, 14:05:00] Anna Winter: \u200e<attached: lease.docx>\n"
        "[31.12.23, 14:06:00] Anna Winter: \u200e<attached: ../../secret.txt>\n"
        "[31.12.23, 14:07:00] Jo: Thank you\n"
    )
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat - Anna Winter.zip", "w") as archive:
        archive.writestr("_chat.txt", said)
        archive.writestr("lease.docx", lease.read_bytes())
    done = await look(ledger, "whatsapp", tmp_path / "WhatsApp Chat - Anna Winter.zip")
    assert (counts(done), done.faults) == ((4, 0, 0, 0), ())
    [paper] = [hit for hit in await found(ledger, "rent euros") if hit.corpus == "file"]
    assert (paper.title, paper.who, paper.place, paper.line) == (
        "lease.docx",
        "Anna Winter",
        "Anna Winter",
        "The rent is 950 euros.",
    )
    assert counts(await look(ledger, "whatsapp", tmp_path / "WhatsApp Chat - Anna Winter.zip")) == (0, 0, 4, 0)


@pytest.mark.parametrize("link", [False, True], ids=["by its name", "by a link"])
async def test_a_name_in_an_export_leads_into_no_folder_that_is_excluded(
    database: Path, tmp_path: Path, link: bool
) -> None:
    write(tmp_path / "in" / "Private" / "diary.txt", "The wombat sleeps")
    (tmp_path / "in" / "letter.txt").symlink_to(tmp_path / "in" / "Private" / "diary.txt")
    named = message(1, "See", file="letter.txt" if link else "Private/diary.txt", file_name="diary.txt")
    export = write(tmp_path / "in" / "result.json", json.dumps(personal(named)))
    async with SqlLedger(database, lambda: read_exclusions("folder Private")) as ledger:
        await look(ledger, "telegram", export)
        assert await found(ledger, "wombat") == []
        assert len(await found(ledger, "see")) == 1


async def test_a_name_in_an_export_leads_nowhere_but_into_the_export(ledger: SqlLedger, tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", "kingfisher")
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "link.txt").symlink_to(tmp_path / "secret.txt")
    write(tmp_path / "export" / "files" / "plan.txt", "The heron plan.")
    names = ["../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "files/plan.txt", "(File not included)"]
    sent = [message(n + 1, "x", file=name, file_name=Path(name).name) for n, name in enumerate(names)]
    write(tmp_path / "export" / "result.json", json.dumps(personal(*sent)))
    await look(ledger, "telegram", tmp_path / "export")
    assert not any(hit.line == "kingfisher" for hit in await found(ledger, "kingfisher secret"))
    assert [hit.line for hit in await found(ledger, "heron plan in:files")] == ["The heron plan."]


async def test_a_broken_or_locked_archive_is_named(ledger: SqlLedger, tmp_path: Path) -> None:
    write(tmp_path / "WhatsApp Chat with Anna.zip", b"PK\x03\x04 nonsense")
    done = await look(ledger, "whatsapp", tmp_path)
    assert [(one.file, one.because) for one in done.faults] == [
        (f"{tmp_path.name}/WhatsApp Chat with Anna.zip", "a broken archive")
    ]


async def test_an_archive_that_unpacks_to_too_much_is_named(
    ledger: SqlLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.corpora.export.TEXT_MAX_BYTES", 100_000)
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat with Anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_chat.txt", CHAT + "x" * 1_000_000)
    [fault] = (await look(ledger, "whatsapp", tmp_path)).faults
    assert "larger than" in fault.because


async def test_a_whole_account_of_telegram_is_followed_chat_by_chat(ledger: SqlLedger, tmp_path: Path) -> None:
    said = [message(1, "The heron lands"), message(2, "I see it", by="Jo", by_id="user222")]
    path = write(tmp_path / "result.json", json.dumps(personal(*said)))
    assert counts(await look(ledger, "", path)) == (2, 0, 0, 0)
    account = {
        "personal_information": {"user_id": 222},
        "chats": {"list": [personal(said[0], message(3, "and stays"))]},
    }
    write(path, json.dumps(account))
    assert counts(await look(ledger, "", path)) == (1, 0, 1, 1)


# Files, meetings, calendars


async def test_files_are_found_by_their_words_and_by_their_names(ledger: SqlLedger, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    word(tmp_path / "papers" / "lease.docx", "The rent is 950 euros.")
    write(tmp_path / "papers" / "Kranich.pdf", b"%PDF-1.4 broken")
    write(tmp_path / "papers" / "photo.jpg", b"\xff\xd8\xff")
    done = await look(ledger, "files", tmp_path / "papers")
    assert done.progress.new == 3
    assert [one.file for one in done.faults] == ["papers/Kranich.pdf"]
    assert [hit.title for hit in await found(ledger, "rent")] == ["lease.docx"]
    assert [hit.title for hit in await found(ledger, "kranich")] == ["Kranich.pdf"]
    assert [hit.title for hit in await found(ledger, "rent has:docx")] == ["lease.docx"]


async def test_a_meeting_is_found_with_who_spoke(ledger: SqlLedger, tmp_path: Path) -> None:
    write(tmp_path / "2026-02-01 Weekly.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nAnna Winter: We ship in May.\n")
    write(tmp_path / "Heron.md", "Teilnehmer: Bob Frost\nDer Reiher landet.\n")
    await look(ledger, "meetings", tmp_path)
    [hit] = await found(ledger, "ship may")
    assert (hit.corpus, hit.who, hit.line) == ("meeting", "Anna Winter", "[0:00:01] Anna Winter: We ship in May.")
    assert [one.title for one in await found(ledger, "to:Bob Reiher")] == ["Heron"]


EVENT = """BEGIN:VEVENT
UID:{uid}
DTSTART:{start}
DTEND:{end}
SUMMARY:{title}
LOCATION:Hall 3
DESCRIPTION:Bring the heron plan
ORGANIZER;CN=Anna Winter:mailto:anna@winter.example
{more}END:VEVENT
"""


def calendar(*events: str) -> str:
    return "BEGIN:VCALENDAR\nVERSION:2.0\nX-WR-CALNAME:Work\n" + "".join(events) + "END:VCALENDAR\n"


async def test_a_calendar_file_is_found_also_of_years_ago_and_a_series_once(ledger: SqlLedger, tmp_path: Path) -> None:
    old = EVENT.format(uid="a", start="20120301T090000Z", end="20120301T100000Z", title="Kick-off", more="")
    weekly = EVENT.format(
        uid="b", start="20240101T090000Z", end="20240101T100000Z", title="Weekly", more="RRULE:FREQ=WEEKLY\n"
    )
    path = write(tmp_path / "work.ics", calendar(old, weekly))
    assert counts(await look(ledger, "", path)) == (2, 0, 0, 0)
    [hit] = await found(ledger, "kick-off")
    assert (hit.corpus, hit.who, hit.place, f"{hit.at:%Y-%m-%d}") == (
        "calendar",
        "Anna Winter <anna@winter.example>",
        "Work",
        "2012-03-01",
    )
    [series] = await found(ledger, "weekly")
    assert series.at is not None
    assert timedelta(0) <= series.at - NOW <= timedelta(days=7)
    write(path, calendar(weekly))
    assert counts(await look(ledger, "", path)) == (0, 0, 1, 1)
    write(path, "no calendar any more")
    assert (await look(ledger, "calendar", path)).faults[0].because == "it is no calendar"
    assert len(await found(ledger, "weekly")) == 1


# On the way


async def test_progress_is_told_after_each_commit_and_reaches_the_end(ledger: SqlLedger, tmp_path: Path) -> None:
    many = "".join(f"31.12.23, 14:{n // 60:02} - Anna Winter: line {n}\n" for n in range(BATCH_DOCUMENTS * 3))
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", many)
    told: list[Progress] = []
    await look(ledger, "whatsapp", path, told=told)
    assert [one.new for one in told][:4] == [0, BATCH_DOCUMENTS, 2 * BATCH_DOCUMENTS, 3 * BATCH_DOCUMENTS]
    assert [one.done_bytes for one in told] == sorted(one.done_bytes for one in told)
    assert told[-1].done_bytes == told[-1].total_bytes == path.stat().st_size


async def test_what_was_cut_off_goes_on_and_nothing_is_kept_twice(ledger: SqlLedger, tmp_path: Path) -> None:
    many = "".join(f"31.12.23, 14:{n // 60:02} - Anna Winter: line {n}\n" for n in range(BATCH_DOCUMENTS * 3))
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", many)
    stumbling = StumblingLedger(ledger)

    def fail_after_the_first(progress: Progress) -> None:
        stumbling.fails = int(progress.new > 0)

    place = place_of(kind_of(path), path)
    first = Following(place, ledger=stumbling, owner_id=1, clock=FakeClock(), tell=fail_after_the_first)  # type: ignore[arg-type]
    with pytest.raises(OutOfReach):
        await first.look()
    assert counts(await look(ledger, "whatsapp", path)) == (2 * BATCH_DOCUMENTS, 0, BATCH_DOCUMENTS, 0)


async def test_it_can_be_cancelled_between_two_commits(
    ledger: SqlLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "BATCH_DOCUMENTS", 1)
    path = write(tmp_path / "WhatsApp Chat with Anna Winter.txt", CHAT)
    place = place_of(kind_of(path), path)
    running: list[asyncio.Task[Followed]] = []

    def stop(progress: Progress) -> None:
        if progress.new:
            running[0].cancel()

    running.append(
        asyncio.create_task(Following(place, ledger=ledger, owner_id=1, clock=FakeClock(), tell=stop).look())
    )
    with pytest.raises(asyncio.CancelledError):
        await running[0]
    new, changed, same, dropped = counts(await look(ledger, "whatsapp", path))
    assert (new + same, changed, dropped) == (3, 0, 0)
    assert same >= 1


# What a path holds


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        pytest.param({"a.md": "x"}, "notes", id="Markdown"),
        pytest.param({"a.md": "x", "b.txt": "y", "c.md": "z"}, "notes", id="Markdown and text"),
        pytest.param({"WhatsApp Chat with Anna.txt": CHAT, "IMG-1.jpg": "x", "lease.pdf": "x"}, "whatsapp", id="an export with media"),
        pytest.param({"renamed.txt": CHAT}, "whatsapp", id="an export under another name"),
        pytest.param({"result.json": "{}", "photos/a.jpg": "x", "files/a.pdf": "x"}, "telegram", id="Telegram"),
        pytest.param({"a.vtt": "x", "b.srt": "y"}, "meetings", id="transcripts"),
        pytest.param({"a.ics": "x"}, "calendar", id="a calendar"),
        pytest.param({"a.vcf": "x"}, "contacts", id="contacts"),
        pytest.param({"a.pdf": "x", "b.docx": "y"}, "files", id="papers"),
        pytest.param({"box": "From: a@b.example\nSubject: x\n\ny"}, "mail", id="mail"),
        pytest.param({"chat.db": "x"}, "imessage", id="Messages"),
        pytest.param({}, "mail", id="nothing"),
    ],
)  # fmt: skip
def test_what_a_folder_holds_is_recognised_where_it_is_clear(tmp_path: Path, files: dict[str, str], kind: str) -> None:
    for name, text in files.items():
        write(tmp_path / "x" / name, text)
    (tmp_path / "x").mkdir(exist_ok=True)
    assert kind_of(tmp_path / "x") == kind
    if len(files) == 1:
        assert kind_of(tmp_path / "x" / next(iter(files))) == kind


def test_where_it_is_not_clear_it_asks(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "x")
    write(tmp_path / "b.pdf", "x")
    with pytest.raises(BadInput, match="say which, as in: stillbell import"):
        kind_of(tmp_path)
    assert kind_of(tmp_path, "files") == "files"
    with pytest.raises(BadInput, match="say one of"):
        kind_of(tmp_path, "pictures")
    with pytest.raises(BadInput, match="not there"):
        kind_of(tmp_path / "nowhere")
