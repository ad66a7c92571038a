"""What an IMAP server says, read into values: folders, mails, counts, sets of uids; and the cursor as text."""

import imaplib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import NotFound
from tests.doubles.clock import NOW
from tools.imap.access import Access
from tools.imap.answer import Fetched, Stamp, read_fetched, read_stamp
from tools.imap.cursor import (
    GAP_SLACK_FOR,
    KNOWN_LIMIT,
    Cursor,
    Mark,
    Stretch,
    begun,
    continued,
    read_cursor,
    spell_cursor,
)
from tools.imap.failures import failure_of
from tools.imap.folder import Folder, listed, of_use, readable
from tools.imap.portion import BYTES_LIMIT, MAILS_LIMIT, portions
from tools.imap.uid import MailUid, read_mail_uid
from tools.imap.uids import read_uids, spelled
from tools.source import SignInRefused

SINCE = NOW - timedelta(days=30)
UIDS = st.sets(st.integers(1, 2**32 - 1), max_size=60)


def folders(*lines: bytes | tuple[bytes, bytes]) -> dict[str, Folder]:
    return {folder.name: folder for folder in listed(lines)}


def test_a_server_that_marks_its_folders_is_believed() -> None:
    found = folders(
        rb'(\HasNoChildren) "/" INBOX',
        rb'(\HasNoChildren \Sent) "/" "Ausgang"',
        rb'(\HasNoChildren \Archive) "/" Ablage',
        rb'(\HasNoChildren \Trash) "/" Tonne',
        rb'(\HasNoChildren \All) "/" "[Gmail]/All Mail"',
        rb'(\HasChildren \Noselect) "/" "[Gmail]"',
        rb'(\HasNoChildren) "/" Familie',
    )
    assert [folder.name for folder in readable(found.values())] == ["Ausgang", "INBOX", "Ablage", "Familie"]
    assert found["Ausgang"].is_sent
    assert "[Gmail]" not in found


@pytest.mark.parametrize(
    ("line", "use"),
    [
        (rb'() "/" Sent', "sent"),
        (rb'() "." "INBOX.Sent Items"', "sent"),
        (rb'() "/" "Gesendete Objekte"', "sent"),
        (rb'() "/" "Gesendete Elemente"', "sent"),
        (rb'() "/" "Entw&APw-rfe"', "drafts"),
        (rb'() "/" "Gel&APY-schte Elemente"', "trash"),
        (rb"() NIL Sent", "sent"),
        (rb'() "/" "[Google Mail]/Spam"', "junk"),
        (rb'() "/" "Projekte/Sent"', "other"),
        (rb'() "/" "Sentinel"', "other"),
    ],
)
def test_where_nothing_is_marked_the_name_tells(line: bytes, use: str) -> None:
    (folder,) = listed([line])
    assert folder.use == use


def test_what_lies_within_the_trash_is_not_read_either() -> None:
    found = folders(rb'() "/" Trash', rb'() "/" Trash/2020', rb'() "/" Trashcan', rb'() "/" INBOX')
    assert [folder.name for folder in readable(found.values())] == ["INBOX", "Trashcan"]


def test_folders_named_outright_are_read_whatever_they_are() -> None:
    found = folders(rb'() "/" Trash', rb'() "/" INBOX', rb'() "/" Familie')
    assert [folder.name for folder in readable(found.values(), only=["trash", "FAMILIE"])] == ["Familie", "Trash"]


def test_a_marked_folder_comes_before_one_that_only_bears_the_name() -> None:
    found = folders(rb'() "/" Archive', rb'(\Archive) "/" Zettel')
    assert [folder.name for folder in of_use(found.values(), "archive")] == ["Zettel", "Archive"]


@pytest.mark.parametrize(
    ("line", "name", "wire"),
    [
        (rb'() "/" inbox', "INBOX", b'"inbox"'),
        (rb'() "/" "Z&APw-rich &- S&APY-hne"', "Zürich & Söhne", b'"Z&APw-rich &- S&APY-hne"'),
        (rb'() "\\" "a \"quoted\" \\name"', r'a "quoted" \name', rb'"a \"quoted\" \\name"'),
        ((rb'() "/" {9}', b'li"te ral'), 'li"te ral', rb'"li\"te ral"'),
        ('() "/" Grüße'.encode(), "Grüße", '"Grüße"'.encode()),
        (rb'() "/" "not & utf7"', "not & utf7", b'"not & utf7"'),
        (rb'() "/" &Jjo', None, b'"&Jjo"'),
    ],
)
def test_a_name_is_read_for_a_person_and_asked_for_as_it_was_spelled(
    line: bytes | tuple[bytes, bytes], name: str | None, wire: bytes
) -> None:
    (folder,) = listed([line])
    assert folder.wire == wire
    assert name in (None, folder.name)


