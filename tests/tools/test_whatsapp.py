"""Exports of WhatsApp: every form of a line, dates told by the whole file, and nothing that raises."""

import random
import time
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.zones import Stay, Timeline
from tools.chats.chat import FAULTS_MAX, TEXT_MAX, Chat
from tools.chats.documents import COMPANY_MAX, documents_of
from tools.chats.whatsapp import exported_name, read_whatsapp
from tools.chats.whatsapp_dates import order_of, read_date
from tools.chats.whatsapp_lines import is_export

NOW = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)
BERLIN = Timeline((Stay(datetime(2000, 1, 1, tzinfo=UTC), "Europe/Berlin"),))
NNBSP = "\u202f"
LRM = "\u200e"


def read(text: str | bytes, name: str = "WhatsApp Chat with Anna Winter.txt", me: tuple[str, ...] = ()) -> Chat:
    raw = text if isinstance(text, bytes) else text.encode()
    chat = read_whatsapp(raw, names=[name], zones=BERLIN, me=me, now=NOW)
    assert chat is not None
    return chat


def said(chat: Chat) -> list[tuple[str, str, str]]:
    return [(f"{one.at:%Y-%m-%d %H:%M:%S}", one.who, one.text) for one in chat.said]


ANNA = "Anna Winter"

FORMS = {
    "Android, German": "31.12.23, 14:05 - Anna Winter: Bring the key",
    "Android, German, the year in full": "31.12.2023, 14:05 - Anna Winter: Bring the key",
    "Android, British": "31/12/2023, 14:05 - Anna Winter: Bring the key",
    "Android, American": f"12/31/23, 2:05{NNBSP}PM - Anna Winter: Bring the key",
    "Android, American, a plain space": "12/31/23, 2:05 PM - Anna Winter: Bring the key",
    "Android, small letters": "31/12/2023, 2:05 pm - Anna Winter: Bring the key",
    "Android, Spanish half days": "31/12/2023, 2:05 p. m. - Anna Winter: Bring the key",
    "Android, German with half days": "31.12.23, 2:05 nachm. - Anna Winter: Bring the key",
    "Android, ISO": "2023-12-31, 14:05 - Anna Winter: Bring the key",
    "iOS, German": "[31.12.23, 14:05:00] Anna Winter: Bring the key",
    "iOS, with a mark before it": f"{LRM}[31.12.23, 14:05:00] Anna Winter: Bring the key",
    "iOS, American": f"[12/31/23, 2:05:00{NNBSP}PM] Anna Winter: Bring the key",
    "iOS, without a comma": "[2023-12-31 14:05:00] Anna Winter: Bring the key",
    "iOS, German with um": "[31.12.23 um 14:05:00] Anna Winter: Bring the key",
}


