import base64
import hashlib
import time
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.mail import Address, Mail
from tools.files.mail import UnreadableMail, read_mail


def made(*fields: str, body: str | bytes = "Hello there.\n", first: str = "From: Ann <ann@example.org>") -> bytes:
    header = "\r\n".join([first, *fields]).encode("utf-8", "surrogateescape")
    return header + b"\r\n\r\n" + (body.encode() if isinstance(body, str) else body)


def read(*fields: str, body: str | bytes = "Hello there.\n", first: str = "From: Ann <ann@example.org>") -> Mail:
    return read_mail(made(*fields, body=body, first=first))


def parts(kind: str, *each: str) -> bytes:
    inside = "".join(f"--edge\r\n{part}\r\n" for part in each)
    return made(f'Content-Type: multipart/{kind}; boundary="edge"', body=f"{inside}--edge--\r\n")


PLAIN = "Content-Type: text/plain; charset=utf-8\r\n\r\n"
HTML = "Content-Type: text/html; charset=utf-8\r\n\r\n"


def test_an_ordinary_mail_is_read_whole_and_without_fault() -> None:
    mail = read(
        "To: Ben <ben@example.org>, cleo@Example.ORG",
        "Cc: dan@example.org",
        "Subject: Lunch",
        "Date: Tue, 5 Mar 2024 10:15:00 +0100",
        "Message-ID: <one@example.org>",
        "In-Reply-To: <zero@example.org>",
        "References: <a@example.org>\r\n <zero@example.org>",
    )
    assert mail.sender == Address("Ann", "ann@example.org")
    assert mail.to == (Address("Ben", "ben@example.org"), Address("", "cleo@example.org"))
    assert mail.cc == (Address("", "dan@example.org"),)
    assert (mail.subject, mail.text) == ("Lunch", "Hello there.")
    assert mail.date_at == datetime(2024, 3, 5, 9, 15, tzinfo=UTC)
    assert (mail.message_id, mail.in_reply_to) == ("one@example.org", "zero@example.org")
    assert mail.references == ("a@example.org", "zero@example.org")
    assert mail.faults == ()
    assert not any((mail.senders_disagree, mail.is_automated, mail.was_cut, mail.html_hidden, mail.parts_disagree))


@pytest.mark.parametrize("raw", [b"", b"\r\n\r\n", b"\x00\x01\x02" * 50, b"just a note\nFrom: nobody@example.org\n\nx"])
def test_what_has_no_header_is_refused_as_no_mail(raw: bytes) -> None:
    with pytest.raises(UnreadableMail, match="no mail"):
        read_mail(raw)


@pytest.mark.parametrize(
    "before", [b"\xef\xbb\xbf", b"\r\n\n", b"From ann@example.org Tue Mar  5 10:15:00 2024\n", b">From x\r\n"]
)
def test_what_stands_before_the_first_field_is_passed_over(before: bytes) -> None:
    assert read_mail(before + made("Subject: Lunch")).subject == "Lunch"


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        pytest.param("=?utf-8?Q?Gr=C3=BC=C3=9Fe?=", "Grüße", id="quoted"),
        pytest.param("=?UTF-8?B?R3LDvMOfZQ==?= an alle", "Grüße an alle", id="base64-then-plain"),
        pytest.param("=?utf-8?B?R3LD?=\r\n =?utf-8?B?vMOfZQ==?=", "Grüße", id="character-split-between-words"),
        pytest.param("=?iso-8859-1?Q?a?= =?utf-8?Q?b?=", "ab", id="blank-between-words-goes"),
        pytest.param("=?gb2312?B?xOO6ww==?=", "你好", id="gb2312"),
        pytest.param("=?windows-1252?Q?10_=80?=", "10 €", id="windows-1252"),
        pytest.param("=?x-foo?Q?Gr=C3=BC=C3=9Fe?=", "Grüße", id="unknown-charset"),
        pytest.param("=?rot13?Q?abc?=", "abc", id="codec-that-is-no-charset"),
        pytest.param("=?utf-8?Q?evil=0D=0ABcc=3A_x?=", "evil Bcc: x", id="line-break-inside"),
        pytest.param("=?utf-8?Q?nul=00l?=", "null", id="nul-inside"),
        pytest.param("=?iso-8859-1?Q?Fr\udcf6sche?=", "Frösche", id="raw-byte-inside-a-word"),
        pytest.param("Gr\udcfc\udcdfe", "Grüße", id="raw-latin-1"),
        pytest.param("Grüße", "Grüße", id="raw-utf-8"),
        pytest.param("=?utf-8?B?####?=", "####", id="no-base64"),
    ],
)
def test_a_subject_is_what_a_reader_sees(raw: str, seen: str) -> None:
    assert read(f"Subject: {raw}").subject == seen