@pytest.mark.parametrize("line", [b"", b"()", b'() "/" ""', b'() "/" "a\rb"', b"nonsense", None, (b"x", None)])
def test_a_line_that_names_no_folder_is_left_out(line: object) -> None:
    assert listed([line]) == ()


def test_mails_are_put_together_from_what_imaplib_cut_apart() -> None:
    answer = [
        (b'1 (FLAGS (\\Seen $Work) INTERNALDATE " 1-Mar-2026 10:00:00 +0100" BODY[] {3}', b"abc"),
        b" UID 7 RFC822.SIZE 3)",
        b"2 (UID 8 FLAGS (\\Answered))",
        (b"3 (UID 9 BODY[]<0> {2}", b"de"),
        b")",
        b'4 (UID 10 BODY[] "q\\"uoted")',
        b"5 (FLAGS (\\Seen))",
        b"6 (UID 0 BODY[] NIL)",
    ]
    found = read_fetched(answer)
    assert found[7] == Fetched(
        uid=7,
        flags=frozenset({"\\seen", "$work"}),
        received_at=datetime(2026, 3, 1, 9, tzinfo=UTC),
        size_bytes=3,
        raw=b"abc",
    )
    assert (found[7].is_read, found[7].labels) == (True, ("$work",))
    assert [(uid, mail.raw) for uid, mail in found.items()] == [(7, b"abc"), (8, None), (9, b"de"), (10, b'q"uoted')]


def test_a_change_of_marks_told_in_between_takes_no_mail_away() -> None:
    found = read_fetched([(b"1 (UID 7 BODY[] {3}", b"abc"), b")", b"1 (UID 7 FLAGS (\\Seen))"])
    assert found[7].raw == b"abc"


@pytest.mark.parametrize(
    "date", [b"31-Feb-2026 10:00:00 +0000", b"01-Foo-2026 10:00:00 +0000", b"01-Jan-0001 00:00:00 +1400", b"soon"]
)
def test_a_date_that_is_none_is_left_out(date: bytes) -> None:
    assert read_fetched([b'1 (UID 7 INTERNALDATE "' + date + b'")'])[7].received_at is None


@given(
    st.lists(st.one_of(st.binary(max_size=80), st.tuples(st.binary(max_size=80), st.binary(max_size=20)), st.none()))
)
def test_no_answer_whatever_makes_reading_fail(answer: list[object]) -> None:
    read_fetched(answer)
    read_stamp(answer)
    listed(answer)


def test_the_counts_of_a_folder_are_read_whatever_its_name() -> None:
    answer = [b'"MESSAGES 9 (UIDNEXT 9)" (MESSAGES 3 UIDNEXT 12 UIDVALIDITY 99 UNSEEN 1 HIGHESTMODSEQ 77)']
    assert read_stamp(answer) == Stamp(validity=99, next_uid=12, mails=3, unread=1, modseq=77)
    assert read_stamp([b"INBOX (MESSAGES 3)"]) is None


@given(UIDS)
def test_uids_are_spelled_and_read_again(uids: set[int]) -> None:
    assert read_uids(spelled(uids)) == uids


def test_uids_in_a_row_are_spelled_as_one() -> None:
    assert spelled([5, 3, 4, 9, 4]) == "3:5,9"


@pytest.mark.parametrize("text", ["1:4294967295", "a", "1,,2", "1:*", "-1"])
def test_what_is_no_set_of_uids_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="uids"):
        read_uids(text)


def test_a_mail_is_named_by_folder_validity_and_uid_even_where_the_folder_has_colons() -> None:
    uid = MailUid("a:b:1", 7, 42)
    assert str(uid) == "imap:a:b:1:7:42"
    assert read_mail_uid(str(uid)) == uid
    with pytest.raises(NotFound):
        read_mail_uid("gmail:18c3")


MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))
MARKS = st.builds(
    Mark,
    validity=st.just(7),
    last=st.integers(0, 2**32),
    at=st.none() | MOMENTS,
    known=UIDS.map(frozenset),
    unread=UIDS.map(frozenset),
    stamp=st.none()
    | st.builds(
        Stamp, validity=st.just(7), next_uid=st.integers(1, 99), mails=st.integers(0, 9), unread=st.integers(0, 9)
    ),
)
STRETCHES = st.builds(
    Stretch,
    why=st.sampled_from(["backfill", "gap"]),
    since=MOMENTS,
    upto=st.dictionaries(st.text(min_size=1), st.integers(0, 2**32), min_size=1, max_size=3),
    after=st.none() | st.tuples(MOMENTS, st.text(), st.integers(0, 2**32)),
)


