import pytest

from memory.mail import Address, Mail
from tools.files.mail import read_mail


def read(*fields: str) -> Mail:
    return read_mail("\r\n".join([*fields, "Subject: x", "", "Hello."]).encode())


@pytest.mark.parametrize(
    ("written", "name", "address"),
    [
        pytest.param("ann@example.org", "", "ann@example.org", id="bare"),
        pytest.param("<ann@example.org>", "", "ann@example.org", id="angle"),
        pytest.param("Ann Arbor <ann@example.org>", "Ann Arbor", "ann@example.org", id="name"),
        pytest.param('"Arbor, Ann" <ann@example.org>', "Arbor, Ann", "ann@example.org", id="quoted-comma"),
        pytest.param('"Ann \\"A\\" Arbor" <ann@example.org>', 'Ann "A" Arbor', "ann@example.org", id="escaped-quote"),
        pytest.param("ann@example.org (Ann (the) Arbor)", "Ann (the) Arbor", "ann@example.org", id="comment"),
        pytest.param("=?utf-8?Q?M=C3=BCller?= <m@example.org>", "Müller", "m@example.org", id="encoded"),
        pytest.param("=?utf-8?Q?M=C3=BCller=2C_A?= <m@example.org>", "Müller, A", "m@example.org", id="encoded-comma"),
        pytest.param('"=?utf-8?Q?M=C3=BCller?=" <m@example.org>', "Müller", "m@example.org", id="encoded-quoted"),
        pytest.param("Müller <m@example.org>", "Müller", "m@example.org", id="raw-utf-8"),
        pytest.param("Ann.Arbor@Example.ORG", "", "Ann.Arbor@example.org", id="domain-lower"),
        pytest.param("a..b@example.org", "", "a..b@example.org", id="two-dots"),
        pytest.param('"a b"@example.org', "", '"a b"@example.org', id="quoted-local"),
        pytest.param("ann@[192.0.2.7]", "", "ann@[192.0.2.7]", id="literal"),
        pytest.param("ann@bücher.example", "", "ann@bücher.example", id="idn"),
        pytest.param("ann at example.org (Ann Arbor)", "Ann Arbor", "ann@example.org", id="archive"),
        pytest.param("ann at example.org (ann@example.org)", "ann@example.org", "ann@example.org", id="archive-twice"),
        pytest.param("Ann Arbor <ann at example.org>", "Ann Arbor", "ann@example.org", id="archive-angle"),
    ],
)
def test_one_author_is_read_beyond_doubt(written: str, name: str, address: str) -> None:
    mail = read(f"From: {written}")
    assert mail.sender == Address(name, address)
    assert not mail.senders_disagree


@pytest.mark.parametrize(
    "written",
    [
        pytest.param('"alice@good.example" <mallory@evil.example>', id="name-shows-another"),
        pytest.param('"alice@good" <mallory@evil>', id="name-shows-another-short"),
        pytest.param("=?utf-8?Q?alice=40good.example?= <mallory@evil.example>", id="encoded-name-shows-another"),
        pytest.param("alice＠good.example <mallory@evil.example>", id="fullwidth-at"),
        pytest.param("a@good.example <b@evil.example>", id="bare-name-shows-another"),
        pytest.param("a@good.example)<b@evil.example", id="bracket"),
        pytest.param("a@good.example, b@evil.example", id="two-authors"),
        pytest.param("<a@good.example> <b@evil.example>", id="two-angles"),
        pytest.param("<a@good.example> b@evil.example", id="after-the-angle"),
        pytest.param("a@good.example@evil.example", id="two-ats"),
        pytest.param("<@relay.example:a@good.example>", id="route"),
        pytest.param("Team: a@good.example;", id="group"),
        pytest.param("=?utf-8?Q?M=C3=BCller,_A?= <b@evil.example>", id="encoded-word-with-comma"),
        pytest.param('"unclosed <a@good.example>', id="quote-without-end"),
        pytest.param("(unclosed a@good.example", id="comment-without-end"),
        pytest.param("a@good.example\x00 <b@evil.example>", id="nul"),
        pytest.param("just a name", id="no-address"),
    ],
)
def test_an_author_who_could_be_two_is_marked(written: str) -> None:
    mail = read(f"From: {written}")
    assert mail.senders_disagree
    assert "doubtful author" in mail.faults


@pytest.mark.parametrize(
    "written",
    [
        "<a@good.example> <b@evil.example>",
        "<a@good.example> b@evil.example",
        "a@good.example@evil.example",
        "<@relay.example:a@good.example>",
        "a@-good.example",
        "a@good..example",
        "a b@good.example",
        "a@good.example b@evil.example",
    ],
)
def test_a_form_that_is_not_exactly_one_address_gives_none(written: str) -> None:
    (to,) = read("From: ann@example.org", f"To: {written}").to
    assert to.address is None


def test_two_from_headers_disagree() -> None:
    mail = read("From: alice@good.example", "From: mallory@evil.example")
    assert mail.senders_disagree
    assert mail.sender == Address("", "alice@good.example")


def test_the_same_from_header_twice_is_one_author() -> None:
    assert not read("From: ann@example.org", "From: ann@example.org").senders_disagree


@pytest.mark.parametrize("written", ["pd@me@ @ending from cb@@dk", "ann at home", "Undisclosed"])
def test_a_name_without_an_address_is_kept_as_a_name(written: str) -> None:
    sender = read(f"From: {written}").sender
    assert sender == Address(written, None)


def test_a_mail_without_an_author_has_none() -> None:
    mail = read("To: ann@example.org")
    assert mail.sender is None
    assert "no author" in mail.faults


@pytest.mark.parametrize(
    ("written", "addresses"),
    [
        pytest.param("a@x.example, b@y.example", ["a@x.example", "b@y.example"], id="two"),
        pytest.param(
            "Team: a@x.example, b@y.example;, c@z.example", ["a@x.example", "b@y.example", "c@z.example"], id="group"
        ),
        pytest.param("undisclosed-recipients:;", [], id="nobody"),
        pytest.param("a@x.example,, b@y.example", ["a@x.example", "b@y.example"], id="empty-place"),
        pytest.param("a@x.example; b@y.example", ["a@x.example", "b@y.example"], id="semicolons"),
        pytest.param(
            '"x, y" <a@x.example>, (note, here) b@y.example', ["a@x.example", "b@y.example"], id="commas-inside"
        ),
        pytest.param("a@x.example, a@x.example", ["a@x.example"], id="each-once"),
        pytest.param("Ann, b@y.example", [None, "b@y.example"], id="name-alone"),
    ],
)
def test_recipients_are_read_in_order(written: str, addresses: list[str | None]) -> None:
    assert [each.address for each in read(f"To: {written}").to] == addresses


def test_several_fields_of_recipients_are_one_list() -> None:
    mail = read("From: ann@example.org", "Cc: a@x.example", "cc: b@y.example")
    assert [each.address for each in mail.cc] == ["a@x.example", "b@y.example"]


def test_line_breaks_and_controls_never_reach_a_name() -> None:
    (to,) = read("From: ann@example.org", "To: =?utf-8?Q?Ann=0D=0ABcc:=20x=07?=\r\n <a@x.example>").to
    assert to == Address("Ann Bcc: x", "a@x.example")