@pytest.mark.parametrize(
    ("charset", "body", "text", "fault"),
    [
        pytest.param("", "Grüße".encode(), "Grüße", None, id="none-utf-8"),
        pytest.param("", "Grüße".encode("latin-1"), "Grüße", None, id="none-latin-1"),
        pytest.param("; charset=us-ascii", "Grüße".encode(), "Grüße", None, id="ascii-that-is-utf-8"),
        pytest.param("; charset=iso-8859-1", "„Grüße“".encode("cp1252"), "„Grüße“", None, id="latin-1-that-is-cp1252"),
        pytest.param("; charset=GB2312", "朱镕".encode("gb18030"), "朱镕", None, id="gb2312"),
        pytest.param("; charset=x-foo", "Grüße".encode(), "Grüße", "unknown charset x-foo in part 1", id="unknown"),
        pytest.param("; charset=zlib", b"plain words", "plain words", "unknown charset zlib in part 1", id="zlib"),
        pytest.param(
            "; charset=utf-8",
            "Grüße".encode("latin-1"),
            "Grüße",
            "text is not in its charset utf-8 in part 1",
            id="lie",
        ),
        pytest.param("; charset=utf-16", "Grüße".encode("utf-16"), "Grüße", None, id="utf-16"),
        pytest.param("; charset=iso-2022-jp", "日本".encode("iso-2022-jp"), "日本", None, id="iso-2022-jp"),
        pytest.param("; charset=utf-8", b"a\x00b\x07c\r\nd\re", "abc\nd\ne", None, id="nul-and-line-ends"),
    ],
)
def test_text_survives_its_charset(charset: str, body: bytes, text: str, fault: str | None) -> None:
    mail = read(f"Content-Type: text/plain{charset}", "Content-Transfer-Encoding: 8bit", body=body)
    assert mail.text == text
    assert fault is None or fault in mail.faults


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("Tue, 5 Mar 2024 10:15:00 +0100 (CET)", "2024-03-05T09:15:00+00:00", id="comment"),
        pytest.param("Fri, 3 Jul 98 12:00:00 EST", "1998-07-03T17:00:00+00:00", id="two-digit-year-old-zone"),
        pytest.param("Wed, 3 Jul 02 12:00:00 GMT", "2002-07-03T12:00:00+00:00", id="two-digit-year-2002"),
        pytest.param("Wed Jul  3 12:00:00 2002", "2002-07-03T12:00:00+00:00", id="asctime"),
        pytest.param("Wed, 3 Jul 2002 12:00:00 +0000 (CEST)", "2002-07-03T12:00:00+00:00", id="number-before-name"),
        pytest.param("Wed, 3 Jul 2002 12:00:00 MEST", "2002-07-03T10:00:00+00:00", id="middle-europe"),
        pytest.param("2024-03-05T10:15:00+01:00", "2024-03-05T09:15:00+00:00", id="iso"),
        pytest.param("Tue, 5 Mar 2024 10:15:00 +9999", "2024-03-05T10:15:00+00:00", id="impossible-zone"),
        pytest.param("Tue, 35 Mar 2024 10:15:00 +0100", None, id="no-such-day"),
        pytest.param("Thu, 1 Jan 1970 00:00:00 +0000", None, id="before-mail"),
        pytest.param("Thu, 1 Jan 2150 00:00:00 +0000", None, id="far-future"),
        pytest.param("yesterday", None, id="words"),
    ],
)
def test_a_date_is_a_moment_in_utc_or_nothing(raw: str, expected: str | None) -> None:
    date_at = read(f"Date: {raw}").date_at
    assert date_at == (datetime.fromisoformat(expected) if expected else None)


def test_a_hopeless_date_is_replaced_by_that_of_the_last_server() -> None:
    received = "Received: from a by b; Tue, 5 Mar 2024 10:15:00 +0000"
    mail = read("Date: soon", received, "Received: from c by a; Tue, 5 Mar 2024 08:00:00 +0000")
    assert mail.date_at == datetime(2024, 3, 5, 10, 15, tzinfo=UTC)
    assert "bad date" in mail.faults


def test_a_date_after_tomorrow_is_not_believed_when_now_is_known() -> None:
    raw = made("Date: Tue, 5 Mar 2041 10:15:00 +0000")
    assert read_mail(raw).date_at is not None
    later = read_mail(raw, now=datetime(2024, 3, 5, tzinfo=UTC))
    assert later.date_at is None
    assert later.fingerprint == read_mail(raw).fingerprint