@given(
    st.builds(
        Cursor,
        marks=st.dictionaries(st.text(), MARKS, max_size=3),
        stretches=st.lists(STRETCHES, max_size=2).map(tuple),
    )
)
def test_a_cursor_is_spelled_and_read_again(cursor: Cursor) -> None:
    assert read_cursor(spell_cursor(cursor)) == cursor


@given(st.text())
def test_no_text_whatever_makes_reading_a_cursor_fail(text: str) -> None:
    read_cursor(text)


def stamp(*, validity: int = 7, next_uid: int = 11) -> Stamp:
    return Stamp(validity=validity, next_uid=next_uid, mails=10, unread=0)


def test_a_folder_that_was_numbered_anew_is_a_gap_from_a_day_before_its_last_moment() -> None:
    at = NOW - timedelta(days=2)
    cursor = Cursor(marks={"INBOX": Mark(validity=7, last=10, at=at), "Sent": Mark(validity=7, last=10)})
    after = continued(cursor, {"INBOX": stamp(validity=8, next_uid=4), "Sent": stamp()}, since=SINCE)
    assert after.stretches == (Stretch(why="gap", since=at - GAP_SLACK_FOR, upto={"INBOX": 3}),)
    assert after.marks == {"INBOX": Mark(validity=8, last=3, at=at), "Sent": cursor.marks["Sent"]}


@pytest.mark.parametrize("at", [None, SINCE - timedelta(days=400)], ids=["nothing-known", "long-ago"])
def test_a_gap_never_reaches_further_back_than_the_account_is_read(at: datetime | None) -> None:
    cursor = Cursor(marks={"INBOX": Mark(validity=7, last=10, at=at)})
    (stretch,) = continued(cursor, {"INBOX": stamp(validity=8)}, since=SINCE).stretches
    assert stretch.since == SINCE


def test_a_folder_whose_numbers_went_back_was_restored_and_is_a_gap() -> None:
    cursor = Cursor(marks={"INBOX": Mark(validity=7, last=10, at=NOW)})
    assert [stretch.why for stretch in continued(cursor, {"INBOX": stamp(next_uid=5)}, since=SINCE).stretches] == [
        "gap"
    ]


def test_a_folder_numbered_anew_leaves_the_backfill_and_the_others_stay() -> None:
    cursor = begun({"INBOX": stamp(), "Sent": stamp()}, since=SINCE)
    after = continued(cursor, {"INBOX": stamp(validity=8), "Sent": stamp()}, since=SINCE)
    assert [(stretch.why, set(stretch.upto)) for stretch in after.stretches] == [
        ("backfill", {"Sent"}),
        ("gap", {"INBOX"}),
    ]


def test_only_the_newest_are_kept_in_mind() -> None:
    mails = [Fetched(uid=uid, received_at=NOW) for uid in range(1, KNOWN_LIMIT + 11)]
    cursor = begun({"INBOX": stamp()}, since=SINCE).with_arrived("INBOX", mails, last=0, now=NOW)
    mark = cursor.marks["INBOX"]
    assert (min(mark.known), len(mark.known), mark.unread) == (11, KNOWN_LIMIT, mark.known)


@given(st.lists(st.tuples(st.integers(), st.integers(0, 2 * BYTES_LIMIT))))
def test_portions_keep_the_order_and_both_limits(items: list[tuple[int, int]]) -> None:
    sizes = iter(size for _, size in items)
    made = list(portions(items))
    assert [item for portion in made for item in portion] == [item for item, _ in items]
    for portion in made:
        total = sum(next(sizes) for _ in portion)
        assert len(portion) == 1 or (len(portion) <= MAILS_LIMIT and total <= BYTES_LIMIT)


@pytest.mark.parametrize(
    ("host", "user", "hint"),
    [
        ("imap.gmail.com", "anna@gmail.com", "apppasswords"),
        ("mail.example.org", "anna@googlemail.com", "apppasswords"),
        ("outlook.office365.com", "anna@firm.example", "Outlook"),
        ("imap.mail.me.com", "anna@icloud.com", "app password"),
    ],
)
def test_who_wants_an_app_password_is_named_so(host: str, user: str, hint: str) -> None:
    access = Access(host=host, port=993, user=user, secret=lambda: "")
    failure = failure_of(imaplib.IMAP4.error("[AUTHENTICATIONFAILED] no"), access, signing_in=True)
    assert isinstance(failure, SignInRefused)
    assert hint in str(failure)


def test_others_are_told_nothing_of_app_passwords() -> None:
    access = Access(host="mail.notgmail.com", port=993, user="anna@example.org", secret=lambda: "")
    assert "app password" not in str(failure_of(imaplib.IMAP4.error("no"), access, signing_in=True))