@pytest.mark.parametrize("line", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_line_tells_who_when_and_what(line: str) -> None:
    assert said(read(line)) == [("2023-12-31 13:05:00", ANNA, "Bring the key")]


@pytest.mark.parametrize(
    ("clock", "hour"),
    [
        pytest.param("12:05 AM", "23:05", id="midnight"),
        pytest.param("12:05 PM", "11:05", id="noon"),
        pytest.param("0:05 am", "23:05", id="a zero before noon"),
        pytest.param("11:59 PM", "22:59", id="late"),
    ],
)
def test_half_days_are_whole_hours(clock: str, hour: str) -> None:
    [[at, *_]] = said(read(f"12/31/23, {clock} - Anna Winter: x"))
    assert at[11:16] == hour


def test_a_message_of_several_lines_is_one_and_keeps_its_empty_lines() -> None:
    chat = read("31.12.23, 14:05 - Anna Winter: One\n\ntwo: three\n  - four\r\n31.12.23, 14:06 - Jo Baker: Five")
    assert [one.text for one in chat.said] == ["One\n\ntwo: three\n  - four", "Five"]


def test_a_line_in_another_form_than_the_files_begins_nothing() -> None:
    lines = [f"31.12.23, 14:{minute:02} - Anna Winter: {minute}" for minute in range(20)]
    chat = read("\n".join([*lines, "[12/31/23, 2:05:00 PM] Bob Frost: I owe you", "that was pasted"]))
    assert chat.said[-1].text.endswith("[12/31/23, 2:05:00 PM] Bob Frost: I owe you\nthat was pasted")
    assert {one.who for one in chat.said} == {ANNA}


# The order of day and month


@pytest.mark.parametrize(
    ("days", "told"),
    [
        pytest.param(["01/02/24", "13/02/24"], ("dmy", True), id="a thirteenth that is no month"),
        pytest.param(["02/01/24", "02/13/24"], ("mdy", True), id="a thirteenth that is no month, second"),
        pytest.param(["01/02/24", "02/02/24", "01/03/24"], ("dmy", True), id="time goes forward only one way"),
        pytest.param(["01/02/24", "01/03/24", "02/01/24"], ("mdy", True), id="time goes forward only the other way"),
        pytest.param(["05/12/25", "06/01/26"], ("dmy", True), id="one way lies in the future"),
        pytest.param(["2024/02/01"], ("ymd", True), id="the year first"),
        pytest.param(
            ["24/02/01", "24/02/02", "24/03/01", "25/01/01"], ("ymd", True), id="the year first, in two digits"
        ),
        pytest.param(["30/11/23", "32/12/23", "31/12/23"], ("dmy", True), id="one line is nonsense"),
        pytest.param(["01/02/24", "01/03/24"], ("dmy", False), id="nothing tells"),
        pytest.param(["02/02/24"], ("dmy", True), id="either way the same day"),
    ],
)
def test_the_order_is_decided_over_the_whole_file(days: list[str], told: tuple[str, bool]) -> None:
    written = [tuple(day.replace(".", "/").split("/")) for day in days]
    found = order_of(written, separator="/", half_days=False, today=NOW.date())  # type: ignore[arg-type]
    assert (found.order, found.is_sure) == told


def test_where_nothing_tells_the_clock_tells_the_country_and_the_doubt_is_named() -> None:
    american = read("01/02/24, 2:05 PM - Anna Winter: x\n01/03/24, 2:05 PM - Jo Baker: y")
    british = read("01/02/24, 14:05 - Anna Winter: x\n01/03/24, 14:05 - Jo Baker: y")
    assert [one.at.date() for one in american.said] == [date(2024, 1, 2), date(2024, 1, 3)]
    assert [one.at.date() for one in british.said] == [date(2024, 2, 1), date(2024, 3, 1)]
    assert "in two ways" in american.faults[0].because
    assert not read("13.02.24, 14:05 - Anna Winter: x").faults


def test_a_day_that_does_not_exist_is_named_and_its_line_kept_with_the_one_before() -> None:
    chat = read("31.12.23, 14:05 - Anna Winter: One\n32.12.23, 14:06 - Anna Winter: Two\n31.12.23, 14:07 - Jo: Three")
    assert [(one.line, one.because) for one in chat.faults] == [(2, "a date that does not exist")]
    assert chat.said[0].text == "One\n32.12.23, 14:06 - Anna Winter: Two"
    assert read_date(("29", "02", "23"), "dmy") is None


# What WhatsApp writes itself


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(
            "31.12.23, 14:05 - Messages and calls are end-to-end encrypted. Tap to learn more.", id="encrypted"
        ),
        pytest.param(
            "31.12.23, 14:05 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt. Tippe für mehr.",
            id="verschlüsselt",
        ),
        pytest.param(
            '31.12.23, 14:05 - Anna Winter created group "Plans: 2024"', id="a group with a colon in its name"
        ),
        pytest.param("31.12.23, 14:05 - Anna Winter hat die Gruppe „Pläne: 2024“ erstellt", id="eine Gruppe"),
        pytest.param("31.12.23, 14:05 - Anna Winter: This message was deleted", id="deleted"),
        pytest.param("31.12.23, 14:05 - Anna Winter: Diese Nachricht wurde gelöscht.", id="gelöscht"),
        pytest.param("31.12.23, 14:05 - Anna Winter: You deleted this message", id="deleted by the owner"),
        pytest.param("31.12.23, 14:05 - Anna Winter: Missed voice call", id="a missed call"),
        pytest.param("31.12.23, 14:05 - Anna Winter: ", id="nothing at all"),
        pytest.param(f"[31.12.23, 14:05:00] Plans: {LRM}Anna Winter added Bob Frost", id="iOS, somebody was added"),
        pytest.param(f"[31.12.23, 14:05:00] Pläne: {LRM}Bob Frost hat die Gruppe verlassen", id="iOS, jemand ging"),
    ],
)
def test_what_nobody_said_is_left_out(line: str) -> None:
    assert said(read(line)) == []