def test_an_attachment_is_hashed_and_not_kept() -> None:
    content = bytes(range(256)) * 9000
    encoded = base64.encodebytes(content).decode()
    head = "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n"
    mail = read_mail(
        parts("mixed", PLAIN + "See attached.", f"{head}Content-Transfer-Encoding: base64\r\n\r\n{encoded}")
    )
    (attachment,) = mail.attachments
    assert (attachment.name, attachment.media_type) == ("plan.pdf", "application/pdf")
    assert (attachment.size_bytes, attachment.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert (mail.text, mail.faults) == ("See attached.", ("no date",))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        pytest.param('filename="../../etc/passwd"', "passwd", id="up-and-out"),
        pytest.param(r'filename="C:\\temp\\plan.pdf"', "plan.pdf", id="windows-path"),
        pytest.param("filename*=utf-8''R%C3%A9sum%C3%A9%2F..%2Fx.pdf", "x.pdf", id="encoded-slash"),
        pytest.param('filename="=?utf-8?Q?R=C3=A9sum=C3=A9.pdf?="', "Résumé.pdf", id="encoded-word"),
        pytest.param("filename*=utf-8''safe%E2%80%AEfdp.exe", "safefdp.exe", id="turned-around"),
        pytest.param('filename=".."', "unnamed", id="dots"),
        pytest.param('filename="' + "a" * 500 + '.pdf"', "a" * 116 + ".pdf", id="endless"),
        pytest.param('filename="a:b*c?.txt"', "a_b_c_.txt", id="reserved"),
    ],
)
def test_a_file_name_leads_nowhere(written: str, name: str) -> None:
    head = f"Content-Type: application/octet-stream\r\nContent-Disposition: attachment; {written}\r\n\r\n"
    assert [each.name for each in read_mail(parts("mixed", PLAIN + "x", head + "y")).attachments] == [name]


def test_bad_base64_is_read_as_far_as_it_goes_and_named() -> None:
    head = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    mail = read_mail(parts("mixed", PLAIN + "First.", head + "U2Vjb25kIHdvcmRz!!!Lg"))
    assert mail.text == "First.\n\nSecond words."
    assert "bad base64 in part 3" in mail.faults


def test_an_attached_mail_does_not_speak_for_its_carrier() -> None:
    mail = read_mail(parts("mixed", PLAIN + "Mine.", "Content-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nTheirs."))
    assert mail.text == "Mine."
    assert [(each.name, each.media_type) for each in mail.attachments] == [("mail.eml", "message/rfc822")]


def test_a_multipart_without_its_parts_is_shown_as_it_stands() -> None:
    mail = read('Content-Type: multipart/mixed; boundary="gone"', body="What was said.\r\n")
    assert mail.text == "What was said."
    assert mail.faults


def test_a_multipart_that_never_ends_is_read() -> None:
    mail = read('Content-Type: multipart/mixed; boundary="edge"', body=f"--edge\r\n{PLAIN}What was said.\r\n")
    assert mail.text == "What was said."


@pytest.mark.parametrize("depth", [100, 2000])
def test_parts_in_parts_without_end_are_given_up_on(depth: int) -> None:
    inside = "".join(f'Content-Type: multipart/mixed; boundary="b{n}"\r\n\r\n--b{n}\r\n' for n in range(depth))
    mail = read_mail(b"From: ann@example.org\r\n" + (inside + PLAIN + "deep").encode())
    assert {"parts nested too deeply", "parts could not be told apart"} & set(mail.faults)


def test_thousands_of_parts_are_cut() -> None:
    mail = read_mail(parts("mixed", *[PLAIN + "x"] * 3000))
    assert mail.was_cut
    assert "more parts than are read" in mail.faults


def test_a_very_long_text_is_cut_and_says_so() -> None:
    mail = read(body="word " * 300_000)
    assert len(mail.text) == 1_000_000
    assert mail.was_cut


def test_a_huge_header_is_read_in_part_and_the_body_still_found() -> None:
    mail = read("Subject: Lunch", *[f"X-Filler-{n}: {'x' * 900}" for n in range(2000)])
    assert (mail.subject, mail.text) == ("Lunch", "Hello there.")
    assert "header too long, read in part" in mail.faults


def test_a_stray_line_in_the_header_hides_no_field_after_it() -> None:
    mail = read("Subject: Lunch", "and a line that was not folded", "Date: Tue, 5 Mar 2024 10:15:00 +0000")
    assert mail.date_at == datetime(2024, 3, 5, 10, 15, tzinfo=UTC)
    assert mail.text == "Hello there."


@pytest.mark.parametrize(
    "field",
    [
        "List-Id: Talk <talk.example.org>",
        "List-Unsubscribe: <mailto:off@example.org>",
        "Auto-Submitted: auto-replied",
        "Precedence: bulk",
        "Return-Path: <>",
    ],
)
def test_mail_that_no_person_sent_is_known_by_its_fields(field: str) -> None:
    assert read(field).is_automated


