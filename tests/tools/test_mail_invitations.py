import base64

from memory.mail import Mail
from tools.files.mail import read_mail

ICS = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nSUMMARY:Café\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
TEXT = ICS.replace("\r\n", "\n")


def part(kind: str, content: str, *, extra: str = "", charset: str = "utf-8") -> str:
    encoded = base64.encodebytes(content.encode(charset)).decode()
    return f"Content-Type: {kind}{extra}\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}"


def mail_of(*parts: str) -> Mail:
    inside = "".join(f"--e\r\n{each}\r\n" for each in ("Content-Type: text/plain\r\n\r\nPlease come.", *parts))
    header = 'From: ann@example.org\r\nContent-Type: multipart/mixed; boundary="e"\r\n\r\n'
    return read_mail((header + inside + "--e--\r\n").encode())


def test_an_invitation_is_kept_as_text_beside_what_is_said() -> None:
    mail = mail_of(part("text/calendar", ICS, extra="; method=REQUEST; charset=utf-8"))
    assert mail.calendars == (TEXT,)
    assert mail.text == "Please come."
    assert [attachment.media_type for attachment in mail.attachments] == ["text/calendar"]


def test_the_same_invitation_as_part_and_as_file_is_one() -> None:
    mail = mail_of(part("text/calendar", ICS), part("application/ics", ICS, extra='; name="invite.ics"'))
    assert mail.calendars == (TEXT,)
    assert len(mail.attachments) == 2


def test_a_calendar_is_known_by_the_name_of_its_file_too() -> None:
    mail = mail_of(part("application/octet-stream", ICS, extra='; name="Termin.ICS"'))
    assert mail.calendars == (TEXT,)


def test_a_calendar_is_read_in_its_charset() -> None:
    mail = mail_of(part("text/calendar", ICS, extra="; charset=iso-8859-1", charset="iso-8859-1"))
    assert mail.calendars == (TEXT,)


def test_a_mail_that_is_nothing_but_a_calendar_is_one() -> None:
    mail = read_mail(f"From: ann@example.org\r\nContent-Type: text/calendar; charset=utf-8\r\n\r\n{ICS}".encode())
    assert [calendar.strip() for calendar in mail.calendars] == [TEXT.strip()]


def test_no_more_calendars_are_kept_than_can_be_read() -> None:
    mail = mail_of(*(part("text/calendar", ICS.replace("Café", f"No {number}")) for number in range(7)))
    assert len(mail.calendars) == 5
    assert any("calendar" in fault for fault in mail.faults)


def test_half_a_calendar_is_not_kept() -> None:
    mail = mail_of(part("text/calendar", ICS + "X" * 300_000))
    assert mail.calendars == ()
    assert any("calendar" in fault for fault in mail.faults)
    assert len(mail.attachments) == 1


def test_a_text_about_calendars_is_no_calendar() -> None:
    assert mail_of(part("text/plain", ICS, extra='; name="notes.txt"')).calendars == ()
