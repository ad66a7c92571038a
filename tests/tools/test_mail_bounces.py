import pytest

from memory.mail import Bounce, Mail
from tools.files.mail import read_mail

FAILED = (
    "Reporting-MTA: dns; mx.example.net\r\nArrival-Date: Tue, 5 Mar 2024 10:15:00 +0000\r\n\r\n"
    "Final-Recipient: rfc822; ben@example.com\r\nOriginal-Recipient: rfc822;b@example.com\r\nAction: failed\r\n"
    "Status: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 <ben@example.com>: Recipient address rejected:\r\n"
    "    User unknown\r\n"
)


def report(status: str, kind: str = "delivery-status", subject: str = "Undelivered Mail Returned to Sender") -> Mail:
    return read_mail(
        (
            f"From: MAILER-DAEMON@mx.example.net\r\nReturn-Path: <>\r\nTo: mira@example.org\r\nSubject: {subject}\r\n"
            f'Content-Type: multipart/report; report-type={kind}; boundary="e"\r\n\r\n'
            "--e\r\nContent-Type: text/plain\r\n\r\nYour mail could not be delivered.\r\n"
            f"--e\r\nContent-Type: message/{kind}\r\n\r\n{status}"
            "--e\r\nContent-Type: message/rfc822\r\n\r\nFrom: mira@example.org\r\nSubject: Lunch\r\n\r\nHi Ben\r\n--e--\r\n"
        ).encode()
    )


def plain(*fields: str, text: str = "Something.") -> Mail:
    return read_mail("\r\n".join([*fields, "", text]).encode())


def test_a_report_tells_to_whom_a_mail_was_not_delivered_and_why() -> None:
    mail = report(FAILED)
    assert mail.is_bounce
    assert mail.is_automated
    assert mail.bounces == (
        Bounce(
            recipient="ben@example.com",
            why="no such address",
            status="5.1.1",
            diagnostic="550 5.1.1 <ben@example.com>: Recipient address rejected: User unknown",
        ),
    )
    assert mail.text == "Your mail could not be delivered."


def test_every_recipient_of_a_report_is_told_but_not_those_whom_it_reached() -> None:
    blocks = "".join(
        f"\r\nFinal-Recipient: rfc822; {name}@example.com\r\nAction: {action}\r\nStatus: {status}\r\n"
        for name, action, status in [("a", "failed", "5.2.2"), ("b", "delivered", "2.0.0"), ("c", "delayed", "4.4.7")]
    )
    mail = report(f"Reporting-MTA: dns; mx.example.net\r\n{blocks}")
    assert [(one.recipient, one.why) for one in mail.bounces] == [
        ("a@example.com", "mailbox full"),
        ("c@example.com", "delayed"),
    ]


def test_a_mail_that_is_only_late_is_delayed_whatever_the_other_server_said() -> None:
    mail = report(
        "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; a@example.com\r\nAction: delayed\r\n"
        "Diagnostic-Code: smtp; connection timed out\r\n"
    )
    assert [(one.recipient, one.why) for one in mail.bounces] == [("a@example.com", "delayed")]


def test_word_that_a_mail_arrived_is_no_bounce() -> None:
    status = (
        "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; a@example.com\r\nAction: delivered\r\nStatus: 2.0.0\r\n"
    )
    mail = report(status, subject="Delivery Status Notification (Success)")
    assert (mail.is_bounce, mail.bounces) == (False, ())


def test_word_that_a_mail_was_read_is_no_bounce() -> None:
    status = "Final-Recipient: rfc822; a@example.com\r\nDisposition: manual-action/MDN-sent-manually; displayed\r\n"
    mail = plain(
        "From: ann@example.org",
        "Subject: Read: Lunch",
        'Content-Type: multipart/report; report-type=disposition-notification; boundary="e"',
        text=f"--e\r\nContent-Type: message/disposition-notification\r\n\r\n{status}--e--\r\n",
    )
    assert not mail.is_bounce


@pytest.mark.parametrize(
    ("status", "diagnostic", "why"),
    [
        ("5.1.10", "", "no such address"),
        ("5.7.1", "", "refused"),
        ("5.3.4", "", "too large"),
        ("5.4.4", "", "not reachable"),
        ("4.2.2", "", "delayed"),
        ("", "550 No such user here", "no such address"),
        ("5.0.0", "552 mailbox is full", "mailbox full"),
        ("5.0.0", "554 Message rejected as spam", "refused"),
        ("5.0.0", "451 connection timed out", "not reachable"),
        ("", "", "other"),
    ],
)
def test_the_reason_is_told_by_the_code_and_else_by_the_words(status: str, diagnostic: str, why: str) -> None:
    mail = report(
        "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; a@example.com\r\nAction: failed\r\n"
        f"Status: {status}\r\nDiagnostic-Code: smtp; {diagnostic}\r\n"
    )
    (bounce,) = mail.bounces
    assert (bounce.status, bounce.why) == (status, why)


def test_a_bounce_of_the_old_kind_is_known_by_its_server_and_names_whom_it_did_not_reach() -> None:
    mail = plain(
        "Return-Path: <>",
        "From: Mail Delivery System <Mailer-Daemon@mx.example.net>",
        "Subject: Zustellung Ihrer Nachricht",
        text="I couldn't deliver it:\r\n\r\n<ben@example.com>:\r\n550 5.1.1 user unknown\r\n",
    )
    assert mail.bounces == (Bounce(recipient="ben@example.com", why="no such address", status="5.1.1"),)


def test_a_header_that_names_the_failed_recipient_makes_a_bounce() -> None:
    mail = plain("From: <no-answer@example.net>", "Subject: Hm", "X-Failed-Recipients: ben@example.com")
    assert (mail.is_bounce, mail.bounces[0].recipient) == (True, "ben@example.com")


@pytest.mark.parametrize(
    "subject",
    [
        "Undeliverable: Lunch",
        "Mail delivery failed: returning message to sender",
        "failure notice",
        "Delivery Status Notification (Failure)",
        "Unzustellbar: Mittagessen",
        "Ihre Nachricht konnte nicht zugestellt werden",
        "Nicht zugestellte Nachricht: Mittagessen",
        "Warning: could not send message for past 4 hours",
    ],
)
def test_a_servers_mail_is_a_bounce_by_its_subject(subject: str) -> None:
    assert plain("From: postmaster@example.net", f"Subject: {subject}").is_bounce


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(("From: ann@example.org", "Subject: Undeliverable: Lunch"), id="a-person-by-the-subject-alone"),
        pytest.param(("From: postmaster@example.net", "Subject: Maintenance tonight"), id="a-postmaster-with-news"),
        pytest.param(("Return-Path: <>", "From: ann@example.org", "Subject: Out of office"), id="an-absence"),
        pytest.param(("From: mailer-daemon@example.net", "Subject: Quota at 80 %"), id="a-daemon-with-news"),
    ],
)
def test_what_only_looks_like_a_bounce_is_none(fields: tuple[str, ...]) -> None:
    mail = plain(*fields)
    assert (mail.is_bounce, mail.bounces) == (False, ())


def test_a_report_with_thousands_of_recipients_is_bounded() -> None:
    block = "\r\nFinal-Recipient: rfc822; a@example.com\r\nAction: failed\r\nStatus: 5.1.1\r\n"
    assert len(report("Reporting-MTA: dns; x\r\n" + block * 3000).bounces) == 20