@pytest.mark.parametrize(
    ("address", "is_automated"),
    [
        ("noreply@example.org", True),
        ("do-not-reply@example.org", True),
        ("billing-no-reply@example.org", True),
        ("mailer-daemon@example.org", True),
        ("bounces+17@example.org", True),
        ("casino-reply@example.org", False),
        ("noreen@example.org", False),
        ("dan.north@example.org", False),
    ],
)
def test_a_robot_is_known_by_its_address(address: str, is_automated: bool) -> None:
    assert read(first=f"From: {address}").is_automated is is_automated


def test_the_id_of_a_list_is_that_in_brackets() -> None:
    assert read("List-Id: Talk about it <Talk.example.org>").list_id == "talk.example.org"


def test_auto_submitted_no_is_a_person() -> None:
    assert not read("Auto-Submitted: no").is_automated


def test_the_same_mail_has_the_same_fingerprint_however_it_was_kept() -> None:
    raw = made("Subject: =?utf-8?Q?Lunch?=", "Date: Tue, 5 Mar 2024 10:15:00 +0100", body="Hello there.\r\nBye.\r\n")
    other = raw.replace(b"\r\n", b"\n").replace(b"+0100", b"+0100 (CET)").replace(b"?=", b"?=\n ") + b"\n\n"
    assert read_mail(raw).message_id is None
    assert read_mail(raw).fingerprint == read_mail(other).fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"one@", b"two@"),
        (b"Lunch", b"Supper"),
        (b"10:15", b"10:16"),
        (b"ann@", b"bob@"),
        (b"Hello", b"Hallo"),
    ],
)
def test_another_mail_has_another_fingerprint(old: bytes, new: bytes) -> None:
    raw = made("Message-ID: <one@example.org>", "Subject: Lunch", "Date: Tue, 5 Mar 2024 10:15:00 +0100")
    assert read_mail(raw).fingerprint != read_mail(raw.replace(old, new)).fingerprint


def test_mails_that_differ_in_an_attachment_alone_are_two() -> None:
    head = "Content-Type: image/png\r\nContent-Disposition: attachment\r\n\r\n"
    one, other = (read_mail(parts("mixed", PLAIN + "x", head + content)) for content in ("aaaa", "bbbb"))
    assert one.fingerprint != other.fingerprint


NASTY = [
    b"From: ",
    b"To: a@b, c@d;\n",
    b"\n\n",
    b'Content-Type: multipart/mixed; boundary="x"\n',
    b"--x\n",
    b"--x--\n",
    b"Content-Type: text/html; charset*=''%ff\n",
    b"Content-Type: message/rfc822\n",
    b"Content-Disposition: attachment; filename*0*=utf-8'; filename*1=x\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Transfer-Encoding: x-uuencode\n",
    b"begin 644 x\n",
    b"Subject: =?utf-7?B?+2AA-?=\n",
    b"=?idna?Q?=ff?=",
    b"Date: Mon, 99 Foo 0 25:61:61 +99999\n",
    b"<p style='display:none",
    b"<![CDATA[",
    b"\xff\xfe\x00",
    b"((((",
    b'"\\',
    b"\r",
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(st.sampled_from(NASTY), st.binary(max_size=30)), max_size=25).map(b"".join), st.booleans())
def test_no_bytes_make_reading_fail(raw: bytes, has_header: bool) -> None:
    try:
        mail = read_mail(b"Subject: x\n" * has_header + raw)
    except UnreadableMail:
        return
    kept = [mail.text, mail.subject, *mail.faults, *(each.name for each in (*mail.to, *mail.cc, *mail.attachments))]
    assert all("\x00" not in each and each.encode() is not None for each in kept)


@pytest.mark.parametrize(
    "field",
    [
        pytest.param('From: "' + '\\"' * 40_000, id="quote-without-end"),
        pytest.param("From: " + "(" * 80_000, id="comments"),
        pytest.param("From: " + "<" * 80_000, id="brackets"),
        pytest.param("To: " + "a@b.c," * 16_000, id="recipients"),
        pytest.param("To: " + "a at " * 16_000, id="at-at-at"),
        pytest.param("Subject: " + "=?utf-8?q?" * 8_000, id="words-without-end"),
        pytest.param("Subject: " + "=?utf-8?q?a?= " * 6_000, id="words"),
        pytest.param("References: " + "<" * 80_000, id="references"),
        pytest.param("Date: " + "1 " * 40_000, id="date"),
    ],
)
def test_a_hostile_field_costs_no_more_than_its_length(field: str) -> None:
    begun = time.process_time()
    read(field)
    assert time.process_time() - begun < 2