@pytest.mark.parametrize(
    "text", ["I left the key", "She created group work", "I added salt", "Der Termin entfernt uns"]
)
def test_what_somebody_said_is_kept_though_it_reads_like_a_notice(text: str) -> None:
    assert [one.text for one in read(f"31.12.23, 14:05 - Anna Winter: {text}").said] == [text]


@pytest.mark.parametrize(
    ("words", "text", "tag"),
    [
        pytest.param("<Media omitted>", "[media]", "media", id="Android"),
        pytest.param("<Medien ausgeschlossen>", "[media]", "media", id="Android, German"),
        pytest.param(f"{LRM}image omitted", "[photo]", "photo", id="iOS"),
        pytest.param(f"{LRM}Bild weggelassen", "[photo]", "photo", id="iOS, German"),
        pytest.param(f"{LRM}Audio weggelassen", "[voice message]", "voice", id="iOS, a voice"),
        pytest.param("IMG-20231231-WA0001.jpg (file attached)", "IMG-20231231-WA0001.jpg", "photo", id="a photo"),
        pytest.param("Vertrag.pdf (Datei angehängt)", "Vertrag.pdf", "pdf", id="ein PDF"),
        pytest.param("Vertrag.pdf (Datei angehängt)\nBitte lesen", "Vertrag.pdf\nBitte lesen", "pdf", id="mit Worten"),
        pytest.param(f"{LRM}<attached: 00000012-PHOTO-2023-12-31.jpg>", "00000012-PHOTO-2023-12-31.jpg", "photo", id="iOS file"),
        pytest.param(f"{LRM}<Anhang: 00000013-AUDIO-2023.opus>", "00000013-AUDIO-2023.opus", "voice", id="iOS, German file"),
        pytest.param(f"{LRM}lease.pdf • 3 pages {LRM}document omitted", "lease.pdf", "pdf", id="iOS document"),
        pytest.param("PTT-20231231-WA0002.opus (file attached)", "PTT-20231231-WA0002.opus", "voice", id="a voice"),
        pytest.param("Location: https://maps.google.com/?q=52,13", "Location: https://maps.google.com/?q=52,13", "location", id="place"),
        pytest.param("see www.example.org", "see www.example.org", "link", id="a link"),
        pytest.param("Bring it <This message was edited>", "Bring it", "", id="edited"),
        pytest.param("Bring sie mit <Diese Nachricht wurde bearbeitet.>", "Bring sie mit", "", id="bearbeitet"),
        pytest.param("the image omitted the heron", "the image omitted the heron", "", id="only words"),
    ],
)  # fmt: skip
def test_what_came_with_a_message_is_told_apart_from_its_words(words: str, text: str, tag: str) -> None:
    head = "[31.12.23, 14:05:00]" if LRM in words else "31.12.23, 14:05 -"
    [one] = read(f"{head} Anna Winter: {words}").said
    assert one.text == text
    assert tag in one.tags if tag else one.tags == ()


# Who is who


