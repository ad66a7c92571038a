import pytest

from memory.mail import Address, Authenticity, Mail
from tools.files.mail import read_mail


def read(*fields: str) -> Mail:
    return read_mail("\r\n".join(["From: Ann <ann@example.org>", *fields, "", "Hello."]).encode())


def results(value: str) -> Authenticity:
    return read(f"Authentication-Results: {value}").authenticity


@pytest.mark.parametrize(
    ("value", "found"),
    [
        pytest.param(
            "mx.example.net;\r\n       dkim=pass header.i=@example.org header.s=k1 header.b=a1B2;\r\n"
            "       spf=pass (example.net: domain of ann@example.org designates 192.0.2.1 as permitted; really)"
            " smtp.mailfrom=ann@example.org;\r\n       dmarc=pass (p=NONE sp=NONE dis=NONE) header.from=example.org",
            Authenticity(dkim="pass", spf="pass", dmarc="pass", server="mx.example.net", domain="example.org"),
            id="webmail-folded-with-comments",
        ),
        pytest.param(
            "spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.org; dkim=pass (signature was verified)"
            " header.d=mail.example.org;dmarc=pass action=none header.from=example.org;compauth=pass reason=100",
            Authenticity(dkim="pass", spf="pass", dmarc="pass", server="", domain="mail.example.org"),
            id="without-a-server",
        ),
        pytest.param(
            'MX.Example.net 1; dkim=fail reason="bad; signature" header.d=example.org; spf=softfail',
            Authenticity(dkim="fail", spf="fail", server="mx.example.net"),
            id="version-and-quoted-reason",
        ),
        pytest.param(
            "mx.example.net; dkim=fail header.d=list.example.com; dkim=pass header.d=Example.ORG. header.s=x",
            Authenticity(dkim="pass", server="mx.example.net", domain="example.org"),
            id="of-two-signatures-one-holds",
        ),
        pytest.param("mx.example.net; none", Authenticity(server="mx.example.net"), id="nothing-was-checked"),
        pytest.param(
            "mx.example.net; dkim=none; spf=neutral; dmarc=none",
            Authenticity(dkim="none", spf="none", dmarc="none", server="mx.example.net"),
            id="nothing-to-check",
        ),
        pytest.param(
            "mx.example.net; dkim=temperror; spf=permerror; dmarc=bestguesspass",
            Authenticity(server="mx.example.net"),
            id="nobody-knows",
        ),
        pytest.param(
            "mx.example.net (really (spf=fail; nested)); auth=pass (cram) smtp.auth=ann; spf/1=pass",
            Authenticity(spf="pass", server="mx.example.net"),
            id="nested-comment-and-method-version",
        ),
        pytest.param("mx.example.net; (((dmarc=pass", Authenticity(server="mx.example.net"), id="comment-left-open"),
        pytest.param(";;;=;dkim=", Authenticity(), id="rubbish"),
    ],
)
def test_results_are_read_as_servers_write_them(value: str, found: Authenticity) -> None:
    assert results(value) == found


def test_results_that_came_with_the_mail_do_not_count() -> None:
    mail = read(
        "Authentication-Results: mx.example.net; dkim=fail header.d=example.org",
        "Received: from a by mx.example.net; Tue, 5 Mar 2024 10:15:00 +0000",
        "Authentication-Results: mx.example.net; dkim=pass header.d=example.org; spf=pass; dmarc=pass",
        "ARC-Authentication-Results: i=1; mx.example.net; spf=pass; dmarc=pass",
    )
    assert mail.authenticity == Authenticity(dkim="fail", server="mx.example.net")


def test_results_that_one_server_wrote_in_several_headers_are_taken_together() -> None:
    mail = read(
        "Authentication-Results: mx.example.net; dmarc=pass header.from=example.org",
        "Authentication-Results: mx.example.net; dkim=pass header.d=example.org",
        "Authentication-Results: other.example.com; spf=pass",
        "Received: from a by mx.example.net; Tue, 5 Mar 2024 10:15:00 +0000",
    )
    expected = Authenticity(dkim="pass", dmarc="pass", server="mx.example.net", domain="example.org")
    assert mail.authenticity == expected


@pytest.mark.parametrize(
    ("value", "spf"),
    [
        ("pass (mx.example.net: 192.0.2.1 is authorized) receiver=mx.example.net", "pass"),
        ("Pass (protection: domain designates) client-ip=192.0.2.1", "pass"),
        ("SoftFail", "fail"),
        ("None; nothing published", "none"),
        ("TempError", "unknown"),
        ("", "unknown"),
    ],
)
def test_received_spf_tells_of_spf_where_nothing_else_does(value: str, spf: str) -> None:
    assert read(f"Received-SPF: {value}").authenticity.spf == spf


def test_received_spf_does_not_outdo_the_results() -> None:
    mail = read("Received-SPF: pass", "Authentication-Results: mx.example.net; spf=fail")
    assert mail.authenticity.spf == "fail"


def test_without_any_results_nothing_is_known() -> None:
    assert read().authenticity == Authenticity()


def test_a_hostile_header_of_results_is_read_in_linear_time() -> None:
    for value in ("(" * 90_000, "a;" * 45_000, '"' * 90_000, "dkim=pass header.i=" + "a." * 40_000, "\\" * 90_000):
        assert results(f"mx.example.net; {value}").server == "mx.example.net"


def test_reply_to_and_bcc_are_kept_as_written() -> None:
    mail = read("Reply-To: Office <office@Example.org>, ben@example.org", "Bcc: cleo@example.org")
    assert mail.reply_to == (Address("Office", "office@example.org"), Address("", "ben@example.org"))
    assert mail.bcc == (Address("", "cleo@example.org"),)
    assert (read().reply_to, read().bcc) == ((), ())


def test_the_fields_of_a_list_are_kept_and_bounded() -> None:
    mail = read(
        "List-Id: Team <team.example.org>",
        "LIST-UNSUBSCRIBE: <mailto:off@example.org>,\r\n <https://example.org/off>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        *(f"List-X{number}: {'y' * 5000}" for number in range(40)),
    )
    assert mail.list_headers[:3] == (
        ("list-id", "Team <team.example.org>"),
        ("list-unsubscribe", "<mailto:off@example.org>, <https://example.org/off>"),
        ("list-unsubscribe-post", "List-Unsubscribe=One-Click"),
    )
    assert len(mail.list_headers) == 20
    assert max(len(value) for _, value in mail.list_headers) == 2000
    assert (mail.list_id, mail.is_automated) == ("team.example.org", True)


@pytest.mark.parametrize(
    ("field", "auto", "precedence", "automated"),
    [
        ("Auto-Submitted: Auto-Replied; owner-email=a@example.org", "auto-replied", "", True),
        ("Auto-Submitted: no", "no", "", False),
        ("Precedence: Bulk", "", "bulk", True),
        ("Precedence: first-class", "", "first-class", False),
        ("X-Other: x", "", "", False),
    ],
)
def test_what_a_machine_says_of_itself_is_kept(field: str, auto: str, precedence: str, automated: bool) -> None:
    mail = read(field)
    assert (mail.auto_submitted, mail.precedence, mail.is_automated) == (auto, precedence, automated)


def test_of_very_many_references_the_first_and_the_last_are_kept() -> None:
    mail = read("References: " + " ".join(f"<r{number}@example.org>" for number in range(150)))
    assert len(mail.references) == 100
    assert (mail.references[0], mail.references[1]) == ("r0@example.org", "r51@example.org")
    assert mail.references[-1] == "r149@example.org"