def test_of_two_the_one_the_chat_is_not_named_for_is_the_owner() -> None:
    chat = read("31.12.23, 14:05 - Anna Winter: Hello\n31.12.23, 14:06 - Jo Baker: Hi")
    assert [(one.who, one.is_mine) for one in chat.said] == [(ANNA, False), ("you", True)]
    assert (chat.name, chat.others, chat.calls_me, chat.is_mine_known) == (ANNA, ((ANNA, ""),), ("Jo Baker",), True)


def test_in_a_group_the_owner_is_known_by_what_they_are_called_or_not_at_all() -> None:
    text = "31.12.23, 14:05 - Anna Winter: a\n31.12.23, 14:06 - Jo Baker: b\n31.12.23, 14:07 - Bob Frost: c"
    unknown, known = (
        read(text, "WhatsApp Chat with Plans.txt"),
        read(text, "WhatsApp Chat with Plans.txt", ("jo baker",)),
    )
    assert not unknown.is_mine_known
    assert not any(one.is_mine for one in unknown.said)
    assert [one.who for one in known.said] == [ANNA, "you", "Bob Frost"]


def test_somebody_who_is_called_as_the_owner_is_stays_somebody_else() -> None:
    chat = read(
        "31.12.23, 14:05 - Jo: a\n31.12.23, 14:06 - Jo Baker: b", "WhatsApp Chat with Jo.txt", ("Jo", "Jo Baker")
    )
    assert [one.who for one in chat.said] == ["Jo", "you"]


def test_names_are_plain() -> None:
    chat = read(
        f"[31.12.23, 14:05:00] ~{NNBSP}Anna: a\n[31.12.23, 14:06:00] \u202a+49 170 1234567\u202c: b", "_chat.txt"
    )
    assert [one.who for one in chat.said] == ["Anna", "+49 170 1234567"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("WhatsApp Chat with Anna Winter.txt", "Anna Winter"),
        ("WhatsApp-Chat mit Anna Winter.txt", "Anna Winter"),
        ("WhatsApp Chat - Plans 2024.zip", "Plans 2024"),
        ("WhatsApp Chat with Anna (2).txt", "Anna"),
        ("_chat.txt", ""),
    ],
)
def test_a_chat_is_called_as_its_export_says(file: str, name: str) -> None:
    assert exported_name(file) == name


# What search is given


def test_a_message_becomes_a_document_with_who_when_where_and_its_span_of_the_chat() -> None:
    chat = read("31.12.23, 14:05 - Anna Winter: Hello\n31.12.23, 14:05 - Anna Winter: again\n31.12.23, 14:06 - Jo: Hi")
    one, two, three = documents_of(chat)
    assert one.ref.endswith("/202312311405.0000")
    assert two.ref.endswith("/202312311405.0001")
    assert one.ref.startswith("whatsapp:")
    assert "anna" not in one.ref.lower()
    assert (one.corpus, one.who, one.place, one.by_owner, one.people) == ("whatsapp", ANNA, ANNA, False, ())
    assert (three.who, three.by_owner, three.people) == ("you", True, ((ANNA, ""),))


def test_keys_stay_when_something_earlier_in_the_minute_was_deleted() -> None:
    before = read("31.12.23, 14:05 - Anna Winter: a\n31.12.23, 14:05 - Anna Winter: b")
    after = read("31.12.23, 14:05 - Anna Winter: This message was deleted\n31.12.23, 14:05 - Anna Winter: b")
    assert after.said[0].key == before.said[1].key
    assert after.first == before.first


def test_a_key_is_the_same_whether_the_second_was_written_down_or_not() -> None:
    android = read("31.12.23, 14:05 - Anna Winter: a\n31.12.23, 14:05 - Anna Winter: b")
    ios = read("[31.12.23, 14:05:01] Anna Winter: a\n[31.12.23, 14:05:59] Anna Winter: b")
    assert [one.key for one in android.said] == [one.key for one in ios.said]
    assert ios.said[1].at.second == 59


def test_in_a_large_group_nobody_is_named_beside_the_writer() -> None:
    text = "\n".join(f"31.12.23, 14:{n:02} - Person {n}: x" for n in range(COMPANY_MAX + 1))
    assert {document.people for document in documents_of(read(text, "WhatsApp Chat with All.txt"))} == {()}


# Bad bytes


def test_bad_bytes_are_named_by_their_line_and_the_rest_is_read() -> None:
    chat = read(b"\xef\xbb\xbf31.12.23, 14:05 - Anna Winter: caf\xe9\n\xff\xfe\n31.12.23, 14:06 - Jo: ok\n")
    assert [(one.line, one.because) for one in chat.faults] == [
        (1, "bytes that are no UTF-8"),
        (2, "bytes that are no UTF-8"),
    ]
    assert chat.said[0].text == "caf\ufffd\n\ufffd\ufffd"
    assert chat.said[1].text == "ok"


def test_utf16_is_read() -> None:
    assert said(read("31.12.23, 14:05 - Anna Winter: Grüße".encode("utf-16")))[0][2] == "Grüße"


def test_what_stands_before_the_first_message_is_named() -> None:
    chat = read("Exported by somebody\n31.12.23, 14:05 - Anna Winter: a")
    assert [(one.line, one.because) for one in chat.faults] == [(1, "stands before the first message")]


def test_a_message_without_end_is_cut_and_named() -> None:
    chat = read("31.12.23, 14:05 - Anna Winter: " + "w" * 250_000)
    assert TEXT_MAX - 100 < len(chat.said[0].text) <= TEXT_MAX
    assert "only the beginning" in chat.faults[0].because


@pytest.mark.parametrize("filler", [" ", "a.b ", "<attached: ", "x (", ": "])
def test_a_long_message_takes_no_longer_than_its_length(filler: str) -> None:
    began = time.process_time()
    read("31.12.23, 14:05 - Anna Winter: a" + filler * (60_000 // len(filler)) + "z")
    assert time.process_time() - began < 1


def test_faults_without_end_are_counted_no_further() -> None:
    assert len(read(b"31.12.23, 14:05 - Anna Winter: a\n" + b"\xff\n" * 1000).faults) == FAULTS_MAX + 1


def test_what_is_no_export_is_none() -> None:
    for raw in (b"", b"Dear diary\n", b"\0" * 100, b"14:05 - no date\n", b"12. May: a note"):
        assert read_whatsapp(raw, names=["a.txt"], zones=BERLIN, me=(), now=NOW) is None
    assert not is_export(b"- 1.2.2024: milk\n")
    assert is_export(b"1.2.2024, 10:00 - Anna: milk\n")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_raise(raw: bytes) -> None:
    read_whatsapp(b"31.12.23, 14:05 - Anna: a\n" + raw, names=["a.txt"], zones=BERLIN, me=(), now=NOW)


def test_shuffled_pieces_of_real_lines_never_raise() -> None:
    rolled = random.Random(7)
    pieces = [*FORMS.values(), LRM, "\n", ": ", "[", "]", " - ", "99.99.99, 99:99 - x: y", "<attached: ", "\u2068"]
    for _ in range(300):
        text = "".join(rolled.choice(pieces) for _ in range(12))
        read_whatsapp(text.encode(), names=["a.txt"], zones=BERLIN, me=("x",), now=NOW)


@pytest.mark.parametrize("chosen", ["You", "Du", "Jo Baker", "jo baker"])
def test_nobody_becomes_the_owner_by_the_name_they_chose(chosen: str) -> None:
    group = f"31.12.23, 14:05 - Jo Baker: a\n31.12.23, 14:06 - ~ {chosen}: I'll send it\n31.12.23, 14:07 - Anna: c"
    chat = read(group, "WhatsApp Chat mit Team.txt", me=("Jo Baker",))
    assert [(one.is_mine, one.who == "you") for one in chat.said] == [(True, True), (False, False), (False, False)]
    assert chat.said[1].who not in ("you", "Jo Baker")
